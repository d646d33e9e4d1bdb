"""The ledger in words for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from isodelta.commands.claims.results import Row, Status, counted
from isodelta.terminal import printable

COLOURS = {
    Status.CONFIRMED: "green",
    Status.REFUTED: "red",
    Status.MODELLED: "cyan",
    Status.BEYOND: "dim",
    Status.UNKNOWN: "yellow",
}


def print_ledger(rows: Sequence[Row], console: Console) -> None:
    """Each claim with its status and the reason; all evidence if there are few claims."""
    for row in rows:
        head = Text(f"{row.claim.name:5}", "bold")
        head.append(f"{row.result.status}", COLOURS[row.result.status])
        head.append(f" ({', '.join(row.claim.sources)}) {row.claim.statement}", "default")
        console.print(head)
        console.print(Padding(Text(printable(row.result.because), "dim"), (0, 0, 0, 5)))
        if len(rows) <= 5:
            for observed in row.result.evidence:
                mark = "+" if observed.holds else "-"
                text = Text(f"{mark} {printable(observed.text)} [{observed.by}]")
                console.print(Padding(text, (0, 0, 0, 5)))
    console.print(Text(f"{len(rows)} claims: {counted(rows)}.", "bold"))
