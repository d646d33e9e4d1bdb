"""The JSON object that says whether a workload is robust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from checker.robustness.answer import Answer, Question
from checker.robustness.remedies import Remedy
from isodelta.scenario_files import scenario_mapping
from isodelta.values import plain


def robust_result(
    answer: Answer, replays: Sequence[Mapping[str, Any]] = (), unmet: Sequence[str] = ()
) -> dict[str, Any]:
    """An answer as ``isodelta robust --json`` prints it.

    ``replays`` say what a real engine did with the histories.
    """
    jobs, serial = answer.jobs, answer.serial
    found: dict[str, Any] = {
        "workload": jobs.name,
        "profile": jobs.profile.name,
        "level": jobs.level,
        "verdict": serial.verdict,
        "because": serial.because,
        "readings": serial.readings.to_json(),
        "scenario": _scenario(serial),
        "remedies": [_remedy(remedy) for remedy in answer.remedies],
        "aborts": [
            {
                "current": abort.current,
                "winner": abort.winner,
                "conflict": abort.conflict,
                "scenario": scenario_mapping(abort.found.scenario),
            }
            for abort in answer.aborts
        ],
        "writers": _question(answer.writers),
        "log_order": _question(answer.log_order),
        "tried": {
            job: {
                "instances": len(some),
                "parameters": {
                    name: list(dict.fromkeys(plain(each.values[name]) for each in some))
                    for name in (some[0].values if some else ())
                },
            }
            for job, some in answer.instances.items()
        },
        "seconds": round(answer.seconds, 3),
    }
    if serial.weaker is not None:
        found["weaker"] = serial.weaker
    if replays:
        found["replays"] = list(replays)
    if unmet:
        found["failures"] = list(unmet)
    return found


def _question(question: Question) -> dict[str, Any]:
    return {
        "verdict": question.verdict,
        "because": question.because,
        "readings": question.readings.to_json(),
        "scenario": _scenario(question),
    }


def _scenario(question: Question) -> dict[str, Any] | None:
    return None if question.found is None else scenario_mapping(question.found.scenario)


def _remedy(remedy: Remedy) -> dict[str, Any]:
    found: dict[str, Any] = {"remedy": remedy.words}
    if remedy.properties:
        found["properties"] = dict(remedy.properties)
    if remedy.changed:
        found["jobs"] = dict(remedy.changed)
    return found
