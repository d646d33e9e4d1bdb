"""Profiles of earlier releases of Delta on Spark, each as its difference from the next one.

What differs was seen in replays of ``scenarios/suites/releases.yaml`` (``isodelta releases``,
``docs/releases.md``): the metadata changes of a winner that a transaction in flight may ignore.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from model.physical.log import Commit
from model.profiles import delta_spark_4_4
from model.profiles.base import Profile
from model.rules import delta_spark
from model.rules.base import Attempt

_ROW_TRACKING = frozenset(
    {
        "delta.enableRowTracking",
        "delta.rowTracking.materializedRowIdColumnName",
        "delta.rowTracking.materializedRowCommitVersionColumnName",
    }
)


def _with_harmless(name: str, harmless: frozenset[str], unchanged: bool) -> Profile:
    """Delta with another list of harmless properties.

    ``unchanged`` tells whether a metadata action that changes nothing, as RESTORE writes it, is
    passed over.
    """
    check = _metadata_changed(harmless, unchanged)
    rule = replace(delta_spark.METADATA_CHANGED, check=check, source=_SOURCE)
    changed = delta_spark_4_4.PROFILE.with_rule(rule)
    return replace(changed, name=name, source=_SOURCE)


_SOURCE = "as measured on releases of Delta"


def _metadata_changed(
    harmless: frozenset[str], unchanged: bool
) -> Callable[[Attempt, Commit], str | None]:
    def check(attempt: Attempt, winner: Commit) -> str | None:
        because = delta_spark.metadata_changed(attempt, winner)
        change = winner.footprint.metadata
        if because is not None or change is None or change.identity_only:
            return because
        if harmful := change.properties - harmless:
            return f"{winner.transaction} changed {', '.join(sorted(harmful))}"
        if not change.properties and not unchanged:
            return f"{winner.transaction} wrote metadata, though without a change"
        return None

    return check


UP_TO_4_2 = _with_harmless(
    "delta-spark-4.2",
    delta_spark.HARMLESS_PROPERTIES - {"delta.checkpointPolicy", "delta.enableInCommitTimestamps"},
    unchanged=True,
)
"""Up to 4.2 V2 checkpoints and commit timestamps fail a transaction in flight."""

UP_TO_4_0 = _with_harmless("delta-spark-4.0", _ROW_TRACKING, unchanged=False)
"""Up to 4.0 row tracking alone is harmless, and a RESTORE fails even a blind append."""

PROFILES = (UP_TO_4_2, UP_TO_4_0)

BY_RELEASE = {"3.3": UP_TO_4_0, "4.0": UP_TO_4_0, "4.1": UP_TO_4_2, "4.2": UP_TO_4_2}
"""The profile of each release, by its first two numbers; later ones have delta-spark-4.4."""
