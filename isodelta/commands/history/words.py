"""What people read about a history of another tool."""

from __future__ import annotations

from typing import Any

from rich.padding import Padding
from rich.text import Text

from isodelta.terminal import COLOURS, output, printable


def initial_values_in_words(taken: dict[str, Any]) -> str:
    """What the verdicts rest on where values that nobody wrote are taken for the initial ones."""
    first = taken["first"][0]
    return (
        f"assumed: the value that nobody wrote is the initial one, for {taken['keys']} of the keys "
        f"(first: {first['value']} of key {first['key']}); otherwise these are unwritten reads"
    )


def outside_in_words(outside: dict[str, Any]) -> str:
    """What the verdicts rest on where writers outside of the history are taken for granted."""
    first = outside["first"][0]
    return (
        f"assumed: written outside of the history, {outside['values']} of the values that were "
        f"read (first: {first['value']} of key {first['key']})"
    )


IN_WORDS = {
    "PL-3": "PL-3, serializable in any order",
    "Delta's Serializable": "Delta's, serializable in the order of the log",
}


def meaning_in_words(level: dict[str, Any]) -> str | None:
    """Which level a name stands for that has two meanings; None for a name with one."""
    means = level.get("means")
    return None if means is None else IN_WORDS[means]


def level_in_words(name: str, level: dict[str, Any]) -> str:
    """The name of a level, and which one it is where the name has two meanings."""
    meaning = meaning_in_words(level)
    return name if meaning is None else f"{name} ({meaning})"


def print_foreign(result: dict[str, Any]) -> None:
    """One history: its levels, and each violation in words, once."""
    console = output()
    console.print(Text(printable(result["history"]), "bold"))
    console.print(
        f"{result['format']}, {result['transactions']} transactions, {result['seconds']} s"
    )
    taken = result.get("taken_for_initial")
    if taken:
        console.print(Text(printable(f"  {initial_values_in_words(taken)}")))
    outside = result.get("written_outside")
    if outside:
        console.print(Text(printable(f"  {outside_in_words(outside)}")))
    told: dict[tuple[Any, ...], str] = {}
    for name, level in result["levels"].items():
        line = Text(f"  {level_in_words(name, level)}: ")
        line.append(level["verdict"], COLOURS[level["verdict"]])
        if level.get("session_order"):
            line.append(", session order counts")
            if level.get("without_session_order", level["verdict"]) != level["verdict"]:
                line.append(f" (without it: {level['without_session_order']})")
        if level["anomaly"]:
            line.append(f", {level['anomaly']}")
        if level.get("phenomenon") and level["phenomenon"] not in str(level["anomaly"]):
            line.append(f" ({level['phenomenon']})")
        reason = (level["anomaly"], *level["cycle"])
        if level.get("because") and reason in told:
            line.append(f", as in {told[reason]}")
        console.print(line)
        if level.get("because") and reason not in told:
            told[reason] = name
            for words in [edge["because"] for edge in level.get("edges", ())] or [level["because"]]:
                console.print(Padding(Text(printable(words)), (0, 0, 0, 6)))
    shown = {level["anomaly"] for level in result["levels"].values()}
    others = [a for a in result.get("anomalies", ()) if a["anomaly"] not in shown]
    for name in dict.fromkeys(a["anomaly"] for a in others):
        first = next(a for a in others if a["anomaly"] == name)
        console.print(Text(printable(f"  also: {name}: {first['because']}")))
    console.print()
