"""The report's wide tables: the scenario collection, the conflict table and the pairs reached."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from isodelta.files.scenario_writer import mapping_yaml, scenario_yaml
from isodelta.report.data import (
    Bound,
    ClaimEvidence,
    ClaimLine,
    Coverage,
    MatrixCell,
    Report,
    ScenarioResult,
)
from isodelta.report.pictures.schedule import outcome_text, transaction_result
from isodelta.report.views.readings import readings_of
from model.levels import DELTA_LEVELS


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """One line of the scenario table.

    ``verdict`` is the one at the level in force, ``other`` says in words what is not the same in
    the weaker readings and in the model.
    """

    scenario: ScenarioResult
    verdict: str
    other: str
    outcomes: tuple[str, ...]
    agreement: str


@dataclass(frozen=True, slots=True)
class MatrixTable:
    """The conflict table of one level: a line for each pair, cells by layout."""

    level: str
    layouts: tuple[str, ...]
    lines: tuple[tuple[str, str, tuple[MatrixCell | None, ...]], ...]
    differing: tuple[tuple[MatrixCell, str], ...]


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """One line of the ledger, its evidence with the scenarios as text."""

    line: ClaimLine
    evidence: tuple[tuple[ClaimEvidence, str], ...]


@dataclass(frozen=True, slots=True)
class DocumentClaims:
    """The claims whose first source is one document, with their number by status."""

    title: str
    rows: tuple[ClaimRow, ...]
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class BoundLine:
    """One line of the table of bounds: one search, with its result in words for each level."""

    bound: Bound
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairGrid:
    """The number of times that each ordered pair was reached, a line for each current statement."""

    winners: tuple[str, ...]
    lines: tuple[tuple[str, tuple[int | None, ...]], ...]
    reached: int
    possible: int


def scenario_rows(report: Report) -> tuple[ScenarioRow, ...]:
    """The scenario collection, with the observed verdicts, or else the predicted ones.

    Those that are not as expected come first, then those that violate the level in force.
    """
    rows = [_scenario_row(scenario) for scenario in report.scenarios]
    return tuple(
        sorted(
            rows,
            key=lambda row: (
                not (row.scenario.failures or row.scenario.error),
                row.verdict == "holds",
            ),
        )
    )


def claim_rows(report: Report) -> tuple[ClaimRow, ...]:
    """The ledger of claims, in its order."""
    return tuple(
        ClaimRow(
            line,
            tuple((e, mapping_yaml(e.scenario) if e.scenario else "") for e in line.evidence),
        )
        for line in report.claims
    )


def claims_by_document(report: Report) -> tuple[DocumentClaims, ...]:
    """The ledger by document, in the order in which claims cite them."""
    by_title: dict[str, list[ClaimRow]] = {}
    for row in claim_rows(report):
        letter = row.line.sources[0] if row.line.sources else ""
        title = report.claim_sources.get(letter)
        by_title.setdefault(f"{letter}: {title}" if title else letter or "No document", []).append(
            row
        )
    return tuple(
        DocumentClaims(
            title, tuple(rows), tuple(Counter(row.line.status for row in rows).most_common())
        )
        for title, rows in sorted(by_title.items())
    )


def matrix_tables(report: Report) -> tuple[MatrixTable, ...]:
    """The conflict table, one table for each level that was examined."""
    tables = []
    found_levels = dict.fromkeys(cell.level for cell in report.matrix)
    for level in sorted(found_levels, key=lambda name: (name not in DELTA_LEVELS, name)):
        cells = [cell for cell in report.matrix if cell.level == level]
        layouts = tuple(dict.fromkeys(cell.layout for cell in cells))
        by_place = {(c.current, c.winner, c.layout): c for c in cells}
        pairs = dict.fromkeys((cell.current, cell.winner) for cell in cells)
        lines = tuple(
            (current, winner, tuple(by_place.get((current, winner, x)) for x in layouts))
            for current, winner in pairs
        )
        differing = tuple(
            (cell, scenario_yaml(cell.witness) if cell.witness else "")
            for cell in cells
            if cell.differs
        )
        tables.append(MatrixTable(level, layouts, lines, differing))
    return tuple(tables)


def bound_table(report: Report) -> tuple[tuple[str, ...], tuple[BoundLine, ...]]:
    """The bounds, a line for each search: the levels, and the lines with a result for each.

    A result has the minimal violations in every reading that was decided, strong to weak.
    """
    levels = tuple(dict.fromkeys(bound.level for bound in report.bounds))
    searches: dict[Bound, dict[str, list[int]]] = {}
    for bound in report.bounds:
        search = replace(bound, level="", reading="", violations=0)
        searches.setdefault(search, {}).setdefault(bound.level, []).append(bound.violations)
    lines = tuple(
        BoundLine(search, tuple(_violations(results.get(level, [])) for level in levels))
        for search, results in searches.items()
    )
    return levels, lines


def _violations(readings: list[int]) -> str:
    if not readings:
        return "—"
    return " / ".join(f"{number:,}" for number in readings) if any(readings) else "none"


def pair_grid(coverage: Coverage) -> PairGrid:
    """The ordered pairs as a grid; places of impossible pairs are None."""
    currents = dict.fromkeys(current for current, _ in coverage.pairs)
    winners = tuple(dict.fromkeys(winner for _, winner in coverage.pairs))
    return PairGrid(
        winners=winners,
        lines=tuple(
            (current, tuple(coverage.pairs.get((current, winner)) for winner in winners))
            for current in currents
        ),
        reached=sum(n > 0 for n in coverage.pairs.values()),
        possible=len(coverage.pairs),
    )


def _scenario_row(scenario: ScenarioResult) -> ScenarioRow:
    judged = scenario.observed or scenario.predicted
    outcomes = []
    for name in () if judged is None else judged.transactions:
        shown = outcome_text(transaction_result(judged, name))
        foreseen = outcome_text(transaction_result(scenario.predicted, name))
        apart = scenario.observed and scenario.predicted and shown != foreseen
        outcomes.append(f"{name}: {shown}" + (f" (model: {foreseen})" if apart else ""))
    return ScenarioRow(
        scenario=scenario,
        verdict="error" if scenario.error else _verdict(scenario),
        other=_other(scenario),
        outcomes=tuple(outcomes),
        agreement=_agreement(scenario),
    )


def _verdict(scenario: ScenarioResult) -> str:
    shown = readings_of(scenario.observed or scenario.predicted, scenario.level)
    return next(iter(shown.values()), "not judged")


def _other(scenario: ScenarioResult) -> str:
    """The weaker readings where they say something else, and the model where it differs."""
    shown = readings_of(scenario.observed or scenario.predicted, scenario.level)
    foreseen = readings_of(scenario.predicted, scenario.level) if scenario.observed else shown
    words = [
        f"{name}: {verdict}" for name, verdict in shown.items() if verdict != _verdict(scenario)
    ]
    words += [
        f"model, {name}: {verdict}"
        for name, verdict in foreseen.items()
        if shown.get(name) != verdict
    ]
    return "; ".join(words)


def _agreement(scenario: ScenarioResult) -> str:
    if scenario.error:
        return "error"
    if scenario.observed is None:
        return "model only"
    if scenario.observed.compared is None:
        return "engine only"
    return "agree" if scenario.observed.compared.agrees else "differ"
