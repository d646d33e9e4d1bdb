"""dbcop's ``history.bincode``: little endian, each count before its items.

A transaction that was not committed is aborted, and so is a write that did not succeed; a read that
did not succeed saw nothing. A read of 0 that nobody wrote is a read of the initial state.
"""

from __future__ import annotations

import struct
from pathlib import Path

from checker.recorded.history import Operation, Recorded, RecordedHistory, Status
from isodelta.exits import BadInput
from isodelta.formats.binary import Fields
from isodelta.formats.initial import with_initial_zero

_HEADER = struct.Struct("<5q")
_COUNT = struct.Struct("<Q")
_EVENT = struct.Struct("<BQQB")
_FLAG = struct.Struct("<B")


def read(path: Path) -> RecordedHistory:
    """Reads a history, or the one in a folder; ``BadInput`` names the file and the byte."""
    fields = Fields(path / "history.bincode" if path.is_dir() else path)
    fields.take(_HEADER, "the header")
    for part in ("info", "start", "end"):
        _skip_string(fields, part)
    recorded: list[Recorded] = []
    number = 0
    for session in range(_count(fields, "sessions", 8)):
        for _ in range(_count(fields, "transactions", 9)):
            operations, failed = [], []
            for _ in range(_count(fields, "events", _EVENT.size)):
                write, key, value, success = fields.take(_EVENT, "an event")
                if write > 1 or success > 1:
                    raise fields.wrong(f"an event with flags {write} and {success}, not 0 or 1")
                if success:
                    operations.append(Operation("w" if write else "r", key, value))
                elif write:
                    failed.append(Operation("w", key, value))
            (committed,) = fields.take(_FLAG, "a transaction")
            if committed > 1:
                raise fields.wrong(f"a transaction with flag {committed}, not 0 or 1")
            status = Status.COMMITTED if committed else Status.ABORTED
            number += 1
            name = f"T{number}"
            recorded.append(Recorded(name, session, tuple(operations), status))
            if failed:
                name = f"failed writes of {name}"
                recorded.append(Recorded(name, session, tuple(failed), Status.ABORTED))
    if fields.left:
        raise fields.wrong(f"{fields.left} bytes follow the last session")
    return with_initial_zero(RecordedHistory("register", tuple(recorded)))


def _skip_string(fields: Fields, part: str) -> None:
    length = _count(fields, f"bytes of the text {part!r}", 1)
    fields.at += length


def _count(fields: Fields, part: str, least: int) -> int:
    """A count; one that cannot fit into the rest of the file is an error at once."""
    (count,) = fields.take(_COUNT, f"the number of {part}")
    if count * least > fields.left:
        raise BadInput(
            f"{fields.path}: byte {fields.at - 8}: {count} {part} do not fit into the "
            f"{fields.left} bytes that are left"
        )
    return count
