"""N38 to N55, N61, N62: the cells of the conflict matrices."""

from __future__ import annotations

from collections.abc import Iterator

from isodelta.commands.claims.bench import CONFLICT, NO_CONFLICT, VECTORS, Bench, story
from isodelta.commands.claims.checks.isolation import ENGINE_RULES, LAYOUTS, WS, S
from isodelta.commands.claims.evidence import Evidence, Result, conclude
from isodelta.commands.claims.registry import decides
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
"""Statements for replays: of each class those that touch the same files."""


def _class(kinds: tuple[str, ...]) -> str:
    return "DML" if len(kinds) > 1 else kinds[0]


def _searched(
    bench: Bench, rules: str, layout: str, level: str,
    one: tuple[str, ...], other: tuple[str, ...], can: bool,
) -> Evidence:  # fmt: skip
    """What a search of all pairs of statements says of one cell, in both orders."""
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
    conflicting = [each for each in seen if each.outcomes["current"] in CONFLICT_NAMES]
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
    bench: Bench, one: tuple[str, ...], other: tuple[str, ...], *, serializable: bool,
    write_serializable: bool,
) -> Result:  # fmt: skip
    """One cell of a matrix without row-level concurrency."""
    found = []
    for level, can in ((S, serializable), (WS, write_serializable)):
        found += [_searched(bench, ENGINE_RULES, layout, level, one, other, can)
                  for layout in LAYOUTS]  # fmt: skip
        found += _replayed(bench, level, one, other, can)
    return conclude(found)


@decides("N44", "N50")
def insert_insert(bench: Bench) -> Result:
    """INSERT and INSERT cannot conflict."""
    return _cell(bench, INSERT, INSERT, serializable=False, write_serializable=False)


@decides("N45", "N51")
def dml_insert(bench: Bench) -> Result:
    """DML and INSERT can conflict at Serializable alone."""
    return _cell(bench, DML, INSERT, serializable=True, write_serializable=False)


@decides("N46", "N52")
def dml_dml(bench: Bench) -> Result:
    """DML and DML can conflict."""
    return _cell(bench, DML, DML, serializable=True, write_serializable=True)


@decides("N47", "N53")
def optimize_insert(bench: Bench) -> Result:
    """OPTIMIZE and INSERT cannot conflict."""
    return _cell(bench, OPTIMIZE, INSERT, serializable=False, write_serializable=False)


@decides("N54")
def optimize_dml(bench: Bench) -> Result:
    """OPTIMIZE and DML can conflict."""
    return _cell(bench, OPTIMIZE, DML, serializable=True, write_serializable=True)


@decides("N55")
def optimize_optimize(bench: Bench) -> Result:
    """OPTIMIZE and OPTIMIZE can conflict."""
    return _cell(bench, OPTIMIZE, OPTIMIZE, serializable=True, write_serializable=True)


@decides("N48")
def optimize_dml_vectors(bench: Bench) -> Result:
    """OPTIMIZE and DML: deletion vectors decide."""
    return _with_vectors(bench, DML)


@decides("N49")
def optimize_optimize_vectors(bench: Bench) -> Result:
    """OPTIMIZE and OPTIMIZE: deletion vectors decide."""
    return _with_vectors(bench, OPTIMIZE)


def _with_vectors(bench: Bench, other: tuple[str, ...]) -> Result:
    found = []
    for level in (S, WS):
        for layout in ("partitioned", "partitioned with deletion vectors"):
            can = layout == "partitioned"
            found.append(_searched(bench, NEWEST, layout, level, OPTIMIZE, other, can))
        found += _replayed(bench, level, OPTIMIZE, other, True)
        found += _replayed(bench, level, OPTIMIZE, other, False, VECTORS)
    return conclude(found)


def _rows(
    bench: Bench, one: tuple[str, ...], other: tuple[str, ...], *, serializable: bool,
    write_serializable: bool,
) -> Result:  # fmt: skip
    """One cell of the matrix with row-level concurrency, under the document's own rules."""
    found = [
        _searched(bench, NEWEST, layout, level, one, other, can)
        for layout in ("deletion vectors", "clustered")
        for level, can in ((S, serializable), (WS, write_serializable))
    ]
    return conclude(found, lacks=ROW_LEVEL)


@decides("N38")
def rows_insert_insert(bench: Bench) -> Result:
    """INSERT and INSERT cannot conflict."""
    return _rows(bench, INSERT, INSERT, serializable=False, write_serializable=False)


@decides("N39")
def rows_dml_insert(bench: Bench) -> Result:
    """DML and INSERT can conflict at Serializable alone; the weakest reading says never."""
    result = _rows(bench, DML, INSERT, serializable=True, write_serializable=False)
    weakest = _searched(bench, f"{NEWEST}:weakest", "deletion vectors", S, DML, INSERT, False)
    return Result(result.status, result.because, (*result.evidence, weakest))


@decides("N40")
def rows_dml_dml(bench: Bench) -> Result:
    """DML and DML can conflict, on the same row: on others they do not."""
    same = pair("DELETE FROM t WHERE k = 1", "UPDATE t SET v = 0 WHERE k = 1", WS, VECTORS)
    others = pair("DELETE FROM t WHERE k = 1", "UPDATE t SET v = 0 WHERE k = 2", WS, VECTORS)
    found = [
        bench.expect(scenario, {"current": wanted}, rules=rules)
        for rules in (NEWEST, f"{NEWEST}:weakest")
        for scenario, wanted in ((same, CONFLICT), (others, "committed"))
    ]
    cell = _rows(bench, DML, DML, serializable=True, write_serializable=True)
    return conclude([*found, *cell.evidence], lacks=ROW_LEVEL)


@decides("N41")
def rows_optimize_insert(bench: Bench) -> Result:
    """OPTIMIZE and INSERT cannot conflict."""
    return _rows(bench, OPTIMIZE, INSERT, serializable=False, write_serializable=False)


@decides("N42")
def rows_optimize_dml(bench: Bench) -> Result:
    """OPTIMIZE and DML cannot conflict."""
    return _rows(bench, OPTIMIZE, DML, serializable=False, write_serializable=False)


@decides("N43")
def rows_optimize_optimize(bench: Bench) -> Result:
    """OPTIMIZE and OPTIMIZE cannot conflict."""
    return _rows(bench, OPTIMIZE, OPTIMIZE, serializable=False, write_serializable=False)


@decides("N61")
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


@decides("N62")
def dates(bench: Bench) -> Result:
    """The documents' example, with and without partitions by date."""
    found = []
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
            found.append(bench.expect(scenario, {last: wanted}))
    return conclude(found)
