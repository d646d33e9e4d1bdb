"""Profile delta-spark-4.4: Delta Lake 4.4 on Spark, the open-source implementation."""

from __future__ import annotations

from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.profiles.base import Profile
from model.rules import delta_spark

PROFILE = Profile(
    name="delta-spark-4.4",
    source="delta-io/delta, ConflictChecker.scala at release 4.4.0",
    default_level=SERIALIZABLE,
    levels=(SERIALIZABLE, WRITE_SERIALIZABLE),
    rules=(
        delta_spark.NEXT_VERSION,
        delta_spark.PROTOCOL_CHANGED,
        delta_spark.FEATURE_IN_USE,
        delta_spark.METADATA_CHANGED,
        delta_spark.DOMAIN_METADATA,
        delta_spark.APPLICATION_TRANSACTION,
        delta_spark.ADDED_FILES,
        delta_spark.DELETE_READ,
        delta_spark.DELETE_DELETE,
    ),
)
