"""Making a scenario smaller while a real engine still shows the same symptom.

The steps are those of the shrinker of the model (``checker.search.shrinking``). Here each step
costs a replay, so several candidates are replayed at once, a scenario is never replayed twice, and
after a step that succeeded the search goes on from the same kind of step instead of from the
first. A violation that the model predicts as well is made small in the model first. Only what the
engine has shown counts: the model refuses scenarios that are not valid, and decides nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

from checker.search.shrinking import minimise, simpler
from conformance.engine import BadStatement, Engine, EngineError
from conformance.minimising.causes import Cause, cause_of
from conformance.minimising.columns import without_a_column
from conformance.minimising.symptoms import Breaks, Symptom
from conformance.replay import campaign
from conformance.replay.campaign import Job, Replayed, Unpredicted
from conformance.replay.comparison import Comparison
from model.errors import InvalidScenario, NotPredicted
from model.history import History
from model.preparation import prepare
from model.profiles.base import Profile
from model.scenario import Scenario
from model.simulator import run

WORKERS = 3
"""Candidates replayed at once: two keep two cores busy, one more fills their idle times."""


@dataclass(frozen=True, slots=True)
class Minimised:
    """The smallest scenario that an engine was seen to show a symptom with.

    ``finished`` is True if no step makes it smaller; otherwise ``stopped`` says why the search
    ended. ``replays`` counts those that were made, ``seconds`` the time that it took.
    """

    job: Job
    comparison: Comparison
    symptom: Symptom
    replays: int
    seconds: float
    stopped: str | None = None

    @property
    def finished(self) -> bool:
        """True if every scenario that is one step simpler was tried, and lost the symptom."""
        return self.stopped is None

    @property
    def cause(self) -> Cause:
        """What tells the finding from others."""
        return cause_of(self.comparison, self.symptom)


def minimise_on_engine(
    engine: Engine,
    replayed: Replayed,
    profile: Profile,
    symptom: Symptom,
    *,
    seconds: float = 60.0,
    workers: int = WORKERS,
) -> Minimised:
    """The smallest scenario, going step by step, with which the engine shows the symptom.

    ``replayed`` is a replay that shows it; otherwise ValueError. ``seconds`` bounds the time:
    no candidate is started later, and the smallest scenario so far is returned. An engine that
    fails on the way ends the search in the same way, with the reason in ``stopped``; see
    ``engine.usable()``. With equal arguments, and time enough, the result is the same for every
    number of workers.
    """
    if not symptom.shown_by(replayed.comparison):
        raise ValueError(f"{replayed.job.scenario.name}: there is nothing to keep")
    return _Minimising(engine, replayed.job, replayed.comparison, profile, symptom).run(
        seconds, workers
    )


class _Minimising:
    def __init__(
        self,
        engine: Engine,
        job: Job,
        comparison: Comparison,
        profile: Profile,
        symptom: Symptom,
    ):
        self._engine = engine
        self._job = job
        self._comparison = comparison
        self._profile = profile
        self._symptom = symptom
        self._replays = 0
        self._tried: set[str] = {_contents(job.scenario)}

    def run(self, seconds: float, workers: int) -> Minimised:
        started = time.monotonic()
        stopped = None
        try:
            with ThreadPoolExecutor(workers, thread_name_prefix="minimise") as pool:
                self._in_the_model(started + seconds)
                if not self._shrink(pool, workers, started + seconds):
                    stopped = f"the time of {seconds:g} s was used up"
        except EngineError as error:
            stopped = str(error)
        return Minimised(
            self._job,
            self._comparison,
            self._symptom,
            self._replays,
            time.monotonic() - started,
            stopped,
        )

    def _shrink(self, pool: ThreadPoolExecutor, workers: int, deadline: float) -> bool:
        """Goes on until no step makes it smaller; False if the time ran out before."""
        place = 0
        while True:
            steps = self._steps(place)
            success = None
            while success is None and (batch := list(islice(steps, workers))):
                if time.monotonic() >= deadline:
                    return False
                self._replays += len(batch)
                shown = list(pool.map(self._shown, (job for _, job in batch)))
                success = next((n for n, seen in enumerate(shown) if seen is not None), None)
                self._tried.update(_contents(job.scenario) for _, job in batch[:success])
            if success is not None:
                place, self._job = batch[success]
                self._comparison = shown[success] or self._comparison
            elif place == 0:
                return True
            else:
                place = 0  # The steps before the last success were not tried on what it left.

    def _in_the_model(self, deadline: float) -> None:
        """Lets the model find a small scenario first, where it predicts the symptom itself.

        The engine then confirms it, or it is forgotten.
        """
        symptom = self._symptom
        if not isinstance(symptom, Breaks):
            return

        def still(scenario: Scenario) -> bool:
            if time.monotonic() >= deadline:
                return False
            predicted = self._prediction(scenario)
            return predicted is not None and symptom.violated_in(predicted)

        try:
            small = minimise(self._job.scenario, still)
        except ValueError:
            return  # The model does not predict it.
        job = self._with(small)
        if small != self._job.scenario and time.monotonic() < deadline:
            self._replays += 1
            comparison = self._shown(job)
            if comparison is not None:
                self._job, self._comparison = job, comparison

    def _prediction(self, scenario: Scenario) -> History | None:
        job = self._with(scenario)
        try:
            workload = prepare(scenario, self._profile, job.level)
            return run(workload, scenario.schedule, self._profile, job.profiles).history
        except (InvalidScenario, NotPredicted):
            return None

    def _with(self, scenario: Scenario) -> Job:
        kept = {k: v for k, v in self._job.profiles.items() if k in scenario.transactions}
        return replace(self._job, scenario=scenario, profiles=kept)

    def _steps(self, start: int) -> Iterator[tuple[int, Job]]:
        """The candidates that are valid and new, by their place among all steps."""
        for place, scenario in enumerate(_simpler(self._job.scenario)):
            if place < start or _contents(scenario) in self._tried:
                continue
            if self._valid(scenario):
                yield place, self._with(scenario)

    def _valid(self, scenario: Scenario) -> bool:
        try:
            prepare(scenario, self._profile, self._job.level, opaque=True)
        except InvalidScenario:
            return False
        return True

    def _shown(self, job: Job) -> Comparison | None:
        """What the engine did, if it shows the symptom."""
        try:
            comparison = campaign.replay(self._engine, job, self._profile).comparison
        except (BadStatement, InvalidScenario, Unpredicted):
            return None
        return comparison if self._symptom.shown_by(comparison) else None


def _simpler(scenario: Scenario) -> Iterator[Scenario]:
    """Scenarios that are one step simpler; a column goes from all statements at once."""
    yield from without_a_column(scenario)
    yield from simpler(scenario)


def _contents(scenario: Scenario) -> str:
    """All that a replay depends on."""
    return repr((scenario.table, scenario.transactions, scenario.schedule, scenario.tables))
