"""The result of ``isodelta history``: one recorded history, judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from checker.judging.graph import VerdictName
from checker.judging.verdict import Verdict
from checker.judging.witness import Cycle, Reason
from checker.recorded.decide import Judgement, judge, level_names
from checker.recorded.explanation.witness import (
    Case,
    ExplainedCycle,
    ExplainedReason,
    Step,
    Transcript,
)
from checker.recorded.history import Status
from checker.recorded.observations import AmbiguousHistory, AnomalousRead
from checker.recorded.outside import with_outside_writers
from isodelta.exits import BadInput
from isodelta.formats.formats import FORMATS, LARGE, recognise
from model.levels import LEVELS, MEANS, SERIALIZABLE, STRICT_SERIALIZABLE, STRONG_SESSION

SHOWN_OF_ORDER = 10
"""Transactions of a serial order that are written out at each end."""

MOST_WHOLE = 1000
"""Transactions of a recorded history whose serial order is written out as a whole."""

SERIAL = (SERIALIZABLE, STRONG_SESSION + SERIALIZABLE, STRICT_SERIALIZABLE)
"""The levels of recorded histories that promise a serial order."""

MOST_SHOWN = 20
"""Anomalous reads that are written out (at least one of each kind), and assumed values."""

Plain = int | str


@dataclass(frozen=True, slots=True)
class LevelResult:
    """One level. ``means`` says which one it is where the name has two meanings.

    ``session_order`` says whether the order of each session is a part of the level, and
    ``without_session_order`` the verdict without it; None if the format has no sessions.
    """

    verdict: Verdict
    means: str | None = None
    session_order: bool | None = None
    without_session_order: VerdictName | None = None
    serial_order: OrderEnds | None = None

    @property
    def transactions(self) -> tuple[str, ...]:
        """The transactions of the cycle, or those that an anomalous read is about."""
        match self.verdict.witness:
            case Cycle() as cycle:
                return cycle.transactions
            case Reason(_, transactions):
                return transactions
        return ()

    @property
    def because(self) -> str | None:
        """Why the level is violated, or not decided, in words."""
        match self.verdict.witness:
            case (Cycle() | Reason()) as witness:
                return witness.because
        return None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same, with a sentence for each edge of a cycle."""
        edges = tuple(edge.because for edge in self.verdict.cycle)
        return edges or (() if self.because is None else (self.because,))

    @property
    def steps(self) -> tuple[Step, ...]:
        """The derivations of the orders that the cycle uses and no read shows."""
        witness = self.verdict.witness
        return witness.steps if isinstance(witness, ExplainedCycle) else ()

    @property
    def cases(self) -> tuple[Case, ...]:
        """Two orders of one pair of versions, each with its cycle; or none."""
        witness = self.verdict.witness
        return witness.cases if isinstance(witness, ExplainedCycle) else ()

    @property
    def transcripts(self) -> tuple[Transcript, ...]:
        """The operations of the transactions that the explanation mentions."""
        match self.verdict.witness:
            case (ExplainedCycle() | ExplainedReason()) as witness:
                return witness.transcripts
        return ()

    def to_json(self) -> dict[str, object]:
        """The level as ``history --json`` prints it."""
        result: dict[str, object] = {"anomaly": None, **self.verdict.to_json(whole_order=False)}
        result.pop("why", None)
        result["cycle"] = list(self.transactions)
        order = None if self.serial_order is None else self.serial_order.to_json()
        return result | _given(
            means=self.means,
            session_order=self.session_order,
            without_session_order=self.without_session_order,
            because=self.because,
            derived=[_step(step) for step in self.steps] or None,
            cases=[_case(case) for case in self.cases] or None,
            operations=[_transcript(transcript) for transcript in self.transcripts] or None,
            serial_order=order,
        )


@dataclass(frozen=True, slots=True)
class OrderEnds:
    """A serial order: how many transactions it has, and those at both ends.

    ``whole`` has all of them if they are few.
    """

    transactions: int
    first: tuple[Plain, ...]
    last: tuple[Plain, ...]
    whole: tuple[Plain, ...] | None = None

    def to_json(self) -> dict[str, object]:
        """The object that stands for the order."""
        return {
            "transactions": self.transactions,
            "first": list(self.first),
            "last": list(self.last),
            **_given(all=None if self.whole is None else list(self.whole)),
        }


@dataclass(frozen=True, slots=True)
class Assumed:
    """Values that the verdicts rest on: how many there are, and the first (key, value)."""

    count: int
    first: tuple[tuple[Plain, Plain], ...]

    def to_json(self, counted: str) -> dict[str, object]:
        """The object that stands for them; ``counted`` names their number."""
        first = [{"key": key, "value": value} for key, value in self.first]
        return {counted: self.count, "first": first}


@dataclass(frozen=True, slots=True)
class Anomaly:
    """One anomaly that was met: a read, with the weakest level that forbids it, or a cycle."""

    anomaly: str
    transactions: tuple[str, ...]
    because: str
    forbidden_from: str | None = None
    phenomenon: str | None = None

    def to_json(self) -> dict[str, object]:
        """The anomaly as ``history --json`` prints it."""
        known_as = (
            {"phenomenon": self.phenomenon}
            if self.forbidden_from is None
            else {"forbidden_from": self.forbidden_from}
        )
        return {
            "anomaly": self.anomaly,
            **known_as,
            "transactions": list(self.transactions),
            "because": self.because,
        }


@dataclass(frozen=True, slots=True)
class HistoryResult:
    """One history of a file: the verdict at each level, and the anomalies met on the way.

    ``anomalous_reads`` counts them; ``anomalies`` has the first ones, at least one of each kind,
    and a cycle of each kind. ``seconds`` is the time that reading and judging took.
    """

    history: str
    format: str
    transactions: int
    levels: Mapping[str, LevelResult]
    seconds: float = 0.0
    taken_for_initial: Assumed | None = None
    written_outside: Assumed | None = None
    anomalies: tuple[Anomaly, ...] = ()
    anomalous_reads: int = 0

    @property
    def holds(self) -> bool:
        """Whether the history holds every level."""
        return all(level.verdict.verdict == "holds" for level in self.levels.values())

    def to_json(self) -> dict[str, object]:
        """The object that ``history --json`` prints."""
        result: dict[str, object] = {
            "history": self.history,
            "format": self.format,
            "transactions": self.transactions,
            "levels": {name: level.to_json() for name, level in self.levels.items()},
        }
        if self.taken_for_initial is not None:
            result["taken_for_initial"] = self.taken_for_initial.to_json("keys")
        if self.written_outside is not None:
            result["written_outside"] = self.written_outside.to_json("values")
        if self.anomalies:
            result["anomalies"] = [anomaly.to_json() for anomaly in self.anomalies]
            result["anomalous_reads"] = self.anomalous_reads
        return result | {"seconds": self.seconds}


@dataclass(frozen=True, slots=True)
class Unread:
    """A history of a folder of many that could not be read or judged, and why."""

    history: str
    error: BadInput
    holds = False

    def to_json(self) -> dict[str, object]:
        """The object that ``history --json`` prints in place of a result."""
        return {"history": self.history, "error": str(self.error)}


def lines_of_unread(results: Iterable[HistoryResult | Unread]) -> list[str]:
    """The messages about histories that could not be read or judged."""
    return [line for result in results if isinstance(result, Unread) for line in result.error.lines]


def judge_file(
    path: Path,
    format_name: str | None,
    session_order: bool | None,
    time_limit: float,
    *,
    outside_writers: bool = False,
    initial_values: bool = False,
    only: Sequence[str] = (),
    judging: Callable[..., Judgement] = judge,
) -> HistoryResult:
    """Reads and judges one file; raises ``BadInput`` if that cannot be done.

    With ``outside_writers`` the values of registers that nobody wrote are not anomalies. With
    ``initial_values`` one such value of each key is its initial one, where the format allows that.
    ``only`` names the levels to decide; all of the format's where it is empty. ``judging`` judges
    histories without a known order of versions as ``checker.recorded.decide.judge`` does.
    """
    started = time.monotonic()
    name = format_name or recognise(path)
    if not path.exists():
        raise BadInput(f"{path}: there is no such file")
    if name == LARGE:
        result = _judge_large(path, only)
    else:
        result = _judge_recorded(
            path, name, session_order, time_limit, outside_writers, initial_values, only, judging
        )
    return replace(result, seconds=round(time.monotonic() - started, 3))


def _judge_recorded(
    path: Path,
    name: str,
    session_order: bool | None,
    time_limit: float,
    outside_writers: bool,
    initial_values: bool,
    only: Sequence[str],
    judging: Callable[..., Judgement],
) -> HistoryResult:
    format_ = FORMATS[name]
    history = format_.read(path)
    if not history.transactions:
        raise BadInput(f"{path}: there is no transaction in this history")
    if not any(t.operations for t in history.transactions if t.status is Status.COMMITTED):
        raise BadInput(
            f"{path}: no transaction of this history did anything and committed, so that there "
            "is nothing to judge"
        )
    if not initial_values:
        history = replace(history, lone_unwritten=False)
    if outside_writers and history.kind == "register":
        history = with_outside_writers(history)
    sessions = format_.session_order if session_order is None else session_order
    if STRICT_SERIALIZABLE in only and not history.timed:
        raise BadInput(
            f"{path}: --level {STRICT_SERIALIZABLE}: this history does not say when its "
            "transactions began and ended"
        )
    _refuse_other_levels(path, only, level_names(sessions, real_time=history.timed))
    try:
        judgement = judging(history, session_order=sessions, time_limit=time_limit, only=only)
    except AmbiguousHistory as error:
        raise BadInput(f"{path}: {error}") from error
    written = [t.operations[0] for t in history.transactions if t.outside]
    taken = judgement.taken_for_initial.items()
    return HistoryResult(
        history=str(path),
        format=name,
        transactions=judgement.transactions - len(written),
        levels={
            level: LevelResult(
                verdict,
                MEANS.get(level),
                judgement.respects_sessions(level),
                judgement.without_sessions.get(level),
                _ends(verdict.serial_order) if level in SERIAL else None,
            )
            for level, verdict in judgement.levels.items()
        },
        taken_for_initial=_assumed(taken),
        written_outside=_assumed([(write.key, write.value) for write in written]),
        anomalies=tuple(_anomalies(judgement)),
        anomalous_reads=len(judgement.anomalous_reads),
    )


def _refuse_other_levels(path: Path, only: Sequence[str], names: Collection[str]) -> None:
    for name in only:
        if name not in names:
            raise BadInput(f"{path}: --level {name}: this history is judged at {', '.join(names)}")


def _judge_large(path: Path, only: Sequence[str]) -> HistoryResult:
    """A history in arrays."""
    from checker.recorded.arrays import decide
    from checker.recorded.arrays.history import InvalidHistory
    from isodelta.formats import parquet

    history = parquet.read(path)
    try:
        verdicts = decide.judge(history)
    except InvalidHistory as error:
        raise BadInput(f"{path}: {error}") from error
    orders = {level: _ends_of_log(verdict.serial_order) for level, verdict in verdicts.items()}
    return result_of_log(path, history.named, verdicts, orders, only)


def result_of_log(
    path: Path,
    transactions: int,
    verdicts: Mapping[str, Verdict],
    orders: Mapping[str, OrderEnds | None],
    only: Sequence[str],
) -> HistoryResult:
    """The result for a history whose log is known, so that Serializable is Delta's level.

    ``only`` names the levels that were asked for; raises ``BadInput`` for another one.
    """
    _refuse_other_levels(path, only, verdicts)
    return HistoryResult(
        history=str(path),
        format=LARGE,
        transactions=transactions,
        levels={
            level: LevelResult(
                _without_order(verdict),
                LEVELS[level].title if level in MEANS else None,
                serial_order=orders.get(level),
            )
            for level, verdict in verdicts.items()
            if not only or level in only
        },
    )


def _without_order(verdict: Verdict) -> Verdict:
    """The verdict without an order of a million transactions, of which the ends are kept."""
    return verdict if verdict.serial_order is None else replace(verdict, witness=None)


def _ends(order: Sequence[str] | None) -> OrderEnds | None:
    if order is None:
        return None
    first = min(len(order), SHOWN_OF_ORDER)
    last = max(first, len(order) - SHOWN_OF_ORDER)
    ends = (tuple(order[:first]), tuple(order[last:]))
    return OrderEnds(len(order), *ends, tuple(order) if len(order) <= MOST_WHOLE else None)


def _ends_of_log(order: Sequence[str] | None) -> OrderEnds | None:
    """The same for transactions that are called by their numbers in the log."""
    if order is None:
        return None
    first = min(len(order), SHOWN_OF_ORDER)
    last = max(first, len(order) - SHOWN_OF_ORDER)
    return OrderEnds(len(order), tuple(map(int, order[:first])), tuple(map(int, order[last:])))


def _assumed(values: Collection[tuple[Hashable, Hashable]]) -> Assumed | None:
    if not values:
        return None
    first = tuple((_plain(key), _plain(value)) for key, value in islice(values, MOST_SHOWN))
    return Assumed(len(values), first)


def _plain(value: Hashable) -> Plain:
    """A key or a value as it can stand in JSON."""
    if isinstance(value, int) or (isinstance(value, str) and value.isprintable()):
        return value
    return repr(value)


def _anomalies(judgement: Judgement) -> Iterator[Anomaly]:
    for read in _one_of_each(judgement.anomalous_reads):
        yield Anomaly(read.anomaly, read.transactions, read.because, read.forbidden_from)
    for verdict in judgement.cycles:
        cycle = LevelResult(verdict)
        yield Anomaly(
            verdict.anomaly or "",
            cycle.transactions,
            cycle.because or "",
            phenomenon=verdict.phenomenon,
        )


def _one_of_each(reads: Sequence[AnomalousRead]) -> list[AnomalousRead]:
    """The first anomalous reads, and the first one of each kind."""
    first = {read.anomaly: read for read in reversed(reads)}
    others = (read for read in reads if first[read.anomaly] is not read)
    chosen = [*first.values(), *islice(others, max(0, MOST_SHOWN - len(first)))]
    places = {id(read): place for place, read in enumerate(reads)}
    return sorted(chosen, key=lambda read: places[id(read)])


def _step(step: Step) -> dict[str, object]:
    return {"because": step.because, "edges": [edge.to_json() for edge in step.edges]}


def _case(case: Case) -> dict[str, object]:
    return {
        "if": case.assumption,
        "edges": [edge.to_json() for edge in case.edges],
        "cases": [_case(inner) for inner in case.cases],
    }


def _transcript(transcript: Transcript) -> dict[str, object]:
    operations = [
        [operation.kind, _plain(operation.key), _in_json(operation.value)]
        for operation in transcript.operations
    ]
    return {
        "transaction": transcript.transaction,
        "session": transcript.session,
        "operations": operations,
        "of": transcript.of,
    }


def _in_json(value: Hashable) -> Plain | list[Plain] | None:
    """A value as it can stand in JSON; the initial value is null."""
    if isinstance(value, tuple):
        return [_plain(element) for element in value]
    return None if value is None else _plain(value)


def _given(**values: object) -> dict[str, object]:
    """Those of the values that there are."""
    return {name: value for name, value in values.items() if value is not None}
