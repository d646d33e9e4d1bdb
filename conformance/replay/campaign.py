"""Many scenarios on a real engine, several in flight at once, each compared with the model."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice

from conformance.engine import BadStatement, Engine, EngineError
from conformance.replay.comparison import Comparison, compare, compare_parts
from conformance.replay.observation import Observation, observe, observe_parts
from model.errors import InvalidScenario, NotPredicted
from model.preparation import check_known, prepare
from model.profiles.base import Profile
from model.scenario import Scenario
from model.several import prepare_parts


@dataclass(frozen=True, slots=True)
class Job:
    """One scenario to replay at one isolation level of its table.

    ``profiles`` has the rules of the transactions that run on a different engine.
    """

    scenario: Scenario
    level: str
    profiles: Mapping[str, Profile] = field(default_factory=dict, hash=False)


class Unpredicted(Exception):
    """A replay that the model does not predict: ``error`` names the part, the rest is observed."""

    def __init__(self, observation: Observation, error: NotPredicted) -> None:
        super().__init__(str(error))
        self.observation = observation
        self.error = error


@dataclass(frozen=True, slots=True)
class Replayed:
    """A finished job: the comparison, and the duration of the replay in seconds."""

    job: Job
    comparison: Comparison
    seconds: float


def replay(engine: Engine, job: Job, profile: Profile) -> Replayed:
    """Replays one job and compares it.

    Raises EngineError and InvalidScenario, and Unpredicted if there is nothing to compare with.
    """
    started = time.monotonic()
    workload = prepare(job.scenario, profile, job.level, opaque=True)
    observation = observe(engine, job.scenario, job.level)
    try:
        comparison = compare(workload, profile, observation, job.profiles)
        # Computed here, in the worker, and cached by the comparison.
        _ = comparison.differences, comparison.verdicts
    except NotPredicted as error:
        raise Unpredicted(observation, error) from error
    return Replayed(job, comparison, time.monotonic() - started)


def replay_parts(
    engine: Engine, scenario: Scenario, profile: Profile
) -> tuple[dict[str, Comparison], float]:
    """Replays a scenario that writes several tables: a comparison for each, and the seconds.

    Raises EngineError, and InvalidScenario.
    """
    started = time.monotonic()
    workloads = prepare_parts(scenario, profile, opaque=True)
    levels = {table: workload.level for table, workload in workloads.items()}
    observations = observe_parts(engine, scenario, levels)
    comparisons = compare_parts(workloads, scenario.schedule, profile, observations)
    for comparison in comparisons.values():
        _ = comparison.differences, comparison.verdicts
    return comparisons, time.monotonic() - started


def run_campaign(
    engine: Engine,
    jobs: Iterable[Job],
    profile: Profile,
    *,
    workers: int = 3,
    deadline: float | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Replayed]:
    """Replays jobs until there are none left, or ``deadline`` (time.monotonic()) has passed.

    Yields results as they arrive; the jobs taken are always a prefix of ``jobs``, so a seed
    reproduces a run up to where it stopped. Raises the first EngineError, after the replays
    under way have ended; scenarios with statements that the engine does not have are left out.
    ``stop`` ends it early in the same way.
    """

    def over() -> bool:
        return (stop is not None and stop.is_set()) or (
            deadline is not None and time.monotonic() >= deadline
        )

    source = iter(jobs)
    with ThreadPoolExecutor(workers, thread_name_prefix="replay") as pool:
        under_way: set[Future[Replayed]] = set()
        failed: EngineError | None = None
        while True:
            if failed is None and not over():
                for job in islice(source, workers - len(under_way)):
                    under_way.add(pool.submit(replay, engine, job, profile))
            if not under_way:
                break
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    yield future.result()
                except (BadStatement, Unpredicted):
                    continue  # The engine cannot set its tables up: nothing to compare.
                except EngineError as error:
                    failed = failed or error
        if failed is not None:
            raise failed


def valid(scenarios: Iterable[Scenario], profile: Profile) -> Iterator[Scenario]:
    """The scenarios that the model accepts; a generator's rare misfit is left out."""
    for scenario in scenarios:
        try:
            check_known(prepare(scenario, profile), scenario.schedule, profile)
        except InvalidScenario:
            continue
        yield scenario
