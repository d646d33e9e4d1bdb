"""``isodelta robust``: the question whether a table's isolation level is enough for its jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import Common, common_options, engine_option, engine_profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from checker.robustness.answer import Answer
    from checker.robustness.jobs.workload import Jobs
    from conformance.engine import Engine
    from isodelta.commands.robust.results import Asked, NothingWritten
    from isodelta.commands.robust.sources import Files, LoadedTable
    from isodelta.commands.robust.sources.statements import Statement
    from isodelta.files.workloads import LoadedWorkload
    from isodelta.report import Report

    Ask = Callable[[Jobs], Answer]
    Question = tuple[LoadedWorkload | LoadedTable | None, Sequence[Statement], Ask]


@click.command(short_help="Is WriteSerializable enough for these jobs?")
@click.argument("workloads", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@click.option("--table", "tables", multiple=True, metavar="NAME", help="Only this table.")
@click.option(
    "--schema",
    "schemas",
    multiple=True,
    metavar="FILE",
    help="CREATE TABLE statements, or dbt's catalog.json or manifest.json.",
)
@click.option(
    "--delta",
    "logs",
    multiple=True,
    metavar="NAME=PATH",
    help="Take the definition of a table from its Delta log.",
)
@engine_option(
    help_text="Replay the witness on a real engine; if there is none, the closest histories."
)
@click.option(
    "--rates",
    metavar="FILE",
    help="Rates and durations of the jobs (YAML), for an estimate of aborts per day; `history` "
    "takes them from the log of --delta.",
)
@click.option(
    "--sarif",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the answers as SARIF, for code review.",
)
@click.option("--markdown", is_flag=True, help="Print the answers as one table in Markdown.")
@common_options
def command(
    workloads: Sequence[str],
    tables: Sequence[str],
    schemas: Sequence[str],
    logs: Sequence[str],
    common: Common,
    engine: str | None,
    rates: str | None,
    sarif: str | None,
    markdown: bool,
) -> int:
    """Decide whether overlapping jobs, run any number of times, always have a serial order.

    A FILE is a workload file (YAML), a SQL script, a notebook in source form, or a folder of
    scripts, such as a dbt project. A script is a job: its statements run in their order, each as a
    transaction, and each table that they write gets an answer. The answer is robust, by a theorem;
    not robust, with the smallest history that shows it; or unknown. A table that declares no level
    is treated as WriteSerializable. Exit code 0 means that all are robust.
    """
    if markdown and common.json:
        raise BadInput("--markdown and --json exclude each other")
    from isodelta.commands.robust.sources import Files

    yaml = [file for file in workloads if file.endswith((".yaml", ".yml"))]
    files = Files([file for file in workloads if file not in yaml], tables, schemas, logs)
    if rates == HISTORY and not logs:
        raise BadInput("--rates history needs --delta NAME=PATH")
    return run(Asking(common, yaml, files, engine, markdown, sarif, rates), common)


HISTORY = "history"
"""The value of --rates that takes them from the log of a table."""


@dataclass
class Asking(Course["Asked | NothingWritten"]):
    """An answer for each workload; its histories are replayed if an engine is named."""

    common: Common
    workloads: Sequence[str]
    files: Files
    engine: str | None
    markdown: bool
    sarif: str | None = None
    rates: str | None = None
    doing = "asking"

    def results(self, progress: Progress) -> Iterator[Asked | NothingWritten]:
        from isodelta.commands.robust.rates import Estimator
        from isodelta.commands.robust.replay import ReplayedHistory, replay_answer
        from isodelta.commands.robust.results import Asked, NothingWritten
        from isodelta.files.workloads import read_workloads

        workloads = read_workloads(self.workloads, self.common.profile)
        estimator = Estimator(self.rates, self.files.logs, self.common.seed)
        answers: list[Asked] = []
        with self._started() as engine:
            for loaded, skipped, ask in self._asked(workloads, progress):
                if loaded is None:
                    yield NothingWritten(", ".join(self.files.files), skipped)
                    continue
                answer = ask(loaded.jobs)
                replays: tuple[ReplayedHistory, ...] = ()
                if engine is not None:
                    progress("replaying")
                    replays = tuple(replay_answer(answer, engine))
                guess = estimator.of(loaded, answer, progress)
                answers.append(Asked(loaded, answer, replays, skipped, guess))
                yield answers[-1]
        estimator.check_used()
        if self.sarif is not None:
            from isodelta.commands.robust.sarif import write_sarif

            write_sarif(answers, Path(self.sarif))

    def _asked(self, workloads: Sequence[LoadedWorkload], progress: Progress) -> Iterator[Question]:
        """All workloads, each with the statements of its files that are left alone."""
        from checker.robustness.answer import robustness

        def ask(jobs: Jobs) -> Answer:
            return robustness(jobs, progress)

        yield from ((workload, (), ask) for workload in workloads)
        yield from self._tables(progress, ask)

    def _tables(self, progress: Progress, ask: Ask) -> Iterator[Question]:
        """The tables that SQL files write, each with statements that are left alone."""
        from isodelta.commands.robust.parallel import Answers, processes
        from isodelta.commands.robust.sources import read_project

        if not self.files.files:
            return
        project = read_project(self.files)
        left = project.skipped
        total = len(project.written)
        if not total:
            yield None, tuple(left), ask
        workers = processes(total)
        elsewhere = (
            Answers(self.files, self.common.profile, total, workers) if workers > 1 else None
        )
        try:
            for number, (name, shown) in enumerate(project.written, 1):
                progress(f"{shown} ({number} of {total})")
                loaded = project.table(name, shown, self.common.profile)
                jobs = {statement.job for statement in loaded.statements.values()}
                mine = [statement for statement in left if number == total or statement.job in jobs]
                left = [statement for statement in left if statement not in mine]
                yield loaded, tuple(mine), elsewhere.next if elsewhere is not None else ask
        finally:
            if elsewhere is not None:
                elsewhere.close()

    def _started(self) -> AbstractContextManager[Engine | None]:
        """The requested engine, if any."""
        if self.engine is None:
            return nullcontext()
        rules = engine_profile(self.engine)
        if self.common.profile.name != rules:
            raise BadInput(f"--engine {self.engine} follows the rules of {rules}, no others")
        from isodelta.runs.replaying import started_engine

        return started_engine(self.engine)

    def good(self, results: Sequence[Asked | NothingWritten]) -> bool:
        return all(asked.good for asked in results)

    def words(self, result: Asked | NothingWritten, console: Console) -> None:
        if self.markdown:
            return
        from isodelta.commands.robust.results import NothingWritten
        from isodelta.commands.robust.words import print_answer, print_nothing

        if isinstance(result, NothingWritten):
            print_nothing(result, console)
        else:
            print_answer(result, console)

    def closing_words(self, results: Sequence[Asked | NothingWritten], console: Console) -> None:
        if self.markdown:
            from isodelta.commands.robust.table import table

            click.echo(table(answered(results)), nl=False)

    def page(self, results: Sequence[Asked | NothingWritten]) -> Report:
        from isodelta.commands.robust.page import page

        about_tables = answered(results)
        if not about_tables:
            raise BadInput("--report: no statement writes a Delta table")
        return page(self.common, about_tables, self.engine)


def answered(results: Sequence[Asked | NothingWritten]) -> list[Asked]:
    """The results that are answers about a table."""
    from isodelta.commands.robust.results import Asked

    return [result for result in results if isinstance(result, Asked)]
