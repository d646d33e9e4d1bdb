"""The conflict table of the report, replayed on the engine."""

from __future__ import annotations

from checker.statement_kinds import CELL_KINDS
from conformance.matrix import Entry, matrix
from isodelta.matrix_results import matrix_cell
from isodelta.replay_results import replay_result
from isodelta.report import Finding, FindingClass, SuitePart
from isodelta.report_findings import predicted_result
from isodelta.scenario_files import scenario_mapping
from isodelta.suite.context import LEVELS, Suite

PART = "conflict table"


def run_conflict_table(suite: Suite, deadline: float) -> None:
    """Derives the table from documents and model, replays its probes, adds what differs."""
    entries = list(matrix(suite.profile, LEVELS, kinds=CELL_KINDS))
    by_job = {(job.scenario.name, job.level): e for e in entries for job in e.jobs}
    jobs = [job for entry in entries for job in entry.jobs]
    suite.display.part(PART, len(jobs))
    try:
        for replayed in suite.replay(jobs, deadline):
            entry = by_job[replayed.job.scenario.name, replayed.job.level]
            entry.note(replayed)
            if not replayed.comparison.agrees:
                suite.add_difference(replayed.comparison)
            if entry.document == "cannot" and entry.engine == "can":
                observed = replay_result(replayed.comparison, suite.profile.name)
                suite.add(_document_differs(suite, entry, observed))
            suite.display.advance(PART)
    finally:
        suite.report.matrix.extend(map(matrix_cell, entries))
    asked = [entry for entry in entries if entry.replays]
    suite.report.parts.append(
        SuitePart(
            PART,
            "passed",
            counts={
                "ordered pairs": len(entries),
                "replayed": len(asked),
                "engine as the model says": sum(e.engine == e.model for e in asked),
                "pairs tried in the model": sum(e.tried for e in entries),
                "conflict needed by the level": sum(e.needed_by is not None for e in entries),
            },
        )
    )


def _document_differs(suite: Suite, entry: Entry, observed: dict[str, object]) -> Finding:
    assert entry.witness is not None
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
        scenario=scenario_mapping(entry.witness),
        predicted=predicted_result(entry.witness, suite.profile),
        observed=observed,
    )
