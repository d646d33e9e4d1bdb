"""The summary of a run in the terminal."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from isodelta.report import Finding, FindingClass, Report
from isodelta.report.views.terminal import print_summary
from tests.isodelta.report.sample import sample_report, write_skew


def terminal(report: Report, width: int = 80) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, force_terminal=False)
    print_summary(report, Path("report/index.html"), console)
    return "\n".join(map(str.rstrip, out.getvalue().splitlines()))


def test_the_terminal_summary_fits_80_columns_without_colour() -> None:
    text = terminal(sample_report())
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "\x1b" not in text
    for wanted in (
        "1 difference from the model not explained yet.",
        "412 replays",
        "Unexplained: final rows other than predicted\n",
        "  An outcome that no class explains\n",
        "findings/unexplained-outcome.yaml",
        "FAILED: random campaign: 1 outcome is not explained",
        "Report: report/index.html",
    ):
        assert wanted in text
    assert "INCOMPLETE" not in text


def test_the_terminal_says_when_a_run_was_cut_short() -> None:
    report = sample_report()
    report.ended = False
    report.incomplete_because = "interrupted by Ctrl-C"
    assert terminal(report).startswith("INCOMPLETE: interrupted by Ctrl-C")


def test_the_terminal_takes_markup_as_text() -> None:
    report = Report("Nothing yet.", "isodelta verify", "delta-spark-4.4", "delta-spark", 1)
    report.findings = [
        Finding(
            "x",
            "[red]oops[/red]",
            FindingClass.UNEXPLAINED,
            "Serializable",
            "s",
            write_skew("Serializable"),
        )
    ]
    assert "  [red]oops[/red]\n" in terminal(report)
