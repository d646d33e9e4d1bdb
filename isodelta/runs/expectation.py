"""The comparison of a scenario's result with its author's expectations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from checker.judging.definition import multiset
from model.history import Row
from model.scenario import Scenario
from model.values.types import sql_row

SHOWN = 4
"""The number of rows of each kind that a message lists."""


def failures(
    scenario: Scenario,
    outcomes: Mapping[str, str],
    rows: Iterable[Row] | None,
    verdicts: Mapping[str, str],
    level: str,
) -> tuple[str, ...]:
    """The expectations that a run does not meet, one line each.

    ``outcomes`` is by transaction, ``verdicts`` (the conflict reading) by level, ``rows`` the
    final rows, or None if unknown. A violation of the table's own ``level`` is a
    failure too, unless the scenario expects it.
    """
    unmet: list[str] = []
    expect = scenario.expect
    for name, outcome in expect.outcomes.items():
        if outcomes.get(name) != outcome:
            unmet.append(f"{name}: expected {outcome}, got {outcomes.get(name, 'nothing')}")
    if expect.rows is not None:
        unmet += _row_failures(expect.rows, rows)
    for name, verdict in expect.levels.items():
        if verdicts.get(name) != verdict:
            unmet.append(f"{name}: expected {verdict}, got {verdicts.get(name, 'no verdict')}")
    if level not in expect.levels:
        if verdicts.get(level) == "violated":
            unmet.append(f"{level}, the table's own level, is violated")
        elif verdicts.get(level) == "unknown":
            unmet.append(f"{level}, the table's own level, could not be decided")
    return tuple(unmet)


def _row_failures(expected: Iterable[Row], actual: Iterable[Row] | None) -> list[str]:
    if actual is None:
        return ["rows: the final rows are unknown"]
    wanted, got = dict(multiset(expected)), dict(multiset(actual))
    missing = [row for row, count in wanted.items() for _ in range(count - got.get(row, 0))]
    surplus = [row for row, count in got.items() for _ in range(count - wanted.get(row, 0))]
    texts = [
        f"{what} {_listed(part)}"
        for what, part in (("missing", missing), ("unexpected", surplus))
        if part
    ]
    return ["rows: " + "; ".join(texts)] if texts else []


def _listed(rows: list[Row]) -> str:
    shown = sorted(map(sql_row, rows))[:SHOWN]
    more = len(rows) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
