"""N66, N68 to N74, N78, N82 to N85: row-level concurrency, under the documents' own rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from isodelta.commands.claims.bench import CONFLICT, NO_CONFLICT, VECTORS, Bench, story
from isodelta.commands.claims.checks.matrices import ROW_LEVEL
from isodelta.commands.claims.evidence import Evidence, Result, conclude
from isodelta.commands.claims.registry import decides
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


def _modelled(found: list[Evidence]) -> Result:
    return conclude(found, lacks=ROW_LEVEL)


@decides("N66")
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


@decides("N68")
def vectors_unpartitioned(bench: Bench) -> Result:
    """On for deletion vectors without partitions."""
    return _layouts(bench, (ON, NO_CONFLICT))


@decides("N69")
def clustered(bench: Bench) -> Result:
    """On for clustered tables, off where deletion vectors are disabled."""
    return _layouts(bench, (CLUSTERED, NO_CONFLICT), (UNVECTORED, CONFLICT))


@decides("N70")
def not_elsewhere(bench: Bench) -> Result:
    """Off with partitions, off without deletion vectors."""
    return _layouts(bench, (PARTED, CONFLICT), (BARE, CONFLICT))


@decides("N71")
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


@decides("N72")
def merge_and_photon(bench: Bench) -> Result:
    """MERGE on 14.2 without Photon (strongest) and with it (weakest), and on 14.3."""
    return _modelled(
        [
            _ends(bench, ON, "databricks-14.2", CONFLICT, MERGE, UPDATE_2),
            _ends(bench, ON, "databricks-14.2:weakest", NO_CONFLICT, MERGE, UPDATE_2),
            _ends(bench, ON, "databricks-14.3", NO_CONFLICT, MERGE, UPDATE_2),
        ]
    )


@decides("N73")
def zorder(bench: Bench) -> Result:
    """OPTIMIZE with ZORDER BY: by the matrix without row-level concurrency."""
    layout = Layout("deletion vectors, two files", setup=TWO_FILES)
    return _modelled(
        [
            _ends(bench, layout, "databricks-2026", CONFLICT, "OPTIMIZE t ZORDER BY (k)", UPDATE_1),
            _ends(bench, layout, "databricks-2026", NO_CONFLICT, "OPTIMIZE t", UPDATE_1),
        ]
    )


@decides("N74")
def complex_conditions(bench: Bench) -> Result:
    """The one complex clause that the model has: a subquery in SET, at its strongest."""
    update = "UPDATE t SET v = (SELECT max(v) FROM t WHERE k = 1) WHERE k = 1"
    return _modelled(
        [
            _ends(bench, ON, "databricks-14.2", CONFLICT, update, UPDATE_2),
            _ends(bench, ON, "databricks-14.2", NO_CONFLICT, UPDATE_1, UPDATE_2),
        ]
    )


@decides("N78")
def merge_needs_a_condition(bench: Bench) -> Result:
    """A MERGE that leaves all to its join, and one with a condition on the target."""
    join = MERGE.replace(" AND t.k < 2", "")
    return _modelled(
        [
            _ends(bench, ON, "databricks-14.3", CONFLICT, join, UPDATE_2),
            _ends(bench, ON, "databricks-14.3", NO_CONFLICT, MERGE, UPDATE_2),
        ]
    )


@decides("N82")
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


@decides("N83")
def legacy_clustering(bench: Bench) -> Result:
    """Clustered tables on the legacy runtimes."""
    return _modelled(
        [
            _ends(bench, CLUSTERED, f"databricks-{runtime}{reading}", NO_CONFLICT)
            for runtime in ("13.3", "14.1")
            for reading in BOTH
        ]
    )


@decides("N84")
def preview(bench: Bench) -> Result:
    """Deletion vectors alone: the setting off (strongest) and on (weakest)."""
    return _modelled(
        [
            _ends(bench, ON, "databricks-14.1", CONFLICT),
            _ends(bench, ON, "databricks-14.1:weakest", NO_CONFLICT),
            _ends(bench, ON, "databricks-13.3:weakest", CONFLICT),
        ]
    )


@decides("N85")
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
