"""The session of a campaign: with Delta's JARs, and the project's code on its executors.

It has nothing to do with the Spark that is under test: that one runs in processes of its own, with
settings that fix the layout of files.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from conformance.engine import EngineError
from conformance.spark.startup.jars import SetupError, ensure_jars
from conformance.spark.startup.session import own_jars
from conformance.spark.startup.settings import DELTA, Setting
from pipeline.cluster.shipping import project_archive, project_folder
from pipeline.errors import PipelineFailed, in_one_line
from pipeline.session import LOCAL, spark_session

CAMPAIGN = (
    *DELTA,
    Setting("spark.sql.execution.arrow.maxRecordsPerBatch", "20000", "within bounded memory"),
    Setting("spark.sql.shuffle.partitions", "4", "shuffles are over counts, not over histories"),
    Setting("spark.databricks.delta.snapshotPartitions", "2", "logs of some hundred entries"),
    Setting("spark.databricks.delta.history.metricsEnabled", "false", "nobody reads the metrics"),
    Setting("spark.sql.parquet.compression.codec", "zstd", "scenario files repeat themselves"),
    Setting("spark.sql.codegen.wholeStage", "false", "the work is in Python: compiling is dear"),
    Setting("spark.sql.codegen.factoryMode", "NO_CODEGEN", "the same for expressions"),
)
"""Settings of the session, besides those of every session for data."""


@contextmanager
def started(master: str | None = None, overrides: Mapping[str, str] | None = None) -> Iterator[Any]:
    """A session on ``master`` for the duration of a ``with`` block.

    ``overrides`` are settings instead of, or besides, those of a campaign. Raises PipelineFailed if
    Spark does not start.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    master = LOCAL if master is None else master
    with ExitStack() as stack:
        try:
            session = _enter(stack, master, dict(overrides or {}))
        except (PySparkException, Py4JError, EngineError, SetupError, OSError) as error:
            reason = in_one_line(error)
            raise PipelineFailed(f"Spark did not start on {master}: {reason}") from error
        yield session


@contextmanager
def for_data(master: str | None = None) -> Iterator[Any]:
    """A session for histories and logs on ``master``, without Delta.

    Executors on other machines get the project's code. Raises EngineError if Spark does not start.
    """
    master = LOCAL if master is None else master
    with ExitStack() as stack:
        session = stack.enter_context(spark_session(master))
        if not master.startswith("local") or master.startswith("local-cluster"):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="isodelta-data-"))
            session.sparkContext.addPyFile(str(project_archive(Path(folder))))
        yield session


def _enter(stack: ExitStack, master: str, overrides: Mapping[str, str]) -> Any:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="isodelta-campaign-")))
    if master.startswith("sc://"):
        from pyspark.sql import SparkSession

        remote = SparkSession.builder.remote(master).getOrCreate()
        stack.callback(remote.stop)
        remote.addArtifacts(str(project_archive(folder)), pyfile=True)
        return remote
    jars = own_jars(ensure_jars())
    settings = [
        *CAMPAIGN,
        Setting("spark.jars", ",".join(map(str, jars)), "Delta, on the executors as well"),
    ]
    local = master.startswith("local") and not master.startswith("local-cluster")
    if local:
        path = os.pathsep.join(filter(None, (str(project_folder()), os.environ.get("PYTHONPATH"))))
        settings.append(Setting("spark.executorEnv.PYTHONPATH", path, "the driver's own code"))
    settings += [Setting(key, value, "as asked for") for key, value in overrides.items()]
    session = stack.enter_context(spark_session(master, chosen=settings))
    if not local:
        session.sparkContext.addPyFile(str(project_archive(folder)))
    return session
