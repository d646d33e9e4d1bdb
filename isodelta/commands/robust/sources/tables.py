"""The workload of each table that jobs write, made from their statements."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from sqlglot import exp

from checker.robustness.jobs.context import Tables
from checker.robustness.jobs.domain import instances
from checker.robustness.jobs.fitting import fitted, outline
from checker.robustness.jobs.opaque_parts import Parts, shown
from checker.robustness.jobs.widening import Opaque, Outline, Widening
from checker.robustness.jobs.workload import Jobs, jobs
from isodelta.commands.robust.sources.columns import Uses
from isodelta.commands.robust.sources.normal_form import Names, normalised
from isodelta.commands.robust.sources.schemas import Definition, plain_type
from isodelta.commands.robust.sources.statements import Name, Statement
from model.errors import InvalidScenario
from model.history import Value
from model.profiles import Profile
from model.scenario import TableSpec
from model.sql import declared_table
from model.sql.dialect import Optimize, Reorg
from model.values.types import parse_type, sql_literal
from model.workload import TARGET

_REPLACES = re.compile(r"\bOVERWRITE\b|\bREPLACE\s+(USING|ON|WHERE)\b", re.IGNORECASE)

_BY_COLUMNS = re.compile(r"\bREPLACE\s+(USING|ON)\b", re.IGNORECASE)

MOST_VALUES = 2
"""The number of rows that other tables have in a search."""


@dataclass(frozen=True)
class LoadedTable:
    """One table that jobs write, with the jobs that write it or read it.

    ``statements`` are theirs by the name of the job, ``inferred`` the types of undeclared columns.
    """

    table: str
    jobs: Jobs
    statements: Mapping[str, Statement]
    opaque: Sequence[Opaque]
    inferred: Mapping[str, str]
    file: str
    sources: Mapping[str, str] = field(default_factory=dict)
    expect: Mapping[str, str] = field(default_factory=dict)

    @property
    def assumptions(self) -> list[str]:
        """Assumptions behind the answer, made because the files do not say otherwise."""
        assumed = []
        if self.inferred:
            partitions = ", ".join(self.jobs.table.partition_by) or "nothing"
            assumed.append(f"the columns and types are those inferred, partitioned by {partitions}")
        if any(part.role in ("condition", "value") for part in self.opaque):
            assumed.append("what is not evaluated fails on no row")
        return assumed

    def shown_source(self, plain: str) -> str:
        """Another table by its name as written; an opaque relation by what stands for it."""
        same = next((own for own, later in self.jobs.widening.later.items() if later == plain), "")
        part = self.jobs.widening.parts.get(same or plain)
        shown = part.part if part is not None else self.sources.get(same or plain, same or plain)
        return f"{shown} at another time" if same else shown


@dataclass
class _Made:
    """The jobs of one table as they are made."""

    sql: dict[str, str] = field(default_factory=dict)
    outlines: dict[str, Outline] = field(default_factory=dict)
    opaque: dict[str, Opaque] = field(default_factory=dict)
    specs: dict[str, TableSpec] = field(default_factory=dict)


def written_tables(statements: Sequence[Statement]) -> list[tuple[Name, str]]:
    """The tables that statements write, by the longest of their names, as written."""
    written: dict[Name, str] = {}
    for statement in statements:
        if statement.target is None or statement.skipped is not None:
            continue
        if any(name.means(statement.target) for name in written):
            continue
        named = [s for s in statements if s.target is not None and s.target.means(statement.target)]
        longest = max(named, key=lambda s: len(s.target.parts) if s.target is not None else 0)
        if longest.target is not None:
            written[longest.target] = longest.shown
    return list(written.items())


def loaded_table(
    target: Name,
    shown_name: str,
    statements: Sequence[Statement],
    definitions: Mapping[Name, Definition],
    views: Mapping[str, Mapping[str, exp.Expr]],
    profile: Profile,
) -> LoadedTable:
    """The jobs of one table, made to fit the model."""
    names = Names(target)
    chosen = list(_chosen(target, statements, names, views))
    trees = {name: tree for name, _, tree in chosen}
    uses = Uses()
    defined = {names.of(name): made for name, made in definitions.items() if made.columns}
    uses.declared = {
        plain: {column.lower(): plain_type(type_) for column, type_ in made.columns.items()}
        for plain, made in defined.items()
    }
    for tree in trees.values():
        if tree is not None:
            uses.look(tree)
    uses.solve()
    declared = defined.get(TARGET)
    if declared is None:
        properties = next((d.properties for n, d in definitions.items() if n.means(target)), {})
        declared = Definition("inferred", _inferred(trees.values(), uses), properties=properties)
        declared.partition_by = [c for c in declared.columns if c in _partitions(trees.values())]
        positional = True
    else:
        positional = False
    spec = declared.spec()
    tables = Tables({TARGET: declared_table(TARGET, spec)})
    made = _Made()
    for plain in sorted({*uses.columns, *uses.declared} - {TARGET}):
        if plain.startswith("with_"):
            continue
        own = defined.get(plain) or Definition("inferred", _other(plain, uses, declared))
        other = own.spec()
        other = replace(other, setup=tuple(_rows(plain, other, uses)))
        made.specs[plain] = other
        tables.definitions[plain] = declared_table(plain, other)
    number = count(1)
    for name, statement, tree in chosen:
        _fit(made, name, statement, tree, tables, number, declared if positional else None)
    for name, other in made.specs.items():
        if not other.setup:
            made.specs[name] = replace(other, setup=tuple(_rows(name, other, uses)))
    later = {}
    for name, other in [*made.specs.items()]:
        later[name] = f"{name}_later"
        made.specs[later[name]] = replace(
            other, setup=tuple(_rows(later[name], other, uses, name, 1))
        )
    by_name = {name: statement for name, statement, _ in chosen}
    ready = _ready(shown_name, spec, made, tables, by_name, positional, profile, later)
    inferred = {} if not positional else dict(spec.columns)
    files = list(dict.fromkeys(statement.file for statement in by_name.values()))
    return LoadedTable(
        shown_name,
        ready,
        by_name,
        tuple(made.opaque.values()),
        inferred,
        ", ".join(files),
        {plain: str(name) for name, plain in names.plain.items()},
    )


def _chosen(
    target: Name,
    statements: Sequence[Statement],
    names: Names,
    views: Mapping[str, Mapping[str, exp.Expr]],
) -> Iterator[tuple[str, Statement, exp.Expr | None]]:
    """The statements that write the table, or only read it, each with the name of its job."""
    chosen: list[tuple[Statement, exp.Expr | None]] = []
    for statement in statements:
        if statement.skipped is not None:
            continue
        seen = {**views.get("", {}), **views.get(statement.job, {})}
        tree = None if statement.tree is None else normalised(statement.tree, names, seen)
        if (statement.target is not None and statement.target.means(target)) or (
            statement.target is None and isinstance(tree, exp.Query) and _mentions(tree)
        ):
            chosen.append((statement, tree))
    by_job: dict[str, int] = {}
    for statement, _ in chosen:
        by_job[statement.job] = by_job.get(statement.job, 0) + 1
    for statement, tree in chosen:
        name = (
            statement.job if by_job[statement.job] == 1 else f"{statement.job} {statement.number}"
        )
        yield name, statement, tree


def _mentions(tree: exp.Expr) -> bool:
    return any(table.name == TARGET for table in tree.find_all(exp.Table))


def _fit(
    made: _Made,
    name: str,
    statement: Statement,
    tree: exp.Expr | None,
    tables: Tables,
    number: Iterator[int],
    inferred: Definition | None,
) -> None:
    """One statement in the model's SQL, or its outline."""
    if tree is not None and inferred is not None and _by_position(tree):
        listed = _by_name(tree, inferred)
        if listed is None:
            because = "the order of the table's columns is not known: give its CREATE TABLE"
            _outlined(made, name, statement, tree, because)
            return
        tree = listed
    if tree is not None and any(t.name.endswith("__dbt_tmp") for t in tree.find_all(exp.Table)):
        _outlined(made, name, statement, None, "the query behind __dbt_tmp is not among the files")
        return
    if isinstance(tree, exp.Insert) and _BY_COLUMNS.search(statement.text):
        _outlined(made, name, statement, None, "REPLACE USING and REPLACE ON are not modelled")
        return
    if tree is None or isinstance(tree, exp.Create | exp.Alter):
        because = "it changes the table's definition" if tree is not None else "not understood"
        _outlined(made, name, statement, tree, because)
        return
    parts = Parts(name, tables, number)
    result = fitted(tree, parts)
    made.specs |= parts.relations
    for key, part in parts.opaque.items():
        if part.role == "statement":
            part = replace(part, part=_shown(statement))
        made.opaque[key] = part
    if result.sql is not None:
        made.sql[name] = result.sql
    elif result.outline is not None:
        made.outlines[name] = result.outline


def _outlined(
    made: _Made, name: str, statement: Statement, tree: exp.Expr | None, because: str
) -> None:
    if tree is not None:
        made.outlines[name] = outline(tree)
    else:
        word = statement.text.split(None, 1)[0].upper()
        append = word in ("INSERT", "COPY") and not _REPLACES.search(statement.text)
        made.outlines[name] = Outline(word, reads=True, removes=not append, adds=True, blind=append)
    made.opaque[f"{name}: statement"] = Opaque(name, _shown(statement), because, "statement")


def _shown(statement: Statement) -> str:
    text = " ".join(statement.text.split())
    return text if len(text) <= 120 else f"{text[:116]} ..."


def _by_position(tree: exp.Expr) -> bool:
    """Whether a statement is an INSERT that fills columns by their positions."""
    return (
        isinstance(tree, exp.Insert)
        and isinstance(tree.this, exp.Table)
        and not tree.args.get("by_name")
        and not tree.args.get("partition")
        and not isinstance(tree.expression, exp.Table)
    )


def _by_name(tree: exp.Expr, inferred: Definition) -> exp.Expr | None:
    """An INSERT by position as one by names, where the table's order of columns is not known.

    None if the names of the query do not determine the columns that it fills.
    """
    query = tree.expression
    while isinstance(query, exp.Subquery | exp.Paren):
        query = query.this
    tree.set("expression", query)
    select = query if isinstance(query, exp.Select) else None
    if select is None and isinstance(query, exp.Union):
        select = query.find(exp.Select)
    if select is None:
        return None
    outputs = [output.alias_or_name for output in select.expressions]
    if outputs in (["*"], [""]) or any(isinstance(e, exp.Star) for e in select.expressions):
        return tree
    columns = {name.lower() for name in inferred.columns}
    if not columns <= {name.lower() for name in outputs} or len(set(outputs)) < len(outputs):
        return None
    if any(tree.args.get(key) for key in ("where", "overwrite")):
        return tree
    listed = [exp.to_identifier(name) for name in outputs]
    tree.set("this", exp.Schema(this=tree.this, expressions=listed))
    return tree


def _inferred(trees: Iterable[exp.Expr | None], uses: Uses) -> dict[str, str]:
    """The target's columns: in the order of a statement that lists them, then the others."""
    order: dict[str, None] = {}
    for tree in trees:
        for node in tree.find_all(exp.Insert) if tree is not None else ():
            listed = node.this if isinstance(node.this, exp.Schema | exp.Tuple) else None
            if listed is not None:
                order |= dict.fromkeys(column.name.lower() for column in listed.expressions)
            elif node is tree and isinstance(node.expression, exp.Select):
                outputs = [e.alias_or_name.lower() for e in node.expression.expressions]
                if all(outputs) and "*" not in outputs:
                    order |= dict.fromkeys(outputs)
    order |= dict.fromkeys(uses.columns.get(TARGET, {}))
    columns = {name: uses.type((TARGET, name)) for name in order if name}
    return columns or {"value": "string"}


def _partitions(trees: Iterable[exp.Expr | None]) -> set[str]:
    """The columns that can only be partition columns: of OPTIMIZE WHERE, and of PARTITION."""
    partitions: set[str] = set()
    for tree in trees:
        if isinstance(tree, Optimize | Reorg) and tree.args.get("where") is not None:
            partitions |= {
                column.name.lower() for column in tree.args["where"].find_all(exp.Column)
            }
        if isinstance(tree, exp.Insert) and tree.args.get("partition"):
            named = tree.args["partition"].find_all(exp.Column, exp.Identifier)
            partitions |= {node.name.lower() for node in named}
    return partitions


def _other(plain: str, uses: Uses, target: Definition) -> dict[str, str]:
    """The columns of another table, in the order of the target's if they have the same names."""
    columns = {name: uses.type((plain, name)) for name in uses.columns.get(plain, {})}
    if {name.lower() for name in target.columns} == set(columns):
        return {name.lower(): columns[name.lower()] for name in target.columns}
    return columns or {"value": "string"}


def _rows(name: str, spec: TableSpec, uses: Uses, own: str = "", shift: int = 0) -> Iterator[str]:
    """Rows for a table that jobs only read: values that its columns are compared with, first.

    With a ``shift`` all columns but the first have other values than those of table ``own``.
    """
    lines = []
    for row in range(MOST_VALUES):
        cells = []
        for place, (column, text) in enumerate(spec.columns.items()):
            number = (row + (shift if place else 0)) % (MOST_VALUES + shift)
            value = _value(plain_type(text), (own or name, column.lower()), number, uses)
            cells.append(sql_literal(value))
        lines.append(f"({', '.join(cells)})")
    yield f"INSERT INTO {name} VALUES {', '.join(lines)}"


def _value(type_: str, place: tuple[str, str], row: int, uses: Uses) -> Value:
    family = parse_type(type_).family
    met: list[Value] = []
    for node in uses.mentioned(place):
        if family == "string" and isinstance(node, exp.Literal) and node.is_string:
            met.append(node.name)
        elif family == "number" and isinstance(node, exp.Literal) and node.name.isdigit():
            met.append(int(node.name))
    day = datetime.date(2026, 1, 1) + datetime.timedelta(days=row)
    usual: dict[str, Value] = {
        "number": 1 + row,
        "string": "abc"[row],
        "boolean": row == 0,
        "date": day,
        "timestamp": datetime.datetime.combine(day, datetime.time()),
    }
    values = [*dict.fromkeys(met)]
    if len(values) > row and abs(values[row] if isinstance(values[row], int) else 0) < 2**31:  # type: ignore[arg-type]
        return values[row]
    return usual[family]


def _ready(
    name: str,
    spec: TableSpec,
    made: _Made,
    tables: Tables,
    statements: Mapping[str, Statement],
    guessed: bool,
    profile: Profile,
    later: Mapping[str, str],
) -> Jobs:
    """The jobs. One that turns out to be invalid beside the others is reduced to its outline."""
    while True:
        before = _before(made, statements)
        widening = Widening(made.opaque, made.outlines, True, guessed, before, later)
        try:
            ready = jobs(name, spec, made.specs, made.sql, profile, tables.types, widening)
            instances(ready)
        except InvalidScenario as error:
            job = str(error.where[1]) if error.where[:1] == ("jobs",) and error.where[1:] else ""
            if job not in made.sql:
                raise
            del made.sql[job]
            for key in [key for key, part in made.opaque.items() if part.job == job]:
                del made.opaque[key]
            statement = statements[job]
            _outlined(made, job, statement, statement.tree, str(error))
            continue
        several = {
            job: statement.job for job, statement in statements.items() if job != statement.job
        }
        return replace(ready, parts=several)


def _before(made: _Made, statements: Mapping[str, Statement]) -> dict[str, tuple[str, ...]]:
    """For each statement the earlier ones of the same file that write the table."""
    before: dict[str, tuple[str, ...]] = {}
    for name, statement in statements.items():
        earlier = tuple(
            other
            for other, candidate in statements.items()
            if candidate.job == statement.job
            and candidate.number < statement.number
            and candidate.target is not None
            and other in made.sql
        )
        if earlier:
            before[name] = earlier
    return before


__all__ = ["LoadedTable", "loaded_table", "shown", "written_tables"]
