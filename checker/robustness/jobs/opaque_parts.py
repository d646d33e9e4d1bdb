"""Opaque parameters and tables in place of the SQL that the model cannot evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from checker.robustness.jobs.context import Context, Tables, printed_or_none
from checker.robustness.jobs.widening import OPAQUE, Opaque, Role
from model.scenario import TableSpec
from model.sql import declared_table, trees
from model.values.types import STRING, ColumnType
from model.workload import TARGET

MOST_SHOWN = 160
"""The most characters of an opaque part that are shown."""

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ)


class ReadsTarget(Exception):
    """A part that the model cannot evaluate reads rows of the target."""


@dataclass
class Parts:
    """The opaque parts of one job, as they are put in place.

    ``number`` counts those of all jobs of a workload, so that their names differ.
    """

    job: str
    tables: Tables
    number: Iterator[int]
    opaque: dict[str, Opaque] = field(default_factory=dict)
    relations: dict[str, TableSpec] = field(default_factory=dict)

    def value(
        self, node: exp.Expr, type_: ColumnType, targets: Sequence[str], role: Role = "value"
    ) -> exp.Expr:
        """An opaque value of a type in the place of ``node``.

        ``targets`` are the names by which the target's columns go there. Raises ReadsTarget.
        """
        if reads_target(node):
            raise ReadsTarget
        name = self._note(node, role, not _of_target(node, targets))
        self.tables.types[name] = type_
        return exp.Placeholder(this=name)

    def condition(self, node: exp.Expr, context: Context, targets: Sequence[str]) -> exp.Expr:
        """An opaque condition in the place of ``node``: it may hold for any row, or not."""
        if context.anchor is None:
            raise ReadsTarget
        column, type_ = context.anchor
        opaque = self.value(node, type_, targets, "condition")
        return exp.NullSafeEQ(this=column.copy(), expression=opaque)

    def relation(self, node: exp.Expr, columns: dict[str, ColumnType]) -> exp.Table:
        """An opaque table in the place of ``node``. Raises ReadsTarget."""
        if reads_target(node):
            raise ReadsTarget
        name = self._note(node, "relation", True)
        spec = TableSpec(
            {column: str(type_) for column, type_ in columns.items()} or {"one": "int"}
        )
        self.relations[name] = spec
        self.tables.definitions[name] = declared_table(name, spec)
        return trees.named(name)

    def _note(self, node: exp.Expr, role: Role, anything: bool) -> str:
        name = f"{OPAQUE}{next(self.number)}"
        self.opaque[name] = Opaque(self.job, shown(node), self.tables.because, role, anything)
        return name

    def fitted_condition(
        self, node: exp.Expr, context: Context, targets: Sequence[str] = ()
    ) -> exp.Expr:
        """A condition that the model can evaluate, with opaque parts where necessary."""
        if context.holds(node):
            return node.copy()
        because = self.tables.because
        match node:
            case exp.Paren():
                return exp.Paren(this=self.fitted_condition(node.this, context, targets))
            case exp.Not():
                return exp.Not(this=self.fitted_condition(node.this, context, targets))
            case exp.And() | exp.Or():
                both = node.copy()
                both.set("this", self.fitted_condition(node.this, context, targets))
                both.set("expression", self.fitted_condition(node.expression, context, targets))
                return both
        if isinstance(node, _COMPARISONS):
            for here, other in (("this", "expression"), ("expression", "this")):
                type_ = context.type(node.args[here])
                if type_ is None or type_.family == "null" or reads_target(node):
                    continue
                if not any(True for _ in node.args[here].find_all(exp.Column)):
                    continue
                made = node.copy()
                self.tables.because = because
                before = dict(self.opaque)
                made.set(other, self.value(node.args[other], type_, targets))
                if context.holds(made):
                    return made
                self.opaque = before
        self.tables.because = because
        return self.condition(node, context, targets)

    def fitted_value(
        self, node: exp.Expr, type_: ColumnType, context: Context, targets: Sequence[str] = ()
    ) -> exp.Expr:
        """A value of a column that the model can evaluate; opaque if it cannot."""
        if context.type(node) is not None:
            return node.copy()
        return self.value(node, type_, targets)


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a condition that AND joins."""
    if isinstance(node, exp.Paren):
        yield from conjuncts(node.this) if isinstance(node.this, exp.And) else (node,)
    elif isinstance(node, exp.And):
        yield from conjuncts(node.this)
        yield from conjuncts(node.expression)
    else:
        yield node


def reads_target(node: exp.Expr) -> bool:
    """Whether a part mentions the target as a table."""
    return any(table.name == TARGET and not table.db for table in node.find_all(exp.Table))


def _of_target(node: exp.Expr, targets: Sequence[str]) -> bool:
    """Whether a part may have a column of the target."""
    names = {name.lower() for name in targets}
    return any(
        column.table.lower() in names or (targets and not column.table)
        for column in node.find_all(exp.Column)
    )


def shown(node: exp.Expr) -> str:
    """A part as it is written, shortened."""
    text = printed_or_none(node) or node.sql(dialect="spark")
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 4]} ..."


def referenced(tree: exp.Expr, qualifier: str) -> Iterable[str]:
    """The columns that a statement mentions with a qualifier."""
    return dict.fromkeys(
        column.name
        for column in tree.find_all(exp.Column)
        if column.table.lower() == qualifier.lower() and column.name != "*"
    )


def default_type(name: str, types: dict[str, ColumnType]) -> ColumnType:
    """The type of a column by its name; a string if it is not among ``types``."""
    return types.get(name.lower(), STRING)
