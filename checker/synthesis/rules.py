"""What the encoding has to know of a profile's rules about files.

A profile is encoded as a choice among a few things: which files count as read, what files that
winners added are held against, which winners' files count, and what becomes of a statement that
finds nothing. All of it is about tables without deletion vectors, where every profile resolves
conflicts file by file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from model.levels import SERIALIZABLE
from model.profiles import readings


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one profile.

    ``read_files``: those that statistics leave over, all files of the partitions read, or, as
    delta-rs has it, all files of the snapshot for a statement without a predicate (INSERT) and
    those that statistics leave over for the others. ``added``: whether an added file lies in a
    partition that is read, or may hold a row that is read; under ``statistics`` INSERT notes no
    predicate, so nothing that is added concerns it.

    ``appends``: which winners' added files do not count at WriteSerializable: those of blind
    appends, those of all who rewrite no file, or none. ``inserts_apart``: two statements that only
    add never conflict. ``empty_versions``: whether a statement that finds nothing
    writes a version at WriteSerializable. ``repaired`` adds the rule "read through append".
    ``every_kind``: whether what MERGE and REPLACE WHERE note is encoded.
    """

    read_files: Literal["statistics", "partitions", "delta-rs"] = "statistics"
    added: Literal["partitions", "statistics"] = "partitions"
    appends: Literal["blind", "all", "none"] = "blind"
    inserts_apart: bool = False
    empty_versions: bool = False
    repaired: bool = False
    every_kind: bool = False

    def empty_version_at(self, table_level: str) -> bool:
        """Whether a statement that finds nothing writes a version on a table of that level."""
        return self.empty_versions and table_level != SERIALIZABLE


SPARK = RuleSet(empty_versions=True, every_kind=True)


def _documented() -> dict[str, RuleSet]:
    found = {}
    for name, read_as in readings().items():
        if not name.startswith("databricks-"):
            continue
        old = name == "databricks-2020"
        for reading in read_as:
            weakest = reading.endswith(":weakest")
            found[reading] = RuleSet(
                read_files="statistics" if weakest else "partitions",
                appends="all" if old else "blind",
                inserts_apart=old and weakest,
            )
    return found


RULE_SETS = {
    "delta-spark-4.4": SPARK,
    "delta-spark-4.4-repaired": RuleSet(empty_versions=True, repaired=True, every_kind=True),
    "delta-rs-1.6": RuleSet(read_files="delta-rs", added="statistics", appends="none"),
    **_documented(),
}
"""The profiles whose rules are encoded, by name."""
