"""Values that a statement does not give: generated columns and identity columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from model import types
from model.evaluation import evaluator
from model.footprint import MetadataChange
from model.history import Row, Value
from model.table import Table


def completed(
    table: Table, row: Row, given: frozenset[int], overflow: str = types.INSERT_OVERFLOW
) -> Row:
    """The row with the generated columns that are not among the places ``given``.

    Raises StatementFailure where computing one does.
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

    Raises StatementFailure where computing one does.
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
    """Rows with their identity values, and what that does to the table's definition."""

    rows: tuple[Row, ...]
    table: Table
    metadata: MetadataChange


def hand_out(table: Table, places: tuple[int, ...], rows: Iterable[Row]) -> HandedOut:
    """Gives each row the next value of the identity columns at ``places``.

    The new high-water marks go into the metadata with the same commit, even where none has moved
    (OptimisticTransaction.scala, ``precommitUpdateSchemaWithIdentityHighWaterMarks``).
    """
    filled = [list(row) for row in rows]
    identities = dict(table.identities)
    for place in places:
        identity = identities[place]
        for row in filled:
            row[place] = identity.next
            identity = replace(identity, high_water=identity.next)
        identities[place] = identity
    after = replace(table, identities=tuple(identities.items()))
    moved = after.identities != table.identities
    change = MetadataChange(identity_only=True, schema_changed=moved)
    return HandedOut(tuple(map(tuple, filled)), after, change)
