"""junit.xml: the report for continuous integration.

One test case for each scenario at each level, for each claim, for each part of the suite, and one
that says whether the run came to its end. What the run left out is skipped: a scenario that was
not replayed, a claim that was not checked. A finding that somebody has to act on (unexplained, the
engine breaks its level, the model is wrong) is also a failed case of its own.
"""

from __future__ import annotations

from xml.etree import ElementTree

from isodelta.report.data import NOT_RUN, ClaimLine, Finding, Report, ScenarioResult, SuitePart
from isodelta.report.files.findings import replay_command
from isodelta.report.pictures.svg import add
from isodelta.runs.results import MODEL


def junit_xml(report: Report) -> bytes:
    """The report as a JUnit XML document."""
    root = ElementTree.Element("testsuites", {"name": "isodelta"})
    suites: dict[str, ElementTree.Element] = {}

    def suite(name: str) -> ElementTree.Element:
        if name not in suites:
            suites[name] = add(root, "testsuite", name=name)
        return suites[name]

    for scenario in report.scenarios:
        _scenario_case(suite("scenarios"), scenario, report.engine)
    for claim in report.claims:
        _claim_case(suite("claims"), claim)
    for part in report.parts:
        _part_case(suite(part.group), part)
    for finding in report.findings:
        if finding.kind.urgent:
            _finding_case(suite("findings"), finding, report.engine)
    end = _case(suite("run"), "the run came to its end", "run", report.summary.seconds)
    if not report.ended:
        _problem(end, "error", [report.incomplete_because])
    for element in [*suites.values(), root]:
        _count(element)
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _scenario_case(suite: ElementTree.Element, scenario: ScenarioResult, engine: str) -> None:
    case = _case(suite, scenario.name, f"scenarios.{scenario.level}", scenario.seconds)
    if scenario.file:
        case.set("file", scenario.file)
    if scenario.error:
        _problem(case, "error", [scenario.error])
    elif scenario.failures:
        where = [f"finding: {scenario.finding}"] if scenario.finding else []
        _problem(case, "failure", [*scenario.failures, *where])
    elif scenario.observed is None and engine not in ("", MODEL):
        add(case, "skipped", message=f"checked in the model, not replayed on {engine}")


def _claim_case(suite: ElementTree.Element, claim: ClaimLine) -> None:
    case = _case(suite, f"{claim.name}: {claim.statement}", "claims", 0.0)
    if claim.status == NOT_RUN:
        add(case, "skipped", message=claim.because)
    else:
        add(case, "system-out", text=f"{claim.status}: {claim.because}")


def _part_case(suite: ElementTree.Element, part: SuitePart) -> None:
    case = _case(suite, part.name, part.group, part.seconds)
    if part.status == "skipped":
        add(case, "skipped", message=part.message)
    elif part.status == "failed":
        _problem(case, "failure", [part.message or "failed"])
    elif part.status == "error":
        _problem(case, "error", [part.message or "could not be run"])
    if part.counts:
        counts = "\n".join(f"{name}: {count}" for name, count in part.counts.items())
        add(case, "system-out", text=counts)


def _finding_case(suite: ElementTree.Element, finding: Finding, engine: str) -> None:
    case = _case(suite, finding.title, f"findings.{finding.level}", 0.0)
    reason = f"{finding.kind.value}: {finding.summary}"
    _problem(case, "failure", [reason, replay_command(finding, engine)])


def _case(
    suite: ElementTree.Element, name: str, classname: str, seconds: float
) -> ElementTree.Element:
    return add(suite, "testcase", name=name, classname=classname, time=f"{seconds:.3f}")


def _problem(case: ElementTree.Element, tag: str, lines: list[str]) -> None:
    add(case, tag, text="\n".join(lines), message=lines[0])


def _count(element: ElementTree.Element) -> None:
    cases = element.findall(".//testcase")
    counts = {
        "tests": len(cases),
        "failures": len(element.findall(".//testcase/failure")),
        "errors": len(element.findall(".//testcase/error")),
        "skipped": len(element.findall(".//testcase/skipped")),
        "time": f"{sum(float(case.get('time', '0')) for case in cases):.3f}",
    }
    for key, value in counts.items():
        element.set(key, str(value))
