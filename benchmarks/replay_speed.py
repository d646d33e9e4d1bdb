"""Two-transaction replays a second on Spark, beside the plain way of replaying.

Run it with ``python benchmarks/replay_speed.py [REPLAYS]``. The plain way: the table is created
and filled in SQL, all settings are Spark's and Delta's own, one replay at a time, and the rows
are read through Spark. Both hold their transactions in the same way. The engine is measured
three times: running every transaction, with commits laid in that were made before, and on
tables that no earlier replay used (their set-up included). The goals are 3 replays a second on
two cores and four times the plain way.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from conformance.engine import Engine
from conformance.prepared_tables import create_statement
from conformance.replay.observation import observe
from conformance.spark.catalog import use_database
from conformance.spark.engine import STEP_SECONDS, SparkEngine
from conformance.spark.lanes import Held, Lane
from conformance.spark.startup.jars import ensure_jars
from conformance.spark.startup.java import find_java
from conformance.spark.startup.session import SparkProcess
from conformance.spark.startup.settings import DELTA
from model.scenario import Scenario, Step, TableSpec
from model.workload import TARGET

STATEMENTS = (
    "INSERT INTO t VALUES (7, 1, 0)",
    "INSERT INTO t SELECT k + 10, p, v FROM t WHERE p = 1",
    "INSERT INTO t SELECT 9, 9, count(*) FROM t",
    "DELETE FROM t WHERE k = 1",
    "DELETE FROM t WHERE p = 1",
    "UPDATE t SET v = v + 1 WHERE k = 2",
    "UPDATE t SET p = 2 WHERE p = 1",
    "OPTIMIZE t",
    "SELECT count(*) FROM t",
    "SELECT k FROM t WHERE p = 1",
)
SCHEDULE = tuple(
    Step(action, name)  # type: ignore[arg-type]
    for action, name in (("begin", "A"), ("begin", "B"), ("commit", "B"), ("commit", "A"))
)
WORKERS = 3
WARM_UP = 60
SECONDS = 60.0


def scenarios(seed: int) -> list[Scenario]:
    """Every pair of statements on both layouts, in an order that the seed decides."""
    cases = [
        Scenario(
            f"{a} / {b}",
            TableSpec(
                {"k": "int", "p": "int", "v": "int"},
                partition_by,
                setup=(
                    "INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)",
                    "INSERT INTO t VALUES (3, 1, 30)",
                ),
            ),
            {"A": a, "B": b},
            SCHEDULE,
        )
        for partition_by in (("p",), ())
        for a, b in itertools.product(STATEMENTS, STATEMENTS)
    ]
    random.Random(seed).shuffle(cases)
    return cases


def rate(replay: Callable[[Scenario], object], cases: Sequence[Scenario], workers: int) -> float:
    """Replays a second, of these scenarios or of as many as fit into the time."""
    end = time.perf_counter() + SECONDS
    done = 0

    def one(case: Scenario) -> int:
        if time.perf_counter() >= end:
            return 0
        replay(case)
        return 1

    start = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        done = sum(pool.map(one, cases))
    return done / (time.perf_counter() - start)


class PlainWay:
    """Replays as one would write them at first."""

    def __init__(self) -> None:
        java = find_java()
        self.process = SparkProcess(ensure_jars(), java.path if java else None, 2, DELTA)
        self._lanes = {name: Lane(name, self.process.gateway.jvm) for name in "AB"}
        self._count = itertools.count()

    def replay(self, case: Scenario) -> list[Any]:
        """One replay, from an empty database to the final rows."""
        spark = self.process.session
        database = f"plain_{next(self._count)}"
        spark.sql(f"CREATE DATABASE {database}")
        use_database(spark, database)
        folder = Path(self.process.folder, database)
        spark.sql(create_statement(TARGET, case.table, folder))
        for statement in case.table.setup:
            spark.sql(statement)
        ended = set()
        for step in case.schedule:
            lane = self._lanes[step.transaction]
            if step.action == "begin":
                lane.start(spark, (case.transactions[step.transaction],))
                if not isinstance(lane.wait(STEP_SECONDS), Held):
                    ended.add(step.transaction)
            elif step.transaction not in ended:
                lane.release()
                lane.wait(STEP_SECONDS)
        rows = spark.sql(f"SELECT * FROM {TARGET}").collect()
        spark.sql(f"DROP DATABASE {database} CASCADE")
        return list(rows)


def fresh(cases: Sequence[Scenario]) -> list[Scenario]:
    """The same scenarios, each with a table of its own."""
    return [
        Scenario(
            case.name,
            TableSpec(
                case.table.columns,
                case.table.partition_by,
                setup=(f"INSERT INTO t VALUES (1, 1, {n}), (2, 2, 20)", case.table.setup[1]),
            ),
            case.transactions,
            case.schedule,
        )
        for n, case in enumerate(cases)
    ]


def replays_on(engine: Engine) -> Callable[[Scenario], object]:
    """A replay with everything that conformance looks at."""
    return lambda case: observe(engine, case, "Serializable")


def main(replays: int) -> None:
    """Measure both ways in one run and print the rates."""
    warm_up, cases = scenarios(1)[:WARM_UP], scenarios(2)[:replays]
    plain_way = PlainWay()
    rate(plain_way.replay, warm_up[: WARM_UP // 2], 1)
    plain = rate(plain_way.replay, cases, 1)
    plain_way.process.close()
    print(f"{'plain way':32}{plain:8.2f} a second")
    engine = SparkEngine()
    shared, engine.shared_runs = engine.shared_runs, None
    rate(replays_on(engine), warm_up, WORKERS)
    for name, runs, chosen in (
        ("every transaction run", None, cases),
        ("a new table each", None, fresh(cases)),
        ("commits laid in, first time", shared, cases),
        ("commits laid in, all made", shared, cases),
    ):
        engine.shared_runs = runs
        fast = rate(replays_on(engine), chosen, WORKERS)
        print(f"{name:32}{fast:8.2f} a second{fast / plain:8.1f} times the plain way")
    engine.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
