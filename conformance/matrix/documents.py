"""The documents' conflict tables: the pairs of writes that can conflict, at each level.

The documents group statements into classes and give one cell for each unordered pair of
classes. They do not say which of the two transactions fails. There is one table for each
generation of the documents, or two, with and without row-level concurrency, for generations
that have it; the effect of metadata changes is taken from the descriptions of the exceptions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE

CAN, CANNOT, NOT_SAID = "can", "cannot", "not said"

DML = "UPDATE, DELETE, MERGE"
METADATA = "metadata change"

CLASSES: Mapping[str, str] = {
    "INSERT": "INSERT",
    "INSERT SELECT": DML,
    "UPDATE": DML,
    "DELETE": DML,
    "MERGE": DML,
    "OPTIMIZE": "OPTIMIZE",
    "OPTIMIZE ZORDER": "OPTIMIZE",
    "REORG": "OPTIMIZE",
    "ALTER TABLE": METADATA,
    "REPLACE TABLE": METADATA,
}
"""The class of a statement kind; none for a kind that the documents' tables leave out.

An INSERT that reads its own table counts as MERGE (N57), a REORG that rewrites deletion vectors
as OPTIMIZE (N59).
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: the answer of a generation for an unordered pair of classes at each level.

    ``with_vectors`` is its answer if the table has deletion vectors, ``zorder`` if one of the
    two is OPTIMIZE with ZORDER BY; None if that makes no difference.
    """

    classes: tuple[str, str]
    says: Mapping[str, str]
    claims: tuple[str, ...]
    with_vectors: Mapping[str, str] | None = None
    zorder: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """The conflict table of one generation of the documents.

    ``row_level`` is True for the table about row-level concurrency.
    """

    name: str
    source: str
    row_level: bool
    cells: tuple[Cell, ...]

    def cell(self, current: str, winner: str) -> Cell | None:
        """The cell for two statement kinds, None if the generation has none."""
        failing, winning = CLASSES.get(current), CLASSES.get(winner)
        if failing is None or winning is None:
            return None
        if failing == METADATA and winning != METADATA:
            return None  # The documents describe only the effect of a metadata change on others.
        pair = {METADATA, "any"} if winning == METADATA else {failing, winning}
        return next((cell for cell in self.cells if set(cell.classes) == pair), None)

    def says(self, current: str, winner: str, level: str, *, vectors: bool = False) -> str:
        """``can``, ``cannot`` or ``not said`` for one ordered pair of kinds.

        The documents know two levels; for any other, such as delta-rs has, it is ``not said``.
        """
        cell = self.cell(current, winner)
        if cell is None or level not in cell.says:
            return NOT_SAID
        if cell.zorder is not None and "OPTIMIZE ZORDER" in (current, winner):
            return cell.zorder[level]
        if cell.with_vectors is not None and vectors:
            return cell.with_vectors[level]
        return cell.says[level]

    def claims(self, current: str, winner: str) -> tuple[str, ...]:
        """The numbers of the claims behind the cell."""
        cell = self.cell(current, winner)
        return () if cell is None else cell.claims


_BOTH = {SERIALIZABLE: CAN, WRITE_SERIALIZABLE: CAN}
_NEITHER = {SERIALIZABLE: CANNOT, WRITE_SERIALIZABLE: CANNOT}
_SERIALIZABLE = {SERIALIZABLE: CAN, WRITE_SERIALIZABLE: CANNOT}
_ANY_METADATA = Cell((METADATA, "any"), _BOTH, ("N92",))

GENERATIONS = (
    Generation(
        "2020",
        "the document of about 2020 (D)",
        False,
        (
            Cell(("INSERT", "INSERT"), _NEITHER, ("N50",)),
            Cell((DML, "INSERT"), _SERIALIZABLE, ("N51",)),
            Cell((DML, DML), _BOTH, ("N52",)),
            Cell(("OPTIMIZE", "INSERT"), _NEITHER, ("N53",)),
            Cell(("OPTIMIZE", DML), _BOTH, ("N54",)),
            Cell(("OPTIMIZE", "OPTIMIZE"), _BOTH, ("N55",)),
            _ANY_METADATA,
        ),
    ),
    Generation(
        "14.2",
        "the document of Databricks Runtime 14.2 (A), tables without row-level concurrency",
        False,
        (
            Cell(("INSERT", "INSERT"), _NEITHER, ("N44",)),
            Cell((DML, "INSERT"), _SERIALIZABLE, ("N45",)),
            Cell((DML, DML), _BOTH, ("N46",)),
            Cell(("OPTIMIZE", "INSERT"), _NEITHER, ("N47",)),
            Cell(("OPTIMIZE", DML), _BOTH, ("N48", "N71"), with_vectors=_NEITHER),
            Cell(("OPTIMIZE", "OPTIMIZE"), _BOTH, ("N49",), with_vectors=_NEITHER),
            _ANY_METADATA,
        ),
    ),
    Generation(
        "14.2 row-level",
        "the document of Databricks Runtime 14.2 (A), tables with row-level concurrency",
        True,
        (
            Cell(("INSERT", "INSERT"), _NEITHER, ("N38",)),
            Cell((DML, "INSERT"), _SERIALIZABLE, ("N39",)),
            Cell((DML, DML), _BOTH, ("N40", "N66")),
            Cell(("OPTIMIZE", "INSERT"), _NEITHER, ("N41",)),
            Cell(("OPTIMIZE", DML), _NEITHER, ("N42", "N73"), zorder=_BOTH),
            Cell(("OPTIMIZE", "OPTIMIZE"), _NEITHER, ("N43", "N73"), zorder=_BOTH),
            _ANY_METADATA,
        ),
    ),
    Generation(
        "14.3",
        "the document of Databricks Runtime 14.3 (B); its tables are lost, its text is not",
        False,
        (Cell((METADATA, "any"), _BOTH, ("N97", "N98")),),
    ),
    Generation(
        "2026",
        "the newest document, tables without row-level concurrency",
        False,
        (
            Cell(("INSERT", "INSERT"), _NEITHER, ()),
            Cell((DML, "INSERT"), _SERIALIZABLE, ()),
            Cell((DML, DML), _BOTH, ()),
            Cell(("OPTIMIZE", "INSERT"), _NEITHER, ()),
            Cell(("OPTIMIZE", DML), _BOTH, (), with_vectors=_NEITHER, zorder=_BOTH),
            Cell(("OPTIMIZE", "OPTIMIZE"), _BOTH, (), with_vectors=_NEITHER, zorder=_BOTH),
            _ANY_METADATA,
        ),
    ),
    Generation(
        "2026 row-level",
        "the newest document, tables with row-level concurrency",
        True,
        (
            Cell(("INSERT", "INSERT"), _NEITHER, ()),
            Cell((DML, "INSERT"), _SERIALIZABLE, ()),
            Cell((DML, DML), _BOTH, ()),
            Cell(("OPTIMIZE", "INSERT"), _NEITHER, ()),
            Cell(("OPTIMIZE", DML), _NEITHER, (), zorder=_BOTH),
            Cell(("OPTIMIZE", "OPTIMIZE"), _NEITHER, (), zorder=_BOTH),
            _ANY_METADATA,
        ),
    ),
    Generation(
        "open source",
        "the documents of the open-source project, which name no levels",
        False,
        (
            Cell(("INSERT", "INSERT"), _NEITHER, ()),
            Cell((DML, "INSERT"), _BOTH, ()),
            Cell((DML, DML), _BOTH, ()),
            Cell(("OPTIMIZE", "INSERT"), _NEITHER, ()),
            Cell(("OPTIMIZE", DML), _BOTH, ()),
            Cell(("OPTIMIZE", "OPTIMIZE"), _BOTH, ()),
            _ANY_METADATA,
        ),
    ),
)
"""Every generation, oldest first."""

NEWEST = next(g for g in GENERATIONS if g.name == "2026")
"""The table shown as "the documents" where there is room for only one: the newest.

It is the one without row-level concurrency, which the engine does not have.
"""


def claims(current: str, winner: str) -> tuple[str, ...]:
    """The claims of all generations without row-level concurrency about a pair of kinds."""
    cited = [c for g in GENERATIONS if not g.row_level for c in g.claims(current, winner)]
    return tuple(dict.fromkeys(cited))
