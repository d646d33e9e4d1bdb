"""INSERT in all its forms: INTO, OVERWRITE [PARTITION (...)], and REPLACE WHERE."""

from __future__ import annotations

from sqlglot import exp

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.expressions.simplification import simplify
from model.expressions.syntax import (
    TRUE,
    And,
    Column,
    Comparison,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
    columns,
    conjunction,
    conjuncts,
)
from model.history import Value
from model.sql.expressions.coercion import check_width
from model.sql.expressions.scalar import Scope
from model.sql.source import Source, refuse_extras, refuse_subqueries, target_of
from model.sql.statements.insert import insert
from model.sql.trees import literal
from model.statements import (
    DynamicOverwrite,
    InsertSelect,
    InsertValues,
    Overwrite,
    Refused,
    Statement,
    Truncate,
)
from model.tables.table import Table
from model.values.casts import cast_function
from model.values.types import BOOLEAN, DOUBLE, STRING, text_of

PARTITION_MODE = "spark.sql.sources.partitionoverwritemode"
DATA_COLUMNS = "spark.databricks.delta.replacewhere.datacolumns.enabled"
CONSTRAINT_CHECK = "spark.databricks.delta.replacewhere.constraintcheck.enabled"
SETTINGS = frozenset({PARTITION_MODE, DATA_COLUMNS, CONSTRAINT_CHECK})
"""Session settings that decide what these statements do."""


def insert_or_overwrite(source: Source) -> Statement:
    """INSERT in any form: an append, an overwrite, or REPLACE WHERE."""
    tree = source.tree()
    if tree.args.get("overwrite"):
        return _overwrite(source, tree)
    if tree.args.get("where") is not None:
        return _replace_where(source, tree)
    if _place(tree).args.get("partition") is not None:
        tree, _ = _into_partition(source, tree)
    return insert(source, tree)


def truncate(source: Source) -> Statement:
    """TRUNCATE TABLE."""
    tree = source.tree()
    if not isinstance(tree, exp.TruncateTable) or len(tree.expressions) != 1:
        raise UnsupportedSQL(f"{source.body!r}: only TRUNCATE TABLE {source.target} is supported")
    refuse_extras(tree, {"expressions", "partition"})
    table, _ = target_of(tree.expressions[0], source)
    if tree.args.get("partition"):
        raise InvalidScenario(
            "TRUNCATE TABLE takes no PARTITION",
            error_class="DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED",
        )
    return Truncate(source.text, table)


def _overwrite(source: Source, tree: exp.Expr) -> Statement:
    body, condition = _into_partition(source, tree)
    body.set("overwrite", False)
    inserts = _inserts(source, body)
    fixed = [part.left for part in conjuncts(condition) if isinstance(part, Comparison)]
    dynamic = _setting(source, PARTITION_MODE, "static", ("static", "dynamic")) == "dynamic"
    if dynamic and inserts.table.partitions:
        if (absent := _absent_partition(body, inserts.table)) is not None:
            reason = f"partition column {absent!r} is not given"
            return Refused(source.text, inserts.table, "INSERT OVERWRITE", _ABSENT, reason)
        return DynamicOverwrite(source.text, inserts.table, inserts)
    # The optimizer turns ``column <=> TRUE`` into a form that no overwrite takes.
    refused = _NOT_TRANSLATED if any(column.type is BOOLEAN for column in fixed) else None
    return Overwrite(source.text, inserts.table, inserts, condition, refused=refused)


def _place(tree: exp.Expr) -> exp.Expr:
    """The target of an INSERT, without the columns listed behind it."""
    place: exp.Expr = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    return place


def _into_partition(source: Source, tree: exp.Expr) -> tuple[exp.Expr, Expression]:
    """An INSERT without its PARTITION clause, and the condition of the partition named there."""
    body = tree.copy()
    place = _place(body)
    partition = place.args.get("partition")
    if partition is None:
        return body, TRUE
    if place is not body.this:
        raise UnsupportedSQL("PARTITION together with a list of columns is not supported")
    place.set("partition", None)
    return body, _static_partition(source, body, partition)


_ABSENT = "DELTA_PARTITION_COLUMN_NOT_FOUND"
_NOT_TRANSLATED = "_LEGACY_ERROR_TEMP_2245"


def _absent_partition(body: exp.Expr, table: Table) -> str | None:
    """A partition column that a list of columns leaves out, and that nothing computes."""
    if not isinstance(body.this, exp.Schema):
        return None
    listed = {node.name.lower() for node in body.this.expressions}
    computed = dict(table.generated)
    for place in table.partitions:
        if table.names[place].lower() not in listed and place not in computed:
            return table.names[place]
    return None


def _replace_where(source: Source, tree: exp.Expr) -> Statement:
    body = tree.copy()
    body.set("where", None)
    table, qualifier = target_of(tree.this, source)
    refuse_subqueries(tree.args["where"], "UNSUPPORTED_FEATURE.OVERWRITE_BY_SUBQUERY")
    condition = Scope(table, qualifier).condition(tree.args["where"])
    inserts = _inserts(source, body)
    checked = _flag(source, CONSTRAINT_CHECK)
    refused = _refused(simplify(condition), table, _flag(source, DATA_COLUMNS))
    return Overwrite(source.text, table, inserts, condition, True, checked, refused)


def _inserts(source: Source, body: exp.Expr) -> InsertValues | InsertSelect:
    """The INSERT that brings the new rows."""
    inserts = insert(source, body)
    assert isinstance(inserts, InsertValues | InsertSelect)
    return inserts


def _static_partition(source: Source, body: exp.Expr, partition: exp.Expr) -> Expression:
    """The partition that a PARTITION clause names; its values are put into the rows of ``body``.

    Columns that are named without a value change nothing: they count with the others, in the
    table's order.
    """
    table, _ = target_of(body.this, source)
    fixed: dict[int, Value] = {}
    for node in partition.expressions:
        name = node.this if isinstance(node, exp.EQ) else node
        partitioning = {table.names[place].lower() for place in table.partitions}
        if name.name.lower() not in partitioning:
            raise InvalidScenario(
                f"PARTITION names {name.name!r}, which is not a partition column",
                error_class="NON_PARTITION_COLUMN",
            )
        column = table.column(name.name)
        if isinstance(node, exp.EQ):
            fixed[column.index] = _partition_value(node.expression, column)
    if not fixed:
        return TRUE
    given = body.expression
    lines = given.expressions if isinstance(given, exp.Values) else [given]
    for line in lines:
        if not isinstance(line, exp.Tuple | exp.Select):
            line = line.replace(exp.Tuple(expressions=[line.copy()]))
        line.set("expressions", [*line.expressions, *(literal(v) for v in fixed.values())])
        if not any(isinstance(part, exp.Star) for part in line.expressions):
            check_width(len(line.expressions), table.schema)
    order = [place for place in table.schema if place not in fixed]
    names = [exp.to_identifier(table.names[place], quoted=True) for place in (*order, *fixed)]
    body.set("this", exp.Schema(this=body.this.copy(), expressions=names))
    parts: list[Expression] = []
    for place, value in fixed.items():
        column = Column(place, table.names[place], table.types[place])
        if value is None:
            parts.append(IsNull(column))
        else:
            parts.append(Comparison("<=>", column, Literal(value, column.type)))
    return conjunction(tuple(parts))


def _partition_value(node: exp.Expr, column: Column) -> Value:
    """A value in PARTITION (column = value): Spark takes its text, and casts that.

    Raises InvalidScenario for a text that is not a value of the column's type.
    """
    given = Scope(Table("VALUES", (), ()), "VALUES").resolve(node)
    if not isinstance(given, Literal) or given.value == "" or given.type is DOUBLE:
        raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not supported in PARTITION")
    if given.value is None:
        return None
    try:
        return cast_function(STRING, column.type)(text_of(given.value))
    except StatementFailure as error:
        raise InvalidScenario(f"PARTITION: {error}", error_class=error.error_class) from error


def _refused(condition: Expression, table: Table, data_columns: bool) -> str | None:
    """The error class that planning ends in, for a condition that no overwrite takes.

    Spark hands the condition over as simple comparisons of a column with a constant.
    """
    if isinstance(condition, Literal) and condition.value is None:
        return "_LEGACY_ERROR_TEMP_1109"
    if not _translatable(condition):
        return _NOT_TRANSLATED
    if not data_columns and not columns(condition) <= table.partition_columns:
        return "DELTA_NON_PARTITION_COLUMN_REFERENCE"
    return None


def _translatable(condition: Expression) -> bool:
    match condition:
        case And() | Or():
            return _translatable(condition.left) and _translatable(condition.right)
        case Not():
            return _translatable(condition.operand)
        case Literal():
            return condition.value is not None
        case Column():
            return condition.type is BOOLEAN
        case IsNull():
            return isinstance(condition.operand, Column)
        case Comparison(left=left, right=right):
            if isinstance(left, Literal):
                left, right = right, left
            return (
                isinstance(left, Column)
                and isinstance(right, Literal)
                and right.type.family == left.type.family
                and right.type == left.type
            )
        case InList(operand=operand, options=options):
            return isinstance(operand, Column) and all(isinstance(o, Literal) for o in options)
    return False


def _flag(source: Source, key: str) -> bool:
    return _setting(source, key, "true", ("true", "false")) == "true"


def _setting(source: Source, key: str, default: str, options: tuple[str, ...]) -> str:
    value = source.settings.get(key, default).lower()
    if value not in options:
        raise InvalidScenario(f"{key} is {' or '.join(options)}, not {value!r}")
    return value
