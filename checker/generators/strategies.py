"""Hypothesis strategies for tables, statements, schedules and whole scenarios.

They drive ``checker.generators.scenarios``: each choice is a draw whose first option is the
simplest. So everything shrinks towards few transactions, short statements, one row with the values
1, int columns, no partitions, and a serial schedule. All SQL is valid and stays within what the
model knows.

    from hypothesis import given
    from checker.generators.strategies import scenarios

    @given(scenarios(levels=["Serializable"]))
    def test_serializable_holds(scenario): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

from checker.generators import scenarios as grammar
from checker.generators.scenarios import KINDS, NAMES
from checker.generators.tables import Pick, readable
from model.scenario import Scenario, Step, TableSpec
from model.sql.printer import printed

T = TypeVar("T")


def _pick(draw: st.DrawFn) -> Pick:
    def pick(options: Sequence[T], /) -> T:
        return draw(st.sampled_from(options))

    return pick


@st.composite
def tables(draw: st.DrawFn, level: str | None = None) -> TableSpec:
    """Tables of three to five columns of every type, some of them computed, with rows.

    Some have a constraint, deletion vectors, clustering, or columns that the set-up changes.

    ``level`` is the isolation level that the table declares. Shrinks towards an unpartitioned
    table of three int columns and one row.
    """
    return grammar.table(_pick(draw), level)


@st.composite
def predicates(draw: st.DrawFn, table: TableSpec) -> str:
    """Conditions over a table's columns: comparisons, NULLs, IN, BETWEEN, arithmetic, AND, OR, NOT.

    Shrinks towards ``k = 1``.
    """
    return printed(grammar.predicate(_pick(draw), readable(table)))


@st.composite
def statements(
    draw: st.DrawFn, table: TableSpec, kind: str | None = None, source: str | None = None
) -> str:
    """Statements over a table that is called ``t``, of one kind or of any.

    ``source`` is the name of another table with the same columns that INSERT SELECT may read.
    Shrinks towards ``OPTIMIZE t``, and within another kind towards constants 1 and no WHERE.
    Raises ``ValueError`` for a kind that is not one of
    ``checker.generators.scenarios.kinds(table)``.
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(f"unknown kind of statement: {kind} (known: {', '.join(KINDS)})")
    return grammar.statement(_pick(draw), table, kind, source).sql()


@st.composite
def schedules(draw: st.DrawFn, names: Sequence[str]) -> tuple[Step, ...]:
    """Schedules of the named transactions. Shrinks towards one after the other."""
    return grammar.schedule(_pick(draw), names)


@st.composite
def scenarios(
    draw: st.DrawFn,
    levels: Sequence[str | None] = (None,),
    min_transactions: int = 2,
    max_transactions: int = 3,
) -> Scenario:
    """Whole scenarios, ready to run.

    The table declares one of ``levels`` (None: the profile's default). Shrinks towards the first
    level, ``min_transactions`` appends of one row, and a serial schedule. Raises ``ValueError``
    for fewer than one or more transactions than there are names.
    """
    if not 1 <= min_transactions <= max_transactions <= len(NAMES):
        raise ValueError(f"a scenario has 1 to {len(NAMES)} transactions")
    sizes = range(min_transactions, max_transactions + 1)
    return grammar.scenario(_pick(draw), tuple(levels), sizes)
