"""Pictures of results in notebooks: what Jupyter shows for a run, a verdict, a finding.

Importing this module gives the classes of results their ``_repr_html_``. ``isodelta`` does so by
itself where IPython runs; elsewhere nobody would look at it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from markupsafe import Markup

from checker.judging.verdict import Verdict, judge
from checker.robustness.answer import Answer
from checker.search.finding import Finding
from checker.search.search_result import SearchResult
from conformance.replay.comparison import Comparison
from isodelta.report.pictures.graph import graph_arrows, graph_nodes, graph_svg
from isodelta.report.pictures.timeline import timeline_svg
from isodelta.runs.judging import finding_result, run_result
from isodelta.runs.replaying import replay_result
from isodelta.runs.results import RunResult
from model.profiles import DEFAULT
from model.scenario import Scenario, TableSpec
from model.simulator import Run

_CSS = Path(__file__).parent / "report" / "templates" / "report.css"
_numbers = count(1)


def run_html(run: Run) -> str:
    """The timeline, and each of Delta's levels with its graph if it is violated."""
    texts = {name: ended.logical.text for name, ended in run.ended.items()}
    scenario = Scenario("the run", TableSpec(), texts, run.schedule)
    verdicts = judge(run.history)
    result = run_result(scenario, run, verdicts)
    return _page(_statements(texts), _timeline(scenario, result), _levels(verdicts, result))


def comparison_html(comparison: Comparison) -> str:
    """The timeline of what was observed, the verdicts on it, and what differs from the model."""
    seen = comparison.observation
    result = replay_result(comparison, comparison.predicted.profile.name)
    differences = [
        f"{d.about}: {d.what} predicted {d.predicted}, observed {d.observed} ({d.classified.value})"
        for d in comparison.differences
    ]
    return _page(
        _statements(seen.scenario.transactions),
        _timeline(seen.scenario, result),
        _levels(comparison.verdicts, result),
        _list(differences or ["The engine did what the model predicted."]),
    )


def verdict_html(verdict: Verdict) -> str:
    """The verdict in words, and the cycle as a graph with a reason for each edge."""
    return _page(_level(verdict, None))


def scenario_html(scenario: Scenario) -> str:
    """The statements, and the schedule as a timeline."""
    return _page(_statements(scenario.transactions), _timeline(scenario, None))


def finding_html(finding: Finding) -> str:
    """The statements, the timeline, and the level that the history breaks."""
    scenario = finding.scenario
    result = finding_result(finding, DEFAULT)
    return _page(
        Markup("<p><b>{}</b></p>").format(scenario.name),
        _statements(scenario.transactions),
        _timeline(scenario, result),
        _level(finding.verdict, result),
    )


def search_html(result: SearchResult) -> str:
    """The bounds in words, and a table of the findings."""
    rows = [
        Markup("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>").format(
            finding.scenario.name, finding.level, finding.verdict.anomaly or "", finding.count
        )
        for finding in result.findings
    ]
    head = Markup("<tr><th>finding</th><th>level</th><th>anomaly</th><th>histories</th></tr>")
    return _page(
        Markup("<p>{}</p>").format(repr(result).strip("<>")),
        _list(bound.sentence for bound in result.bounds),
        Markup("<table>{}{}</table>").format(head, Markup("").join(rows)) if rows else Markup(),
    )


def answer_html(answer: Answer) -> str:
    """The answer, and the history that shows it."""
    parts = [
        Markup("<p><b>{}: {}</b></p>").format(answer.jobs.name, answer.serial.verdict),
        Markup("<p>{}</p>").format(answer.serial.because),
    ]
    if answer.serial.found is not None:
        scenario = answer.serial.found.scenario
        parts += [_statements(scenario.transactions), _timeline(scenario, None)]
    return _page(*parts, _list(remedy.words for remedy in answer.remedies))


HTML: Mapping[type, Callable[[Any], str]] = {
    Run: run_html,
    Comparison: comparison_html,
    Verdict: verdict_html,
    Scenario: scenario_html,
    Finding: finding_html,
    SearchResult: search_html,
    Answer: answer_html,
}
"""What draws an object of each class."""


def _attach() -> None:
    """Gives the classes the method that Jupyter calls: they must not know of pictures."""
    for kind, draw in HTML.items():
        setattr(kind, "_repr_html_", lambda self, draw=draw: draw(self))  # noqa: B010


_attach()


@cache
def _style() -> Markup:
    """The report's colours and its rules for pictures, for this project's own output alone."""
    css = re.sub(r"/\*.*?\*/", "", _CSS.read_text(encoding="utf-8"), flags=re.DOTALL)
    roots = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    rules = re.findall(r"^svg[^{]*\{[^}]*\}", css, re.MULTILINE)
    own = [re.sub(r"(^|, *)svg", r"\1.isodelta svg", rule) for rule in rules]
    light, dark = roots[0], roots[1] if len(roots) > 1 else ""
    return Markup(  # noqa: S704 - a file of this package
        f"<style>.isodelta {{{light}}}\n"
        f"@media (prefers-color-scheme: dark) {{ .isodelta {{{dark}}} }}\n"
        ".isodelta { color: var(--text); background: var(--surface); padding: .6rem; }\n"
        ".isodelta td, .isodelta th { text-align: left; }\n" + "\n".join(own) + "</style>"
    )


def _page(*parts: Markup) -> str:
    return f'{_style()}<div class="isodelta">{Markup("").join(parts)}</div>'


def _list(entries: Iterable[str]) -> Markup:
    items = [Markup("<li>{}</li>").format(entry) for entry in entries]
    return Markup("<ul>{}</ul>").format(Markup("").join(items)) if items else Markup()


def _statements(transactions: Mapping[str, str]) -> Markup:
    rows = [
        Markup("<tr><th>{}</th><td><code>{}</code></td></tr>").format(name, text)
        for name, text in transactions.items()
    ]
    return Markup("<table>{}</table>").format(Markup("").join(rows))


def _timeline(scenario: Scenario, result: RunResult | None) -> Markup:
    return timeline_svg(scenario, result, None, f"isodelta-{next(_numbers)}")


def _levels(verdicts: Mapping[str, Verdict], result: RunResult) -> Markup:
    return Markup("").join(_level(verdict, result) for verdict in verdicts.values())


def _level(verdict: Verdict, result: RunResult | None) -> Markup:
    words = f"{verdict.verdict}{f' ({verdict.anomaly})' if verdict.anomaly else ''}"
    if verdict.serial_order is not None:
        words += f" in the serial order {', '.join(verdict.serial_order)}"
    if verdict.why is not None:
        words += f": {verdict.why}"
    head = Markup("<p><b>{}</b>: {}</p>").format(verdict.level, words)
    if not verdict.cycle:
        return head
    edges = verdict.cycle
    names = [edge.source for edge in edges]
    nodes = graph_nodes(result) if result is not None else dict.fromkeys(names, "")
    arrows = graph_arrows(((e.source, e.target, e.kind) for e in edges), [*names, names[0]])
    picture = graph_svg(nodes, arrows, verdict.level, f"isodelta-{next(_numbers)}")
    reasons = _list(f"{e.source} → {e.target} ({e.kind}): {e.because}" for e in edges)
    return head + picture + reasons
