"""What ``explore --separate --levels key-value`` found, for people."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from checker.search.finding import describe
from isodelta.commands.explore.separating.key_value_results import KeyValueSeparating
from model.levels import KEY_VALUE_LEVELS, SHORT_WITHOUT_LOG


def print_key_value(separating: KeyValueSeparating, console: Console) -> None:
    """The table of pairs, the levels that are one, and every separating history."""
    table = Table("holds \\ violates", box=None, padding=(0, 2, 0, 0))
    for level in KEY_VALUE_LEVELS:
        table.add_column(SHORT_WITHOUT_LOG[level])
    for held in KEY_VALUE_LEVELS:
        table.add_row(held, *(cell(separating, held, violated) for violated in KEY_VALUE_LEVELS))
    console.print(table)
    words = (
        "H1, H2, ...: a history (below). =>: proved for histories of any size. <=n: no history of "
        "up to n transactions."
    )
    console.print(Text(words, "dim"))
    console.print()
    for sentence in same_levels(separating):
        console.print(Text(sentence))
    for history, label in separating.labels.items():
        holds, violates = (
            describe(names) for names in (separating.holds(history), separating.violates(history))
        )
        title = f"{label} ({separating.anomalies[history]}): holds {holds}, violates {violates}"
        console.print(Text(title, "bold"))
        for line in history.lines():
            console.print(Padding(Text(line), (0, 0, 0, 2)))
    console.print()
    found = separating.summary()
    rest = f", {found['equal']} equal up to {found['transactions']}" if found["equal"] else ""
    needing = ""
    if found["need_a_predicate"]:
        needing = f" {found['need_a_predicate']} of them need a predicate read."
    text = (
        f"{found['separated']} of {found['pairs']} ordered pairs separated by "
        f"{found['histories']} histories, {found['implied']} proved to be implications{rest}: "
        f"{found['processor_seconds']} s of processor time.{needing}"
    )
    console.print(Text(text, "bold"))


def same_levels(separating: KeyValueSeparating) -> list[str]:
    """One sentence for each group of levels that no history tells apart."""
    sentences = []
    for group in separating.lattice.groups:
        pairs = [separating.result.between(a, b) for a in group for b in group if a != b]
        if pairs:
            proved = all(each.proved for each in pairs)
            bound = min(each.up_to for each in pairs)
            why = (
                "proved to be the same."
                if proved
                else f"not told apart by up to {bound} transactions, and that is no proof."
            )
            sentences.append(f"{describe(group)}: {why}")
    return sentences


def cell(separating: KeyValueSeparating, held: str, violated: str) -> str:
    """What is known of one pair, in a few characters."""
    if held == violated:
        return ""
    separation = separating.result.between(held, violated)
    if separation.history is not None:
        return separating.labels[separation.history]
    return "=>" if separation.proved else f"<={separation.up_to}"
