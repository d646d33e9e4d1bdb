"""Values that the table computes itself: defaults, generated columns and identity columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from model.expressions.evaluation import evaluator
from model.history import Row, Value
from model.physical.footprint import MetadataChange
from model.tables.table import Table
from model.values import types


def completed(
    table: Table, row: Row, given: frozenset[int], overflow: str = types.INSERT_OVERFLOW
) -> Row:
    """The row with the generated columns that are not among the places ``given``.

    Raises StatementFailure if computing one of them does.
    """
    if not table.generated:
        return row
    full: list[Value] = list(row)
    for place, expression in table.generated:
        if place not in given:
            full[place] = types.store(evaluator(expression)(row), table.types[place], overflow)
    return tuple(full)


def filled(
    table: Table, row: Row, given: frozenset[int], overflow: str = types.INSERT_OVERFLOW
) -> Row:
    """A new row with the defaults and generated columns that are not among the places ``given``.

    Raises StatementFailure if computing one of them does.
    """
    if table.defaults:
        full = list(row)
        for place, value in table.defaults:
            if place not in given:
                full[place] = value
        row = tuple(full)
    return completed(table, row, given, overflow)


@dataclass(frozen=True, slots=True)
class HandedOut:
    """Rows with their identity values, by task, and the table with its new high-water marks."""

    tasks: tuple[tuple[Row, ...], ...]
    table: Table
    metadata: MetadataChange


def hand_out(table: Table, places: tuple[int, ...], tasks: Sequence[Sequence[Row]]) -> HandedOut:
    """Gives each row a value of the identity columns at ``places``.

    Each of n tasks assigns every nth value, starting at its own number
    (GenerateIdentityValues.scala).
    The new high-water marks go into the metadata with the same commit, even if none has moved
    (OptimisticTransaction.scala, ``precommitUpdateSchemaWithIdentityHighWaterMarks``).
    """
    filled = [[list(row) for row in rows] for rows in tasks]
    identities = dict(table.identities)
    for place in places:
        identity = identities[place]
        values: list[int] = []
        for number, rows in enumerate(filled):
            for nth, row in enumerate(rows):
                value = identity.next + identity.step * (number + nth * len(filled))
                row[place] = value
                values.append(value)
        identities[place] = identity.reaching(values)
    after = replace(table, identities=tuple(identities.items()))
    moved = after.identities != table.identities
    change = MetadataChange(identity_only=True, schema_changed=moved)
    return HandedOut(tuple(tuple(map(tuple, rows)) for rows in filled), after, change)
