"""The store of campaigns: a folder of Delta tables, written once however often a write is tried.

A write carries the application transaction of its run and batch, given with that write alone: set
in the session, the same two options make other statements vanish without a word.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.errors import PipelineFailed, in_one_line
from pipeline.store.schemas import TABLES, VERSION, VERSION_PROPERTY, StoredTable

LOCK = ".lock"
"""The file that a campaign holds while it writes: on a local file system two would overwrite each
other's commits."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other campaigns of this machine from the store for the duration of a ``with`` block.

    Raises PipelineFailed if one is at work there, or if the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise PipelineFailed(f"the store {folder} cannot be used: {error.strerror}") from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise PipelineFailed(f"another campaign is at work on the store {folder}") from error
        yield
    finally:
        os.close(file)


@contextmanager
def failing_clearly(what: str) -> Iterator[None]:
    """Turns errors of Spark and of the file system into PipelineFailed."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, OSError, EOFError) as error:
        raise PipelineFailed(f"{what}: {in_one_line(error)}") from error


class Store:
    """The tables of a folder, in a Spark session. Opening makes those that are not there yet.

    Raises PipelineFailed for a folder with other tables or damaged ones, and for tables of a newer
    isodelta.
    """

    def __init__(self, session: Any, folder: Path) -> None:
        self.session = session
        self.folder = folder.absolute()
        with failing_clearly(f"the store {folder} cannot be opened"):
            for table in TABLES.values():
                self._open(table)

    def path(self, table: StoredTable) -> str:
        """The folder of a table."""
        return str(self.folder / table.name)

    def read(self, table: StoredTable) -> Any:
        """A table as a DataFrame."""
        return self.session.read.format("delta").load(self.path(table))

    def append(self, table: StoredTable, rows: Any, run: int, batch: int) -> None:
        """Appends a DataFrame as the rows of a batch; nothing if the batch is there already.

        Raises PipelineFailed.
        """
        chosen = rows.select(*[column.name for column in table.columns])
        writer = chosen.write.format("delta").mode("append")
        if table.partition_by:
            writer = writer.partitionBy(*table.partition_by)
        with failing_clearly(f"writing {table.name} failed"):
            # The run's first write is number 0: batch -1, its definition.
            writer.option("txnAppId", f"isodelta/{table.name}/{run}").option(
                "txnVersion", batch + 1
            ).save(self.path(table))

    def rows(self, table: StoredTable, values: Sequence[tuple[object, ...]]) -> Any:
        """Rows made on the driver as a DataFrame of the table's schema."""
        return self.session.createDataFrame(list(values), table.schema)

    def _open(self, table: StoredTable) -> None:
        folder = self.folder / table.name
        if not folder.exists() or not any(folder.iterdir()):
            self._create(table)
            return
        stored = self.session.sql(f"SHOW TBLPROPERTIES delta.`{folder}`").collect()
        version = next((row[1] for row in stored if row[0] == VERSION_PROPERTY), None)
        if version is None:
            raise PipelineFailed(f"{folder} is not a table of a campaign's store")
        if int(version) > VERSION:
            raise PipelineFailed(
                f"{folder} was written by a newer isodelta (schema {version}, here {VERSION})"
            )
        columns = {field.name for field in self.read(table).schema}
        missing = [column for column in table.columns if column.name not in columns]
        if missing:
            added = ", ".join(column.ddl for column in missing)
            self.session.sql(f"ALTER TABLE delta.`{folder}` ADD COLUMNS ({added})")
        if int(version) < VERSION:
            self.session.sql(
                f"ALTER TABLE delta.`{folder}` SET TBLPROPERTIES ('{VERSION_PROPERTY}'='{VERSION}')"
            )

    def _create(self, table: StoredTable) -> None:
        layout = ""
        if table.partition_by:
            layout = f"PARTITIONED BY ({', '.join(table.partition_by)})"
        elif table.cluster_by:
            layout = f"CLUSTER BY ({', '.join(table.cluster_by)})"
        self.session.sql(
            f"CREATE TABLE delta.`{self.path(table)}` ({table.ddl}) USING delta {layout} "
            f"COMMENT '{table.row.replace(chr(39), '')}' "
            f"TBLPROPERTIES ('{VERSION_PROPERTY}'='{VERSION}')"
        )
