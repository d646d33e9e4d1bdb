"""The stage of histories: every class of schedules of the jobs at each position.

It runs nothing. The text of the scenario file is written once for each choice of jobs, and the
schedule is put in for each history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pyarrow as pa

from checker.search.job_tree import schedule_class
from model.scenario import Scenario, Step, TableSpec
from pipeline.stages.arrow import Interned, lists
from pipeline.stream import Pool, pool

WriteScenario = Callable[[Scenario], str]
"""Writes a scenario as the text of a scenario file; a function of a module, so that it travels."""

_TABLE = pa.struct(
    [
        ("columns", pa.map_(pa.string(), pa.string())),
        ("partition_by", pa.list_(pa.string())),
        ("cluster_by", pa.list_(pa.string())),
        ("properties", pa.map_(pa.string(), pa.string())),
        ("setup", pa.list_(pa.string())),
    ]
)
_TRANSACTION = pa.struct([("name", pa.string()), ("statement", pa.string()), ("sql", pa.string())])

COLUMNS = (
    "history string, seed bigint, position bigint, number int, source string, layout string, "
    "level string, schedules bigint, statements array<string>, "
    "transactions array<struct<name: string, statement: string, sql: string>>, "
    "schedule array<string>, "
    "table struct<columns: map<string, string>, partition_by: array<string>, "
    "cluster_by: array<string>, properties: map<string, string>, setup: array<string>>, "
    "scenario string"
)
"""The columns that the stage gives, as Spark declares them."""


def histories(positions: Any, seed: int, sizes: tuple[int, ...], write: WriteScenario) -> Any:
    """The histories of all positions, as a DataFrame."""

    def batches(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in rows:
            for position in batch.column("position").to_pylist():
                yield history_batch(pool(seed, position, sizes), write)

    return positions.mapInArrow(batches, COLUMNS)


def history_batch(chosen: Pool, write: WriteScenario) -> pa.RecordBatch:
    """The histories of one pool."""
    numbers: list[int] = []
    sizes: list[int] = []
    members: list[list[int]] = []
    schedules: Interned[tuple[str, ...]] = Interned()
    texts: list[str] = []
    transactions: Interned[tuple[str, int]] = Interned()
    file = ScenarioText(chosen, write)
    before: dict[tuple[tuple[str, int], ...], str] = {}
    known: dict[tuple[object, ...], tuple[tuple[str, ...], str, int]] = {}
    for number, path in enumerate(chosen.jobs.paths()):
        names = chosen.names_of(path)
        shape = (path.begins, path.reader_begins)
        drawn = known.get(shape)
        if drawn is None:
            schedule = schedule_class(path).representative
            shown = schedule_text(schedule, write)
            drawn = known[shape] = (tuple(map(str, schedule)), shown, chosen.size_of(path))
        steps, shown, size = drawn
        jobs = tuple(names.items())
        start = before.get(jobs)
        if start is None:
            start = before[jobs] = file.before_schedule(names)
        numbers.append(number)
        sizes.append(size)
        schedules.add(steps)
        for job in jobs:
            transactions.add(job)
        members.append(transactions.places[-len(jobs) :])
        texts.append(f"name: history {chosen.id_of(number)}\n{start}{shown}")
    rows = len(numbers)
    flat = pa.array(
        [
            {"name": name, "statement": chosen.kinds[i], "sql": chosen.texts[i]}
            for name, i in transactions.values
        ],
        _TRANSACTION,
    )
    kinds = pa.array([chosen.kinds[i] for _, i in transactions.values], pa.string())
    constant = pa.array([0] * rows, pa.int32())
    columns = {
        "history": pa.array([chosen.id_of(number) for number in numbers], pa.string()),
        "seed": pa.array([chosen.seed] * rows, pa.int64()),
        "position": pa.array([chosen.position] * rows, pa.int64()),
        "number": pa.array(numbers, pa.int32()),
        "source": pa.array([chosen.source] * rows, pa.string()),
        "layout": pa.array([chosen.layout] * rows, pa.string()),
        "level": pa.array([chosen.level] * rows, pa.string()),
        "schedules": pa.array(sizes, pa.int64()),
        "statements": lists(kinds, members),
        "transactions": lists(flat, members),
        "schedule": schedules.column(pa.list_(pa.string())),
        "table": pa.array([_table(chosen.scenario.table)], _TABLE).take(constant),
        "scenario": pa.array(texts, pa.string()),
    }
    return pa.RecordBatch.from_pydict(columns)


class ScenarioText:
    """The scenario files of a pool's histories, put together from parts that are written once.

    They are what ``write`` would give for each of them.
    """

    def __init__(self, chosen: Pool, write: WriteScenario) -> None:
        self._pool = chosen
        self._write = write
        self._heads: dict[tuple[str, ...], str] = {}
        self._transactions: dict[int, str] = {}

    def before_schedule(self, names: Mapping[str, int]) -> str:
        """The text between name and schedule, for transactions with these statements."""
        numbers = tuple(names.values())
        tables = self._pool.tables_of(numbers)
        key = tuple(tables)
        if key not in self._heads:
            self._heads[key] = self._parts(numbers[0], tables)[0]
        lines = [f"  {name}:{self._transaction(number)}" for name, number in names.items()]
        return f"{self._heads[key]}transactions:\n{''.join(lines)}"

    def _transaction(self, number: int) -> str:
        if number not in self._transactions:
            self._transactions[number] = self._parts(number, {})[1]
        return self._transactions[number]

    def _parts(self, number: int, tables: Mapping[str, TableSpec]) -> tuple[str, str]:
        """The text before the transactions, and that of one transaction behind its name."""
        scenario = replace(
            self._pool.scenario,
            name="NAME",
            transactions={"A": self._pool.texts[number]},
            schedule=(),
            tables=tables,
        )
        text = self._write(scenario)
        first, middle, last = "name: NAME\n", "\ntransactions:\n  A:", "schedule: []\n"
        if not text.startswith(first) or not text.endswith(last) or text.count(middle) != 1:
            raise ValueError(f"a scenario file of another form: {text}")
        head, _, rest = text.removeprefix(first).partition(middle)
        return f"{head}\n", rest.removesuffix(last)


@lru_cache(maxsize=4096)
def schedule_text(schedule: tuple[Step, ...], write: WriteScenario) -> str:
    """The end of a scenario file: its schedule."""
    names = {step.transaction: "OPTIMIZE t" for step in schedule}
    text = write(Scenario("NAME", TableSpec({"k": "int"}), names, schedule))
    _, found, shown = text.rpartition("\nschedule:")
    if not found:
        raise ValueError(f"a scenario file of another form: {text}")
    return f"schedule:{shown}"


def _table(spec: TableSpec) -> dict[str, object]:
    return {
        "columns": list(spec.columns.items()),
        "partition_by": list(spec.partition_by),
        "cluster_by": list(spec.cluster_by),
        "properties": list(spec.properties.items()),
        "setup": list(spec.setup),
    }
