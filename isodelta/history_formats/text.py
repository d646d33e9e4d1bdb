"""dbcop's and PolySI's text: one operation a line, ``r(key,value,session,transaction)``.

The values of writes are unique for each key. A value that nobody wrote is the initial one; each
key has one of those, 0 or another.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from checker.foreign.history import ForeignHistory, Operation, Recorded
from isodelta.exits import BadInput

_LINE = re.compile(r"\s*([rw])\(\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*\)\s*")


def read(path: Path) -> ForeignHistory:
    """Reads a history; ``BadInput`` names the file and the line."""
    operations: dict[tuple[int, int], list[Operation]] = {}
    current: dict[int, int] = {}
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = _LINE.fullmatch(line)
            if match is None:
                if not line.strip():
                    continue
                raise BadInput(
                    f"{path}:{number}: {line.strip()[:60]!r} is neither "
                    "r(key,value,session,transaction) nor w(key,value,session,transaction)"
                )
            key, value, session, transaction = map(int, match.groups()[1:])
            name = session, transaction
            if name not in operations:
                operations[name] = []
            elif current[session] != transaction:
                raise BadInput(
                    f"{path}:{number}: transaction {transaction} goes on after another one of "
                    f"session {session} began"
                )
            current[session] = transaction
            kind = "r" if match[1] == "r" else "w"
            operations[name].append(Operation(kind, key, value))  # type: ignore[arg-type]
    # Some files number their transactions in each session anew.
    numbers = Counter(transaction for _, transaction in operations)
    recorded = tuple(
        Recorded(
            f"T{number}" if numbers[number] == 1 else f"T{session}.{number}", session, tuple(ops)
        )
        for (session, number), ops in operations.items()
    )
    return ForeignHistory("register", recorded, lone_unwritten=True)
