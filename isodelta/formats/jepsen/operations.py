"""The operations of Elle and Jepsen: list-append and rw-register, in EDN or JSON.

An operation is an invocation and its answer: ``ok`` committed, ``fail`` aborted, ``info`` or none:
its end is unknown, so the transaction counts if some read saw one of its writes. Operations
of processes that are not numbers (the nemesis) are left out. Processes are the sessions; where a
file names none, each operation is a session of its own. An answer belongs to the last invocation
of its process that wrote the same, or else to the last one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from checker.recorded.history import INITIAL, Operation, Recorded, RecordedHistory, Status
from isodelta.exits import BadInput
from isodelta.formats.initial import values_from_before
from isodelta.formats.jepsen.edn_values import frozen
from model.levels import READ_ATOMIC

_STATUS = {"ok": Status.COMMITTED, "fail": Status.ABORTED, "info": Status.UNKNOWN}
_KINDS = {"append": "a", "r": "r", "w": "w"}
_OTHER_WORKLOADS = {
    "transfer": "bank",
    "cas": "cas register",
    "acquire": "mutex",
    "release": "mutex",
    "enqueue": "queue",
    "dequeue": "queue",
    "increment": "counter",
    "decrement": "counter",
    "add": "set or counter",
}
"""Jepsen's other workloads, by the ``:f`` that only they have."""


def history_of(operations: Iterable[tuple[int, Any]], name: str) -> RecordedHistory:
    """The history of (line, operation) pairs; ``BadInput`` names the file and the line."""
    reader = _Reader(name)
    try:
        for line, operation in operations:
            reader.take(line, operation)
        return reader.history()
    except RecursionError:
        raise BadInput(f"{name}: a value with too many values inside each other") from None


Stamps = tuple[int | None, int | None]
"""The ``:index`` and the ``:time`` of an operation."""


class _Invoked(NamedTuple):
    """A transaction as far as it is known: ``line`` says where its operations stand.

    ``begin`` and ``end`` are the stamps of its invocation and of an answer that says how it ended.
    """

    line: int
    label: str
    session: int
    value: Any
    status: Status
    begin: Stamps | None = None
    end: Stamps | None = None


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name
        self.pending: dict[Hashable, list[int]] = {}
        self.invoked: list[_Invoked] = []
        self.kinds: dict[str, int] = {}
        self.labels: set[str] = set()
        self.operations = 0
        self.stamped = [0, 0]
        self.answerable = 0
        """The number of operations of processes; ``stamped`` counts those with index and time."""
        self.workload: str | None = None

    def wrong(self, line: int, problem: str) -> BadInput:
        return BadInput(f"{self.name}:{line}: {problem}")

    def not_transactions(self, line: int, problem: str) -> BadInput:
        """The message about a value that is not that of a transaction."""
        if self.workload is not None:
            problem += (
                f"; by its :f this is a history of a {self.workload}, and only list-append and "
                "rw-register can be judged"
            )
        return self.wrong(line, problem)

    def take(self, line: int, operation: Any) -> None:
        if not isinstance(operation, dict):
            raise self.wrong(line, "an operation must be a map such as {:type :ok, ...}")
        self.operations += 1
        kind, process = _word(operation.get("type")), operation.get("process")
        if kind != "invoke" and kind not in _STATUS:
            raise self.wrong(line, f":type is {_shown(kind)}, not :invoke, :ok, :fail or :info")
        if process is not None and (isinstance(process, bool) or not isinstance(process, int)):
            return
        self.workload = self.workload or _OTHER_WORKLOADS.get(_word(operation.get("f")))
        stamps = self._stamps(operation)
        value = operation.get("value")
        if value is None and kind == "ok" and _word(operation.get("f")) in (None, "txn"):
            value = []
        waiting = _written(value) if process is None else process
        if kind == "invoke":
            session = -1 - len(self.invoked) if process is None else process
            label = self._label(operation.get("index"), line)
            self.pending.setdefault(waiting, []).append(len(self.invoked))
            begun = _Invoked(line, label, session, value, Status.UNKNOWN, stamps)
            self.invoked.append(begun)
            return
        at = self._answered(waiting, value)
        if at is None:
            session = -1 - len(self.invoked) if process is None else process
            label = self._label(operation.get("index"), line)
            end = stamps if kind == "ok" else None
            alone = _Invoked(line, label, session, value, _STATUS[kind], None, end)
            self.invoked.append(alone)
        elif kind == "ok":
            self.invoked[at] = self.invoked[at]._replace(
                line=line, value=value, status=_STATUS[kind], end=stamps
            )
        else:
            # The operations asked for are those that may have happened; reads saw nothing.
            self.invoked[at] = self.invoked[at]._replace(status=_STATUS[kind])

    def _stamps(self, operation: dict[Any, Any]) -> Stamps:
        self.answerable += 1
        stamps = []
        for at, name in enumerate(("index", "time")):
            stamp = operation.get(name)
            valid = isinstance(stamp, int) and not isinstance(stamp, bool)
            self.stamped[at] += valid
            stamps.append(stamp if valid else None)
        return stamps[0], stamps[1]

    def _clock(self) -> int | None:
        """The stamp that every operation has: 0 for the index, 1 for the time; None for neither."""
        return next((at for at in (0, 1) if self.stamped[at] == self.answerable), None)

    def _label(self, index: Any, line: int) -> str:
        label = f"T{line if index is None else _shown(index)}"
        if label in self.labels:
            label = f"{label} (line {line})"
        self.labels.add(label)
        return label

    def _answered(self, waiting: Hashable, value: Any) -> int | None:
        """The invocation that an answer belongs to, which then waits no more."""
        open_ones = self.pending.get(waiting)
        if not open_ones:
            return None
        if len(open_ones) > 1:
            wrote = _written(value)
            for at in reversed(open_ones):
                if _written(self.invoked[at].value) == wrote:
                    open_ones.remove(at)
                    return at
        return open_ones.pop()

    def history(self) -> RecordedHistory:
        if self.operations and not self.invoked:
            raise BadInput(f"{self.name}: there is no operation of a process with a number")
        clock = self._clock()
        recorded = [
            Recorded(
                invoked.label,
                invoked.session,
                self._operations(invoked.line, invoked.value, invoked.status),
                invoked.status,
                begin=_on(clock, invoked.begin),
                end=_on(clock, invoked.end),
            )
            for invoked in self.invoked
        ]
        kinds = self.kinds
        if "a" in kinds and "w" in kinds:
            raise self.wrong(
                max(kinds["a"], kinds["w"]),
                "one history has :append and :w, so it is neither list-append nor rw-register",
            )
        if "a" in kinds or ("list" in kinds and "w" not in kinds):
            for other in ("single", "set"):
                if other in kinds:
                    problem = f"a read of a {other} value where :append makes lists"
                    raise self.wrong(kinds[other], problem)
            lists = tuple(map(_with_lists, recorded))
            return RecordedHistory("list", lists, internal_from=READ_ATOMIC)
        for other in ("list", "set"):
            if other in kinds and "w" in kinds and "w many" not in kinds:
                raise self.wrong(kinds[other], f"a read of a {other} where :w writes registers")
        history = RecordedHistory("register", tuple(recorded), internal_from=READ_ATOMIC)
        return replace(history, lone_unwritten=values_from_before(history))

    def _operations(self, line: int, value: Any, status: Status) -> tuple[Operation, ...]:
        if not isinstance(value, list):
            if status is not Status.COMMITTED and not isinstance(value, dict):
                # The error of a client that did not name its operations.
                return ()
            raise self.not_transactions(
                line, f":value is {_shown(value)}, not a vector of operations"
            )
        result = []
        for item in value:
            if isinstance(item, list) and len(item) == 2 and _word(item[0]) == "r":
                item = [*item, None]
            kind = None
            if isinstance(item, list) and len(item) == 3:
                kind = _KINDS.get(_word(item[0]))
            if kind is None:
                raise self.not_transactions(
                    line, f"{_shown(item)} is none of [:append k v], [:r k v] and [:w k v]"
                )
            key, content = _hashable(item[1]), _hashable(item[2])
            many = isinstance(content, tuple | frozenset)
            if kind == "r":
                if status is not Status.COMMITTED:
                    continue
                if content is not None:
                    several = "list" if isinstance(content, tuple) else "set"
                    self.kinds.setdefault(several if many else "single", line)
            else:
                self.kinds.setdefault(kind, line)
                if many and kind == "w":
                    self.kinds.setdefault("w many", line)
                if content is None:
                    raise self.wrong(line, f"a write of nil to key {_shown(key)}")
            result.append(Operation(kind, key, content))  # type: ignore[arg-type]
        return tuple(result)


def _word(value: Any) -> Any:
    """A keyword as plain text; JSON that was made from EDN may have kept the colon."""
    if type(value) is str:
        return value[1:] if value[:1] == ":" else value
    return None if value is None else repr(value)


def _shown(value: Any) -> str:
    text = "nil" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _written(value: Any) -> Hashable:
    """The writes of an operation, which its invocation and its answer have in common."""
    if not isinstance(value, list):
        return None
    return tuple(
        frozen(item) for item in value if isinstance(item, list) and item and _word(item[0]) != "r"
    )


def _on(clock: int | None, stamps: Stamps | None) -> int | None:
    return None if clock is None or stamps is None else stamps[clock]


def _with_lists(transaction: Recorded) -> Recorded:
    """nil is how an empty list is read."""
    operations = tuple(
        o._replace(value=()) if o.kind == "r" and o.value is INITIAL else o
        for o in transaction.operations
    )
    return replace(transaction, operations=operations)


def _hashable(value: Any) -> Hashable:
    if type(value) is int or type(value) is str or value is None:
        return value
    if type(value) is list:
        made = tuple(value)
        try:
            hash(made)
        except TypeError:
            return frozen(value)
        return made
    return frozen(value)
