"""``isodelta campaign report``: the questions that researchers ask of a store, answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput, EngineFailed
from isodelta.options import Common, common_options
from isodelta.terminal import grid, printable
from pipeline.cluster.session import started
from pipeline.errors import PipelineFailed
from pipeline.store.questions import Answer, answers
from pipeline.store.store import Store

MOST = 15
"""Rows of an answer on the terminal; the page has all."""


@click.command("report", short_help="Answer researchers' questions from a store.")
@click.option(
    "--store",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    required=True,
    metavar="DIR",
    help="The store of a campaign.",
)
@click.option("--master", default=None, metavar="URL", help="Where Spark runs.")
@common_options
def command(common: Common, store: Path, master: str | None) -> int:
    """Show what the runs of a store found: causes, trends, abort rates, what was never reached.

    With --report DIR the answers go into DIR/campaign.html as well, with plots.
    """
    if not (store / "runs").is_dir():
        raise BadInput(f"--store: {store} is not the store of a campaign")
    return run(Asking(store, master), common)


@dataclass
class Asking(Course[Answer]):
    """One report of a store."""

    store: Path
    master: str | None
    doing: str = "asking the store"

    def results(self, progress: Progress) -> Iterator[Answer]:
        try:
            with started(self.master) as session:
                yield from answers(Store(session, self.store))
        except PipelineFailed as error:
            raise EngineFailed(str(error)) from error

    def good(self, results: Sequence[Answer]) -> bool:
        return True

    def words(self, result: Answer, console: Console) -> None:
        console.print(Text(result.question.asks, "bold"))
        table = grid(*(True for _ in result.columns))
        table.add_row(*(Text(name, "dim") for name in result.columns))
        for row in result.rows[:MOST]:
            table.add_row(*(Text(printable(str(value))) for value in row))
        console.print(table if result.rows else Text("nothing", "dim"))
        if len(result.rows) > MOST:
            console.print(Text(f"and {len(result.rows) - MOST} more", "dim"))
        console.print()

    def write_report(
        self, results: Sequence[Answer], folder: Path, seconds: float, cut_short: str
    ) -> None:
        from isodelta.commands.campaign.page import page

        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "campaign.html").write_text(page(results, cut_short), encoding="utf-8")
        except OSError as error:
            raise BadInput(f"--report: cannot write {folder}: {error.strerror}") from error
