"""A campaign: batches of positions taken through the stages, into the store.

A batch is written table by table, its row in ``runs`` last. A run that was cut short goes on with
the batch that has no such row; whatever of it is there already is not written again. The numbers of
a batch follow from the run's definition alone, so that the tables of a run that was resumed are
those of one that was not disturbed.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from model.profiles.base import Profile
from pipeline.stages import coverage, violations
from pipeline.stages.histories import WriteScenario, histories
from pipeline.stages.positions import positions
from pipeline.stages.predictions import TALLY, Offer, predictions
from pipeline.store.schemas import (
    COVERAGE,
    FINDINGS,
    HISTORIES,
    PREDICTIONS,
    REPLAYS,
    RUNS,
    VERDICTS,
)
from pipeline.store.store import Store, failing_clearly

ALONE = 96
"""Positions of a batch without an engine: some 300,000 schedules, half a minute on two cores."""

BESIDE_ENGINE = 8
"""The same with an engine, whose replays take longer than the model."""

SCHEDULES = 2500
"""Schedules that a position has at least, to find out how many positions a small run needs."""

REPLAYS_OF_BATCH = 32
"""Replays of a batch: the budget is spent batch by batch."""

OPENED = -1
"""The batch of the row that opens a run."""

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
    """A cause that a batch was the first of the store to show."""

    run: int
    batch: int
    kind: str
    cause: str
    profile: str
    engine: str | None
    level: str | None
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


class Campaign:
    """One run on a store: resumed if the store has one of the same definition that is not complete.

    ``write`` gives the text of a scenario file. ``deadline`` (time.monotonic()) is when no further
    batch is begun. Raises PipelineFailed.
    """

    def __init__(
        self,
        session: Any,
        folder: Path,
        definition: Definition,
        write: WriteScenario,
        deadline: float | None = None,
        progress: Progress = lambda text: None,
    ) -> None:
        self.session = session
        self.store = Store(session, folder)
        self.definition = definition
        self.write = write
        self.deadline = deadline
        self.progress = progress
        self.started = time.monotonic()
        with failing_clearly("the runs of the store cannot be read"):
            self.run, self.first, self._next = self._place()

    def batches(self) -> Iterator[list[Cause]]:
        """Works batch by batch; yields the causes that each is the first to show."""
        longest = 0.0
        while not self.totals().complete:
            now = time.monotonic()
            if self.deadline is not None and longest and now + longest > self.deadline:
                return
            causes = self._batch(self._next)
            longest = max(longest, time.monotonic() - now)
            self._next += 1
            yield causes

    def totals(self) -> Totals:
        """The counts of the run so far."""
        from pyspark.sql import functions as f

        with failing_clearly("the runs of the store cannot be read"):
            rows = self.store.read(RUNS).where((f.col("run") == self.run) & (f.col("batch") >= 0))
            names = ("schedules", "histories", "replays", "differences", "violations")
            row = rows.agg(
                f.count("*").alias("batches"),
                *[f.coalesce(f.sum(name), f.lit(0)).alias(name) for name in names],
                f.coalesce(f.max("complete"), f.lit(False)).alias("complete"),
            ).collect()[0]
        return Totals(self.run, **row.asDict())

    def causes(self) -> int:
        """The number of different causes in the findings of the run."""
        with failing_clearly("the findings of the store cannot be read"):
            found = self.store.read(FINDINGS).where(f"run = {self.run}")
            return int(found.select("kind", "cause").distinct().count())

    def shortfall(self) -> tuple[str, ...]:
        """What the run reached too little of; empty if it was worth its while."""
        name = self.definition.profiles[0].name
        with failing_clearly("the coverage of the store cannot be read"):
            rows = self.store.read(COVERAGE).where(f"run = {self.run}")
            counted = rows.where(rows.profile == name).groupBy("kind", "what").sum("count")
            counts = {(kind, what): count for kind, what, count in counted.collect()}
        return coverage.shortfall(counts, self.totals().batches * self.definition.positions)

    def _place(self) -> tuple[int, int, int]:
        """The run's number, its first position, and the next batch."""
        rows = self.store.read(RUNS).collect()
        definition = self.definition
        opened = [row for row in rows if row.batch == OPENED]
        ended = {row.run for row in rows if row.complete}
        for row in opened:
            if row.definition == definition.digest and row.run not in ended:
                batches = [other.batch for other in rows if other.run == row.run]
                return row.run, row.position, max(batches) + 1
        run = max((row.run for row in opened), default=0) + 1
        # Another run of the seed goes on where its last one ended; unfinished ones keep a place.
        first = max(
            (
                row.position + max(row.positions, definition.positions)
                for row in rows
                if row.seed == definition.seed
            ),
            default=0,
        )
        self._note(run, OPENED, first, 0, Totals(run), datetime.now(UTC), 0.0)
        return run, first, 0

    def _batch(self, batch: int) -> list[Cause]:
        began, started = datetime.now(UTC), time.monotonic()
        definition, run = self.definition, self.run
        first = self.first + batch * definition.positions
        where = positions(self.session, first, definition.positions)
        self.progress(f"run {run}, batch {batch}: histories")
        made = histories(where, definition.seed, definition.sizes, self.write)
        self._append(HISTORIES, made, batch)
        self.progress(f"run {run}, batch {batch}: predictions")
        predicted = predictions(
            where, definition.seed, definition.sizes, definition.profiles, self._offer(batch)
        ).persist()
        try:
            causes = self._judged(predicted, batch)
            totals = self._counts(batch)
        finally:
            predicted.unpersist()
        seconds = time.monotonic() - started
        self._note(run, batch, first, definition.positions, totals, began, seconds)
        return causes

    def _offer(self, batch: int) -> Offer:
        if self.definition.engine is None:
            return Offer()
        from pyspark.sql import functions as f

        with failing_clearly("the replays of the store cannot be read"):
            rows = self.store.read(REPLAYS).where(
                (f.col("run") != self.run) | (f.col("batch") < batch)
            )
            counted = rows.select(f.explode("lessons").alias("lesson")).groupBy("lesson").count()
            return Offer(self.definition.replays, dict(counted.collect()))

    def _judged(self, predicted: Any, batch: int) -> list[Cause]:
        from pyspark.sql import functions as f

        rows = predicted.where(f.col("number") != TALLY)
        self._append(PREDICTIONS, rows, batch)
        self.progress(f"run {self.run}, batch {batch}: verdicts")
        verdicts = rows.select(
            "history",
            "profile",
            "position",
            "number",
            f.size("transactions").alias("size"),
            f.inline("verdicts"),
        )
        self._append(VERDICTS, verdicts, batch)
        self.progress(f"run {self.run}, batch {batch}: coverage")
        self._append(COVERAGE, self._coverage(predicted, batch), batch)
        self.progress(f"run {self.run}, batch {batch}: findings")
        return self._findings(verdicts, batch)

    def _coverage(self, predicted: Any, batch: int) -> Any:
        reached = coverage.reached(predicted)
        if batch:
            return reached
        listed = [
            (profile.name, kind, what, 0)
            for profile in self.definition.profiles
            for kind, what in coverage.reachable(profile)
        ]
        schema = "profile string, kind string, what string, count bigint"
        return reached.unionByName(self.session.createDataFrame(listed, schema))

    def _findings(self, verdicts: Any, batch: int) -> list[Cause]:
        definition = self.definition
        with failing_clearly("the causes of violations could not be counted"):
            earlier = self.store.read(FINDINGS).where(
                f"run < {self.run} or (run = {self.run} and batch < {batch})"
            )
            known = {(row.kind, row.cause) for row in earlier.select("kind", "cause").collect()}
            counted = violations.causes(verdicts).collect()
        counted.sort(key=lambda row: (not row.promised, -row["count"], row.cause, row.profile))
        kinds = {True: "level-violation", False: "documented"}
        new = [r for r in counted if r.promised and (kinds[True], r.cause) not in known]
        wanted = {(row.profile, row.cause) for row in new[: violations.MINIMISED]}
        orders = [
            (r.profile, r.cause, r.level, r.position, r.number, (r.profile, r.cause) in wanted)
            for r in counted
        ]
        schema = (
            "profile string, cause string, level string, position bigint, number int, "
            "wanted boolean"
        )
        with failing_clearly("the findings could not be made small"):
            frame = self.session.createDataFrame(orders, schema).repartition(8)
            made = violations.smallest(
                frame, definition.seed, definition.sizes, definition.profiles, self.write
            ).collect()
        scenarios = {(row.profile, row.cause): row for row in made}
        rows = []
        causes = []
        for r in counted:
            small = scenarios[r.profile, r.cause]
            kind = kinds[r.promised]
            statements = sorted(part for part in _statements(r.cause))
            title = f"{r.anomaly} breaks {r.cause}"
            rows.append(
                (
                    *(self.run, batch, r.history, kind, r.cause, r.profile, None, r.level),
                    *(small.table_level, r.anomaly, r.cycle, None, statements, r["count"]),
                    *(title, small.minimal, small.scenario),
                )
            )
            if (kind, r.cause) not in known:
                causes.append(
                    Cause(
                        *(self.run, batch, kind, r.cause, r.profile, None, r.level, r["count"]),
                        *(r.history, title, small.minimal, small.scenario),
                    )
                )
        self._append(FINDINGS, self.store.rows(FINDINGS, rows), batch)
        return causes

    def _counts(self, batch: int) -> Totals:
        """The counts of a batch, from what is in the store."""
        from pyspark.sql import functions as f

        here = (f.col("run") == self.run) & (f.col("batch") == batch)
        profile = f.col("profile") == self.definition.profiles[0].name
        with failing_clearly("the batch could not be counted"):
            made = self.store.read(HISTORIES).where(here)
            schedules, count = made.agg(f.sum("schedules"), f.count("*")).collect()[0]
            broken = f.col("promised") & (f.col("verdict") == "violated")
            violated = self.store.read(VERDICTS).where(here & profile & broken)
            violating = violated.select("history").distinct().count()
            wanted = self.definition.schedules
            before = self.totals().schedules
        complete = wanted is not None and before + schedules >= wanted
        return Totals(self.run, batch + 1, schedules, count, 0, 0, violating, complete)

    def _append(self, table: Any, rows: Any, batch: int) -> None:
        from pyspark.sql import functions as f

        marked = rows.withColumns({"run": f.lit(self.run), "batch": f.lit(batch)})
        self.store.append(table, marked, self.run, batch)

    def _note(
        self,
        run: int,
        batch: int,
        position: int,
        count: int,
        totals: Totals,
        began: datetime,
        seconds: float,
    ) -> None:
        definition = self.definition
        names = [profile.name for profile in definition.profiles]
        row = (
            *(run, batch, definition.digest, definition.version, definition.seed, position, count),
            *(names[0], names, definition.engine, definition.schedules, totals.schedules),
            *(totals.histories, totals.replays, totals.differences, totals.violations),
            *(totals.complete, began, seconds),
        )
        self.store.append(RUNS, self.store.rows(RUNS, [row]), run, batch)


def _statements(cause: str) -> Iterator[str]:
    """The statement kinds in the name of a cause, each once."""
    cycle = cause.partition(": ")[2].split(" ")
    words: list[str] = []
    seen: dict[str, None] = {}
    for word in cycle:
        if word.startswith("-") and word.endswith("->"):
            seen[" ".join(words)] = None
            words = []
        else:
            words.append(word)
    yield from seen
