"""One finding as its section shows it: pictures, reasons, SQL, and both sides in one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from isodelta.report.data import READINGS, Finding, Report, Result, difference_text
from isodelta.report.files.findings import finding_yaml, replay_command
from isodelta.report.files.sql_script import sql_script
from isodelta.report.pictures.graph import Arrow, graph_arrows, graph_svg
from isodelta.report.pictures.schedule import (
    outcome_text,
    schedule_words,
    transaction_result,
    version_label,
)
from isodelta.report.pictures.timeline import timeline_svg
from model.levels import DELTA_LEVELS
from model.outcomes import READ

SEVERITY = (
    "unexplained",
    "engine breaks the level it claims",
    "engine does not do what the statement says",
    "model is wrong",
    "level violation",
    "document says otherwise",
    "false conflict",
    "separates levels",
)
"""The classes in the order in which a reader should look at them."""

NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One line of the table that sets prediction against observation."""

    subject: str
    predicted: str
    observed: str

    @property
    def differs(self) -> bool:
        return NOT_RUN not in (self.predicted, self.observed) and self.predicted != self.observed


@dataclass(frozen=True, slots=True)
class Reason:
    """One edge of the graph in words."""

    source: str
    target: str
    kind: str
    because: str
    in_cycle: bool


@dataclass(frozen=True, slots=True)
class RowTable:
    """Rows as a table: the values that one side ended with, or that a reader returned."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class FindingView:
    """Everything that the template of a finding needs, already worked out."""

    finding: Finding
    verdict: str
    verdict_because: str
    anomaly: str
    readings: tuple[tuple[str, str], ...]
    timeline: Markup
    schedule: tuple[str, ...]
    graph: Markup
    cycle: str
    serial_order: str
    reasons: tuple[Reason, ...]
    side_by_side: tuple[SideBySide, ...]
    differences: tuple[str, ...]
    tables: tuple[RowTable, ...]
    sql: str
    yaml: str
    command: str


def ordered_findings(report: Report) -> list[Finding]:
    """The findings by class, those that need a person first; then broken promises first."""
    return sorted(report.findings, key=lambda f: (SEVERITY.index(f.kind.value), not f.promised))


def finding_views(report: Report) -> tuple[FindingView, ...]:
    """The findings as the page shows them, in their order."""
    return tuple(finding_view(finding, report.engine) for finding in ordered_findings(report))


def finding_view(finding: Finding, engine: str) -> FindingView:
    """Work out one finding; ``engine`` is the one that its command names."""
    judged = finding.judged
    level = _level(judged, finding.level)
    cycle = tuple(str(name) for name in level.get("cycle") or ())
    edges = finding.edges or tuple(level.get("edges") or ())
    arrows = graph_arrows(edges, cycle)
    observed = finding.observed
    return FindingView(
        finding=finding,
        verdict=str(level.get("verdict") or "not judged"),
        verdict_because=str(level.get("why") or level.get("because") or ""),
        anomaly=str(level.get("anomaly") or ""),
        readings=tuple(
            (name, str(level[key])) for key, name in READINGS if level.get(key) is not None
        ),
        timeline=timeline_svg(
            finding.scenario,
            judged,
            finding.predicted if observed else None,
            f"timeline-{finding.name}",
        ),
        schedule=schedule_words(finding.scenario, judged),
        graph=graph_svg(judged, arrows, finding.level, f"graph-{finding.name}")
        if arrows
        else Markup(""),
        cycle=" → ".join(cycle),
        serial_order=" → ".join(str(name) for name in level.get("serial_order") or ()),
        reasons=_reasons(edges, arrows),
        side_by_side=side_by_side(finding.predicted, observed),
        differences=tuple(difference_text(d) for d in (observed or {}).get("differences") or ()),
        tables=_tables(finding),
        sql=sql_script(finding.scenario),
        yaml=finding_yaml(finding, engine),
        command=replay_command(finding, engine),
    )


def side_by_side(predicted: Result | None, observed: Result | None) -> tuple[SideBySide, ...]:
    """Outcomes, versions, verdicts and final rows of both sides, line by line."""
    lines: list[SideBySide] = []
    names = dict.fromkeys(
        str(name)
        for result in (predicted, observed)
        for name in (result or {}).get("transactions") or {}
    )
    for name in names:
        lines.append(SideBySide(name, _transaction(predicted, name), _transaction(observed, name)))
    if any("rows" in (result or {}) for result in (predicted, observed)):
        lines.append(SideBySide("final rows", _final(predicted), _final(observed)))
    for level in DELTA_LEVELS:
        if any(_level(result, level) for result in (predicted, observed)):
            lines.append(SideBySide(level, readings(predicted, level), readings(observed, level)))
    return tuple(lines)


def readings(result: Result | None, level: str) -> str:
    """The verdict at a level in its three readings, in one line."""
    judged = _level(result, level)
    if not judged:
        return NOT_RUN
    told = [str(judged.get("verdict") or "not judged")]
    for key, name in READINGS[1:]:
        if judged.get(key) is not None:
            told.append(f"{name}: {judged[key]}")
    return "; ".join(told)


def row_text(row: object) -> str:
    """One row as SQL would print it: (1, NULL, 'x')."""
    values = row if isinstance(row, list | tuple) else (row,)
    return f"({', '.join(value_text(value) for value in values)})"


def value_text(value: object) -> str:
    """One value as SQL would print it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _level(result: Result | None, level: str) -> Mapping[str, Any]:
    found = ((result or {}).get("levels") or {}).get(level)
    return found if isinstance(found, Mapping) else {}


def _transaction(result: Result | None, name: str) -> str:
    if result is None:
        return NOT_RUN
    transaction = transaction_result(result, name)
    told = outcome_text(transaction)
    if transaction.get("outcome") == READ and transaction.get("rows") is not None:
        told = f"read {_row_list(transaction['rows'])}"
    if transaction.get("read_version") is not None:
        told += f", snapshot {version_label(transaction['read_version'])}"
    return told


def _final(result: Result | None) -> str:
    if result is None or "rows" not in result:
        return NOT_RUN
    return _row_list(result["rows"])


def _row_list(rows: object) -> str:
    if not isinstance(rows, list | tuple):
        return "unknown"
    told = sorted(row_text(row) for row in rows)
    if not told:
        return "no rows"
    more = len(told) - 12
    return ", ".join(told[:12]) + (f" and {more} more" if more > 0 else "")


def _reasons(edges: tuple[Mapping[str, Any], ...], arrows: tuple[Arrow, ...]) -> tuple[Reason, ...]:
    around = {(a.source, a.target) for a in arrows if a.in_cycle}
    reasons = [
        Reason(
            source=str(edge["from"]),
            target=str(edge["to"]),
            kind=str(edge["kind"]),
            because=str(edge.get("because") or ""),
            in_cycle=(str(edge["from"]), str(edge["to"])) in around,
        )
        for edge in edges
    ]
    return tuple(sorted(reasons, key=lambda reason: not reason.in_cycle))


def _tables(finding: Finding) -> tuple[RowTable, ...]:
    columns = tuple(str(c) for c in (finding.scenario.get("table") or {}).get("columns") or ())
    tables = []
    for side, result in (("model", finding.predicted), ("real table", finding.observed)):
        rows = (result or {}).get("rows")
        if isinstance(rows, list | tuple):
            ordered = sorted((tuple(row) for row in rows), key=repr)
            tables.append(RowTable(f"Final rows, {side}", columns, tuple(ordered)))
    return tuple(tables)
