"""The section of one finding: pictures, reasons, SQL, and both sides in one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from checker.judging.verdict import Verdict
from checker.judging.witness import Edge
from isodelta.files.values import Plain
from isodelta.report.data import Finding, Report, difference_text, differences_of
from isodelta.report.files.findings import finding_yaml, replay_command
from isodelta.report.files.sql_script import sql_script
from isodelta.report.pictures.graph import Arrow, graph_arrows, graph_nodes, graph_svg
from isodelta.report.pictures.schedule import (
    outcome_text,
    schedule_words,
    transaction_result,
    version_label,
)
from isodelta.report.pictures.timeline import timeline_svg
from isodelta.report.views.readings import depth_of, readings_of
from isodelta.runs.results import PlainRow, RunResult
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
"""The classes in the order in which readers should see them."""

NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One line of the table that compares prediction and observation."""

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
    rows: tuple[PlainRow, ...]


@dataclass(frozen=True, slots=True)
class FindingView:
    """The data for the template of a finding."""

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
    """The findings by class, those that need a person first; then broken promises first.

    Of those, the ones that break most readings of their level come first.
    """

    def rank(finding: Finding) -> tuple[int, bool, int]:
        severity = SEVERITY.index(finding.kind.value)
        return severity, not finding.promised, -depth_of(finding.judged, finding.level)

    return sorted(report.findings, key=rank)


def finding_views(report: Report) -> tuple[FindingView, ...]:
    """The findings as the page shows them, in their order."""
    return tuple(finding_view(finding, report.engine) for finding in ordered_findings(report))


def finding_view(finding: Finding, engine: str) -> FindingView:
    """The data of one finding; ``engine`` is the one in its command."""
    judged, level = finding.judged, _level(finding.judged, finding.level)
    edges = () if level is None else level.cycle
    cycle = tuple(edge.source for edge in edges)
    cycle += cycle[:1]
    arrows = graph_arrows(((edge.source, edge.target, edge.kind) for edge in edges), cycle)
    return FindingView(
        finding=finding,
        verdict="not judged" if level is None else level.verdict,
        verdict_because="" if level is None else level.why or "",
        anomaly="" if level is None else level.anomaly or "",
        readings=tuple(readings_of(judged, finding.level).items()),
        timeline=timeline_svg(
            finding.scenario,
            judged,
            finding.predicted if finding.observed else None,
            f"timeline-{finding.name}",
        ),
        schedule=schedule_words(finding.scenario, judged),
        graph=graph_svg(graph_nodes(judged), arrows, finding.level, f"graph-{finding.name}")
        if arrows
        else Markup(""),
        cycle=" → ".join(cycle),
        serial_order="" if level is None else " → ".join(level.serial_order or ()),
        reasons=_reasons(edges, arrows),
        side_by_side=side_by_side(finding.predicted, finding.observed),
        differences=tuple(map(difference_text, differences_of(finding.observed))),
        tables=_tables(finding),
        sql=sql_script(finding.scenario),
        yaml=finding_yaml(finding, engine),
        command=replay_command(finding, engine),
    )


def side_by_side(predicted: RunResult | None, observed: RunResult | None) -> tuple[SideBySide, ...]:
    """Outcomes, versions, verdicts and final rows of both sides, line by line."""
    results = [result for result in (predicted, observed) if result is not None]
    names = dict.fromkeys(name for result in results for name in result.transactions)
    lines = [
        SideBySide(name, _transaction(predicted, name), _transaction(observed, name))
        for name in names
    ]
    if results:
        lines.append(SideBySide("final rows", _final(predicted), _final(observed)))
    for level in DELTA_LEVELS:
        if any(level in result.levels for result in results):
            lines.append(SideBySide(level, readings(predicted, level), readings(observed, level)))
    return tuple(lines)


def readings(result: RunResult | None, level: str) -> str:
    """The verdict at a level in its three readings, in one line."""
    decided = readings_of(result, level)
    if not decided:
        return NOT_RUN
    (_, verdict), *weaker = decided.items()
    return "; ".join([verdict, *(f"{name}: {verdict}" for name, verdict in weaker)])


def row_text(row: PlainRow) -> str:
    """One row as SQL would print it: (1, NULL, 'x')."""
    return f"({', '.join(map(value_text, row))})"


def value_text(value: Plain) -> str:
    """One value as SQL would print it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _level(result: RunResult | None, level: str) -> Verdict | None:
    return None if result is None else result.levels.get(level)


def _transaction(result: RunResult | None, name: str) -> str:
    ended = transaction_result(result, name)
    if ended is None:
        return NOT_RUN
    end = outcome_text(ended)
    if ended.outcome == READ and ended.rows is not None:
        end = f"read {_row_list(ended.rows)}"
    return f"{end}, snapshot {version_label(ended.read_version)}"


def _final(result: RunResult | None) -> str:
    return NOT_RUN if result is None else _row_list(result.rows)


def _row_list(rows: Iterable[PlainRow]) -> str:
    texts = sorted(map(row_text, rows))
    if not texts:
        return "no rows"
    more = len(texts) - 12
    return ", ".join(texts[:12]) + (f" and {more} more" if more > 0 else "")


def _reasons(edges: Iterable[Edge], arrows: Iterable[Arrow]) -> tuple[Reason, ...]:
    around = {(a.source, a.target) for a in arrows if a.in_cycle}
    reasons = [
        Reason(
            source=edge.source,
            target=edge.target,
            kind=edge.kind,
            because=edge.because,
            in_cycle=(edge.source, edge.target) in around,
        )
        for edge in edges
    ]
    return tuple(sorted(reasons, key=lambda reason: not reason.in_cycle))


def _tables(finding: Finding) -> tuple[RowTable, ...]:
    columns = tuple(finding.scenario.table.columns)
    return tuple(
        RowTable(f"Final rows, {side}", columns, tuple(sorted(result.rows, key=repr)))
        for side, result in (("model", finding.predicted), ("real table", finding.observed))
        if result is not None
    )
