"""MERGE in the model: what it refuses, does to rows, reads, and writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from checker.generators import scenarios as grammar
from checker.search.random_search import scenarios_in_groups
from checker.search.reductions import simpler_statements
from checker.search.shrinking import minimise
from conformance.replay.campaign import Job, run_campaign
from conformance.spark.engine import SparkEngine
from model.errors import InvalidScenario, StatementFailure
from model.expressions import syntax as expressions
from model.history import Row
from model.physical.files import DataFile, StoredRow, write_files
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.scenario import Scenario, Step, TableSpec
from model.sql import parse_statement
from model.statements import Execution, Merge
from model.tables.table import Table
from model.values.types import BIGINT, INT, STRING

T = Table("t", ("k", "p", "v"), (INT, INT, INT), (1,))
PLAIN = replace(T, partitions=())
S = Table("s", ("k", "p", "v"), (INT, INT, INT))
ROWS: tuple[Row, ...] = ((1, 1, 10), (2, 2, 20), (3, 1, 30), (4, 2, None))

ONE = "(SELECT 1 AS k, 1 AS p, 100 AS v) s"
TWICE = "(SELECT 1 AS k, 1 AS p, 100 AS v UNION ALL SELECT 1, 2, 200) s"
UPDATE = "WHEN MATCHED THEN UPDATE SET v = s.v"
INSERT = "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, s.p, s.v)"
DELETE = "WHEN MATCHED THEN DELETE"


def parsed(text: str, table: Table = T) -> Merge:
    statement = parse_statement(f"MERGE INTO t {text}", "t", {"t": table, "s": S})
    assert isinstance(statement, Merge)
    return statement


def snapshot(table: Table = T, *groups: tuple[Row, ...]) -> Snapshot:
    """One commit for each group of rows; without any, one for the first two and one for each."""
    found: list[DataFile] = []
    for number, group in enumerate(groups or (ROWS[:2], ROWS[2:3], ROWS[3:])):
        stored = [StoredRow((f"f{number}", i), "setup", row) for i, row in enumerate(group)]
        found += write_files(f"f{number}", table, stored)
    return Snapshot(table, 1, {file.key: file for file in found})


def executed(
    text: str,
    table: Table = T,
    source: tuple[Row, ...] = ((1, 1, 100), (5, 1, 500), (6, 2, 600)),
    start: Snapshot | None = None,
) -> Execution:
    return parsed(text, table).execute(start or snapshot(table), "A", {"s": source})


def footprint(text: str, table: Table = T) -> Footprint:
    found = executed(text, table).footprint
    assert found is not None
    return found


def after(text: str, rows: tuple[Row, ...] = ROWS, source: tuple[Row, ...] = ()) -> list[Row]:
    left = parsed(text).rerun({"t": rows, "s": source}).tables["t"]
    return sorted(left, key=repr)


@pytest.mark.parametrize(
    ("text", "error_class"),
    [
        ("USING (VALUES (1, 1, 1)) AS s(k, p, v) ON t.k = s.k " + DELETE,
         "COLUMN_ALIASES_NOT_ALLOWED"),
        ("USING VALUES (1, 1) AS s(k, v) ON t.k = s.k " + DELETE, "PARSE_SYNTAX_ERROR"),
        (f"USING s ON t.k = s.k WHEN NOT MATCHED BY SOURCE THEN DELETE {DELETE}",
         "PARSE_SYNTAX_ERROR"),
        (f"USING s ON t.k = s.k {DELETE} WHEN MATCHED AND t.v = 1 THEN DELETE",
         "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION"),
        (f"USING s ON t.k = s.k {INSERT} WHEN NOT MATCHED AND s.v = 1 THEN INSERT *",
         "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION"),
        ("USING s ON t.k = s.k WHEN NOT MATCHED BY SOURCE THEN DELETE "
         "WHEN NOT MATCHED BY SOURCE AND t.v = 1 THEN DELETE",
         "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION"),
        (f"USING s ON k = s.k {DELETE}", "AMBIGUOUS_REFERENCE"),
        ("USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = v", "AMBIGUOUS_REFERENCE"),
        (f"USING (SELECT 1 AS k, 2 AS k) s ON t.k = s.k {DELETE}", "AMBIGUOUS_REFERENCE"),
        ("USING (SELECT 1 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *", "INTERNAL_ERROR"),
        ("USING s ON t.k = s.k WHEN NOT MATCHED AND t.v = 1 THEN INSERT *", "INTERNAL_ERROR"),
        ("USING s ON t.k = s.k WHEN NOT MATCHED BY SOURCE AND s.v = 1 THEN DELETE",
         "INTERNAL_ERROR"),
        ("USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET s.v = 1", "INTERNAL_ERROR"),
        ("USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 1, v = 2",
         "DELTA_CONFLICT_SET_COLUMN"),
        ("USING s ON t.k = s.k WHEN NOT MATCHED THEN INSERT (k, p) VALUES (s.k)",
         "MERGE_INSERT_VALUE_COUNT_MISMATCH"),
        ("USING s ON t.k = s.k WHEN NOT MATCHED THEN INSERT (k, k) VALUES (s.k, s.k)",
         "DELTA_DUPLICATE_COLUMNS_ON_INSERT"),
        ("USING s ON t.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.p, s.v)",
         "PARSE_SYNTAX_ERROR"),
        ("USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 3000000000",
         "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE"),
    ],
)  # fmt: skip
def test_what_spark_refuses_is_refused_by_its_name(text: str, error_class: str) -> None:
    with pytest.raises(InvalidScenario) as refused:
        parsed(text)
    assert refused.value.error_class == error_class


@pytest.mark.parametrize(
    "text",
    [
        f"USING (SELECT 1 AS k UNION SELECT 2) s ON t.k = s.k {DELETE}",
        f"USING (SELECT k + 1 AS k FROM VALUES (1) AS x(k)) s ON t.k = s.k {DELETE}",
        f"USING s ON t.k = (SELECT max(k) FROM s) {DELETE}",
        "USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 'a'",
        "USING s ON s.k WHEN MATCHED THEN DELETE",
        "USING r ON t.k = r.k WHEN MATCHED THEN DELETE",
    ],
)
def test_what_the_model_does_not_know_is_refused(text: str) -> None:
    with pytest.raises(InvalidScenario):
        parsed(text)


@pytest.mark.parametrize(
    "source",
    [
        "(SELECT 9 AS k, 2 AS p, 90 AS v) s",
        "(SELECT * FROM VALUES (9, 2, 90) AS x(k, p, v)) s",
        "(VALUES (9, 2, 90) AS x(k, p, v)) s",
        "(SELECT 9 AS k, p, 90 AS v FROM t WHERE k = 2) AS s",
        "(SELECT 9 AS k, p, max(v) + 70 AS v FROM t WHERE k = 2 GROUP BY p) s",
    ],
)
def test_sources_of_every_form_give_their_rows(source: str) -> None:
    assert after(f"USING {source} ON t.k = s.k {UPDATE} {INSERT}") == [
        (1, 1, 10), (2, 2, 20), (3, 1, 30), (4, 2, None), (9, 2, 90),
    ]  # fmt: skip


def test_values_without_names_are_numbered() -> None:
    text = "USING (VALUES (1, 11)) s ON t.k = s.col1 WHEN MATCHED THEN UPDATE SET v = s.col2"
    assert (1, 1, 11) in after(text)


def test_the_target_goes_by_its_alias() -> None:
    text = "AS x USING s AS y ON x.k = y.k WHEN MATCHED THEN UPDATE SET x.v = x.v + y.v"
    assert (1, 1, 110) in after(text, source=((1, 1, 100),))


def test_the_first_clause_that_applies_acts() -> None:
    text = (
        "USING s ON t.k = s.k WHEN MATCHED AND s.v IS NULL THEN DELETE "
        "WHEN MATCHED AND s.v > t.v THEN UPDATE SET v = s.v WHEN MATCHED THEN UPDATE SET p = 9 "
        "WHEN NOT MATCHED AND s.v > 50 THEN INSERT * WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k) "
        "WHEN NOT MATCHED BY SOURCE AND t.v IS NULL THEN DELETE "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 0"
    )
    rows = (*ROWS, (7, 7, 7))
    source = ((1, 1, None), (2, 2, 21), (3, 1, 29), (5, 5, 55), (6, 6, 6))
    assert after(text, rows, source) == [
        (2, 2, 21), (3, 9, 30), (5, 5, 55), (6, None, None), (7, 7, 0),
    ]  # fmt: skip


def test_null_matches_nothing_unless_compared_null_safely() -> None:
    rows: tuple[Row, ...] = ((None, 1, 1),)
    source: tuple[Row, ...] = ((None, 1, 2),)
    assert after(f"USING s ON t.k = s.k {UPDATE} {INSERT}", rows, source) == [
        (None, 1, 1), (None, 1, 2),
    ]  # fmt: skip
    assert after(f"USING s ON t.k <=> s.k {UPDATE} {INSERT}", rows, source) == [(None, 1, 2)]


def test_values_are_cast_to_their_columns() -> None:
    table = Table("t", ("k", "v"), (INT, STRING))
    statement = parse_statement(
        "MERGE INTO t USING (SELECT 1 AS k, 7 AS v) s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET v = s.v, k = 2.9 WHEN NOT MATCHED THEN INSERT *",
        "t",
        {"t": table},
    )
    assert statement.rerun({"t": ((1, "a"),)}).tables["t"] == ((2, "7"),)
    assert statement.rerun({"t": ()}).tables["t"] == ((1, "7"),)


def test_a_number_that_does_not_fit_fails_the_statement_when_it_is_stored() -> None:
    source = Table("s", ("k", "v"), (INT, BIGINT))
    text = f"MERGE INTO t USING s ON t.k = s.k {UPDATE}"
    statement = parse_statement(text, "t", {"t": T, "s": source})
    assert statement.rerun({"t": ROWS, "s": ((9, 1 << 40),)}).tables["t"] == ROWS
    with pytest.raises(StatementFailure) as failure:
        statement.rerun({"t": ROWS, "s": ((1, 1 << 40),)})
    assert failure.value.error_class == "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE"


MULTIPLE = "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"


@pytest.mark.parametrize(
    ("clauses", "fails"),
    [
        (UPDATE, True),
        (DELETE, False),
        ("WHEN MATCHED AND TRUE THEN DELETE", True),
        ("WHEN MATCHED AND t.v = 10 THEN DELETE", True),
        ("WHEN MATCHED AND s.v = 100 THEN DELETE", True),
        # Statistics show that no row has the value, so the file's matches are never counted.
        ("WHEN MATCHED AND t.v = 11 THEN DELETE", False),
        (f"{DELETE} {INSERT}", False),
        (INSERT, False),
        ("WHEN NOT MATCHED BY SOURCE THEN DELETE", True),
        (f"{DELETE} WHEN NOT MATCHED BY SOURCE THEN DELETE", False),
    ],
)
def test_several_matches_of_one_row(clauses: str, fails: bool) -> None:
    text = f"USING {TWICE} ON t.k = s.k {clauses}"
    if not fails:
        executed(text)
        return
    for run in (lambda: executed(text), lambda: parsed(text).rerun({"t": ROWS})):
        with pytest.raises(StatementFailure) as failure:
            run()
        assert failure.value.error_class == MULTIPLE


@pytest.mark.parametrize(
    ("on", "clauses", "partition", "data", "files"),
    [
        ("t.k = s.k", UPDATE, "TRUE", "TRUE", 4),
        ("t.p = s.p AND t.k = s.k", UPDATE, "TRUE", "TRUE", 4),
        ("t.p = 1 AND t.k = s.k", UPDATE, "p = 1", "TRUE", 2),
        ("t.p = 1 AND t.k = s.k", INSERT, "p = 1", "TRUE", 2),
        ("t.p + 0 = 1 AND t.k > 0.5 AND 1 = 1", UPDATE, "p = 1", "k > 0", 2),
        ("(t.p = 1 AND s.k = 1) OR (t.p = 2 AND s.k = 1)", UPDATE, "p = 1 OR p = 2", "TRUE", 4),
        ("t.k = s.k AND t.k = 4", f"{UPDATE} {INSERT}", "TRUE", "k = 4", 1),
        ("t.k = s.k AND t.p = NULL", INSERT, "NULL", "TRUE", 0),
        ("FALSE", INSERT, "FALSE", "TRUE", 0),
        ("t.k = s.k", "WHEN MATCHED AND t.p = 1 THEN DELETE", "p = 1", "TRUE", 2),
        ("t.k = s.k", "WHEN MATCHED AND t.p = 1 AND s.v > 5 THEN DELETE", "p = 1", "TRUE", 2),
        # In one piece: what it says of partitions is lost beside a data column.
        ("t.k = s.k", "WHEN MATCHED AND t.p = 1 AND t.v = 10 THEN DELETE",
         "TRUE", "p = 1 AND v = 10", 1),
        ("t.k = s.k", f"WHEN MATCHED AND t.p = 1 THEN DELETE {UPDATE}", "p = 1 OR TRUE", "TRUE", 4),
        ("t.k = s.k", f"WHEN MATCHED AND t.p = 1 THEN DELETE {INSERT}", "TRUE", "TRUE", 4),
        ("t.p = 1 AND t.k = s.k", "WHEN NOT MATCHED BY SOURCE AND t.p = 1 THEN DELETE",
         "TRUE", "TRUE", 4),
        ("s.k IS NULL AND t.k = 1", UPDATE, "FALSE", "TRUE", 0),
    ],
)  # fmt: skip
def test_what_is_noted_as_read(
    on: str, clauses: str, partition: str, data: str, files: int
) -> None:
    found = footprint(f"USING {ONE} ON {on} {clauses}")
    (predicate,) = found.read_predicates
    assert expressions.sql(predicate.partition) == partition
    assert expressions.sql(predicate.data) == data
    assert len(found.read_files) == files
    assert not found.blind_append
    assert not found.read_whole_table


def test_the_table_as_its_own_source_is_noted_as_well() -> None:
    source = "(SELECT k, v FROM t WHERE p = 2) s"
    found = footprint(f"USING {source} ON t.p = 1 AND t.k = s.k {UPDATE}")
    texts = [expressions.sql(predicate.partition) for predicate in found.read_predicates]
    assert texts == ["p = 1", "p IS NOT NULL AND p = 2"]
    assert len(found.read_files) == 4


def test_another_table_as_source_is_not_noted() -> None:
    found = footprint(f"USING s ON t.p = 1 AND t.k = s.k {UPDATE}")
    assert len(found.read_predicates) == 1


@pytest.mark.parametrize(
    ("clauses", "removed"),
    [
        (UPDATE, 1),
        (INSERT, 0),
        ("WHEN MATCHED AND t.v = 99 THEN DELETE", 0),
        ("WHEN MATCHED AND s.v = 99 THEN DELETE", 0),
        # With an INSERT beside it any match counts, whatever the conditions say.
        (f"WHEN MATCHED AND t.v = 99 THEN DELETE {INSERT}", 1),
        ("WHEN NOT MATCHED BY SOURCE AND t.v = 99 THEN DELETE", 4),
    ],
)
def test_which_files_are_replaced(clauses: str, removed: int) -> None:
    assert len(footprint(f"USING {ONE} ON t.k = s.k {clauses}").removes) == removed


BRANCHES = "(SELECT 1 AS k, 1 AS p, 1 AS v UNION ALL SELECT 5, 1, 5 UNION ALL SELECT 6, 2, 6) s"


@pytest.mark.parametrize(
    ("table", "source", "on", "clauses", "files"),
    [
        (T, BRANCHES, "t.k = s.k", f"{UPDATE} {INSERT}", [2, 1]),
        (PLAIN, BRANCHES, "t.k = s.k", f"{UPDATE} {INSERT}", [4]),
        # A task for each SELECT of a UNION ALL, where nothing brings their rows together.
        (PLAIN, BRANCHES, "t.k = s.k", INSERT, [1, 1]),
        (T, BRANCHES, "t.k = s.k", INSERT, [1, 1]),
        (PLAIN, BRANCHES, "t.k = s.k + 99", f"{UPDATE} {INSERT}", [1, 1, 1]),
        # No equality between columns: new rows come from another task.
        (PLAIN, BRANCHES, "t.k < s.k AND t.k = 4 AND s.k = 5", f"{UPDATE} {INSERT}", [1, 2]),
        # A constant is no key of a join, except where it is compared null-safely.
        (PLAIN, "(SELECT 9 AS k, 1 AS p, 1 AS v) s", "t.k = s.k",
         f"{INSERT} WHEN NOT MATCHED BY SOURCE AND t.k = 1 THEN DELETE", [3, 1]),
        (PLAIN, "(SELECT 9 AS k, 1 AS p, 1 AS v) s", "t.k <=> s.k",
         f"{INSERT} WHEN NOT MATCHED BY SOURCE AND t.k = 1 THEN DELETE", [4]),
        # Of two tables the one with more files, columns or rows is gone through.
        (PLAIN, "s", "t.k - s.k = 0", f"{UPDATE} {INSERT}", [3, 1]),
        (PLAIN, "s", "t.k - s.k = 0",
         f"{UPDATE} {INSERT} WHEN NOT MATCHED BY SOURCE AND t.k = 1 THEN DELETE", [4, 2]),
        (PLAIN, "(SELECT k FROM s) s", "t.k < s.k AND s.k = 5 AND t.k = 2",
         "WHEN MATCHED THEN UPDATE SET v = 1 WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k)",
         [2, 2]),
    ],
)  # fmt: skip
def test_the_files_that_are_written(
    table: Table, source: str, on: str, clauses: str, files: list[int]
) -> None:
    found = footprint(f"USING {source} ON {on} {clauses}", table)
    written = sorted((len(file) for file in found.adds), reverse=True)
    assert written == sorted(files, reverse=True)
    assert len({file.path for file in found.adds}) == len(found.adds)


def test_rows_keep_their_identity_when_they_are_updated() -> None:
    source = "(SELECT 1 AS k, 1 AS p, 100 AS v UNION ALL SELECT 3, 1, 0 UNION ALL SELECT 9, 1, 9) s"
    text = f"USING {source} ON t.k = s.k WHEN MATCHED AND s.v = 0 THEN DELETE {UPDATE} {INSERT}"
    changes = {(c.row, c.before, c.after) for c in executed(text).changes}
    assert changes == {
        (("f0", 0), (1, 1, 10), (1, 1, 100)),
        (("f1", 0), (3, 1, 30), None),
        (("A", 0), None, (9, 1, 9)),
    }


def test_a_row_set_to_what_it_is_is_a_new_version() -> None:
    text = f"USING {ONE} ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = t.v"
    (change,) = executed(text).changes
    assert change.before == change.after == (1, 1, 10)
    merge = parsed(text)
    assert merge.effect(ROWS[0], {}) is not ROWS[0]
    assert merge.effect(ROWS[1], {}) is ROWS[1]


@pytest.mark.parametrize(
    ("text", "matching"),
    [
        (f"USING {ONE} ON t.k = s.k {UPDATE}", {1}),
        (f"USING {ONE} ON t.k = s.k {INSERT}", {1}),
        (f"USING {ONE} ON t.k = s.k WHEN MATCHED AND t.v = 99 THEN DELETE", set()),
        # That it matches keeps the source row from being inserted.
        (f"USING {ONE} ON t.k = s.k WHEN MATCHED AND t.v = 99 THEN DELETE {INSERT}", {1}),
        (f"USING {ONE} ON t.k = s.k WHEN NOT MATCHED AND s.v = 99 THEN INSERT *", set()),
        (f"USING {ONE} ON t.k = s.k WHEN NOT MATCHED BY SOURCE THEN DELETE", {2, 3, 4}),
        (f"USING {ONE} ON t.k = s.k WHEN NOT MATCHED BY SOURCE AND t.p = 2 THEN DELETE", {2, 4}),
        (f"USING s ON t.k = s.k + 1 {DELETE}", {2}),
        (f"USING (SELECT k + 1 AS k FROM t WHERE p = 1) s ON t.k = s.k {DELETE}", {2, 4}),
    ],
)
def test_the_rows_that_make_a_difference_are_what_is_read(text: str, matching: set[int]) -> None:
    merge = parsed(text)
    reads = merge.reads_on({"t": ROWS, "s": ((1, 1, 100),)})
    target = reads[-1]
    assert target.table == "t"
    assert {row[0] for row in ROWS if target.matches(row)} == matching
    result = merge.rerun({"t": ROWS, "s": ((1, 1, 100),)})
    assert {row[0] for row in result.reads[-1]} == matching
    assert len(result.reads) == len(reads) == len(merge.predicate_reads)


def test_with_deletion_vectors_only_changed_rows_are_written() -> None:
    table = PLAIN.with_properties({"delta.enableDeletionVectors": "true"})
    source = "(SELECT 1 AS k, 1 AS p, 100 AS v UNION ALL SELECT 3, 1, 0) s"
    text = f"USING {source} ON t.k = s.k WHEN MATCHED AND s.v = 0 THEN DELETE {UPDATE}"
    found = footprint(text, table)
    assert len(found.removes) == 2
    marked = [file for file in found.adds if file.vector is not None]
    assert [[row.values for row in file.rows] for file in marked] == [[(2, 2, 20)]]
    (written,) = [file for file in found.adds if file.vector is None]
    assert [row.values for row in written.rows] == [(1, 1, 100)]


def test_a_match_without_effect_marks_nothing_with_deletion_vectors() -> None:
    table = T.with_properties({"delta.enableDeletionVectors": "true"})
    text = f"USING {ONE} ON t.k = s.k WHEN MATCHED AND t.v = 99 THEN DELETE {INSERT}"
    assert footprint(text, table).empty


def drawn(seed: str) -> Scenario:
    """A random MERGE alone on a random table."""
    source = Random(seed)

    def pick(options: Sequence[Any], /) -> Any:
        return options[int(source.random() * len(options))]

    spec = grammar.table(pick)
    tables = {"s": grammar.other_table(pick, spec)}
    text = grammar.statement(pick, spec, "MERGE", "s").sql()
    return Scenario(seed, spec, {"A": text}, (Step("begin", "A"), Step("commit", "A")), tables)


@pytest.mark.slow
def test_what_runs_and_what_is_run_again_agree() -> None:
    """On random tables: the rows that the footprint leaves are those of a run on plain rows."""
    seen = 0
    for number in range(80):
        scenario = drawn(f"merge {number}")
        ran = run_scenario(scenario, DEFAULT)
        if ran.ended["A"].outcome not in ("committed", "no commit"):
            continue
        tables = {**ran.workload.others, "t": ran.workload.base.rows()}
        expected = ran.workload.statements["A"].rerun(tables).tables["t"]
        assert Counter(ran.final.rows()) == Counter(expected), scenario
        seen += ran.ended["A"].outcome == "committed"
    assert seen > 30


@pytest.mark.spark
def test_a_merge_alone_does_on_spark_what_the_model_says(spark_engine: SparkEngine) -> None:
    """Rows, files, footprints: random merges, each with its own types, NULLs and clauses."""
    drawn_ones = [drawn(f"merge on spark {number}") for number in range(30)]
    committing = [
        s for s in drawn_ones if run_scenario(s, DEFAULT).ended["A"].outcome == "committed"
    ]
    chosen = dict.fromkeys(s.name for s in (*committing[:3], *drawn_ones[:3]))
    jobs = [Job(s, "Serializable") for s in drawn_ones if s.name in chosen]
    found = list(run_campaign(spark_engine, jobs, DEFAULT))
    differing = [r.comparison.differences for r in found if not r.comparison.agrees]
    assert differing == []
    outcomes = [r.comparison.observation.outcomes["A"] for r in found]
    assert outcomes.count("committed") >= 3


def test_a_merge_shrinks_to_what_matters() -> None:
    text = (
        "MERGE INTO t USING (SELECT 1 AS k, 1 AS p, 1 AS v UNION ALL SELECT 2 AS k, 1 AS p, 2 AS v)"
        " s ON (t.p = 1 OR t.p = 2) AND t.k = s.k WHEN MATCHED AND s.v > 0 THEN UPDATE SET v = s.v "
        "WHEN NOT MATCHED AND s.k IN (2, 3) THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.v = 1 THEN DELETE"
    )
    scenario = Scenario(
        "too large",
        TableSpec({"k": "int", "p": "int", "v": "int"}, setup=("INSERT INTO t VALUES (1, 1, 0)",)),
        {"A": text},
        (Step("begin", "A"), Step("commit", "A")),
    )
    small = minimise(scenario, lambda s: (2, 1, 2) in run_scenario(s, DEFAULT).final.rows())
    assert small.transactions["A"] == (
        "MERGE INTO t USING (SELECT 2 AS k, 1 AS p, 2 AS v) s ON t.k = s.k "
        "WHEN NOT MATCHED THEN INSERT *"
    )
    source = "(SELECT k FROM t WHERE k IN (1, 2)) s"
    assert f"MERGE INTO t USING (SELECT k FROM t) s ON t.k = s.k {DELETE}" in list(
        simpler_statements(f"MERGE INTO t USING {source} ON t.k = s.k {DELETE}")
    )


def test_groups_of_scenarios_declare_the_table_that_a_merge_reads() -> None:
    series = scenarios_in_groups(1, 12)
    drawn = [next(series) for _ in range(300)]
    assert any("USING s " in text for s in drawn for text in s.transactions.values())
    assert all(
        "s" in s.tables
        for s in drawn
        if any("USING s " in text for text in s.transactions.values())
    )
    assert "MERGE" in grammar.KINDS
