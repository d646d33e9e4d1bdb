"""The exhaustive search: in a process of its own, beside the replays; then its findings."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from types import FrameType

from checker.search.alphabet import LAYOUTS, UNNOTED_READS, statements
from checker.search.exhaustive import Search
from checker.search.interrupted import Interrupted
from checker.search.search_result import SearchResult
from conformance.replay.campaign import Job
from isodelta.commands.verify.context import Suite
from isodelta.report import Bound, SuitePart
from isodelta.report.findings import violation
from isodelta.runs.judging import finding_result
from isodelta.runs.replaying import replay_result
from model.levels import DELTA_LEVELS
from model.profiles import Profile

PART = "exhaustive search"


class SearchInBackground:
    """The searches for every layout and level, one after the other, on the other core."""

    def __init__(self, suite: Suite, seconds: float, transactions: int) -> None:
        self.suite = suite
        self.tasks = [
            (layout, level, extended, min(transactions, 2) if extended else transactions)
            for extended in (True, False)
            for layout in LAYOUTS
            for level in DELTA_LEVELS
        ]
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(1, context)
        # Wall-clock time: the other process does not share this one's monotonic clock.
        until = time.time() + seconds
        self._futures = [
            self._pool.submit(search, suite.profile, until, *task) for task in self.tasks
        ]
        self.taken = False
        suite.display.part(PART, len(self.tasks))
        for future in self._futures:
            future.add_done_callback(self._done)

    def _done(self, future: Future[SearchResult]) -> None:
        if not future.cancelled():
            self.suite.display.advance(PART)

    def results(self) -> list[SearchResult]:
        """Waits for the searches."""
        results = [future.result() for future in self._futures]
        self.taken = True
        return results

    def interrupted(self) -> list[SearchResult]:
        """Ends the searches; gives what they came to, the one under way among them."""
        if self.taken:
            return []
        under_way = [future for future in self._futures if not future.cancel()]
        for process in list((self._pool._processes or {}).values()):
            if process.pid is not None:
                # A terminal has sent it already, a supervisor to this process alone.
                os.kill(process.pid, signal.SIGINT)
        done, _ = wait(under_way, _LAST_WORDS)
        return [future.result() for future in self._futures if future in done and _ended(future)]

    def abandon(self) -> None:
        """Ends the process at once; results that it has not sent are lost."""
        for process in list((self._pool._processes or {}).values()):
            process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


def search(
    profile: Profile, until: float, layout: str, level: str, extended: bool, transactions: int
) -> SearchResult:
    """One search until a deadline (time.time()); runs in the other process.

    ``extended`` adds the statements whose reads the engine does not record.
    """
    signal.signal(signal.SIGINT, _once)
    seconds = max(until - time.time(), 1.0)
    alphabet = (*statements(layout), *(UNNOTED_READS if extended else ()))
    searching = Search(layout, profile, alphabet)
    try:
        return searching.run(level, transactions, budget=seconds)
    except Interrupted as early:
        result: SearchResult = early.result
        return result


def _once(number: int, frame: FrameType | None) -> None:
    """Ctrl-C, which may come twice: by the terminal and from the process that waits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _ended(future: Future[SearchResult]) -> bool:
    return not future.cancelled() and future.exception() is None


_LAST_WORDS = 10.0
"""Seconds for a search that was interrupted to sum up."""


def report_search(suite: Suite, results: Sequence[SearchResult], deadline: float) -> None:
    """Adds bounds and coverage to the report, and replays every finding on the engine."""
    report, coverage = suite.report, suite.report.coverage
    for result in results:
        report.summary.schedules += result.schedules
        coverage.schedules_full += result.schedules
        coverage.schedules_run += result.runs
        report.bounds.extend(_bounds(result))
        _add_coverage(suite, result)
    # The extended alphabet repeats the findings of the plain one; each is reported once.
    named = {
        (finding.scenario.name, finding.level, finding.table_level): finding
        for result in results
        for finding in result.findings
    }
    findings = list(named.values())
    report.summary.violations = sum(finding.kind == "level-violation" for finding in findings)
    replays = {}
    part = "findings of the search, replayed"
    suite.display.part(part, len(findings))
    jobs = [Job(finding.scenario, finding.table_level) for finding in findings]
    try:
        for replayed in suite.replay(jobs, deadline):
            replays[replayed.job.scenario.name, replayed.job.level] = replayed.comparison
            if not replayed.comparison.agrees:
                suite.add_difference(replayed.comparison)
            suite.display.advance(part)
    finally:
        for finding in findings:
            comparison = replays.get((finding.scenario.name, finding.table_level))
            name = suite.unused_name(finding.scenario.name)
            predicted = finding_result(finding, suite.profile)
            observed = replay_result(comparison, suite.profile.name) if comparison else None
            suite.add(violation(finding, name, predicted, observed))
    suite.searched = all(result.complete for result in results)
    stopped = sum(not result.complete for result in results)
    suite.leave_out(stopped, len(results), "exhaustive searches, each stopped before its end")
    suite.leave_out(len(findings) - len(replays), len(findings), "replays of the search's findings")
    report.parts.append(
        SuitePart(
            PART,
            "passed",
            message="" if suite.searched else "stopped by its share of the budget",
            counts={
                "schedules": sum(result.schedules for result in results),
                "run after reduction": sum(result.runs for result in results),
                "histories": sum(result.histories for result in results),
                "minimal findings": len(findings),
            },
            seconds=round(sum(result.seconds for result in results), 1),
        )
    )


def _bounds(result: SearchResult) -> list[Bound]:
    extended = result.statements > len(statements(result.layout))
    return [
        Bound(
            level=bound.level,
            transactions=bound.finished,
            statements=result.statements,
            schedules=result.schedules,
            violations=sum(bound.minimal.values()),
            complete=True,
            scope=f"{result.layout}, with subqueries in SET" if extended else result.layout,
            reading=bound.reading,
            in_force=result.level,
        )
        for bound in result.bounds
    ]


def _add_coverage(suite: Suite, result: SearchResult) -> None:
    coverage = suite.report.coverage
    _merge(coverage.conflicts, Counter({k[0]: 0 for k in result.coverage.conflicts}))
    for (conflict, _, _), count in result.coverage.conflicts.items():
        coverage.conflicts[conflict] += count
    for pair, count in result.coverage.pairs.items():
        coverage.pairs[pair] = coverage.pairs.get(pair, 0) + count
    for (level, anomaly), count in result.coverage.anomalies.items():
        _merge(coverage.anomalies, Counter({f"{anomaly} at {level}": count}))
    edges = coverage.other.setdefault("dependencies in the model", {})
    _merge(edges, result.coverage.edge_kinds)
    outcomes = coverage.other.setdefault("outcomes in the model", {})
    _merge(outcomes, result.coverage.outcomes)


def _merge(into: dict[str, int], counts: Counter[str]) -> None:
    for name, count in counts.items():
        into[name] = into.get(name, 0) + count
