"""``isodelta robust``: whether the isolation level of a table is enough for the jobs on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from isodelta.exits import FOUND, OK, BadInput, EngineFailed
from isodelta.options import ENGINES, Common, common_options, engine_option

if TYPE_CHECKING:
    from checker.robustness.answer import Answer
    from conformance.engine import Engine
    from isodelta.commands.robust.replay import ReplayedHistory
    from isodelta.files.workloads import LoadedWorkload


@click.command(short_help="Is WriteSerializable enough for these jobs?")
@click.argument("workloads", nargs=-1, required=True, metavar="WORKLOAD...")
@engine_option(
    help_text="Replay the history found on a real engine; without one, the closest histories."
)
@click.option("--markdown", is_flag=True, help="Print one table of the answers, in Markdown.")
@common_options
def command(workloads: Sequence[str], common: Common, engine: str | None, markdown: bool) -> int:
    """Say whether jobs that overlap, any number of times, always have a serial order.

    A workload file has a table and jobs, SQL with :parameters, each of which may run any number of
    times at once. The answer is robust by a theorem, not robust with the smallest history that
    shows it, or unknown. A table that declares no level is asked about at WriteSerializable. Exit
    code 0 says that all are robust.
    """
    from checker.robustness.answer import robustness
    from isodelta.files.workloads import read_workloads
    from isodelta.terminal import progress

    if common.report is not None and len(workloads) > 1:
        raise BadInput("--report: a report is about one workload")
    if markdown and common.json:
        raise BadInput("--markdown and --json exclude each other")
    every = read_workloads(workloads, common.profile)
    asked: list[Asked] = []
    with progress("asking") as tell, _engine(engine, common) as running:
        for loaded in every:
            answer = robustness(loaded.jobs, tell)
            tell("replaying")
            asked.append(Asked(loaded, answer, _replayed(answer, running)))
            if not markdown:
                _show(asked[-1], common)
    if markdown:
        from isodelta.commands.robust.table import table

        print(table([(each.loaded.file, each.answer, each.replays) for each in asked]), end="")
    if common.report is not None:
        from isodelta.commands.robust.page import write_robust_report

        write_robust_report(common, asked[0].answer, asked[0].replays, engine)
    return OK if all(each.good for each in asked) else FOUND


@dataclass(frozen=True)
class Asked:
    """A workload, its answer, and what an engine did."""

    loaded: LoadedWorkload
    answer: Answer
    replays: Sequence[ReplayedHistory]

    @property
    def unmet(self) -> list[str]:
        """What the file expects and is not so, in one line each."""
        found = {"verdict": self.answer.serial.verdict, "writers": self.answer.writers.verdict}
        return [
            f"expected {key}: {wanted}, but it is {found[key]}"
            for key, wanted in self.loaded.expect.items()
            if found[key] != wanted
        ]

    @property
    def good(self) -> bool:
        """Whether the jobs are robust, and nothing speaks against it."""
        robust = self.answer.serial.verdict == "robust"
        return robust and not self.unmet and all(one.confirms for one in self.replays)


def _show(asked: Asked, common: Common) -> None:
    if common.json:
        from isodelta.commands.pipeline import print_json
        from isodelta.commands.robust.results import robust_result

        replays = [one.result() for one in asked.replays]
        print_json(robust_result(asked.answer, replays, asked.unmet))
    else:
        from isodelta.commands.robust.words import print_answer
        from isodelta.terminal import output

        print_answer(asked.answer, asked.replays, asked.unmet, output())
        output().print()


@contextmanager
def _engine(name: str | None, common: Common) -> Iterator[Engine | None]:
    """The engine asked for, if any; its failure is one of the command."""
    if name is None:
        yield None
        return
    from conformance.engine import EngineError
    from isodelta.runs.replaying import started_engine

    if common.profile.name != ENGINES[name]:
        raise BadInput(f"--engine {name} follows the rules of {ENGINES[name]}, no others")
    try:
        with started_engine(name) as running:
            yield running
    except EngineError as error:
        raise EngineFailed(str(error)) from error


def _replayed(answer: Answer, engine: Engine | None) -> list[ReplayedHistory]:
    if engine is None:
        return []
    from isodelta.commands.robust.replay import replay_answer

    return list(replay_answer(answer, engine))
