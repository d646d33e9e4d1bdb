"""The safety of running a job again after an error that leaves its outcome open.

A commit may have succeeded although the client saw an error. A second run is then safe if two runs
leave the same rows as one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from checker.robustness.histories import Stage
from checker.robustness.jobs.workload import Instance, Jobs
from checker.robustness.search import Instances
from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.outcomes import SUCCEEDED
from model.statements import (
    Delete,
    Idempotent,
    InsertValues,
    Overwrite,
    Select,
    Statement,
    Truncate,
    Update,
)

MOST_TRIED = 12
"""The most runs of one job that are repeated."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Whether a second run is safe; ``because`` gives the reason."""

    job: str
    verdict: Literal["safe", "unsafe", "unknown"]
    because: str


def retries(jobs: Jobs, tried: Instances, stages: Sequence[Stage]) -> tuple[Retry, ...]:
    """The answer for each job that writes."""
    answers = [
        _retry(jobs, name, candidates, stages) for name, candidates in tried.items() if candidates
    ]
    rough = [
        Retry(name, "unsafe", "It adds its rows again.")
        if outline.blind and not outline.reads
        else Retry(name, "unknown", "Only an outline of the statement is known.")
        for name, outline in jobs.widening.outlines.items()
        if outline.writes and (outline.adds or outline.removes)
    ]
    return (*(answer for answer in answers if answer is not None), *rough)


def _retry(
    jobs: Jobs, name: str, candidates: Sequence[Instance], stages: Sequence[Stage]
) -> Retry | None:
    statement = jobs.statement(candidates[0].sql)
    if isinstance(statement, Select) or statement.files_only:
        return None
    for stage in stages:
        for instance in islice(candidates, MOST_TRIED):
            if _differs(stage, instance):
                return Retry(name, "unsafe", f"A second run changes the rows: {instance.sql}")
    because = _by_form(statement)
    if because:
        return Retry(name, "safe", because)
    return Retry(name, "unknown", "No second run that was tried changed the rows.")


def _differs(stage: Stage, instance: Instance) -> bool:
    """Whether running an instance twice leaves other rows than running it once."""
    play = (("begin", 0), ("commit", 0), ("begin", 1), ("commit", 1))
    try:
        ended = stage.play((instance, instance), play)
    except StatementFailure:
        return False
    once, twice = ended[0], ended[1]
    if once.outcome not in SUCCEEDED or twice.outcome not in SUCCEEDED:
        return False
    return Counter(once.latest.rows()) != Counter(twice.latest.rows())


def _by_form(statement: Statement) -> str:
    """The reason why every second run of a statement changes nothing; '' if none is known."""
    match statement:
        case Idempotent():
            return "Its commits are numbered, so that a second one is skipped."
        case Delete():
            return "The rows that it deletes are gone."
        case Truncate():
            return "The table is empty already."
        case Overwrite() if isinstance(statement.inserts, InsertValues):
            return "It replaces its own rows."
        case Update() if not statement.subqueries and not list(_columns(statement)):
            return "It sets the same values again."
    return ""


def _columns(statement: Update) -> Iterator[int]:
    for _, value in statement.assignments:
        yield from expressions.columns(value)
