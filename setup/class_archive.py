"""Writes the class archive of the real engine, if there is none yet that fits.

One engine runs a statement of each common kind and writes the classes that it has loaded when it
ends. That takes a minute once; each later start of an engine saves some seconds of it. What goes
wrong is told in one line, and is no failure of the set-up: an engine starts without the archive.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from conformance.engine import EngineError
from conformance.replay.observation import observe
from conformance.spark.engine import SparkEngine
from conformance.spark.startup.class_archive import archive_for, options_to_write
from conformance.spark.startup.jars import ensure_jars, jars_present, only_one
from conformance.spark.startup.java import find_java
from model.levels import SERIALIZABLE
from model.scenario import Scenario, Step, TableSpec

STATEMENTS = (
    "INSERT INTO t SELECT k + 10, p, count(*) FROM t GROUP BY k, p",
    "DELETE FROM t WHERE k = 1",
    "UPDATE t SET v = v + 1 WHERE p = 1",
    "MERGE INTO t USING (SELECT 2 AS k) AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 5 "
    "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, 1, 1)",
    "INSERT OVERWRITE t VALUES (9, 1, 9)",
    "OPTIMIZE t",
    "ALTER TABLE t ADD COLUMN w string",
    "SELECT x.k, sum(y.v) FROM t AS x JOIN t AS y ON x.p = y.p GROUP BY x.k ORDER BY x.k",
)
"""Run one after the other, each past an INSERT, so that conflicts are met as well."""

PATIENCE = 300.0
"""Writing takes ten seconds, on a busy machine longer."""


def scenarios() -> list[Scenario]:
    """A schedule with a conflict for every statement, on a partitioned table and a plain one."""
    late = "INSERT INTO t VALUES (7, 1, 0)"
    schedule = (Step("begin", "A"), Step("begin", "B"), Step("commit", "B"), Step("commit", "A"))
    setup = ("INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)", "INSERT INTO t VALUES (3, 1, 30)")
    columns = {"k": "int", "p": "int", "v": "int"}
    return [
        Scenario(
            statement,
            TableSpec(columns, ("p",) if number % 2 else (), setup=setup),
            {"A": statement, "B": late},
            schedule,
        )
        for number, statement in enumerate(STATEMENTS)
    ]


def write(archive: Path, jars: list[Path], java_home: Path) -> None:
    """Writes the archive under another name first. Raises EngineError and OSError."""
    unfinished = archive.with_suffix(f".{os.getpid()}")
    try:
        engine = SparkEngine(jars, java_home, java_options=options_to_write(unfinished))
        try:
            for scenario in scenarios():
                observe(engine, scenario, SERIALIZABLE)
        finally:
            engine.process.stop_seconds = PATIENCE
            engine.close()
        unfinished.rename(archive)
    finally:
        unfinished.unlink(missing_ok=True)


def main() -> None:
    """Write the archive, unless it is there or there is no engine."""
    java = find_java()
    if java is None or not jars_present():
        return  # engine_parts.py has said so.
    jars = ensure_jars()
    archive = archive_for(jars, java.path)
    if archive.exists():
        return
    try:
        with only_one(archive.parent):
            if not archive.exists():
                sys.stderr.write("setup: writing the classes of Spark into the cache (once)\n")
                write(archive, jars, java.path)
    except (EngineError, OSError) as error:
        sys.stderr.write(f"setup: engines start without an archive of classes: {error}\n")


if __name__ == "__main__":
    main()
