"""Jobs as the theorems see them: their possible reads and writes, and whether they are covered.

Everything here allows at least what the statement can do on any table with any parameters.
It claims that a statement *surely* does something (``covers``, ``takes``, ``surely_adds``) only if
the statement does so whenever it meets the row in question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from checker.robustness.failures import can_fail, order_matters
from checker.robustness.jobs.folding import may_fold
from checker.robustness.jobs.sentinels import Parsed, parsed
from checker.robustness.jobs.template import Template
from checker.robustness.jobs.widening import Outline
from checker.robustness.jobs.workload import Jobs
from checker.robustness.symbolic.footprint import Access, anything, outlined
from checker.robustness.symbolic.runs import Run
from model.statements import Statement
from model.values.types import ColumnType


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A job, as far as it matters for the theorems.

    ``outside`` says why their premises do not cover it; None if they do. ``parsed`` is None if
    nothing is known about its reads and writes, or ``outline`` all that is. ``movable`` says that a
    row's partition may be changed without changing its other columns: no partition column is
    computed.
    """

    name: str
    kind: str
    outside: str | None
    parsed: Parsed | None
    movable: bool
    types: tuple[ColumnType, ...]
    partitions: tuple[int, ...]
    others: Mapping[str, tuple[ColumnType, ...]]
    outline: Outline | None = None

    def run(self) -> Access:
        """A run with unknown parameters of its own."""
        return self.looks(1)[0]

    def looks(self, count: int) -> tuple[Access, ...]:
        """One run, encoded several times: with the same parameters, but over different rows.

        This allows questions about two rows of a run that adds many.
        """
        if self.outline is not None:
            return tuple(outlined(self.outline, self.types) for _ in range(count))
        if self.parsed is None:
            return tuple(anything(self.kind, self.types) for _ in range(count))
        run = Run(self.parsed, self.types, self.partitions, self.others)
        return tuple(run.access(self.parsed.statement) for _ in range(count))


def job(jobs: Jobs, name: str, template: Template, statement: Statement) -> Job:
    """Prepares a job for the theorems; ``statement`` is any instance of it."""
    table, template_parsed = jobs.target, parsed(jobs, template)
    return Job(
        name,
        statement.kind,
        _outside(statement.inner, template_parsed),
        template_parsed,
        not any(place in table.partitions for place, _ in table.generated),
        table.types,
        table.partitions,
        {other: definition.types for other, definition in jobs.definitions.items()},
    )


def outlined_job(jobs: Jobs, name: str, outline: Outline) -> Job:
    """A job of which only an outline is known."""
    table = jobs.target
    types, partitions = table.types, table.partitions
    return Job(name, outline.kind, None, None, False, types, partitions, {}, outline)


def _fails_although_folded(template_parsed: Parsed | None) -> bool:
    """Whether a condition that can fail may be one that the optimizer folds, for some parameters.

    Then the engine records no read of a row on which the condition fails as it is written.
    """
    if template_parsed is None:
        return False
    inner = template_parsed.statement.inner
    return any(
        can_fail(condition) and may_fold(condition, inner.table, template_parsed.types)
        for condition in inner.conditions
    )


def _outside(statement: Statement, template_parsed: Parsed | None) -> str | None:
    if any(query.table == statement.table.name for query in statement.subqueries):
        return "Delta does not note what a subquery in SET reads"
    if statement.frees == "all files":
        return "a VACUUM that retains nothing takes away files of transactions that still run"
    if statement.changes_definition:
        if statement.takes_number:
            return "schema evolution changes the table's definition"
        return f"a {statement.kind} may change the table's definition"
    if statement.reads_only:
        return None  # Nothing is checked of what a reader notes, so that may be anything.
    if any(map(order_matters, statement.conditions)):
        return "a part of its condition can fail, and which rows it is looked at for is not said"
    if _fails_although_folded(template_parsed):
        return "its condition can fail, and the engine may see before that it holds for no row"
    return None
