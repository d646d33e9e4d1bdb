"""The JSON schema of scenario files: current in docs, complete, and in words."""

from __future__ import annotations

from pathlib import Path

from isodelta.files.scenario_schema import json_schema, schema_text

ROOT = Path(__file__).parents[3]


def test_the_schema_in_docs_is_current() -> None:
    path = ROOT / "docs" / "scenario.schema.json"
    assert path.read_text(encoding="utf-8") == schema_text(), (
        "run: python -m isodelta.files.scenario_schema > docs/scenario.schema.json"
    )


def test_the_schema_knows_every_key_and_says_what_it_is() -> None:
    definitions = json_schema()["$defs"]
    assert set(definitions) == {"ScenarioShape", "TableShape", "ExpectShape", "TableExpectShape"}
    for definition in definitions.values():
        assert definition["additionalProperties"] is False
        assert all("description" in shape for shape in definition["properties"].values())
