"""SQL expressions, from sqlglot's tree to the model's, with columns and types resolved.

Whatever the model does not know to mean the same as in Spark is refused: functions that are not
in ``model.expressions.functions``, some casts, subqueries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from sqlglot import exp

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions.evaluation import evaluator
from model.expressions.simplification.shape import FALSE
from model.expressions.syntax import (
    TRUE,
    Aggregate,
    And,
    Arithmetic,
    Case,
    Coalesce,
    Column,
    Comparison,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Opaque,
    Or,
    is_constant,
)
from model.sql.expressions.calls import call
from model.sql.expressions.coercion import cast, common_type, comparison, met
from model.sql.expressions.functions import FUNCTIONS
from model.sql.expressions.moments import day_arithmetic, moved
from model.sql.expressions.opaque import is_accepted, or_opaque
from model.tables.table import Table
from model.values import types
from model.values.arithmetic import result_type
from model.values.types import BIGINT, DOUBLE, INT, NULL, OPAQUE, STRING, ColumnType

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "<=>",
}
_ARITHMETIC: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "div",
}
_AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Min: "min",
    exp.Max: "max",
    exp.Avg: "avg",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """Where column names are looked up: a table, the name that qualifies its columns.

    ``aggregates`` allows count and the like; ``subquery`` resolves a subquery used as a value,
    None where there can be none. ``lookup`` resolves column names instead, where several tables
    are in reach.
    """

    table: Table
    qualifier: str
    aggregates: bool = False
    subquery: Callable[[exp.Expr], Expression] | None = None
    lookup: Callable[[exp.Column], Expression] | None = None

    def resolve(self, node: exp.Expr) -> Expression:
        """The expression that a node of sqlglot's tree stands for.

        Raises UnsupportedSQL or InvalidScenario with a text that quotes the SQL concerned; where
        opaque parts are accepted, an unsupported one becomes such a part.
        """
        if is_accepted():
            return or_opaque(node, self._resolved, self.resolve)
        return self._resolved(node)

    def _resolved(self, node: exp.Expr) -> Expression:
        kind = type(node)
        if kind in _COMPARISONS:
            return self._comparison(_COMPARISONS[kind], node)
        if kind in _ARITHMETIC:
            return self._arithmetic(_ARITHMETIC[kind], node)
        if kind in _AGGREGATES:
            return self._aggregate(_AGGREGATES[kind], node)
        resolver = _RESOLVERS.get(kind) or FUNCTIONS.get(kind)
        if resolver is None:
            raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported ({node.key})")
        return resolver(self, node)

    def where(self, node: exp.Expr | None) -> Expression:
        """A WHERE clause's condition; TRUE where there is none. Raises UnsupportedSQL."""
        if node is None:
            return TRUE
        inner = node.this if isinstance(node, exp.Where) else node
        if isinstance(inner, exp.Column | exp.Literal):
            kind = self.resolve(inner).type
            if kind.family not in ("boolean", "null", "opaque"):
                raise InvalidScenario(
                    f"{inner.sql(dialect='spark')!r} is not a condition",
                    error_class="DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
                )
        return self.boolean(node)

    def boolean(self, node: exp.Expr) -> Expression:
        """A condition where Spark takes no bare NULL: a whole WHERE, or WHEN. Raises likewise."""
        condition = self.condition(node)
        if condition.type is NULL:
            raise InvalidScenario("a bare NULL is not a condition")
        return condition

    def condition(self, node: exp.Expr) -> Expression:
        """A part of a condition. Raises UnsupportedSQL, and InvalidScenario for a number."""
        inner = node.this if isinstance(node, exp.Where) else node
        condition = self.resolve(inner)
        if isinstance(condition, Opaque) and condition.type is OPAQUE:
            return replace(condition, type=types.BOOLEAN)
        if condition.type.family not in ("boolean", "null"):
            raise InvalidScenario(f"{inner.sql(dialect='spark')!r} is not a condition")
        return condition

    def _comparison(self, operator: str, node: exp.Expr) -> Expression:
        left, right = self.resolve(node.args["this"]), self.resolve(node.args["expression"])
        if operator == "<=>":
            sides = (left, right)
            if Literal(None, NULL) in sides and any(map(self.never_null, sides)):
                return FALSE
            if all(map(self.never_null, sides)):
                operator = "="
        return comparison(operator, left, right, node)

    def never_null(self, expression: Expression) -> bool:
        """Whether Spark's optimizer knows that the value is not NULL: constants, NOT NULL."""
        if isinstance(expression, Literal):
            return expression.value is not None
        if not isinstance(expression, Column) or self.lookup is not None:
            return False
        return expression.index in self.table.not_null

    def _arithmetic(self, operator: str, node: exp.Expr) -> Expression:
        one, other = node.args["this"], node.args["expression"]
        if isinstance(one, exp.Interval) and operator == "+":
            one, other = other, one
        if isinstance(other, exp.Interval) and operator in ("+", "-"):
            return moved(1 if operator == "+" else -1, self.resolve(one), other)
        left, right = self.resolve(one), self.resolve(other)
        families = {left.type.family, right.type.family}
        if "date" in families:
            return day_arithmetic(operator, left, right, node)
        if not families <= {"number", "null"}:
            unfit = left if left.type.family not in ("number", "null") else right
            raise UnsupportedSQL(
                f"{node.sql(dialect='spark')!r}: arithmetic on {unfit.type} is not supported"
            )
        if operator == "div" and DOUBLE in (left.type, right.type):
            kind = "DIFF_TYPES" if left.type.bits or right.type.bits else "WRONG_TYPE"
            raise InvalidScenario(
                f"{node.sql(dialect='spark')!r}: div is of whole numbers and decimals",
                error_class=f"DATATYPE_MISMATCH.BINARY_OP_{kind}",
            )
        beside = (_beside(left, right), _beside(right, left))
        return _computable(Arithmetic(operator, left, right, result_type(operator, *beside)), node)

    def _aggregate(self, function: str, node: exp.Expr) -> Expression:
        text = node.sql(dialect="spark")
        if not self.aggregates:
            raise UnsupportedSQL(f"{text!r}: no aggregate can stand here")
        operand = node.this
        distinct = isinstance(operand, exp.Distinct)
        if distinct:
            if len(operand.expressions) != 1:
                raise UnsupportedSQL(f"{text!r}: DISTINCT of several values is not supported")
            (operand,) = operand.expressions
        if node.expressions:
            raise UnsupportedSQL(f"{text!r}: an aggregate of several values is not supported")
        if isinstance(operand, exp.Star):
            return Aggregate("count", None, BIGINT)
        if operand is None:
            raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} needs something to aggregate")
        inner = Scope(self.table, self.qualifier, lookup=self.lookup).resolve(operand)
        type_ = inner.type
        if function == "count":
            type_ = BIGINT
        elif function in ("sum", "avg"):
            if type_.family != "number":
                raise UnsupportedSQL(f"{text!r}: {function} of {type_} is not supported")
            type_ = _summed(function, type_)
        return Aggregate(function, inner, type_, distinct and function not in ("min", "max"))


def _summed(function: str, type_: ColumnType) -> ColumnType:
    """The type of a sum or an average (Sum.scala, Average.scala)."""
    if not type_.precision:
        return DOUBLE if function == "avg" or type_ is DOUBLE else BIGINT
    if function == "sum":
        return types.decimal(min(type_.precision + 10, 38), type_.scale)
    return types.decimal(min(type_.precision + 4, 38), min(type_.scale + 4, 38))


def _beside(side: Expression, other: Expression) -> ColumnType:
    """A side's type in arithmetic; a whole constant beside a decimal has only its own digits."""
    if isinstance(side, Literal) and other.type.precision:
        return types.literal_type(side.value, side.type)
    return side.type


def number(text: str) -> Literal:
    """The literal that Spark reads ``text`` as: int, bigint, or decimal. Raises UnsupportedSQL."""
    if text.isdigit():
        value = int(text)
        if types.fits(value, 32):
            return Literal(value, INT)
        if types.fits(value, 64):
            return Literal(value, BIGINT)
        if len(str(value)) > 38:
            raise UnsupportedSQL(f"the number {text} has more than 38 digits")
        return Literal(Decimal(value), types.decimal(len(str(value)), 0))
    if "e" in text.lower():
        return Literal(float(text), DOUBLE)
    exact = Decimal(text)
    _, digits, exponent = exact.as_tuple()
    scale = -int(exponent)
    return Literal(exact, types.decimal(max(len(digits), scale), scale))


def _column(scope: Scope, node: exp.Expr) -> Expression:
    assert isinstance(node, exp.Column)
    if scope.lookup is not None:
        return scope.lookup(node)
    qualifier = node.table
    if qualifier and qualifier.lower() != scope.qualifier.lower():
        raise InvalidScenario(
            f"unknown table {qualifier!r} in {node.sql(dialect='spark')!r} "
            f"(only {scope.qualifier} is in reach)"
        )
    return scope.table.column(node.name)


_NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""A partition of this name is the one of NULL, in files of its own."""


def _literal(scope: Scope, node: exp.Expr) -> Expression:
    if node.is_string and node.this == _NO_PARTITION:
        raise UnsupportedSQL(f"the text {_NO_PARTITION!r} is not supported")
    return Literal(node.this, STRING) if node.is_string else number(node.this)


def _negative(scope: Scope, node: exp.Expr) -> Expression:
    operand = node.this
    if isinstance(operand, exp.Literal) and not operand.is_string:
        literal = number(operand.this)
        value = literal.value
        assert isinstance(value, int | float | Decimal)
        # -2147483648 is an int although its digits alone are not; so with the least bigint.
        whole = value == int(value) and not literal.type.scale and literal.type is not DOUBLE
        if whole and types.fits(-int(value), 32):
            return Literal(-int(value), INT)
        if whole and types.fits(-int(value), 64):
            return Literal(-int(value), BIGINT)
        return Literal(-value, literal.type)
    inner = scope.resolve(operand)
    if inner.type.family != "number":
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported")
    if inner.type.precision:
        return call("negative", inner.type, inner)
    if isinstance(operand, exp.TryCast) and isinstance(inner, Literal) and inner.value is not None:
        assert isinstance(inner.value, int | float)
        return Literal(-inner.value, inner.type)
    if inner.type is DOUBLE:  # whose 0 has a sign, which 0 - x loses
        return _computable(Arithmetic("*", Literal(-1.0, DOUBLE), inner, DOUBLE), node)
    return _computable(Arithmetic("-", Literal(0, inner.type), inner, inner.type), node)


def _computable(expression: Arithmetic, node: exp.Expr) -> Arithmetic:
    """Refuses a constant that cannot be computed: Spark fails the statement on any table."""
    if is_constant(expression):
        try:
            evaluator(expression)(())
        except StatementFailure as error:
            text = node.sql(dialect="spark")
            raise InvalidScenario(f"{text!r} always fails ({error.error_class})") from error
    return expression


def _between(scope: Scope, node: exp.Expr) -> Expression:
    value = scope.resolve(node.this)
    low, high = scope.resolve(node.args["low"]), scope.resolve(node.args["high"])
    return And(comparison(">=", value, low, node), comparison("<=", value, high, node))


def _in(scope: Scope, node: exp.Expr) -> Expression:
    if node.args.get("query") is not None or not node.expressions:
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r}: subqueries are not supported")
    operand, *options = met(tuple(map(scope.resolve, (node.this, *node.expressions))), node)
    return InList(operand, tuple(options))


def _is(scope: Scope, node: exp.Expr) -> Expression:
    operand = scope.resolve(node.this)
    match node.expression:
        case exp.Null():
            # Known from the column alone, so that the optimizer never sees it as a condition.
            if isinstance(operand, Column) and scope.never_null(operand):
                return FALSE
            return IsNull(operand)
        case exp.Boolean(this=value) if operand.type.family == "boolean":
            return Comparison("<=>", operand, Literal(bool(value), types.BOOLEAN))
    raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported")


def _cast(scope: Scope, node: exp.Expr) -> Expression:
    target = types.parse_type(node.args["to"].sql(dialect="spark"))
    return cast(scope.resolve(node.this), target, node)


def _subquery(scope: Scope, node: exp.Expr) -> Expression:
    if scope.subquery is None or not isinstance(node.this, exp.Select):
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r}: subqueries are not supported here")
    return scope.subquery(node)


def _try_cast(scope: Scope, node: exp.Expr) -> Expression:
    """A cast, or a number with a type's letter such as 1.5D: sqlglot names both like this."""
    if node.args.get("safe"):
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported")
    return _cast(scope, node)


def _coalesce(scope: Scope, node: exp.Expr) -> Expression:
    operands = tuple(map(scope.resolve, (node.this, *node.expressions)))
    type_ = _common_type(operands, node)
    first = operands[0]
    if isinstance(first, Column) and scope.never_null(first) and first.type == type_:
        return first
    return Coalesce(operands, type_)


def _case(scope: Scope, node: exp.Expr) -> Expression:
    branches = []
    for branch in node.args["ifs"]:
        condition = branch.this
        if node.this is not None:
            condition = exp.EQ(this=node.this.copy(), expression=condition.copy())
        branches.append((scope.boolean(condition), scope.resolve(branch.args["true"])))
    default = node.args.get("default")
    otherwise = Literal(None, NULL) if default is None else scope.resolve(default)
    values = (*(value for _, value in branches), otherwise)
    return Case(tuple(branches), otherwise, _common_type(values, node))


def _common_type(values: tuple[Expression, ...], node: exp.Expr) -> ColumnType:
    if len({value.type.family for value in values} - {"null"}) > 1:
        names = " and ".join(str(value.type) for value in values)
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} mixes {names}: not supported")
    return common_type(tuple(value.type for value in values), node)


_RESOLVERS: dict[type[exp.Expr], Callable[[Scope, exp.Expr], Expression]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Neg: _negative,
    exp.Null: lambda scope, node: Literal(None, NULL),
    exp.Boolean: lambda scope, node: Literal(bool(node.this), types.BOOLEAN),
    exp.Paren: lambda scope, node: scope.resolve(node.this),
    exp.And: lambda scope, node: And(
        scope.condition(node.args["this"]), scope.condition(node.args["expression"])
    ),
    exp.Or: lambda scope, node: Or(
        scope.condition(node.args["this"]), scope.condition(node.args["expression"])
    ),
    exp.Not: lambda scope, node: Not(scope.condition(node.this)),
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.Cast: _cast,
    exp.TryCast: _try_cast,
    exp.Coalesce: _coalesce,
    exp.Case: _case,
    exp.Subquery: _subquery,
    exp.Alias: lambda scope, node: scope.resolve(node.this),
}
