"""The rules of each profile about files, as a choice among the few that the encoding has.

The choices: which files count as read, what the files that winners added are compared with, which
winners' files count, and whether a statement that finds nothing writes a version. All of them are
about tables without deletion vectors, where every profile resolves conflicts file by file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from model.levels import SERIALIZABLE
from model.profiles import readings


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one profile.

    ``read_files``: the files that count as read. ``statistics``: those that statistics leave over;
    ``partitions``: all files of the partitions read; ``delta-rs``: all files of the snapshot for a
    statement without a predicate (INSERT), and those that statistics leave over for the others.
    ``added``: whether an added file conflicts if it lies in a partition that is read, or only if
    it may hold a row that is read; under ``statistics`` INSERT notes no predicate, so nothing that
    is added conflicts with it.

    ``appends``: the winners whose added files do not count at WriteSerializable: blind appends,
    all writers that rewrite no file, or none. ``inserts_apart``: two statements that only add
    never conflict. ``empty_versions``: whether a statement that finds nothing writes a version at
    WriteSerializable. ``repaired`` adds the rule "read through append".
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
    rule_sets = {}
    for name, read_as in readings().items():
        if not name.startswith("databricks-"):
            continue
        old = name == "databricks-2020"
        for reading in read_as:
            weakest = reading.endswith(":weakest")
            rule_sets[reading] = RuleSet(
                read_files="statistics" if weakest else "partitions",
                appends="all" if old else "blind",
                inserts_apart=old and weakest,
            )
    return rule_sets


RULE_SETS = {
    "delta-spark-4.4": SPARK,
    "delta-spark-4.4-repaired": RuleSet(empty_versions=True, repaired=True, every_kind=True),
    "delta-rs-1.6": RuleSet(read_files="delta-rs", added="statistics", appends="none"),
    **_documented(),
}
"""The profiles whose rules are encoded, by name."""
