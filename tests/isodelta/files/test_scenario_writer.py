"""A scenario written as YAML reads back the same, and looks like what people write."""

from __future__ import annotations

import datetime
import json

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isodelta.files.scenario_writer import scenario_mapping, scenario_yaml
from isodelta.files.scenarios import read_text
from model.scenario import Expectation, Scenario, Step, TableSpec
from model.values.types import sql_row
from tests.isodelta.files.texts import GOOD

VALUES = {
    "int": st.integers(-(2**31), 2**31 - 1),
    "bigint": st.integers(-(2**63) + 1, 2**63 - 1),
    "string": st.text(),
    "boolean": st.booleans(),
    "double": st.floats(allow_nan=False),
    "date": st.dates(datetime.date(1, 1, 1)),
    "timestamp": st.datetimes(datetime.datetime(1, 1, 1)),
    "decimal(8,3)": st.decimals(-99999, 99999, places=3, allow_nan=False),
}
WORDS = st.sampled_from(["k", "v", "on", "no", "null", "true", "1", "1e5", "~", "a b", "ü", "x"])


MAPPED = {"delta.columnMapping.mode": "name"}
"""Then columns can have any name."""


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    names = draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
    columns = {name: draw(st.sampled_from(sorted(VALUES))) for name in names}
    row = st.tuples(*(st.none() | VALUES[type_name] for type_name in columns.values()))
    rows = tuple(draw(st.lists(row, max_size=3)))
    writable = [
        row
        for row in rows
        if all(
            not isinstance(v, float | str | datetime.datetime | datetime.date) or v == "x"
            for v in row
        )
    ]
    setup = tuple(f"INSERT INTO t VALUES {sql_row(row)}" for row in writable)
    transactions = {
        name: draw(st.sampled_from(["DELETE FROM t", "SELECT count(*) FROM t", "OPTIMIZE t"]))
        for name in draw(
            st.lists(
                st.sampled_from(["A", "no", "on", "begin", "1", "1.5", "B-2", "null", "T_1"]),
                min_size=1,
                max_size=3,
                unique=True,
            )
        )
    }
    steps = [
        step
        for name in draw(st.permutations(sorted(transactions)))
        for step in (Step("begin", name), Step("commit", name))
    ]
    if draw(st.booleans()):
        begins = [step for step in steps if step.action == "begin"]
        steps = begins + [step for step in steps if step.action == "commit"]
    level = draw(st.none() | st.sampled_from(["Serializable", "WriteSerializable"]))
    table = TableSpec(
        columns,
        partition_by=(names[0],) if len(names) > 1 and draw(st.booleans()) else (),
        properties=MAPPED if level is None else {**MAPPED, "delta.isolationLevel": level},
        setup=setup,
    )
    expect = Expectation(
        outcomes={name: "committed" for name in transactions if draw(st.booleans())},
        rows=draw(st.none() | st.just(rows)),
        levels=draw(st.sampled_from([{}, {"Serializable": "holds"}])),
    )
    tables = {"other": TableSpec({"k": "int"})} if draw(st.booleans()) else {}
    name = draw(st.text(min_size=1))
    return Scenario(name, table, transactions, tuple(steps), tables, expect)


@given(scenarios())
@example(
    Scenario(
        "a\x85b\u2028\n c",
        TableSpec({"k": "int"}),
        {"A": "DELETE FROM t WHERE\n\tk = 1"},
        (Step("begin", "A"), Step("commit", "A")),
    )
)
@settings(max_examples=60, deadline=None)
@pytest.mark.slow
def test_what_is_written_reads_back_the_same(scenario: Scenario) -> None:
    text = scenario_yaml(scenario)
    (loaded,) = read_text(text)
    assert loaded.scenario == scenario
    assert list(loaded.scenario.transactions) == list(scenario.transactions)
    # Other readers of YAML find the same, and so does JSON.
    assert yaml.safe_load(text) == scenario_mapping(scenario)
    mapping = scenario_mapping(scenario)
    assert json.loads(json.dumps(mapping, allow_nan=False)) == mapping
    several = scenario_yaml([scenario, scenario])
    assert [found.scenario for found in read_text(several)] == [scenario, scenario]


def test_what_is_written_looks_like_what_people_write() -> None:
    (loaded,) = read_text(GOOD)
    assert scenario_yaml(loaded.scenario) == GOOD
