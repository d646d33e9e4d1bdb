"""The speed of the exhaustive search on one core, and what its reductions save.

Run it with ``python benchmarks/search_speed.py [TRANSACTIONS]``. Each layout and table level is
searched in full, every history judged by the graph at all levels. ``run`` counts schedules that
were run to their last step after the reductions, ``represented`` all those that they stand for.
``plainly`` is the same work without the search: each schedule run from its beginning, one after
the other, a sample of them; ``times`` is the search's speed relative to that, in schedules run
and in schedules represented. At the end, the beginning of the same search over the statements of
every kind, MERGE and the like among them.
"""

from __future__ import annotations

import random
import sys
import time

from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.search import alphabet
from checker.search.exhaustive import JUDGED, Search
from checker.search.schedules import interleavings
from checker.search.statement_kinds import statements
from model.levels import DELTA_LEVELS
from model.preparation import prepare
from model.profiles import DEFAULT
from model.scenario import Step
from model.simulator import run

SAMPLE = 60
EVERY_KIND_SECONDS = 20.0


def plainly(layout: str, level: str, transactions: int) -> float:
    """Schedules a second, run and judged one by one; parsing is left out."""
    source = random.Random(1)
    names = ("A", "B", "C", "D")[:transactions]
    steps = [Step(action, name) for name in names for action in ("begin", "commit")]
    schedules = list(interleavings(names))[:90]
    spent, count = 0.0, 0
    for _ in range(SAMPLE):
        chosen = source.choices(alphabet.statements(layout), k=transactions)
        texts = {name: each.sql for name, each in zip(names, chosen, strict=True)}
        scenario = alphabet.scenario(layout, level, texts, steps, "a sample")
        workload = prepare(scenario, DEFAULT)
        started = time.process_time()
        for schedule in schedules:
            found = dependencies(run(workload, schedule, DEFAULT).history)
            for name in JUDGED:
                graph.decide(found, name)
        spent += time.process_time() - started
        count += len(schedules)
    return count / spent


def main(transactions: int) -> None:
    print(f"up to {transactions} transactions, processor time of one core")
    print(f"{'':38} {'run':>9} {'represented':>12} {'s':>6} {'run/s':>8} {'times':>13}")
    whole = 0.0
    for layout in alphabet.LAYOUTS:
        for level in DELTA_LEVELS:
            search = Search(layout)
            started = time.process_time()
            result = search.run(level, transactions)
            spent = time.process_time() - started
            whole += spent
            slow = plainly(layout, level, transactions)
            times = f"{result.runs / spent / slow:.1f} / {result.schedules / spent / slow:.1f}"
            name = f"{layout}, {level} ({result.statements})"
            print(
                f"{name:38} {result.runs:9,} {result.schedules:12,} {spent:6.1f} "
                f"{result.runs / spent:8,.0f} {times:>13}"
            )
            print(f"{'  plainly':38} {'':29} {slow:8,.0f}")
    print(f"all four: {whole:.1f} s")
    for layout in alphabet.LAYOUTS:
        search = Search(layout, DEFAULT, [s for _, s in statements(layout)])
        started = time.process_time()
        result = search.run("WriteSerializable", transactions, budget=EVERY_KIND_SECONDS)
        spent = time.process_time() - started
        name = f"{layout}, every kind ({result.statements})"
        print(
            f"{name:38} {result.runs:9,} {result.schedules:12,} {spent:6.1f} "
            f"{result.runs / spent:8,.0f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
