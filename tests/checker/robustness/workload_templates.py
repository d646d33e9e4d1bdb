"""Random job templates: statements of every kind over conditions of every sort.

``workload_grammar`` has a fixed pool; here each job is put together from parts, so that pairs of
jobs come up that nobody has thought of. Parameters stand in partition and data columns, in lists,
ranges, sums and texts, and many conditions are ones that the solver has no exact formula for.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from checker.robustness.jobs.template import Parameter
from checker.robustness.jobs.workload import Instance, Jobs, jobs
from model.errors import InvalidScenario
from model.history import Value
from model.profiles import DEFAULT
from model.scenario import TableSpec

COLUMNS = {"k": "int", "p": "int", "v": "int", "n": "string"}

ATOMS = (
    "k = :k",
    "k = 1",
    "p = :p",
    "p = :q",
    "p = 1",
    "v > :v",
    "v <= 10",
    "k <> :k",
    "p IN (:p, :q)",
    "p IN (1, 3)",
    "p BETWEEN :p AND 2",
    "NOT (p = :p)",
    "n = :n",
    "n LIKE 'a%'",
    "n LIKE :n",
    "n IS NULL",
    "v IS NOT NULL",
    "n >= 'b'",
    "v + 1 > :v",
    "v * 2 = 20",
    "10 / v > 1",
    "p % 2 = 0",
    "v <=> :v",
    "k = p",
    "p + k = 3",
    "coalesce(v, 0) < 6",
    "upper(n) = 'A'",
    "length(n) = 1",
    "CASE WHEN p = 1 THEN v ELSE k END = 2",
    "n IN (:n, 'b')",
    "k = :k + 1",
)
"""Conditions over the table's columns. ``10 / v`` makes a statement fail that meets a zero."""

OUTPUTS = {
    "k": ("k", ":k", "0", "k + 1"),
    "p": ("p", ":p", "3", "1", ":q"),
    "v": ("v", ":v", "v + 1", "0"),
    "n": ("n", ":n", "'a'", "NULL", "upper(n)"),
}
SETTINGS = {
    "k": ("k + 1", ":k"),
    "p": (":p", "3", "1", "k"),
    "v": ("v + 1", ":v", "0", "k", "NULL"),
    "n": (":n", "'b'", "lower(n)"),
}
ROWS = ("(1, 1, 10, 'a')", "(2, 2, 20, 'b')", "(1, 2, 5, NULL)", "(3, 1, 0, 'b')", "(2, 3, 1, 'a')")
VALUES: dict[str, tuple[Value, ...]] = {"number": (1, 2, 3, 2147483647), "string": ("a", "b", "")}


class Templates:
    """Draws jobs from one source of randomness."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def condition(self, own: str = "") -> str:
        """One to two atoms, each column with the qualifier ``own``."""
        count = self.random.choice((1, 1, 1, 2))
        atoms = [self.random.choice(ATOMS) for _ in range(count)]
        joined = self.random.choice((" AND ", " AND ", " OR ")).join(atoms)
        return _qualified(joined, own) if own else joined

    def where(self) -> str:
        return "" if self.random.random() < 0.1 else f" WHERE {self.condition()}"

    def outputs(self) -> str:
        return ", ".join(self.random.choice(found) for found in OUTPUTS.values())

    def constants(self) -> str:
        found = {
            "k": (":k", "0", "1"), "p": (":p", "1", "2", ":q"), "v": (":v", "0", "10", "NULL"),
            "n": (":n", "'a'", "NULL"),
        }  # fmt: skip
        return ", ".join(self.random.choice(some) for some in found.values())

    def query(self) -> str:
        """A SELECT of rows for the table."""
        kind = self.random.choice(
            ("own", "own", "other", "other", "count", "sum", "groups", "join", "union", "none")
        )
        where = self.where()
        match kind:
            case "own":
                return f"SELECT {self.outputs()} FROM t{where}"
            case "other":
                return f"SELECT {self.outputs()} FROM s{where}"
            case "count":
                part = self.random.choice((":q", "3", "1"))
                return f"SELECT :k, {part}, count(*), 'c' FROM t{where}"
            case "sum":
                return f"SELECT 0, {self.random.choice((':q', '2'))}, sum(v), 'c' FROM t{where}"
            case "groups":
                return f"SELECT 0, p, count(*), 'g' FROM t{where} GROUP BY p"
            case "join":
                return "SELECT t.k, 3, s.v, t.n FROM t JOIN s ON t.k = s.k WHERE t.p = :p"
            case "union":
                return f"SELECT {self.outputs()} FROM s UNION ALL SELECT k, p, v, n FROM t{where}"
        return f"SELECT {self.constants()}"

    def source(self) -> str:
        """What a MERGE uses, as ``s``."""
        return self.random.choice(
            (
                "(SELECT :k AS k, :p AS p, :v AS v) s",
                "(SELECT :k AS k, :p AS p, :v AS v) s",
                "(SELECT :k AS k, 1 AS p, 0 AS v) s",
                "(SELECT :k AS k, :p AS p, 1 AS v UNION ALL SELECT 2, 2, 2) s",
                "s",
                "(SELECT k, p, v FROM s WHERE k = :k) s",
                "(SELECT k, p, max(v) AS v FROM s GROUP BY k, p) s",
                "(SELECT 9 AS k, p, v FROM t WHERE v > 5) s",
            )
        )

    def on(self) -> str:
        return self.random.choice(
            (
                "t.k = s.k",
                "t.k = s.k",
                "t.k = s.k AND t.p = s.p",
                "t.k = s.k AND t.p = :q",
                "t.k = s.k AND t.p IN (1, :q)",
                "t.k = s.k AND t.v < s.v",
                "t.p = s.p",
                "t.k <=> s.k AND t.n = 'a'",
                "FALSE",
            )
        )

    def merge(self) -> str:
        choose, clauses = self.random.choice, []

        def extra(own: str, other: str | None) -> str:
            if self.random.random() < 0.5:
                return ""
            options = []
            if own:
                options.append(self.condition(own))
            if other:
                options.append(f"{other}.v > :v")
            if own and other:
                options.append(f"{other}.v > {own}.v")
            return f" AND {choose(options)}"

        kinds = choose(("MN", "MN", "N", "M", "M", "MM", "MMN", "S", "MS", "MNS", "NN", "NS"))
        for kind in kinds:
            match kind:
                case "M":
                    then = choose(
                        ("UPDATE SET v = s.v", "UPDATE SET v = t.v + 1", "UPDATE SET p = s.p",
                         "UPDATE SET p = :p", "DELETE", "UPDATE SET n = 'm', v = 0")
                    )  # fmt: skip
                    clauses.append(f"WHEN MATCHED{extra('t', 's')} THEN {then}")
                case "N":
                    row = choose(("s.k, s.p, s.v", "s.k, s.p, 0", "s.k, 1, s.v", "s.k, :p, :v"))
                    clauses.append(
                        f"WHEN NOT MATCHED{extra('', 's')} THEN INSERT (k, p, v) VALUES ({row})"
                    )
                case "S":
                    then = choose(("DELETE", "UPDATE SET v = 0", "UPDATE SET p = :p"))
                    clauses.append(f"WHEN NOT MATCHED BY SOURCE{extra('t', None)} THEN {then}")
        clauses.sort(key=lambda c: ("BY SOURCE" in c, "NOT MATCHED" in c))
        if kinds in ("MM", "MMN", "NN"):
            clauses = _only_last_unconditional(clauses)
        return f"MERGE INTO t USING {self.source()} ON {self.on()} {' '.join(clauses)}"

    def overwrite(self, partitions: tuple[str, ...]) -> str:
        rows = self.random.choice((f"VALUES ({self.constants()})", self.query(), self.query()))
        form = self.random.choice(
            ("by condition", "by condition", "by partition", "all", "dynamic")
        )
        if form == "by condition":
            fitting = (
                ("p = :p", "VALUES (:k, :p, :v, :n), (:k, :p, 0, NULL)"),
                ("p = 1", "SELECT k, p, v, n FROM s WHERE p = 1"),
                ("p = :p", "SELECT k, p, v + 1, n FROM t WHERE p = :p"),
                ("k = :k", "VALUES (:k, :p, :v, 'x')"),
                ("v > :v", f"SELECT {self.outputs()} FROM s WHERE v > :v"),
                (self.condition(), rows),
            )
            where, given = self.random.choice(fitting)
            return f"INSERT INTO t REPLACE WHERE {where} {given}"
        if form == "by partition" and partitions == ("p",):
            row = self.random.choice(("VALUES (:k, :v, :n)", "SELECT k, v, n FROM s WHERE p = :p"))
            return f"INSERT OVERWRITE t PARTITION (p = :p) {row}"
        if form == "dynamic" and partitions:
            mode = "SET spark.sql.sources.partitionOverwriteMode = dynamic; "
            return f"{mode}INSERT OVERWRITE t {rows}"
        return f"INSERT OVERWRITE t {rows}"

    def update(self) -> str:
        column = self.random.choice(tuple(SETTINGS))
        columns = (column,) if self.random.random() < 0.8 else ("v", "n")
        given = ", ".join(f"{c} = {self.random.choice(SETTINGS[c])}" for c in columns)
        return f"UPDATE t SET {given}{self.where()}"

    def append(self) -> str:
        rows = [f"({self.constants()})"]
        if self.random.random() < 0.35:
            rows.append(f"({self.constants()})")
        return f"INSERT INTO t VALUES {', '.join(rows)}"

    def statement(self, partitions: tuple[str, ...]) -> str:
        kind = self.random.choice(
            ("append", "append", "insert", "insert", "delete", "delete", "update", "update",
             "merge", "merge", "merge", "overwrite", "overwrite", "compact", "read", "read")
        )  # fmt: skip
        match kind:
            case "append":
                return self.append()
            case "insert":
                return f"INSERT INTO t {self.query()}"
            case "delete":
                return f"DELETE FROM t{self.where()}"
            case "update":
                return self.update()
            case "merge":
                return self.merge()
            case "overwrite":
                return self.overwrite(partitions)
            case "read":
                what = self.random.choice(("*", "count(*)", "k, v"))
                return f"SELECT {what} FROM t{self.where()}"
        return self.random.choice(("OPTIMIZE t", "TRUNCATE TABLE t", "REORG TABLE t APPLY (PURGE)"))

    def workload(self, most: int = 3) -> Jobs:
        """A few jobs on a table of a random layout; InvalidScenario where they do not fit."""
        partitions = self.random.choice(((), ("p",), ("p",), ("p",), ("p", "n")))
        properties = {}
        if self.random.random() < 0.3:
            properties["delta.enableDeletionVectors"] = "true"
        count = self.random.randint(min(2, most), most)
        texts = [self.statement(partitions) for _ in range(count)]
        if self.random.random() < 0.6:
            texts[0] = self.append()
        setup = tuple(
            f"INSERT INTO t VALUES {', '.join(rows)}"
            for rows in self.random.choice(((), (ROWS[:2],), (ROWS[:1], ROWS[1:3]), (ROWS[3:],)))
        )
        cluster = ("k",) if not partitions and self.random.random() < 0.2 else ()
        table = TableSpec(COLUMNS, partitions, cluster, properties, setup)
        source = TableSpec(COLUMNS, setup=("INSERT INTO s VALUES (1, 1, 7, 'a'), (4, 2, 8, 'b')",))
        sql = {f"job{place}": text for place, text in enumerate(texts)}
        return jobs("a random workload", table, {"s": source}, sql, DEFAULT)


def _qualified(condition: str, own: str) -> str:
    words = condition.split(" ")
    return " ".join(_own(word, own) for word in words)


def _own(word: str, own: str) -> str:
    bare = word.strip("()")
    for start in ("coalesce(", "upper(", "length("):
        if word.startswith(start):
            return f"{start}{_own(word[len(start) :], own)}"
    if bare.strip(",") in COLUMNS:
        return word.replace(bare.strip(","), f"{own}.{bare.strip(',')}", 1)
    return word


def _only_last_unconditional(clauses: list[str]) -> list[str]:
    """Of several clauses of one sort only the last may have no condition."""
    found = []
    for place, clause in enumerate(clauses):
        follows = any(_sort(c) == _sort(clause) for c in clauses[place + 1 :])
        if follows and " AND " not in clause.split(" THEN ", maxsplit=1)[0]:
            clause = clause.replace(" THEN ", " AND s.v > 1 THEN ", 1)
        found.append(clause)
    return found


def _sort(clause: str) -> str:
    return clause.split(" THEN ", maxsplit=1)[0].split(" AND ", maxsplit=1)[0]


def chosen(
    given: Jobs,
    random: Random,
    most: int,
    known: Mapping[str, tuple[Value, ...]] | None = None,
) -> dict[str, tuple[Instance, ...]]:
    """Instances of each job with small values, drawn anew and not by ``checker.robustness``.

    ``known`` gives values by the name of a parameter in the place of those by type.
    """
    found: dict[str, tuple[Instance, ...]] = {}
    for job, template in given.templates.items():
        some: dict[str, Instance] = {}
        for _ in range(3 * most):
            values = {p.name: _value(p, random, known or {}) for p in template.parameters}
            sql = template.filled(values)
            if sql in some or len(some) == most:
                continue
            try:
                given.statement(sql)
            except InvalidScenario:
                continue
            some[sql] = Instance(job, values, sql)
        found[job] = tuple(some.values())
    return found


def _value(parameter: Parameter, random: Random, known: Mapping[str, tuple[Value, ...]]) -> Value:
    found = known.get(parameter.name)
    return random.choice(VALUES[parameter.type.family] if found is None else found)
