"""index.html: one self-contained file that needs no network."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from isodelta.report.data import FindingClass, JobsAnswer, Report
from isodelta.report.pictures.lattice import lattice_svg
from isodelta.report.pictures.schedule import count
from isodelta.report.pictures.timeline import timeline_svg
from isodelta.report.views.causes import CauseGroup, cause_groups
from isodelta.report.views.finding import SEVERITY, value_text
from isodelta.report.views.grid import MEANINGS, grids
from isodelta.report.views.overview import engine_versions, overview
from isodelta.report.views.overview import headline as overview_headline
from isodelta.report.views.tables import (
    bound_table,
    claims_by_document,
    matrix_tables,
    pair_grid,
    scenario_rows,
)
from isodelta.report.views.validity import THREATS

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"


def report_html(report: Report) -> str:
    """Render the page. Every text of the report is escaped by the template engine."""
    environment = _environment()
    style = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    script = (_TEMPLATES / "report.js").read_text(encoding="utf-8")
    groups = cause_groups(report)
    shown_grids = grids(report)
    return environment.get_template("index.html.j2").render(
        report=report,
        summary=report.summary,
        headline=headline(report, groups),
        tiles=tiles(report),
        overview=overview(report, groups),
        targets={f"cause-{group.cause.key}" for group in groups} | {"coverage"},
        threats=THREATS,
        groups=groups,
        engine_versions=engine_versions(report),
        judged=_judged(report),
        searched=_judged(report) or bool(report.matrix or report.claims or report.lattice),
        jobs=[(answer, _first_picture(report, answer)) for answer in report.jobs],
        lattice=report.lattice,
        lattice_picture=lattice_svg(report.lattice, "lattice-picture") if report.lattice else "",
        scenarios=scenario_rows(report),
        replayed_scenarios=replayed_scenarios(report),
        matrix=matrix_tables(report),
        grids=shown_grids,
        meanings=MEANINGS,
        documents=claims_by_document(report),
        claim_counts=Counter(line.status for line in report.claims),
        coverage=report.coverage,
        pairs=pair_grid(report.coverage),
        bounds=bound_table(report),
        classes=[FindingClass(value) for value in SEVERITY],
        # Our own two files, included unchanged; the page's policy allows exactly these.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        policy=(
            "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
            f"style-src '{_digest(style)}'; script-src '{_digest(script)}'"
        ),
    )


def _judged(report: Report) -> bool:
    """True if the page has anything to say about Delta's own levels."""
    breaking = any(finding.kind is not FindingClass.SEPARATION for finding in report.findings)
    if report.jobs:
        return False
    special = report.matrix or report.lattice or report.theorems
    return bool(report.scenarios or report.bounds or breaking) or not special


def plain_page(template: str, **values: object) -> str:
    """Render a separate page in the report's style, without the script."""
    style = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    policy = (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_digest(style)}'"
    )
    return (
        _environment().get_template(template).render(style=Markup(style), policy=policy, **values)  # noqa: S704
    )


def headline(report: Report, groups: Sequence[CauseGroup] | None = None) -> str:
    """The result of the run in one sentence; ``groups`` saves grouping the findings again."""
    if report.jobs:
        if len(report.jobs) == 1:
            (only,) = report.jobs
            return f"{only.table}: {only.word}, {only.headline}"
        robust = sum(answer.word == "yes" for answer in report.jobs)
        return f"The isolation level is enough for {robust} of {count(len(report.jobs), 'table')}."
    if report.lattice is not None and not report.scenarios:
        return report.lattice.headline
    if report.theorems and not report.scenarios:
        proved = sum(theorem.verdict == "proved" for theorem in report.theorems)
        return f"{proved} of {count(len(report.theorems), 'theorem')} proved."
    if report.matrix and not (report.scenarios or report.findings):
        differing = sum(cell.differs for cell in report.matrix)
        return f"{count(differing, 'cell')} of {len(report.matrix)} where the sources differ."
    return overview_headline(report, cause_groups(report) if groups is None else groups)


def tiles(report: Report) -> list[tuple[str, str, str]]:
    """The counts at the top: (value, name, tone); each name says of what the value is a count."""
    summary, coverage = report.summary, report.coverage
    if report.jobs:
        return _job_tiles(report)
    if report.lattice is not None and not report.scenarios:
        return [(value, name, "") for value, name in report.lattice.facts]
    if report.theorems and not report.scenarios:
        return _theorem_tiles(report)
    shown = [(f"{summary.replays:,}", "histories replayed on real tables", "")]
    if report.scenarios:
        replayed = f"{replayed_scenarios(report):,} of {len(report.scenarios):,}"
        shown.append((replayed, "scenarios of the collection replayed", ""))
    if coverage.schedules_full:
        run = f"{coverage.schedules_run:,} of {coverage.schedules_full:,}"
        shown.append((run, "schedules run in the model; the others are equivalent to these", ""))
    elif summary.schedules:
        shown.append((f"{summary.schedules:,}", "schedules in the model", ""))
    if report.claims:
        checked = sum(line.status != "not run" for line in report.claims)
        shown.append((f"{checked} of {len(report.claims)}", "claims of the documents checked", ""))
    shown += [
        (f"{summary.differences:,}", "differences between replays and model", ""),
        (
            f"{summary.unexplained:,}",
            "differences without an explanation",
            "bad" if summary.unexplained else "good" if summary.replays else "",
        ),
        (f"{summary.violations:,}", "smallest histories that break a promised level", ""),
    ]
    budget = summary.budget_seconds
    time = duration(summary.seconds)
    if budget is None:
        shown.append((time, "run time", ""))
    else:
        shown.append((time, f"run time; the budget was {duration(budget)}", ""))
    return shown


def replayed_scenarios(report: Report) -> int:
    """The number of scenarios of the collection that were replayed."""
    return sum(scenario.observed is not None for scenario in report.scenarios)


def _first_picture(report: Report, answer: JobsAnswer) -> Markup:
    """The timeline of the history that an answer rests on; it is on the page again below."""
    for finding in report.findings:
        if finding.name == answer.finding:
            other = finding.predicted if finding.observed else None
            return timeline_svg(finding.scenario, finding.judged, other, f"first-{finding.name}")
    return Markup("")


def _job_tiles(report: Report) -> list[tuple[str, str, str]]:
    words = Counter(answer.word for answer in report.jobs)
    tones = (("yes", "good"), ("no", "bad"), ("not known", ""))
    return [
        *((f"{words[word]:,}", word, tone if words[word] else "") for word, tone in tones),
        (f"{report.summary.replays:,}", "replays on real tables", ""),
    ]


def _theorem_tiles(report: Report) -> list[tuple[str, str, str]]:
    lemmas = [lemma for theorem in report.theorems for lemma in theorem.lemmas]
    proved = sum(lemma.verdict == "proved" for lemma in lemmas)
    return [
        (f"{len(report.theorems):,}", "theorems", ""),
        (
            f"{proved:,} of {len(lemmas):,}",
            "lemmas proved",
            "good" if proved == len(lemmas) else "bad",
        ),
        (f"{sum(lemma.breaking for lemma in lemmas):,}", "weaker versions that break one", ""),
        (duration(report.summary.seconds), "run time", ""),
    ]


def duration(seconds: float) -> str:
    """Seconds as people write them: 0.4 s, 42 s, 3 min 05 s."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if round(seconds) < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if rest else f"{minutes} min"


def code(text: str) -> Markup:
    """The text, escaped, with what stands between backquotes as code."""
    parts = re.split(r"`([^`]+)`", text)
    pieces = [
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part)
        for i, part in enumerate(parts)
    ]
    return Markup("").join(pieces)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["value"] = value_text
    environment.filters["duration"] = duration
    environment.filters["code"] = code
    environment.globals["counted"] = count
    return environment
