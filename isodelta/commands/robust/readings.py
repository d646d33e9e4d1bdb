"""The readings of a serial order in an answer, in words."""

from __future__ import annotations

from checker.robustness.answer import Question
from checker.robustness.readings import Readings

ROBUST = (
    "However many runs of the jobs overlap, some serial order of them explains what all of them "
    "read and wrote. This holds in every reading: no cycle of dependencies (conflict), so the "
    "same reads in some order (view), so the same rows (final state)."
)
UNKNOWN = "Neither a proof nor a history was found."


def meaning(question: Question) -> str:
    """The answer as a sentence or two."""
    if question.verdict == "robust":
        return ROBUST
    if question.verdict == "unknown":
        return UNKNOWN
    return broken(question.readings)


def broken(readings: Readings) -> str:
    """The readings that the history breaks, in a sentence or two."""
    if readings.final_state == "violated":
        return (
            "Runs of the jobs can commit together although no serial order of them explains what "
            "they read and wrote: none leaves the rows that they leave (conflict, view and final "
            "state are broken)."
        )
    if readings.view == "violated":
        return (
            "Runs of the jobs can commit together although no serial order of them explains what "
            "all of them read (conflict and view are broken); " + _rows(readings)
        )
    if readings.view == "holds":
        return (
            "Runs of the jobs can commit together although they depend on each other in a cycle "
            "(the conflict reading is broken). In the history below equal values, or changes that "
            "cancel each other, hide it: some serial order gives the same reads and the same rows "
            "(view and final state hold)."
        )
    return (
        "Runs of the jobs can commit together although they depend on each other in a cycle (the "
        "conflict reading is broken). Whether some serial order gives the same reads and rows in "
        "the history below was not decided."
    )


def _rows(readings: Readings) -> str:
    if readings.final_state == "holds":
        return "the rows that they leave are those of some order of the writers."
    return "whether some order of the writers leaves the same rows was not decided."


def short(question: Question) -> str:
    """The readings that the history breaks, by name; empty without a history."""
    if question.found is None:
        return ""
    verdicts = question.readings.to_json().items()
    return ", ".join(name.replace("_", " ") for name, word in verdicts if word == "violated")


def history_summary(question: Question, subject: str) -> str:
    """The summary of a history as a finding; ``subject`` is "the log" or names the jobs."""
    order = "The order of the log" if subject == "the log" else f"Some serial order of {subject}"
    if question.readings.view == "violated":
        none = "The order of the log does not explain" if subject == "the log" else None
        none = none or f"No serial order of {subject} explains"
        return f"{none} this history (broken: {short(question)})."
    return (
        f"These transactions depend on each other in a cycle (broken: {short(question)}). "
        f"{order} gives the same reads and rows: equal values hide the cycle."
        if question.readings.view == "holds"
        else f"These transactions depend on each other in a cycle (broken: {short(question)})."
    )
