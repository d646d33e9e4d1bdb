"""The Spark session of the pipeline: ``local[*]``, or any master, with Delta's JARs.

It has nothing to do with the Spark that is under test: that one runs in processes of its own, with
settings that fix the layout of files.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from conformance.spark.startup.jars import SetupError, ensure_jars
from conformance.spark.startup.java import find_java, missing_java
from conformance.spark.startup.session import own_jars
from conformance.spark.startup.settings import DELTA, LOGGING
from pipeline.cluster.shipping import project_archive, project_folder
from pipeline.errors import PipelineFailed, in_one_line

LOCAL = "local[*]"
"""The master of a laptop: every core of this machine, in one process."""

SETTINGS = {
    **{setting.key: setting.value for setting in DELTA},
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    # Batches of small rows; a batch is the unit that a task holds in memory.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "20000",
    # Shuffles are over counts, not over histories.
    "spark.sql.shuffle.partitions": "4",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.driver.memory": "2g",
    # A worker that lost its executor does not wait long for the task to be run again.
    "spark.task.maxFailures": "4",
    # The work is in Python; compiling queries over a few rows costs more than it saves.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.databricks.delta.history.metricsEnabled": "false",
}
"""Settings of the session; ``overrides`` of ``started`` and ``spark-defaults.conf`` come after."""


@contextmanager
def started(master: str | None = None, overrides: Mapping[str, str] | None = None) -> Iterator[Any]:
    """A session on ``master`` for the duration of a ``with`` block.

    Raises PipelineFailed if Spark does not start.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    master = LOCAL if master is None else master
    folder = Path(tempfile.mkdtemp(prefix="isodelta-pipeline-"))
    session = None
    try:
        try:
            session = _start(master, folder, dict(overrides or {}))
        except SetupError as error:
            raise PipelineFailed(str(error)) from error
        except (PySparkException, Py4JError, OSError, RuntimeError) as error:
            reason = in_one_line(error)
            raise PipelineFailed(f"Spark did not start on {master}: {reason}") from error
        yield session
    finally:
        _stop(session)
        shutil.rmtree(folder, ignore_errors=True)


def _start(master: str, folder: Path, overrides: dict[str, str]) -> Any:
    from pyspark.sql import SparkSession

    if master.startswith("sc://"):
        session = SparkSession.builder.remote(master).getOrCreate()
        session.addArtifacts(str(project_archive(folder)), pyfile=True)
        return session
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    java = find_java()
    if java is None:
        raise SetupError(missing_java())
    if SparkContext._active_spark_context is not None:
        raise RuntimeError("this process already runs a Spark session")
    jars = own_jars(ensure_jars())
    log4j = folder / "log4j2.properties"
    log4j.write_text(LOGGING, "utf-8")
    local = master.startswith("local")
    conf = SparkConf(loadDefaults=False)
    for key, value in {
        **SETTINGS,
        "spark.master": master,
        "spark.app.name": "isodelta campaign",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.jars": ",".join(map(str, jars)),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log4j.as_uri()}",
        **(_LOCAL | {"spark.local.dir": str(folder / "spark")} if local else {}),
        **overrides,
    }.items():
        conf.set(key, value)
    with _environment(java.path), (folder / "jvm.log").open("wb") as log:
        # What the JVM prints is of interest only if it dies.
        gateway = launch_gateway(conf, {"stdout": log, "stderr": log})
        try:
            context = SparkContext(conf=conf, gateway=gateway)
        except BaseException:
            _end(gateway)
            raise
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
    if not local:
        context.addPyFile(str(project_archive(folder)))
    return SparkSession(context)


_LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executorEnv.PYTHONPATH": str(project_folder()),
}
"""Further settings on one machine: nothing listens outside of it."""


@contextmanager
def _environment(java_home: Path) -> Iterator[None]:
    """The environment that the JVM and, through it, the Python workers start with."""
    wanted = {"JAVA_HOME": str(java_home), "PYSPARK_PYTHON": sys.executable}
    saved = {key: os.environ.get(key) for key in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for key, value in saved.items():
            if value is None:
                os.environ.pop(key)
            else:
                os.environ[key] = value


def _stop(session: Any) -> None:
    """Ends the session and its JVM, if it still answers."""
    if session is None:
        return
    from py4j.protocol import Py4JError

    context = getattr(session, "_sc", None)
    # Ended by force where it does not answer: the session is of no use any more.
    with suppress(Py4JError, OSError):
        session.stop()
    if context is not None:
        _end(context._gateway)


def _end(gateway: Any) -> None:
    """Ends the JVM, and lets PySpark start another one in this process."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway.shutdown()
    if gateway.proc.stdin:
        gateway.proc.stdin.close()
    try:
        gateway.proc.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()
    SparkContext._active_spark_context = None
    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkSession._instantiatedSession = None


_STOP_SECONDS = 20.0
