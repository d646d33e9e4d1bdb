"""The Spark session of the pipeline: a local one by default, or one on a cluster."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.engine import EngineError
from conformance.spark.startup.java import find_java, missing_java
from conformance.spark.startup.session import SparkProcess
from conformance.spark.startup.settings import Setting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*]"

DATA = (
    Setting("spark.ui.enabled", "false", "no web server"),
    Setting("spark.ui.showConsoleProgress", "false", "nothing on the terminal"),
    Setting("spark.sql.session.timeZone", "UTC", "timestamps mean the same everywhere"),
    Setting("spark.sql.adaptive.enabled", "false", "the tasks are cut to size beforehand"),
    Setting("spark.sql.execution.arrow.maxRecordsPerBatch", "200000", "few calls into Python"),
    Setting("spark.sql.execution.arrow.maxBytesPerBatch", "67108864", "within bounded memory"),
    Setting("spark.io.compression.codec", "lz4", "sorted rows shrink at little cost"),
)
"""The settings of a session for data, which the layout of tables under test does not matter to."""


@contextmanager
def spark_session(
    master: str = LOCAL,
    *,
    jars: Sequence[Path] = (),
    chosen: Sequence[Setting] = (),
    memory: str = "2g",
) -> Iterator[SparkSession]:
    """A session at a master; ends with the block, as does its JVM.

    Where this process has a session already, it is that one, which stays.
    ``jars`` go to the driver's class path, ``chosen`` are settings besides (or instead of) those
    for data, and ``memory`` is the driver's heap. Executors need this package installed.
    Raises EngineError if there is no Java, or Spark does not start.
    """
    from pyspark.sql import SparkSession

    if (running := SparkSession.getActiveSession()) is not None:
        yield running
        return
    java = find_java()
    if java is None:
        raise EngineError(missing_java())
    local = master.startswith("local")
    settings = [*DATA, Setting("spark.master", master, "as asked for")]
    settings.append(Setting("spark.driver.memory", memory, "sorting spills beyond it"))
    if not local:
        own = socket.gethostbyname(socket.gethostname())
        settings += [
            Setting("spark.driver.host", own, "executors on other machines call the driver"),
            Setting("spark.driver.bindAddress", "0.0.0.0", "the same"),
        ]
    process = SparkProcess(jars, java.path, os.cpu_count() or 1, (*settings, *chosen))
    try:
        yield process.session
    finally:
        try:
            if not process.stopped:
                process.session.stop()
        finally:
            process.close()
