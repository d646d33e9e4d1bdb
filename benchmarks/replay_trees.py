"""Schedules a second on real engines through trees, beside the plain replay, in one run.

Run it with ``python benchmarks/replay_trees.py [spark|delta-rs] [PAIRS]``. All schedules of pairs
and triples of statements are observed through a tree, and a sample of them by the plain replay of
today (on Spark with its commits laid in). ``shared`` is one table for all pairs, so that they share
what they have in common; ``apart`` gives each a table of its own, prepared before the time starts.
The goals, on two cores: on Spark 15 schedules of two transactions a second, and of three at least
four times the plain replay; on delta-rs 150 a second.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from replay_speed import STATEMENTS, scenarios

from checker.search.schedules import interleavings
from conformance.delta_rs.engine import DeltaRsEngine
from conformance.replay.observation import observe
from conformance.spark.engine import SparkEngine
from conformance.trees.forest import Forest
from conformance.trees.processes import TreeJob, observe_over_cores
from conformance.trees.runs import TreeEngine
from model.levels import SERIALIZABLE
from model.scenario import Scenario, TableSpec

WORKERS = 3
WARM_UP = 6
PLAIN_SECONDS = 40.0
TRIPLES = 2


def groups(count: int, size: int, seed: int) -> list[Scenario]:
    """Scenarios of so many different statements each."""
    names = ("A", "B", "C")[:size]
    chosen = list(itertools.combinations(STATEMENTS, size))
    random.Random(seed).shuffle(chosen)
    table = scenarios(1)[0].table
    return [
        Scenario(" / ".join(texts), table, dict(zip(names, texts, strict=True)), ())
        for texts in chosen[:count]
    ]


def jobs(cases: Sequence[Scenario]) -> list[TreeJob]:
    """All schedules of each."""
    return [
        TreeJob(case, SERIALIZABLE, tuple(interleavings(tuple(case.transactions))))
        for case in cases
    ]


def apart(cases: Sequence[Scenario], start: int) -> list[Scenario]:
    """The same scenarios, each with a table of its own."""
    return [
        replace(
            case,
            table=TableSpec(
                case.table.columns,
                case.table.partition_by,
                setup=(f"INSERT INTO t VALUES (1, 1, {n}), (2, 2, 20)", case.table.setup[1]),
            ),
        )
        for n, case in enumerate(cases, start)
    ]


@dataclass(frozen=True)
class Rate:
    """Schedules a second by the clock, and a second of processor time, the JVM's included."""

    clock: float
    processor: float


class Stopwatch:
    """The time since it was made, by the clock and of the processor."""

    def __init__(self, engine: TreeEngine):
        self._engine = engine
        self._clock, self._busy = time.perf_counter(), self._processor()

    @property
    def seconds(self) -> float:
        """By the clock."""
        return time.perf_counter() - self._clock

    def rate(self, schedules: int) -> Rate:
        """So many schedules in the time since."""
        return Rate(schedules / self.seconds, schedules / (self._processor() - self._busy))

    def _processor(self) -> float:
        busy = time.process_time()
        if isinstance(self._engine, SparkEngine):
            file = Path("/proc", str(self._engine.process.gateway.proc.pid), "stat")
            # Its own time and that of its children, in user and in system mode.
            fields = file.read_text().rsplit(")", 1)[1].split()[11:15] if file.exists() else []
            busy += sum(map(int, fields)) / os.sysconf("SC_CLK_TCK")
        return busy


def through_trees(engine: TreeEngine, forest: Forest, work: Sequence[TreeJob]) -> Rate:
    """Every schedule through trees."""
    watch = Stopwatch(engine)
    seen = [
        each
        for job in work
        for each in forest.observe(job.scenario, job.level, job.schedules, workers=WORKERS)
    ]
    return watch.rate(len(seen))


def plainly(engine: TreeEngine, work: Sequence[TreeJob]) -> Rate:
    """The plain replay, of those schedules that fit into the time."""
    cases = [replace(job.scenario, schedule=each) for job in work for each in job.schedules]
    random.Random(3).shuffle(cases)
    watch = Stopwatch(engine)

    def one(case: Scenario) -> int:
        if watch.seconds > PLAIN_SECONDS:
            return 0
        observe(engine, case, SERIALIZABLE)
        return 1

    with ThreadPoolExecutor(WORKERS) as pool:
        done = sum(pool.map(one, cases))
    return watch.rate(done)


def report(what: str, rate: Rate, plain: Rate | None = None) -> None:
    """One line."""
    line = f"{what:32}{rate.clock:8.2f} a second{rate.processor:8.2f} a second of processor time"
    if plain is not None:
        line += f"{rate.processor / plain.processor:6.1f} times the plain replay"
    print(line, flush=True)


def measure(engine: TreeEngine, pairs: int) -> None:
    """Both ways, for two and three transactions, in this process."""
    for job in jobs(groups(WARM_UP, 2, 1)):
        for schedule in job.schedules:
            observe(engine, replace(job.scenario, schedule=schedule), SERIALIZABLE)
    for size, count in ((2, pairs), (3, TRIPLES)):
        cases = groups(count, size, 2)
        plain = plainly(engine, jobs(cases))
        report(f"{size} transactions, plain replay", plain)
        own = apart(cases, 1_000 * size)
        with Forest(engine) as forest:
            for case in own:
                list(forest.observe(case, SERIALIZABLE, []))
            report(
                f"{size} transactions, trees apart", through_trees(engine, forest, jobs(own)), plain
            )
        with Forest(engine) as forest:
            rate = through_trees(engine, forest, jobs(cases))
            report(f"{size} transactions, trees shared", rate, plain)
            print(f"{'':32}{forest.runs:8} transactions run by the engine", flush=True)


def over_cores(start: Callable[[], TreeEngine], work: Iterable[TreeJob], processes: int) -> None:
    """Trees in several processes, after one job each to start their engines."""
    batches = iter(observe_over_cores(start, work, processes=processes))
    for _ in range(2 * processes):
        next(batches)
    started = time.perf_counter()
    seen = sum(len(seen) for _, seen in batches)
    print(f"{processes} processes{'':20}{seen / (time.perf_counter() - started):8.2f} a second")


def main(engine: str, pairs: int) -> None:
    """Measure one engine and print the rates."""
    if engine == "spark":
        spark = SparkEngine()
        measure(spark, pairs)
        spark.close()
        return
    delta_rs = DeltaRsEngine()
    measure(delta_rs, pairs)
    delta_rs.close()
    for processes in (1, 2):
        over_cores(DeltaRsEngine, jobs(apart(groups(45, 2, 2), 5_000)), processes)


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "spark"
    main(chosen, int(sys.argv[2]) if len(sys.argv) > 2 else 20)
