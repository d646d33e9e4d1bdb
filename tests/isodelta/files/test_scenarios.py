"""Scenario files: what is read, and what is refused and how."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isodelta.files.scenario_writer import scenario_yaml
from isodelta.files.scenarios import BadScenarios, load_scenarios, read_files, read_text
from isodelta.files.values import plain, typed
from isodelta.files.yaml_source import read_source
from isodelta.runs.judging import check
from model.scenario import Scenario, Step
from model.values.types import parse_type
from tests.isodelta.files.texts import GOOD

ROOT = Path(__file__).parents[3]


def complaints(text: str) -> tuple[str, ...]:
    """What is wrong with a text, if anything."""
    try:
        read_text(text)
    except BadScenarios as error:
        return error.lines
    return ()


def problems(text: str) -> list[str]:
    with pytest.raises(BadScenarios) as caught:
        read_text(text, file="x.yaml")
    return list(caught.value.lines)


def test_a_scenario_is_read() -> None:
    (loaded,) = read_text(GOOD)
    scenario = loaded.scenario
    assert scenario.name == "a delete meets an append"
    assert scenario.table.partition_by == ("p",)
    assert [str(step) for step in scenario.schedule] == [
        "begin A", "begin R", "begin B", "commit B", "commit A", "commit R",
    ]  # fmt: skip
    assert scenario.expect.outcomes == {"A": "ConcurrentAppend", "B": "committed"}
    assert scenario.expect.rows == ((1, 1, 10), (2, 2, 20), (7, 1, 0))


def test_a_list_of_scenarios_is_read_with_the_line_of_each() -> None:
    text = "".join("- " + GOOD.replace("\n", "\n  ").rstrip(" ") for _ in range(2))
    assert [loaded.line for loaded in read_text(text)] == [1, 16]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("WHERE p = 1", "WHERE q = 1", "x.yaml:8: transactions.A: unknown column 'q'"),
        ("DELETE FROM", "DELET FROM", "x.yaml:8: transactions.A: "),
        ("commit A, commit R", "commit R", "x.yaml:11: schedule: transaction A is left open"),
        ("begin A, ", "commit A, ", "x.yaml:11: schedule entry 1: transaction A commits before"),
        ("commit R]", "commit R, A]", "x.yaml:11: schedule entry 6: transaction A begins twice"),
        ("commit R]", "commit Q]", "x.yaml:11: schedule entry 5: there is no transaction 'Q'"),
        ("begin A, ", "start A, ", "x.yaml:11: schedule entry 1: 'start A' is no step"),
        ("(1, 1, 10),", "(1, 'x', 10),", "x.yaml:6: table.setup entry 1: 'x' is not a whole"),
        ("k: int", "k: integre", "x.yaml:3: table.columns.k: unknown column type 'integre'"),
        ("k: int", "k k: int", "x.yaml:3: table.columns.k k: a name with one of"),
        ("[p]", "[q]", "x.yaml:4: table.partition_by: unknown column 'q'"),
        ("[p]", "p", "x.yaml:4: table.partition_by: should be a list, but is a string"),
        ("table:", "tabel:", "x.yaml:2: tabel: unknown key 'tabel', did you mean table?"),
        ("name: a delete meets an append\n", "", "x.yaml:1: name: the key 'name' is missing"),
        ("setup:", "set_up:", "x.yaml:5: table.set_up: unknown key 'set_up', did you mean setup?"),
        (
            "rows: [[1",
            "rows: [[x",
            "x.yaml:14: expect.rows entry 1: column k: 'x' is not a valid int",
        ),
        ("rows: [[1, ", "rows: [[", "x.yaml:14: expect.rows entry 1: 2 values for the 3 columns"),
        ("Serializable: h", "Serialisable: h", "x.yaml:15: expect.levels.Serialisable: there is"),
        ("holds", "hold", "x.yaml:15: expect.levels.Serializable: should be 'holds', 'violated'"),
        ("{A: Conc", "{Z: Conc", "x.yaml:13: expect.outcomes.Z: there is no transaction 'Z'"),
        ("ConcurrentAppend", "ConcurrentApend", "x.yaml:13: expect.outcomes.A: "),
        ("name: a delete meets an append", "name: 5", "x.yaml:1: name: should be a string, but is"),
        ("name: a delete meets an append", "name:", "x.yaml:1: name: should be a string, but is n"),
        ("  R: SELECT", "  A: SELECT", "x.yaml:10: transactions.A: key given twice (first on"),
        ("  A: DELETE FROM t WHERE p = 1", "  A:", "x.yaml:8: transactions.A: should be a string"),
        ("FROM t\n", "FROM u\n", "x.yaml:10: transactions.R: unknown table 'u'"),
        ("A: DELETE", "a b: DELETE", "x.yaml:8: transactions.a b: 'a b' is not a name"),
        ("A: DELETE", "setup1: DELETE", "x.yaml:8: transactions.setup1: 'setup1' is reserved"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(old: str, new: str, expected: str) -> None:
    assert old in GOOD
    (line,) = problems(GOOD.replace(old, new, 1))
    assert line.startswith(expected)


def test_a_level_that_the_profile_does_not_have() -> None:
    text = GOOD.replace("[p]", "[p]\n  properties: {delta.isolationLevel: Snapshot}")
    (line,) = problems(text)
    assert line.startswith("x.yaml:5: table.properties.delta.isolationLevel: profile")


def test_a_property_that_would_be_ignored_is_refused() -> None:
    text = GOOD.replace("[p]", "[p]\n  properties: {delta.autoOptimize.optimizeWrite: true}")
    (line,) = problems(text)
    assert line.startswith(
        "x.yaml:5: table.properties.delta.autoOptimize.optimizeWrite: table property"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "x.yaml:1: the file is empty"),
        ("# nothing\n", "x.yaml:1: the file is empty"),
        ("[]", "x.yaml:1: the file contains no scenario"),
        ("just words", "x.yaml:1: a scenario is a mapping with name, table, ..., not a string"),
        ("a: [1", "x.yaml:2: not valid YAML: did not find expected ',' or ']'"),
        ("a: b: c", "x.yaml:1: not valid YAML: mapping values are not allowed"),
        ("x: *nowhere", "x.yaml:1: not valid YAML: found undefined alias"),
        ("---\na: 1\n---\nb: 2\n", "x.yaml:3: a file holds one YAML document"),
        ("a\x00b", "x.yaml:1: not a text file"),
        ("x: !!python/object:os.system {}", "x.yaml:1: x: the YAML tag"),
        ("? [a]\n: b", "x.yaml:1: a key has to be a single word"),
        ("x: &x [*x]", "x.yaml:1: too large for a scenario file, or an alias contains itself"),
        ("[" * 100_000, "x.yaml:1: nested too deeply"),
    ],
)
def test_what_is_no_scenario_file_is_said_in_one_line(text: str, expected: str) -> None:
    (line,) = problems(text)
    assert line.startswith(expected)


def test_an_alias_explosion_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    (line,) = problems("\n".join(lines))
    assert "too large" in line


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.yaml"
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"name: x\n\xff\xfe\x00")
    with pytest.raises(BadScenarios) as caught:
        read_files([missing, tmp_path, binary])
    assert caught.value.lines == (
        f"{missing}: there is no such file",
        f"{tmp_path}: is a directory, not a scenario file",
        f"{binary}:2: not a text file in UTF-8 (byte 0xff)",
    )


def test_every_bad_scenario_of_every_file_is_told(tmp_path: Path) -> None:
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    bad = "- " + GOOD.replace("\n", "\n  ").rstrip(" ").replace("WHERE p", "WHERE x")
    good = "- " + GOOD.replace("\n", "\n  ").rstrip(" ")
    first.write_text(bad + good + bad, encoding="utf-8")
    second.write_text(GOOD.replace("commit R", "commit S"), encoding="utf-8")
    with pytest.raises(BadScenarios) as caught:
        load_scenarios(first, second)
    assert [line.split(": ")[0] for line in caught.value.lines] == [
        f"{first}:8",
        f"{first}:38",
        f"{second}:11",
    ]


def test_all_wrong_keys_of_one_scenario_are_told() -> None:
    text = GOOD.replace("partition_by", "partitoned_by").replace("schedule", "scedule")
    assert [line.split(": ")[0] for line in problems(text)] == ["x.yaml:4", "x.yaml:11"]


def test_the_traps_of_yaml_1_1_are_none_here() -> None:
    text = """\
name: no
table:
  columns: {on: date, no: int}
  setup: ["INSERT INTO t VALUES (DATE '2024-01-31', 8)"]
transactions: {y: "SELECT count(*) FROM t", off: "DELETE FROM t"}
schedule: [y, off]
expect:
  outcomes: {off: committed}
  rows: []
"""
    (loaded,) = read_text(text)
    assert loaded.scenario.name == "no"
    assert list(loaded.scenario.table.columns) == ["on", "no"]
    assert list(loaded.scenario.transactions) == ["y", "off"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("010", 10),
        ("1:30", "1:30"),
        ("2024-01-31", "2024-01-31"),
        ("yes", "yes"),
        ("true", True),
        ("~", None),
        ("1e3", 1000.0),
        ("'5'", "5"),
        ("0x1f", "0x1f"),
        ("-.inf", float("-inf")),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(text: str, value: object) -> None:
    source = read_source(f"x: {text}")
    assert source is not None
    assert source.data == {"x": value}
    assert type(source.data["x"]) is type(value) or isinstance(source.data["x"], float)


@pytest.mark.parametrize(
    ("type_name", "scalar", "value"),
    [
        ("date", "2024-01-31", datetime.date(2024, 1, 31)),
        ("timestamp", "2024-01-31 12:00:00", datetime.datetime(2024, 1, 31, 12)),
        ("decimal(6,2)", "1.50", Decimal("1.50")),
        ("decimal(6,2)", 3, Decimal("3.00")),
        ("double", 1, 1.0),
        ("bigint", 2**40, 2**40),
        ("string", "x", "x"),
        ("boolean", True, True),
        ("int", None, None),
    ],
)
def test_expected_values_take_the_type_of_their_column(
    type_name: str, scalar: object, value: object
) -> None:
    found = typed(scalar, parse_type(type_name))
    assert found == value
    assert type(found) is type(value)
    assert typed(plain(found), parse_type(type_name)) == value


@pytest.mark.parametrize(
    ("type_name", "scalar"),
    [
        ("date", "2024-02-31"),
        ("date", 5),
        ("decimal(6,2)", "1.234"),
        ("decimal(6,2)", True),
        ("decimal(3,2)", 12),
        ("int", 2**40),
        ("int", "5"),
        ("int", True),
        ("string", 5),
        ("boolean", 1),
        ("timestamp", "2024-01-31 12:00:00+01:00"),
        ("double", "five"),
    ],
)
def test_values_of_another_type_are_refused(type_name: str, scalar: object) -> None:
    with pytest.raises(ValueError, match=re.escape(type_name)):
        typed(scalar, parse_type(type_name))


@given(st.text(max_size=60))
@example("- ")
@example("? ")
@example("{a: b, <<: c}")
@settings(max_examples=300, deadline=None)
def test_no_text_brings_the_reader_down(text: str) -> None:
    with pytest.raises(BadScenarios) as caught:
        read_text(text)
    assert caught.value.lines
    assert all("\n" not in line for line in caught.value.lines)


SQL_WORDS = st.sampled_from(
    re.split(
        " ",
        "SELECT INSERT INTO DELETE FROM UPDATE SET WHERE VALUES OPTIMIZE t k v p , ( ) = < 1 'a' "
        "NULL count(*) AND OR NOT IN BETWEEN IS * + - / ; AS CASE WHEN THEN END GROUP BY x . ` -- "
        "/* DATE '2024-01-31' TRUE",
    )
)


@given(st.lists(SQL_WORDS, max_size=12).map(" ".join))
@settings(max_examples=400, deadline=None)
@pytest.mark.slow
def test_no_sql_brings_the_reader_down(sql: str) -> None:
    (loaded,) = read_text(GOOD)
    scenario = loaded.scenario
    broken = Scenario(
        scenario.name, scenario.table, {"A": sql}, (Step("begin", "A"), Step("commit", "A"))
    )
    lines = complaints(scenario_yaml(broken))
    assert len(lines) <= 1
    assert not any("\n" in line for line in lines)


@given(st.integers(0, len(GOOD) - 1), st.sampled_from(list("{}[]:,#&*!|>'\"%@`\n\t -?0a")))
@settings(max_examples=400, deadline=None)
def test_a_slip_of_the_finger_never_ends_in_a_traceback(position: int, character: str) -> None:
    lines = complaints(GOOD[:position] + character + GOOD[position + 1 :])
    assert not any("\n" in line for line in lines)


NAMED = """
name: tables under names of one's choice
table:
  columns: {k: int, v: int}
  setup: ["INSERT INTO main.sales.orders VALUES (1, 10), (2, 20)"]
tables:
  staging.`new orders`:
    columns: {k: int, v: int}
    setup: ["INSERT INTO staging.`new orders` VALUES (2, 21)"]
  t: {columns: {k: int}, setup: [INSERT INTO t VALUES (1)]}
transactions:
  A: MERGE INTO main.sales.orders USING staging.`new orders` s ON orders.k = s.k
    WHEN MATCHED THEN UPDATE SET v = s.v
  B: INSERT INTO `main`.`sales`.`orders` SELECT k, 5 FROM t
schedule: [A, B]
expect: {rows: [[1, 10], [2, 21], [1, 5]]}
"""


def test_tables_may_have_any_names() -> None:
    (loaded,) = read_text(NAMED)
    assert check(loaded).ok
    assert loaded.statements["B"] == "INSERT INTO `main`.`sales`.`orders` SELECT k, 5 FROM t"
    again = read_text(scenario_yaml(loaded.scenario))
    assert check(again[0]).ok


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("INTO `main`.`sales`.`orders`", "INTO sales.orders", "this writes sales.orders, and"),
        ("FROM t", "FROM nowhere", "unknown table 'nowhere'"),
    ],
)  # fmt: skip
def test_names_that_are_not_declared_are_problems(old: str, new: str, expected: str) -> None:
    (problem,) = problems(NAMED.replace(old, new))
    assert "transactions.B: " in problem
    assert expected in problem


MANY = """
name: many problems
table:
  columns: {id: int, amount: int}
  properties: {delta.appendOnyl: "true"}
tables:
  s: {columns: {id: int}}
transactions:
  A: DELETE FROM t WHERE amuont = 1
  B: INSERT INTO t SELECT id, idd FROM ss
  C: UPDATE t SET amount = (SELECT max(idx) FROM s)
  D: DELET FROM t
schedule: [begin A, B, C, commit A, commit E]
"""


def test_all_problems_are_said_each_with_the_nearest_name() -> None:
    expected = [
        ("x.yaml:5: table.properties.delta.appendOnyl", "did you mean delta.appendOnly?"),
        ("x.yaml:9: transactions.A", "did you mean amount?"),
        ("x.yaml:10: transactions.B", "did you mean s?"),
        ("x.yaml:11: transactions.C", "did you mean id?"),
        ("x.yaml:12: transactions.D", "did you mean DELETE?"),
        ("x.yaml:13: schedule entry 5", "there is no transaction 'E'"),
    ]
    found = problems(MANY)
    assert len(found) == len(expected)
    for line, (place, hint) in zip(found, expected, strict=True):
        assert line.startswith(place)
        assert hint in line
