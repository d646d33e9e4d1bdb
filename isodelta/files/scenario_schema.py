"""The shape of a scenario file: what keys there are, and of which type.

pydantic checks it and writes it down as a JSON Schema for editors:
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
"""How a transaction ends that fails by itself: the name that Spark gives the error."""


def _scalar(value: Any) -> Any:
    if isinstance(value, dict | list):
        raise ValueError("a value in a row is a number, a text, true, false or null")
    return value


def _property(value: Any) -> Any:
    # `true` and `10` are how YAML writes what Delta stores as the texts 'true' and '10'.
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

    Without any of them (``table: {}``) there is no table yet, and the transactions create it.
    """

    columns: dict[str, str] = Field(
        default={},
        description="Column names and Spark SQL types: int, bigint, string, boolean, double, "
        "date, timestamp, decimal(p,s). Without columns there is no table yet.",
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


class ExpectShape(_Strict):
    """What the author expects; a mismatch is a failure."""

    outcomes: Outcomes = Field(default={}, description="How transactions end, by name.")
    rows: list[list[Scalar]] | None = Field(
        default=None, description="The table's rows at the end, in any order."
    )
    levels: Levels = Field(default={}, description="Verdicts of the conflict reading, by level.")


class ScenarioShape(_Strict):
    """One concurrent history to be: a table, transactions, and the order of their steps."""

    name: str = Field(min_length=1, description="What people call it.")
    table: TableShape = Field(description="The target table, called t in every statement.")
    tables: dict[str, TableShape] = Field(
        default={}, description="Other tables that statements read from, by name."
    )
    transactions: dict[str, str] = Field(
        min_length=1, description="One SQL statement for each transaction, by its name."
    )
    schedule: list[str] = Field(
        min_length=1,
        description="Steps in order: begin NAME, commit NAME, or NAME for both at once.",
    )
    expect: ExpectShape = Field(default=ExpectShape(), description="What should come of it.")


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
