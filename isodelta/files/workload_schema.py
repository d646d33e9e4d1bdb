"""The schema of a workload file, the input of ``isodelta robust``.

``python -m isodelta.files.workload_schema > docs/workload.schema.json`` prints it as JSON Schema.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from checker.robustness.rates.given import ATTEMPTS, SPREAD
from isodelta.files.scenario_schema import TableShape


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class WorkloadExpectShape(_Strict):
    """The answer that the author expects; any other is a failure."""

    verdict: Literal["robust", "not robust", "unknown"] | None = Field(
        default=None, description="Whether a serial order always explains all jobs."
    )
    writers: Literal["robust", "not robust", "unknown"] | None = Field(
        default=None, description="The same for the writing jobs alone."
    )


def _as_list(value: Any) -> Any:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return value
    raise ValueError("should be a SQL statement, or a list of them")


Statements = Annotated[
    list[str],
    Field(min_length=1),
    BeforeValidator(_as_list),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "minItems": 1, "items": {"type": "string"}},
            ]
        }
    ),
]
"""The SQL of one job: a statement, or several, each of which is a transaction of its own."""


class JobRateShape(_Strict):
    """How often a job runs, and for how long."""

    per_day: float | None = Field(default=None, ge=0, description="Runs per day, at random times.")
    every: str | None = Field(
        default=None, description="The time between two runs at regular intervals, such as 15m."
    )
    seconds: float = Field(ge=0, description="The mean duration of a run, from begin to commit.")
    spread: float = Field(
        default=SPREAD, ge=0, description="The durations' standard deviation over their mean."
    )
    attempts: int = Field(
        default=ATTEMPTS, ge=1, description="The attempts of a run before it is given up."
    )


class RatesShape(_Strict):
    """Rates and durations of jobs, for an estimate of aborts per day."""

    jobs: dict[str, JobRateShape] = Field(
        min_length=1, description="The rate of each job, by name."
    )
    same: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default={},
        description="For a column, the share of pairs of runs whose parameters for it are equal; 1 "
        "if it is left out.",
    )


class WorkloadShape(_Strict):
    """A table, and the jobs on it, each of which may run any number of times concurrently."""

    name: str = Field(min_length=1, description="The workload's name.")
    table: TableShape = Field(description="The target table, called t in every statement.")
    tables: dict[str, TableShape] = Field(
        default={}, description="Other tables that jobs read, by name."
    )
    jobs: dict[str, Statements] = Field(
        min_length=1,
        description="The SQL of each job, by the job's name: a statement, or a list of them; "
        ":name is a parameter.",
    )
    parameters: dict[str, str] = Field(
        default={},
        description="Types of parameters that cannot be inferred from a column, by name.",
    )
    rates: RatesShape | None = Field(
        default=None, description="Rates of the jobs, for an estimate of aborts per day."
    )
    expect: WorkloadExpectShape = Field(
        default=WorkloadExpectShape(), description="The expected answer."
    )


def schema_text() -> str:
    """The JSON Schema as docs/workload.schema.json holds it."""
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **WorkloadShape.model_json_schema(),
        "title": "isodelta workload file",
    }
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
