"""dbcop's and PolySI's text: one operation a line, ``r(key,value,session,transaction)``.

The values of writes are unique for each key. A transaction -1 was aborted (Plume, AWDIT), and a
session -1 is the initial state written out (PolySI). A read of 0 that nobody wrote sees the
initial state. Another value that nobody wrote is an anomaly, unless the user says that such values
are initial ones: see ``initial.values_from_before``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from checker.recorded.history import INITIAL, Operation, Recorded, RecordedHistory, Status
from isodelta.exits import BadInput
from isodelta.formats.initial import values_from_before, with_initial_zero

_LINE = re.compile(r"\s*([rw])\(\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*\)\s*")


ABORTED = -1
INITIAL_SESSION = -1


def read(path: Path) -> RecordedHistory:
    """Reads a history; ``BadInput`` names the file and the line."""
    operations: dict[tuple[int, int], list[Operation]] = {}
    current: dict[int, int] = {}
    initial: set[tuple[int, int]] = set()
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            match = _LINE.fullmatch(line)
            if match is None:
                if not line.strip():
                    continue
                raise BadInput(
                    f"{path}:{number}: {line.strip()[:60]!r} is neither "
                    "r(key,value,session,transaction) nor w(key,value,session,transaction)"
                )
            try:
                key, value, session, transaction = map(int, match.groups()[1:])
            except ValueError as error:
                raise BadInput(f"{path}:{number}: a number with too many digits") from error
            if session == INITIAL_SESSION:
                initial.add((key, value))
                continue
            name = session, transaction
            if name not in operations:
                operations[name] = []
            elif transaction not in (ABORTED, current.get(session)):
                raise BadInput(
                    f"{path}:{number}: transaction {transaction} goes on after another one of "
                    f"session {session} began"
                )
            if transaction != ABORTED:
                current[session] = transaction
            kind = "r" if match[1] == "r" else "w"
            operations[name].append(Operation(kind, key, value))  # type: ignore[arg-type]
    # Some files number their transactions in each session anew.
    numbers = Counter(transaction for _, transaction in operations)
    recorded = []
    for (session, number), done in operations.items():
        label = f"T{number}" if numbers[number] == 1 else f"T{session}.{number}"
        recorded.append(_recorded(label, session, number, done, initial))
    history = with_initial_zero(RecordedHistory("register", tuple(recorded)))
    return replace(history, lone_unwritten=values_from_before(history))


def _recorded(
    name: str, session: int, number: int, operations: list[Operation], initial: set[tuple[int, int]]
) -> Recorded:
    if number == ABORTED:
        writes = tuple(o for o in operations if o.kind == "w")
        return Recorded(f"aborted writes of session {session}", session, writes, Status.ABORTED)
    if initial:
        operations = [
            o._replace(value=INITIAL) if o.kind == "r" and (o.key, o.value) in initial else o
            for o in operations
        ]
    return Recorded(name, session, tuple(operations))
