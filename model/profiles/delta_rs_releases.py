"""Profiles of earlier releases of delta-rs, each as its difference from the next one.

What differs was seen in replays of the conflict table and of the findings on every release
(``isodelta releases``, ``docs/releases.md``); the number is the last release that has the rules.
"""

from __future__ import annotations

from dataclasses import replace

from model.expressions.syntax import TRUE
from model.physical.footprint import Footprint, ReadPredicate
from model.physical.log import Snapshot
from model.profiles import delta_rs_1_6
from model.profiles.base import Profile
from model.profiles.delta_rs_noted import noted as noted_by_1_6
from model.rules import delta_spark
from model.rules.base import Rule
from model.statements import Delete, Overwrite, Statement, Truncate


def _with_rules(profile: Profile, name: str, *changed: Rule) -> Profile:
    by_name = {rule.name: rule for rule in changed}
    rules = tuple(by_name.get(rule.name, rule) for rule in profile.rules)
    return replace(profile, name=name, source=_SOURCE, rules=rules)


_SOURCE = "as measured on releases of deltalake"

UP_TO_1_5 = _with_rules(delta_rs_1_6.PROFILE, "delta-rs-1.5", delta_spark.DELETE_DELETE)
"""Up to 1.5 both removing one file is a conflict, whether the winner changed data or not.

So two compactions do not duplicate rows, and no deletion is lost to a compaction.
"""


def _noted_by_1_3(statement: Statement, snapshot: Snapshot, footprint: Footprint) -> Footprint:
    """A DELETE or overwrite of everything has the predicate TRUE: it notices what is added."""
    mine = noted_by_1_6(statement, snapshot, footprint)
    match statement.inner:
        case Delete(condition=condition) | Overwrite(replaced=condition) if condition == TRUE:
            return replace(mine, read_predicates=(ReadPredicate(),))
        case Truncate():
            return replace(mine, read_predicates=(ReadPredicate(),))
    return mine


UP_TO_1_3 = replace(UP_TO_1_5, name="delta-rs-1.3", noted=_noted_by_1_3)
"""Up to 1.3 a DELETE without a condition conflicts with an insert that it did not see."""

ONLY_1_2 = _with_rules(UP_TO_1_3, "delta-rs-1.2", delta_spark.DELETE_READ)
"""In 1.2 an append conflicts with a compaction: the files of its snapshot count as read."""


def _noted_by_1_1(statement: Statement, snapshot: Snapshot, footprint: Footprint) -> Footprint:
    """A commit without a predicate has read nothing, appends that compute their rows included."""
    mine = _noted_by_1_3(statement, snapshot, footprint)
    if mine.read_predicates or mine.read_whole_table:
        return mine
    return replace(mine, read_files=())


UP_TO_1_1 = replace(ONLY_1_2, name="delta-rs-1.1", noted=_noted_by_1_1)
"""Up to 1.1 an append never conflicts, whatever its rows were computed from."""


PROFILES = (UP_TO_1_5, UP_TO_1_3, ONLY_1_2, UP_TO_1_1)

BY_RELEASE = {
    "0.22": UP_TO_1_1,
    "0.25": UP_TO_1_1,
    "1.0": UP_TO_1_1,
    "1.1": UP_TO_1_1,
    "1.2": ONLY_1_2,
    "1.3": UP_TO_1_3,
    "1.4": UP_TO_1_5,
    "1.5": UP_TO_1_5,
}
"""The profile of each release, by its first two numbers; later ones have delta-rs-1.6.

0.22 differs in one thing that is not modelled: there a MERGE by keys has a predicate made of the
keys in its source, so it passes over an append of other keys.
"""
