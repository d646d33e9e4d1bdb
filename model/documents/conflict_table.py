"""The documents' conflict tables: which pairs of writes can conflict, at which level.

The documents group statements into three classes and give one cell for each unordered pair of
classes. They do not say which of the two transactions fails. Cells are for tables without
deletion vectors and without row-level concurrency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from model.rules.base import SERIALIZABLE, WRITE_SERIALIZABLE

CAN, CANNOT = "can", "cannot"

CLASSES: Mapping[str, str] = {
    "INSERT": "INSERT",
    "INSERT SELECT": "UPDATE, DELETE, MERGE",
    "UPDATE": "UPDATE, DELETE, MERGE",
    "DELETE": "UPDATE, DELETE, MERGE",
    "OPTIMIZE": "OPTIMIZE",
}
"""The class of each statement kind; an INSERT that reads its own table counts as MERGE (N57)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what the documents say of an unordered pair of classes at each level."""

    classes: tuple[str, str]
    says: Mapping[str, str]
    claims: tuple[str, ...]


_BOTH = {SERIALIZABLE: CAN, WRITE_SERIALIZABLE: CAN}
_NEITHER = {SERIALIZABLE: CANNOT, WRITE_SERIALIZABLE: CANNOT}
_DML = "UPDATE, DELETE, MERGE"

CELLS = (
    Cell(("INSERT", "INSERT"), _NEITHER, ("N44", "N50")),
    Cell((_DML, "INSERT"), {SERIALIZABLE: CAN, WRITE_SERIALIZABLE: CANNOT}, ("N45", "N51")),
    Cell((_DML, _DML), _BOTH, ("N46", "N52")),
    Cell(("OPTIMIZE", "INSERT"), _NEITHER, ("N47", "N53")),
    Cell(("OPTIMIZE", _DML), _BOTH, ("N48", "N54")),
    Cell(("OPTIMIZE", "OPTIMIZE"), _BOTH, ("N49", "N55")),
)
"""The six cells, as the document without row-level concurrency and the one of 2020 agree."""


def cell(one: str, other: str) -> Cell:
    """The cell for two statement kinds, in either order. Raises KeyError for unknown kinds."""
    wanted = {CLASSES[one], CLASSES[other]}
    return next(cell for cell in CELLS if set(cell.classes) == wanted)
