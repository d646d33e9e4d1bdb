"""The stage of findings in the model: the causes of violations, each in its simplest history."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa

from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.search.shrinking import minimise
from model.preparation import run_scenario
from model.profiles.base import Profile
from model.scenario import Scenario
from pipeline.stages.histories import WriteScenario
from pipeline.stream import history

C = TypeVar("C")

EDGE = re.compile(r" -[^>]*-> ")
"""An edge in the name of a cause, between two kinds of statements."""

MINIMISED = 12
"""Causes of a batch that are made small, the most frequent first: each takes up to a second."""


def causes(
    session: Any,
    verdicts: Any,
    seed: int,
    sizes: tuple[int, ...],
    profiles: Sequence[Profile],
    write: WriteScenario,
    known: Collection[tuple[str, str]],
    make: Callable[..., C],
) -> list[C]:
    """The causes of a batch, the broken promises first, then the most frequent.

    ``verdicts`` are the rows of the table of verdicts, with ``size`` (transactions), ``position``
    and ``number`` besides. ``known`` are the kinds and names of causes that are not made small
    again. ``make`` is called with the parts of each cause by name.
    """
    counted = _counted(verdicts).collect()
    counted.sort(key=lambda row: (not row.promised, -row["count"], row.cause, row.profile))
    kinds = {True: "level-violation", False: "documented"}
    wanted = [row for row in counted if row.promised and (kinds[True], row.cause) not in known]
    small = _made_small(session, wanted[:MINIMISED], seed, sizes, profiles, write)
    made = []
    for row in counted:
        scenario = history(seed, row.position, row.number, sizes)
        text = small.get((row.profile, row.cause))
        made.append(
            make(
                kind=kinds[row.promised],
                cause=row.cause,
                profile=row.profile,
                engine=None,
                level=row.level,
                table_level=scenario.level,
                anomaly=row.anomaly,
                cycle=tuple(row.cycle),
                rule=None,
                statements=statements_of(row.cause),
                count=row["count"],
                history=row.history,
                title=f"{row.anomaly} breaks {row.cause}",
                minimal=text is not None,
                scenario=write(scenario) if text is None else text,
            )
        )
    return made


def _counted(verdicts: Any) -> Any:
    """One row for each cause, with its number of histories and the simplest one."""
    from pyspark.sql import functions as f

    simplest = f.min(f.struct("size", "position", "number", "history"))
    return (
        verdicts.where("cause is not null")
        .groupBy("profile", "cause", "level", "promised")
        .agg(
            f.count("*").alias("count"),
            f.min("anomaly").alias("anomaly"),
            f.min("cycle").alias("cycle"),
            simplest.alias("simplest"),
        )
        .select("*", "simplest.position", "simplest.number", "simplest.history")
        .drop("simplest")
    )


def _made_small(
    session: Any,
    rows: Sequence[Any],
    seed: int,
    sizes: tuple[int, ...],
    profiles: Sequence[Profile],
    write: WriteScenario,
) -> dict[tuple[str, str], str]:
    """The smallest scenario of each of these causes, made on the executors."""
    if not rows:
        return {}
    by_name = {profile.name: profile for profile in profiles}

    def batches(given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in given:
            for row in batch.to_pylist():
                scenario = history(seed, row["position"], row["number"], sizes)
                small = _smallest(scenario, by_name[row["profile"]], row["level"])
                named = {"profile": row["profile"], "cause": row["cause"]}
                yield pa.RecordBatch.from_pylist([{**named, "scenario": write(small)}])

    orders = [(r.profile, r.cause, r.level, r.position, r.number) for r in rows]
    schema = "profile string, cause string, level string, position bigint, number int"
    frame = session.createDataFrame(orders, schema).repartition(len(orders))
    made = frame.mapInArrow(batches, "profile string, cause string, scenario string").collect()
    return {(row.profile, row.cause): row.scenario for row in made}


def statements_of(cause: str) -> tuple[str, ...]:
    """The statement kinds in the name of a cause, sorted, each once."""
    steps = EDGE.split(cause.partition(": ")[2])
    return tuple(sorted(set(steps)))


def _smallest(scenario: Scenario, profile: Profile, level: str) -> Scenario:
    """The scenario made small while the level is violated by a cycle of the same edges."""
    wanted = _cycle(scenario, profile, level)
    small = minimise(scenario, lambda candidate: _cycle(candidate, profile, level) == wanted)
    return replace(small, name=f"{level} broken, from {scenario.name}")


def _cycle(scenario: Scenario, profile: Profile, level: str) -> tuple[str, ...]:
    decided = graph.decide(dependencies(run_scenario(scenario, profile).history), level)
    return tuple(sorted(edge.kind.value for edge in decided.cycle))
