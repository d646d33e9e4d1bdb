"""Prepared tables: each distinct set is made once and copied for every replay.

Creating a table in SQL and filling it costs half a second and more; copying its folder costs a
millisecond. The set-up statements are run by the engine itself, as commits of their own.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from model.scenario import LEVEL_PROPERTY, TableSpec


@dataclass(frozen=True, slots=True)
class Template:
    """Prepared tables: one folder each, under ``folder``.

    ``absent`` names tables that do not exist yet, and so have no folder.
    """

    folder: Path
    tables: tuple[str, ...]
    absent: tuple[str, ...] = ()

    def copy_to(self, folder: Path) -> None:
        """Copy the tables into a new folder. Data files never change, so they are linked."""
        for table in self.tables:
            copy_table(self.folder / table, folder / table)


def copy_table(source: Path, target: Path) -> None:
    """Copy a table folder; log entries are copied, data files linked."""
    for folder, _, files in os.walk(source):
        place = target / Path(folder).relative_to(source)
        place.mkdir(parents=True)
        lay = shutil.copyfile if place.name == "_delta_log" else os.link
        for file in files:
            lay(Path(folder, file), place / file)


class Templates:
    """All templates of an engine, by their contents. Thread-safe.

    ``build(tables, folder)`` makes the tables. A thread that asks for a template that another
    thread is making waits for it.
    """

    def __init__(self, folder: Path, build: Callable[[Mapping[str, TableSpec], Path], None]):
        self._folder = folder
        self._build = build
        self._lock = threading.Lock()
        self._made: dict[str, Future[Template]] = {}

    def get(self, tables: Mapping[str, TableSpec]) -> Template:
        """The template for these tables, built if necessary."""
        key = repr([(name, *_contents(spec)) for name, spec in tables.items()])
        with self._lock:
            future = self._made.get(key)
            if mine := future is None:
                future = self._made[key] = Future()
                folder = self._folder / str(len(self._made))
        if mine:
            try:
                self._build(tables, folder)
                present = tuple(name for name, spec in tables.items() if not spec.absent)
                absent = tuple(name for name, spec in tables.items() if spec.absent)
                future.set_result(Template(folder, present, absent))
            except BaseException as error:  # noqa: BLE001 - every waiting thread must see it
                future.set_exception(error)
        return future.result()


def _contents(spec: TableSpec) -> tuple[object, ...]:
    return (
        tuple(spec.columns.items()),
        spec.partition_by,
        spec.cluster_by,
        tuple(sorted(spec.properties.items())),
        spec.setup,
    )


def create_statement(name: str, spec: TableSpec, path: Path) -> str:
    """The SQL that creates a table, without its isolation level (see :func:`put_level`)."""
    columns = ", ".join(f"`{column}` {type_}" for column, type_ in spec.columns.items())
    text = f"CREATE TABLE {name} ({columns}) USING delta"
    if spec.partition_by:
        text += f" PARTITIONED BY ({', '.join(f'`{c}`' for c in spec.partition_by)})"
    if spec.cluster_by:
        text += f" CLUSTER BY ({', '.join(f'`{c}`' for c in spec.cluster_by)})"
    text += f" LOCATION '{path}'"
    properties = {k: v for k, v in spec.properties.items() if k != LEVEL_PROPERTY}
    if properties:
        pairs = ", ".join(f"'{k}' = '{v}'" for k, v in properties.items())
        text += f" TBLPROPERTIES ({pairs})"
    return text


def put_level(path: Path, level: str) -> None:
    """Write an isolation level into version 0 of a table that has no other version.

    The engine's SQL accepts only Serializable; it does not check the level when it reads it.
    The checksums of the version are removed, since they cover the entry.
    """
    log = path / "_delta_log"
    entry = log / f"{0:020d}.json"
    lines = [json.loads(line) for line in entry.read_text("utf-8").splitlines()]
    for action in lines:
        if "metaData" in action:
            action["metaData"]["configuration"][LEVEL_PROPERTY] = level
    for checksum in log.glob("*.crc"):
        checksum.unlink()
    entry.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
