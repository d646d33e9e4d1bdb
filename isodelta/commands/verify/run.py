"""The suite from start to end; it keeps its findings however it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from checker.search.statement_kinds import KINDS, StatementKind
from conformance.engine import Engine, EngineError
from isodelta.commands.claims.checks import CLAIMS
from isodelta.commands.verify.claims import run_claims
from isodelta.commands.verify.collection import COLLECTION, STATEMENTS, SUITES, run_collection
from isodelta.commands.verify.conflict_table import run_conflict_table, run_other_kinds
from isodelta.commands.verify.context import Suite
from isodelta.commands.verify.progress import display
from isodelta.commands.verify.random_campaign import run_random_campaign
from isodelta.commands.verify.results import SuiteRun
from isodelta.commands.verify.search import SearchInBackground, report_search
from isodelta.report import Report, SuitePart
from model.profiles.base import Profile

SEARCH_SHARE = 0.5
"""The share of the budget for the exhaustive search, which runs beside the replays."""

STATEMENTS_SHARE = 0.35
"""The share of the remaining time for scenarios of single statements."""

SUITES_SHARE = 0.2
"""Then the share of the rest for the expectations of the engines' own conflict suites."""

KINDS_SHARE = 0.25
"""Then the share of the rest for the pairs of kinds that the documents' table lacks."""

CLAIMS_SHARE = 0.5
"""Then the share of the rest for the claims; random scenarios get what remains."""

SUITE_REPLAYS = 25
"""The number of scenarios of the implementations' own suites to replay; the tests replay all."""

RESERVE_SHARE = 0.05
"""The share reserved for writing the report and stopping the engine."""


@dataclass(frozen=True)
class Order:
    """The parameters of a run of ``isodelta verify``.

    ``transactions`` bounds the exhaustive search, ``random_replays`` the random campaign (None:
    bounded by the budget only). ``kinds`` are in the conflict table in addition to the
    documents' own, ``claims`` in the ledger.
    """

    profile: Profile
    engine: str
    seed: int
    budget: float
    folder: Path
    scenario_files: list[Path]
    statement_files: list[Path]
    command: str
    versions: dict[str, str]
    suite_files: list[Path] = field(default_factory=list)
    transactions: int = 3
    random_replays: int | None = None
    kinds: Sequence[StatementKind] = KINDS
    claims: Sequence[str] = tuple(CLAIMS)


def run_suite(order: Order, start_engine: Callable[[], Engine]) -> SuiteRun:
    """Runs everything within the budget, and writes the report.

    Raises BadScenarios before anything runs, KeyboardInterrupt after the report was written.
    """
    report = Report(
        paragraph="",
        command=order.command,
        profile=order.profile.name,
        engine=order.engine,
        seed=order.seed,
        versions=dict(order.versions),
    )
    report.summary.budget_seconds = order.budget
    with display() as shown:
        suite = Suite(report, order.folder, order.profile, order.seed, order.budget, shown)
        searching = SearchInBackground(suite, order.budget * SEARCH_SHARE, order.transactions)
        error: str | None = None
        try:
            error = _run_parts(suite, order, start_engine, searching)
            report.ended = error is None
        except KeyboardInterrupt:
            suite.stop.set()
            report.incomplete_because = "it was interrupted"
            if results := searching.interrupted():
                report_search(suite, results, time.monotonic())
            raise
        finally:
            searching.abandon()
            if suite.engine is not None:
                suite.engine.close()
            if error is not None:
                report.incomplete_because = error
            report.paragraph = paragraph(order, report, suite.searched)
            suite.write()
    return SuiteRun(report, order.folder / "index.html", error)


def _run_parts(
    suite: Suite,
    order: Order,
    start_engine: Callable[[], Engine],
    searching: SearchInBackground,
) -> str | None:
    """The parts in their order; an engine that fails ends its own parts, not the model's."""
    error = _start(suite, start_engine)
    deadline = suite.deadline(1 - RESERVE_SHARE)
    try:
        run_collection(suite, COLLECTION, order.scenario_files, deadline)
    except EngineError as failure:
        error = _engine_failed(suite, failure)
    results = searching.results()
    try:
        report_search(suite, results, deadline)
    except EngineError as failure:
        error = _engine_failed(suite, failure)
    try:
        run_conflict_table(suite, deadline)
        if order.statement_files:
            ends = _share(STATEMENTS_SHARE, deadline)
            run_collection(suite, STATEMENTS, order.statement_files, ends)
        if order.suite_files:
            ends = _share(SUITES_SHARE, deadline)
            run_collection(suite, SUITES, order.suite_files, ends, SUITE_REPLAYS)
        run_other_kinds(suite, order.kinds, _share(KINDS_SHARE, deadline))
        run_claims(suite, start_engine, order.claims, _share(CLAIMS_SHARE, deadline))
        run_random_campaign(suite, deadline, order.random_replays)
    except EngineError as failure:
        error = _engine_failed(suite, failure)
    suite.report.parts.append(
        SuitePart(
            "the deciders agree on every replay",
            "failed" if suite.disagreements else "passed" if suite.decided else "skipped",
            message="; ".join(suite.disagreements[:5]),
            counts={"verdicts": suite.decided, "disagreements": len(suite.disagreements)},
        )
    )
    return error


def _share(share: float, deadline: float) -> float:
    """The time at which this share of the time up to a deadline is used up."""
    now = time.monotonic()
    return now + max(0.0, deadline - now) * share


def _start(suite: Suite, start_engine: Callable[[], Engine]) -> str | None:
    part = "starting the engine"
    suite.display.part(part, 1)
    started = time.monotonic()
    try:
        suite.engine = start_engine()
    except EngineError as error:
        suite.report.parts.append(SuitePart(part, "error", message=str(error)))
        return str(error)
    suite.report.versions.update(suite.engine.versions())
    suite.display.advance(part)
    seconds = round(time.monotonic() - started, 1)
    suite.report.parts.append(SuitePart(part, "passed", seconds=seconds))
    return None


def _engine_failed(suite: Suite, failure: EngineError) -> str:
    """Stops using an engine that died or hung; the model goes on without it."""
    engine, suite.engine = suite.engine, None
    suite.report.parts.append(SuitePart("real engine", "error", message=str(failure)))
    if engine is not None:
        engine.close()
    return str(failure)


def paragraph(order: Order, report: Report, searched: bool) -> str:
    """The checks so far, in plain English; each count says of what."""
    summary, coverage = report.summary, report.coverage
    reach = "all schedules" if searched else "a part of the schedules"
    replayed = sum(1 for scenario in report.scenarios if scenario.observed)
    return (
        f"Do the conflict rules of {order.profile.name} deliver what Delta Lake's isolation levels "
        "promise, and does the real engine follow those rules? The model was asked about "
        f"{reach} of up to {order.transactions} transactions over an alphabet of SQL statements: "
        f"{coverage.schedules_full:,} schedules, of which {coverage.schedules_run:,} were run; "
        "each of the others has the same outcome as one of these, because it differs only in the "
        f"order of independent steps. On real tables of {order.engine}, {summary.replays:,} "
        "histories were replayed step by step, and each step was compared with the prediction; "
        f"{replayed:,} of the {summary.scenarios:,} scenarios of the collection are among them."
    )
