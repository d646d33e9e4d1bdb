"""``isodelta robust``: the question whether a table's isolation level is enough for its jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import ENGINES, Common, common_options, engine_option

if TYPE_CHECKING:
    from rich.console import Console

    from conformance.engine import Engine
    from isodelta.commands.robust.results import Asked
    from isodelta.report import Report


@click.command(short_help="Is WriteSerializable enough for these jobs?")
@click.argument("workloads", nargs=-1, required=True, metavar="WORKLOAD...")
@engine_option(
    help_text="Replay the witness on a real engine; if there is none, the closest histories."
)
@click.option("--markdown", is_flag=True, help="Print the answers as one table in Markdown.")
@common_options
def command(workloads: Sequence[str], common: Common, engine: str | None, markdown: bool) -> int:
    """Decide whether overlapping jobs, run any number of times, always have a serial order.

    A workload file has a table and jobs: SQL with :parameters, each of which may run any number of
    times concurrently. The answer is robust, by a theorem; not robust, with the smallest history
    that shows it; or unknown. A table that declares no level is treated as WriteSerializable.
    Exit code 0 means that all are robust.
    """
    if common.report is not None and len(workloads) > 1:
        raise BadInput("--report: a report is about one workload")
    if markdown and common.json:
        raise BadInput("--markdown and --json exclude each other")
    return run(Asking(common, workloads, engine, markdown), common)


@dataclass
class Asking(Course["Asked"]):
    """An answer for each workload; its histories are replayed if an engine is named."""

    common: Common
    workloads: Sequence[str]
    engine: str | None
    markdown: bool
    doing = "asking"

    def results(self, progress: Progress) -> Iterator[Asked]:
        from checker.robustness.answer import robustness
        from isodelta.commands.robust.results import Asked
        from isodelta.files.workloads import read_workloads

        workloads = read_workloads(self.workloads, self.common.profile)
        with self._started() as engine:
            for loaded in workloads:
                answer = robustness(loaded.jobs, progress)
                if engine is None:
                    yield Asked(loaded, answer, ())
                    continue
                from isodelta.commands.robust.replay import replay_answer

                progress("replaying")
                yield Asked(loaded, answer, tuple(replay_answer(answer, engine)))

    def _started(self) -> AbstractContextManager[Engine | None]:
        """The requested engine, if any."""
        if self.engine is None:
            return nullcontext()
        rules = ENGINES[self.engine]
        if self.common.profile.name != rules:
            raise BadInput(f"--engine {self.engine} follows the rules of {rules}, no others")
        from isodelta.runs.replaying import started_engine

        return started_engine(self.engine)

    def good(self, results: Sequence[Asked]) -> bool:
        return all(asked.good for asked in results)

    def words(self, result: Asked, console: Console) -> None:
        if self.markdown:
            return
        from isodelta.commands.robust.words import print_answer

        print_answer(result, console)

    def closing_words(self, results: Sequence[Asked], console: Console) -> None:
        if self.markdown:
            from isodelta.commands.robust.table import table

            click.echo(table(results), nl=False)

    def page(self, results: Sequence[Asked]) -> Report:
        from isodelta.commands.robust.page import page

        return page(self.common, results[0], self.engine)
