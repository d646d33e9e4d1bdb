"""The stage of findings in the model: the causes of violations, each in its simplest history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.search.shrinking import minimise
from model.preparation import run_scenario
from model.profiles.base import Profile
from model.scenario import Scenario
from pipeline.stages.histories import WriteScenario
from pipeline.stream import history

MINIMISED = 12
"""Causes of a batch that are made small, the most frequent first: each takes up to a second."""


def causes(verdicts: Any) -> Any:
    """The causes of a batch: one row each, with its number of histories and the simplest one.

    ``verdicts`` are the rows of the table of verdicts, with the columns ``size`` (transactions),
    ``position`` and ``number`` besides.
    """
    from pyspark.sql import functions as f

    simplest = f.min(f.struct("size", "position", "number", "history"))
    return (
        verdicts.where("verdict = 'violated'")
        .groupBy("profile", "cause", "level", "promised", "anomaly", "cycle")
        .agg(f.count("*").alias("count"), simplest.alias("simplest"))
        .select("*", "simplest.position", "simplest.number", "simplest.history")
        .drop("simplest")
    )


def smallest(
    rows: Any, seed: int, sizes: tuple[int, ...], profiles: Sequence[Profile], write: WriteScenario
) -> Any:
    """The scenario of each cause, as small as it gets where ``wanted`` says so.

    ``rows`` have ``profile``, ``cause``, ``level``, ``position``, ``number`` and ``wanted``; the
    result has the first two, and ``scenario``, ``minimal`` and ``table_level``.
    """
    by_name = {profile.name: profile for profile in profiles}

    def batches(batches_in: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches_in:
            made = []
            for row in batch.to_pylist():
                scenario = history(seed, row["position"], row["number"], sizes)
                if row["wanted"]:
                    scenario = _smallest(scenario, by_name[row["profile"]], row["level"])
                made.append(
                    {
                        "profile": row["profile"],
                        "cause": row["cause"],
                        "scenario": write(scenario),
                        "minimal": row["wanted"],
                        "table_level": scenario.level,
                    }
                )
            if made:
                yield pa.RecordBatch.from_pylist(made)

    columns = "profile string, cause string, scenario string, minimal boolean, table_level string"
    return rows.mapInArrow(batches, columns)


def _smallest(scenario: Scenario, profile: Profile, level: str) -> Scenario:
    """The scenario made small while the level is violated by a cycle of the same edges."""
    wanted = _cycle(scenario, profile, level)
    small = minimise(scenario, lambda candidate: _cycle(candidate, profile, level) == wanted)
    return replace(small, name=f"{level} broken, from {scenario.name}")


def _cycle(scenario: Scenario, profile: Profile, level: str) -> tuple[str, ...]:
    decided = graph.decide(dependencies(run_scenario(scenario, profile).history), level)
    return tuple(sorted(edge.kind.value for edge in decided.cycle))
