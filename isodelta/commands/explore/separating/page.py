"""The report folder of ``explore --separate``: the lattice as a picture, its histories."""

from __future__ import annotations

from pathlib import Path

from checker.separation.snapshots import deciders_that_agree
from isodelta.commands.explore.separating.results import (
    Separating,
    SeparatingHistory,
    verdict_words,
    why_equal,
)
from isodelta.options import Common
from isodelta.report import Finding, FindingClass, Report
from isodelta.report.findings import difference, predicted_result
from isodelta.report.start import finish, new_report, slug
from isodelta.report.views.theory import LatticeCell, LatticeEdge, LatticeHistory, LatticePicture
from model.levels import LEVELS
from model.profiles import NO_RULES

_SIGNS = {"implied": "⇒", "proved for snapshots": "⇒ proved", "equal": "≤"}


def write_separating_report(common: Common, separating: Separating, engine: str | None) -> Path:
    """Writes the report; returns the path of its page. Raises BadInput."""
    assert common.report is not None
    result = separating.result
    report = new_report(
        common,
        "Which isolation levels differ, shown by the smallest history that one holds and the other "
        f"violates. The histories are those of snapshots, over {result.statements} statements that "
        "read items and predicates; no engine's conflict rules were applied. What the rules of "
        f"{separating.profile.name} admit of them stands beside each.",
    )
    report.engine = engine or report.engine
    report.summary.schedules = result.schedules
    report.summary.replays = len(separating.comparisons)
    report.summary.differences = separating.differences
    report.lattice = lattice_picture(separating)
    for history in separating.histories:
        report.findings.append(_finding(history))
    _add_differences(report, separating)
    return finish(report, common.report, result.seconds)


def lattice_picture(separating: Separating) -> LatticePicture:
    """The lattice as the report draws it."""
    found = separating.lattice
    shown = {history.label: _shown(history, separating) for history in separating.histories}

    def edge(held: int, violated: int, above: bool) -> LatticeEdge:
        separation = separating.result.between(*found.most_telling(held, violated))
        return LatticeEdge(held, violated, above, shown[separating.history_of(separation).label])

    both_ways = [(a, b) for pair in found.apart for a, b in (pair, pair[::-1])]
    counts = separating.summary()
    bound = counts["transactions"]
    rest = f", {counts['equal']} are equal up to {bound} transactions" if counts["equal"] else ""
    return LatticePicture(
        groups=found.groups,
        edges=(
            *(edge(low, high, True) for low, high in found.covers),
            *(edge(held, violated, False) for held, violated in both_ways),
        ),
        equal=tuple(
            why_equal(group, separating.result.separations)
            for group in found.groups
            if len(group) > 1
        ),
        table=tuple(
            (held, tuple(_cell(separating, held, violated) for violated in LEVELS))
            for held in LEVELS
        ),
        headline=(
            f"{counts['separated']} of {counts['pairs']} ordered pairs of levels are told apart; "
            f"{counts['implied'] + counts['proved']} are implications{rest}."
        ),
        facts=(
            (f"{counts['separated']}", "pairs separated by a history"),
            (f"{counts['implied']}", "implied by the table of levels"),
            (f"{counts['proved']}", "proved for histories of snapshots"),
            (f"{counts['equal']}", f"equal up to {bound} transactions, unproved"),
            (f"{len(separating.histories)}", "separating histories"),
            (f"{counts['histories']:,}", f"histories of up to {bound} transactions"),
            (f"{counts['seconds']} s", "run time"),
        ),
    )


def _cell(separating: Separating, held: str, violated: str) -> LatticeCell:
    if held == violated:
        return LatticeCell("", "the same level")
    separation = separating.result.between(held, violated)
    words = f"holds {held}, violates {violated}: {verdict_words(separation)}"
    if separation.scenario is not None:
        history = separating.history_of(separation)
        return LatticeCell(history.label, words, f"finding-{_name(history)}")
    bound = str(separation.up_to) if separation.verdict == "equal" else ""
    return LatticeCell(_SIGNS[separation.verdict] + bound, words)


def _shown(history: SeparatingHistory, separating: Separating) -> LatticeHistory:
    confirmed = [deciders_that_agree(pair) for pair in history.pairs]
    every = tuple(name for name in confirmed[0] if all(name in each for each in confirmed))
    admitted = []
    for level, what in separating.admitted(history).items():
        comparison = separating.comparisons.get((history.label, level))
        if comparison is not None:
            what += ", as replayed" if comparison.agrees else ", but not when replayed"
        admitted.append((level, what))
    return LatticeHistory(
        label=history.label,
        finding=_name(history),
        anomaly=history.example.anomaly,
        transactions=tuple(history.scenario.transactions.items()),
        schedule=history.schedule,
        confirmed=every,
        admitted=tuple(admitted),
    )


def _name(history: SeparatingHistory) -> str:
    return slug(history.label)


def _finding(history: SeparatingHistory) -> Finding:
    scenario = history.scenario
    return Finding(
        name=_name(history),
        title=history.title,
        kind=FindingClass.SEPARATION,
        level=history.violates[0],
        summary=f"It tells {len(history.pairs)} ordered pairs of levels apart.",
        scenario=scenario,
        predicted=predicted_result(scenario, NO_RULES),
        profile=NO_RULES.name,
    )


def _add_differences(report: Report, separating: Separating) -> None:
    for (label, level), comparison in separating.comparisons.items():
        if not comparison.agrees:
            name = slug(f"{label} {level} differs")
            report.findings.append(difference(comparison, name, separating.profile))
