"""The answer to a design review on whether a table's isolation level is enough for its jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from checker.judging.verdict import judge
from checker.robustness import search, solved
from checker.robustness.costs import priced
from checker.robustness.histories import SERIAL, Found, Stage
from checker.robustness.jobs.domain import instances
from checker.robustness.jobs.widening import EXACT
from checker.robustness.jobs.workload import Jobs
from checker.robustness.other_rows import with_other_rows
from checker.robustness.readings import ALL_HOLD, ALL_OPEN, Patience, Readings
from checker.robustness.remedies import Remedy, analysed, remedies
from checker.robustness.resting import rests_on, uncertain
from checker.robustness.retries import Retry, retries
from checker.robustness.roles import Shape, shape
from checker.robustness.search import Abort, Instances, Tried
from checker.robustness.symbolic.access import Job
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.listing import cut
from model.preparation import run_scenario

REPAIRED = "delta-spark-4.4-repaired"
PROVED = ("delta-spark-4.4", REPAIRED)
"""Profiles whose rules the theorems are about."""

VerdictName = Literal["robust", "not robust", "unknown"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question about the jobs: the answer, its reason, and the history that shows it, if any.

    ``readings`` says which readings are proved to hold, or which ones the history breaks.
    ``weaker`` describes the unsuccessful search for a history that breaks more readings.
    """

    verdict: VerdictName
    because: str
    found: Found | None = None
    weaker: str | None = None

    @property
    def readings(self) -> Readings:
        """The three readings of this answer."""
        if self.found is not None and self.found.readings is not None:
            return self.found.readings
        return ALL_HOLD if self.verdict == "robust" else ALL_OPEN


@dataclass(frozen=True, slots=True)
class Answer:
    """The complete answer for a workload.

    ``serial`` asks for a serial order of all jobs, ``writers`` for one of those that write,
    ``log_order`` whether the order of the log always is one. ``instances`` are those that the
    searches tried for each job.
    """

    jobs: Jobs
    serial: Question
    writers: Question
    log_order: Question
    remedies: tuple[Remedy, ...]
    aborts: tuple[Abort, ...]
    retries: tuple[Retry, ...]
    instances: Instances
    seconds: float

    def __repr__(self) -> str:
        return f"<Answer {self.jobs.name}: {self.serial.verdict}; {cut(self.serial.because, 400)}>"


def robustness(jobs: Jobs, progress: Callable[[str], None] = lambda text: None) -> Answer:
    """Whether every admitted history of the jobs has a serial order.

    ``progress`` is called with a short text at every stage. Raises InvalidScenario with the place
    of a job whose SQL is wrong.
    """
    started = time.monotonic()
    tried = instances(jobs)
    prepared = analysed(jobs)
    stage = Stage(jobs)
    progress("asking the theorem")
    all_jobs = list(prepared.values())
    serial = serial_order(jobs, all_jobs, stage, tried, progress)
    writers = [job for job in all_jobs if job.run().writer]
    writing = serial
    if len(writers) < len(all_jobs) and serial.verdict != "robust":
        progress("asking about the writers alone")
        of_writers = {job.name: tried[job.name] for job in writers if job.name in tried}
        writing = serial_order(jobs, writers, Stage(jobs), of_writers, progress)
    progress("looking at the order of the log")
    log_order = _log_order(jobs, all_jobs, stage, tried)
    cures: tuple[Remedy, ...] = ()
    if serial.verdict != "robust" and _proved(jobs):
        progress("trying remedies")
        cures = remedies(jobs, prepared)
    progress("looking for aborts")
    elsewhere = tuple(Stage(other, in_order=False) for other in with_other_rows(jobs))
    failing = search.aborts(Stage(jobs, in_order=False), tried, elsewhere)
    if cures:
        progress("pricing remedies")
        cures = priced(jobs, cures, failing)
    again = retries(jobs, tried, (Stage(jobs, in_order=False), *elsewhere))
    seconds = time.monotonic() - started
    return Answer(jobs, serial, writing, log_order, cures, failing, again, tried, seconds)


def _proved(jobs: Jobs) -> bool:
    return jobs.profile.name in PROVED


def serial_order(
    jobs: Jobs,
    considered: Sequence[Job],
    stage: Stage,
    tried: Instances,
    progress: Callable[[str], None] = lambda text: None,
) -> Question:
    """Whether every history of the jobs ``considered`` has a serial order.

    ``tried`` are the instances that a search uses.
    """
    outside = _outside(jobs, considered)
    if outside is not None:
        progress("trying every schedule")
        witness, looked = search.exhaustive(stage, tried)
        if witness is not None and (open_ := _open(jobs, witness)) is not None:
            return open_
        if witness is not None:
            return _not_robust(jobs, witness, looked, 3)
        return Question("unknown", f"{outside}. {_nothing(looked)}")
    if jobs.level == SERIALIZABLE:
        return Question(
            "robust",
            "The table is at Serializable: its rules make the order of the log, with every "
            "reader at its snapshot, a serial order (theorem Serializable).",
        )
    parts = shape(considered)
    if parts.impossible:
        return Question("robust", robust_because(parts))
    if jobs.profile.name == REPAIRED and not any(job.run().reader for job in considered):
        return Question(
            "robust", "The repaired rules admit no cycle of writers (theorem of the repair)."
        )
    progress("looking for the smallest history")
    enough = 2 if _writers_robust(considered) else 3
    sure = {name: candidates for name, candidates in tried.items() if not uncertain(jobs, name)}
    searched = ((sure, _playable(parts, sure)), (tried, _playable(parts, tried)))
    witness, looked = None, Tried(0, 3, False)
    for candidates, playable in searched if len(sure) < len(tried) else searched[1:]:
        if playable.triples and witness is None:
            witness, looked = _strongest(jobs, stage, candidates, playable, _patience(jobs, enough))
    if witness is None:
        progress("solving for a history")
        witness, looked = _suggested(jobs, considered, parts, _patience(jobs, enough), looked)
    if witness is not None:
        return _open(jobs, witness) or _not_robust(jobs, witness, looked, enough)
    return Question("unknown", f"{_may(jobs, parts)} {_nothing(looked)}{_rough(jobs, parts)}")


def _patience(jobs: Jobs, enough: int) -> Patience:
    """Jobs read from files come with many tables, each of which gets a share of the time."""
    return Patience(enough, None if jobs.widening is EXACT else HISTORIES_FOR_MORE_OF_FILES)


def _playable(parts: Shape, tried: Instances) -> Shape:
    """The parts that a search can play: those of jobs that have instances."""
    triples = [triple for triple in parts.triples if all(name in tried for name in triple)]
    return replace(parts, triples=tuple(triples))


def _may(jobs: Jobs, parts: Shape) -> str:
    t, b, x = parts.triples[0]
    return f"No theorem rules a cycle out: {t} may miss an append of {b} on which {x} depends."


def _rough(jobs: Jobs, parts: Shape) -> str:
    """The opaque parts of the jobs that may be on a cycle, as the parts to make precise."""
    names = {name for triple in parts.triples for name in triple}
    names |= {name for back in parts.backs for name in back}
    rough = [part for part in jobs.widening.parts.values() if part.job in names]
    if not rough:
        return ""
    named = "; ".join(dict.fromkeys(f"{part.part} ({part.job})" for part in rough[:MOST_NAMED]))
    return f" Known in outline only: {named}. Write constants or parameters in their place."


HISTORIES_FOR_MORE_OF_FILES = 100
"""The number of further histories tried for a stronger witness if jobs were read from files."""

SUGGESTIONS = 60
"""The most suggestions of the solver that are tried."""

MOST_NAMED = 3
"""The most opaque parts that an answer names."""


def _open(jobs: Jobs, witness: Found) -> Question | None:
    """The answer for a history that rests on opaque parts; None if it does not."""
    resting = rests_on(jobs, witness)
    if not resting:
        return None
    named = "; ".join(
        f"{part.part} of {part.job}" + ("" if part.role == "condition" else f" being {value!r}")
        for part, value in list(resting.items())[:MOST_NAMED]
    )
    return Question(
        "unknown",
        f"It depends on {named}: the history below has no serial order if it comes to that. "
        "Write a parameter or a constant in its place to find out more.",
        witness,
    )


def _writers_robust(considered: Sequence[Job]) -> bool:
    """Whether the writers alone always have a serial order, so that their rows have one."""
    writers = [job for job in considered if job.run().writer]
    return len(writers) < len(considered) and shape(writers, considered).impossible


def _strongest(
    jobs: Jobs, stage: Stage, tried: Instances, parts: Shape, patience: Patience
) -> tuple[Found | None, Tried]:
    """The smallest history that breaks the most readings, and the extent of the search.

    It tries three transactions on the table of the set-up, then on tables with other rows, and
    then four transactions.
    """
    best, looked = search.after_missed_append(stage, tried, parts.triples, patience)
    elsewhere, size = 0, 3
    if not patience.over:
        for other in with_other_rows(jobs):
            most = search.MOST_OF_THREE_ELSEWHERE
            again, more = search.after_missed_append(
                Stage(other), tried, parts.triples, patience, most
            )
            best = again or best
            elsewhere += more.histories
    if patience.weak and not patience.over:
        again, runs = search.beside_weak(stage, tried, patience)
        best = again or best
        elsewhere, size = elsewhere + runs, 4
    if not patience.over:
        again, looked = search.with_one_more(stage, tried, parts.triples, patience)
        best = again or best
    whole = looked.whole and not patience.cut_short
    return best, Tried(looked.histories + elsewhere, max(size, looked.transactions), whole)


def _suggested(
    jobs: Jobs, considered: Sequence[Job], parts: Shape, patience: Patience, looked: Tried
) -> tuple[Found | None, Tried]:
    """The strongest of the histories that z3 suggests, and the extent of all searches."""
    best, more = None, 0
    backs = set(parts.backs)
    triples = [(t, b, x) for t, b, x in parts.triples if (x, t) in backs]
    for other, chosen, triple in islice(solved.suggestions(jobs, considered, triples), SUGGESTIONS):
        if patience.over:
            break
        again, tried = search.after_missed_append(Stage(other), chosen, [triple], patience)
        best, more = again or best, more + tried.histories
    return best, replace(looked, histories=looked.histories + more)


def _not_robust(jobs: Jobs, witness: Found, looked: Tried, enough: int) -> Question:
    because, weaker = _broken(jobs, witness), None
    readings = witness.readings
    if readings is not None and readings.broken < enough:
        weaker = (
            f"No stronger history among {looked.histories:,} of up to {looked.transactions} "
            f"transactions: {_part(looked)}."
        )
    return Question("not robust", because, witness, weaker)


def _outside(jobs: Jobs, considered: Sequence[Job]) -> str | None:
    """The reason why the theorems do not cover the jobs; None if they do."""
    if not _proved(jobs):
        return f"The theorems are about {', '.join(PROVED)}, not about {jobs.profile.name}"
    for job in considered:
        if job.outside is not None:
            return f"The theorems do not cover {job.name}: {job.outside}"
    if jobs.level not in (SERIALIZABLE, WRITE_SERIALIZABLE):
        return f"There is no theorem about the level {jobs.level}"
    return None


def robust_because(parts: Shape) -> str:
    """The part of every cycle that none of the jobs can play, in words."""
    if not parts.appends:
        return "Every cycle contains a blind append, and no job is one."
    appends = _listed(parts.appends)
    if not parts.missed:
        return (
            "In every cycle some writer misses a blind append that it would have read; no job "
            f"that writes reads rows that {appends} can append."
        )
    missing = _listed(sorted({t for t, _ in parts.missed}))
    missed = f"Only {missing} can miss a blind append (of {appends})"
    if not parts.triples:
        return (
            f"{missed}, and in every cycle some other job has read that append and is through "
            f"before the one that missed it commits. No job can: each reads none of it, or adds "
            "rows where the other has read, which makes the other fail."
        )
    return (
        f"{missed}, and there is no way back: in every cycle some job that is not a blind append "
        "changes what another job read that began and ended while it ran, and no job can do that."
    )


def _broken(jobs: Jobs, witness: Found) -> str:
    verdict = judge(run_scenario(witness.scenario, jobs.profile).history, (SERIAL,))[SERIAL]
    return "; ".join(
        f"{edge.source} comes before {edge.target}: {edge.because}" for edge in verdict.cycle
    )


def _nothing(looked: Tried) -> str:
    return (
        f"No history without a serial order among {looked.histories:,} of up to "
        f"{looked.transactions} transactions: {_part(looked)}."
    )


def _part(looked: Tried) -> str:
    return f"{'all' if looked.whole else 'a part'} of those with the values tried"


def _log_order(jobs: Jobs, considered: Sequence[Job], stage: Stage, tried: Instances) -> Question:
    if _outside(jobs, considered) is not None:
        pairs = [(one, other) for one in tried for other in tried]
        witness = search.out_of_log_order(stage, tried, pairs)
        if witness is not None:
            return Question("not robust", _log_words(witness), witness)
        return Question("unknown", "The theorems do not cover it; no pair of instances shows it.")
    if jobs.level == SERIALIZABLE:
        return Question("robust", "The table is at Serializable (theorem Serializable).")
    parts = shape(considered)
    if not parts.missed:
        return Question("robust", "No job can miss a blind append that it would have read.")
    pairs = [pair for pair in parts.missed if all(name in tried for name in pair)]
    witness = search.out_of_log_order(stage, tried, pairs)
    if witness is not None:
        return Question("not robust", _log_words(witness), witness)
    t, b = parts.missed[0]
    return Question("unknown", f"{t} may miss an append of {b}; no pair of instances shows it.")


def _log_words(witness: Found) -> str:
    names = list(witness.scenario.transactions)
    return f"{names[0]} commits after {names[1]} without having read what it wrote."


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
