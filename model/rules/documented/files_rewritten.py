"""ConcurrentAppendException in the words of 2020."""

from __future__ import annotations

from model.levels import WRITE_SERIALIZABLE
from model.physical.log import Commit
from model.rules import added_files
from model.rules.base import Attempt, Rule


def exception(attempt: Attempt, winner: Commit) -> str | None:
    """Conflict as the text on the exception has it.

    Serializable: any append to a partition that is read. WriteSerializable: only where files of
    it were rewritten. An append that reads (INSERT ... SELECT from the table itself) is no
    rewrite, so at WriteSerializable nobody conflicts with it.
    """
    if attempt.level == WRITE_SERIALIZABLE and not winner.footprint.removes:
        return None
    return added_files.check(attempt, winner)


def matrix(attempt: Attempt, winner: Commit) -> str | None:
    """The same, and two INSERTs never conflict, as the matrix has it for both levels.

    The matrix of 2020 has no note that takes out an INSERT which reads its own table.
    """
    only_adds = not attempt.footprint.removes and not winner.footprint.removes
    return None if only_adds else exception(attempt, winner)


_SOURCE = "ConcurrentAppendException and matrix (2020); N50, N51, N88"

EXCEPTION = Rule("added files", "ConcurrentAppend", exception, _SOURCE)
MATRIX = Rule("added files", "ConcurrentAppend", matrix, _SOURCE)
