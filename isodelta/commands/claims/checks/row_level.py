"""Row-level concurrency under the documents' own rules: claims and checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from isodelta.commands.claims.bench import CONFLICT, NO_CONFLICT, VECTORS, Bench, story
from isodelta.commands.claims.checks.matrices import ROW_LEVEL
from isodelta.commands.claims.claim import Claim, Kind, decides
from isodelta.commands.claims.results import Evidence, Result, conclude
from model.levels import WRITE_SERIALIZABLE

DISABLED = {"delta.enableDeletionVectors": "false"}
ONE_FILE = ("INSERT INTO t VALUES (1, 1, 10), (2, 1, 20)",)
TWO_FILES = ("INSERT INTO t VALUES (1, 1, 10)", "INSERT INTO t VALUES (2, 1, 20)")
BOTH = ("", ":weakest")

DELETE_1 = "DELETE FROM t WHERE k = 1"
DELETE_2 = "DELETE FROM t WHERE k = 2"
UPDATE_1 = "UPDATE t SET v = 0 WHERE k = 1"
UPDATE_2 = "UPDATE t SET v = 0 WHERE k = 2"


@dataclass(frozen=True)
class Layout:
    """A table on which two transactions touch different rows of one file."""

    name: str
    properties: Mapping[str, str] = field(default_factory=lambda: VECTORS)
    partition_by: tuple[str, ...] = ()
    cluster_by: tuple[str, ...] = ()
    setup: tuple[str, ...] = ONE_FILE


ON = Layout("deletion vectors, no partitions")
CLUSTERED = Layout("liquid clustering", {}, cluster_by=("k",))
UNVECTORED = Layout("liquid clustering, deletion vectors disabled", DISABLED, cluster_by=("k",))
PARTED = Layout("deletion vectors and partitions", partition_by=("p",))
BARE = Layout("no deletion vectors", {})


def _ends(
    bench: Bench, layout: Layout, rules: str, wanted: str, current: str = DELETE_1,
    winner: str = DELETE_2,
) -> Evidence:  # fmt: skip
    scenario = story(
        f"{current} while {winner} commits ({layout.name})",
        "begin current, winner, commit current",
        {"current": current, "winner": winner},
        setup=layout.setup,
        properties=layout.properties,
        partition_by=layout.partition_by,
        cluster_by=layout.cluster_by,
        level=WRITE_SERIALIZABLE,
    )
    return bench.expect(scenario, {"current": wanted}, rules=rules)


def _modelled(evidence: list[Evidence]) -> Result:
    return conclude(evidence, lacks=ROW_LEVEL)


@decides(
    Claim(
        66,
        "AB",
        "Row-level concurrency resolves writes that update or delete different rows of one file.",
        Kind.MODEL,
    ),
)
def different_rows(bench: Bench) -> Result:
    """Different rows of one file, updated and deleted, in both readings."""
    return _modelled(
        [
            _ends(bench, ON, f"databricks-14.2{reading}", NO_CONFLICT, current, winner)
            for reading in BOTH
            for current, winner in (
                (DELETE_1, DELETE_2),
                (UPDATE_1, UPDATE_2),
                (UPDATE_1, DELETE_2),
            )
        ]
    )


def _layouts(bench: Bench, *expected: tuple[Layout, str]) -> Result:
    return _modelled(
        [
            _ends(bench, layout, f"{name}{reading}", wanted)
            for name in ("databricks-14.2", "databricks-14.3")
            for reading in BOTH
            for layout, wanted in expected
        ]
    )


@decides(
    Claim(
        68,
        "AB",
        "It is on for tables with deletion vectors and without partitions.",
        Kind.MODEL,
    ),
)
def vectors_unpartitioned(bench: Bench) -> Result:
    """On for deletion vectors without partitions."""
    return _layouts(bench, (ON, NO_CONFLICT))


@decides(
    Claim(
        69,
        "AB",
        "It is on for tables with liquid clustering, unless deletion vectors are disabled.",
        Kind.MODEL,
    ),
)
def clustered(bench: Bench) -> Result:
    """On for clustered tables, off where deletion vectors are disabled."""
    return _layouts(bench, (CLUSTERED, NO_CONFLICT), (UNVECTORED, CONFLICT))


@decides(
    Claim(
        70,
        "AB",
        "Tables with partitions, and tables without deletion vectors, do not have it.",
        Kind.MODEL,
    ),
)
def not_elsewhere(bench: Bench) -> Result:
    """Off with partitions, off without deletion vectors."""
    return _layouts(bench, (PARTED, CONFLICT), (BARE, CONFLICT))


@decides(
    Claim(
        71,
        "AB",
        "A partitioned table with deletion vectors still avoids conflicts of OPTIMIZE with all "
        "other writes.",
        Kind.MODEL,
    ),
)
def compaction_of_partitions(bench: Bench) -> Result:
    """A compaction of a partitioned table with deletion vectors, in both places."""
    layout = Layout("deletion vectors and partitions", partition_by=("p",), setup=TWO_FILES)
    return _modelled(
        [
            _ends(bench, layout, f"databricks-14.2{reading}", NO_CONFLICT, current, winner)
            for reading in BOTH
            for current, winner in (
                ("OPTIMIZE t", UPDATE_1), (UPDATE_1, "OPTIMIZE t"), ("OPTIMIZE t", "OPTIMIZE t"),
                ("INSERT INTO t VALUES (9, 1, 9)", "OPTIMIZE t"),
            )
        ]
    )  # fmt: skip


MERGE = (
    "MERGE INTO t USING (SELECT 1 AS k) s ON t.k = s.k AND t.k < 2 "
    "WHEN MATCHED THEN UPDATE SET v = 0"
)


@decides(
    Claim(
        72,
        "AB",
        "MERGE needs Photon for it on Runtime 14.2, and no longer from 14.3 on.",
        Kind.MODEL,
    ),
)
def merge_and_photon(bench: Bench) -> Result:
    """MERGE on 14.2 without Photon (strongest) and with it (weakest), and on 14.3."""
    return _modelled(
        [
            _ends(bench, ON, "databricks-14.2", CONFLICT, MERGE, UPDATE_2),
            _ends(bench, ON, "databricks-14.2:weakest", NO_CONFLICT, MERGE, UPDATE_2),
            _ends(bench, ON, "databricks-14.3", NO_CONFLICT, MERGE, UPDATE_2),
        ]
    )


@decides(
    Claim(
        73,
        "A",
        "OPTIMIZE with ZORDER BY is not resolved by rows.",
        Kind.MODEL,
    ),
)
def zorder(bench: Bench) -> Result:
    """OPTIMIZE with ZORDER BY: by the matrix without row-level concurrency."""
    layout = Layout("deletion vectors, two files", setup=TWO_FILES)
    return _modelled(
        [
            _ends(bench, layout, "databricks-2026", CONFLICT, "OPTIMIZE t ZORDER BY (k)", UPDATE_1),
            _ends(bench, layout, "databricks-2026", NO_CONFLICT, "OPTIMIZE t", UPDATE_1),
        ]
    )


@decides(
    Claim(
        74,
        "AB",
        "Commands with complex conditions are not resolved by rows.",
        Kind.MODEL,
    ),
)
def complex_conditions(bench: Bench) -> Result:
    """The one complex clause that the model has: a subquery in SET, at its strongest."""
    update = "UPDATE t SET v = (SELECT max(v) FROM t WHERE k = 1) WHERE k = 1"
    return _modelled(
        [
            _ends(bench, ON, "databricks-14.2", CONFLICT, update, UPDATE_2),
            _ends(bench, ON, "databricks-14.2", NO_CONFLICT, UPDATE_1, UPDATE_2),
        ]
    )


@decides(
    Claim(
        78,
        "A",
        "MERGE needs an explicit condition on the target, which then serves to find the rows that "
        "may conflict.",
        Kind.MODEL,
    ),
)
def merge_needs_a_condition(bench: Bench) -> Result:
    """A MERGE that leaves all to its join, and one with a condition on the target."""
    join = MERGE.replace(" AND t.k < 2", "")
    return _modelled(
        [
            _ends(bench, ON, "databricks-14.3", CONFLICT, join, UPDATE_2),
            _ends(bench, ON, "databricks-14.3", NO_CONFLICT, MERGE, UPDATE_2),
        ]
    )


@decides(
    Claim(82, "A", "Row-level concurrency always needs deletion vectors.", Kind.MODEL),
)
def always_vectors(bench: Bench) -> Result:
    """The legacy runtimes without deletion vectors."""
    return _modelled(
        [
            _ends(bench, layout, f"databricks-{runtime}{reading}", CONFLICT)
            for runtime in ("13.3", "14.1")
            for reading in BOTH
            for layout in (BARE, UNVECTORED)
        ]
    )


@decides(
    Claim(
        83,
        "A",
        "From Runtime 13.3 on, tables with liquid clustering have it without being asked.",
        Kind.MODEL,
    ),
)
def legacy_clustering(bench: Bench) -> Result:
    """Clustered tables on the legacy runtimes."""
    return _modelled(
        [
            _ends(bench, CLUSTERED, f"databricks-{runtime}{reading}", NO_CONFLICT)
            for runtime in ("13.3", "14.1")
            for reading in BOTH
        ]
    )


@decides(
    Claim(
        84,
        "A",
        "On Runtimes 14.0 and 14.1 a setting of the session switches it on for tables with "
        "deletion vectors.",
        Kind.MODEL,
    ),
)
def preview(bench: Bench) -> Result:
    """Deletion vectors alone: the setting off (strongest) and on (weakest)."""
    return _modelled(
        [
            _ends(bench, ON, "databricks-14.1", CONFLICT),
            _ends(bench, ON, "databricks-14.1:weakest", NO_CONFLICT),
            _ends(bench, ON, "databricks-13.3:weakest", CONFLICT),
        ]
    )


@decides(
    Claim(
        85,
        "A",
        "Up to Runtime 14.1, without Photon, only DELETE has it.",
        Kind.MODEL,
    ),
)
def only_delete(bench: Bench) -> Result:
    """A clustered table, no Photon (strongest): DELETE is resolved, UPDATE is not."""
    return _modelled(
        [
            _ends(bench, CLUSTERED, f"databricks-{runtime}", wanted, current, winner)
            for runtime in ("13.3", "14.1")
            for current, winner, wanted in (
                (DELETE_1, DELETE_2, NO_CONFLICT), (UPDATE_1, UPDATE_2, CONFLICT)
            )
        ]
    )  # fmt: skip
