"""Row-level concurrency under the documents' own rules: claims and checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from isodelta.commands.claims.bench import CONFLICT, NO_CONFLICT, VECTORS, Bench, story
from isodelta.commands.claims.checks.matrices import ROW_LEVEL
from isodelta.commands.claims.claim import Check, Claim, Kind, decides
from isodelta.commands.claims.results import Evidence, conclude
from model.levels import WRITE_SERIALIZABLE

DISABLED = {"delta.enableDeletionVectors": "false"}
ONE_FILE = ("INSERT INTO t VALUES (1, 1, 10), (2, 1, 20)",)
TWO_FILES = ("INSERT INTO t VALUES (1, 1, 10)", "INSERT INTO t VALUES (2, 1, 20)")
BOTH = ("", ":weakest")
"""The strongest interpretation of a document's rules and the weakest, as suffixes of profiles."""

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


COMPACTED = Layout("deletion vectors and partitions", partition_by=("p",), setup=TWO_FILES)
SPREAD = Layout("deletion vectors, two files", setup=TWO_FILES)


@dataclass(frozen=True)
class Case:
    """Two statements on one snapshot, the winner first, and how the other one ends.

    ``rules`` names a profile, ``wanted`` is an outcome that ``Bench.expect`` knows.
    """

    layout: Layout
    rules: str
    wanted: str
    current: str = DELETE_1
    winner: str = DELETE_2

    def shown(self, bench: Bench) -> Evidence:
        """Its run in the model, compared with the expected outcome."""
        layout = self.layout
        scenario = story(
            f"{self.current} while {self.winner} commits ({layout.name})",
            "begin current, winner, commit current",
            {"current": self.current, "winner": self.winner},
            setup=layout.setup,
            properties=layout.properties,
            partition_by=layout.partition_by,
            cluster_by=layout.cluster_by,
            level=WRITE_SERIALIZABLE,
        )
        return bench.expect(scenario, {"current": self.wanted}, rules=self.rules)


def _modelled(claim: Claim, cases: Sequence[Case]) -> Check:
    """The check of a claim by cases in the model."""
    return decides(claim)(
        lambda bench: conclude([case.shown(bench) for case in cases], lacks=ROW_LEVEL)
    )


def _layouts(claim: Claim, *expected: tuple[Layout, str]) -> Check:
    """The check of a claim about layouts, by two DELETEs in both interpretations of the rules."""
    return _modelled(
        claim,
        [
            Case(layout, f"{name}{interpretation}", wanted)
            for name in ("databricks-14.2", "databricks-14.3")
            for interpretation in BOTH
            for layout, wanted in expected
        ],
    )


different_rows = _modelled(
    # Different rows of one file, updated and deleted, in both interpretations.
    Claim(
        66,
        "AB",
        "Row-level concurrency resolves writes that update or delete different rows of one file.",
        Kind.MODEL,
    ),
    cases=[
        Case(ON, f"databricks-14.2{interpretation}", NO_CONFLICT, current, winner)
        for interpretation in BOTH
        for current, winner in (
            (DELETE_1, DELETE_2),
            (UPDATE_1, UPDATE_2),
            (UPDATE_1, DELETE_2),
        )
    ],
)


vectors_unpartitioned = _layouts(
    # On for deletion vectors without partitions.
    Claim(
        68,
        "AB",
        "It is on for tables with deletion vectors and without partitions.",
        Kind.MODEL,
    ),
    (ON, NO_CONFLICT),
)


clustered = _layouts(
    # On for clustered tables, off where deletion vectors are disabled.
    Claim(
        69,
        "AB",
        "It is on for tables with liquid clustering, unless deletion vectors are disabled.",
        Kind.MODEL,
    ),
    (CLUSTERED, NO_CONFLICT),
    (UNVECTORED, CONFLICT),
)


not_elsewhere = _layouts(
    # Off with partitions, off without deletion vectors.
    Claim(
        70,
        "AB",
        "Tables with partitions, and tables without deletion vectors, do not have it.",
        Kind.MODEL,
    ),
    (PARTED, CONFLICT),
    (BARE, CONFLICT),
)


compaction_of_partitions = _modelled(
    # A compaction of a partitioned table with deletion vectors, in both places.
    Claim(
        71,
        "AB",
        "A partitioned table with deletion vectors still avoids conflicts of OPTIMIZE with all "
        "other writes.",
        Kind.MODEL,
    ),
    cases=[
        Case(COMPACTED, f"databricks-14.2{interpretation}", NO_CONFLICT, current, winner)
        for interpretation in BOTH
        for current, winner in (
            ("OPTIMIZE t", UPDATE_1),
            (UPDATE_1, "OPTIMIZE t"),
            ("OPTIMIZE t", "OPTIMIZE t"),
            ("INSERT INTO t VALUES (9, 1, 9)", "OPTIMIZE t"),
        )
    ],
)


MERGE = (
    "MERGE INTO t USING (SELECT 1 AS k) s ON t.k = s.k AND t.k < 2 "
    "WHEN MATCHED THEN UPDATE SET v = 0"
)


merge_and_photon = _modelled(
    # MERGE on 14.2 without Photon (strongest) and with it (weakest), and on 14.3.
    Claim(
        72,
        "AB",
        "MERGE needs Photon for it on Runtime 14.2, and no longer from 14.3 on.",
        Kind.MODEL,
    ),
    cases=[
        Case(ON, "databricks-14.2", CONFLICT, MERGE, UPDATE_2),
        Case(ON, "databricks-14.2:weakest", NO_CONFLICT, MERGE, UPDATE_2),
        Case(ON, "databricks-14.3", NO_CONFLICT, MERGE, UPDATE_2),
    ],
)


zorder = _modelled(
    # OPTIMIZE with ZORDER BY: by the matrix without row-level concurrency.
    Claim(
        73,
        "A",
        "OPTIMIZE with ZORDER BY is not resolved by rows.",
        Kind.MODEL,
    ),
    cases=[
        Case(SPREAD, "databricks-2026", CONFLICT, "OPTIMIZE t ZORDER BY (k)", UPDATE_1),
        Case(SPREAD, "databricks-2026", NO_CONFLICT, "OPTIMIZE t", UPDATE_1),
    ],
)


SUBQUERY = "UPDATE t SET v = (SELECT max(v) FROM t WHERE k = 1) WHERE k = 1"
complex_conditions = _modelled(
    # The one complex clause that the model has: a subquery in SET, at its strongest.
    Claim(
        74,
        "AB",
        "Commands with complex conditions are not resolved by rows.",
        Kind.MODEL,
    ),
    cases=[
        Case(ON, "databricks-14.2", CONFLICT, SUBQUERY, UPDATE_2),
        Case(ON, "databricks-14.2", NO_CONFLICT, UPDATE_1, UPDATE_2),
    ],
)


JOIN = MERGE.replace(" AND t.k < 2", "")
merge_needs_a_condition = _modelled(
    # A MERGE that leaves all to its join, and one with a condition on the target.
    Claim(
        78,
        "A",
        "MERGE needs an explicit condition on the target, which then serves to find the rows that "
        "may conflict.",
        Kind.MODEL,
    ),
    cases=[
        Case(ON, "databricks-14.3", CONFLICT, JOIN, UPDATE_2),
        Case(ON, "databricks-14.3", NO_CONFLICT, MERGE, UPDATE_2),
    ],
)


always_vectors = _modelled(
    # The legacy runtimes without deletion vectors.
    Claim(82, "A", "Row-level concurrency always needs deletion vectors.", Kind.MODEL),
    cases=[
        Case(layout, f"databricks-{runtime}{interpretation}", CONFLICT)
        for runtime in ("13.3", "14.1")
        for interpretation in BOTH
        for layout in (BARE, UNVECTORED)
    ],
)


legacy_clustering = _modelled(
    # Clustered tables on the legacy runtimes.
    Claim(
        83,
        "A",
        "From Runtime 13.3 on, tables with liquid clustering have it without being asked.",
        Kind.MODEL,
    ),
    cases=[
        Case(CLUSTERED, f"databricks-{runtime}{interpretation}", NO_CONFLICT)
        for runtime in ("13.3", "14.1")
        for interpretation in BOTH
    ],
)


preview = _modelled(
    # Deletion vectors alone: the setting off (strongest) and on (weakest).
    Claim(
        84,
        "A",
        "On Runtimes 14.0 and 14.1 a setting of the session switches it on for tables with "
        "deletion vectors.",
        Kind.MODEL,
    ),
    cases=[
        Case(ON, "databricks-14.1", CONFLICT),
        Case(ON, "databricks-14.1:weakest", NO_CONFLICT),
        Case(ON, "databricks-13.3:weakest", CONFLICT),
    ],
)


only_delete = _modelled(
    # A clustered table, no Photon (strongest): DELETE is resolved, UPDATE is not.
    Claim(
        85,
        "A",
        "Up to Runtime 14.1, without Photon, only DELETE has it.",
        Kind.MODEL,
    ),
    cases=[
        Case(CLUSTERED, f"databricks-{runtime}", wanted, current, winner)
        for runtime in ("13.3", "14.1")
        for current, winner, wanted in (
            (DELETE_1, DELETE_2, NO_CONFLICT),
            (UPDATE_1, UPDATE_2, CONFLICT),
        )
    ],
)
