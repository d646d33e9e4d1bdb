"""Answers about workloads, and their JSON objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checker.robustness.answer import Answer, Question
from checker.robustness.rates import Estimate, Variant
from checker.robustness.remedies import Remedy
from isodelta.commands.robust.replay import ReplayedHistory
from isodelta.commands.robust.sources.statements import Statement
from isodelta.commands.robust.sources.tables import LoadedTable
from isodelta.files.scenario_writer import scenario_mapping
from isodelta.files.values import plain
from isodelta.files.workloads import LoadedWorkload


@dataclass(frozen=True, slots=True)
class Asked:
    """A workload, the answer about it, and the replays of its histories on an engine.

    ``skipped`` are statements of the same files that are left alone. ``estimate`` says how often
    the jobs abort, if their rates are given.
    """

    loaded: LoadedWorkload | LoadedTable
    answer: Answer
    replays: Sequence[ReplayedHistory] = ()
    skipped: Sequence[Statement] = ()
    estimate: Estimate | None = None

    @property
    def unmet(self) -> list[str]:
        """The file's unmet expectations, in one line each."""
        verdicts = {"verdict": self.answer.serial.verdict, "writers": self.answer.writers.verdict}
        return [
            f"expected {key}: {expected}, but it is {verdicts[key]}"
            for key, expected in self.loaded.expect.items()
            if verdicts[key] != expected
        ]

    @property
    def good(self) -> bool:
        """Whether the jobs are robust, as expected, and every replay confirms it."""
        robust = self.answer.serial.verdict == "robust"
        return robust and not self.unmet and all(replay.confirms for replay in self.replays)

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta robust --json`` prints."""
        written = _answer(self.answer)
        if isinstance(self.loaded, LoadedTable):
            written |= _sources(self.loaded, self.skipped)
        if self.replays:
            written["replays"] = [replay.to_json() for replay in self.replays]
        if self.estimate is not None:
            written["rates"] = _estimate(self.estimate)
        if self.unmet:
            written["failures"] = self.unmet
        return written


def _estimate(estimate: Estimate) -> dict[str, object]:
    return {
        "seed": estimate.seed,
        "jobs": {
            name: {"per_day": rate.per_day, "seconds": rate.seconds, "attempts": rate.attempts}
            for name, rate in estimate.rates.jobs.items()
        },
        "same": dict(estimate.rates.same),
        "variants": [_variant(variant) for variant in estimate.variants],
        "assumptions": list(estimate.assumptions),
    }


def _variant(variant: Variant) -> dict[str, object]:
    outcome = variant.outcome
    if outcome is None:
        return {"variant": variant.name, "because": variant.because}
    return {
        "variant": variant.name,
        "days": outcome.days,
        "aborts_per_day": outcome.aborts.to_json(),
        "retries_per_day": outcome.retries.to_json(),
        "given_up_per_day": outcome.given_up.to_json(),
        "jobs": {name: figure.to_json() for name, figure in outcome.aborts_of.items()},
        "conflicts": [
            {"current": current, "winner": winner, "probability": round(chance, 6)}
            for (current, winner), chance in (variant.conflicts or {}).items()
        ],
    }


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
        "retries": [
            {"job": retry.job, "retry": retry.verdict, "because": retry.because}
            for retry in answer.retries
        ],
        "writers": _question(answer.writers),
        "log_order": _question(answer.log_order),
        "tried": {
            job: {
                "instances": len(instances),
                "parameters": {
                    name: list(
                        dict.fromkeys(plain(instance.values[name]) for instance in instances)
                    )
                    for name in (instances[0].values if instances else ())
                },
            }
            for job, instances in answer.instances.items()
        },
        "seconds": round(answer.seconds, 3),
    }
    if serial.weaker is not None:
        written["weaker"] = serial.weaker
    return written


def _sources(loaded: LoadedTable, skipped: Sequence[Statement]) -> dict[str, object]:
    """The keys of an answer about a table whose jobs were read from SQL."""
    return {
        "table": loaded.table,
        "jobs": [
            {
                "job": name,
                "file": statement.file,
                "line": statement.line,
                "statement": statement.number,
            }
            for name, statement in loaded.statements.items()
        ],
        "skipped": left_alone(skipped),
        "opaque": [
            {"job": part.job, "part": part.part, "because": part.because} for part in loaded.opaque
        ],
        "inferred": dict(loaded.inferred),
        "assumptions": loaded.assumptions,
    }


def left_alone(skipped: Sequence[Statement]) -> list[dict[str, object]]:
    """The statements that are left alone, as JSON objects."""
    return [
        {"job": statement.job, "statement": statement.number, "because": statement.skipped}
        for statement in skipped
    ]


@dataclass(frozen=True, slots=True)
class NothingWritten:
    """The answer for files without a statement that writes a Delta table."""

    files: str
    skipped: Sequence[Statement]
    good = True

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta robust --json`` prints."""
        return {
            "workload": self.files,
            "table": None,
            "verdict": "robust",
            "because": "No statement writes a Delta table.",
            "scenario": None,
            "remedies": [],
            "aborts": [],
            "skipped": left_alone(self.skipped),
            "opaque": [],
        }


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
    written["adds"] = [
        {"current": current, "winner": winner, "conflict": conflict}
        for current, winner, conflict in remedy.adds
    ]
    return written
