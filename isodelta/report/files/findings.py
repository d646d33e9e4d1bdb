"""The scenario file of a finding: what replays it, in the format that people write by hand."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from isodelta.files.scenario_writer import mapping_yaml
from isodelta.report.data import Finding
from isodelta.report.pictures.svg import printable


def scenario_yaml(scenario: Mapping[str, Any]) -> str:
    """A scenario mapping as YAML text that loads back to the same mapping.

    Raises ``yaml.YAMLError`` where the mapping holds something that YAML has no type for.
    """
    return mapping_yaml(_plain(scenario))


def finding_yaml(finding: Finding, engine: str) -> str:
    """The file of one finding: a heading in comments, then the scenario."""
    told = [
        finding.title,
        f"{finding.kind.value}; level: {finding.level}",
        finding.summary,
        f"Run it: {replay_command(finding, engine)}",
    ]
    heading = [
        f"# {line}"
        for text in told
        for line in textwrap.wrap(" ".join(printable(text).split()), 96) or [""]
    ]
    return "\n".join(heading) + "\n" + scenario_yaml(finding.scenario)


def replay_command(finding: Finding, engine: str) -> str:
    """The command that runs a finding again, from inside the report folder."""
    if finding.profile is not None:
        return f"isodelta check findings/{finding.name}.yaml --profile {finding.profile}"
    if engine in ("", "model"):
        return f"isodelta check findings/{finding.name}.yaml"
    return f"isodelta replay findings/{finding.name}.yaml --engine {engine}"


def _plain(value: Any) -> Any:
    """Tuples and read-only mappings as the lists and dicts that YAML knows."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
