"""Imprecise knowledge of jobs: opaque parts of their SQL, and statements known in outline.

For an opaque part the analysis overestimates the rows that a job may read and change, and
underestimates those that it certainly does. So "robust" stays right, and only precision is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

OPAQUE = "opaque_"
"""Parameters with this prefix stand for opaque values: a new one each time they are evaluated."""

Role = Literal["value", "condition", "relation", "statement"]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A part of a job that the model cannot evaluate, as it is written.

    ``anything`` says that every value is possible, whatever the tables hold, as for a clock or a
    file: a history with any one value is then a history of the job.
    """

    job: str
    part: str
    because: str
    role: Role
    anything: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """The most that a statement may do, where nothing else is known of it.

    ``reads`` any rows of the table, ``removes`` any and ``adds`` any. ``blind`` says that it may
    count as a blind append.
    """

    kind: str
    reads: bool = False
    removes: bool = False
    adds: bool = False
    blind: bool = False
    writes: bool = True


@dataclass(frozen=True, slots=True)
class Widening:
    """The parts of a workload's jobs that are known only roughly.

    ``parts`` are the opaque parts by the parameter that stands for each, or by a name of their
    own; ``outlines`` the jobs of which only an outline is known. ``sources_change`` says that
    other tables may hold other rows in each run, ``guessed`` that the types of columns were
    inferred. ``before`` gives the jobs that have run before one, in the same run of one file, and
    ``later`` the tables with the rows that other tables have at another time.
    """

    parts: Mapping[str, Opaque] = field(default_factory=dict)
    outlines: Mapping[str, Outline] = field(default_factory=dict)
    sources_change: bool = False
    guessed: bool = False
    before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    later: Mapping[str, str] = field(default_factory=dict)


EXACT = Widening()
"""Jobs that are known completely."""
