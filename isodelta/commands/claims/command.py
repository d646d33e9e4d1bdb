"""``isodelta claims``: the ledger of what the documents say, with evidence for each claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import Common, EngineName, common_options

if TYPE_CHECKING:
    from rich.console import Console

    from isodelta.commands.claims.results import Row
    from isodelta.report import Report


@click.command(short_help="The ledger of N1..N100 with the evidence for each.")
@click.argument("names", nargs=-1, metavar="[N12 ...]")
@click.option(
    "--engine",
    type=EngineName("model"),
    metavar="NAME[@VERSION]",
    default=None,
    help="The engine to ask, or model; by default delta-spark if Java is installed.",
)
@click.option(
    "--write",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="Write the ledger as a Markdown page as well; claims that were not run keep their rows.",
)
@common_options
def command(common: Common, names: Sequence[str], engine: str | None, write: Path | None) -> int:
    """Check what the documents claim, claim by claim, on the real engine and in the model.

    Every status comes from running a check: confirmed, refuted, modelled only (no available
    engine has the feature, or none was asked), out of scope with the reason, or unknown if the
    check could not be run. Exit code 1 means that some claim is refuted or unknown.
    """
    from isodelta.commands.claims.checks import CLAIMS

    chosen = [name.upper() for name in names] or list(CLAIMS)
    for name in chosen:
        if name not in CLAIMS:
            raise BadInput(f"there is no claim {name!r} (N1 to N{len(CLAIMS)})")
    return run(Checking(common, chosen, engine or _engine_at_hand(), write), common)


@dataclass
class Checking(Course["Row"]):
    """The checks of claims, by their names, on ``engine``.

    The page at ``write`` is written when every check has run.
    """

    common: Common
    names: Sequence[str]
    engine: str
    write: Path | None
    doing = "checking claims"

    def results(self, progress: Progress) -> Iterator[Row]:
        from isodelta.commands.claims.bench import Bench
        from isodelta.commands.claims.ledger import ledger
        from isodelta.runs.engines import start

        real = None if self.engine == "model" else lambda: start(self.engine)
        bench = Bench(real, self.common.profile)
        rows = []
        try:
            for row in ledger(
                bench, self.names, lambda name, done, of: progress(f"{name}, {done}/{of}")
            ):
                rows.append(row)
                yield row
        finally:
            bench.close()
        if self.write is not None:
            _write(self.write, rows, self.engine)

    def good(self, results: Sequence[Row]) -> bool:
        from isodelta.commands.claims.results import Status

        return not any(row.result.status in (Status.REFUTED, Status.UNKNOWN) for row in results)

    def closing_words(self, results: Sequence[Row], console: Console) -> None:
        from isodelta.commands.claims.words import print_ledger

        print_ledger(results, console)

    def page(self, results: Sequence[Row]) -> Report:
        from isodelta.commands.claims.page import page

        return page(self.common, results, self.engine)


def _engine_at_hand() -> str:
    """The real engine if there is a Java for it."""
    from conformance.spark.startup.java import find_java

    return "model" if find_java() is None else "delta-spark"


def _write(path: Path, rows: Sequence[Row], engine: str) -> None:
    """Writes the ledger as Markdown; claims that were not run keep their rows."""
    from isodelta.commands.claims.markdown import markdown

    earlier = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(markdown(rows, engine, earlier), encoding="utf-8")
