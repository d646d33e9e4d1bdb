"""Trees in several processes, each with an engine of its own.

delta-rs does part of its work under Python's lock, and one Spark session is all that a process can
have: a second core needs a second process. A job, all schedules of one scenario, stays in one.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing.util import Finalize

from conformance.engine import BadStatement
from conformance.trees.forest import Forest, Schedule, Seen
from conformance.trees.runs import TreeEngine
from model.scenario import Scenario

_forest: Forest | None = None
_workers = 1


@dataclass(frozen=True, slots=True)
class TreeJob:
    """Schedules of one scenario's transactions, at one level of its table."""

    scenario: Scenario
    level: str
    schedules: tuple[Schedule, ...]


def observe_over_cores(
    start: Callable[[], TreeEngine],
    jobs: Iterable[TreeJob],
    *,
    processes: int = 2,
    workers: int = 1,
) -> Iterator[tuple[TreeJob, tuple[Seen, ...]]]:
    """Every job with what was seen of its schedules, in the order given.

    ``start`` makes an engine, in each process: a class or function of a module. ``workers`` are the
    transactions that each engine runs at once. Jobs are taken as they are needed. A job
    whose set-up the engine refuses is seen refused. Raises EngineError.
    """
    spawned = multiprocessing.get_context("spawn")  # Forked threads of an engine would be missing.
    source = iter(jobs)
    with ProcessPoolExecutor(processes, spawned, _start, (start, workers)) as pool:
        under_way: deque[tuple[TreeJob, Future[tuple[Seen, ...]]]] = deque()
        try:
            while True:
                for job in islice(source, 2 * processes - len(under_way)):
                    under_way.append((job, pool.submit(_observe, job)))
                if not under_way:
                    break
                job, future = under_way.popleft()
                yield job, future.result()
        finally:
            for _, future in under_way:
                future.cancel()


def _start(start: Callable[[], TreeEngine], workers: int) -> None:
    global _forest, _workers
    engine = start()
    _forest, _workers = Forest(engine), workers
    Finalize(None, engine.close, exitpriority=1)


def _observe(job: TreeJob) -> tuple[Seen, ...]:
    assert _forest is not None
    try:
        return tuple(_forest.observe(job.scenario, job.level, job.schedules, workers=_workers))
    except BadStatement as refused:
        return tuple(Seen(schedule, None, None, refused) for schedule in job.schedules)
