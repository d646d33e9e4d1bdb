"""The words of ``isodelta history``: one recorded history, for people."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from checker.recorded.explanation.witness import Case, Transcript
from isodelta.commands.history.results import HistoryResult, LevelResult, OrderEnds, Unread
from isodelta.terminal import COLOURS, printable
from model.levels import LEVELS, PL_3, SERIALIZABLE

MOST_TRANSCRIPTS = 20
MOST_STEPS = 10
"""Derivations that the terminal shows."""
MOST_ELEMENTS = 12

IN_WORDS = {
    PL_3: "PL-3, serializable in any order",
    LEVELS[SERIALIZABLE].title: "Delta's, serializable in the order of the log",
}


def meaning_in_words(level: LevelResult) -> str | None:
    """Which level a name stands for that has two meanings; None for a name with one."""
    return None if level.means is None else IN_WORDS[level.means]


def level_in_words(name: str, level: LevelResult) -> str:
    """The name of a level, and which one it is where the name has two meanings."""
    meaning = meaning_in_words(level)
    return name if meaning is None else f"{name} ({meaning})"


def assumptions_in_words(result: HistoryResult) -> list[str]:
    """The assumptions of the verdicts: initial values, and writers outside of the history."""
    lines = []
    taken, outside = result.taken_for_initial, result.written_outside
    if taken is not None:
        key, value = taken.first[0]
        lines.append(
            f"assumed: the value that nobody wrote is the initial one, for {taken.count} of the "
            f"keys (first: {value} of key {key}); otherwise these are unwritten reads"
        )
    if outside is not None:
        key, value = outside.first[0]
        lines.append(
            f"assumed: written outside of the history, {outside.count} of the values that were "
            f"read (first: {value} of key {key})"
        )
    return lines


def print_result(result: HistoryResult | Unread, console: Console) -> None:
    """One history: its levels, and each violation in words, once.

    Unreadable files are reported at the end, as an error.
    """
    if isinstance(result, Unread):
        return
    console.print(Text(printable(result.history), "bold"))
    console.print(f"{result.format}, {result.transactions} transactions, {result.seconds} s")
    for assumption in assumptions_in_words(result):
        console.print(Text(printable(f"  {assumption}")))
    explained: dict[tuple[str | None, tuple[str, ...]], str] = {}
    for name, level in result.levels.items():
        line = _headline(name, level)
        reason = (level.verdict.anomaly, level.transactions)
        if level.sentences and reason in explained:
            line.append(f", as in {explained[reason]}")
        console.print(line)
        if level.serial_order is not None:
            words = printable(order_in_words(level.serial_order))
            console.print(Padding(Text(words), (0, 0, 0, 6)))
        if level.sentences and reason not in explained:
            explained[reason] = name
            for indent, words in explanation(level):
                console.print(Padding(Text(printable(words)), (0, 0, 0, indent)))
    shown = {level.verdict.anomaly for level in result.levels.values()}
    others = {anomaly.anomaly: anomaly for anomaly in reversed(result.anomalies)}
    for other in reversed(others.values()):
        if other.anomaly not in shown:
            console.print(Text(printable(f"  also: {other.anomaly}: {other.because}")))
    console.print()


def order_in_words(order: OrderEnds) -> str:
    """A serial order, the transactions in its middle left out if there are many."""
    first, last = ", ".join(map(str, order.first)), ", ".join(map(str, order.last))
    if len(order.first) + len(order.last) == order.transactions:
        return f"serial order: {first}" + (f", {last}" if last else "")
    return f"serial order of {order.transactions:,}: {first}, ..., {last}"


def explanation(level: LevelResult) -> Iterator[tuple[int, str]]:
    """The lines of an explanation with their indentation: operations, derivations, the cycle."""
    for transcript in level.transcripts[:MOST_TRANSCRIPTS]:
        yield 6, in_one_line(transcript)
    yield from _more(level.transcripts[MOST_TRANSCRIPTS:], "transactions")
    for step in level.steps[:MOST_STEPS]:
        yield 6, f"derived: {step.because}"
        for edge in step.edges:
            yield 10, edge.because
    yield from _more(level.steps[MOST_STEPS:], "derived orders")
    if level.cases:
        yield 6, "every order of the versions leads to a cycle:"
        yield from _cases(level.cases, 6)
        return
    for sentence in level.sentences:
        yield 6, sentence


def _cases(cases: Sequence[Case], indent: int) -> Iterator[tuple[int, str]]:
    for case in cases:
        yield indent, f"{case.assumption}:"
        for edge in case.edges:
            yield indent + 4, edge.because
        yield from _cases(case.cases, indent + 4)


def _more(left_out: Sequence[object], counted: str) -> Iterator[tuple[int, str]]:
    if left_out:
        yield 6, f"and {len(left_out)} more {counted}, which --json prints"


def in_one_line(transcript: Transcript) -> str:
    """A transaction's operations as the history has them."""
    operations = " ".join(
        f"{operation.kind}({operation.key})={_value(operation.value)}"
        for operation in transcript.operations
    )
    notes = [] if transcript.session is None else [f"session {transcript.session}"]
    if len(transcript.operations) < transcript.of:
        notes.append(f"{len(transcript.operations)} of {transcript.of} operations")
    about = f" ({', '.join(notes)})" if notes else ""
    return f"{transcript.transaction}{about}: {operations}"


def _value(value: Hashable) -> str:
    if value is None:
        return "initial"
    if not isinstance(value, tuple):
        return str(value)
    elements = list(map(str, value))
    if len(elements) > MOST_ELEMENTS:
        elements[MOST_ELEMENTS // 2 : -MOST_ELEMENTS // 2] = ["..."]
    return f"[{' '.join(elements)}]"


def _headline(name: str, level: LevelResult) -> Text:
    verdict = level.verdict
    line = Text(f"  {level_in_words(name, level)}: ")
    line.append(verdict.verdict, COLOURS[verdict.verdict])
    if level.session_order:
        line.append(", session order counts")
        if level.without_session_order not in (None, verdict.verdict):
            line.append(f" (without it: {level.without_session_order})")
    if verdict.anomaly:
        line.append(f", {verdict.anomaly}")
    if verdict.phenomenon and verdict.phenomenon not in str(verdict.anomaly):
        line.append(f" ({verdict.phenomenon})")
    return line
