"""Profile delta-spark-4.4: Delta Lake 4.4 on Spark, the open-source implementation."""

from __future__ import annotations

from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.profiles.base import Profile
from model.rules import (
    added_files,
    application_transaction,
    delete_delete,
    delete_read,
    domain_metadata,
    feature_in_use,
    metadata_changed,
    next_version,
    protocol_changed,
)

PROFILE = Profile(
    name="delta-spark-4.4",
    source="delta-io/delta, ConflictChecker.scala at release 4.4.0",
    default_level=SERIALIZABLE,
    levels=(SERIALIZABLE, WRITE_SERIALIZABLE),
    rules=(
        next_version.RULE,
        protocol_changed.RULE,
        feature_in_use.RULE,
        metadata_changed.RULE,
        domain_metadata.RULE,
        application_transaction.RULE,
        added_files.RULE,
        delete_read.RULE,
        delete_delete.RULE,
    ),
)
