"""Random SQL over columns of every type, beyond what the search needs.

Where ``checker.generators.scenarios`` keeps statements small and sound, so that they meet in
concurrent histories, this one looks for the edges of single statements: overflow and division by
zero, numbers of several types compared, NULL in every place, CASE and coalesce, conditions that the
optimizer turns into others.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import TypeVar

from model.history import Row, Value
from model.scenario import TableSpec
from model.tables.table import Table, table_from_spec
from model.values.types import sql_literal, sql_row

T = TypeVar("T")

_Date, _Time = datetime.date, datetime.datetime

DOMAINS: dict[str, tuple[Value, ...]] = {
    "int": (1, 2, 3, None, 0, -1, 7, 2147483647, -2147483648),
    "bigint": (1, 2, 3, None, 0, -5, 3000000000, 9223372036854775807, -9223372036854775808),
    "double": (1.0, 2.0, None, 0.5, -1.5, 0.0, 1e308, 9007199254740992.0, 3e9),
    "string": ("a", "b", None, "ab", "B", "a'b", "é", "1", "a" * 40 + "b", "a" * 40 + "c"),
    "boolean": (True, False, None),
    "date": (_Date(2024, 1, 1), _Date(2024, 1, 2), None, _Date(1969, 12, 31)),
    "decimal(5,2)": tuple(
        None if text is None else Decimal(text)
        for text in ("1.00", "1.50", None, "-2.25", "999.99", "0.01")
    ),
    "timestamp": (
        _Time(2024, 1, 1),
        _Time(2024, 1, 1, 1, 2, 3, 500000),
        None,
        _Time(2024, 1, 1, 1, 2, 3, 500400),
        _Time(2024, 1, 2),
        _Time(1969, 12, 31, 23, 59, 59),
    ),
}

NUMBERS = ("int", "bigint", "double", "decimal(5,2)")
COMPUTED = NUMBERS
KINDS = (
    "DELETE",
    "UPDATE",
    "UPDATE FROM",
    "INSERT",
    "INSERT SELECT",
    "AGGREGATE",
    "SELECT",
    "OPTIMIZE",
)
COMPARISONS = ("=", "<>", "<", ">", "<=", ">=", "<=>")


@dataclass(frozen=True)
class Shape:
    """A table to be: its columns, its layout, and the few values that each column takes."""

    columns: dict[str, str]
    partition_by: tuple[str, ...]
    values: dict[str, tuple[Value, ...]]
    setup: tuple[str, ...]

    @property
    def spec(self) -> TableSpec:
        return TableSpec(self.columns, self.partition_by, (), {}, self.setup)

    @property
    def resolved(self) -> Table:
        return table_from_spec("t", self.spec)


class Source:
    """Random SQL; equal generators give equal SQL."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.random.random() * len(options))]

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    # Tables

    def table(self) -> Shape:
        columns = {"k": self.pick(("int", "int", "bigint"))}
        for name in "pvwx"[: self.pick((1, 2, 3, 3, 4))]:
            columns[name] = self.pick(tuple(DOMAINS))
        names = self.shuffled(columns)
        columns = {name: columns[name] for name in names}
        values = {
            name: self.shuffled(DOMAINS[columns[name]])[: self.pick((3, 4, 5))] for name in names
        }
        partitions: tuple[str, ...] = ()
        if self.chance(0.6):
            partitions = self.shuffled(columns)[: self.pick((1, 1, 1, 2))]
            partitions = partitions[: len(columns) - 1]
            values |= {name: values[name][:3] for name in partitions}
        shape = Shape(columns, partitions, values, ())
        setup = tuple(self.insert(shape, self.pick((1, 2, 3))) for _ in range(self.pick((2, 3, 4))))
        return Shape(columns, partitions, values, setup)

    def shuffled(self, options: Sequence[T] | dict[T, str]) -> tuple[T, ...]:
        found = list(options)
        self.random.shuffle(found)
        return tuple(found)

    def row(self, shape: Shape) -> Row:
        return tuple(self.pick(shape.values[name]) for name in shape.columns)

    def insert(self, shape: Shape, rows: int) -> str:
        return f"INSERT INTO t VALUES {', '.join(sql_row(self.row(shape)) for _ in range(rows))}"

    # Values

    def literal(self, type_: str, values: Sequence[Value] = (), null: float = 0.05) -> str:
        if self.chance(null):
            return "NULL"
        near = [value for value in values if value is not None]
        if not near or self.chance(0.3):
            near = [value for value in DOMAINS[type_] if value is not None]
        return sql_literal(self.pick(near))

    def number(self, shape: Shape, depth: int) -> str:
        names = [name for name, type_ in shape.columns.items() if type_ in COMPUTED]
        if depth <= 0 or self.chance(0.35):
            if names and self.chance(0.7):
                return self.pick(names)
            return self.literal(self.pick(("int", "int", *COMPUTED)))
        one = self.number(shape, depth - 1)
        kind = self.pick(
            (
                "+",
                "-",
                "*",
                "/",
                "%",
                "div",
                "negative",
                "coalesce",
                "CASE",
                "abs",
                "IF",
                "greatest",
            )
        )
        if kind == "negative":
            return f"-({one})"
        if kind == "abs":
            return f"abs({one})"
        if kind == "extreme":
            return f"{self.pick(('greatest', 'least'))}({one}, {self.number(shape, depth - 1)})"
        if kind == "IF":
            return f"IF({self.condition(shape, depth - 1)}, {one}, {self.number(shape, 0)})"
        if kind == "coalesce":
            return f"coalesce({one}, {self.number(shape, depth - 1)})"
        if kind == "CASE":
            when = self.condition(shape, depth - 1)
            otherwise = f" ELSE {self.number(shape, depth - 1)}" if self.chance(0.6) else ""
            return f"CASE WHEN {when} THEN {one}{otherwise} END"
        other = (
            self.number(shape, depth - 1) if self.chance(0.5) else self.pick(("0", "1", "-1", "2"))
        )
        return f"({one} {kind} {other})"

    def value(self, type_: str, shape: Shape, depth: int = 1) -> str:
        """An expression that a column of the type takes."""
        if type_ in NUMBERS and self.chance(0.6):
            return self.number(shape, depth)
        alike = [name for name, other in shape.columns.items() if other == type_]
        kind = self.pick(("literal", "literal", "column", "coalesce", "CASE", "condition"))
        if kind == "condition" and type_ == "boolean":
            return self.condition(shape, depth)
        if kind == "column" and alike:
            return self.pick(alike)
        if kind == "coalesce" and alike:
            return f"coalesce({self.pick(alike)}, {self.literal(type_)})"
        if kind == "CASE" and depth > 0:
            then = self.value(type_, shape, 0)
            return (
                f"CASE WHEN {self.condition(shape, 0)} THEN {then} ELSE {self.literal(type_)} END"
            )
        return self.literal(type_, null=0.15)

    # Conditions

    def condition(self, shape: Shape, depth: int = 2) -> str:
        kind = self.pick(("atom", "atom", "AND", "OR", "NOT")) if depth > 0 else "atom"
        if kind == "atom":
            return self.atom(shape, depth - 1)
        if kind == "NOT":
            return f"NOT ({self.condition(shape, depth - 1)})"
        if self.chance(0.1):
            common, one, other = (self.atom(shape, 0) for _ in range(3))
            return f"(({common}) AND ({one})) OR (({common}) AND ({other}))"
        return f"({self.condition(shape, depth - 1)}) {kind} ({self.condition(shape, depth - 1)})"

    def atom(self, shape: Shape, depth: int) -> str:
        name = self.pick(tuple(shape.columns))
        type_, values = shape.columns[name], shape.values[name]
        literal = self.literal(type_, values)
        match self.pick(_ATOMS):
            case "IN" | "NOT IN" as kind:
                options = [
                    self.literal(type_, values, 0.12) for _ in range(self.pick((1, 2, 2, 3)))
                ]
                return f"{name} {kind} ({', '.join(options)})"
            case "BETWEEN" | "NOT BETWEEN" as kind:
                return f"{name} {kind} {literal} AND {self.literal(type_, values)}"
            case "IS NULL" | "IS NOT NULL" as kind:
                return f"{name} {kind}"
            case "mirrored":
                return f"{literal} {self.pick(COMPARISONS)} {name}"
            case "computed":
                one, other = self.number(shape, depth + 1), self.number(shape, depth)
                return f"{one} {self.pick(COMPARISONS)} {other}"
            case "another type" if type_ in NUMBERS:
                return f"{name} {self.pick(COMPARISONS)} {self.pick(_CONSTANTS)}"
            case "column":
                alike = [
                    other
                    for other, kind in shape.columns.items()
                    if kind == type_ or {kind, type_} <= set(NUMBERS)
                ]
                return f"{name} {self.pick(COMPARISONS)} {self.pick(alike)}"
            case "boolean" if "boolean" in shape.columns.values():
                flag = self.pick([n for n, kind in shape.columns.items() if kind == "boolean"])
                return self.pick((flag, f"NOT {flag}", f"{flag} IS TRUE", f"{flag} IS NOT FALSE"))
            case "constant":
                return self.pick(
                    ("TRUE", "FALSE", "1 = 1", "NULL = 1", "2 IN (1, NULL)", "NULL IS NULL")
                )
            case "text" if "string" in shape.columns.values():
                return self.text_test(shape)
            case "written out":
                return f"{name} {self.pick(COMPARISONS)} '{self.written(type_)}'"
            case "moved" if "date" in shape.columns.values():
                return self.moved_day(shape)
            case "cast" if type_ != "boolean":
                target = self.pick(("string", "bigint") if type_ in ("int", "bigint") else (type_,))
                cast = f"CAST({name} AS {target})"
                return f"{cast} {self.pick(COMPARISONS)} {self.literal(target)}"
            case "distinct from":
                return f"{name} IS {self.pick(('', 'NOT '))}DISTINCT FROM {literal}"
            case "CASE":
                return f"CASE WHEN {self.atom(shape, 0)} THEN {name} ELSE {literal} END = {literal}"
        return f"{name} {self.pick(COMPARISONS)} {literal}"

    def text_test(self, shape: Shape) -> str:
        """A condition on a string column by one of the functions of texts."""
        name = self.pick([n for n, kind in shape.columns.items() if kind == "string"])
        part = self.pick(("a", "ab", "B", "", "é", "a" * 33, "a" * 40 + "b"))
        match self.pick(("LIKE", "LIKE", "function", "length", "value")):
            case "LIKE":
                pattern = self.pick((f"{part}%", f"%{part}", f"%{part}%", f"{part}_", "a%b", part))
                return f"{name} {self.pick(('', '', 'NOT '))}LIKE '{pattern}'"
            case "function":
                return f"{self.pick(('startswith', 'endswith', 'contains'))}({name}, '{part}')"
            case "length":
                return f"length({name}) {self.pick(COMPARISONS)} {self.pick(('0', '1', '2', '41'))}"
        value = self.pick((f"upper({name})", f"substring({name}, 1, 1)", f"concat({name}, '')"))
        return f"{value} {self.pick(COMPARISONS)} '{part}'"

    def written(self, type_: str) -> str:
        """A value of the type as text, for Spark to read where it is compared."""
        values = [value for value in DOMAINS[type_] if value is not None]
        if type_ in ("int", "bigint", "date", "timestamp", "boolean"):
            return str(self.pick(values)).lower()
        return self.pick(("1.5", "0", "-2.25", "3")) if type_ in NUMBERS else "a"

    def moved_day(self, shape: Shape) -> str:
        """A condition on a date column by arithmetic with days, months and years."""
        name = self.pick([n for n, kind in shape.columns.items() if kind == "date"])
        day = self.literal("date", null=0)
        compare = self.pick(COMPARISONS)
        return self.pick(
            (
                f"{name} + 1 {compare} {day}",
                f"{name} {compare} {day} - INTERVAL 1 DAY",
                f"date_sub({name}, 1) {compare} {day}",
                f"{name} + INTERVAL 1 MONTH {compare} {day}",
                f"year({name}) {compare} 2024",
                f"datediff({name}, {day}) {compare} 0",
            )
        )

    # Statements

    def where(self, shape: Shape) -> str:
        if self.chance(0.1):
            return ""
        return f" WHERE {self.condition(shape, self.pick((0, 0, 1, 1, 2)))}"

    def aggregate(self, shape: Shape) -> str:
        function = self.pick(("count(*)", "count", "sum", "min", "max", "avg"))
        if function == "count(*)":
            return function
        if function in ("sum", "avg"):
            return f"{function}({self.number(shape, self.pick((0, 0, 1)))})"
        return f"{function}({self.pick(tuple(shape.columns))})"

    def statement(self, shape: Shape, kind: str | None = None) -> str:
        columns, where = shape.columns, self.where(shape)
        match kind or self.pick(KINDS):
            case "DELETE":
                return f"DELETE FROM t{where}"
            case "UPDATE":
                names = self.shuffled(columns)[: self.pick((1, 1, 2))]
                sets = [
                    f"{n} = {self.value(columns[n], shape, self.pick((0, 1, 2)))}" for n in names
                ]
                return f"UPDATE t SET {', '.join(sets)}{where}"
            case "UPDATE FROM":
                name = self.pick([n for n, type_ in columns.items() if type_ in NUMBERS])
                inner = f"(SELECT {self.aggregate(shape)} FROM t{self.where(shape)})"
                value = self.pick((inner, f"{inner} + 1", f"coalesce({inner}, {name})"))
                return f"UPDATE t SET {name} = {value}{where}"
            case "INSERT":
                return self.insert(shape, self.pick((1, 1, 2, 3)))
            case "INSERT SELECT":
                outputs = [
                    name if self.chance(0.5) else self.value(type_, shape)
                    for name, type_ in columns.items()
                ]
                return f"INSERT INTO t SELECT {', '.join(outputs)} FROM t{where}"
            case "AGGREGATE":
                return self._insert_aggregate(shape, where)
            case "SELECT":
                if self.chance(0.3):
                    return f"SELECT {self.aggregate(shape)}, {self.aggregate(shape)} FROM t{where}"
                outputs = [self.pick((n, self.value(t, shape))) for n, t in columns.items()]
                return f"SELECT {', '.join(outputs)}, ({self.condition(shape, 1)}) FROM t{where}"
        if shape.partition_by and self.chance(0.6):
            parts = {name: columns[name] for name in shape.partition_by}
            condition = self.condition(Shape(parts, (), shape.values, ()), 1)
            return f"OPTIMIZE t WHERE {condition}"
        return "OPTIMIZE t"

    def _insert_aggregate(self, shape: Shape, where: str) -> str:
        group = self.pick(tuple(shape.columns)) if self.chance(0.5) else None
        outputs = []
        for name, type_ in shape.columns.items():
            if name == group:
                outputs.append(name)
            elif type_ in NUMBERS and self.chance(0.6):
                outputs.append(self.aggregate(shape))
            else:
                outputs.append(self.pick((f"min({name})", f"max({name})", self.literal(type_))))
        by = f" GROUP BY {group}" if group else ""
        return f"INSERT INTO t SELECT {', '.join(outputs)} FROM t{where}{by}"


_ATOMS = (
    *("comparison", "comparison", "comparison", "mirrored", "IN", "NOT IN", "BETWEEN"),
    *("NOT BETWEEN", "IS NULL", "IS NOT NULL", "computed", "another type", "column", "boolean"),
    *("constant", "CASE", "text", "text", "written out", "moved", "cast", "distinct from"),
)
_CONSTANTS = ("1.5", "2.0", "0.1", "1.00", "2.505", "-0.5", "1e0", "1", "3000000000", "2147483647")
