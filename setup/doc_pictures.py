"""The timelines in the documentation, drawn from runs of the model.

usage: python setup/doc_pictures.py

Writes docs/pictures/*.svg. A test compares the files with what this module draws.
"""

from __future__ import annotations

from pathlib import Path

from isodelta.files.scenarios import load_scenarios
from isodelta.report.pictures.timeline import timeline_svg
from isodelta.runs.judging import check_scenario
from isodelta.runs.running import parse_scenarios
from model.scenario import Scenario

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"

_TABLE = """
table:
  columns: {k: int, p: int, v: int}
  partition_by: [p]
  properties: {delta.isolationLevel: WriteSerializable}
  setup: ["INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)"]
transactions: {A: DELETE FROM t WHERE p = 1, B: "INSERT INTO t VALUES (7, 1, 0)"}
"""

_STYLE = """<style>
svg { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
text { fill: #24292f; }
.step, .label, .edge-label { text-anchor: middle; }
.step, .label, .muted { fill: #57606a; }
.lane-name { font-weight: 650; font-size: 14px; }
.strong { fill: #24292f; font-weight: 600; }
.bad { fill: #a3211a; font-weight: 600; }
.lane { stroke: #1a5aa8; stroke-width: 3; }
.lane.refused { stroke: #a3211a; stroke-dasharray: 6 4; }
.begin { fill: #fff; stroke: #1a5aa8; stroke-width: 2.5; }
.mark { fill: #1a5aa8; stroke: #fff; stroke-width: 1.5; }
.mark.hole { fill: #fff; stroke: none; }
.mark.cross { fill: none; stroke: #a3211a; stroke-width: 3; }
.log { stroke: #57606a; stroke-width: 1.2; }
.version { fill: #57606a; }
.drop { stroke: #57606a; stroke-dasharray: 2 4; }
@media (prefers-color-scheme: dark) {
  text, .strong { fill: #e6edf3; }
  .step, .label, .muted { fill: #9da7b1; }
  .bad { fill: #ff9c94; }
  .lane { stroke: #7fb0ee; }
  .lane.refused, .mark.cross { stroke: #ff9c94; }
  .begin { fill: #1e2129; stroke: #7fb0ee; }
  .mark { fill: #7fb0ee; stroke: #1e2129; }
  .mark.hole { fill: #1e2129; }
  .log, .drop { stroke: #9da7b1; }
  .version { fill: #9da7b1; }
}
</style>"""


def _scenario(name: str, schedule: str) -> Scenario:
    (scenario,) = parse_scenarios(f"name: {name}{_TABLE}schedule: [{schedule}]\n")
    return scenario


def scenarios() -> dict[str, Scenario]:
    """The scenario of each picture, by the picture's name."""
    root = FOLDER.parents[1] / "scenarios"
    return {
        "level_both": _scenario("both levels", "B, begin A, commit A"),
        "level_weak": _scenario("WriteSerializable only", "begin A, B, commit A"),
        "level_none": load_scenarios(root / "subquery_in_set.yaml")[0],
        "blind_append": load_scenarios(root / "write_serializable_hole.yaml")[0],
    }


def pictures() -> dict[str, str]:
    """Each picture, by the name of its file."""
    drawn = {}
    for name, scenario in scenarios().items():
        result = check_scenario(scenario).result
        svg = str(timeline_svg(scenario, result, None, name))
        head, rest = svg.split(">", 1)
        if "xmlns" not in head:
            head += ' xmlns="http://www.w3.org/2000/svg"'
        drawn[f"{name}.svg"] = f"{head}>{_STYLE}{rest}\n"
    return drawn


if __name__ == "__main__":
    for file, text in pictures().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
