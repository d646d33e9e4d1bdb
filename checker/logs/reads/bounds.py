"""The bounds of what a logged commit read of the table, as rows, from below and from above.

A log has no read sets. It has the operation, sometimes its predicate, and whether the writer took
it for a blind append. ``bounds`` gives the least that the commit read for sure and the most that
it can have read. What is known of each operation:

- a blind append (``isBlindAppend`` true) read nothing;
- OPTIMIZE and the like move rows and read none in the sense of the levels;
- DELETE read the rows that match its predicate, and nothing else;
- UPDATE read those, and, through subqueries in SET, perhaps anything: no log has the SET clause;
- everything else read something between nothing and the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass

from checker.logs.actions import LoggedCommit, LoggedFile
from checker.logs.reads.file_facts import Columns, row_count
from checker.logs.reads.predicates import Predicate, everything, predicate

APPENDS = frozenset({"WRITE", "STREAMING UPDATE", "COPY INTO"})
"""Operations that add rows; with no removes, every row of their files is new."""


ROWLESS = frozenset(
    {
        "CREATE TABLE", "CLUSTER BY", "COMPUTE STATS", "OPTIMIZE", "REORG", "SET TBLPROPERTIES",
        "SYNC IDENTITY", "UNSET TBLPROPERTIES", "UPGRADE PROTOCOL", "VACUUM END", "VACUUM START",
    }
)  # fmt: skip
"""Operations that neither read rows, in the sense of the levels, nor change any."""


@dataclass(frozen=True, slots=True)
class Reads:
    """The least and the most that a commit can have read; None for nothing."""

    least: Predicate | None
    most: Predicate | None


NOTHING = Reads(None, None)


def bounds(commit: LoggedCommit, columns: Columns, *, new_schema: bool) -> Reads:
    """The bounds of a commit's reads, by its operation.

    ``new_schema`` says whether it changes the columns of the table.
    """
    if commit.blind_append and not new_schema:
        return NOTHING
    operation, parameters = commit.operation, commit.parameters
    moves = bool(commit.adds or commit.removes) and not commit.changes_data
    if (moves or operation in ROWLESS) and not new_schema and not commit.problems:
        return NOTHING
    if operation in ("DELETE", "UPDATE"):
        read = predicate(parameters.get("predicate") or "[]", columns)
        return Reads(read, read if operation == "DELETE" else everything())
    return Reads(None, everything())


def surely_new(commit: LoggedCommit) -> list[LoggedFile]:
    """The files of which it is sure that each row is new, and that there are rows."""
    if commit.removes or commit.operation not in APPENDS:
        return []
    return [file for file in commit.adds if file.data_change and (row_count(file) or 0) > 0]
