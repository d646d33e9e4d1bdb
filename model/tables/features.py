"""Table features that a profile may know or not, as predicates of a table's definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from model.tables.table import INDEXED_COLUMNS, STATISTICS_COLUMNS, Table

DELETION_VECTORS = "deletion vectors"
LIQUID_CLUSTERING = "liquid clustering"
IDENTITY_COLUMNS = "identity columns"
GENERATED_COLUMNS = "generated columns"
CHOSEN_STATISTICS = "statistics of chosen columns"
COLUMN_DEFAULTS = "column defaults"

FEATURES: Mapping[str, Callable[[Table], bool]] = {
    DELETION_VECTORS: lambda table: table.deletion_vectors,
    LIQUID_CLUSTERING: lambda table: bool(table.clustering),
    IDENTITY_COLUMNS: lambda table: bool(table.identities),
    GENERATED_COLUMNS: lambda table: bool(table.generated),
    CHOSEN_STATISTICS: lambda table: any(
        table.declared(key) is not None for key in (STATISTICS_COLUMNS, INDEXED_COLUMNS)
    ),
    COLUMN_DEFAULTS: lambda table: bool(table.defaults),
}
"""Whether a table uses a feature, by the feature's name."""


def used(table: Table) -> tuple[str, ...]:
    """The features that a table uses, in the order of ``FEATURES``."""
    return tuple(name for name, uses in FEATURES.items() if uses(table))
