"""The search for the smallest history of jobs without a serial order, and for aborts.

Where the theorem holds, a violation of three transactions has a single schedule, that of the
missed append; one of four adds another transaction at any place. Otherwise every schedule of
up to three transactions is tried (``checker.search.exhaustive``).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product

from checker.robustness.histories import SERIAL, Found, Play, Stage, shortest
from checker.robustness.jobs.widening import EXACT
from checker.robustness.jobs.workload import Instance, Jobs
from checker.robustness.readings import Patience, Readings, of_cycle
from checker.search.exhaustive import READERS, WRITERS, Search
from checker.search.minimal import Path
from checker.search.schedules import ScheduleClass
from model.history import History
from model.levels import SERIALIZABLE
from model.outcomes import COMMITTED, READ
from model.workload import initial_rows

Instances = Mapping[str, Sequence[Instance]]

MISSED: Play = (("begin", 0), ("begin", 1), ("commit", 1), ("commit", 0))
"""The first runs while the second begins and commits."""

TRIPLE: Play = (
    ("begin", 0),
    ("begin", 1),
    ("commit", 1),
    ("begin", 2),
    ("commit", 2),
    ("commit", 0),
)
"""T runs while B and then X begin and commit."""

AFTER_ANOTHER: Play = (("begin", 2), ("commit", 2), *MISSED)
ANOTHER_BETWEEN: Play = (
    ("begin", 0),
    ("begin", 2),
    ("commit", 2),
    ("begin", 1),
    ("commit", 1),
    ("commit", 0),
)
"""The same with a third one before both, or while the first runs and before the second."""

MOST_OF_THREE = 60_000
MOST_OF_THREE_ELSEWHERE = 10_000
MOST_AFTER_ANOTHER = 8_000
MOST_WEAK = 12
MOST_BESIDE_ANOTHER = 600
MOST_WITH_ANOTHER = 6_000
MOST_FOR_ANOTHER_EXCEPTION = 1_000
MOST_FOR_ABORTS = 120_000
MOST_FOR_ABORTS_OF_FILES = 5_000
MOST_TO_EXHAUST = 14
LEAST_OF_A_PAIR = 24
"""Limits of the searches: histories, and instances for the exhaustive one."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The extent of a search. ``whole`` says that nothing within its bound was left out."""

    histories: int
    transactions: int
    whole: bool


def after_missed_append(
    stage: Stage,
    instances: Instances,
    triples: Iterable[tuple[str, str, str]],
    patience: Patience | None = None,
    most: int | None = None,
) -> tuple[Found | None, Tried]:
    """A violation in the schedule of the missed append, by the jobs that can cause it.

    It is the shortest of those that break the most readings, as far as ``patience`` goes; None if
    none is stronger than the witnesses that ``patience`` has seen before.
    """
    patience = patience or Patience()
    best: Found | None = None
    groups = [
        group for t, b, x in triples for group in product(instances[t], instances[b], instances[x])
    ]
    most = MOST_OF_THREE if most is None else most
    whole = len(groups) <= most
    for group in islice(shortest(groups), most):
        if patience.over:
            break
        best = _stronger(stage, group, TRIPLE, patience) or best
    return best, Tried(stage.runs, 3, whole and not patience.cut_short)


def _stronger(
    stage: Stage, group: Sequence[Instance], play: Play, patience: Patience, level: str = SERIAL
) -> Found | None:
    """A group in a schedule, if it breaks more readings than all before."""
    patience.tried()
    readings = stage.readings(stage.play(group, play), level)
    if readings is None:
        return None
    if play is TRIPLE:
        patience.weak.append(tuple(group))
    if not patience.better(readings):
        return None
    what = without_order(readings) if level == SERIAL else "do not follow the log"
    return stage.found(_title(group, what), group, play, readings)


def without_order(readings: Readings) -> str:
    """The predicate of a sentence about transactions that break these readings."""
    return "have no serial order" if readings.view == "violated" else "depend on each other"


def with_one_more(
    stage: Stage,
    instances: Instances,
    triples: Iterable[tuple[str, str, str]],
    patience: Patience | None = None,
) -> tuple[Found | None, Tried]:
    """Like ``after_missed_append``, with one more instance: before all others, then anywhere."""
    patience = patience or Patience()
    best: Found | None = None
    groups, whole = _groups_of_four(instances, list(triples))
    for place, play in enumerate(_plays()):
        most = MOST_AFTER_ANOTHER if place == 0 else MOST_BESIDE_ANOTHER
        whole = whole and len(groups) <= most
        for group in groups[:most]:
            if patience.over:
                break
            best = _stronger(stage, group, play, patience) or best
    return best, Tried(stage.runs, 4, whole and not patience.cut_short)


def beside_weak(stage: Stage, instances: Instances, patience: Patience) -> tuple[Found | None, int]:
    """A stronger history: a weak one of three with one more instance, at any place.

    The second result is the number of histories tried.
    """
    best: Found | None = None
    before = stage.runs
    all_instances = [instance for candidates in instances.values() for instance in candidates]
    for play in _plays():
        for group in patience.weak[:MOST_WEAK]:
            for other in all_instances:
                if patience.over:
                    return best, stage.runs - before
                best = _stronger(stage, (*group, other), play, patience) or best
    return best, stage.runs - before


def _groups_of_four(
    instances: Instances, triples: list[tuple[str, str, str]]
) -> tuple[list[tuple[Instance, ...]], bool]:
    """Groups with as many instances of each job as the limit allows, and whether those are all."""
    most = max(len(candidates) for candidates in instances.values())
    for few in range(most, 0, -1):
        tried = {job: candidates[:few] for job, candidates in instances.items()}
        anything = [instance for candidates in tried.values() for instance in candidates]
        size = sum(len(tried[t]) * len(tried[b]) * len(tried[x]) for t, b, x in triples)
        if few == 1 or size * len(anything) <= MOST_AFTER_ANOTHER:
            break
    groups = [
        group for t, b, x in triples for group in product(tried[t], tried[b], tried[x], anything)
    ]
    return list(shortest(groups)), few == most


def _plays() -> Iterator[Play]:
    """The schedule of the missed append with a fourth transaction at every place."""
    for start in range(len(TRIPLE)):
        for end in range(start, len(TRIPLE)):
            play = [*TRIPLE]
            play.insert(end, ("commit", 3))
            play.insert(start, ("begin", 3))
            yield tuple(play)


def out_of_log_order(
    stage: Stage, instances: Instances, pairs: Iterable[tuple[str, str]]
) -> Found | None:
    """A history in which the order of the log is not a serial order.

    It is the shortest of those that break the most readings.
    """
    patience, best = Patience(), None
    groups = [group for t, b in pairs for group in product(instances[t], instances[b])]
    for group in shortest(groups):
        if patience.over:
            break
        best = _stronger(stage, group, MISSED, patience, "Serializable") or best
    return best


@dataclass(frozen=True, slots=True)
class Abort:
    """An instance of the job ``current`` that fails because of an instance of ``winner``."""

    current: str
    winner: str
    conflict: str
    found: Found


def aborts(
    stage: Stage,
    instances: Instances,
    others: Sequence[Stage] = (),
    *,
    pairs_only: bool = False,
    without: Container[tuple[str, str]] = (),
) -> tuple[Abort, ...]:
    """The conflicts by which jobs make each other fail, each one with its shortest witness.

    An instance of the one job runs while one of the other does; the same is tried with an instance
    of any job before, which may leave rows that cause another exception, or the only one.
    ``others`` are stages with other rows in the table: a witness on one of them counts as well.
    ``pairs_only`` leaves out the runs before, ``without`` names pairs of jobs (the one that fails,
    and the winner) that are not looked at.
    """
    witnesses: dict[tuple[str, str, str], Abort] = {}
    exact = stage.jobs.widening is EXACT
    most_of_all = MOST_FOR_ABORTS if exact else MOST_FOR_ABORTS_OF_FILES
    share = max(LEAST_OF_A_PAIR, most_of_all // max(1, len(instances)) ** 2)
    writing = [job for job, some in instances.items() if not _reads_only(stage.jobs, some)]
    for current, winner in product(writing, writing):
        if (current, winner) in without:
            continue
        groups = list(islice(shortest(product(instances[current], instances[winner])), share))
        _note(stage, witnesses, current, winner, groups, MISSED)
        seen_to_fail = any(key[:2] == (current, winner) for key in witnesses)
        few = [instance for candidates in instances.values() for instance in candidates[:3]]
        longer = list(product(instances[current][:6], instances[winner][:6], few))
        most = min(share, MOST_FOR_ANOTHER_EXCEPTION if seen_to_fail else MOST_WITH_ANOTHER)
        for play in () if pairs_only else (AFTER_ANOTHER, ANOTHER_BETWEEN):
            _note(stage, witnesses, current, winner, islice(shortest(longer), most), play)
        for other in others:
            _note(other, witnesses, current, winner, groups, MISSED)
    return tuple(witnesses.values())


def _reads_only(jobs: Jobs, instances: Sequence[Instance]) -> bool:
    return jobs.statement(instances[0].sql).reads_only


def _note(
    stage: Stage,
    witnesses: dict[tuple[str, str, str], Abort],
    current: str,
    winner: str,
    groups: Iterable[tuple[Instance, ...]],
    play: Play,
) -> None:
    for group in groups:
        ended = stage.play(group, play)[0]
        if ended.conflict is None or ended.conflict.winner != "B":
            continue
        key = (current, winner, ended.outcome)
        if key not in witnesses:
            title = _title(group[:2], f"end in {ended.outcome}")
            witnesses[key] = Abort(*key, stage.found(title, group, play))


class _InstanceSearch(Search):
    """The exhaustive search over instances of jobs."""

    def __init__(self, jobs: Jobs, instances: Sequence[Instance]) -> None:
        self.layout = "the workload"
        self.profile = jobs.profile
        self.alphabet = ()
        self.workload = jobs.prepared(instances)
        self.statements = tuple(self.workload.statements.values())
        self.initial = initial_rows(self.workload)


def exhaustive(
    stage: Stage, instances: Instances, transactions: int = 3
) -> tuple[Found | None, Tried]:
    """The smallest violation among all schedules of a few instances of each job.

    Among those of the same size, it is the one that breaks the most readings.
    """
    jobs = stage.jobs
    few = max(2, MOST_TO_EXHAUST // max(1, len(instances)))
    by_sql = {
        instance.sql: instance for candidates in instances.values() for instance in candidates[:few]
    }
    chosen = tuple(by_sql.values())
    whole = sum(len(candidates) for candidates in instances.values()) == len(chosen)
    search = _InstanceSearch(jobs, chosen)
    best: list[tuple[tuple[int, int, int, int], tuple[Instance, ...], Play, Readings]] = []

    def look(path: Path, history: History, violated: Mapping[str, str]) -> None:
        if not violated:
            return
        group = tuple(chosen[i] for i in path.statements)
        play = _play(path)
        entries = len(play) - sum(one[1] == other[1] for one, other in pairwise(play))
        readings = of_cycle(history, SERIAL)
        length = sum(len(instance.sql) for instance in group)
        size = (len(group), -readings.broken, entries, length)
        if not best or size < best[0][0]:
            best[:] = [(size, group, play, readings)]

    seen = 0
    for size in range(2, transactions + 1):
        result = search.run(jobs.level, size, judged=(SERIAL,), observer=look)
        seen = result.histories
        if best:
            _, group, play, readings = best[0]
            title = _title(group, without_order(readings))
            return stage.found(title, group, play, readings), Tried(seen, size, whole)
    return None, Tried(seen, transactions, whole)


def _play(path: Path) -> Play:
    writers = WRITERS[: len(path.writers)]
    readers = READERS[: len(path.readers)]
    numbers = {name: place for place, name in enumerate((*writers, *readers))}
    schedule = ScheduleClass(writers, path.begins, readers, path.reader_begins).representative
    return tuple((step.action, numbers[step.transaction]) for step in schedule)


def _title(group: Sequence[Instance], what: str) -> str:
    names = [instance.job for instance in group]
    return f"{', '.join(names[:-1])} and {names[-1]} {what}"


def closest(stage: Stage, instances: Instances, most: int = 6) -> tuple[Found, ...]:
    """Histories of three instances in the schedule of the missed append, each of a different kind.

    Histories are of the same kind if their jobs, their outcomes, and whether the log's order fits
    are the same. Those in which most transactions commit although the order does not fit come
    first. A replay should try these histories if no history without a serial order is known.
    """
    jobs = [job for job, candidates in instances.items() if not _reads_only(stage.jobs, candidates)]
    by_kind: dict[tuple[object, ...], tuple[int, tuple[Instance, ...]]] = {}
    for t, b, x in product(jobs, jobs, instances):
        groups = shortest(product(instances[t][:4], instances[b][:4], instances[x][:4]))
        for group in groups:
            ended = stage.play(group, TRIPLE)
            outcomes = tuple(end.outcome for _, end in sorted(ended.items()))
            late = stage.violates(ended, SERIALIZABLE)
            key = (t, b, x, outcomes, late)
            if key not in by_kind:
                good = sum(outcome in (COMMITTED, READ) for outcome in outcomes)
                by_kind[key] = (-good - 2 * late, group)
    ranked = sorted(by_kind.values(), key=lambda one: one[0])
    return tuple(stage.found(_title(g, "side by side"), g, TRIPLE) for _, g in ranked[:most])
