"""Answers about workloads, and their JSON objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checker.robustness.answer import Answer, Question
from checker.robustness.remedies import Remedy
from isodelta.commands.robust.replay import ReplayedHistory
from isodelta.files.scenario_writer import scenario_mapping
from isodelta.files.values import plain
from isodelta.files.workloads import LoadedWorkload


@dataclass(frozen=True, slots=True)
class Asked:
    """A workload, the answer about it, and what an engine did with the histories."""

    loaded: LoadedWorkload
    answer: Answer
    replays: Sequence[ReplayedHistory]

    @property
    def unmet(self) -> list[str]:
        """What the file expects and is not so, in one line each."""
        verdicts = {"verdict": self.answer.serial.verdict, "writers": self.answer.writers.verdict}
        return [
            f"expected {key}: {wanted}, but it is {verdicts[key]}"
            for key, wanted in self.loaded.expect.items()
            if verdicts[key] != wanted
        ]

    @property
    def good(self) -> bool:
        """Whether the jobs are robust, and nothing speaks against it."""
        robust = self.answer.serial.verdict == "robust"
        return robust and not self.unmet and all(one.confirms for one in self.replays)

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta robust --json`` prints."""
        written = _answer(self.answer)
        if self.replays:
            written["replays"] = [one.to_json() for one in self.replays]
        if self.unmet:
            written["failures"] = self.unmet
        return written


def _answer(answer: Answer) -> dict[str, object]:
    jobs, serial = answer.jobs, answer.serial
    written: dict[str, object] = {
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
        written["weaker"] = serial.weaker
    return written


def _question(question: Question) -> dict[str, object]:
    return {
        "verdict": question.verdict,
        "because": question.because,
        "readings": question.readings.to_json(),
        "scenario": _scenario(question),
    }


def _scenario(question: Question) -> dict[str, object] | None:
    return None if question.found is None else scenario_mapping(question.found.scenario)


def _remedy(remedy: Remedy) -> dict[str, object]:
    written: dict[str, object] = {"remedy": remedy.words}
    if remedy.properties:
        written["properties"] = dict(remedy.properties)
    if remedy.changed:
        written["jobs"] = dict(remedy.changed)
    return written
