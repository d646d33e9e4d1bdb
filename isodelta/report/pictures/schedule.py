"""The schedule of a scenario, step by step, with what each step came to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from isodelta.report.data import Result, ScenarioMapping
from model.outcomes import COMMITTED, NO_COMMIT, READ

Mark = Literal["committed", "conflict", "read", "no commit", "not run"]

_MARKS: Mapping[object, Mark] = {
    None: "not run",
    COMMITTED: COMMITTED,
    READ: READ,
    NO_COMMIT: NO_COMMIT,
}


@dataclass(frozen=True, slots=True)
class ScheduleStep:
    """One step: ``number`` from 1, what happens, and to which transaction."""

    number: int
    action: Literal["begin", "commit"]
    transaction: str


def schedule_steps(scenario: ScenarioMapping) -> tuple[ScheduleStep, ...]:
    """All steps of a scenario; a bare transaction name is its begin and its commit."""
    steps: list[tuple[Literal["begin", "commit"], str]] = []
    for entry in scenario.get("schedule") or ():
        words = str(entry).split(None, 1)
        if len(words) == 2 and words[0] == "begin":
            steps.append(("begin", words[1]))
        elif len(words) == 2 and words[0] == "commit":
            steps.append(("commit", words[1]))
        else:
            steps += [("begin", str(entry)), ("commit", str(entry))]
    return tuple(ScheduleStep(i, action, name) for i, (action, name) in enumerate(steps, 1))


def transaction_result(result: Result | None, name: str) -> Mapping[str, Any]:
    """What a result says of one transaction; empty where it says nothing."""
    found = ((result or {}).get("transactions") or {}).get(name)
    return found if isinstance(found, Mapping) else {}


NO_TABLE_YET = -1
"""The version that a transaction sees where there is no table yet."""


def version_label(version: int) -> str:
    """A version as pictures name it."""
    return "no table" if version == NO_TABLE_YET else f"v{version}"


def mark(transaction: Mapping[str, Any]) -> Mark:
    """How a transaction ended, as the kind of mark that stands for it in a picture."""
    return _MARKS.get(transaction.get("outcome"), "conflict")


def outcome_text(transaction: Mapping[str, Any]) -> str:
    """How a transaction ended, in a few words."""
    kind = mark(transaction)
    if kind == COMMITTED:
        version = transaction.get("commit_version")
        return COMMITTED if version is None else f"committed, v{version}"
    if kind == READ:
        rows = transaction.get("rows")
        return READ if rows is None else f"read {count(len(rows), 'row')}"
    if kind == "conflict":
        other = transaction.get("conflicts_with")
        return f"{transaction['outcome']}" + (f" with {other}" if other else "")
    return kind


def schedule_words(scenario: ScenarioMapping, result: Result | None) -> tuple[str, ...]:
    """The schedule as sentences, one for each step."""
    sentences = []
    for step in schedule_steps(scenario):
        transaction = transaction_result(result, step.transaction)
        if step.action == "begin":
            version = transaction.get("read_version")
            takes = "takes its snapshot" if version is None else f"takes version {version}"
            takes += "" if version is None else " as its snapshot"
            if version == NO_TABLE_YET:
                takes = "finds no table yet"
            sentences.append(f"{step.transaction} begins and {takes}.")
            continue
        because = transaction.get("because")
        reason = f": {str(because).rstrip('.')}" if because else ""
        kind = mark(transaction)
        if kind == COMMITTED:
            version = transaction.get("commit_version")
            wrote = "" if version is None else f" and writes version {version}"
            sentences.append(f"{step.transaction} commits{wrote}.")
        elif kind == READ:
            sentences.append(f"{step.transaction} returns {_rows(transaction)}.")
        elif kind == "conflict":
            other = transaction.get("conflicts_with")
            against = f" against {other}" if other else ""
            name = transaction["outcome"]
            sentences.append(f"{step.transaction} is refused with {name}{against}{reason}.")
        elif kind == NO_COMMIT:
            sentences.append(f"{step.transaction} succeeds without writing a version{reason}.")
        else:
            sentences.append(f"{step.transaction} was to end here; nothing is recorded of it.")
    return tuple(sentences)


def count(number: int, noun: str) -> str:
    """A number with its noun in the right form: 1 row, 2 rows, 1,200 histories."""
    if number == 1:
        return f"1 {noun}"
    plural = re.sub("y$", "ie", noun) if re.search("[^aeiou]y$", noun) else noun
    return f"{number:,} {plural}s"


def _rows(transaction: Mapping[str, Any]) -> str:
    rows = transaction.get("rows")
    if rows is None:
        return "its rows"
    version = transaction.get("read_version")
    at = "" if version in (None, NO_TABLE_YET) else f" as of version {version}"
    return f"{count(len(rows), 'row')}{at}"
