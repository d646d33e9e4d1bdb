"""Answers about workloads in words for a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from checker.robustness.answer import Answer, Question
from checker.robustness.histories import Found
from isodelta.commands.robust.readings import meaning, short
from isodelta.commands.robust.results import Asked, NothingWritten
from isodelta.commands.robust.sources.statements import Statement
from isodelta.commands.robust.sources.tables import LoadedTable
from isodelta.files.scenario_writer import schedule_entries
from isodelta.terminal import printable

COLOURS = {"robust": "green", "not robust": "red", "unknown": "yellow"}


def print_answer(asked: Asked, console: Console) -> None:
    """The answer, the history that shows it, the remedies, and the jobs that fail."""
    answer, replays = asked.answer, asked.replays
    jobs, serial = answer.jobs, answer.serial
    head = Text(f"{printable(jobs.name)}: ", "bold")
    head.append(serial.verdict, f"bold {COLOURS[serial.verdict]}")
    console.print(head)
    count = len({jobs.parts.get(name, name) for name in jobs.templates})
    named = "1 job" if count == 1 else f"{count} jobs"
    remark = f"table at {jobs.level}, rules of {jobs.profile.name}, {named}"
    console.print(Text(remark, "dim"))
    for job in dict.fromkeys(jobs.parts.values()):
        note = (
            f"Each statement of {printable(job)} is a transaction of its own: others may come "
            "between."
        )
        console.print(Text(note, "dim"))
    console.print()
    _line(meaning(serial), console)
    console.print()
    if serial.found is not None:
        _print_history(serial.found, console)
        for reason in serial.because.split("; "):
            _line(reason, console, 4)
        if serial.weaker is not None:
            _line(serial.weaker, console)
    else:
        _line(serial.because, console)
    if answer.writers is not serial:
        console.print()
        _question("For the writing jobs alone", answer.writers, console)
    console.print()
    _question("Is that order always the order of the log", answer.log_order, console)
    if answer.log_order.found is not None:
        _print_history(answer.log_order.found, console)
    _print_remedies(answer, console)
    _print_aborts(answer, console)
    if replays:
        console.print()
        confirmed = sum(replay.confirms for replay in replays)
        what = "the witness" if replays[0].about == "witness" else "the closest histories"
        text = f"On the real engine ({what}): {confirmed} of {len(replays)} as predicted."
        _line(text, console, style="green" if confirmed == len(replays) else "bold red")
    for failure in asked.unmet:
        _line(failure, console, style="bold red")
    if isinstance(asked.loaded, LoadedTable):
        _print_sources(asked.loaded, console)
    _print_skipped(asked.skipped, console)
    console.print()


def print_nothing(result: NothingWritten, console: Console) -> None:
    """The answer for files whose statements write no Delta table."""
    _line(f"{result.files}: no statement writes a Delta table.", console, 0, "bold")
    _print_skipped(result.skipped, console)


def _print_sources(loaded: LoadedTable, console: Console) -> None:
    """The parts that are known only roughly, and the types that were inferred."""
    if loaded.opaque:
        console.print()
        console.print(Text("  Not evaluated; it may come to anything:", "bold"))
        for part in dict.fromkeys(f"{each.part} ({each.job})" for each in loaded.opaque):
            _line(part, console, 4, "dim")
    if loaded.inferred:
        console.print()
        columns = ", ".join(f"{name} {type_}" for name, type_ in loaded.inferred.items())
        _line(f"Types inferred from their uses: {columns}", console, style="dim")


def _print_skipped(skipped: Sequence[Statement], console: Console) -> None:
    if not skipped:
        return
    console.print()
    console.print(Text("  Left alone:", "bold"))
    for each in skipped:
        _line(f"{each.job} {each.number}: {each.skipped}", console, 4, "dim")


def _question(title: str, question: Question, console: Console) -> None:
    words = {"robust": "yes", "not robust": "no", "unknown": "unknown"}
    text = Text("  ").append(f"{title}: ", "bold")
    text.append(words[question.verdict], COLOURS[question.verdict])
    console.print(text)
    _line(question.because, console, 4)
    if question.found is not None:
        _line(f"The history breaks these readings: {short(question)}.", console, 4)


def _print_history(history: Found, console: Console) -> None:
    for name, sql in history.scenario.transactions.items():
        text = Text(f"{name}: ", "bold cyan").append(printable(sql), "default")
        console.print(Padding(text, (0, 0, 0, 4)))
    _line(f"in the order: {', '.join(schedule_entries(history.scenario.schedule))}", console, 4)


def _print_remedies(answer: Answer, console: Console) -> None:
    if answer.serial.verdict == "robust":
        return
    console.print()
    heading = "Each of these makes the jobs robust" if answer.remedies else "No remedy was found"
    console.print(Text(f"  {heading}:" if answer.remedies else f"  {heading}.", "bold"))
    for remedy in answer.remedies:
        _line(f"- {remedy.words}", console, 4)
        for job, sql in remedy.changed.items():
            _line(f"{job}: {sql}", console, 6, "cyan")


def _print_aborts(answer: Answer, console: Console) -> None:
    console.print()
    if not answer.aborts:
        _line("No job was found that makes another fail.", console)
        return
    console.print(Text("  A run fails when another one commits before it:", "bold"))
    by_current: dict[str, list[str]] = defaultdict(list)
    for abort in answer.aborts:
        by_current[abort.current].append(f"{abort.winner} ({abort.conflict})")
    for current, winners in by_current.items():
        _line(f"{current}: because of {', '.join(winners)}", console, 4)


def _line(text: str, console: Console, indent: int = 2, style: str = "") -> None:
    console.print(Padding(Text(printable(text), style), (0, 0, 0, indent)))
