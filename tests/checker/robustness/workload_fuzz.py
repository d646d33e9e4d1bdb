"""Random workloads over columns of every type: NULL, extreme and out-of-range values, failures.

Nothing here or in ``workload_arena`` is of ``checker.robustness``: jobs are drawn with the types of
their parameters, runs are made by putting literals in the text, and schedules are played by the
simulator itself. So an answer can be held against what happens.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from model.scenario import TableSpec
from model.values.types import sql_literal

LEVEL = "WriteSerializable"

TYPES = {
    "k": "int",
    "p": "int",
    "b": "bigint",
    "x": "double",
    "m": "decimal(6,2)",
    "n": "string",
    "live": "boolean",
    "d": "date",
    "at": "timestamp",
}
"""Columns by name; each workload has some of them, ``k`` and ``p`` always."""

DAY, LATER = datetime.date(2026, 3, 1), datetime.date(9999, 12, 31)
NOON, NIGHT = datetime.datetime(2026, 3, 1, 12), datetime.datetime(2026, 3, 2)
VALUES: dict[str, tuple[Any, ...]] = {
    "int": (1, 2, 0, 2147483647, -2147483648),
    "bigint": (1, 2, 3_000_000_000, -9223372036854775808),
    "double": (1.0, 1.5, 0.0, float("nan"), 1e300),
    "decimal(6,2)": (Decimal("1.50"), Decimal(2), Decimal("9999.99")),
    "string": ("a", "", "1", "ab"),
    "boolean": (True, False),
    "date": (DAY, DAY + datetime.timedelta(days=1), LATER),
    "timestamp": (NOON, NIGHT),
}
"""Values that rows and parameters have, the common ones first."""

LITERALS: dict[str, tuple[str, ...]] = {
    "int": ("1", "2", "3000000000", "-2147483649", "1.5", "1.0", "2147483647L", "NULL", "0"),
    "bigint": ("1", "2", "3000000000", "1.5", "12345678901234567890", "NULL"),
    "double": ("1", "1.5D", "1.5", "double('NaN')", "NULL", "2147483647"),
    "decimal(6,2)": ("1.5", "2", "1.555", "10000", "NULL", "99999999999"),
    "string": ("'a'", "''", "'b'", "NULL", "'1'"),
    "boolean": ("true", "false", "NULL"),
    "date": ("DATE '2026-03-01'", "DATE '9999-12-31'", "NULL"),
    "timestamp": ("TIMESTAMP '2026-03-01 12:00:00'", "TIMESTAMP '2026-03-02 00:00:00'", "NULL"),
}
"""Constants that a column of a type is compared with, some that no value of it reaches."""

WIDER = {"int": ("bigint", "decimal(6,2)", "double"), "bigint": ("decimal(6,2)",)}
"""Types of parameters besides the column's own."""

FAILING = ("10 / k > 1", "k + 1 > 2", "CAST(n AS INT) = 1", "k % 2 = 1", "1 / k = NULL")


@dataclass
class Drawn:
    """A workload: its table, the texts of its jobs, and the types of their parameters."""

    table: TableSpec
    tables: Mapping[str, TableSpec]
    jobs: Mapping[str, str]
    types: Mapping[str, str]

    def runs(self, random: Random, most: int) -> dict[str, list[tuple[dict[str, Any], str]]]:
        """Some runs of each job: the values of its parameters, and the SQL."""
        found: dict[str, list[tuple[dict[str, Any], str]]] = {}
        for job, text in self.jobs.items():
            names = list(dict.fromkeys(re.findall(r":([a-z]\w*)", text)))
            some: dict[str, dict[str, Any]] = {}
            for _ in range(3 * most):
                if len(some) < most:
                    values = {name: self._value(name, random) for name in names}
                    some.setdefault(_filled(text, values), values)
            found[job] = [(values, sql) for sql, values in some.items()]
        return found

    def _value(self, name: str, random: Random) -> Any:
        values = VALUES[self.types[name]]
        return random.choice(values[:2] if random.random() < 0.8 else values)


def _filled(text: str, values: Mapping[str, Any]) -> str:
    def literal(match: re.Match[str]) -> str:
        written = sql_literal(values[match[1]])
        return f"({written})" if written.startswith("-") else written

    return re.sub(r":([a-z]\w*)", literal, text)


class Fuzz:
    """Draws workloads from one source of randomness."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.columns: dict[str, str] = {}
        self.types: dict[str, str] = {}

    def workload(self) -> Drawn:
        """Two or three jobs on a table."""
        random = self.random
        others = random.sample([name for name in TYPES if name not in "kp"], random.choice((1, 2)))
        self.columns = {name: TYPES[name] for name in ("k", "p", *others)}
        self.types = {}
        partitions = random.choice(((), ("p",), ("p",), ("p",), (others[0],), ("p", others[0])))
        rows = [self._row() for _ in range(random.choice((0, 1, 2, 3)))]
        together = random.random() < 0.5
        groups = [rows] if together and rows else [[row] for row in rows]
        setup = tuple(f"INSERT INTO t VALUES {', '.join(group)}" for group in groups)
        marking = {"delta.enableDeletionVectors": "true"} if random.random() < 0.25 else {}
        source = ", ".join([self._row(), self._row()])
        texts = [self._statement(partitions) for _ in range(random.choice((2, 3, 3)))]
        if random.random() < 0.35:
            texts = self._parts(partitions)
        elif random.random() < 0.5:
            texts[0] = f"INSERT INTO t VALUES ({self._cells()})"
        return Drawn(
            TableSpec(self.columns, partitions, (), marking, setup).at_level(LEVEL),
            {"s": TableSpec(self.columns, setup=(f"INSERT INTO s VALUES {source}",))},
            {f"job{number}": text for number, text in enumerate(texts)},
            dict(self.types),
        )

    def _parts(self, partitions: Sequence[str]) -> list[str]:
        """Three jobs of the sorts that a cycle needs: one that appends, reads, or changes rows."""
        random = self.random
        count = f"INSERT INTO t SELECT {self._counts()} FROM t WHERE {self._atom()}"
        append = random.choice((count, count, f"INSERT INTO t VALUES ({self._cells()})"))
        change = random.choice((f"DELETE FROM t{self._where()}", self._merge(), self._update()))
        read = random.choice((f"INSERT INTO t {self._query()}", "SELECT * FROM t", change))
        return [append, change, read if read != change else self._statement(partitions)]

    def _row(self) -> str:
        cells = []
        for type_ in self.columns.values():
            odd = self.random.random()
            values = VALUES[type_][:2] if odd < 0.7 else VALUES[type_]
            cells.append("NULL" if odd > 0.92 else sql_literal(self.random.choice(values)))
        return f"({', '.join(cells)})"

    def _parameter(self, column: str, *, wider: bool = True) -> str:
        """A parameter for a column: of its type, or of a wider one."""
        own = self.columns[column]
        kinds = [own, own, own, *(WIDER.get(own, ()) if wider else ())]
        type_ = self.random.choice(kinds)
        short = re.sub(r"\W", "", type_)[:3]
        name = f"{column}_{short}{self.random.choice((0, 0, 1))}"
        self.types[name] = type_
        return f":{name}"

    def _value(self, column: str) -> str:
        if self.random.random() < 0.5:
            return self._parameter(column)
        return self.random.choice(LITERALS[self.columns[column]][: self.random.choice((2, 9))])

    def _atom(self, own: str = "", names: Sequence[str] = ()) -> str:
        random = self.random
        column = random.choice(names or tuple(self.columns))
        type_ = self.columns[column]
        here = f"{own}{column}"
        shape = random.random()
        if type_ == "boolean" and shape < 0.4:
            return random.choice((here, f"NOT {here}", f"{here} IS NULL"))
        if shape < 0.08:
            choices = [f for f in FAILING if not own and ("n " not in f or "n" in self.columns)]
            choices = [f for f in choices if "(n" not in f or "n" in self.columns]
            if choices:
                return random.choice(choices)
        if shape < 0.14:
            return random.choice((f"{here} IS NULL", f"{here} IS NOT NULL"))
        if shape < 0.22:
            return f"{here} IN ({self._value(column)}, {self._value(column)})"
        if shape < 0.28 and type_ != "boolean":
            return f"{here} BETWEEN {self._value(column)} AND {self._value(column)}"
        if shape < 0.33 and type_ == "string":
            return f"{here} LIKE '{random.choice(('a%', '%', '', '_'))}'"
        if shape < 0.36:
            return random.choice(("true", "false", "1 = 2"))
        if shape < 0.39 and column == "k":
            return f"{own}k = {own}p"
        operator = random.choice(("=", "=", "=", "=", "<", ">", "<=", ">=", "<>", "<=>"))
        return f"{here} {operator} {self._value(column)}"

    def _condition(self, own: str = "") -> str:
        random = self.random
        parts = [self._atom(own) for _ in range(random.choice((1, 1, 1, 2, 2)))]
        if random.random() < 0.5:
            parts[0] = self._atom(own, ("p",))
        joined = random.choice((" AND ", " AND ", " OR ")).join(parts)
        return f"NOT ({joined})" if random.random() < 0.08 else joined

    def _where(self) -> str:
        return "" if self.random.random() < 0.12 else f" WHERE {self._condition()}"

    def _cells(self) -> str:
        random = self.random
        cells = []
        for column, type_ in self.columns.items():
            if random.random() < 0.5:
                cells.append(self._parameter(column, wider=False))
            elif random.random() < 0.15:
                cells.append("NULL")
            else:
                cells.append(sql_literal(random.choice(VALUES[type_][:3])))
        return ", ".join(cells)

    def _outputs(self, own: str = "") -> str:
        random = self.random
        cells = []
        for column in self.columns:
            draw = random.random()
            if draw < 0.6:
                cells.append(f"{own}{column}")
            elif draw < 0.85:
                cells.append(self._parameter(column, wider=False))
            else:
                cells.append("NULL" if draw > 0.95 else sql_literal(VALUES[TYPES[column]][0]))
        return ", ".join(cells)

    def _counts(self) -> str:
        """One row of an aggregate, which is there even where no row is read."""
        random = self.random
        cells = [random.choice(("count(*)", "max(k)", "sum(k)", "9", "min(p)"))]
        cells.append(random.choice(("1", "2", self._parameter("p", wider=False), "count(*)")))
        for column in list(self.columns)[2:]:
            cells.append(random.choice(("NULL", f"max({column})")))
        if not any("(" in cell for cell in cells):
            cells[0] = "count(*)"
        return ", ".join(cells)

    def _query(self) -> str:
        random = self.random
        table = random.choice(("t", "t", "s"))
        kind = random.random()
        if kind < 0.45:
            return f"SELECT {self._counts()} FROM t{self._where()}"
        if kind < 0.8:
            return f"SELECT {self._outputs()} FROM {table}{self._where()}"
        if kind < 0.87:
            return (
                f"SELECT {self._outputs('t.')} FROM t JOIN s ON t.k = s.k "
                f"WHERE {self._condition('t.')}"
            )
        if kind < 0.94:
            return f"SELECT {self._counts()} FROM t{self._where()} UNION ALL SELECT * FROM s"
        return f"SELECT {self._cells()}"

    def _merge(self) -> str:
        random = self.random
        names = ["k", random.choice([*self.columns])]
        if random.random() < 0.7:
            cells = [f"{self._value(name)} AS {name}" for name in dict.fromkeys(names)]
            source, given = f"(SELECT {', '.join(cells)})", list(dict.fromkeys(names))
        else:
            source, given = random.choice((("s", [*self.columns]), ("t", [*self.columns])))
        on = [
            f"t.{name} = s.{name}" for name in random.sample(given, random.choice((1, len(given))))
        ]
        if random.random() < 0.4:
            on.append(self._atom("t."))
        clauses = []
        if random.random() < 0.75:
            also = f" AND {self._atom('t.')}" if random.random() < 0.3 else ""
            clauses.append(f"WHEN MATCHED{also} THEN {self._acting(given)}")
        if random.random() < 0.5 or not clauses:
            cells = [f"s.{c}" if c in given else "NULL" for c in self.columns]
            if "p" not in given:
                cells[1] = random.choice(("1", "2"))
            clauses.append(
                f"WHEN NOT MATCHED THEN INSERT ({', '.join(self.columns)}) "
                f"VALUES ({', '.join(cells)})"
            )
        if random.random() < 0.15:
            then = random.choice(("DELETE", "UPDATE SET k = 7"))
            clauses.append(f"WHEN NOT MATCHED BY SOURCE AND {self._atom('t.')} THEN {then}")
        return f"MERGE INTO t USING {source} s ON {' AND '.join(on)} {' '.join(clauses)}"

    def _acting(self, given: Sequence[str]) -> str:
        column = self.random.choice([*self.columns])
        value = f"s.{column}" if column in given else self._stored(column)
        return self.random.choice(("DELETE", f"UPDATE SET {column} = {value}"))

    def _stored(self, column: str) -> str:
        """A value that a column takes."""
        if self.random.random() < 0.4:
            return self._parameter(column, wider=False)
        return "NULL" if self.random.random() < 0.2 else sql_literal(VALUES[TYPES[column]][1])

    def _update(self) -> str:
        column = self.random.choice([*self.columns])
        value = self._stored(column)
        if column in ("k", "p") and self.random.random() < 0.4:
            value = self.random.choice((f"{column} + 1", "k", "(SELECT max(k) FROM s)"))
        return f"UPDATE t SET {column} = {value}{self._where()}"

    def _overwrite(self, partitions: Sequence[str]) -> str:
        random = self.random
        rows = random.choice((f"VALUES ({self._cells()})", self._query()))
        form = random.random()
        if form < 0.5:
            where = self._condition()
            if partitions == ("p",) and random.random() < 0.6:
                where = f"p = {self._parameter('p', wider=False)}"
            return f"INSERT INTO t REPLACE WHERE {where} {rows}"
        if form < 0.7 and partitions:
            mode = "SET spark.sql.sources.partitionOverwriteMode = dynamic; "
            return f"{mode}INSERT OVERWRITE t {rows}"
        return f"INSERT OVERWRITE t {rows}"

    def _statement(self, partitions: Sequence[str]) -> str:
        kinds = ("append", "insert", "insert", "insert", "delete", "delete", "update", "update")
        match self.random.choice((*kinds, "merge", "merge", "merge", "overwrite", "other", "read")):
            case "append":
                return f"INSERT INTO t VALUES ({self._cells()})"
            case "insert":
                return f"INSERT INTO t {self._query()}"
            case "delete":
                return f"DELETE FROM t{self._where()}"
            case "update":
                return self._update()
            case "merge":
                return self._merge()
            case "overwrite":
                return self._overwrite(partitions)
            case "read":
                what = self.random.choice(("*", "count(*)", "k"))
                return f"SELECT {what} FROM t{self._where()}"
        return self.random.choice(("OPTIMIZE t", "TRUNCATE TABLE t", "REORG TABLE t APPLY (PURGE)"))
