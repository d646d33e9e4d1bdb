"""The scenario file of a finding, in the format that people write by hand."""

from __future__ import annotations

import textwrap

from isodelta.files.scenario_writer import scenario_yaml
from isodelta.report.data import Finding
from isodelta.report.pictures.svg import printable


def finding_yaml(finding: Finding, engine: str) -> str:
    """The file of one finding: a heading in comments, then the scenario."""
    texts = [
        finding.title,
        f"{finding.kind.value}; level: {finding.level}",
        finding.summary,
        f"Run it: {replay_command(finding, engine)}",
    ]
    heading = [
        f"# {line}"
        for text in texts
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
