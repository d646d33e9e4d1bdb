"""Changes to a workload that make it robust, each one checked by asking the theorem again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlglot import exp

from checker.robustness.jobs.domain import instances
from checker.robustness.jobs.workload import Jobs, jobs
from checker.robustness.roles import shape
from checker.robustness.symbolic.access import Job, job, outlined_job
from model.errors import InvalidScenario
from model.levels import SERIALIZABLE
from model.sql import trees
from model.sql.dialect import parse
from model.sql.printer import printed

MOST_TOGETHER = 2
"""The largest number of jobs that are changed at once."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change in words, the properties that it sets, and the SQL of the jobs that it changes.

    ``adds`` are the aborts that it adds: the job that fails, the winner, and the conflict.
    """

    words: str
    properties: Mapping[str, str]
    changed: Mapping[str, str]
    adds: tuple[tuple[str, str, str], ...] = ()


def remedies(given: Jobs, prepared: Mapping[str, Job]) -> tuple[Remedy, ...]:
    """The changes that make the jobs robust by a theorem.

    Several jobs are changed at once only if changing a single job is not enough.
    """
    cures: list[Remedy] = []
    outside = [name for name, one in prepared.items() if one.outside is not None]
    if SERIALIZABLE in given.profile.levels and given.level != SERIALIZABLE and not outside:
        words = "Set the table's isolation level to Serializable."
        cures.append(Remedy(words, {"delta.isolationLevel": SERIALIZABLE}, {}))
    changes = list(_changes(given, prepared))
    for count in range(1, MOST_TOGETHER + 1):
        sufficient = []
        for group in combinations(changes, count):
            sql = {name: text for name, text, _ in group}
            if len(sql) == count and _robust(given, sql, prepared):
                words = "; ".join(words for _, _, words in group)
                sufficient.append(Remedy(f"{words[0].upper()}{words[1:]}.", {}, sql))
        cures += sufficient
        if sufficient:
            break
    for name in prepared:
        rest = [one for other, one in prepared.items() if other != name]
        if any(one.outside is not None for one in rest):
            continue
        if rest and shape(rest, list(prepared.values())).impossible:
            words = f"Run {name} only while no other job runs, {name} included."
            cures.append(Remedy(words, {}, {}))
    return tuple(cures)


def _robust(given: Jobs, changed: Mapping[str, str], prepared: Mapping[str, Job]) -> bool:
    sql = {name: changed.get(name, one.text) for name, one in given.templates.items()}
    try:
        again = jobs(
            given.name,
            given.table,
            given.tables,
            sql,
            given.profile,
            given.types,
            given.widening,
        )
        made = analysed(again)
    except InvalidScenario:
        return False
    mixed = [made[name] if name in changed else one for name, one in prepared.items()]
    if any(one.outside is not None for one in mixed):
        return False
    return shape(mixed).impossible


def analysed(given: Jobs) -> dict[str, Job]:
    """Each job prepared for the theorem, by name. Raises InvalidScenario for one that is wrong."""
    tried = instances(given)
    exact = {
        name: job(given, name, template, given.statement(tried[name][0].sql))
        for name, template in given.templates.items()
    }
    outlines = given.widening.outlines
    return exact | {name: outlined_job(given, name, outline) for name, outline in outlines.items()}


def _changes(given: Jobs, prepared: Mapping[str, Job]) -> Iterator[tuple[str, str, str]]:
    """Single changes: the job, its new SQL, and the change in words."""
    for name, one in prepared.items():
        if name not in given.templates:
            continue
        text = given.templates[name].text
        if one.run().only_blind and (seen := _as_merge(given, text)):
            yield (
                name,
                seen,
                f"let {name} append with a MERGE ON FALSE, which is not a blind append",
            )
        for column in given.target.partitions:
            partition = given.target.names[column]
            fitting = [
                parameter.name
                for parameter in given.templates[name].parameters
                if partition.lower() in parameter.columns
            ]
            for parameter in fitting or [partition]:
                narrowed = _narrowed(text, partition, parameter)
                if narrowed:
                    words = f"let each run of {name} read one {partition} only, :{parameter}"
                    yield name, narrowed, words


def _as_merge(given: Jobs, text: str) -> str | None:
    """An INSERT of values or of a query's rows as a MERGE that inserts them and reads the table."""
    tree = _tree(text)
    if not isinstance(tree, exp.Insert) or tree.args.get("overwrite"):
        return None
    place = tree.this
    named = [part.name for part in place.expressions] if isinstance(place, exp.Schema) else []
    columns = named or list(given.target.column_names)
    rows = tree.expression
    if isinstance(rows, exp.Values):
        lines = [
            line.expressions if isinstance(line, exp.Tuple) else [line] for line in rows.expressions
        ]
        selects = [_select(cells, columns) for cells in lines]
    elif isinstance(rows, exp.Select) and not any(isinstance(e, exp.Star) for e in rows.selects):
        selects = [_select(rows.selects, columns, rows)]
    else:
        return None
    fitting = [select for select in selects if select is not None]
    if len(fitting) < len(selects):
        return None
    source = fitting[0] if len(fitting) == 1 else exp.union(*fitting, distinct=False)
    insert = exp.Insert(
        this=exp.Tuple(expressions=trees.columns(columns)),
        expression=exp.Tuple(expressions=trees.columns(columns, "s")),
    )
    merge = exp.Merge(
        this=trees.named("t"),
        using=exp.Subquery(this=source, alias=exp.TableAlias(this=exp.to_identifier("s"))),
        on=exp.false(),
        whens=exp.Whens(expressions=[exp.When(matched=False, then=insert)]),
    )
    return printed(merge)


def _tree(text: str) -> exp.Expr | None:
    """A job's tree; None where it cannot be read, or printed again."""
    try:
        tree = parse(text)
        printed(tree)
    except InvalidScenario:
        return None
    return tree


def _select(
    cells: Sequence[exp.Expr], columns: Sequence[str], query: exp.Select | None = None
) -> exp.Select | None:
    """A SELECT that names the cells after the columns; None if their numbers differ."""
    if len(cells) != len(columns):
        return None
    select = exp.Select() if query is None else query.copy()
    pairs = zip(cells, columns, strict=True)
    select.set("expressions", [exp.alias_(cell.unalias().copy(), name) for cell, name in pairs])
    return select


def _narrowed(text: str, partition: str, parameter: str) -> str | None:
    """The statement with one more condition: the partition column equals a parameter."""
    tree = _tree(text)
    clause = tree.expression if isinstance(tree, exp.Insert) else tree
    if tree is None or not isinstance(clause, exp.Delete | exp.Update | exp.Select):
        return None
    if isinstance(tree, exp.Insert) and tree.args.get("overwrite"):
        return None
    condition = trees.equal(trees.column(partition), exp.Placeholder(this=parameter))
    where = clause.args.get("where")
    joined = condition if where is None else exp.and_(where.this.copy(), condition, copy=False)
    narrowed = tree.copy()
    target = narrowed.expression if isinstance(narrowed, exp.Insert) else narrowed
    target.set("where", exp.Where(this=joined))
    return printed(narrowed)
