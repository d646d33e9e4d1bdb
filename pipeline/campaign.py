"""A campaign: batches of positions taken through the stages, into the store.

A batch is written table by table, its row in ``runs`` last. A run that was cut short goes on with
the batch that has no such row; whatever of it is there already is not written again. The numbers of
a batch follow from the run's definition alone, so that the tables of a run that was resumed are
those of one that was not disturbed.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from model.profiles.base import Profile
from pipeline.engines.host import StartEngine
from pipeline.errors import PipelineFailed
from pipeline.stages import coverage, replays, violations
from pipeline.stages.histories import WriteScenario, histories
from pipeline.stages.positions import positions
from pipeline.stages.predictions import TALLY, Offer, predictions
from pipeline.store.schemas import (
    COVERAGE,
    DIFFERENCES,
    FINDINGS,
    HISTORIES,
    PREDICTIONS,
    REPLAYS,
    RUNS,
    VERDICTS,
    StoredTable,
)
from pipeline.store.store import Store, failing_clearly

ALONE = 96
"""Positions of a batch without an engine: some 300,000 schedules, half a minute on two cores."""

BESIDE_ENGINE = 8
"""The same with an engine, whose replays take longer than the model."""

SCHEDULES = 2500
"""About the schedules of a position, to find out how many positions a small run needs."""

OFFERED = 12
"""Histories that a position offers for a replay."""

HOSTS = 2
"""Engines at once: one for each core of a small machine."""

REPLAYS_OF_BATCH = 32
"""Replays of a batch: the budget is spent batch by batch."""

OPENED = -1
"""The batch of the row that opens a run."""

FAILED = "the engine failed"
"""How the error of a replay begins that says nothing about the history."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Definition:
    """Everything that decides what a run does.

    ``profiles`` predict; the first one's predictions are compared with the ``engine``, if there is
    one. ``schedules`` bounds the run, None if only time does. ``sizes`` are the numbers of
    transactions in a history. ``replays`` are those of a batch.
    """

    seed: int
    profiles: tuple[Profile, ...]
    version: str
    engine: str | None = None
    schedules: int | None = None
    sizes: tuple[int, ...] = (2, 3)
    replays: int = REPLAYS_OF_BATCH

    @property
    def positions(self) -> int:
        """The positions of a batch."""
        most = ALONE if self.engine is None else BESIDE_ENGINE
        if self.schedules is None:
            return most
        return max(1, min(most, -(-self.schedules // SCHEDULES)))

    @property
    def digest(self) -> str:
        """A short text, equal for equal definitions only."""
        parts = (
            self.seed,
            [profile.name for profile in self.profiles],
            self.version,
            self.engine,
            self.schedules,
            self.sizes,
            self.replays,
            self.positions,
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of violations or differences in a batch, as the table of findings has it."""

    run: int
    batch: int
    kind: str
    cause: str
    profile: str
    engine: str | None
    level: str
    table_level: str
    anomaly: str | None
    cycle: tuple[str, ...]
    rule: str | None
    statements: tuple[str, ...]
    count: int
    history: str
    title: str
    minimal: bool
    scenario: str


@dataclass(frozen=True, slots=True)
class Totals:
    """The counts of a run, over all its batches."""

    run: int
    batches: int = 0
    schedules: int = 0
    histories: int = 0
    replays: int = 0
    differences: int = 0
    violations: int = 0
    complete: bool = False
    seconds: float = 0.0

    def plus(self, batch: Any) -> Totals:
        """With the counts of one more batch: a row of the table of runs, or totals."""
        return Totals(
            self.run,
            self.batches + 1,
            self.schedules + batch.schedules,
            self.histories + batch.histories,
            self.replays + batch.replays,
            self.differences + batch.differences,
            self.violations + batch.violations,
            self.complete or batch.complete,
            self.seconds + batch.seconds,
        )


class Campaign:
    """One run on a store: resumed if the store has one of the same definition that is not complete.

    ``write`` gives the text of a scenario file, ``start`` starts the engine that the definition
    names. ``deadline`` (time.monotonic()) is when no further batch is begun. Raises PipelineFailed.
    """

    def __init__(
        self,
        session: Any,
        folder: Path,
        definition: Definition,
        write: WriteScenario,
        *,
        start: StartEngine | None = None,
        deadline: float | None = None,
        progress: Progress = lambda text: None,
    ) -> None:
        if (start is None) != (definition.engine is None):
            raise ValueError("an engine has a name and a way to start it, or neither")
        self.session = session
        self.store = Store(session, folder)
        self.definition = definition
        self.write = write
        self.start = start
        self.deadline = deadline
        self.progress = progress
        with failing_clearly("the store cannot be read"):
            self.totals, self.first = self._place()
            self._known = self._causes_before(self.totals.batches)
            self.shown = self._shown_before(self.totals.batches)
            self.causes = self._causes_of_run()

    @property
    def run(self) -> int:
        """The number of the run."""
        return self.totals.run

    def batches(self) -> Iterator[list[Cause]]:
        """Works batch by batch; yields the causes that each is the first to show."""
        longest = 0.0
        while not self.totals.complete:
            now = time.monotonic()
            if self.deadline is not None and longest and now + longest > self.deadline:
                return
            batch = self.totals.batches
            with failing_clearly(f"run {self.run}, batch {batch} failed"):
                causes = self._batch(batch)
            longest = max(longest, time.monotonic() - now)
            yield causes

    def shortfall(self) -> tuple[str, ...]:
        """What the run reached too little of; empty if it was worth its while."""
        name = self.definition.profiles[0].name
        with failing_clearly("the coverage of the store cannot be read"):
            rows = self.store.read(COVERAGE).where(f"run = {self.run} and profile = '{name}'")
            counted = rows.groupBy("kind", "what").sum("count")
            counts = {(kind, what): count for kind, what, count in counted.collect()}
        return coverage.shortfall(counts, self.totals.batches * self.definition.positions)

    def _place(self) -> tuple[Totals, int]:
        """The run and what it has done, and its first position; opens one if none is open."""
        rows = self.store.read(RUNS).collect()
        definition = self.definition
        opened = [row for row in rows if row.batch == OPENED]
        ended = {row.run for row in rows if row.complete}
        for row in opened:
            if row.definition == definition.digest and row.run not in ended:
                done = [r for r in rows if r.run == row.run and r.batch != OPENED]
                totals = Totals(row.run)
                for other in done:
                    totals = totals.plus(other)
                return totals, row.position
        run = max((row.run for row in opened), default=0) + 1
        # Another run of the seed goes on where the last one ended; an unfinished one keeps a batch.
        first = max(
            (
                row.position + max(row.positions, definition.positions)
                for row in rows
                if row.seed == definition.seed
            ),
            default=0,
        )
        self._note(Totals(run), OPENED, first, 0, datetime.now(UTC), 0.0)
        return Totals(run), first

    def _before(self, batch: int) -> str:
        """The condition on rows of the store that were there before a batch of the run."""
        return f"(run != {self.run} or batch < {batch})"

    def _causes_before(self, batch: int) -> set[tuple[str, str]]:
        rows = self.store.read(FINDINGS).where(self._before(batch))
        return {(row.kind, row.cause) for row in rows.select("kind", "cause").distinct().collect()}

    def _causes_of_run(self) -> set[tuple[str, str]]:
        rows = self.store.read(FINDINGS).where(f"run = {self.run} and {self._before_now()}")
        return {(row.kind, row.cause) for row in rows.select("kind", "cause").distinct().collect()}

    def _before_now(self) -> str:
        return f"batch < {self.totals.batches}"

    def _shown_before(self, batch: int) -> Counter[str]:
        """How often each lesson was shown by the replays in the store."""
        if self.definition.engine is None:
            return Counter()
        from pyspark.sql import functions as f

        rows = self.store.read(REPLAYS).where(self._before(batch))
        counted = rows.select(f.explode("lessons").alias("lesson")).groupBy("lesson").count()
        return Counter(dict(counted.collect()))

    def _batch(self, batch: int) -> list[Cause]:
        began, started = datetime.now(UTC), time.monotonic()
        definition = self.definition
        first = self.first + batch * definition.positions
        where = positions(self.session, first, definition.positions)
        self._tell(batch, "histories")
        made = histories(where, definition.seed, definition.sizes, self.write)
        self._append(HISTORIES, made, batch)
        self._tell(batch, "predictions")
        offer = Offer(OFFERED if definition.engine else 0, dict(self.shown))
        predicted = predictions(
            where, definition.seed, definition.sizes, definition.profiles, offer
        ).persist()
        try:
            counts = self._counted(predicted, batch)
            causes = self._judged(predicted, batch)
            replayed: list[Any] = []
            if definition.engine is not None:
                replayed = self._replayed(predicted, batch)
                causes += self._of_differences(replayed)
        finally:
            with suppress(Py4JError, PySparkException, OSError):
                predicted.unpersist()  # A session that was lost has nothing to give back.
        self._tell(batch, "findings")
        rows = [_finding_row(self.run, batch, cause) for cause in causes]
        self._append(FINDINGS, self.store.rows(FINDINGS, rows), batch)
        now = Totals(
            self.run,
            1,
            counts["schedules"],
            counts["histories"],
            len(replayed),
            sum(row.differences > 0 for row in replayed),
            counts["violations"],
        )
        whole = self.totals.plus(now)
        wanted = definition.schedules
        complete = wanted is not None and whole.schedules >= wanted
        seconds = time.monotonic() - started
        now = replace(now, complete=complete, seconds=seconds)
        self._note(now, batch, first, definition.positions, began, seconds)
        self.totals = replace(whole, complete=complete, seconds=whole.seconds + seconds)
        for row in replayed:
            self.shown.update(row.lessons)
        new = [cause for cause in causes if (cause.kind, cause.cause) not in self._known]
        self._known |= {(cause.kind, cause.cause) for cause in causes}
        self.causes |= {(cause.kind, cause.cause) for cause in causes}
        return new

    def _counted(self, predicted: Any, batch: int) -> Counter[str]:
        """Writes coverage and predictions; returns the counts of the run's own profile."""
        from pyspark.sql import functions as f

        self._append(PREDICTIONS, predicted.where(f.col("number") != TALLY), batch)
        self._tell(batch, "coverage")
        with failing_clearly("the batch could not be counted"):
            counted = coverage.reached(predicted).collect()
        own = self.definition.profiles[0].name
        totals = [row for row in counted if row.kind == "total" and row.profile == own]
        counts = Counter({row.what: row["count"] for row in totals})
        reached = [(r.profile, r.kind, r.what, r["count"]) for r in counted if r.kind != "total"]
        if batch == 0:
            there = {row[:3] for row in reached}
            reached += [
                (profile.name, kind, what, 0)
                for profile in self.definition.profiles
                for kind, what in coverage.reachable(profile)
                if (profile.name, kind, what) not in there
            ]
        rows = [(self.run, batch, *row) for row in sorted(reached)]
        self._append(COVERAGE, self.store.rows(COVERAGE, rows), batch)
        return counts

    def _judged(self, predicted: Any, batch: int) -> list[Cause]:
        """Writes the verdicts; returns the causes of the violations among them."""
        from pyspark.sql import functions as f

        self._tell(batch, "verdicts")
        rows = predicted.where(f.col("number") != TALLY)
        verdicts = rows.select(
            *("history", "profile", "position", "number"),
            f.size("transactions").alias("size"),
            f.inline("verdicts"),
        )
        self._append(VERDICTS, verdicts, batch)
        definition = self.definition
        with failing_clearly("the causes of violations could not be found"):
            return violations.causes(
                self.session,
                verdicts,
                definition.seed,
                definition.sizes,
                definition.profiles,
                self.write,
                self._known,
                self._cause,
            )

    def _replayed(self, predicted: Any, batch: int) -> list[Any]:
        """Replays a choice of the batch; returns the rows, with what differs."""
        definition = self.definition
        assert self.start is not None
        self._tell(batch, f"replays on {definition.engine}")
        with failing_clearly("the replays failed"):
            own = definition.profiles[0]
            chosen = replays.choose(predicted, own.name, self.shown, definition.replays)
            if not chosen:
                return []
            known = frozenset(cause for kind, cause in self._known if kind == "difference")
            rows: list[Any] = replays.replays(
                self.session,
                chosen,
                definition.seed,
                definition.sizes,
                own,
                self.start,
                self.write,
                known,
                HOSTS,
            ).collect()
        rows.sort(key=lambda row: row.place)
        lost = [row.error for row in rows if (row.error or "").startswith(FAILED)]
        if len(lost) == len(rows):
            raise PipelineFailed(lost[0])
        names = (self.run, batch)
        of_replays = [
            (
                *(*names, row.history, definition.engine, own.name, row.place, row.lessons),
                *(row.transactions, row.levels, row.rows, row.differences, row.error, row.seconds),
            )
            for row in rows
        ]
        self._append(REPLAYS, self.store.rows(REPLAYS, of_replays), batch)
        of_differences = [
            (
                *(*names, row.history, definition.engine, own.name),
                *(d.transaction, d.what, d.predicted, d.observed, d["class"]),
                row.causes[0].cause if row.causes else None,
            )
            for row in rows
            for d in row.found
        ]
        self._append(DIFFERENCES, self.store.rows(DIFFERENCES, of_differences), batch)
        return rows

    def _of_differences(self, rows: Sequence[Any]) -> list[Cause]:
        """The causes of the differences, the smallest scenario of each."""
        first: dict[str, tuple[Any, Any]] = {}
        count = Counter(cause.cause for row in rows for cause in row.causes)
        for row in rows:
            for cause in row.causes:
                earlier = first.get(cause.cause)
                if earlier is None or (cause.minimal and not earlier[1].minimal):
                    first[cause.cause] = (row, cause)
        return [
            self._cause(
                kind="difference",
                cause=name,
                profile=self.definition.profiles[0].name,
                engine=self.definition.engine,
                level=cause.level,
                table_level=cause.level,
                anomaly=cause.anomaly,
                cycle=tuple(cause.cycle or ()),
                rule=cause.rule,
                statements=tuple(cause.statements),
                count=count[name],
                history=row.history,
                title=cause.title,
                minimal=cause.minimal,
                scenario=cause.scenario,
            )
            for name, (row, cause) in sorted(first.items())
        ]

    def _cause(self, **parts: Any) -> Cause:
        return Cause(run=self.run, batch=self.totals.batches, **parts)

    def _tell(self, batch: int, what: str) -> None:
        """Says what is being done, with the rate so far and the time left."""
        totals = self.totals
        text = f"run {self.run}, batch {batch}: {what}"
        if totals.batches and totals.seconds:
            rate = totals.schedules / totals.seconds
            text += f"; {totals.schedules:,} schedules, {rate:,.0f}/s"
            if totals.replays:
                text += f", {totals.replays:,} replays"
            if self.definition.schedules is not None and rate:
                left = max(0.0, (self.definition.schedules - totals.schedules) / rate)
                text += f", {left:.0f} s left"
        if self.deadline is not None:
            text += f"; {max(0.0, self.deadline - time.monotonic()):.0f} s of the budget"
        self.progress(text)

    def _append(self, table: StoredTable, rows: Any, batch: int) -> None:
        from pyspark.sql import functions as f

        marked = rows.withColumns({"run": f.lit(self.run), "batch": f.lit(batch)})
        self.store.append(table, marked, self.run, batch)

    def _note(
        self, totals: Totals, batch: int, position: int, count: int, began: datetime, seconds: float
    ) -> None:
        definition = self.definition
        names = [profile.name for profile in definition.profiles]
        row = (
            *(totals.run, batch, definition.digest, definition.version, definition.seed),
            *(position, count, names[0], names, definition.engine, definition.schedules),
            *(totals.schedules, totals.histories, totals.replays, totals.differences),
            *(totals.violations, totals.complete, began, seconds),
        )
        self.store.append(RUNS, self.store.rows(RUNS, [row]), totals.run, batch)


def _finding_row(run: int, batch: int, cause: Cause) -> tuple[object, ...]:
    return (
        *(run, batch, cause.history, cause.kind, cause.cause, cause.profile, cause.engine),
        *(cause.level, cause.table_level, cause.anomaly, list(cause.cycle), cause.rule),
        *(list(cause.statements), cause.count, cause.title, cause.minimal, cause.scenario),
    )
