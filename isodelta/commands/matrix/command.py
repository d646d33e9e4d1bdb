"""``isodelta matrix``: the conflict table, documents, model and engine side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import Common, common_options, engine_option

if TYPE_CHECKING:
    from rich.console import Console

    from conformance.matrix.table import Entry
    from isodelta.commands.matrix.results import Cell
    from isodelta.report import Report


@click.command(short_help="The conflict table: documents, model, engine.")
@engine_option(help_text="Replay on a real engine.")
@click.option("--level", default=None, metavar="LEVEL", help="Only this isolation level.")
@click.option(
    "--probes",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Replays for each pair.",
)
@click.option("--markdown", is_flag=True, help="Print Markdown, to paste into a design review.")
@common_options
def command(
    common: Common, engine: str | None, level: str | None, probes: int, markdown: bool
) -> int:
    """Show for every ordered pair of statement kinds whether one can fail because of the other.

    The table exists in every cell. Races to create it, which one of the two always loses, are in
    scenarios/statements/no_table_yet.yaml.
    """
    if markdown and common.json:
        raise BadInput("--markdown and --json exclude each other")
    if level is not None and level not in common.profile.levels:
        names = ", ".join(common.profile.levels)
        raise BadInput(f"--level: unknown isolation level {level!r} (known: {names})")
    levels = common.profile.levels if level is None else (level,)
    return run(Tabulating(common, engine, levels, probes, markdown), common)


@dataclass
class Tabulating(Course["Cell"]):
    """Every cell, derived in the model; then its probes are replayed if an engine is named."""

    common: Common
    engine: str | None
    levels: Sequence[str]
    probes: int
    markdown: bool

    def results(self, progress: Progress) -> Iterator[Cell]:
        from conformance.matrix.table import matrix
        from isodelta.commands.matrix.results import Cell

        entries = list(matrix(self.common.profile, self.levels, self.probes))
        if self.engine is not None:
            self._replay(entries, self.engine)
        yield from map(Cell, entries)

    def _replay(self, entries: Sequence[Entry], engine: str) -> None:
        from conformance.replay.campaign import run_campaign
        from isodelta.runs.replaying import started_engine

        by_job = {(job.scenario.name, job.level): entry for entry in entries for job in entry.jobs}
        jobs = [job for entry in entries for job in entry.jobs]
        with started_engine(engine) as running:
            for replayed in run_campaign(running, jobs, self.common.profile):
                by_job[replayed.job.scenario.name, replayed.job.level].note(replayed)

    def good(self, results: Sequence[Cell]) -> bool:
        return all(cell.entry.engine in (None, cell.entry.model) for cell in results)

    def closing_words(self, results: Sequence[Cell], console: Console) -> None:
        from isodelta.commands.matrix.words import markdown, print_matrix

        if self.markdown:
            click.echo(markdown(results), nl=False)
        else:
            print_matrix(results, console)

    def page(self, results: Sequence[Cell]) -> Report:
        from isodelta.commands.matrix.page import page

        return page(self.common, results, self.engine)
