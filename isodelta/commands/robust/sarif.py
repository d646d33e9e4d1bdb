"""Answers as SARIF, so that a code review shows them at file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from isodelta.commands.robust.readings import meaning
from isodelta.commands.robust.results import Asked
from isodelta.commands.robust.sources.statements import Statement
from isodelta.commands.robust.sources.tables import LoadedTable
from isodelta.exits import BadInput
from isodelta.versions import versions

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_RULES = {
    "not-robust": "Runs of these jobs can commit together although no serial order explains them.",
    "not-known": "Neither a proof nor a history was found for these jobs.",
    "retry-unsafe": "Running this job again after an open error can change the rows.",
}


def write_sarif(results: Sequence[Asked], file: Path) -> None:
    """Writes the answers as one SARIF log. Raises BadInput if the file cannot be written."""
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "isodelta",
                        "version": versions()["isodelta"],
                        "rules": [
                            {"id": name, "shortDescription": {"text": text}}
                            for name, text in _RULES.items()
                        ],
                    }
                },
                "results": [finding for asked in results for finding in _findings(asked)],
            }
        ],
    }
    try:
        file.write_text(json.dumps(log, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--sarif {file}: {error.strerror}") from error


def _findings(asked: Asked) -> Iterator[dict[str, object]]:
    answer, name = asked.answer, asked.answer.jobs.name
    serial = answer.serial
    if serial.verdict != "robust":
        certain = serial.verdict == "not robust"
        jobs = [instance.job for instance in serial.found.instances] if serial.found else []
        text = f"{name}: {meaning(serial)} {serial.because}"
        rule, level = ("not-robust", "error") if certain else ("not-known", "note")
        yield _result(rule, level, text, _places(asked, jobs))
    for retry in answer.retries:
        if retry.verdict == "unsafe":
            text = f"{name}: {retry.job} is not safe to run again. {retry.because}"
            yield _result("retry-unsafe", "note", text, _places(asked, [retry.job]))


def _result(rule: str, level: str, text: str, places: list[object]) -> dict[str, object]:
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": places[:1],
        "relatedLocations": places[1:],
    }


def _places(asked: Asked, jobs: Sequence[str]) -> list[object]:
    """The statements of the jobs in their files; the workload file where there are none."""
    if not isinstance(asked.loaded, LoadedTable):
        return [_place(asked.loaded.file, 1)]
    statements = asked.loaded.statements
    named = list(dict.fromkeys(job for job in jobs if job in statements)) or list(statements)
    return [_statement(statements[job]) for job in named]


def _statement(statement: Statement) -> object:
    return _place(statement.file, statement.line)


def _place(file: str, line: int) -> object:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": Path(file).as_posix()},
            "region": {"startLine": line},
        }
    }
