"""Elle's and Jepsen's EDN: list-append and rw-register histories.

An operation is an invocation and what came of it: ``ok`` committed, ``fail`` aborted, ``info`` or
nothing: nobody knows, so the transaction counts when somebody saw one of its writes. Operations
of processes that are no numbers (the nemesis) are left out. Processes are the sessions; where a
file names none, each operation is a session of its own, and an answer belongs to the invocation
that wrote the same.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

from checker.foreign.history import INITIAL, ForeignHistory, Operation, Recorded, Status
from isodelta.exits import BadInput
from isodelta.history_formats.edn_values import EdnError, lines

_STATUS = {"ok": Status.COMMITTED, "fail": Status.ABORTED, "info": Status.UNKNOWN}
_KINDS = {"append": "a", "r": "r", "w": "w"}


def read(path: Path) -> ForeignHistory:
    """Reads a history; ``BadInput`` names the file and the line."""
    return parse(path.read_text(encoding="utf-8"), str(path))


def parse(text: str, name: str) -> ForeignHistory:
    """Reads a history from text; ``name`` stands for it in messages."""
    reader = _Reader(name)
    try:
        for line, operation in lines(text):
            reader.take(line, operation)
    except EdnError as error:
        raise BadInput(f"{name}:{error.line}: {error}") from error
    return reader.history()


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name
        self.pending: dict[Hashable, int] = {}
        self.found: list[tuple[int, str, int, Any, Status]] = []
        self.kinds: dict[str, int] = {}

    def wrong(self, line: int, what: str) -> BadInput:
        return BadInput(f"{self.name}:{line}: {what}")

    def take(self, line: int, operation: Any) -> None:
        if not isinstance(operation, dict):
            raise self.wrong(line, "an operation must be a map such as {:type :ok, ...}")
        kind, process = operation.get("type"), operation.get("process")
        if process is not None and not isinstance(process, int):
            return
        if kind != "invoke" and kind not in _STATUS:
            raise self.wrong(line, f":type is {kind!r}, not :invoke, :ok, :fail or :info")
        value = operation.get("value")
        label = f"T{operation.get('index', line)}"
        waiting = _written(value) if process is None else process
        session = -1 - len(self.found) if process is None else process
        if kind == "invoke":
            if process is not None and process in self.pending:
                raise self.wrong(line, f"process {process} invokes while it waits for an answer")
            self.pending[waiting] = len(self.found)
            self.found.append((line, label, session, value, Status.UNKNOWN))
            return
        at = self.pending.pop(waiting, None)
        if kind != "ok" and at is not None:
            # What a client asked for is what may have been written; its reads saw nothing.
            value = self.found[at][3]
        if at is None:
            self.found.append((line, label, session, value, _STATUS[str(kind)]))
        else:
            self.found[at] = (line, label, self.found[at][2], value, _STATUS[str(kind)])

    def history(self) -> ForeignHistory:
        recorded = []
        for line, label, session, value, status in self.found:
            operations = self._operations(line, value, status)
            recorded.append(Recorded(label, session, operations, status))
        if "a" in self.kinds and "w" in self.kinds:
            raise self.wrong(
                max(self.kinds["a"], self.kinds["w"]),
                "one history has :append and :w, so it is neither list-append nor rw-register",
            )
        if "a" in self.kinds or ("list" in self.kinds and "w" not in self.kinds):
            return ForeignHistory("list", tuple(map(_with_lists, recorded)))
        if "list" in self.kinds:
            raise self.wrong(self.kinds["list"], "a read of a list where :w writes registers")
        return ForeignHistory("register", tuple(recorded))

    def _operations(self, line: int, value: Any, status: Status) -> tuple[Operation, ...]:
        if value is None and status is not Status.COMMITTED:
            return ()
        if not isinstance(value, list):
            raise self.wrong(line, f":value is {value!r}, not a vector of operations")
        result = []
        for each in value:
            if isinstance(each, list) and len(each) == 2 and each[0] == "r":
                each = [*each, None]
            if not isinstance(each, list) or len(each) != 3 or each[0] not in _KINDS:
                raise self.wrong(line, f"{each!r} is none of [:append k v], [:r k v] and [:w k v]")
            kind, key, what = _KINDS[each[0]], _hashable(each[1]), _hashable(each[2])
            if kind == "r":
                if status is not Status.COMMITTED:
                    continue
                if isinstance(what, tuple):
                    self.kinds.setdefault("list", line)
            else:
                self.kinds.setdefault(kind, line)
                if what is None:
                    raise self.wrong(line, f"a write of nil to key {key!r}")
            result.append(Operation(kind, key, what))  # type: ignore[arg-type]
        return tuple(result)


def _written(value: Any) -> Hashable:
    """What an operation writes, which its invocation and its answer have in common."""
    if not isinstance(value, list):
        return None
    return tuple(_hashable(each) for each in value if isinstance(each, list) and each[0] != "r")


def _with_lists(transaction: Recorded) -> Recorded:
    """nil is how an empty list is read."""
    operations = tuple(
        o._replace(value=()) if o.kind == "r" and o.value is INITIAL else o
        for o in transaction.operations
    )
    return Recorded(transaction.name, transaction.session, operations, transaction.status)


def _hashable(value: Any) -> Hashable:
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return tuple(sorted((str(k), _hashable(v)) for k, v in value.items()))
    return value
