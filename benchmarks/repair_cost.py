"""The cost of the repair of WriteSerializable: aborts, beside those of both levels.

Run it with ``python benchmarks/repair_cost.py [SCENARIOS] [SEED]``. The same random scenarios are
run in the model at WriteSerializable, at WriteSerializable with the rule "read through append",
and at Serializable. ``more`` counts transactions that are refused there and not at
WriteSerializable, ``fewer`` the other way round: one that another one's abort saved, and, at
Serializable, statements without effect, which write no version there. ``broken`` counts
histories that WriteSerializable forbids: whoever mends the level has to abort at least one
transaction in each of them. Scenarios with a subquery in SET are left out: their reads are not
noted, which no rule can mend.
"""

from __future__ import annotations

import sys

from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.search.random_search import random_scenarios
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.preparation import run_scenario
from model.profiles import DEFAULT, profile
from model.profiles.base import Profile
from model.scenario import Scenario

SIZES = (3, 4, 5)


def refused_and_broken(scenario: Scenario, rules: Profile, level: str) -> tuple[set[str], bool]:
    """Which transactions the rules refused, and whether the rest breaks WriteSerializable."""
    ran = run_scenario(scenario, rules, level)
    refused = {name for name, each in ran.ended.items() if each.conflict is not None}
    return refused, bool(graph.decide(dependencies(ran.history), WRITE_SERIALIZABLE).cycle)


def main(count: int, seed: int) -> None:
    """Prints a line for each set of rules."""
    ways = (
        ("WriteSerializable", DEFAULT, WRITE_SERIALIZABLE),
        ("repaired", profile("delta-spark-4.4-repaired"), WRITE_SERIALIZABLE),
        ("Serializable", DEFAULT, SERIALIZABLE),
    )
    names = [name for name, *_ in ways]
    aborts, broken = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    more, fewer = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    taken = transactions = 0
    for scenario in random_scenarios(seed, (None,), SIZES):
        if taken == count:
            break
        if any("(SELECT" in sql for sql in scenario.transactions.values()):
            continue
        taken += 1
        transactions += len(scenario.transactions)
        own: set[str] = set()
        for place, (name, rules, level) in enumerate(ways):
            refused, breaks = refused_and_broken(scenario, rules, level)
            own = refused if place == 0 else own
            aborts[name] += len(refused)
            more[name] += len(refused - own)
            fewer[name] += len(own - refused)
            broken[name] += breaks
    print(f"{taken} random scenarios, {transactions} transactions, seed {seed}")
    for name in names:
        print(
            f"{name:18} aborts {aborts[name]:6} ({aborts[name] / transactions:6.2%})  "
            f"more {more[name]:5}  fewer {fewer[name]:5}  broken {broken[name]:4}"
        )


if __name__ == "__main__":
    asked = [int(argument) for argument in sys.argv[1:]]
    main(*(*asked, *(2000, 0)[len(asked) :]))
