"""What a scenario's author expected, held against what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from checker.judging.definition import multiset
from model.history import Row
from model.scenario import Scenario
from model.values.types import sql_row

SHOWN = 4
"""How many rows of each kind a message spells out."""


def failures(
    scenario: Scenario,
    outcomes: Mapping[str, str],
    rows: Iterable[Row] | None,
    verdicts: Mapping[str, str],
    level: str,
) -> tuple[str, ...]:
    """Every way in which a run is not as it should be, one line each.

    ``outcomes`` is by transaction, ``verdicts`` (the conflict reading) by level, ``rows`` the
    final rows or None where nobody knows them. A violation of the table's own ``level`` is a
    failure too, unless the scenario expects it.
    """
    found: list[str] = []
    expect = scenario.expect
    for name, outcome in expect.outcomes.items():
        if outcomes.get(name) != outcome:
            found.append(f"{name}: expected {outcome}, got {outcomes.get(name, 'nothing')}")
    if expect.rows is not None:
        found += _row_failures(expect.rows, rows)
    for name, verdict in expect.levels.items():
        if verdicts.get(name) != verdict:
            found.append(f"{name}: expected {verdict}, got {verdicts.get(name, 'no verdict')}")
    if level not in expect.levels:
        if verdicts.get(level) == "violated":
            found.append(f"{level} is violated, the level of the table itself")
        elif verdicts.get(level) == "unknown":
            found.append(f"{level}, the level of the table itself, could not be decided")
    return tuple(found)


def _row_failures(expected: Iterable[Row], found: Iterable[Row] | None) -> list[str]:
    if found is None:
        return ["rows: the rows at the end are not known"]
    wanted, got = dict(multiset(expected)), dict(multiset(found))
    missing = [row for row, count in wanted.items() for _ in range(count - got.get(row, 0))]
    surplus = [row for row, count in got.items() for _ in range(count - wanted.get(row, 0))]
    texts = [
        f"{what} {_listed(part)}"
        for what, part in (("missing", missing), ("not expected", surplus))
        if part
    ]
    return ["rows: " + "; ".join(texts)] if texts else []


def _listed(rows: list[Row]) -> str:
    shown = sorted(map(sql_row, rows))[:SHOWN]
    more = len(rows) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
