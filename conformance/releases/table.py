"""What each release does with the same scenarios, and where neighbouring releases differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise

from checker.search.statement_kinds import CELL_KINDS
from conformance.engine import BadStatement, Engine, EngineError
from conformance.matrix.table import matrix
from conformance.releases.catalogue import Release
from conformance.releases.client import ReleasedEngine
from conformance.replay.campaign import Job, Unpredicted, replay
from model.errors import InvalidScenario
from model.profiles.base import Profile
from model.scenario import Scenario

WORKERS = 3
"""Replays at a time on one engine."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One scenario to run on every release.

    ``subject`` is ``finding`` for one of the collection, ``conflict`` for a pair of statement
    kinds of the conflict table.
    """

    subject: str
    scenario: Scenario
    level: str

    @property
    def name(self) -> str:
        """The scenario's name, which says the level for a conflict."""
        return self.scenario.name


@dataclass(frozen=True, slots=True)
class Fate:
    """What a release made of a scenario: outcomes by transaction, and the verdict on the level.

    ``because`` is the reason where it could not be run there; then there is no outcome. ``why``
    is the reason for an ``unknown`` verdict; two fates that differ in it alone are equal.
    """

    outcomes: tuple[tuple[str, str], ...] = ()
    verdict: str = "unknown"
    because: str = ""
    why: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        """In a few words, for a table."""
        if self.because:
            return "not run"
        text = ", ".join(f"{name} {outcome}" for name, outcome in self.outcomes)
        if self.verdict == "holds":
            return text
        return f"{text} ({self.verdict}{f': {self.why}' if self.verdict == 'unknown' else ''})"


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """One release with the fate of every cell, and the time that all of them took."""

    release: Release
    fates: Mapping[str, Fate]
    seconds: float

    @property
    def not_run(self) -> dict[str, str]:
        """The cells that say nothing of this release, with the reason."""
        return {name: fate.because for name, fate in self.fates.items() if fate.because}


@dataclass(frozen=True, slots=True)
class Change:
    """A cell whose fate changed from one release to the next one."""

    cell: Cell
    older: Release
    newer: Release
    before: Fate
    after: Fate


def conflict_cells(profile: Profile, levels: Sequence[str]) -> tuple[Cell, ...]:
    """One replay for each ordered pair of the kinds that the documents have cells for."""
    return tuple(
        Cell("conflict", probe, entry.level)
        for entry in matrix(profile, levels, 1, CELL_KINDS)
        for probe in entry.probes
    )


def run_release(release: Release, cells: Iterable[Cell], profile: Profile) -> dict[str, Fate]:
    """The fate of every cell on one release, by the cell's name.

    ``profile`` reads the scenarios; what it predicts does not matter here. Raises EngineError if
    the release cannot be started or dies.
    """
    with closing(ReleasedEngine(release)) as engine, ThreadPoolExecutor(WORKERS) as pool:
        fates = pool.map(lambda cell: (cell.name, _fate(engine, cell, profile)), cells)
        return dict(fates)


def _fate(engine: Engine, cell: Cell, profile: Profile) -> Fate:
    try:
        done = replay(engine, Job(cell.scenario, cell.level), profile)
    except BadStatement as error:
        return Fate(because=error.message)
    except (Unpredicted, InvalidScenario) as error:
        return Fate(because=f"cannot be judged: {error}")
    except EngineError as error:
        if not engine.usable():
            raise
        return Fate(because=f"it broke down: {error.message}")
    observation, verdict = done.comparison.observation, done.comparison.verdicts[cell.level]
    outcomes = tuple(sorted(observation.outcomes.items()))
    return Fate(outcomes, verdict.verdict, why=verdict.why or "")


def changes(rows: Sequence[ReleaseRow], cells: Sequence[Cell]) -> Iterator[Change]:
    """The cells that differ between neighbouring releases, in the order of the releases."""
    for older, newer in pairwise(rows):
        for cell in cells:
            before, after = older.fates[cell.name], newer.fates[cell.name]
            if before != after:
                yield Change(cell, older.release, newer.release, before, after)


def affected(cell: Cell, rows: Sequence[ReleaseRow]) -> tuple[Release, ...]:
    """The releases that break the level of the cell's table."""
    return tuple(row.release for row in rows if row.fates[cell.name].verdict == "violated")
