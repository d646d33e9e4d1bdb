"""The scenario file of a finding: what replays it, in the format that people write by hand."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import yaml

from isodelta.report.data import Finding
from isodelta.report.svg import printable

_FLOW_KEYS = frozenset({"columns", "partition_by", "cluster_by", "properties", "schedule"})
_EXPECT_KEYS = frozenset({"outcomes", "levels", "rows"})


class _Flow:
    """A value that is written on one line, as a person would write it."""

    def __init__(self, value: object) -> None:
        self.value = value


class _Dumper(yaml.SafeDumper):
    """SafeDumper that knows `_Flow` and indents lists below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _represent_flow(dumper: yaml.SafeDumper, flow: _Flow) -> yaml.Node:
    node = dumper.represent_data(flow.value)
    _set_flow(node)
    return node


def _set_flow(node: yaml.Node) -> None:
    if isinstance(node, yaml.CollectionNode):
        node.flow_style = True
        for child in node.value:
            for part in child if isinstance(child, tuple) else (child,):
                _set_flow(part)


_Dumper.add_representer(_Flow, _represent_flow)


def scenario_yaml(scenario: Mapping[str, Any]) -> str:
    """A scenario mapping as YAML text that loads back to the same mapping.

    Raises ``yaml.YAMLError`` where the mapping holds something that YAML has no type for.
    """
    arranged = {key: _arranged(key, _plain(value)) for key, value in scenario.items()}
    text: str = yaml.dump(
        arranged, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000
    )
    return text


def finding_yaml(finding: Finding, engine: str) -> str:
    """The file of one finding: a heading in comments, then the scenario."""
    told = [
        finding.title,
        f"{finding.kind.value}; level: {finding.level}",
        finding.summary,
        f"Run it: {replay_command(finding.name, engine)}",
    ]
    heading = [
        f"# {line}"
        for text in told
        for line in textwrap.wrap(" ".join(printable(text).split()), 96) or [""]
    ]
    return "\n".join(heading) + "\n" + scenario_yaml(finding.scenario)


def replay_command(name: str, engine: str) -> str:
    """The command that runs a finding again, from inside the report folder."""
    if engine in ("", "model"):
        return f"isodelta check findings/{name}.yaml"
    return f"isodelta replay findings/{name}.yaml --engine {engine}"


def _arranged(key: str, value: Any) -> Any:
    if key in ("table", "expect") and isinstance(value, dict):
        return {k: _flowing(k, v) for k, v in value.items()}
    if key == "tables" and isinstance(value, dict):
        return {name: _arranged("table", table) for name, table in value.items()}
    return _flowing(key, value)


def _flowing(key: str, value: Any) -> Any:
    return _Flow(value) if key in _FLOW_KEYS | _EXPECT_KEYS else value


def _plain(value: Any) -> Any:
    """Tuples and read-only mappings as the lists and dicts that YAML knows."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
