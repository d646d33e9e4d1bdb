"""dbcop's JSON: an array of sessions, alone or in an object as "data".

A session is an array of transactions.

A transaction is ``{"events": [...], "committed": true}``. An event is ``{"Read": {"variable": v,
"version": n}}`` or ``{"Write": {...}}``, or shorter ``["r", v, n]`` and ``["w", v, n]``; a read of
version null sees the initial state. A transaction that is not committed is aborted.

Source: ``docs/history-format.md`` and ``crates/core/src/history/raw/types.rs`` of
https://github.com/rnbguy/dbcop.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from checker.recorded.history import Operation, Recorded, RecordedHistory, Status
from isodelta.exits import BadInput
from isodelta.formats.initial import with_initial_zero
from isodelta.formats.json_file import Json, load

_KINDS = {"Read": "r", "Write": "w", "r": "r", "w": "w"}


def read(path: Path) -> RecordedHistory:
    """Reads a history; raises ``BadInput`` with the place in the object."""
    whole = load(path)
    sessions: Json = whole
    if isinstance(whole, dict):
        if "data" not in whole:
            raise BadInput(f'{path}: the object has no "data" with the sessions')
        sessions = whole["data"]
    if not isinstance(sessions, list):
        raise BadInput(f"{path}: the sessions are not an array")
    recorded: list[Recorded] = []
    for number, session in enumerate(sessions):
        if not isinstance(session, list):
            raise BadInput(f"{path}: session {number} is not an array of transactions")
        for transaction in session:
            recorded.append(_transaction(path, number, len(recorded) + 1, transaction))
    return with_initial_zero(RecordedHistory("register", tuple(recorded)))


def _transaction(path: Path, session: int, number: int, transaction: Json) -> Recorded:
    place = f"{path}: transaction {number} (session {session})"
    match transaction:
        case {"events": list(events), "committed": bool(committed)}:
            pass
        case _:
            raise BadInput(f"{place} is not an object with an array events and a boolean committed")
    operations = tuple(_event(f"{place}, event {at}", event) for at, event in enumerate(events, 1))
    status = Status.COMMITTED if committed else Status.ABORTED
    return Recorded(f"T{number}", session, operations, status)


def _event(place: str, event: Json) -> Operation:
    word: Any
    match event:
        case [word, variable, version]:
            pass
        case {"Read": {"variable": variable, "version": version}} if len(event) == 1:
            word = "Read"
        case {"Write": {"variable": variable, "version": version}} if len(event) == 1:
            word = "Write"
        case _:
            word = variable = version = None
    kind = _KINDS.get(word) if isinstance(word, str) else None
    if kind is None:
        raise BadInput(f"{place} is neither a Read nor a Write of a variable and a version")
    if not _is_plain(variable) or not (_is_plain(version) or (version is None and kind == "r")):
        raise BadInput(f"{place} has a variable or a version that is not a number or a text")
    return Operation(kind, variable, version)  # type: ignore[arg-type]


def _is_plain(value: Json) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)
