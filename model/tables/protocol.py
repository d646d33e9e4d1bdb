"""Table features: the requirements of a table's protocol on its readers and writers.

A definition holds the features beyond those that every new table has. A property or a clause
that needs a feature adds it, and the feature stays when the property goes. ``FEATURES`` at the
end are those that a profile may or may not support; some of them are not in any protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from model.errors import StatementFailure
from model.tables.table import INDEXED_COLUMNS, STATISTICS_COLUMNS, Table

DEFAULT_FEATURES = frozenset({"appendOnly", "invariants"})
"""Features of the protocol (1, 2), which new tables start with."""

_BY_WRITER_VERSION: dict[int, frozenset[str]] = {
    3: frozenset({"checkConstraints"}),
    4: frozenset({"changeDataFeed", "generatedColumns"}),
    5: frozenset({"columnMapping"}),
    6: frozenset({"identityColumns"}),
}
"""Features that a legacy writer version has beyond the one before it."""

_FEATURE = "delta.feature."
READER_VERSION, WRITER_VERSION = "delta.minReaderVersion", "delta.minWriterVersion"

KNOWN_FEATURES = frozenset(
    {
        "allowColumnDefaults",
        "appendOnly",
        "changeDataFeed",
        "checkConstraints",
        "checkpointProtection",
        "clustering",
        "columnMapping",
        "deletionVectors",
        "domainMetadata",
        "generatedColumns",
        "icebergCompatV1",
        "icebergCompatV2",
        "identityColumns",
        "inCommitTimestamp",
        "invariants",
        "rowTracking",
        "timestampNtz",
        "typeWidening",
        "v2Checkpoint",
        "vacuumProtocolCheck",
    }
)

_READ = frozenset(
    {"deletionVectors", "timestampNtz", "typeWidening", "v2Checkpoint", "vacuumProtocolCheck"}
)
"""Features that readers must support too: with one of them the reader version is 3."""

_REQUIRED = {
    "clustering": frozenset({"domainMetadata"}),
    "icebergCompatV1": frozenset({"columnMapping"}),
    "icebergCompatV2": frozenset({"columnMapping"}),
    "rowTracking": frozenset({"domainMetadata"}),
}

ENABLING: dict[str, tuple[str, str]] = {
    "appendOnly": ("delta.appendOnly", "true"),
    "changeDataFeed": ("delta.enableChangeDataFeed", "true"),
    "columnMapping": ("delta.columnMapping.mode", "name"),
    "deletionVectors": ("delta.enableDeletionVectors", "true"),
    "icebergCompatV1": ("delta.enableIcebergCompatV1", "true"),
    "icebergCompatV2": ("delta.enableIcebergCompatV2", "true"),
    "inCommitTimestamp": ("delta.enableInCommitTimestamps", "true"),
    "rowTracking": ("delta.enableRowTracking", "true"),
    "typeWidening": ("delta.enableTypeWidening", "true"),
    "v2Checkpoint": ("delta.checkpointPolicy", "v2"),
}
"""Features that a property adds when it has a certain value (Delta's automatic enablement)."""

_BROUGHT = {pair: feature for feature, pair in ENABLING.items()} | {
    ("delta.columnMapping.mode", "id"): "columnMapping"
}

REMOVABLE = frozenset({"checkConstraints", "domainMetadata", "inCommitTimestamp", "rowTracking"})
"""Features that DROP FEATURE removes, and that leave no traces in the history."""

REMOVABLE_FROM_HISTORY = frozenset(
    {
        "checkpointProtection",
        "columnMapping",
        "deletionVectors",
        "typeWidening",
        "v2Checkpoint",
        "vacuumProtocolCheck",
    }
)
"""Features whose traces in the history must be hidden from readers that do not support them."""


def is_protocol_property(key: str) -> bool:
    """Whether a key changes the protocol and is not kept as a property."""
    lowered = key.lower()
    return lowered.startswith(_FEATURE) or lowered in (
        READER_VERSION.lower(),
        WRITER_VERSION.lower(),
    )


def features_of(properties: Mapping[str, str]) -> frozenset[str]:
    """The features, beyond the default ones, that properties request.

    Raises StatementFailure for a feature or a version that Delta does not have.
    """
    requested: set[str] = set()
    for key, value in properties.items():
        if (key, value) in _BROUGHT:
            requested.add(_BROUGHT[key, value])
        elif key.lower().startswith(_FEATURE):
            requested.add(known_feature(key[len(_FEATURE) :]))
            if value.lower() not in ("supported", "enabled"):
                raise StatementFailure("DELTA_UNSUPPORTED_FEATURE_STATUS", f"{key} = {value!r}")
        elif is_protocol_property(key):
            highest = 7 if key.lower() == WRITER_VERSION.lower() else 3
            if not value.isdigit() or not 1 <= int(value) <= highest:
                raise StatementFailure("UNSUPPORTED_TABLE_CHANGE", f"{key} = {value!r}")
            if highest == 3:
                continue
            for version, features in _BY_WRITER_VERSION.items():
                if version <= int(value) < 7:
                    requested |= features
    return with_required(requested)


def check_versions(features: frozenset[str], properties: Mapping[str, str]) -> None:
    """Checks the protocol versions that ``properties`` set on a table with ``features``.

    Raises StatementFailure if the reader version is 3 and the writer version is not 7.
    """
    versions = {key.lower(): value for key, value in properties.items()}
    writer, reader = versions.get(WRITER_VERSION.lower()), versions.get(READER_VERSION.lower())
    if writer is None:
        if reader == "3" and _legacy(features):
            raise StatementFailure(
                "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE", "the writer version is not 7"
            )
        return
    if writer != "7" and (reader == "3" or (reader is None and features & _READ)):
        raise StatementFailure(
            "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE", "reader version 3 needs writer version 7"
        )


def dependents(feature: str, features: Iterable[str]) -> frozenset[str]:
    """The members of ``features`` that depend on a feature."""
    return frozenset(name for name in features if feature in _REQUIRED.get(name, ()))


def _legacy(features: frozenset[str]) -> bool:
    """Whether a protocol with these features has a writer version below 7."""
    cumulative: frozenset[str] = frozenset()
    versions = [cumulative]
    for added in _BY_WRITER_VERSION.values():
        cumulative |= added
        versions.append(cumulative)
    return features in versions


def with_required(features: Iterable[str]) -> frozenset[str]:
    """Features together with those that they depend on, without the default ones."""
    complete = set(features)
    for feature in tuple(complete):
        complete |= _REQUIRED.get(feature, frozenset())
    return frozenset(complete - DEFAULT_FEATURES)


def known_feature(name: str) -> str:
    """A feature's name as Delta spells it. Raises StatementFailure."""
    for feature in KNOWN_FEATURES:
        if feature.lower() == name.lower():
            return feature
    raise StatementFailure(
        "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", f"there is no table feature {name!r}"
    )


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
"""Tests of whether a table uses a feature, by the feature's name."""


def features_in_use(table: Table) -> tuple[str, ...]:
    """The features that a table uses, in the order of ``FEATURES``."""
    return tuple(name for name, uses in FEATURES.items() if uses(table))
