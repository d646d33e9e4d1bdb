"""Places: prepared tables that replays run on, one replay at a time, reset after each.

Loading a table that Delta has not seen costs a few hundred milliseconds (its state is computed
by Spark jobs). A place keeps the state that Delta has loaded: after a replay, its files are
reset to the prepared ones, and Delta's view of each table to the snapshot loaded from them. The
next replay cannot distinguish that from a freshly copied table.
"""

from __future__ import annotations

import itertools
import os
import shutil
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from conformance.prepared_tables import Template
from conformance.spark.catalog import Names

LIMIT = 160
"""The maximum number of places; each takes a few hundred kilobytes in the JVM."""


class Seat:
    """One Spark session, used by one replay at a time.

    Delta keeps a loaded table's state for the session that loaded it, so places belong to seats.
    """

    def __init__(self, session: Any):
        self.session = session
        self.places: dict[Path, Place] = {}


class Place:
    """The tables of a template, copied into a folder, with names in a seat's session."""

    def __init__(
        self, seat: Seat, template: Template, folder: Path, names: Names, tables: LoadedTables
    ):
        self.seat = seat
        self.template = template
        self.folder = folder
        self._names = names
        self._tables = tables
        folder.mkdir(parents=True)
        template.copy_to(folder)
        self._files = {table: _files(folder / table) for table in template.tables}
        # A table that a statement creates by name alone goes into the same folder.
        self.database = names.take(folder if template.absent else None)
        for table in template.tables:
            names.bind(self.database, table, folder / table)
        self._logs = [tables.load(seat.session, folder / table) for table in template.tables]

    def name_again(self, table: str) -> None:
        """Restore the catalog entry that a table had when it was copied.

        CREATE OR REPLACE TABLE replaces the entry; a second one on top of that ends in an
        internal error of Spark after its commit.
        """
        self._names.unbind(self.database, table)
        self._names.bind(self.database, table, self.folder / table)

    def keep_loaded(self) -> None:
        """Keep the state that Delta has computed so far when it moves to a newer version."""
        for log in self._logs:
            log.keep()

    def loaded_now(self, table: str) -> LoadedTable:
        """A table as Delta has it loaded at this moment."""
        return LoadedTable(self._logs[self.template.tables.index(table)].log)

    def reset(self) -> None:
        """Reset files, and Delta's view of them, to the prepared state."""
        for table, files in self._files.items():
            present = _files(self.folder / table)
            for file in present - files:
                file.unlink()
            for file in files - present:  # VACUUM deleted it.
                file.parent.mkdir(parents=True, exist_ok=True)
                os.link(self.template.folder / file.relative_to(self.folder), file)
        for log in self._logs:
            log.reset()
        for table in self.template.absent:
            self._names.unbind(self.database, table)
            self._tables.forget(self.folder / table)
            shutil.rmtree(self.folder / table, ignore_errors=True)


class Places:
    """All places and seats of an engine. Thread-safe."""

    def __init__(self, spark: Any, folder: Path, names: Names):
        self._spark = spark
        self._folder = folder
        self._names = names
        self._loaded = LoadedTables(spark)
        self._lock = threading.Lock()
        self._idle_seats: list[Seat] = []
        self._idle: OrderedDict[Place, None] = OrderedDict()
        self._count = itertools.count(1)

    def take_seat(self) -> Seat:
        """An idle seat, for work that needs a session but no place."""
        with self._lock:
            if self._idle_seats:
                return self._idle_seats.pop()
        return Seat(self._spark.newSession())

    def give_back_seat(self, seat: Seat) -> None:
        """Return a seat."""
        with self._lock:
            self._idle_seats.append(seat)

    def take(self, template: Template) -> Place:
        """A place with the template's tables as they were prepared."""
        with self._lock:
            for seat in reversed(self._idle_seats):
                place = seat.places.get(template.folder)
                if place is not None:
                    self._idle_seats.remove(seat)
                    del self._idle[place]
                    return place
        seat = self.take_seat()
        place = Place(
            seat, template, self._folder / str(next(self._count)), self._names, self._loaded
        )
        seat.places[template.folder] = place
        return place

    def give_back(self, place: Place) -> None:
        """Reset a place and return it with its seat."""
        place.reset()
        dropped: list[Place] = []
        with self._lock:
            self._idle[place] = None
            self._idle_seats.append(place.seat)
            for old in list(self._idle):
                if len(self._idle) - len(dropped) <= LIMIT:
                    break
                if old.seat in self._idle_seats:
                    dropped.append(old)
            for old in dropped:
                del self._idle[old], old.seat.places[old.template.folder]
        for old in dropped:
            self._drop(old)

    def drop(self, place: Place) -> None:
        """Remove a place whose state is unknown, and return its seat."""
        with self._lock:
            del place.seat.places[place.template.folder]
            self._idle_seats.append(place.seat)
        self._drop(place)

    def _drop(self, place: Place) -> None:
        tables = (*place.template.tables, *place.template.absent)
        self._names.give_back(place.database, tables)
        for table in tables:
            self._loaded.forget(place.folder / table)
        shutil.rmtree(place.folder)


class LoadedTables:
    """Delta's in-memory view of tables (its ``DeltaLog`` objects)."""

    def __init__(self, spark: Any):
        self._spark = spark
        self._logs = spark._jvm.org.apache.spark.sql.delta.DeltaLog

    def load(self, session: Any, path: Path) -> LoadedTable:
        """Let Delta load a table, and remember the snapshot."""
        return LoadedTable(self._logs.forTable(session._jsparkSession, str(path)))

    def forget(self, path: Path) -> None:
        """Make Delta reload a table when it is next accessed."""
        place = self._spark._jvm.org.apache.hadoop.fs.Path(path.as_uri())
        self._logs.invalidateCache(self._spark._jsparkSession, place)


_CACHE = "org$apache$spark$sql$delta$util$StateCache$$"


class LoadedTable:
    """One table as Delta has loaded it.

    When Delta moves to a newer version it drops the computed state of the older one. It does so
    through its lists of cached data; ``keep`` empties them, so that the state survives, and
    ``reset`` marks it as valid again.
    """

    def __init__(self, log: Any):
        self.log = log
        self._captured = log.currentSnapshot()
        self._put_back = getattr(log, "currentSnapshot_$eq")
        snapshot = self._captured.snapshot()
        self.version = int(snapshot.version())
        self._lists = [getattr(snapshot, _CACHE + name)() for name in ("cached", "cached_refs")]
        self._set_cached = getattr(snapshot, f"{_CACHE}_isCached_$eq")

    def keep(self) -> None:
        """Keep the state computed so far."""
        for cached in self._lists:
            cached.clear()

    def reset(self) -> None:
        """Go back to the snapshot that was loaded first."""
        self._set_cached(True)
        self._put_back(self._captured)


def _files(folder: Path) -> set[Path]:
    return {Path(parent, file) for parent, _, files in os.walk(folder) for file in files}
