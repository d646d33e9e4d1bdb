"""The report folder of histories of other tools: one page with verdicts and cycles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isodelta.exits import BadInput
from isodelta.options import Common

SHOWN = 200
"""Violated histories whose cycles are drawn; the table and report.json have all."""


def write_history_report(
    common: Common, results: Sequence[Mapping[str, Any]], unread: Sequence[str]
) -> Path:
    """Writes index.html and report.json; returns the path of the page. Raises BadInput.

    ``results`` are the objects that ``isodelta history --json`` prints, ``unread`` the messages
    about files that could not be judged.
    """
    from isodelta.commands.history.words import (
        initial_values_in_words,
        meaning_in_words,
        outside_in_words,
    )
    from isodelta.report.files.writer import replace_file
    from isodelta.report.html import plain_page

    assert common.report is not None
    folder = common.report
    page = plain_page(
        "histories.html.j2",
        results=results,
        assumed=initial_values_in_words,
        outside=outside_in_words,
        meaning=meaning_in_words,
        unread=unread,
        violations=[_violation(i, r) for i, r in enumerate(_violated(results)[:SHOWN])],
        violated=len(_violated(results)),
        levels=list(dict.fromkeys(name for result in results for name in result["levels"])),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    whole = {"histories": list(results), "unread": list(unread)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / "report.json", (json.dumps(whole, indent=1) + "\n").encode())
        replace_file(folder / "index.html", page.encode())
    except OSError as error:
        raise BadInput(f"--report: {folder}: cannot be written: {error.strerror}") from error
    return folder / "index.html"


def _violated(results: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [r for r in results if any(v["verdict"] != "holds" for v in r["levels"].values())]


def _violation(number: int, result: Mapping[str, Any]) -> dict[str, Any]:
    """What the page shows of one history: each different violation once, with its picture."""
    from isodelta.commands.history.words import level_in_words
    from isodelta.report.pictures.graph import graph_arrows, graph_svg

    shown: dict[tuple[Any, ...], dict[str, Any]] = {}
    for name, level in result["levels"].items():
        if level["verdict"] == "holds":
            continue
        reason = (level["verdict"], level["anomaly"], *level["cycle"])
        if reason in shown:
            shown[reason]["levels"].append(level_in_words(name, level))
            continue
        edges = level.get("edges", ())
        picture = None
        if edges:
            ends = dict.fromkeys(end for edge in edges for end in (edge["from"], edge["to"]))
            triples = ((edge["from"], edge["to"], edge["kind"]) for edge in edges)
            arrows = graph_arrows(triples, level["cycle"])
            nodes = dict.fromkeys(ends, "")
            picture = graph_svg(nodes, arrows, name, f"history-{number}-{len(shown)}")
        shown[reason] = {
            "levels": [level_in_words(name, level)],
            "level": level,
            "picture": picture,
            "words": [edge["because"] for edge in edges] or [level.get("because") or ""],
        }
    return {"result": result, "violations": list(shown.values())}
