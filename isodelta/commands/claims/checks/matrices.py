"""The cells of the conflict matrices: claims and checks."""

from __future__ import annotations

from collections.abc import Iterator

from isodelta.commands.claims.bench import CONFLICT, NO_CONFLICT, VECTORS, Bench, story
from isodelta.commands.claims.checks.isolation import ENGINE_RULES, LAYOUTS, WS, S
from isodelta.commands.claims.claim import Check, Claim, Kind, decides
from isodelta.commands.claims.results import Evidence, Result, conclude
from model.outcomes import CONFLICT_NAMES
from model.scenario import Scenario

INSERT = ("INSERT",)
DML = ("UPDATE", "DELETE", "MERGE", "INSERT SELECT")
OPTIMIZE = ("OPTIMIZE",)
ROW_LEVEL = "row-level concurrency"
NEWEST = "databricks-14.2"

SETUP = ("INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)", "INSERT INTO t VALUES (3, 1, 30)")

PROBES = {
    "INSERT": ("INSERT INTO t VALUES (9, 1, 90)",),
    "DML": (
        "DELETE FROM t WHERE k = 1",
        "UPDATE t SET v = v + 1 WHERE p = 1",
        "MERGE INTO t USING (SELECT 1 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 0",
    ),
    "OPTIMIZE": ("OPTIMIZE t",),
}
"""Statements for replays: for each class, statements that touch the same files."""


def _class(kinds: tuple[str, ...]) -> str:
    return "DML" if len(kinds) > 1 else kinds[0]


def _searched(
    bench: Bench, rules: str, layout: str, level: str,
    one: tuple[str, ...], other: tuple[str, ...], can: bool,
) -> Evidence:  # fmt: skip
    """The result of a search over all pairs of statements for one cell, in both orders."""
    coverage = bench.search(rules, layout, level).coverage
    tried = conflicts = 0
    for current, winner in _orders(one, other):
        tried += sum(n for pair, n in coverage.pairs.items() if pair == (current, winner))
        conflicts += sum(n for key, n in coverage.conflicts.items() if key[1:] == (current, winner))
    text = (
        f"{layout}, {level}: {_class(one)} and {_class(other)} conflicted in {conflicts} of "
        f"{tried} overlaps"
    )
    return Evidence(text, bool(conflicts) == can, f"search, {rules}")


def _orders(one: tuple[str, ...], other: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    yield from dict.fromkeys(pair for a in one for b in other for pair in ((a, b), (b, a)))


def _replayed(
    bench: Bench, level: str, one: tuple[str, ...], other: tuple[str, ...], can: bool,
    properties: dict[str, str] | None = None,
) -> list[Evidence]:  # fmt: skip
    """Replays of a cell's probes in both orders: one conflict for "can", none for "cannot"."""
    seen = []
    for current, winner in _texts(_class(one), _class(other)):
        scenario = pair(current, winner, level, properties)
        seen.append(bench.play(scenario))
    conflicting = [run for run in seen if run.outcomes["current"] in CONFLICT_NAMES]
    shown = (conflicting or seen)[0]
    kind = "tables with deletion vectors" if properties else "tables"
    text = (
        f"{level} {kind}: {len(conflicting)} of {len(seen)} replays of {_class(one)} and "
        f"{_class(other)} end in a conflict"
    )
    return [shown.shows(text, bool(conflicting) == can)]


def _texts(one: str, other: str) -> Iterator[tuple[str, str]]:
    yield from dict.fromkeys(
        order for a in PROBES[one] for b in PROBES[other] for order in ((a, b), (b, a))
    )


def pair(
    current: str, winner: str, level: str, properties: dict[str, str] | None = None
) -> Scenario:
    """Two statements begun on one snapshot; the winner commits first."""
    where = " with deletion vectors" if properties else ""
    return story(
        f"{current} while {winner} commits, at {level}{where}",
        "begin current, begin winner, commit winner, commit current",
        {"current": current, "winner": winner},
        setup=SETUP,
        level=level,
        properties=properties,
    )


def _cell(
    *claims: Claim, one: tuple[str, ...], other: tuple[str, ...], serializable: bool,
    write_serializable: bool,
) -> Check:  # fmt: skip
    """One cell of a matrix without row-level concurrency: whether the two can conflict."""

    def run(bench: Bench) -> Result:
        evidence = []
        for level, can in ((S, serializable), (WS, write_serializable)):
            evidence += [
                _searched(bench, ENGINE_RULES, layout, level, one, other, can) for layout in LAYOUTS
            ]
            evidence += _replayed(bench, level, one, other, can)
        return conclude(evidence)

    return decides(*claims)(run)


def _with_vectors(*claims: Claim, other: tuple[str, ...]) -> Check:
    """OPTIMIZE and another kind: they can conflict only on tables without deletion vectors."""

    def run(bench: Bench) -> Result:
        evidence = []
        for level in (S, WS):
            for layout in ("partitioned", "partitioned with deletion vectors"):
                can = layout == "partitioned"
                evidence.append(_searched(bench, NEWEST, layout, level, OPTIMIZE, other, can))
            evidence += _replayed(bench, level, OPTIMIZE, other, True)
            evidence += _replayed(bench, level, OPTIMIZE, other, False, VECTORS)
        return conclude(evidence)

    return decides(*claims)(run)


def _row_evidence(
    bench: Bench, one: tuple[str, ...], other: tuple[str, ...], *, serializable: bool,
    write_serializable: bool,
) -> list[Evidence]:  # fmt: skip
    return [
        _searched(bench, NEWEST, layout, level, one, other, can)
        for layout in ("deletion vectors", "clustered")
        for level, can in ((S, serializable), (WS, write_serializable))
    ]


def _rows(*claims: Claim, one: tuple[str, ...], other: tuple[str, ...]) -> Check:
    """A cell of the matrix with row-level concurrency that says "cannot" at both levels.

    It is decided under the document's own rules.
    """

    def run(bench: Bench) -> Result:
        evidence = _row_evidence(bench, one, other, serializable=False, write_serializable=False)
        return conclude(evidence, lacks=ROW_LEVEL)

    return decides(*claims)(run)


insert_insert = _cell(
    Claim(
        44, "A", "Without row-level concurrency: INSERT and INSERT cannot conflict.", Kind.SEARCH
    ),
    Claim(50, "D", "Matrix of 2020: INSERT and INSERT cannot conflict.", Kind.SEARCH),
    one=INSERT,
    other=INSERT,
    serializable=False,
    write_serializable=False,
)


dml_insert = _cell(
    Claim(
        45,
        "A",
        "Without row-level concurrency: UPDATE, DELETE, MERGE and INSERT cannot conflict "
        "at WriteSerializable, and can at Serializable.",
        Kind.SEARCH,
    ),
    Claim(
        51,
        "D",
        "Matrix of 2020: UPDATE, DELETE, MERGE and INSERT can conflict at Serializable, "
        "and cannot at WriteSerializable.",
        Kind.SEARCH,
    ),
    one=DML,
    other=INSERT,
    serializable=True,
    write_serializable=False,
)


dml_dml = _cell(
    Claim(
        46,
        "A",
        "Without row-level concurrency: two of UPDATE, DELETE, MERGE can conflict at both levels.",
        Kind.SEARCH,
    ),
    Claim(
        52,
        "D",
        "Matrix of 2020: two of UPDATE, DELETE, MERGE can conflict at both levels.",
        Kind.SEARCH,
    ),
    one=DML,
    other=DML,
    serializable=True,
    write_serializable=True,
)


optimize_insert = _cell(
    Claim(
        47, "A", "Without row-level concurrency: OPTIMIZE and INSERT cannot conflict.", Kind.SEARCH
    ),
    Claim(53, "D", "Matrix of 2020: OPTIMIZE and INSERT cannot conflict.", Kind.SEARCH),
    one=OPTIMIZE,
    other=INSERT,
    serializable=False,
    write_serializable=False,
)


optimize_dml = _cell(
    Claim(
        54,
        "D",
        "Matrix of 2020: OPTIMIZE and UPDATE, DELETE, MERGE can conflict at both levels.",
        Kind.SEARCH,
    ),
    one=OPTIMIZE,
    other=DML,
    serializable=True,
    write_serializable=True,
)


optimize_optimize = _cell(
    Claim(
        55, "D", "Matrix of 2020: OPTIMIZE and OPTIMIZE can conflict at both levels.", Kind.SEARCH
    ),
    one=OPTIMIZE,
    other=OPTIMIZE,
    serializable=True,
    write_serializable=True,
)


optimize_dml_vectors = _with_vectors(
    Claim(
        48,
        "A",
        "Without row-level concurrency: OPTIMIZE and UPDATE, DELETE, MERGE cannot "
        "conflict on tables with deletion vectors, and can on others.",
        Kind.SEARCH,
    ),
    other=DML,
)


optimize_optimize_vectors = _with_vectors(
    Claim(
        49,
        "A",
        "Without row-level concurrency: OPTIMIZE and OPTIMIZE cannot conflict on tables "
        "with deletion vectors, and can on others.",
        Kind.SEARCH,
    ),
    other=OPTIMIZE,
)


rows_insert_insert = _rows(
    Claim(38, "A", "With row-level concurrency: INSERT and INSERT cannot conflict.", Kind.MODEL),
    one=INSERT,
    other=INSERT,
)


@decides(
    Claim(
        39,
        "A",
        "With row-level concurrency: UPDATE, DELETE, MERGE and INSERT cannot conflict at "
        "WriteSerializable, and can at Serializable on the same row.",
        Kind.MODEL,
    ),
)
def rows_dml_insert(bench: Bench) -> Result:
    """DML and INSERT can conflict at Serializable only; never in the weakest reading."""
    evidence = _row_evidence(bench, DML, INSERT, serializable=True, write_serializable=False)
    result = conclude(evidence, lacks=ROW_LEVEL)
    weakest = _searched(bench, f"{NEWEST}:weakest", "deletion vectors", S, DML, INSERT, False)
    return Result(result.status, result.because, (*result.evidence, weakest))


@decides(
    Claim(
        40,
        "A",
        "With row-level concurrency: two of UPDATE, DELETE, MERGE can conflict when they "
        "change the same row.",
        Kind.MODEL,
    ),
)
def rows_dml_dml(bench: Bench) -> Result:
    """DML and DML can conflict, on the same row: on others they do not."""
    same = pair("DELETE FROM t WHERE k = 1", "UPDATE t SET v = 0 WHERE k = 1", WS, VECTORS)
    others = pair("DELETE FROM t WHERE k = 1", "UPDATE t SET v = 0 WHERE k = 2", WS, VECTORS)
    evidence = [
        bench.expect(scenario, {"current": wanted}, rules=rules)
        for rules in (NEWEST, f"{NEWEST}:weakest")
        for scenario, wanted in ((same, CONFLICT), (others, "committed"))
    ]
    evidence += _row_evidence(bench, DML, DML, serializable=True, write_serializable=True)
    return conclude(evidence, lacks=ROW_LEVEL)


rows_optimize_insert = _rows(
    Claim(41, "A", "With row-level concurrency: OPTIMIZE and INSERT cannot conflict.", Kind.MODEL),
    one=OPTIMIZE,
    other=INSERT,
)


rows_optimize_dml = _rows(
    Claim(
        42,
        "A",
        "With row-level concurrency: OPTIMIZE and UPDATE, DELETE, MERGE cannot conflict.",
        Kind.MODEL,
    ),
    one=OPTIMIZE,
    other=DML,
)


rows_optimize_optimize = _rows(
    Claim(
        43, "A", "With row-level concurrency: OPTIMIZE and OPTIMIZE cannot conflict.", Kind.MODEL
    ),
    one=OPTIMIZE,
    other=OPTIMIZE,
)


@decides(
    Claim(
        61,
        "AD",
        "Whether two operations that can conflict do so depends on whether they work on the same "
        "set of files.",
        Kind.REPLAY,
    ),
)
def same_files(bench: Bench) -> Result:
    """Two DELETEs on one file, on two files of one partition, on two partitions."""
    texts = {"A": "DELETE FROM t WHERE k = 1", "B": "DELETE FROM t WHERE k = 2"}
    schedule = "begin A, begin B, commit A, commit B"
    one = story("two DELETEs of rows of one file", schedule, texts)
    two = story(
        "two DELETEs of rows of two files", schedule, texts,
        setup=("INSERT INTO t VALUES (1, 1, 10)", "INSERT INTO t VALUES (2, 2, 20)"),
    )  # fmt: skip
    parted = story(
        "two DELETEs of rows of two partitions", schedule,
        {"A": "DELETE FROM t WHERE p = 1", "B": "DELETE FROM t WHERE p = 2"}, partition_by=("p",),
    )  # fmt: skip
    return conclude(
        [
            bench.expect(one, {"A": "committed", "B": CONFLICT}),
            bench.expect(two, {"A": "committed", "B": NO_CONFLICT}),
            bench.expect(parted, {"A": "committed", "B": NO_CONFLICT}),
        ]
    )


@decides(
    Claim(
        62,
        "AD",
        "An UPDATE of later dates and a DELETE of earlier ones conflict on a table that is not "
        "partitioned by date, and do not on one that is.",
        Kind.REPLAY,
    ),
)
def dates(bench: Bench) -> Result:
    """The documents' example, with and without partitions by date."""
    evidence = []
    for partition_by, wanted in (((), CONFLICT), (("date",), NO_CONFLICT)):
        where = "partitioned by date" if partition_by else "not partitioned"
        for schedule, last in (("begin A, begin B, commit A, commit B", "B"),
                               ("begin A, begin B, commit B, commit A", "A")):  # fmt: skip
            scenario = story(
                f"UPDATE of later dates and DELETE of earlier ones, {where}, {last} last",
                schedule,
                {
                    "A": "UPDATE t SET v = 0 WHERE date > DATE'2010-01-01'",
                    "B": "DELETE FROM t WHERE date < DATE'2010-01-01'",
                },
                columns={"date": "date", "v": "int"},
                setup=("INSERT INTO t VALUES (DATE'2009-01-01', 1), (DATE'2011-01-01', 2)",),
                partition_by=partition_by,
            )
            evidence.append(bench.expect(scenario, {last: wanted}))
    return conclude(evidence)
