"""The ledger as a Markdown page, ``docs/claims.md``: only the command writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from isodelta.commands.claims.checks import CLAIMS
from isodelta.commands.claims.claim import SOURCES
from isodelta.commands.claims.results import Status
from isodelta.terminal import printable

if TYPE_CHECKING:
    from isodelta.commands.claims.results import Row

COLUMNS = ("claim", "source", "what the documents say", "check", "status", "what was found")
STATUS = COLUMNS.index("status")

_MEANINGS = {
    Status.CONFIRMED: "the engine did what the claim says, in everything that was looked at",
    Status.REFUTED: "at least one counterexample, on the engine or among definitions",
    Status.MODELLED: "no engine at hand has the feature; the document's own rules, run in the "
    "model, say so",
    Status.BEYOND: "nothing here can decide it, for the reason given",
    Status.UNKNOWN: "the check could not be run",
}


def markdown(rows: Sequence[Row], engine: str, earlier: str = "") -> str:
    """The page for a run on an engine.

    Claims that were not run keep their rows of the ``earlier`` page.
    """
    lines_by_claim = {line[0]: line for line in read_table(earlier)}
    lines_by_claim |= {row.claim.name: written(row) for row in rows}
    table = [lines_by_claim[name] for name in CLAIMS if name in lines_by_claim]
    counts = Counter(line[STATUS] for line in table)
    lines = [
        "# Claims of the documents",
        "",
        f"Written by `isodelta claims --write docs/claims.md`, asking {engine}; with names of "
        "claims it writes their rows anew and keeps the others. No status on this page is "
        "written by hand. `isodelta claims N12` shows all evidence for a claim, `--json` with "
        "scenarios to run again.",
        "",
        *(f"- **{letter}**: {title}" for letter, title in SOURCES.items()),
        "",
        "| status | claims | meaning |",
        "|---|---|---|",
        *(f"| {s} | {counts[s]} | {_MEANINGS[s]} |" for s in Status if counts[s]),
        "",
        "A claim about Databricks is checked on the open-source engine where that has the "
        "feature: a refutation says that this engine does otherwise, or that the words say more "
        "than any engine can keep; it does not say which of the two was meant.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        "|" + "---|" * len(COLUMNS),
        *(f"| {' | '.join(line)} |" for line in table),
    ]
    return "\n".join(lines) + "\n"


def _columns(row: Row) -> tuple[str, ...]:
    claim, result = row.claim, row.result
    return (
        claim.name,
        ", ".join(claim.sources),
        claim.statement,
        claim.kind.value,
        result.status.value,
        result.because,
    )


def _cell(text: str) -> str:
    return printable(text).replace("|", "\\|").replace("<", "&lt;")


def read_table(text: str) -> list[tuple[str, ...]]:
    """The ledger's rows on a page, cell by cell, as text."""
    return [
        tuple(cell.strip() for cell in line.strip("|").split(" | "))
        for line in text.splitlines()
        if line.startswith("| N")
    ]


def written(row: Row) -> tuple[str, ...]:
    """A row in the columns of the page."""
    return tuple(map(_cell, _columns(row)))
