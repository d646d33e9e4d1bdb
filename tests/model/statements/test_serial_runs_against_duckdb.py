"""Serial executions beside DuckDB: random scenarios, one statement after the other.

The definition decider runs statements alone (``Statement.rerun``). Here each statement of a random
scenario, its set-up first, runs on both sides, in the order in which it is written, and after each
one the tables have to hold the same rows; a query has to read the same rows. sqlglot writes the
statements in DuckDB's dialect. ``EXCLUDED`` names what the dialects do not share, with the reason;
a statement that fails in the model is left out as well, since the two fail differently.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import islice

import duckdb
import pytest
import sqlglot

from checker.search.random_search import random_scenarios
from model.errors import InvalidScenario, StatementFailure
from model.history import Row, Value
from model.queries import alone, flat
from model.scenario import Scenario, TableSpec
from model.sql import declared_table, parse_statement
from model.statements import Select
from tests.nightly import cases

pytestmark = pytest.mark.slow

MANY = cases(300, 5_000)

KINDS = ("INSERT INTO", "DELETE", "UPDATE", "MERGE", "SELECT")

EXCLUDED = {
    r"^(?!INSERT INTO|DELETE|UPDATE|MERGE|SELECT)": "a statement of Delta's that DuckDB lacks",
    r"\bPARTITION\b|\bOVERWRITE\b|\bREPLACE\b": "DuckDB has no partitions to overwrite",
    r"INSERT \*|SET \*": "Spark takes the columns of a star by name, DuckDB by position",
}
"""Statements that are left out, by what is in their text, and why."""

Rows = Mapping[str, tuple[Row, ...]]


def plain(spec: TableSpec) -> bool:
    """Whether a table has nothing but columns: none computed, no constraint, no default."""
    return not spec.absent and all(re.fullmatch(r"[\w(),]+", t) for t in spec.columns.values())


def comparable(value: Value) -> object:
    """Values in one form: numbers by value, NaN equal to itself."""
    if isinstance(value, float | Decimal):
        return "NaN" if math.isnan(value) else float(value)
    return value


def bag(rows: tuple[Row, ...] | list[Row]) -> Counter[tuple[object, ...]]:
    return Counter(tuple(map(comparable, row)) for row in rows)


class Beside:
    """One scenario under way on both sides."""

    def __init__(self, database: duckdb.DuckDBPyConnection, scenario: Scenario) -> None:
        self.database = database
        specs = {"t": scenario.table, **scenario.tables}
        self.tables = {name: declared_table(name, spec) for name, spec in specs.items()}
        self.rows: Rows = dict.fromkeys(specs, ())
        for name, spec in specs.items():
            columns = ", ".join(f"{c} {duck_type(t)}" for c, t in spec.columns.items())
            database.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")

    def run(self, text: str, target: str) -> str:
        """Runs one statement on both sides; says why it was left out, if it was."""
        for pattern, reason in EXCLUDED.items():
            if re.search(pattern, text):
                return reason
        try:
            statement = parse_statement(text, target, self.tables)
        except (InvalidScenario, StatementFailure):
            return "the model refuses it on the table as it was declared"
        try:
            result = statement.rerun(self.rows)
        except StatementFailure as failure:
            return f"it fails: {failure.error_class}"
        if result.failed is not None:
            return f"it fails: {result.failed}"
        answer = self.database.execute(in_duckdb(text))
        if isinstance(statement, Select):
            assert bag(flat(alone(statement.query, self.rows)[0])) == bag(answer.fetchall())
        self.rows = {**self.rows, **result.tables}
        for name in self.tables:
            theirs = self.database.execute(f"SELECT * FROM {name}").fetchall()
            assert bag(self.rows[name]) == bag(theirs), (text, in_duckdb(text))
        return ""


def duck_type(text: str) -> str:
    return {"string": "VARCHAR"}.get(text, text)


def in_duckdb(text: str) -> str:
    return sqlglot.transpile(text, read="databricks", write="duckdb")[0]


def statements_of(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Every statement with the table that it writes: the others' set-up, the target's, the rest."""
    for name, spec in scenario.tables.items():
        yield from ((text, name) for text in spec.setup)
    yield from ((text, "t") for text in scenario.table.setup)
    yield from ((text, "t") for text in scenario.transactions.values())


def test_serial_runs_leave_the_rows_that_duckdb_leaves():
    database = duckdb.connect()
    compared: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for scenario in islice(random_scenarios(11), MANY):
        if not all(map(plain, (scenario.table, *scenario.tables.values()))):
            left_out["tables with computed or constrained columns"] += 1
            continue
        beside = Beside(database, scenario)
        for text, target in statements_of(scenario):
            kind = next((kind for kind in KINDS if text.startswith(kind)), "")
            reason = beside.run(text, target)
            if reason:
                left_out[reason] += 1
            else:
                compared[kind] += 1
    assert min(compared[kind] for kind in KINDS) >= 8, compared
    assert compared.total() > left_out.total(), left_out


def test_every_exclusion_is_about_some_statement():
    texts = [
        text
        for scenario in islice(random_scenarios(11), 300)
        for text, _ in statements_of(scenario)
    ]
    for pattern, reason in EXCLUDED.items():
        assert any(re.search(pattern, text) for text in texts), reason
