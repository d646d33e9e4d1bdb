"""``isodelta replay``: scenarios on the real engine, compared with the model."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import Common, common_options, engine_option, engine_profile, schema_option

if TYPE_CHECKING:
    from rich.console import Console

    from conformance.engine import Engine
    from isodelta.commands.replay.results import (
        NotPredicted,
        NotReplayed,
        Replayed,
        ReplayedTables,
    )
    from isodelta.files.scenarios import Loaded
    from isodelta.report import Report
    from model.profiles import Profile


_STARTING = {"delta-spark": "starting Spark: a JVM with Delta's JARs, ten seconds or more"}
"""The note while an engine starts, for those that take their time."""


@click.command(short_help="Run scenarios on the real engine, step by step.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@schema_option
@engine_option("delta-spark")
@click.option(
    "--on-delta-rs",
    multiple=True,
    metavar="NAME",
    help="With Spark: run this transaction on delta-rs instead, on the same table. Repeatable.",
)
@common_options
def command(
    files: tuple[str, ...],
    schemas: tuple[str, ...],
    common: Common,
    engine: str,
    on_delta_rs: tuple[str, ...],
) -> int:
    """Run scenarios on real tables, judge the observed histories, compare them with the model.

    A FILE is a scenario file (YAML), a SQL script, or a folder of either, as for `check`.
    """
    if on_delta_rs and engine != "delta-spark":
        raise BadInput("--on-delta-rs goes with --engine delta-spark")
    return run(Replaying(files, schemas, common, engine, on_delta_rs), common)


@dataclass
class Replaying(Course["Replayed | ReplayedTables | NotPredicted | NotReplayed"]):
    """Each scenario on one engine; the transactions of ``on_delta_rs`` run on delta-rs.

    A scenario that breaks down does not keep the later ones from running; its error is raised
    after them.
    """

    files: Sequence[str]
    schemas: Sequence[str]
    common: Common
    engine: str
    on_delta_rs: Sequence[str]
    versions: Mapping[str, str] = field(default_factory=dict)
    doing = "reading the scenarios"

    def results(
        self, progress: Progress
    ) -> Iterator[Replayed | ReplayedTables | NotPredicted | NotReplayed]:
        from isodelta.commands.replay.results import NotReplayed
        from isodelta.runs.engines import start_cross

        profile = self.common.profile
        loaded = self._loaded()
        progress(_STARTING.get(self.engine, f"starting {self.engine}"))
        running, profiles = start_cross(self.engine, frozenset(self.on_delta_rs))
        with closing(running):
            if self.common.report is not None:
                self.versions = running.versions()
            broken: Exception | None = None
            for number, entry in enumerate(loaded, 1):
                progress(f"replaying {number} of {len(loaded)}: {entry.scenario.name}")
                try:
                    yield replayed(entry, running, profile, profiles)
                except Exception as error:  # noqa: BLE001 - raised again after the others
                    broken = broken or error
                    yield NotReplayed(entry, profile.name, self.engine, str(error))
                    if not running.usable():
                        break
            if broken is not None:
                raise broken

    def _loaded(self) -> list[Loaded]:
        """The scenarios; each has the transactions that delta-rs is to run. Raises BadInput."""
        from isodelta.files.scripts import read_scenarios

        loaded = read_scenarios(self.files, self.common.profile, self.schemas)
        for entry in loaded:
            if unknown := set(self.on_delta_rs) - entry.scenario.transactions.keys():
                name = min(unknown)
                raise BadInput(f"--on-delta-rs: scenario {entry.scenario.name!r} has no {name!r}")
        return loaded

    def good(
        self, results: Sequence[Replayed | ReplayedTables | NotPredicted | NotReplayed]
    ) -> bool:
        return all(result.good for result in results)

    def words(
        self, result: Replayed | ReplayedTables | NotPredicted | NotReplayed, console: Console
    ) -> None:
        from isodelta.commands.replay.words import print_result

        print_result(result, console)

    def closing_words(
        self,
        results: Sequence[Replayed | ReplayedTables | NotPredicted | NotReplayed],
        console: Console,
    ) -> None:
        from isodelta.commands.replay.words import print_closing

        print_closing(results, console)

    def page(
        self, results: Sequence[Replayed | ReplayedTables | NotPredicted | NotReplayed]
    ) -> Report:
        from isodelta.commands.replay.page import page

        return page(self.common, self._as_asked(), self.versions, results)

    def _as_asked(self) -> str:
        """The engine with the options that replaying a finding on it again needs."""
        options = [self.engine]
        for name in self.on_delta_rs:
            options += ["--on-delta-rs", name]
        if self.common.profile.name != engine_profile(self.engine):
            options += ["--profile", self.common.profile.name]
        return shlex.join(options)


def replayed(
    entry: Loaded, engine: Engine, profile: Profile, profiles: Mapping[str, Profile] | None = None
) -> Replayed | ReplayedTables | NotPredicted:
    """One scenario on a running engine, judged and compared with the rules of a profile.

    ``profiles`` has the rules of the transactions that run on another engine. Raises EngineError
    and InvalidScenario.
    """
    from conformance.replay.campaign import Job, Unpredicted, replay
    from isodelta.commands.replay.results import NotPredicted, Replayed
    from isodelta.runs.replaying import unmet

    try:
        if entry.parts:
            return _in_tables(entry, engine, profile)
        job = Job(entry.scenario, entry.workload.level, profiles or {})
        done = replay(engine, job, profile)
    except Unpredicted as error:
        return NotPredicted(entry, error.observation, profile.name, str(error.error))
    failures = unmet(done.comparison)
    return Replayed(entry, done.comparison, profile.name, failures, done.seconds)


def _in_tables(entry: Loaded, engine: Engine, profile: Profile) -> ReplayedTables:
    """A scenario that writes several tables, replayed."""
    from conformance.replay.campaign import replay_parts
    from isodelta.commands.replay.results import Replayed, ReplayedTables
    from isodelta.runs.replaying import unmet

    comparisons, seconds = replay_parts(engine, entry.scenario, profile)
    return ReplayedTables(
        entry,
        {
            name: Replayed(
                part,
                comparisons[part.scenario.target],
                profile.name,
                unmet(comparisons[part.scenario.target]),
                seconds,
            )
            for name, part in entry.parts.items()
        },
    )
