"""The stages of choice, replays and comparison.

The positions offer their best histories; of those the batch takes what teaches most beside what
the store has already. Each task of the replays has an engine in a process of its own, for as long
as its Python worker lives.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from model.profiles.base import Profile
from pipeline.engines.host import EngineHost, StartEngine
from pipeline.engines.replaying import Order, Outcome
from pipeline.lessons.choice import chosen_first
from pipeline.stages.histories import WriteScenario
from pipeline.store.schemas import ENDING_TYPE
from pipeline.stream import history

DIFFERENCE_TYPE = (
    "struct<transaction: string, what: string, predicted: string, observed: string, class: string>"
)
CAUSE_TYPE = (
    "struct<cause: string, level: string, anomaly: string, cycle: array<string>, rule: string, "
    "statements: array<string>, title: string, minimal: boolean, scenario: string>"
)
COLUMNS = (
    "history string, place int, lessons array<string>, "
    f"transactions array<{ENDING_TYPE}>, levels map<string, string>, rows int, "
    f"differences int, error string, seconds double, found array<{DIFFERENCE_TYPE}>, "
    f"causes array<{CAUSE_TYPE}>"
)
"""The columns that the stage gives, as Spark declares them."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A history that was chosen: its place in the choice, and what it shows."""

    place: int
    history: str
    position: int
    number: int
    lessons: tuple[str, ...]


def choose(predicted: Any, profile: str, shown: Mapping[str, int], count: int) -> list[Chosen]:
    """The histories of a batch to replay, of those that the positions offer."""
    offered = (
        predicted.where(f"lessons is not null and profile = '{profile}'")
        .select("history", "position", "number", "lessons")
        .orderBy("position", "number")
        .collect()
    )
    by_name = {row.history: row for row in offered}
    candidates = {row.history: row.lessons for row in offered}
    return [
        Chosen(place, name, by_name[name].position, by_name[name].number, tuple(lessons))
        for place, (name, lessons) in enumerate(chosen_first(candidates, shown, count))
    ]


def replays(
    session: Any,
    chosen: Sequence[Chosen],
    seed: int,
    sizes: tuple[int, ...],
    profile: Profile,
    start: StartEngine,
    write: WriteScenario,
    known: frozenset[str],
    tasks: int,
) -> Any:
    """The replays of the chosen histories, as a DataFrame; ``tasks`` of them side by side.

    ``known`` are causes that are not made small again.
    """
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    rows = [(c.place, c.history, c.position, c.number, list(c.lessons)) for c in chosen]
    schema = "place int, history string, position bigint, number int, lessons array<string>"
    # One position stays together: its histories share a table, and so a tree.
    orders = session.createDataFrame(rows, schema).repartition(tasks, "position")

    declared: Any = StructType.fromDDL(COLUMNS)
    arrow = to_arrow_schema(declared)

    def batches(given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        host = hosted(start)
        seen = set(known)
        for batch in given:
            for row in batch.to_pylist():
                scenario = history(seed, row["position"], row["number"], sizes)
                outcome = host.run(Order(scenario, profile, True, frozenset(seen)))
                seen.update(cause.cause for cause in outcome.causes)
                yield pa.RecordBatch.from_pylist([_row(row, outcome, write)], arrow)

    return orders.mapInArrow(batches, COLUMNS)


_HOSTS: dict[object, EngineHost] = {}


def hosted(start: StartEngine) -> EngineHost:
    """The engine of this Python worker; it ends with the worker."""
    key = _key(start)
    if key not in _HOSTS:
        host = _HOSTS[key] = EngineHost(start)
        atexit.register(host.close)
    return _HOSTS[key]


def _key(start: Callable[..., object]) -> object:
    # A function that travelled to a worker is another object each time.
    return repr(getattr(start, "args", None)), getattr(start, "func", start).__name__


def _row(row: Mapping[str, Any], outcome: Outcome, write: WriteScenario) -> dict[str, object]:
    return {
        "history": row["history"],
        "place": row["place"],
        "lessons": row["lessons"],
        "transactions": outcome.transactions,
        "levels": list(outcome.levels.items()),
        "rows": outcome.rows,
        "differences": len(outcome.differences),
        "error": outcome.error,
        "seconds": outcome.seconds,
        "found": outcome.differences,
        "causes": [
            {
                "cause": cause.cause,
                "level": cause.level,
                "anomaly": cause.anomaly,
                "cycle": list(cause.cycle),
                "rule": cause.rule,
                "statements": list(cause.statements),
                "title": cause.title,
                "minimal": cause.minimal,
                "scenario": write(cause.scenario),
            }
            for cause in outcome.causes
        ],
    }
