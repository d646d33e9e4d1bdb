"""The definitions that statements can lead to, and the columns that they bring, without a run.

Each statement says which definition it leaves (:meth:`Statement.definitions`), so all that a table
can come to be follows from the statements' text, whatever the order in which they are made: each of
them is resolved for every definition that some of the others can leave.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from model.errors import InvalidScenario
from model.sql import Parsed, parse_statement, parsed
from model.statements import Statement
from model.tables.table import Table
from model.values.types import ColumnType

MOST = 100
"""As many definitions are looked at, those of fewer statements first.

There are as many of them as orders of the statements that change the definition.
"""

_Column = tuple[str, ColumnType]


@dataclass(frozen=True, slots=True)
class _Way:
    """A definition, the statements that made it, and the columns that they brought."""

    table: Table
    made: frozenset[int] = frozenset()
    brought: tuple[_Column, ...] = ()


def reachable(
    roots: Sequence[Table], texts: Iterable[str], others: Mapping[str, Table]
) -> tuple[Table, ...]:
    """The definitions that ``roots`` can become, each once, those with fewer changes first.

    Up to the marks of identity columns, and to ``MOST``. ``texts`` are statements, each made once
    at most, over the table and the ``others``.
    """
    ways, _ = _explored([_Way(root) for root in dict.fromkeys(roots)], texts, others)
    return tuple(dict.fromkeys(way.table for way in ways))


def with_places(
    table: Table, setup: Sequence[str], texts: Iterable[str], others: Mapping[str, Table]
) -> Table:
    """The table with a place in every row for each column that statements can bring.

    ``setup`` are statements made in their order, ``texts`` others made after them, each once at
    most. A column that is added, dropped and added again needs two places. Of so many statements
    that not all their orders are looked at, each gets places of its own.
    """
    texts = tuple(texts)
    starts = _after_setup(table, setup, may_restore(texts))
    ways, complete = _explored(starts, texts, others)
    needed = Counter[_Column]()
    for way in ways:
        needed |= Counter(way.brought)
    if not complete:
        needed = Counter[_Column]()
        for start in starts:
            needed |= Counter(start.brought)
        for text in texts:
            alone = Counter[_Column]()
            for way in ways:
                for step in _steps(way, text, others):
                    alone |= Counter(step.brought[len(way.brought) :])
            needed += alone
    return table.reserving(needed.elements())


def may_restore(texts: Iterable[str]) -> bool:
    """Whether one of the statements may put the definition of an earlier version back."""
    return any(read.restores for read in _syntax(texts))


def _after_setup(table: Table, setup: Sequence[str], every: bool) -> list[_Way]:
    """Where the set-up leads; with ``every``, also each definition that it goes through."""
    now = [_Way(table)]
    met = dict.fromkeys(now)
    for text in setup:
        if may_restore((text,)):
            now = list(met)
        else:
            ends = (tuple(_steps(way, text, {})) for way in now)
            now = [steps[-1] if steps else way for way, steps in zip(now, ends, strict=True)]
        met |= dict.fromkeys(now)
    ends_here = [_Way(way.table, frozenset(), way.brought) for way in (met if every else now)]
    return list(dict.fromkeys(ends_here))


def _explored(
    starts: Sequence[_Way], texts: Iterable[str], others: Mapping[str, Table]
) -> tuple[list[_Way], bool]:
    """The ways from ``starts``, those of fewer statements first, and whether they are all."""
    redefining = [read.written.text for read in _syntax(texts) if read.redefines]
    waiting = deque(starts)
    met: dict[_Way, None] = {}
    while waiting and len(met) < MOST:
        way = waiting.popleft()
        if way in met:
            continue
        met[way] = None
        for number, text in enumerate(redefining):
            if number in way.made:
                continue
            for step in _steps(way, text, others):
                if step.table != way.table:
                    waiting.append(_Way(step.table, way.made | {number}, step.brought))
    complete = all(way in met for way in waiting)
    return list(met), complete


def _steps(way: _Way, text: str, others: Mapping[str, Table]) -> Iterator[_Way]:
    """Where a statement leads from a definition, one commit after the other."""
    statement = _resolved(text, way.table, others)
    table, brought = way.table, way.brought
    for after in () if statement is None else statement.definitions():
        width = len(table.names)
        brought = (*brought, *zip(after.names[width:], after.types[width:], strict=True))
        table = after
        yield _Way(table, way.made, brought)


def _resolved(text: str, table: Table, others: Mapping[str, Table]) -> Statement | None:
    try:
        return parse_statement(text, table.name, {**others, table.name: table})
    except InvalidScenario:
        return None  # Said of the statement where it is resolved to be run.


def _syntax(texts: Iterable[str]) -> Iterator[Parsed]:
    """The syntax of the statements that have one."""
    for text in texts:
        try:
            yield parsed(text)
        except InvalidScenario:
            continue  # Said of the statement where it is resolved to be run.
