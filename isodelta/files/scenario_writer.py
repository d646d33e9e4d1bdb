"""Scenarios as YAML, in the style in which people write them by hand.

The YAML reads back as the same scenario, with this project's reader (isodelta.files.scenarios)
and with any other YAML reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from isodelta.files.values import plain
from isodelta.files.yaml_source import plain_scalar
from model.scenario import Expectation, Scenario, Step, TableSpec

_ON_ONE_LINE = frozenset(
    {
        "columns",
        "partition_by",
        "cluster_by",
        "properties",
        "schedule",
        "outcomes",
        "rows",
        "levels",
    }
)


def scenario_mapping(scenario: Scenario) -> dict[str, Any]:
    """The mapping that a scenario file holds, in types that YAML and JSON both know.

    Keys with default values are left out.
    """
    mapping: dict[str, Any] = {"name": scenario.name, "table": _table(scenario.table)}
    if scenario.tables:
        mapping["tables"] = {name: _table(spec) for name, spec in scenario.tables.items()}
    mapping["transactions"] = dict(scenario.transactions)
    mapping["schedule"] = schedule_entries(scenario.schedule)
    if expect := _expect(scenario.expect):
        mapping["expect"] = expect
    return mapping


def schedule_entries(schedule: Sequence[Step]) -> list[str]:
    """A schedule as strings; a begin directly followed by its commit is the bare name."""
    entries: list[str] = []
    position = 0
    while position < len(schedule):
        step = schedule[position]
        following = schedule[position + 1] if position + 1 < len(schedule) else None
        if step.action == "begin" and following == Step("commit", step.transaction):
            entries.append(step.transaction)
            position += 2
        else:
            entries.append(str(step))
            position += 1
    return entries


def _table(spec: TableSpec) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    if spec.columns:
        mapping["columns"] = dict(spec.columns)
    if spec.partition_by:
        mapping["partition_by"] = list(spec.partition_by)
    if spec.cluster_by:
        mapping["cluster_by"] = list(spec.cluster_by)
    if spec.properties:
        mapping["properties"] = dict(spec.properties)
    if spec.setup:
        mapping["setup"] = list(spec.setup)
    return mapping


def _expect(expect: Expectation) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    if expect.outcomes:
        mapping["outcomes"] = dict(expect.outcomes)
    if expect.rows is not None:
        mapping["rows"] = [[plain(value) for value in row] for row in expect.rows]
    if expect.levels:
        mapping["levels"] = dict(expect.levels)
    if expect.tables:
        mapping["tables"] = {name: _expect(table) for name, table in expect.tables.items()}
    return mapping


def scenario_yaml(scenarios: Scenario | Sequence[Scenario]) -> str:
    """One scenario as a mapping, or several as a list, in YAML."""
    if isinstance(scenarios, Scenario):
        return mapping_yaml(scenario_mapping(scenarios))
    return "\n".join(mapping_yaml([scenario_mapping(scenario)]) for scenario in scenarios)


def mapping_yaml(data: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str:
    """A mapping such as ``scenario_mapping`` gives, or a list of them, in YAML."""
    text: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, indent=2
    )
    return text


class _Dumper(yaml.SafeDumper):
    """Writes short collections on one line and quotes strings that others would misread."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = None if isinstance(plain_scalar(text), str) else "'"
    if not text.isprintable():
        # Unicode line breaks survive only as escapes.
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_mapping(dumper: yaml.SafeDumper, mapping: dict[str, Any]) -> yaml.Node:
    pairs = []
    for key, value in mapping.items():
        node = dumper.represent_data(value)
        if key in _ON_ONE_LINE and isinstance(node, yaml.CollectionNode):
            node.flow_style = True
        pairs.append((dumper.represent_data(key), node))
    return yaml.MappingNode("tag:yaml.org,2002:map", pairs, flow_style=False)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(dict, _represent_mapping)
