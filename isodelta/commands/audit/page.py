"""The page of ``isodelta audit``: verdicts, findings, a timeline of overlaps, pairs of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from checker.logs.overlap.traces import Trace
from isodelta.commands.audit.results import Audited, ReportedFinding

BINS = 60
"""Stretches of versions in the timeline; each opens to the commits in it."""

OPENED = 100
"""Overlapping commits that one stretch of the timeline lists."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Versions that the timeline draws as one bar; ``missed`` are the pairs that overlap there."""

    first: int
    last: int
    missed: int
    overlapping: Sequence[Trace]
    commits: int


def write_audit_report(folder: Path, audited: Audited, cut_short: str = "") -> Path:
    """Writes index.html and report.json; returns the path of the page. Raises BadInput."""
    from isodelta.report.files.writer import write_page
    from isodelta.report.html import plain_page

    result = audited.audit
    stretches = timeline(result.traces)
    grid = result.what_if.pairs
    page = plain_page(
        "audit.html.j2",
        audit=result,
        cut_short=cut_short,
        picture=_picture(stretches) if result.overlaps else None,
        stretches=[stretch for stretch in stretches if stretch.missed],
        opened=OPENED,
        operations=sorted({name for pair in grid for name in pair}),
        grid=grid,
        most=max(grid.values(), default=0),
        counted_pairs=result.what_if.asked,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    summary = audited.summary.to_json()
    whole = {
        "findings": [ReportedFinding(finding).to_json() for finding in result.findings],
        **summary,
    }
    return write_page(folder, page, whole)


def timeline(traces: Sequence[Trace]) -> list[Stretch]:
    """The versions in at most ``BINS`` stretches."""
    if not traces:
        return []
    size = -(-len(traces) // BINS)
    stretches = []
    for start in range(0, len(traces), size):
        some = traces[start : start + size]
        overlapping = [commit for commit in some if commit.missed > 0]
        missed = sum(commit.missed for commit in overlapping)
        stretches.append(Stretch(some[0].version, some[-1].version, missed, overlapping, len(some)))
    return stretches


def _picture(stretches: Sequence[Stretch]) -> Markup:
    """Bars of the pairs that overlap, by version."""
    from isodelta.report.pictures.svg import add, markup, picture

    width, height, left = 900.0, 150.0, 60.0
    most = max(stretch.missed for stretch in stretches)
    root = picture(
        width,
        height,
        "timeline",
        "Overlapping commits by version",
        f"{len(stretches)} stretches of versions, at most {most} overlapping pairs in one",
    )
    step = (width - left - 10) / len(stretches)
    for number, stretch in enumerate(stretches):
        tall = 100.0 * stretch.missed / most
        bar = add(
            root,
            "rect",
            x=left + number * step + 1,
            y=115 - tall,
            width=max(step - 2, 1.0),
            height=tall,
            fill="currentColor",
        )
        words = f"versions {stretch.first} to {stretch.last}: {stretch.missed} overlapping pairs"
        add(bar, "title", text=words)
    add(root, "line", x1=left, y1=115.0, x2=width - 10, y2=115.0, stroke="currentColor")
    add(root, "text", text=stretches[0].first, x=left, y=135.0, fill="currentColor")
    add(
        root,
        "text",
        text=stretches[-1].last,
        x=width - 10,
        y=135.0,
        text_anchor="end",
        fill="currentColor",
    )
    add(root, "text", text=most, x=left - 8, y=22.0, text_anchor="end", fill="currentColor")
    return markup(root)
