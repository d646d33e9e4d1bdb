"""The names of a replay's tables in Spark's catalog.

Statements go to Spark unchanged; a name like ``t`` is resolved by the catalog. Every
replay has its own database, taken from a pool, and its names point to the replay's folders.
The catalog is changed through its own interface, because ``CREATE TABLE`` costs 20 ms and more.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class Names:
    """The pool of databases, and the tables that their names point to. Thread-safe."""

    def __init__(self, spark: Any, folder: Path):
        self._spark = spark
        self._folder = folder
        self._external = spark._jsparkSession.sharedState().externalCatalog()
        self._lock = threading.Lock()
        self._free: list[str] = []
        self._count = 0
        self._pattern: Any = None

    def take(self, folder: Path | None = None) -> str:
        """A database without tables; new tables are created in ``folder`` if one is given."""
        with self._lock:
            if self._free:
                name = self._free.pop()
            else:
                self._count += 1
                name = f"replay_{self._count}"
                self._spark.sql(f"CREATE DATABASE {name} LOCATION '{self._folder / name}'")
        if folder is not None:
            self._move(name, folder)
        return name

    def _move(self, database: str, folder: Path) -> None:
        """Create a database's new tables in a folder from now on."""
        entry = self._external.getDatabase(database)
        rest = [getattr(entry, f"copy$default${n}")() for n in (1, 2, 4)]
        location = self._spark._jvm.java.net.URI(folder.as_uri())
        self._external.alterDatabase(entry.copy(rest[0], rest[1], location, rest[2]))

    def bind(self, database: str, table: str, path: Path) -> None:
        """Point a name in a database to the Delta table in a folder."""
        entry = self._entry(path)
        jvm = self._spark._jvm
        some = jvm.scala.Some
        identifier = jvm.org.apache.spark.sql.catalyst.TableIdentifier(table, some(database))
        entry = _with_identifier(entry, identifier)
        uri = some(jvm.java.net.URI(path.as_uri()))
        parts = int(entry.storage().productArity())
        rest = [getattr(entry, f"withNewStorage$default${n}")() for n in range(2, parts + 1)]
        self._external.createTable(entry.withNewStorage(uri, *rest), False)

    def unbind(self, database: str, table: str) -> None:
        """Forget a name, if it exists; the table that it points to stays."""
        self._external.dropTable(database, table, True, False)

    def give_back(self, database: str, tables: Iterable[str]) -> None:
        """Forget the names of a database and return it to the pool."""
        for table in tables:
            self.unbind(database, table)
        with self._lock:
            self._free.append(database)

    def _entry(self, path: Path) -> Any:
        """A catalog entry of a Delta table, made once by Spark; only name and location vary."""
        with self._lock:
            if self._pattern is None:
                self._spark.sql(f"CREATE TABLE pattern USING delta LOCATION '{path}'")
                self._pattern = self._external.getTable("default", "pattern")
                self._external.dropTable("default", "pattern", False, False)
            return self._pattern


def use_database(session: Any, database: str) -> None:
    """Resolve bare names in a session's statements to the tables of a database."""
    session._jsparkSession.sessionState().catalog().setCurrentDatabase(database)


def _with_identifier(entry: Any, identifier: Any) -> Any:
    # The number of parts differs between releases of Spark.
    parts = int(entry.productArity())
    rest = [getattr(entry, f"copy$default${n}")() for n in range(2, parts + 1)]
    return entry.copy(identifier, *rest)
