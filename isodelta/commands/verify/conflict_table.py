"""The conflict table of the report, replayed on the engine."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence

from checker.search.alphabet import LAYOUTS
from checker.search.statement_kinds import CELL_KINDS, StatementKind
from conformance.matrix.table import Entry, matrix
from conformance.replay.campaign import Job
from conformance.replay.comparison import Comparison
from isodelta.commands.matrix.page import matrix_cell
from isodelta.commands.verify.context import Suite
from isodelta.report import Finding, FindingClass, SuitePart
from isodelta.runs.replaying import compared_with, replay_result
from model.levels import DELTA_LEVELS

_PLACES = len(LAYOUTS) * len(DELTA_LEVELS)
"""The cells that each ordered pair has: one for each layout and level."""

PART = "conflict table"
OTHERS = "conflict table, the other kinds"


def run_conflict_table(suite: Suite, deadline: float) -> None:
    """The documents' own kinds: derives their table, replays its probes, adds the differences."""
    _run(suite, PART, matrix(suite.profile, DELTA_LEVELS, kinds=CELL_KINDS), deadline)


def run_other_kinds(suite: Suite, kinds: Sequence[StatementKind], deadline: float) -> None:
    """Every pair of ``kinds`` that is not in the documents' table, in the same way.

    Pairs beyond the deadline are not in the table.
    """
    documented = {kind.name for kind in CELL_KINDS}
    if any(kind.name not in documented for kind in kinds):
        entries = matrix(suite.profile, DELTA_LEVELS, kinds=kinds)
        before = len(suite.report.matrix)
        _run(suite, OTHERS, _beyond(documented, entries), deadline)
        pairs = (len(kinds) ** 2 - len(documented & {kind.name for kind in kinds}) ** 2) * _PLACES
        reached = len(suite.report.matrix) - before
        suite.leave_out(pairs - reached, pairs, f"cells of the {OTHERS}, not derived")


def _beyond(documented: Collection[str], entries: Iterator[Entry]) -> Iterator[Entry]:
    return (e for e in entries if e.current not in documented or e.winner not in documented)


def _run(suite: Suite, part: str, derived: Iterator[Entry], deadline: float) -> None:
    entries: list[Entry] = []
    by_job: dict[tuple[str, str], Entry] = {}

    def jobs() -> Iterator[Job]:
        # Derived while the engine is busy with earlier pairs.
        for entry in derived:
            entries.append(entry)
            for job in entry.jobs:
                by_job[job.scenario.name, job.level] = entry
                yield job

    suite.display.part(part)
    try:
        for replayed in suite.replay(jobs(), deadline):
            entry = by_job[replayed.job.scenario.name, replayed.job.level]
            entry.note(replayed)
            if not replayed.comparison.agrees:
                suite.add_difference(replayed.comparison)
            if entry.document == "cannot" and entry.engine == "can":
                suite.add(_document_differs(suite, entry, replayed.comparison))
            suite.display.advance(part)
    finally:
        if time.monotonic() < deadline or suite.engine is None or part == PART:
            entries.extend(derived)
        suite.report.matrix.extend(map(matrix_cell, entries))
    with_replays = [entry for entry in entries if entry.replays]
    early = suite.engine is not None and any(e.jobs and not e.replays for e in entries)
    asked = [entry for entry in entries if entry.jobs]
    unasked = sum(not entry.replays for entry in asked)
    suite.leave_out(unasked, len(asked), f"cells of the {part}, not replayed")
    suite.report.parts.append(
        SuitePart(
            part,
            "passed",
            message="the budget ended the replays early" if early else "",
            counts={
                "ordered pairs": len(entries),
                "replayed": len(with_replays),
                "engine as the model says": sum(e.engine == e.model for e in with_replays),
                "pairs tried in the model": sum(e.tried for e in entries),
                "conflict needed by the level": sum(e.needed_by is not None for e in entries),
            },
        )
    )


def _document_differs(suite: Suite, entry: Entry, comparison: Comparison) -> Finding:
    """The finding for a replay that met a conflict which the documents rule out."""
    pair = f"{entry.current} fails because of {entry.winner}"
    return Finding(
        name=suite.unused_name(f"document {pair} {entry.layout} {entry.level}"),
        title=f"{pair} ({entry.layout}), which the documents rule out",
        kind=FindingClass.DOCUMENT_DIFFERS,
        level=entry.level,
        summary=(
            f"The documents ({', '.join(entry.claims)}) say that the two cannot conflict at "
            f"{entry.level}; the engine refused one of them."
        ),
        scenario=comparison.observation.scenario,
        predicted=compared_with(comparison),
        observed=replay_result(comparison, suite.profile.name),
    )
