"""report.json: the whole report for programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from isodelta.files.scenario_writer import scenario_mapping
from isodelta.report.data import Coverage, MatrixCell, Report
from isodelta.report.files.findings import replay_command
from isodelta.report.views.answers import level_answers
from isodelta.runs.results import RunResult


def report_object(report: Report) -> dict[str, object]:
    """The report as one JSON object; ``summary`` comes first and has the contract's counts."""
    return {
        "summary": dataclasses.asdict(report.summary),
        "complete": report.complete,
        "incomplete_because": report.incomplete_in_words,
        "left_out": report.left_out,
        "paragraph": report.paragraph,
        "command": report.command,
        "profile": report.profile,
        "engine": report.engine,
        "seed": report.seed,
        "created": report.created,
        "versions": dict(report.versions),
        "levels": {answer.level: dataclasses.asdict(answer) for answer in level_answers(report)},
        "findings": [
            {
                "name": finding.name,
                "title": finding.title,
                "class": finding.kind.value,
                "level": finding.level,
                "summary": finding.summary,
                "file": f"findings/{finding.name}.yaml",
                "command": replay_command(finding, report.engine),
                "scenario": scenario_mapping(finding.scenario),
                "predicted": _result(finding.predicted),
                "observed": _result(finding.observed),
            }
            for finding in report.findings
        ],
        "scenarios": [
            {
                "name": scenario.name,
                "level": scenario.level,
                "file": scenario.file,
                "predicted": _result(scenario.predicted),
                "observed": _result(scenario.observed),
                "failures": scenario.failures,
                "error": scenario.error,
                "finding": scenario.finding,
                "seconds": scenario.seconds,
            }
            for scenario in report.scenarios
        ],
        "parts": [dataclasses.asdict(part) for part in report.parts],
        "matrix": [_cell(cell) for cell in report.matrix],
        "claims": [dataclasses.asdict(line) for line in report.claims],
        "coverage": _coverage(report.coverage),
        "bounds": [
            {**dataclasses.asdict(bound), "sentence": bound.sentence} for bound in report.bounds
        ],
        "lattice": None if report.lattice is None else dataclasses.asdict(report.lattice),
        "theorems": [dataclasses.asdict(theorem) for theorem in report.theorems],
    }


def report_json(report: Report) -> str:
    """The JSON text. Raises ``TypeError`` for a value that JSON cannot represent."""
    return json.dumps(_plain(report_object(report)), indent=1, ensure_ascii=False) + "\n"


def _result(result: RunResult | None) -> dict[str, object] | None:
    return None if result is None else result.to_json()


def _cell(cell: MatrixCell) -> dict[str, object]:
    witness = None if cell.witness is None else scenario_mapping(cell.witness)
    return {**dataclasses.asdict(dataclasses.replace(cell, witness=None)), "witness": witness}


def _coverage(coverage: Coverage) -> dict[str, object]:
    return {
        "statements": coverage.statements,
        "pairs": [
            {"current": current, "winner": winner, "count": count}
            for (current, winner), count in coverage.pairs.items()
        ],
        "conflicts": coverage.conflicts,
        "anomalies": coverage.anomalies,
        "other": coverage.other,
        "schedules_full": coverage.schedules_full,
        "schedules_run": coverage.schedules_run,
    }


def _plain(value: Any) -> Any:
    """SQL's own types as text, tuples as lists; everything else must be JSON already."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    return value
