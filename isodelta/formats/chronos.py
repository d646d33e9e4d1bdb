"""CHRONOS' JSON: an array of transactions with the timestamps that the database gave them.

A transaction is ``{"tid": 67, "sid": 19, "sts": {"p": 1, "l": 0}, "cts": {"p": 2, "l": 0}, "ops":
[{"t": "w", "k": 7, "v": 2}, ...]}``: its id and its session's, the start and the commit timestamp
(hybrid logical clocks with a physical and a logical part), and its operations. In registers ``t``
is ``w`` or ``r`` (or the whole word), in lists ``a`` or ``r``; a missing or null ``v`` is the
initial value, and so is 0 if nobody wrote it. All transactions are committed, those of one session
stand in their order, and the start and commit timestamps are the begin and the end in real time.

Source: the README and ``examples/`` of https://github.com/FertileFragrance/TimeKiller (CHRONOS:
"Online Timestamp-based Transactional Isolation Checking of Database Systems", ICDE 2025).
"""

from __future__ import annotations

from pathlib import Path

from checker.recorded.history import INITIAL, Operation, Recorded, RecordedHistory, Value
from isodelta.exits import BadInput
from isodelta.formats.initial import with_initial_zero
from isodelta.formats.json_file import Json, load

_KINDS = {"w": "w", "write": "w", "a": "a", "append": "a", "r": "r", "read": "r"}


def read(path: Path) -> RecordedHistory:
    """Reads a history; raises ``BadInput`` with the number of the transaction, from 1."""
    transactions = load(path)
    if not isinstance(transactions, list):
        raise BadInput(f"{path}: not an array of transactions")
    sessions: dict[int | str, int] = {}
    recorded: list[Recorded] = []
    names: set[str] = set()
    for number, transaction in enumerate(transactions, 1):
        place = f"{path}: transaction {number}"
        recorded.append(_transaction(place, transaction, sessions))
        name = recorded[-1].name
        if name in names:
            raise BadInput(f"{place} has the tid of an earlier one: {name[1:]}")
        names.add(name)
    kinds = {o.kind for t in recorded for o in t.operations}
    lists = "a" in kinds or any(isinstance(o.value, tuple) for t in recorded for o in t.operations)
    if lists and "w" in kinds:
        raise BadInput(f"{path}: one history has writes of registers and lists")
    if not lists:
        return with_initial_zero(RecordedHistory("register", tuple(recorded)))
    return RecordedHistory("list", tuple(map(_with_lists, recorded)))


def _transaction(place: str, transaction: Json, sessions: dict[int | str, int]) -> Recorded:
    if not isinstance(transaction, dict):
        raise BadInput(f"{place} is not an object")
    names = []
    for field in ("tid", "sid"):
        name = transaction.get(field)
        if isinstance(name, bool) or not isinstance(name, int | str):
            raise BadInput(f"{place} has no {field} that is a number or a text")
        names.append(name)
    tid, sid = names
    begin, end = (_time(place, transaction, field) for field in ("sts", "cts"))
    if end < begin:
        raise BadInput(f"{place} has a cts before its sts")
    operations = transaction.get("ops")
    if not isinstance(operations, list):
        raise BadInput(f"{place} has no array ops")
    return Recorded(
        f"T{tid}",
        sessions.setdefault(sid, len(sessions)),
        tuple(_operation(f"{place}, operation {at}", o) for at, o in enumerate(operations, 1)),
        begin=begin,
        end=end,
    )


def _time(place: str, transaction: dict[str, Json], field: str) -> tuple[int, int]:
    match transaction.get(field):
        case {"p": int() | str() as physical, "l": int() | str() as logical}:
            try:
                return int(physical), int(logical)
            except ValueError:
                pass
    raise BadInput(f"{place} has no {field} with whole numbers p and l")


def _operation(place: str, operation: Json) -> Operation:
    word = operation.get("t") if isinstance(operation, dict) else None
    kind = _KINDS.get(word.lower()) if isinstance(word, str) else None
    if kind is None:
        raise BadInput(f"{place} has a t that is not w, r, a, write, read or append")
    key, value = operation.get("k"), operation.get("v")
    if isinstance(key, bool) or not isinstance(key, int | str):
        raise BadInput(f"{place} has a k that is not a number or a text")
    if kind != "r" and (isinstance(value, bool) or not isinstance(value, int | str)):
        raise BadInput(f"{place} writes a v that is not a number or a text")
    return Operation(kind, key, _value(place, value))  # type: ignore[arg-type]


def _value(place: str, value: Json) -> Value:
    if isinstance(value, list) and all(type(element) in (int, str) for element in value):
        return tuple(value)
    if value is None:
        return INITIAL
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise BadInput(f"{place} has a v that is not a number, a text, or an array of them")
    return value


def _with_lists(transaction: Recorded) -> Recorded:
    """A list that is not there is an empty one."""
    operations = tuple(
        o._replace(value=()) if o.kind == "r" and o.value is INITIAL else o
        for o in transaction.operations
    )
    return Recorded(
        transaction.name,
        transaction.session,
        operations,
        begin=transaction.begin,
        end=transaction.end,
    )
