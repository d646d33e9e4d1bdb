"""The rates of jobs, as an author or a table's history gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DAY = 86_400.0
"""Seconds."""

ATTEMPTS = 10
"""The number of attempts of a run, unless its job says otherwise."""

SPREAD = 0.5
"""The standard deviation of durations, as a share of their mean, unless a job says otherwise."""


@dataclass(frozen=True, slots=True)
class JobRate:
    """The rate of one job: ``per_day`` runs, each of which takes ``seconds`` on average.

    ``regular`` runs come at equal intervals from a random start, others at random times (a Poisson
    process). Durations have a log-normal distribution with ``spread`` as the ratio of standard
    deviation to mean. A run that fails is begun again at once, up to ``attempts`` times in all.
    """

    per_day: float
    seconds: float
    regular: bool = False
    spread: float = SPREAD
    attempts: int = ATTEMPTS


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of all jobs, and how often two runs have equal parameters.

    ``same`` has, for a column in lower case, the share of pairs of runs whose parameters for it are
    equal; a column that is not in it counts as equal in all pairs. ``notes`` says where figures
    come from.
    """

    jobs: Mapping[str, JobRate]
    same: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
