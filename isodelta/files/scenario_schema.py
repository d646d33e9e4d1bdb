"""The schema of a scenario file: its keys and their types.

pydantic checks it and prints it as a JSON Schema for editors:
``python -m isodelta.files.scenario_schema > docs/scenario.schema.json``.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    WithJsonSchema,
)

from model.levels import LEVELS
from model.outcomes import CONFLICT_NAMES, SUCCEEDED

ERROR_CLASS = r"_?[A-Z][A-Z0-9]*(_[A-Z0-9]+)+(\.[A-Z0-9_]+)?"
"""The outcome of a transaction that fails by itself: Spark's name for the error."""


def _scalar(value: Any) -> Any:
    if isinstance(value, dict | list):
        raise ValueError("a value in a row has to be a number, a string, true, false or null")
    return value


def _property(value: Any) -> Any:
    # Delta stores properties as strings; in YAML people write `true` and `10` without quotes.
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else value


Scalar = Annotated[
    Any,
    BeforeValidator(_scalar),
    WithJsonSchema({"type": ["null", "boolean", "number", "string"]}),
]
Property = Annotated[
    str,
    BeforeValidator(_property),
    WithJsonSchema({"type": ["string", "boolean", "integer"]}),
]
Outcomes = Annotated[
    dict[str, str],
    WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": {
                "anyOf": [{"enum": [*SUCCEEDED, *CONFLICT_NAMES]}, {"pattern": f"^{ERROR_CLASS}$"}]
            },
        }
    ),
]
Levels = Annotated[
    dict[str, Literal["holds", "violated", "unknown"]],
    WithJsonSchema(
        {
            "type": "object",
            "propertyNames": {"enum": sorted(LEVELS)},
            "additionalProperties": {"enum": ["holds", "violated", "unknown"]},
        }
    ),
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class TableShape(_Strict):
    """A table: its columns, its layout, and the statements that fill it.

    An empty mapping (``table: {}``) means that the table does not exist yet: the transactions
    create it.
    """

    columns: dict[str, str] = Field(
        default={},
        description="Column names and Spark SQL types: int, bigint, string, boolean, double, "
        "date, timestamp, decimal(p,s). Without columns the table does not exist yet.",
    )
    partition_by: list[str] = Field(default=[], description="Partition columns.")
    cluster_by: list[str] = Field(default=[], description="Liquid clustering columns.")
    properties: dict[str, Property] = Field(
        default={}, description="Table properties, such as delta.isolationLevel."
    )
    setup: list[str] = Field(
        default=[],
        description="SQL statements run before the transactions; each is one commit.",
    )


class TableExpectShape(_Strict):
    """What the author expects of one table."""

    rows: list[list[Scalar]] | None = Field(
        default=None, description="The table's final rows, in any order."
    )
    levels: Levels = Field(default={}, description="Verdicts of the conflict reading, by level.")


class ExpectShape(TableExpectShape):
    """What the author expects; a mismatch is a failure."""

    outcomes: Outcomes = Field(default={}, description="How transactions end, by name.")
    tables: dict[str, TableExpectShape] = Field(
        default={}, description="Rows and levels of other tables that transactions write, by name."
    )


Clock = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "additionalProperties": {"type": "string"}},
            ]
        }
    ),
]


class ScenarioShape(_Strict):
    """A table, transactions on it, and the order of their steps."""

    name: str = Field(min_length=1, description="The scenario's name.")
    table: TableShape = Field(
        description="The target table: the one that the statements write, t or any other name."
    )
    tables: dict[str, TableShape] = Field(
        default={},
        description="Other tables that the statements read, by the names that they use: s, "
        "sales.orders, main.sales.`open orders`. One that a transaction writes is a Delta table "
        "with a log and a level of its own.",
    )
    transactions: dict[str, str] = Field(
        min_length=1,
        description="One SQL statement for each transaction, by the transaction's name.",
    )
    schedule: list[str] = Field(
        min_length=1,
        description="Steps in order: begin NAME, commit NAME, or NAME for both at once.",
    )
    clock: Clock = Field(
        default=None,
        description="The time (2026-01-31 12:00:00) that current_timestamp() and the like give in "
        "the set-up, or the times at which transactions begin, by name; the others begin a minute "
        "after the one before.",
    )
    expect: ExpectShape = Field(default=ExpectShape(), description="The expected result.")


class FileShape(RootModel[ScenarioShape | list[ScenarioShape]]):
    """A scenario file: one scenario, or a list of them."""


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a scenario file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **FileShape.model_json_schema(),
        "title": "isodelta scenario file",
    }


def schema_text() -> str:
    """The JSON Schema as docs/scenario.schema.json holds it."""
    return json.dumps(json_schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
