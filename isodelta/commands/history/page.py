"""The page of ``isodelta history``: verdicts and cycles of recorded histories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from isodelta.commands.history.results import HistoryResult, LevelResult, Unread, lines_of_unread

SHOWN = 200
"""Violated histories whose cycles are drawn; the table and report.json have all."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation with its picture, and the levels that it violates."""

    level: LevelResult
    picture: Markup | None
    levels: list[str] = field(default_factory=list)


def write_history_report(
    folder: Path, results: Sequence[HistoryResult | Unread], cut_short: str = ""
) -> Path:
    """Writes index.html and report.json; returns the path of the page. Raises BadInput.

    ``cut_short`` says why not all results are there.
    """
    from isodelta.commands.history.words import assumptions_in_words, in_one_line, meaning_in_words
    from isodelta.report.files.writer import write_page
    from isodelta.report.html import plain_page

    judged = [result for result in results if isinstance(result, HistoryResult)]
    violated = [result for result in judged if not result.holds]
    unread = lines_of_unread(results) + ([cut_short] if cut_short else [])
    page = plain_page(
        "histories.html.j2",
        results=judged,
        assumptions=assumptions_in_words,
        meaning=meaning_in_words,
        in_one_line=in_one_line,
        unread=unread,
        violations=[
            (result, _violations(number, result)) for number, result in enumerate(violated[:SHOWN])
        ],
        violated=len(violated),
        levels=list(dict.fromkeys(name for result in judged for name in result.levels)),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    whole = {"histories": [result.to_json() for result in judged], "unread": unread}
    return write_page(folder, page, whole)


def _violations(number: int, result: HistoryResult) -> list[Violation]:
    """The violations that the page shows of one history, each different one once."""
    from isodelta.commands.history.words import level_in_words

    shown: dict[tuple[object, ...], Violation] = {}
    for name, level in result.levels.items():
        verdict = level.verdict
        if verdict.verdict == "holds":
            continue
        reason = (verdict.verdict, verdict.anomaly, level.transactions)
        if reason not in shown:
            picture = _picture(name, level, f"history-{number}-{len(shown)}")
            shown[reason] = Violation(level, picture)
        shown[reason].levels.append(level_in_words(name, level))
    return list(shown.values())


def _picture(name: str, level: LevelResult, ident: str) -> Markup | None:
    from isodelta.report.pictures.graph import graph_arrows, graph_svg

    edges = level.verdict.cycle
    if not edges:
        return None
    nodes = dict.fromkeys((end for edge in edges for end in (edge.source, edge.target)), "")
    triples = ((edge.source, edge.target, edge.kind) for edge in edges)
    return graph_svg(nodes, graph_arrows(triples, level.transactions), name, ident)
