"""The schedule as a picture: one lane for each transaction, the log below them.

Time runs to the right, one column for each step. A lane starts with an open circle (the
snapshot is taken) and ends with a mark whose shape alone tells the outcome: a filled circle
wrote a version, a cross was refused, a diamond read, a square succeeded without a version.
"""

from __future__ import annotations

import re

from markupsafe import Markup

from isodelta.report.pictures.schedule import (
    ScheduleStep,
    count,
    mark,
    outcome_text,
    schedule_steps,
    schedule_words,
    transaction_result,
    version_label,
)
from isodelta.report.pictures.svg import CHARACTER_WIDTH, Element, add, markup, picture, shortened
from isodelta.runs.results import RunResult
from model.outcomes import COMMITTED, READ
from model.scenario import Scenario

_STEP = 92.0
_LANE = 74.0
_TOP = 26.0
_LOG = 58.0
_CAMEL_CASE = re.compile(r"(Concurrent|Metadata|Protocol)?(.*)", re.DOTALL)


def timeline_svg(
    scenario: Scenario, result: RunResult | None, other: RunResult | None, ident: str
) -> Markup:
    """Draw the schedule with the outcomes of ``result``.

    If ``other`` (the model's side, say) has a different outcome, the picture says so below the
    mark. ``ident`` makes the picture's ids unique in the page.
    """
    steps = schedule_steps(scenario)
    names = list(dict.fromkeys(step.transaction for step in steps))
    widest = max(len(shortened(name)) for name in [*names, "log"])
    left = 64 + widest * CHARACTER_WIDTH
    right = left + max(len(steps) - 1, 0) * _STEP
    last = outcome_lines(result, other, steps[-1].transaction) if steps else []
    margin = 16 + max((len(line) for line in last), default=0) * CHARACTER_WIDTH / 2
    log_y = _TOP + len(names) * _LANE + _LOG / 2
    root = picture(
        right + max(margin, 60),
        _TOP + len(names) * _LANE + _LOG,
        ident,
        f"Timeline of {scenario.name}",
        " ".join(schedule_words(scenario, result)),
    )
    columns = {step.number: left + i * _STEP for i, step in enumerate(steps)}
    for step in steps:
        add(root, "text", text=step.number, x=columns[step.number], y=14, class_="step")
    _draw_log(root, steps, result, columns, (left, right, log_y), names)
    for i, name in enumerate(names):
        own = [step for step in steps if step.transaction == name]
        _draw_lane(root, name, own, result, other, columns, _TOP + i * _LANE + 30)
    return markup(root)


def _draw_lane(
    root: Element,
    name: str,
    steps: list[ScheduleStep],
    result: RunResult | None,
    other: RunResult | None,
    columns: dict[int, float],
    y: float,
) -> None:
    transaction = transaction_result(result, name)
    kind = mark(transaction)
    style = "label bad" if kind == "conflict" else "label strong"
    begin = next((columns[s.number] for s in steps if s.action == "begin"), None)
    end = next((columns[s.number] for s in steps if s.action == "commit"), None)
    add(root, "text", text=shortened(name), x=10, y=y + 5, class_="lane-name")
    if begin is not None and end is not None:
        lane = "lane refused" if kind == "conflict" else "lane"
        add(root, "line", x1=begin, y1=y, x2=end, y2=y, class_=lane)
    if begin is not None:
        label = "begin"
        if transaction is not None:
            label += f", sees {version_label(transaction.read_version)}"
        add(root, "text", text=label, x=begin, y=y - 14, class_="label")
        add(root, "circle", cx=begin, cy=y, r=6, class_="begin")
    if end is None:
        return
    _draw_mark(root, kind, end, y)
    for i, line in enumerate(outcome_lines(result, other, name)):
        add(root, "text", text=line, x=end, y=y + 21 + 13 * i, class_=style)
    add(root[-1], "title", text=outcome_text(transaction))


def outcome_lines(result: RunResult | None, other: RunResult | None, name: str) -> list[str]:
    """The label below the mark of a transaction, line by line."""
    transaction = transaction_result(result, name)
    kind = mark(transaction)
    lines: list[str] = [kind]
    if transaction is not None and kind == COMMITTED:
        version = transaction.commit_version
        lines = ["commit" if version is None else shortened(f"commit v{version}")]
    elif transaction is not None and kind == "conflict":
        # Conflict names are long camel-case words; two short lines keep the columns narrow.
        head, tail = _CAMEL_CASE.fullmatch(transaction.outcome).groups()  # type: ignore[union-attr]
        lines = [shortened(part) for part in (head, tail) if part]
    elif transaction is not None and kind == READ and transaction.rows is not None:
        lines = [f"read {count(len(transaction.rows), 'row')}"]
    predicted = transaction_result(other, name)
    if predicted is not None and (transaction is None or predicted.outcome != transaction.outcome):
        lines.append(f"model: {shortened(predicted.outcome, 24)}")
    return lines


def _draw_mark(root: Element, kind: str, x: float, y: float) -> None:
    if kind == COMMITTED:
        add(root, "circle", cx=x, cy=y, r=7, class_="mark committed")
    elif kind == "conflict":
        add(root, "circle", cx=x, cy=y, r=9, class_="mark hole")
        path = f"M{x - 6:g} {y - 6:g}L{x + 6:g} {y + 6:g}M{x - 6:g} {y + 6:g}L{x + 6:g} {y - 6:g}"
        add(root, "path", d=path, class_="mark cross")
    elif kind == READ:
        path = f"M{x:g} {y - 8:g}L{x + 8:g} {y:g}L{x:g} {y + 8:g}L{x - 8:g} {y:g}Z"
        add(root, "path", d=path, class_="mark read")
    else:
        add(root, "rect", x=x - 6, y=y - 6, width=12, height=12, class_="mark hole")


def _draw_log(
    root: Element,
    steps: tuple[ScheduleStep, ...],
    result: RunResult | None,
    columns: dict[int, float],
    place: tuple[float, float, float],
    names: list[str],
) -> None:
    left, right, y = place
    add(root, "text", text="log", x=10, y=y + 5, class_="lane-name muted")
    add(root, "line", x1=left - 26, y1=y, x2=right + 20, y2=y, class_="log")
    transactions = {} if result is None else result.transactions
    versions = [transactions[name].read_version for name in names if name in transactions]
    if versions:
        add(root, "circle", cx=left - 26, cy=y, r=4, class_="version")
        add(root, "text", text=version_label(min(versions)), x=left - 26, y=y + 19, class_="label")
    for step in steps:
        transaction = transactions.get(step.transaction)
        version = None if transaction is None else transaction.commit_version
        if step.action != "commit" or version is None:
            continue
        x = columns[step.number]
        lane = _TOP + names.index(step.transaction) * _LANE + 30
        add(root, "line", x1=x, y1=lane + 26, x2=x, y2=y - 4, class_="drop")
        add(root, "circle", cx=x, cy=y, r=4, class_="version")
        add(root, "text", text=f"v{version}", x=x, y=y + 19, class_="label")
