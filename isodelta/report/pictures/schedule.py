"""The schedule of a scenario, step by step, with the result of each step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from isodelta.runs.results import RunResult, TransactionResult
from model.outcomes import COMMITTED, NO_COMMIT, READ
from model.scenario import Scenario

Mark = Literal["committed", "conflict", "read", "no commit", "not run"]

_MARKS: Mapping[str, Mark] = {
    COMMITTED: COMMITTED,
    READ: READ,
    NO_COMMIT: NO_COMMIT,
}


@dataclass(frozen=True, slots=True)
class ScheduleStep:
    """One step: ``number`` from 1, its action, and its transaction."""

    number: int
    action: Literal["begin", "commit"]
    transaction: str


def schedule_steps(scenario: Scenario) -> tuple[ScheduleStep, ...]:
    """All steps of a scenario, with their numbers."""
    return tuple(
        ScheduleStep(number, step.action, step.transaction)
        for number, step in enumerate(scenario.schedule, 1)
    )


def transaction_result(result: RunResult | None, name: str) -> TransactionResult | None:
    """The result of one transaction; None if unknown."""
    return None if result is None else result.transactions.get(name)


NO_TABLE_YET = -1
"""The version that a transaction sees if there is no table yet."""


def version_label(version: int) -> str:
    """A version as pictures name it."""
    return "no table" if version == NO_TABLE_YET else f"v{version}"


def mark(ended: TransactionResult | None) -> Mark:
    """The end of a transaction, as the kind of its mark in a picture."""
    return "not run" if ended is None else _MARKS.get(ended.outcome, "conflict")


def outcome_text(ended: TransactionResult | None) -> str:
    """The end of a transaction, in a few words."""
    kind = mark(ended)
    if ended is None:
        return kind
    if kind == COMMITTED:
        version = ended.commit_version
        return COMMITTED if version is None else f"committed, v{version}"
    if kind == READ:
        return READ if ended.rows is None else f"read {count(len(ended.rows), 'row')}"
    if kind == "conflict":
        other = ended.conflicts_with
        return ended.outcome + (f" with {other}" if other else "")
    return kind


def schedule_words(scenario: Scenario, result: RunResult | None) -> tuple[str, ...]:
    """The schedule as sentences, one for each step."""
    return tuple(
        _step_words(step, transaction_result(result, step.transaction))
        for step in schedule_steps(scenario)
    )


def _step_words(step: ScheduleStep, ended: TransactionResult | None) -> str:
    name = step.transaction
    if step.action == "begin":
        if ended is None:
            return f"{name} begins and takes its snapshot."
        if ended.read_version == NO_TABLE_YET:
            return f"{name} begins and finds no table yet."
        return f"{name} begins and takes version {ended.read_version} as its snapshot."
    if ended is None:
        return f"{name} was to end here; nothing is recorded of it."
    reason = f": {ended.because.rstrip('.')}" if ended.because else ""
    kind = mark(ended)
    if kind == COMMITTED:
        version = ended.commit_version
        return f"{name} commits{'' if version is None else f' and writes version {version}'}."
    if kind == READ:
        return f"{name} returns {_rows(ended)}."
    if kind == NO_COMMIT:
        return f"{name} succeeds without writing a version{reason}."
    against = f" against {ended.conflicts_with}" if ended.conflicts_with else ""
    return f"{name} is refused with {ended.outcome}{against}{reason}."


def count(number: int, noun: str) -> str:
    """A number with its noun in the right form: 1 row, 2 rows, 1,200 histories."""
    if number == 1:
        return f"1 {noun}"
    plural = re.sub("y$", "ie", noun) if re.search("[^aeiou]y$", noun) else noun
    return f"{number:,} {plural}s"


def _rows(ended: TransactionResult) -> str:
    if ended.rows is None:
        return "its rows"
    version = ended.read_version
    at = "" if version == NO_TABLE_YET else f" as of version {version}"
    return f"{count(len(ended.rows), 'row')}{at}"
