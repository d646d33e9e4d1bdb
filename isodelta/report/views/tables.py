"""The report's wide tables: the scenario collection, the conflict table and the pairs reached."""

from __future__ import annotations

from dataclasses import dataclass, replace

from checker.search.finding import READINGS
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
class Reading:
    """One reading of one level: the verdict, and the model's if it differs.

    The name ``all`` means the three readings together, if they agree.
    """

    name: str
    verdict: str
    predicted: str | None


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """One line of the scenario table."""

    scenario: ScenarioResult
    outcomes: tuple[str, ...]
    readings: tuple[tuple[str, tuple[Reading, ...]], ...]
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
class BoundLine:
    """One line of the table of bounds: one search, with its result for each reading."""

    bound: Bound
    violations: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class PairGrid:
    """The number of times that each ordered pair was reached, a line for each current statement."""

    winners: tuple[str, ...]
    lines: tuple[tuple[str, tuple[int | None, ...]], ...]
    reached: int
    possible: int


def scenario_rows(report: Report) -> tuple[ScenarioRow, ...]:
    """The scenario collection, with the observed verdicts, or else the predicted ones."""
    return tuple(_scenario_row(scenario) for scenario in report.scenarios)


def claim_rows(report: Report) -> tuple[ClaimRow, ...]:
    """The ledger of claims, in its order."""
    return tuple(
        ClaimRow(
            line,
            tuple((e, mapping_yaml(e.scenario) if e.scenario else "") for e in line.evidence),
        )
        for line in report.claims
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
    """The bounds with their readings side by side: the readings, and a line for each search."""
    readings = tuple(dict.fromkeys(bound.reading for bound in report.bounds))
    searches: dict[Bound, dict[str, int]] = {}
    for bound in report.bounds:
        search = replace(bound, reading="", violations=0)
        searches.setdefault(search, {})[bound.reading] = bound.violations
    lines = tuple(
        BoundLine(search, tuple(violations.get(reading) for reading in readings))
        for search, violations in searches.items()
    )
    return readings, lines


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
        outcomes=tuple(outcomes),
        readings=tuple((level, _readings(scenario, level)) for level in DELTA_LEVELS),
        agreement=_agreement(scenario),
    )


def _readings(scenario: ScenarioResult, level: str) -> tuple[Reading, ...]:
    shown = readings_of(scenario.observed or scenario.predicted, level)
    foreseen = readings_of(scenario.predicted, level) if scenario.observed else {}
    readings = []
    for name, verdict in shown.items():
        predicted = foreseen.get(name)
        readings.append(Reading(name, verdict, predicted if predicted != verdict else None))
    if len(readings) == len(READINGS) and len({(r.verdict, r.predicted) for r in readings}) == 1:
        return (Reading("all", readings[0].verdict, readings[0].predicted),)
    return tuple(readings)


def _agreement(scenario: ScenarioResult) -> str:
    if scenario.error:
        return "error"
    if scenario.observed is None:
        return "model only"
    if scenario.observed.compared is None:
        return "engine only"
    return "agree" if scenario.observed.compared.agrees else "differ"
