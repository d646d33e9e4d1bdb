"""AWDIT's text: ``r key value`` and ``w key value``, transactions and sessions divided by lines.

A value that nobody wrote and that is 0 is the initial one.
"""

from __future__ import annotations

import re
from pathlib import Path

from checker.recorded.history import Operation, Recorded, RecordedHistory
from isodelta.exits import BadInput
from isodelta.formats.initial import with_initial_zero

_NUMBER = re.compile(r"-?[0-9]{1,4000}")


def read(path: Path) -> RecordedHistory:
    """Reads a history; ``BadInput`` names the file and the line."""
    recorded: list[Recorded] = []
    operations: list[Operation] = []
    session = 0

    def end_transaction() -> None:
        if operations:
            recorded.append(Recorded(f"T{len(recorded) + 1}", session, tuple(operations)))
            operations.clear()

    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            if not words:
                continue
            if len(words) == 1 and set(words[0]) in ({"-"}, {"="}):
                end_transaction()
                session += words[0][0] == "="
                continue
            if len(words) != 3 or words[0] not in ("r", "w"):
                raise BadInput(
                    f"{path}:{number}: {line.strip()[:60]!r} is none of 'r key value', "
                    "'w key value', '-----' and '====='"
                )
            value = int(words[2]) if _NUMBER.fullmatch(words[2]) else words[2]
            kind = "r" if words[0] == "r" else "w"
            operations.append(Operation(kind, words[1], value))  # type: ignore[arg-type]
    end_transaction()
    return with_initial_zero(RecordedHistory("register", tuple(recorded)))
