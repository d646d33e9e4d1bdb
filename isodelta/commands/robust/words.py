"""Answers about workloads in words for a terminal."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from checker.robustness.answer import Answer, Question
from checker.robustness.histories import Found
from checker.robustness.jobs.workload import Instance
from checker.robustness.rates import Estimate, Variant
from checker.robustness.rates.simulation import Figure
from isodelta.commands.robust.readings import meaning, short
from isodelta.commands.robust.results import Asked, NothingWritten
from isodelta.commands.robust.sources.statements import Statement
from isodelta.commands.robust.sources.tables import LoadedTable
from isodelta.files.scenario_writer import schedule_entries
from isodelta.terminal import printable
from model.values.types import sql_literal

_YES = {"robust": "yes,", "not robust": "no,", "unknown": "not known"}

COLOURS = {"robust": "green", "not robust": "red", "unknown": "yellow"}


def headline(answer: Answer) -> str:
    """The answer in the words of the jobs."""
    jobs, serial = answer.jobs, answer.serial
    names = [*jobs.templates, *jobs.widening.outlines]
    shown = list(dict.fromkeys(jobs.parts.get(name, name) for name in names))
    if serial.verdict == "robust":
        return f"{jobs.level} is enough for {listed(shown)}."
    if serial.verdict == "unknown":
        return f"whether {jobs.level} is enough for {listed(shown)}."
    witness = serial.found
    guilty = [jobs.parts.get(i.job, i.job) for i in witness.instances] if witness else shown
    return f"{jobs.level} is not enough for {listed(list(dict.fromkeys(guilty)))}."


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names with commas and "and", the first few of many."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def print_answer(asked: Asked, console: Console) -> None:
    """The answer, the history that shows it, the remedies, and the jobs that fail."""
    answer, replays = asked.answer, asked.replays
    jobs, serial = answer.jobs, answer.serial
    head = Text(f"{printable(jobs.name)}: ", "bold")
    head.append(_YES[serial.verdict], f"bold {COLOURS[serial.verdict]}")
    head.append(f" {printable(headline(answer))}")
    console.print(head)
    console.print(Text(f"table at {jobs.level}, rules of {jobs.profile.name}", "dim"))
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
        _print_history(serial.found, asked, console)
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
        _print_history(answer.log_order.found, asked, console)
    _print_remedies(answer, console)
    _print_aborts(answer, console)
    _print_retries(answer, console)
    if asked.estimate is not None:
        _print_estimate(asked.estimate, console)
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
        for part in dict.fromkeys(f"{opaque.part} ({opaque.job})" for opaque in loaded.opaque):
            _line(part, console, 4, "dim")
    if loaded.inferred:
        console.print()
        columns = ", ".join(f"{name} {type_}" for name, type_ in loaded.inferred.items())
        _line(f"Types inferred from their uses: {columns}", console, style="dim")
    if loaded.assumptions:
        _line(f"Assumed: {'; '.join(loaded.assumptions)}.", console)


def _print_skipped(skipped: Sequence[Statement], console: Console) -> None:
    if not skipped:
        return
    console.print()
    console.print(Text("  Left alone:", "bold"))
    for statement in skipped:
        _line(f"{statement.job} {statement.number}: {statement.skipped}", console, 4, "dim")


def _question(title: str, question: Question, console: Console) -> None:
    words = {"robust": "yes", "not robust": "no", "unknown": "unknown"}
    text = Text("  ").append(f"{title}: ", "bold")
    text.append(words[question.verdict], COLOURS[question.verdict])
    console.print(text)
    _line(question.because, console, 4)
    if question.found is not None:
        _line(f"The history breaks these readings: {short(question)}.", console, 4)


def _print_history(history: Found, asked: Asked, console: Console) -> None:
    for name, instance in zip(history.scenario.transactions, history.instances, strict=True):
        text = Text(f"{name}: ", "bold cyan").append(printable(own_sql(instance, asked)), "default")
        console.print(Padding(text, (0, 0, 0, 4)))
    if isinstance(asked.loaded, LoadedTable):
        for sql in history.scenario.table.setup:
            _line(f"table before: {sql.removeprefix('INSERT INTO t ')}", console, 4, "dim")
        used = " ".join(history.scenario.transactions.values())
        for name, spec in history.scenario.tables.items():
            if not re.search(rf"\b{name}\b", used):
                continue
            rows = " ".join(spec.setup).removeprefix(f"INSERT INTO {name} VALUES ")
            shown = asked.loaded.shown_source(name)
            _line(f"{shown} ({', '.join(spec.columns)}): {rows}", console, 4, "dim")
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
        if remedy.adds:
            _line(f"then {failing(remedy.adds)}", console, 6, "dim")


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


def failing(adds: Sequence[tuple[str, str, str]]) -> str:
    """The aborts that a remedy adds."""
    winners: dict[str, list[str]] = defaultdict(list)
    for current, winner, conflict in adds:
        winners[current].append(f"{winner} ({conflict})")
    return "; ".join(
        f"{current} fails because of {', '.join(names)}" for current, names in winners.items()
    )


def _print_retries(answer: Answer, console: Console) -> None:
    by_verdict: dict[str, list[str]] = defaultdict(list)
    for retry in answer.retries:
        by_verdict[retry.verdict].append(retry.job)
    if not by_verdict:
        return
    console.print()
    words = [
        f"{'not known' if verdict == 'unknown' else verdict} for {', '.join(jobs)}"
        for verdict, jobs in by_verdict.items()
    ]
    text = Text("  To run again after an open error is ", "bold").append("; ".join(words), "")
    console.print(text)


def _print_estimate(estimate: Estimate, console: Console) -> None:
    """How often the jobs abort, in each variant."""
    console.print()
    console.print(Text("  How often a run aborts, per day (95 % confidence):", "bold"))
    for variant in estimate.variants:
        _line(f"{variant.name.removesuffix('.')}: {how_often(variant)}", console, 4)
    console.print(Text("  This estimate assumes:", "dim"))
    for line in estimate.assumptions:
        _line(line, console, 4, "dim")


def how_often(variant: Variant) -> str:
    """The figures of one variant in words."""
    outcome = variant.outcome
    if outcome is None:
        return f"not estimated ({variant.because})"
    text = f"{_interval(outcome.aborts)} aborts, {_interval(outcome.retries)} retries"
    if outcome.given_up.mean > 0:
        text += f", {_interval(outcome.given_up)} runs given up"
    often = [f"{name} {short_number(f.mean)}" for name, f in outcome.aborts_of.items() if f.mean]
    return f"{text} ({', '.join(often)})" if len(often) > 1 else text


def _interval(figure: Figure) -> str:
    low, high = short_number(figure.low), short_number(figure.high)
    return f"{short_number(figure.mean)} ({low} to {high})"


def short_number(value: float) -> str:
    """A figure with two digits that count, or as a whole number from 100 on."""
    return f"{value:.0f}" if value >= 100 or value == 0 else f"{value:.2g}"


def own_sql(instance: Instance, asked: Asked) -> str:
    """The SQL of a run as its author wrote it, with the values of its parameters."""
    if not isinstance(asked.loaded, LoadedTable):
        return instance.sql
    parts = asked.answer.jobs.widening.parts
    text = " ".join(asked.loaded.statements[instance.job].text.split())
    later = asked.answer.jobs.widening.later
    moved = [own for own, other in later.items() if re.search(rf"\b{other}\b", instance.sql)]
    values = [f"{asked.loaded.shown_source(own)} at another time" for own in moved]
    values += [
        f"{parts[name].part if name in parts else f':{name}'} = {sql_literal(value)}"
        for name, value in instance.values.items()
    ]
    return f"{text} -- with {', '.join(values)}" if values else text


def _line(text: str, console: Console, indent: int = 2, style: str = "") -> None:
    console.print(Padding(Text(printable(text), style), (0, 0, 0, indent)))
