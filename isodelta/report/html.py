"""index.html: one self-contained file that needs no network."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from isodelta.report.data import FindingClass, JobsAnswer, Report
from isodelta.report.pictures.lattice import lattice_svg
from isodelta.report.pictures.schedule import count
from isodelta.report.pictures.timeline import timeline_svg
from isodelta.report.views.answers import breaking_findings, level_answers
from isodelta.report.views.finding import SEVERITY, finding_views, value_text
from isodelta.report.views.tables import (
    bound_table,
    claim_rows,
    matrix_tables,
    pair_grid,
    scenario_rows,
)
from model.levels import DELTA_LEVELS

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"


def report_html(report: Report) -> str:
    """Render the page. Every text of the report is escaped by the template engine."""
    environment = _environment()
    style = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    script = (_TEMPLATES / "report.js").read_text(encoding="utf-8")
    views = finding_views(report)
    kinds = Counter(finding.kind for finding in report.findings)
    return environment.get_template("index.html.j2").render(
        report=report,
        summary=report.summary,
        headline=headline(report),
        tiles=tiles(report),
        answers=[
            (answer, breaking_findings(report, answer.level)) for answer in level_answers(report)
        ],
        findings=views,
        kinds=[(kind, kinds[kind]) for kind in map(FindingClass, SEVERITY) if kinds[kind]],
        levels=list(dict.fromkeys(finding.level for finding in report.findings)),
        judged=_judged(report),
        searched=_judged(report) or bool(report.matrix or report.claims or report.lattice),
        jobs=[(answer, _first_picture(report, answer)) for answer in report.jobs],
        lattice=report.lattice,
        lattice_picture=lattice_svg(report.lattice, "lattice-picture") if report.lattice else "",
        scenarios=scenario_rows(report),
        level_names=DELTA_LEVELS,
        matrix=matrix_tables(report),
        claims=claim_rows(report),
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


def headline(report: Report) -> str:
    """The result of the run in one sentence."""
    summary = report.summary
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
    findings = count(len(report.findings), "finding") if report.findings else "No findings"
    if summary.unexplained:
        rest = f"{count(summary.unexplained, 'difference')} not explained yet"
    elif summary.differences:
        rest = f"every one of {count(summary.differences, 'difference')} explained by its class"
    elif summary.replays:
        rest = "model and engine never differed"
    else:
        rest = "nothing was replayed on a real table"
    return f"{findings}; {rest}."


def tiles(report: Report) -> list[tuple[str, str, str]]:
    """The counts at the top: (value, name, tone); the tone is never the only signal."""
    summary = report.summary
    if report.jobs:
        return _job_tiles(report)
    if report.lattice is not None and not report.scenarios:
        return [(value, name, "") for value, name in report.lattice.facts]
    if report.theorems and not report.scenarios:
        return _theorem_tiles(report)
    budget = summary.budget_seconds
    return [
        (f"{summary.scenarios:,}", "scenarios", ""),
        (f"{summary.schedules:,}", "schedules explored", ""),
        (f"{summary.replays:,}", "replays on real tables", ""),
        (f"{summary.differences:,}", "differences", ""),
        (f"{summary.unexplained:,}", "unexplained", "bad" if summary.unexplained else "good"),
        (f"{summary.violations:,}", "level violations", ""),
        (duration(summary.seconds), "run time", ""),
        (duration(budget) if budget is not None else "none", "time budget", ""),
    ]


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
    environment.globals["counted"] = count
    return environment
