"""Every setting of the Spark session, with the reason for it.

None changes what a transaction reads, writes or conflicts with: they fix the file layout, or
turn off work that only pays off for large data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of the session."""

    key: str
    value: str
    reason: str


DELTA = (
    Setting("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension", "Delta's commands"),
    Setting(
        "spark.sql.catalog.spark_catalog",
        "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "Delta's commands on named tables",
    ),
)

LAYOUT = (
    Setting("spark.default.parallelism", "1", "one task, so one file per partition and write"),
    Setting("spark.sql.shuffle.partitions", "1", "the same after a shuffle"),
    Setting("spark.sql.files.minPartitionNum", "1", "the same for rows read from files"),
    Setting("spark.sql.leafNodeDefaultParallelism", "1", "the same for VALUES"),
    Setting("spark.sql.session.timeZone", "UTC", "timestamps mean the same everywhere"),
)

SPEED = (
    Setting("spark.ui.enabled", "false", "no web server"),
    Setting("spark.ui.showConsoleProgress", "false", "nothing on the terminal"),
    Setting("spark.sql.codegen.wholeStage", "false", "compiling costs more than it saves"),
    Setting("spark.sql.codegen.factoryMode", "NO_CODEGEN", "the same for expressions"),
    Setting("spark.sql.adaptive.enabled", "false", "plans are small and need no second look"),
    Setting("spark.databricks.delta.snapshotPartitions", "1", "a log of a few entries"),
    Setting(
        "spark.databricks.delta.history.metricsEnabled", "false", "metrics that no replay reads"
    ),
    Setting(
        "spark.sql.sources.parallelPartitionDiscovery.parallelism",
        "1",
        "VACUUM starts this many tasks",
    ),
    Setting(
        "spark.hadoop.fs.file.impl",
        "org.apache.hadoop.fs.RawLocalFileSystem",
        "no checksum file beside each file, and no process for chmod beside each of both",
    ),
    Setting(
        "spark.hadoop.fs.AbstractFileSystem.file.impl",
        "org.apache.hadoop.fs.local.RawLocalFs",
        "the same for log entries",
    ),
)


REPLAY = (*DELTA, *LAYOUT, *SPEED)


def settings(folder: Path, cores: int, chosen: Sequence[Setting] = REPLAY) -> dict[str, str]:
    """All settings of a session whose files go under a folder."""
    return {
        "spark.master": f"local[{cores}]",
        "spark.app.name": "isodelta",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder / "spark"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
        **{setting.key: setting.value for setting in chosen},
    }


JVM_OPTIONS = ("-XX:+UseSerialGC", "-Xss4m")

REPLAY_JVM_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m")
"""The code of the JIT's last tier takes more to make than a few hundred replays gain from it.

Without that tier Java reserves too little room for code by itself, and stops compiling when it is
full.
"""

LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex{short}
"""
