"""The stage of coverage: what a batch reached, and what there would be to reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checker.search.exhaustive import JUDGED
from checker.search.statement_kinds import KINDS
from model.levels import implies
from model.profiles.base import Profile
from pipeline.lessons.branches import universe
from pipeline.stages.predictions import SEPARATOR, TALLY


def reached(predicted: Any) -> Any:
    """What the predictions of a batch reached: profile, kind, what, count."""
    from pyspark.sql import functions as f

    counted = predicted.where(f.col("number") == TALLY).select(
        "profile", f.explode("reached").alias("key", "times")
    )
    parts = f.split("key", SEPARATOR)
    return (
        counted.groupBy("profile", "key")
        .agg(f.sum("times").alias("count"))
        .select(
            "profile",
            parts.getItem(0).alias("kind"),
            parts.getItem(1).alias("what"),
            "count",
        )
    )


def reachable(profile: Profile) -> Iterator[tuple[str, str]]:
    """Everything that a campaign under a profile could reach, as far as it is listed anywhere.

    Not all of it can be: some pairs never meet on any table, and a rule may stand behind one that
    always speaks first.
    """
    yield from (("rule", rule.name) for rule in profile.rules)
    yield from (("conflict", name) for name in dict.fromkeys(r.conflict for r in profile.rules))
    kinds = [kind.name for kind in KINDS]
    yield from (("pair", f"{mine} after {theirs}") for mine in kinds for theirs in kinds)
    yield from (
        ("told apart", f"{weaker} without {stronger}")
        for weaker in JUDGED
        for stronger in JUDGED
        if weaker != stronger and not implies(weaker, stronger)
    )
    yield from (("branch", name) for name in universe(profile.rules))


LEAST = {"rule": 0.5, "pair": 0.1}
"""The shares of the rules and of the pairs of statements that a campaign has to reach."""

POSITIONS = 20
"""Positions from which on a campaign that reached less than ``LEAST`` is vacuous."""


def shortfall(counts: dict[tuple[str, str], int], positions: int) -> tuple[str, ...]:
    """In words, what a campaign reached too little of; empty if it was worth its while.

    ``counts`` are by kind and name, 0 for what was never reached.
    """
    if positions < POSITIONS:
        return ()
    lines = []
    for kind, share in LEAST.items():
        of_kind = [count for (k, _), count in counts.items() if k == kind]
        got = sum(count > 0 for count in of_kind)
        if got < share * len(of_kind):
            lines.append(f"{got} of {len(of_kind)} {kind}s reached, at least {share:.0%} expected")
    return tuple(lines)
