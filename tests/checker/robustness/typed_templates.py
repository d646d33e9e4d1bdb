"""Random jobs over columns of every type, with generated ones, defaults and constraints.

Their conditions and values are mostly such that the solver has no exact formula for them, or one
in numbers that stand for something else: days, times, decimals, texts, doubles.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from random import Random

from checker.robustness.jobs.workload import Jobs, jobs
from model.history import Value
from model.profiles import DEFAULT
from model.scenario import TableSpec
from model.values.types import DATE, parse_type

COLUMNS = {
    "k": "int",
    "day": "date",
    "at": "timestamp",
    "price": "decimal(6,2)",
    "x": "double",
    "live": "boolean",
    "n": "string",
}
DAY_OF_TIME = "date GENERATED ALWAYS AS (CAST(at AS DATE))"

ATOMS = (
    "k = :k",
    "day = :day",
    "day >= :day",
    "day BETWEEN :day AND :until",
    "day IN (:day, DATE '2026-03-02')",
    "at < :at",
    "at >= TIMESTAMP '2026-03-01 12:00:00'",
    "at = :at",
    "CAST(at AS DATE) = :day",
    "price > :price",
    "price = 1.5",
    "price * 2 > 3",
    "price + 1 = :price",
    "x > :x",
    "x = 1.0D",
    "x <=> :x",
    "x <= k",
    "x < price",
    "live",
    "NOT live",
    "live = :live",
    "live IS NULL",
    "n = :n",
    "n LIKE 'a%'",
    "n < 'b' OR n IS NULL",
    "year(day) = 2026",
    "date_add(day, 1) = :day",
    "coalesce(live, false)",
    "day IS NULL",
    "k % 2 = 1",
    "CAST(n AS INT) > 1",
)
VALUES: dict[str, tuple[Value, ...]] = {
    "k": (1, 2),
    "day": (datetime.date(2026, 3, 1), datetime.date(2026, 3, 2)),
    "at": (datetime.datetime(2026, 3, 1, 10), datetime.datetime(2026, 3, 2, 15)),
    "price": (Decimal("1.50"), Decimal(2), Decimal("9999.99")),
    "x": (1.0, 2.5),
    "live": (True, False),
    "n": ("a", "7", ""),
}
VALUES["until"] = VALUES["day"]
"""Values of parameters, by name."""

SETTINGS = {
    "k": ("k + 1", ":k"),
    "at": (":at", "TIMESTAMP '2026-03-01 10:00:00'"),
    "price": ("price + 1", ":price", "k", "NULL"),
    "x": (":x", "x * 2", "price"),
    "live": ("NOT live", ":live", "k > 1", "NULL"),
    "n": (":n", "concat(n, 'a')", "NULL"),
}
ROWS = (
    "(1, DATE '2026-03-01', TIMESTAMP '2026-03-01 10:00:00', 1.50, 1.0D, true, 'a')",
    "(2, DATE '2026-03-02', TIMESTAMP '2026-03-02 15:00:00', 2.00, 2.5D, false, '7')",
    "(2, DATE '2026-03-01', TIMESTAMP '2026-03-01 13:00:00', NULL, NULL, NULL, NULL)",
)


class TypedTemplates:
    """Draws jobs from one source of randomness."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def where(self) -> str:
        atoms = [self.random.choice(ATOMS) for _ in range(self.random.choice((1, 1, 2)))]
        return f" WHERE {self.random.choice((' AND ', ' OR ')).join(atoms)}"

    def statement(self, generated: bool) -> str:
        """``generated`` tells that the table computes ``day``."""
        days = () if generated else ("day",)
        columns = ("k", *days, "at", "price", "x", "live", "n")
        names = ", ".join(columns)
        holes = ", ".join(f":{column}" for column in columns)
        choose = self.random.choice
        kind = choose(("append", "append", "copy", "delete", "update", "update", "merge", "read"))
        match kind:
            case "append":
                some = choose((holes, holes.replace(":live", "NULL"), holes.replace(":n", "''")))
                return f"INSERT INTO t ({names}) VALUES ({some})"
            case "copy":
                given = ", ".join(choose((c, c, f":{c}")) for c in columns)
                return f"INSERT INTO t ({names}) SELECT {given} FROM t{self.where()}"
            case "delete":
                return f"DELETE FROM t{self.where()}"
            case "update":
                column = choose(tuple(SETTINGS))
                return f"UPDATE t SET {column} = {choose(SETTINGS[column])}{self.where()}"
            case "merge":
                on = choose(("t.k = s.k", "t.k = s.k AND t.day = :day", "t.at = s.at"))
                then = choose(("UPDATE SET price = s.price", "DELETE", "UPDATE SET at = s.at"))
                return (
                    f"MERGE INTO t USING (SELECT :k AS k, :at AS at, :price AS price) s ON {on} "
                    f"WHEN MATCHED{choose(('', ' AND t.live', ' AND t.price > s.price'))} "
                    f"THEN {then} WHEN NOT MATCHED THEN INSERT (k, at, price) "
                    "VALUES (s.k, s.at, s.price)"
                )
        return f"SELECT k, day FROM t{self.where()}"

    def workload(self) -> Jobs:
        """Two or three jobs; InvalidScenario where they do not fit."""
        generated = self.random.random() < 0.4
        columns = COLUMNS | ({"day": DAY_OF_TIME} if generated else {})
        partitions = self.random.choice(((), ("day",), ("day",), ("n",), ("price",), ("live",)))
        texts = [self.statement(generated) for _ in range(self.random.choice((2, 3)))]
        rows = self.random.choice((ROWS[:1], ROWS[:2], ROWS))
        setup = tuple(f"INSERT INTO t VALUES {row}" for row in rows)
        table = TableSpec(columns, partitions, setup=setup)
        sql = {f"job{place}": text for place, text in enumerate(texts)}
        given = {name: parse_type(type_) for name, type_ in COLUMNS.items()}
        return jobs("a random workload", table, {}, sql, DEFAULT, {**given, "until": DATE})
