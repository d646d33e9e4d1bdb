"""What one run of a job may read and write, over unknown rows and parameters.

Everything here allows at least what the statement can do on any table with any parameters.
What it *surely* does (``covers``, ``takes``, ``surely_adds``) is said only where it does so
whenever it meets the row in question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from checker.robustness.failures import can_fail, order_matters
from checker.robustness.folding import may_fold
from checker.robustness.jobs import Jobs
from checker.robustness.runs import Run
from checker.robustness.sentinels import Parsed, parsed
from checker.robustness.symbolic_footprint import Access, anything
from checker.robustness.template import Template
from model.expressions import Expression
from model.statements import (
    Delete,
    DynamicOverwrite,
    Idempotent,
    InsertSelect,
    InsertValues,
    Merge,
    Optimize,
    Overwrite,
    Reorg,
    Restore,
    Select,
    Statement,
    Truncate,
    Update,
    Vacuum,
)
from model.types import ColumnType


def _conditions(statement: Statement) -> Iterator[Expression]:
    """The conditions by which a statement finds the rows that it reads."""
    match statement:
        case Delete(condition=condition):
            yield condition
        case Update(condition=condition, subqueries=subqueries):
            yield condition
            yield from (scan.condition for query in subqueries for scan in query.scans)
        case Select(query=query) | InsertSelect(query=query):
            yield from (scan.condition for scan in query.scans)
        case Overwrite(replaced=replaced, inserts=inserts):
            yield replaced
            yield from _conditions(inserts)
        case DynamicOverwrite(inserts=inserts):
            yield from _conditions(inserts)
        case Merge(condition=condition, source=source):
            yield condition
            clauses = (*statement.matched, *statement.not_matched, *statement.by_source)
            yield from (clause.test for clause in clauses)
            if source.query is not None:
                yield from (scan.condition for scan in source.query.scans)


@dataclass(frozen=True, slots=True)
class Job:
    """What is known of a job for the theorems.

    ``outside`` says why their premises do not cover it; None where they do. ``parsed`` is None
    where nothing is known of what it reads and writes. ``movable`` says that a row may have the
    partition of another one and be the same besides: no partition column is computed.
    """

    name: str
    kind: str
    outside: str | None
    parsed: Parsed | None
    movable: bool
    types: tuple[ColumnType, ...]
    partitions: tuple[int, ...]
    others: Mapping[str, tuple[ColumnType, ...]]

    def run(self) -> Access:
        """A run with parameters of its own, of which nothing is known."""
        return self.looks(1)[0]

    def looks(self, count: int) -> tuple[Access, ...]:
        """One run, told several times: with the same parameters, over rows of their own.

        So a run that adds many rows can be asked about two of them.
        """
        if self.parsed is None:
            return tuple(anything(self.kind, self.types) for _ in range(count))
        run = Run(self.parsed, self.types, self.partitions, self.others)
        return tuple(run.access(self.parsed.statement) for _ in range(count))


def job(jobs: Jobs, name: str, template: Template, statement: Statement) -> Job:
    """What is known of a job; ``statement`` is any instance of it."""
    table, found = jobs.target, parsed(jobs, template)
    return Job(
        name,
        statement.kind,
        _outside(statement, found),
        found,
        not any(place in table.partitions for place, _ in table.generated),
        table.types,
        table.partitions,
        {other: known.types for other, known in jobs.known.items()},
    )


def _fails_although_folded(found: Parsed | None) -> bool:
    """Whether a condition that can fail may be one that the optimizer folds, for some parameters.

    Then the engine notes no read of a row that the condition as it is written fails on.
    """
    if found is None:
        return False
    inner = found.statement
    inner = inner.statement if isinstance(inner, Idempotent) else inner
    return any(
        can_fail(condition) and may_fold(condition, inner.table, found.types)
        for condition in _conditions(inner)
    )


def _outside(statement: Statement, found: Parsed | None) -> str | None:
    inner = statement.statement if isinstance(statement, Idempotent) else statement
    if isinstance(inner, Update) and any(q.table == inner.table.name for q in inner.subqueries):
        return "Delta does not note what a subquery in SET reads"
    if isinstance(inner, Vacuum) and inner.frees == "all files":
        return "a VACUUM that retains nothing takes away files of transactions that still run"
    inserts = inner.inserts if isinstance(inner, Overwrite | DynamicOverwrite) else inner
    evolved = inserts.after if isinstance(inserts, InsertSelect | InsertValues | Merge) else None
    if evolved is not None and evolved != inserts.table:
        return "schema evolution changes the table's definition"
    if any(map(order_matters, _conditions(inner))):
        return "a part of its condition can fail, and which rows it is looked at for is not said"
    if _fails_although_folded(found):
        return "its condition can fail, and the engine may see before that it holds for no row"
    known = Delete | DynamicOverwrite | InsertSelect | InsertValues | Merge | Optimize | Overwrite
    if isinstance(inner, known | Reorg | Restore | Select | Truncate | Update | Vacuum):
        return None
    return f"a {statement.kind} may change the table's definition"
