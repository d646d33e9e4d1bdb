"""Cobra's logs: a folder with one file for each session, big endian.

A write's id names the version. Reads of the initial transaction's version, or of no version at
all (null), see the initial state. A transaction without its commit record has an unknown end:
it counts when somebody read from it.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from checker.recorded.history import INITIAL, Operation, Recorded, RecordedHistory, Status
from isodelta.exits import BadInput
from isodelta.formats.binary import Fields

INITIAL_ID = 0xBEBEEBEE
NULL_ID = 0xDEADBEEF
COLLECTOR_IDS = {0x23332333, 0x66666666}
"""Versions of the keys of Cobra's garbage collector, which its initial transaction wrote."""

Named = tuple[int, int, int, int]
"""A read: its transaction, the transaction that it says wrote the version, the key, the version."""

_ONE = struct.Struct(">q")
_WRITE = struct.Struct(">3q")
_READ = struct.Struct(">4q")


def read(path: Path) -> RecordedHistory:
    """Reads a folder of logs, or one log; ``BadInput`` names the file and the byte."""
    files = sorted(path.glob("*.log"), key=_number) if path.is_dir() else [path]
    if not files:
        raise BadInput(f"{path}: there is no T<n>.log in this folder")
    recorded: list[Recorded] = []
    seen: dict[int, Path] = {}
    named: list[Named] = []
    for session, file in enumerate(files):
        for transaction in _session(Fields(file), session, seen, named):
            recorded.append(transaction)
    _compare_writers(recorded, path, named)
    return RecordedHistory("register", tuple(recorded))


def _compare_writers(recorded: list[Recorded], path: Path, named: list[Named]) -> None:
    """Checks that the transaction that each read names did write the version, by the logs."""
    wrote = {(o.key, o.value): t.name for t in recorded for o in t.operations if o.kind == "w"}
    for reader, writer, key, version in named:
        if wrote.get((key, version), f"T{writer}") != f"T{writer}":
            raise BadInput(
                f"{path}: T{reader} read version {version} of key {key} from T{writer}, but "
                f"{wrote[key, version]} wrote it"
            )


def _number(path: Path) -> tuple[int, str]:
    digits = re.search(r"\d+", path.stem)
    return (int(digits[0]) if digits else 0, path.stem)


def _session(
    fields: Fields, session: int, seen: dict[int, Path], named: list[Named]
) -> list[Recorded]:
    result: list[Recorded] = []
    operations: list[Operation] = []
    current: int | None = None
    while fields.left:
        start = fields.at
        kind = fields.data[start : start + 1]
        fields.at += 1
        if kind == b"S":
            (number,) = fields.take(_ONE, "the begin of a transaction")
            if current is not None:
                result.append(_recorded(current, session, operations, Status.UNKNOWN))
            if number in seen:
                fields.at = start
                raise fields.wrong(f"transaction {number} is in {seen[number].name} already")
            seen[number] = fields.path
            current, operations = number, []
            continue
        if kind not in (b"C", b"W", b"R"):
            fields.at = start
            raise fields.wrong(f"a record begins with {kind!r}, not with S, C, W or R")
        if current is None:
            fields.at = start
            raise fields.wrong(f"a record {kind.decode()} outside a transaction")
        if kind == b"C":
            (number,) = fields.take(_ONE, "a commit")
            if number != current:
                raise fields.wrong(f"transaction {number} commits while {current} is running")
            result.append(_recorded(current, session, operations, Status.COMMITTED))
            current, operations = None, []
        elif kind == b"W":
            version, key, _ = fields.take(_WRITE, "a write")
            operations.append(Operation("w", key, version))
        else:
            writer, version, key, _ = fields.take(_READ, "a read")
            special = {INITIAL_ID, NULL_ID}
            initial = writer in special and version in special | COLLECTOR_IDS
            if not initial:
                named.append((current, writer, key, version))
            operations.append(Operation("r", key, INITIAL if initial else version))
    if current is not None:
        result.append(_recorded(current, session, operations, Status.UNKNOWN))
    return result


def _recorded(number: int, session: int, operations: list[Operation], status: Status) -> Recorded:
    return Recorded(f"T{number}", session, tuple(operations), status)
