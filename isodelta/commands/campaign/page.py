"""The page of a campaign's report: each question with its table, and a plot of the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from isodelta.report.pictures.svg import add, markup, picture, shortened
from pipeline.store.questions import Answer

BARS = 25
"""Bars in a plot."""

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border-bottom: 1px solid #ccc; padding: .2rem .8rem .2rem 0; text-align: left }
pre { background: #f4f4f4; overflow-x: auto; padding: .6rem }
svg { max-width: 100%; height: auto }
"""


def page(results: Sequence[Answer], cut_short: str = "") -> str:
    """A self-contained page. ``cut_short`` says why answers are missing, if any are."""
    parts = [Markup("<h1>A campaign's store</h1>")]
    if cut_short:
        parts.append(Markup("<p>Not all answers are here: {}.</p>").format(cut_short))
    for place, answer in enumerate(results):
        parts.append(_section(place, answer))
    head = Markup(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>isodelta campaign</title><style>{}</style></head><body>"
    ).format(Markup(_STYLE))  # noqa: S704 - a constant of this module
    return str(head + Markup("").join(parts) + Markup("</body></html>"))


def _section(place: int, answer: Answer) -> Markup:
    question = answer.question
    titles = Markup("").join(Markup("<th>{}</th>").format(name) for name in answer.columns)
    rows = Markup("").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(Markup("<td>{}</td>").format(_text(value)) for value in row)
        )
        for row in answer.rows
    )
    table = Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(
        titles, rows
    )
    return Markup(
        "<section><h2>{}</h2>{}{}<details><summary>The query</summary><pre>{}</pre></details>"
        "</section>"
    ).format(
        question.asks,
        _plot(place, answer),
        table if answer.rows else Markup("<p>Nothing.</p>"),
        question.sql.strip(),
    )


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _plot(place: int, answer: Answer) -> Markup:
    """Bars of one column, labelled by the columns of text; nothing without a number above 0."""
    bar = answer.question.bar
    if bar is None or bar not in answer.columns:
        return escape("")
    at = answer.columns.index(bar)
    words = [i for i in range(len(answer.columns)) if i != at][:3]
    shown = [
        (" · ".join(_text(row[i]) for i in words if row[i] is not None), _number(row[at]))
        for row in answer.rows[:BARS]
    ]
    most = max((number for _, number in shown), default=0.0)
    if not most:
        return escape("")
    root = picture(860, 22 * len(shown) + 6, f"plot-{place}", answer.question.asks, bar)
    for line, (label, number) in enumerate(shown):
        y = 22 * line + 4
        add(root, "text", text=shortened(label, 52), x=0, y=y + 13, font_size=12)
        add(root, "rect", x=380, y=y, width=400 * number / most, height=16, fill="#4477aa")
        add(root, "text", text=f"{number:,g}", x=386 + 400 * number / most, y=y + 13, font_size=12)
    return markup(root)


def _number(value: object) -> float:
    return float(str(value)) if value is not None else 0.0
