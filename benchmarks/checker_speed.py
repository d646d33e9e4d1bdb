"""Three-transaction histories judged a second by each decider, on one core.

Run it with ``python benchmarks/checker_speed.py [HISTORIES]``. Each history is judged at both
levels of a Delta table. ``fresh`` means transactions that the checker has not met before,
``shared`` those that it has, as in an exhaustive search; ``times`` is the speed relative to the
solver in the same run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import count, islice

from checker.generators import abstract_histories
from checker.judging import definition, graph, solver, verdict
from checker.judging.dependencies import dependencies
from model.history import History
from model.levels import DELTA_LEVELS


def by_graph(history: History) -> None:
    found = dependencies(history)
    for level in DELTA_LEVELS:
        graph.decide(found, level)


def by_graph_with_witness(history: History) -> None:
    found = dependencies(history)
    for level in DELTA_LEVELS:
        decided = graph.decide(found, level)
        _ = decided.cycle or decided.serial_order


def by_solver(history: History) -> None:
    demanded = solver.precedences(history)
    for level in DELTA_LEVELS:
        solver.decide(demanded, history, level)


def by_definition(history: History) -> None:
    for level in DELTA_LEVELS:
        definition.judge_view(history, level)
        definition.judge_final_state(history, level)


def whole_verdict(history: History) -> None:
    verdict.judge(history)


def speed(judge: Callable[[History], None], histories: list[History]) -> float:
    start = time.perf_counter()
    for history in histories:
        judge(history)
    return len(histories) / (time.perf_counter() - start)


def main(wanted: int) -> None:
    made = (abstract_histories.from_seed(seed) for seed in count())
    three = (history for history in made if len(history.transactions) == 3)
    histories = list(islice(three, wanted + 200))
    by_graph(histories[-1])
    by_solver(histories[-1])
    histories = histories[:wanted]
    rates = {
        "graph, fresh": speed(by_graph, histories),
        "graph, shared": speed(by_graph, histories),
        "graph and witness": speed(by_graph_with_witness, histories),
        "definition": speed(by_definition, histories),
        "whole verdict": speed(whole_verdict, histories),
        "solver": speed(by_solver, histories[: max(1, wanted // 10)]),
    }
    for name, rate in rates.items():
        print(f"{name:20} {rate:10,.0f} histories/s {rate / rates['solver']:8.1f} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
