"""Recorded predicates, asked of whole files: the answer is that of each row in them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.logs.actions import LoggedFile
from checker.logs.reads.file_facts import Columns
from checker.logs.reads.predicates import predicate
from model.expressions.evaluation import matcher
from model.scenario import TableSpec
from model.sql import declared_table, parse_statement
from model.statements import Delete
from tests.log_files import field, metadata

COLUMNS = Columns.of(metadata(field("k"), field("s", "string"), field("p"))["metaData"])


def file(p: str | None = "1", low: int = 3, high: int = 5, nulls: int = 0) -> LoggedFile:
    stats = {
        "numRecords": 4,
        "minValues": {"k": low, "s": "b"},
        "maxValues": {"k": high, "s": "d"},
        "nullCount": {"k": nulls, "s": 0},
    }
    return LoggedFile("f", partition={"p": p}, stats=json.dumps(stats))


ANSWERS = [
    ('["(p#12 = 1)"]', True),
    ('["(p#12 = 2)"]', False),
    ('["(p#12L = 1)"]', True),
    ("p = 1 AND k = 4", None),
    ("p = 2 AND k = 4", False),
    ("p = 2 OR k >= 3", True),
    ("k > 5", False),
    ("NOT (k > 5)", True),
    ("k IN (1, 2)", False),
    ("k BETWEEN 3 AND 5", True),
    ("k NOT BETWEEN 3 AND 4", None),
    ("4 < k", None),
    ("6 <= k", False),
    ("k IS NULL", False),
    ("p IS NOT NULL", True),
    ("s = 'a'", False),
    ("s >= 'b'", True),
    ('["(s#3 = a)"]', None),
    ("s = 7", None),
    ("k = 1.5", None),
    ("q = 1", None),
    ("p = (SELECT max(p) FROM t)", None),
    ("k = ", None),
    ("[]", True),
    ('["true"]', True),
    ("[7]", None),
]


@pytest.mark.parametrize(("text", "expected"), ANSWERS)
def test_the_answer_for_a_file(text: str, expected: bool | None) -> None:
    assert predicate(text, COLUMNS).of(file(), COLUMNS) is expected


def test_nulls_never_match_a_comparison() -> None:
    assert predicate("k >= 3", COLUMNS).of(file(nulls=1), COLUMNS) is None
    assert predicate("p = 1", COLUMNS).of(file(p=None), COLUMNS) is False
    assert predicate("NOT (p = 1)", COLUMNS).of(file(p=None), COLUMNS) is False
    assert predicate("p IS NULL", COLUMNS).of(file(p=""), COLUMNS) is True


ROWS = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 4)), st.integers(0, 2)), min_size=1, max_size=4
)
ATOMS = st.one_of(
    st.builds(
        "{} {} {}".format,
        st.sampled_from("kp"),
        st.sampled_from(["=", "<>", "<", "<=", ">", ">="]),
        st.integers(0, 4),
    ),
    st.builds("{} IS {}NULL".format, st.sampled_from("kp"), st.sampled_from(["", "NOT "])),
    st.builds("{} IN ({}, {})".format, st.sampled_from("kp"), st.integers(0, 4), st.integers(0, 4)),
)
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("(NOT {})".format, inner),
    ),
    max_leaves=4,
)


@settings(deadline=None)
@given(rows=ROWS, p=st.one_of(st.none(), st.integers(0, 4)), condition=CONDITIONS)
def test_a_sure_answer_is_that_of_every_row(
    rows: list[tuple[int | None, int]], p: int | None, condition: str
) -> None:
    spec = TableSpec(columns={"k": "int", "p": "int"}, partition_by=("p",))
    columns = Columns.of(metadata()["metaData"])
    values = [k for k, _ in rows]
    there = [k for k in values if k is not None]
    stats = {"numRecords": len(values), "nullCount": {"k": len(values) - len(there)}}
    if there:
        stats |= {"minValues": {"k": min(there)}, "maxValues": {"k": max(there)}}
    logged = LoggedFile(
        "f", partition={"p": None if p is None else str(p)}, stats=json.dumps(stats)
    )
    answer = predicate(condition, columns).of(logged, columns)
    statement = parse_statement(
        f"DELETE FROM t WHERE {condition}", "t", {"t": declared_table("t", spec)}
    )
    assert isinstance(statement, Delete)
    matches = matcher(statement.condition)
    actual = {matches((k, p)) for k in values}
    assert answer is None or actual == {answer}
