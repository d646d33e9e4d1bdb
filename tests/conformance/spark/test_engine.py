"""Delta on Spark, driven step by step: outcomes, log, rows, footprints, and what may go wrong."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

import pytest

from conformance.engine import (
    BadStatement,
    Begun,
    CommitRecord,
    Committed,
    EngineError,
    Footprint,
    ReadPredicate,
)
from conformance.spark.engine import SparkEngine
from conformance.spark.footprints import observe_footprint
from conformance.spark.places import Place
from model.scenario import Scenario, Step, TableSpec
from tests.nightly import NIGHTLY

pytestmark = pytest.mark.spark

LEVELS = ("Serializable", "WriteSerializable")
TWO_ROWS = ("INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)",)
TWO_FILES = ("INSERT INTO t VALUES (1, 1, 10)", "INSERT INTO t VALUES (2, 2, 20)")


@pytest.fixture(scope="module")
def engine(spark_engine: SparkEngine) -> SparkEngine:
    """The engine that all tests share: a process runs one Spark session."""
    return spark_engine


def scenario(
    schedule: str,
    setup: tuple[str, ...] = TWO_ROWS,
    partition_by: tuple[str, ...] = ("p",),
    tables: dict[str, TableSpec] | None = None,
    **transactions: str,
) -> Scenario:
    """``schedule`` is short: ``a`` begins A, ``A`` commits it."""
    steps = [
        Step("begin" if letter.islower() else "commit", letter.upper())
        for letter in schedule.replace(" ", "")
    ]
    table = TableSpec({"k": "int", "p": "int", "v": "int"}, partition_by, setup=setup)
    return Scenario(schedule, table, transactions, tuple(steps), tables or {})


def run(
    engine: SparkEngine, case: Scenario, level: str = "Serializable"
) -> tuple[dict[str, Committed], tuple[CommitRecord, ...], list[tuple[object, ...]]]:
    replay = engine.open(case, level)
    try:
        ended = {}
        for step in case.schedule:
            if step.action == "begin":
                replay.begin(step.transaction)
            else:
                ended[step.transaction] = replay.commit(step.transaction)
        return ended, tuple(replay.log()), sorted(replay.rows(), key=repr)
    finally:
        replay.close()


def outcomes(ended: dict[str, Committed]) -> dict[str, str]:
    return {name: end.outcome for name, end in ended.items()}


def test_a_late_insert_stops_a_delete_at_serializable_only(engine: SparkEngine) -> None:
    case = scenario("a b B A", A="DELETE FROM t WHERE p = 1", B="INSERT INTO t VALUES (7, 1, 0)")
    ended, log, rows = run(engine, case, "Serializable")
    assert outcomes(ended) == {"A": "ConcurrentAppend", "B": "committed"}
    assert ended["A"].conflict_with_version == 2
    assert ended["A"].error_class == "DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT"
    assert rows == [(1, 1, 10), (2, 2, 20), (7, 1, 0)]
    assert [r.operation for r in log] == ["CREATE TABLE", "WRITE", "WRITE"]

    ended, log, rows = run(engine, case, "WriteSerializable")
    assert outcomes(ended) == {"A": "committed", "B": "committed"}
    assert (ended["B"].commit_version, ended["A"].commit_version) == (2, 3)
    assert rows == [(2, 2, 20), (7, 1, 0)]
    assert [(r.isolation_level, r.is_blind_append, r.read_version) for r in log[2:]] == [
        ("WriteSerializable", True, 1),
        ("WriteSerializable", False, 1),
    ]


@pytest.mark.parametrize("level", LEVELS)
def test_write_skew_through_a_subquery_in_set(engine: SparkEngine, level: str) -> None:
    case = scenario(
        "a b B A",
        TWO_FILES,
        A="UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 2) WHERE p = 1",
        B="UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 1) WHERE p = 2",
    )
    ended, _, rows = run(engine, case, level)
    assert outcomes(ended) == {"A": "committed", "B": "committed"}
    assert rows == [(1, 1, 20), (2, 2, 10)]


def test_the_level_decides_whether_an_empty_commit_is_recorded(engine: SparkEngine) -> None:
    case = scenario("a A", A="DELETE FROM t WHERE k = 99")
    ended, log, _ = run(engine, case, "Serializable")
    assert (outcomes(ended), len(log)) == ({"A": "no commit"}, 2)
    ended, log, _ = run(engine, case, "WriteSerializable")
    assert (outcomes(ended), len(log)) == ({"A": "committed"}, 3)
    assert (log[2].operation, log[2].adds, log[2].removes) == ("DELETE", (), ())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM t",
        "SELECT x.k + y.k FROM t x JOIN t y ON x.p = y.p WHERE x.k = 2",
        "SELECT count(*) + (SELECT sum(k) FROM t) - 1 - (SELECT max(p) FROM t) + 0 FROM t",
    ],
)
def test_a_query_sees_the_version_of_its_begin(engine: SparkEngine, query: str) -> None:
    case = scenario(
        "r b B c C R", R=query, B="INSERT INTO t VALUES (7, 2, 0)", C="DELETE FROM t WHERE k = 2"
    )
    ended, _, _ = run(engine, case)
    assert ended["R"].rows in {((2,),), ((4,),)}
    alone, _, _ = run(engine, scenario("r R", R=query))
    assert ended["R"].rows == alone["R"].rows


def test_a_statement_that_fails_by_itself(engine: SparkEngine) -> None:
    case = scenario(
        "a b A B", A="DELETE FROM t WHERE k / 0 = 1", B="INSERT INTO t SELECT k + 1, p, v FROM t"
    )
    ended, _, _ = run(engine, case)
    assert outcomes(ended) == {"A": "failed", "B": "committed"}
    assert ended["A"].error_class == "DIVIDE_BY_ZERO"
    overflow = scenario("a A", A="INSERT INTO t SELECT k + 2147483647, p, v FROM t")
    assert run(engine, overflow)[0]["A"].error_class == "ARITHMETIC_OVERFLOW"


def test_optimize_with_nothing_to_do_ends_at_its_begin(engine: SparkEngine) -> None:
    replay = engine.open(scenario("a A", A="OPTIMIZE t"))
    assert replay.begin("A") == Begun(1, finished=True)
    assert replay.commit("A") == Committed("no commit")
    replay.close()


def test_set_holds_for_its_own_statement_only(engine: SparkEngine) -> None:
    overwrite = "INSERT OVERWRITE t VALUES (9, 1, 9)"
    case = scenario(
        "a A b B",
        A=f"SET spark.sql.sources.partitionOverwriteMode = dynamic; {overwrite}",
        B=overwrite,
    )
    replay = engine.open(case)
    replay.begin("A")
    replay.commit("A")
    assert sorted(replay.rows()) == [(2, 2, 20), (9, 1, 9)]
    replay.begin("B")
    replay.commit("B")
    assert replay.rows() == ((9, 1, 9),)
    replay.close()


def test_other_tables_have_their_names(engine: SparkEngine) -> None:
    others = {"u": TableSpec({"a": "int"}, setup=("INSERT INTO u VALUES (5), (6)",))}
    case = scenario("a A", tables=others, A="INSERT INTO t SELECT a, a, a FROM u WHERE a > 5")
    ended, log, rows = run(engine, case)
    assert outcomes(ended) == {"A": "committed"}
    assert rows == [(1, 1, 10), (2, 2, 20), (6, 6, 6)]
    assert log[2].is_blind_append


@pytest.mark.parametrize(
    ("statement", "predicates", "keys"),
    [
        ("INSERT INTO t VALUES (9, 9, 9)", (), set()),
        ("DELETE FROM t", (ReadPredicate(("true",), ()),), {1, 2}),
        ("DELETE FROM t WHERE p = 1", (ReadPredicate(("(t.p = 1)",), ()),), {1}),
        ("DELETE FROM t WHERE k = 2", (ReadPredicate((), ("(t.k = 2)",)),), {2}),
        (
            "UPDATE t SET v = 0 WHERE p = 1 AND v > 5",
            (ReadPredicate(("(t.p = 1)",), ("(t.v > 5)",)),),
            {1},
        ),
        ("INSERT INTO t SELECT 9, 9, count(*) FROM t", (ReadPredicate((), ()),), {1, 2}),
        (
            "UPDATE t SET v = (SELECT sum(v) FROM t) WHERE p = 2",
            (ReadPredicate(("(t.p = 2)",), ()),),
            {2},
        ),
    ],
)
def test_footprints(
    engine: SparkEngine, statement: str, predicates: tuple[ReadPredicate, ...], keys: set[int]
) -> None:
    replay = engine.open(scenario("a A", TWO_FILES, A=statement))
    footprint = replay.begin("A").footprint
    assert isinstance(footprint, Footprint)
    assert footprint.predicates == predicates
    assert {row[0] for file in footprint.files for row in replay.file_rows(file)} == keys
    assert not footprint.whole_table
    replay.close()


def test_a_footprint_at_its_place_in_the_schedule(engine: SparkEngine) -> None:
    case = scenario(
        "b B a A", TWO_FILES, A="DELETE FROM t WHERE p = 2", B="DELETE FROM t WHERE k = 2"
    )
    footprint = observe_footprint(engine, case, "A")
    assert footprint == Footprint((ReadPredicate(("(t.p = 2)",), ()),), frozenset(), False)


def test_closing_abandons_what_is_held(engine: SparkEngine) -> None:
    case = scenario("a A", A="UPDATE t SET v = v + 1", R="SELECT k FROM t")
    replay = engine.open(case)
    replay.begin("A")
    replay.begin("R")
    replay.close()
    replay.close()
    ended, log, _ = run(engine, case)
    assert (outcomes(ended), len(log)) == ({"A": "committed"}, 3)


def test_steps_out_of_order_are_errors(engine: SparkEngine) -> None:
    replay = engine.open(scenario("a A", A="DELETE FROM t"))
    with pytest.raises(EngineError, match=r"scenario 'a A', step 'commit A': .*without a begin"):
        replay.commit("A")
    replay.begin("A")
    with pytest.raises(EngineError, match="begun twice"):
        replay.begin("A")
    replay.commit("A")
    with pytest.raises(EngineError, match="without a begin"):
        replay.commit("A")
    replay.close()


def test_set_up_that_the_engine_refuses(engine: SparkEngine) -> None:
    case = scenario("a A", ("INSERT INTO t VALUES (1)",), A="DELETE FROM t")
    with pytest.raises(BadStatement, match="set-up: INSERT INTO t VALUES"):
        engine.open(case)
    assert outcomes(run(engine, scenario("a A", A="DELETE FROM t"))[0]) == {"A": "committed"}


TYPED = {
    "k": "int",
    "b": "bigint",
    "s": "string",
    "o": "boolean",
    "d": "double",
    "t": "date",
    "m": "timestamp",
    "c": "decimal(5,2)",
}
TYPED_ROWS = (
    "(1, 2, 'x', true, 1.5, DATE'2020-02-29', TIMESTAMP'2020-01-01 01:02:03.456789', 1.25)",
    "(2, NULL, '', false, double('NaN'), DATE'1582-10-15', TIMESTAMP'1900-01-01 00:00:00', -0.5)",
    "(3, -9, 'a/b %', NULL, -0.0, NULL, NULL, NULL)",
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
)


@pytest.mark.parametrize("partition_by", [(), *[(column,) for column in TYPED], ("s", "m")])
@pytest.mark.parametrize("vectors", ["false", "true"])
def test_rows_are_those_that_spark_reads(
    engine: SparkEngine, partition_by: tuple[str, ...], vectors: str
) -> None:
    table = TableSpec(
        TYPED,
        partition_by,
        properties={"delta.enableDeletionVectors": vectors},
        setup=(
            f"INSERT INTO t VALUES {', '.join(TYPED_ROWS)}",
            "DELETE FROM t WHERE k = 2",
            "UPDATE t SET b = 7 WHERE k = 1",
        ),
    )
    replay = engine.open(Scenario("types", table, {"A": "SELECT 1"}, ()))
    read: dict[int, list[str]] = {1: [], 2: [], 3: []}
    query = " UNION ALL ".join(
        f"SELECT {version}, * FROM delta.`{replay.folder / 't'}` VERSION AS OF {version}"
        for version in read
    )
    for version, *row in engine.process.session.sql(query).collect():
        read[version].append(repr(tuple(_as_stored(value) for value in row)))
    for version, rows in read.items():
        assert sorted(map(repr, replay.rows(version))) == sorted(rows)
    if vectors == "true" and not partition_by:
        assert any(a.deletion_vector for record in replay.log() for a in record.adds)
    replay.close()


def _as_stored(value: object) -> object:
    """PySpark gives timestamps in the zone of this machine; rows have them in UTC."""
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value


def test_a_reader_gets_the_same_values(engine: SparkEngine) -> None:
    table = TableSpec(TYPED, (), setup=(f"INSERT INTO t VALUES {TYPED_ROWS[0]}",))
    replay = engine.open(Scenario("types", table, {"A": "SELECT * FROM t"}, ()))
    replay.begin("A")
    assert replay.commit("A").rows == replay.rows()
    assert replay.rows() == (
        (
            1,
            2,
            "x",
            True,
            1.5,
            datetime.date(2020, 2, 29),
            datetime.datetime(2020, 1, 1, 1, 2, 3, 456789),
            Decimal("1.25"),
        ),
    )
    replay.close()


STATEMENTS = (
    "INSERT INTO t VALUES (7, 1, 0)",
    "INSERT INTO t SELECT 9, 9, count(*) FROM t",
    "DELETE FROM t WHERE k = 1",
    "UPDATE t SET p = 2 WHERE p = 1",
    "OPTIMIZE t",
    "SELECT count(*) FROM t",
)


SCHEDULES = ("a b B A c C", "c C a b B A", "a b c C B A")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_laid_in_commits_and_kept_tables_change_nothing(engine: SparkEngine, schedule: str) -> None:
    """Each scenario on fresh tables, on used ones, and with commits laid in that were made."""
    shared = engine.shared_runs
    beside = STATEMENTS[2:] + STATEMENTS[:2]
    for number, (a, b) in enumerate(zip(STATEMENTS, beside, strict=True)):
        if not NIGHTLY and number % 3 != SCHEDULES.index(schedule):
            continue  # Every pair of neighbours in one of the schedules; every night in each.
        case = scenario(
            schedule, TWO_FILES, ("p",) if number % 2 else (), A=a, B=b, C=STATEMENTS[number - 1]
        )
        try:
            engine.shared_runs = None
            _drop_idle_places(engine)
            fresh = _trace(engine, case)
            kept = _trace(engine, case)
            engine.shared_runs = shared
            made = _trace(engine, case)
            laid = _trace(engine, case)
        finally:
            engine.shared_runs = shared
        assert fresh == kept == made == laid


def test_what_follows_a_contended_commit_is_never_laid_in(engine: SparkEngine) -> None:
    """Its files have names of their own in each replay; a laid-in delete would miss them."""
    case = scenario(
        "a b B A c C",
        TWO_FILES,
        A="INSERT INTO t VALUES (8, 3, 0)",
        B="INSERT INTO t VALUES (9, 4, 0)",
        C="DELETE FROM t WHERE p = 3",
    )
    for _ in range(3):
        assert run(engine, case)[2] == [(1, 1, 10), (2, 2, 20), (9, 4, 0)]


def _drop_idle_places(engine: SparkEngine) -> None:
    places: list[Place] = list(engine.places._idle)
    for place in places:
        engine.places._idle.pop(place)
        place.seat.places.pop(place.template.folder)
        engine.places._drop(place)


def _trace(engine: SparkEngine, case: Scenario) -> list[str]:
    """All that a replay shows, without the names that are drawn by chance."""
    replay = engine.open(case, "WriteSerializable")
    seen: list[object] = []
    for step in case.schedule:
        if step.action == "commit":
            seen.append(replay.commit(step.transaction))
            continue
        begun = replay.begin(step.transaction)
        footprint = begun.footprint
        seen.append((begun.read_version, begun.finished))
        if footprint is not None:
            files = sorted(repr(sorted(map(repr, replay.file_rows(f)))) for f in footprint.files)
            seen.append((footprint.predicates, files, footprint.whole_table))
    for record in replay.log():
        adds = [
            (a.partition_values, a.stats, sorted(map(repr, replay.file_rows(a.path))))
            for a in record.adds
        ]
        seen.append(
            (
                record.version,
                record.operation,
                record.operation_parameters,
                record.is_blind_append,
                record.isolation_level,
                record.read_version,
                sorted(map(repr, adds)),
                len(record.removes),
            )
        )
    replay.close()
    return [re.sub(r"#\d+L?|replay_\d+", "#", repr(item)) for item in seen]


def test_versions_name_the_parts(engine: SparkEngine) -> None:
    assert engine.versions()["spark"] == "4.2.0"
    assert engine.versions()["delta"] == "4.4.0"
