"""The simulation of days of runs: begins, durations, commits, conflicts and further attempts."""

from __future__ import annotations

import heapq
import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from statistics import fmean, stdev

from checker.robustness.rates.given import DAY, JobRate, Rates

MOST_RUNS = 60_000
MOST_DAYS, FEWEST_DAYS = 365, 20
"""A simulation has so many days that it stays within the number of runs, but never fewer."""

Chances = Mapping[tuple[str, str], float]
"""The probability that a run fails because of one that commits before it, by their jobs."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean per day, and the bounds of its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        """The figure as ``--json`` has it."""
        return {key: round(getattr(self, key), 4) for key in ("mean", "low", "high")}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Figures per day: attempts that end in a conflict, attempts after one, runs given up.

    ``aborts_of`` has the aborts of each job.
    """

    aborts: Figure
    retries: Figure
    given_up: Figure
    aborts_of: Mapping[str, Figure]
    days: int


def days_for(rates: Rates) -> int:
    """The number of days that are simulated."""
    runs = sum(rate.per_day for rate in rates.jobs.values())
    return int(max(FEWEST_DAYS, min(MOST_DAYS, MOST_RUNS / max(runs, 1e-9))))


def simulated(rates: Rates, chances: Chances, seed: int) -> Outcome:
    """Simulates the jobs. The same seed gives the same figures.

    A run begins with a snapshot, lasts its duration, and fails if it conflicts with any run that
    committed in between: with each independently, by the probability that ``chances`` gives.
    """
    days = days_for(rates)
    draw = Random(seed)
    aborts, retries, given_up = ([0] * days for _ in range(3))
    of_jobs = {name: [0] * days for name in rates.jobs}
    commits: deque[tuple[float, str]] = deque()
    longest = max((_duration_limit(rate) for rate in rates.jobs.values()), default=0.0)
    ends: list[tuple[float, int, float, str, int]] = []
    number = 0
    for begin, name in heapq.merge(*_begins(rates, days, draw)):
        number += 1
        heapq.heappush(ends, (begin + _duration(rates.jobs[name], draw), number, begin, name, 1))
    while ends:
        end, _, begin, name, attempt = heapq.heappop(ends)
        day = int(end // DAY)
        while commits and commits[0][0] < end - longest:
            commits.popleft()
        if _lost(begin, name, commits, chances, draw):
            if day < days:
                aborts[day] += 1
                of_jobs[name][day] += 1
            again = attempt < rates.jobs[name].attempts
            if day < days:
                (retries if again else given_up)[day] += 1
            if again:
                number += 1
                later = end + _duration(rates.jobs[name], draw)
                heapq.heappush(ends, (later, number, end, name, attempt + 1))
        else:
            commits.append((end, name))
    return Outcome(
        figure(aborts),
        figure(retries),
        figure(given_up),
        {name: figure(counts) for name, counts in of_jobs.items()},
        days,
    )


def _lost(
    begin: float,
    name: str,
    commits: deque[tuple[float, str]],
    chances: Chances,
    draw: Random,
) -> bool:
    """Whether a run conflicts with one that committed after its begin."""
    met: Counter[str] = Counter()
    for time, other in reversed(commits):
        if time <= begin:
            break
        met[other] += 1
    survives = 1.0
    for other, count in met.items():
        survives *= (1.0 - chances.get((name, other), 0.0)) ** count
    return survives < 1.0 and draw.random() >= survives


def _begins(rates: Rates, days: int, draw: Random) -> Iterator[list[tuple[float, str]]]:
    for name, rate in rates.jobs.items():
        if rate.per_day <= 0:
            continue
        gap = DAY / rate.per_day
        times = []
        time = draw.random() * gap if rate.regular else draw.expovariate(1 / gap)
        while time < days * DAY:
            times.append((time, name))
            time += gap if rate.regular else draw.expovariate(1 / gap)
        yield times


def _duration(rate: JobRate, draw: Random) -> float:
    if rate.seconds <= 0 or rate.spread <= 0:
        return max(rate.seconds, 0.0)
    sigma = math.sqrt(math.log1p(rate.spread**2))
    return min(
        _duration_limit(rate),
        draw.lognormvariate(math.log(rate.seconds) - sigma**2 / 2, sigma),
    )


def _duration_limit(rate: JobRate) -> float:
    """No duration is longer than this: commits before it are of no interest any more."""
    return max(rate.seconds, 0.0) * (1 + 20 * max(rate.spread, 0.0))


def figure(counts: list[int]) -> Figure:
    """The mean of counts per day, with its 95 % confidence interval.

    By the normal approximation; for counts that are all 0, the rule of three.
    """
    mean = fmean(counts)
    if not any(counts):
        return Figure(0.0, 0.0, 3 / len(counts))
    half = 1.96 * stdev(counts) / math.sqrt(len(counts)) if len(counts) > 1 else mean
    return Figure(mean, max(0.0, mean - half), mean + half)
