"""The problems that Isolde was measured on, here: histories that one level admits, another forbids.

Run it with ``python benchmarks/isolde_problems.py [TRANSACTIONS]``. Isolde (Barros, Kang, Cunha,
Pereira: arXiv 2604.00159, 2026) searches key-value histories with Kodkod. Its figures are the means
over three runs in its repository (github.com/manebarros/isolde,
isolde-experiments/data/d8dfd9f4814950.csv: implementation "all", Glucose, five keys, five values,
time-out one hour), on its authors' machine, which the repository does not name; the faster of its
two definitions of the levels counts (axioms of Biswas and Enea, or of Cerone). Ours are the least
processor milliseconds of three runs in one process, encoding included, over histories such as
Isolde's: so many transactions, five keys, no blind writes, any sessions. A smallest history answers
for every larger number of transactions: readers of a key that nobody writes can be added.

The last table is about what no history separates. Isolde goes through all histories of a size; here
a proof holds for any size.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from checker.proofs.lemma import prove
from checker.proofs.theorems.key_value.definitions import THEOREM
from checker.proofs.theorems.key_value.levels import implies
from checker.separation.key_value.pairs import separate
from checker.separation.key_value.smallest import Synthesis, shape
from model.levels import KEY_VALUE_LEVELS, SHORT_WITHOUT_LOG

NAMES = {short: name for name, short in SHORT_WITHOUT_LOG.items()}
SIZES = range(3, 11)
RUNS = 3

# Isolde's milliseconds for 3, 4, ... 10 transactions.
SEPARATED = {
    "RA | CC": (11, 11, 9, 19, 23, 34, 40, 47),
    "CC | PC": (4, 10, 18, 45, 43, 185, 494, 40),
    "PC | SI": (3, 4, 5, 7, 9, 14, 18, 19),
    "SI | SER": (3, 7, 13, 13, 38, 65, 166, 263),
    "SI WS | SER": (10, 29, 36, 28, 95, 126, 101, 325),
}
IMPLIED = {
    "CC | RA": (1, 1, 2, 2, 3, 4, 5, 6),
    "PC | CC": (1, 2, 3, 4, 5, 7, 9, 11),
    "SI | PC": (1, 1, 2, 2, 3, 4, 5, 6),
    "SER | SI": (2, 2, 3, 5, 6, 8, 10, 12),
}
# The two definitions of a level, both ways: the slower way decides. None: out of time or memory.
SAME = {
    "RA": (6, 18, 50, 119, 377, 689, 1_256, 3_865),
    "CC": (10, 241, 7_553, None, None, None, None, None),
    "PC": (18, 313, 5_755, 283_307, None, None, None, None),
    "SI": (84, 1_106, 8_518, 246_739, None, None, None, None),
    "SER": (34, 616, 10_298, 589_669, None, None, None, None),
}


def main(most: int) -> None:
    """Prints a table, and two lines about all pairs at once."""
    sizes = [n for n in SIZES if n <= most]
    _row("milliseconds", *sizes)
    _row("---", *("---" for _ in sizes))
    for problem, published in SEPARATED.items():
        _row(f"{problem}: Isolde", *published[: len(sizes)])
        _row(f"{problem}: here", *(_milliseconds(_search(problem, n)) for n in sizes))
        smallest = _milliseconds(lambda: next(filter(None, (_search(problem, n)() for n in SIZES))))  # noqa: B023
        _row(f"{problem}: here, the smallest", smallest, *("the same" for _ in sizes[1:]))
    for problem, published in IMPLIED.items():
        held, violated = map(NAMES.__getitem__, problem.split(" | "))
        _row(f"{problem}: Isolde, none", *published[: len(sizes)])
        took = _milliseconds(partial(implies.__wrapped__, held, violated, predicates=False))
        _row(f"{problem}: here, a proof", took, *("the same" for _ in sizes[1:]))
    for level, published in SAME.items():
        told = ["gave up" if each is None else each for each in published[: len(sizes)]]
        _row(f"{level} = {level}: Isolde, none", *told)
    took = _milliseconds(partial(prove, THEOREM))
    _row("all five: here, a proof", took, *("the same" for _ in sizes[1:]))
    for predicates in (False, True):
        result = separate(predicates=predicates)
        slowest = max(each.seconds for each in result.separations) * 1000
        what = "with predicate reads" if predicates else "without predicate reads"
        print(
            f"all {len(result.separations)} pairs of ten levels {what}, smallest histories and "
            f"proofs: {result.seconds * 1000:.0f} ms, the slowest pair {slowest:.0f} ms"
        )


def _row(*cells: object) -> None:
    print("|", " | ".join(str(each).replace(" | ", ", not ") for each in cells), "|", flush=True)


def _search(problem: str, transactions: int) -> Callable[[], object]:
    held, violated = problem.split(" | ")
    levels = [KEY_VALUE_LEVELS[NAMES[name]] for name in held.split()]
    forbidden = KEY_VALUE_LEVELS[NAMES[violated]]
    size = shape(transactions, 5, [*levels, forbidden], blind_writes=False)
    return lambda: Synthesis(size, levels, forbidden).find()


def _milliseconds(run: Callable[[], object]) -> str:
    return f"{_least(run):.0f}"


def _least(run: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        started = time.process_time()
        run()
        times.append((time.process_time() - started) * 1000)
    return min(times)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else max(SIZES))
