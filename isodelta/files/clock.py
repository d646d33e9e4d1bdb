"""The clock of a scenario: what current_timestamp() and the like stand for in each statement.

The functions are replaced by their values, in the model and on an engine, so that both see the same
time. A transaction's clock is the time of its begin.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import TokenType
from sqlglot.errors import SqlglotError

from model.errors import InvalidScenario, did_you_mean
from model.scenario import Scenario, TableSpec
from model.sql.dialect import Delta
from model.values.types import sql_literal

Moment = datetime.datetime

START = Moment(2026, 1, 1)
"""The clock of the set-up, unless the scenario says another one."""

TICK = datetime.timedelta(minutes=1)
"""The time from one begin to the next, unless the scenario gives them."""

_EPOCH = Moment(1970, 1, 1)

_FUNCTIONS: dict[str, Callable[[Moment], str]] = {
    "current_date": lambda moment: sql_literal(moment.date()),
    "curdate": lambda moment: sql_literal(moment.date()),
    "current_timestamp": sql_literal,
    "now": sql_literal,
    "unix_timestamp": lambda moment: f"{int((moment - _EPOCH).total_seconds())}L",
}
_BARE = frozenset({"current_date", "current_timestamp"})
"""Functions that may be called without parentheses."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of the set-up, and the times at which transactions begin, by name.

    A transaction that is left out begins a minute after the one before it.
    """

    start: Moment = START
    begins: Mapping[str, Moment] = field(default_factory=dict)


def clock(given: object, scenario: Scenario) -> Clock:
    """The clock given by the key of a file. Raises InvalidScenario, with the place."""
    if given is None:
        return Clock()
    if not isinstance(given, dict):
        return Clock(_time(given, ("clock",)))
    for name in given:
        if name not in scenario.transactions:
            near = did_you_mean(str(name), scenario.transactions)
            raise InvalidScenario(f"there is no transaction {name!r}{near}", ("clock", name))
    return Clock(begins={name: _time(text, ("clock", name)) for name, text in given.items()})


def _time(text: object, place: tuple[str | int, ...]) -> Moment:
    try:
        if isinstance(text, str):
            return Moment.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        pass
    raise InvalidScenario(f"{text!r} is not a time such as 2026-01-31 12:00:00", place)


def with_clock(scenario: Scenario, time: Clock) -> Scenario:
    """The scenario with the clock's functions replaced by their values in all of its statements."""
    now = time.start
    times: dict[str, Moment] = {}
    for step in scenario.schedule:
        if step.action == "begin":
            now = time.begins.get(step.transaction, now + TICK)
            times[step.transaction] = now
    first = time.start
    specs = (scenario.table, *scenario.tables.values())
    columns = frozenset(name.lower() for spec in specs for name in spec.columns)
    return replace(
        scenario,
        table=_set_up(scenario.table, first, columns),
        tables={name: _set_up(spec, first, columns) for name, spec in scenario.tables.items()},
        transactions={
            name: at_time(sql, times.get(name, first), columns)
            for name, sql in scenario.transactions.items()
        },
    )


def _set_up(spec: TableSpec, moment: Moment, columns: frozenset[str]) -> TableSpec:
    return replace(spec, setup=tuple(at_time(sql, moment, columns) for sql in spec.setup))


def at_time(sql: str, moment: Moment, columns: frozenset[str] = frozenset()) -> str:
    """A statement with the clock's functions replaced by their values at a moment.

    A word that is the name of one of ``columns`` is a function only with parentheses.
    """
    lowered = sql.lower()
    if not any(name in lowered for name in _FUNCTIONS):
        return sql
    try:
        tokens = Delta().tokenize(sql)
    except SqlglotError:
        return sql  # Said of the statement where it is parsed.
    parts, end = [], 0
    for place, token in enumerate(tokens):
        name = token.text.lower()
        if name not in _FUNCTIONS or token.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
            continue
        before = tokens[place - 1].token_type if place else None
        after = [following.token_type for following in tokens[place + 1 : place + 3]]
        called = after == [TokenType.L_PAREN, TokenType.R_PAREN]
        named = before in (TokenType.DOT, TokenType.ALIAS) or after[:1] == [TokenType.DOT]
        bare = name in _BARE - columns and after[:1] != [TokenType.L_PAREN]
        if named or not (called or bare):
            continue
        last = tokens[place + 2] if called else token
        parts += [sql[end : token.start], _FUNCTIONS[name](moment)]
        end = last.end + 1
    return "".join((*parts, sql[end:]))
