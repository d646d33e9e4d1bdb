"""The words of ``isodelta audit``: findings, overlaps and verdicts for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from checker.logs.findings import Finding
from isodelta.commands.audit.results import Audited
from isodelta.terminal import COLOURS, printable

SHOWN = 5
"""Reasons of one verdict that are written out."""


def print_finding(finding: Finding, console: Console) -> None:
    """One finding: its kind and its reason."""
    console.print(Text(finding.kind, "bold"))
    console.print(Padding(Text(printable(finding.because)), (0, 0, 0, 4)))


def print_audit(audited: Audited, console: Console) -> None:
    """The verdicts, with the number of commits and overlaps."""
    result = audited.audit
    if result.findings:
        console.print()
    console.print(Text(printable(result.location), "bold"))
    overlaps = (
        "no commits overlap as recorded"
        if not result.overlaps
        else f"{result.overlaps} pairs of commits overlap, in {result.overlapping_segments} places"
    )
    findings = len(result.findings) or "no"
    console.print(f"{result.commits} commits, {overlaps}; {findings} findings")
    for level, verdict in result.levels.items():
        line = Text(f"  {level}: ")
        line.append(verdict, COLOURS[verdict])
        console.print(line)
        reasons = list(dict.fromkeys(result.because[level]))
        for reason in reasons[:SHOWN]:
            console.print(Padding(Text(printable(reason)), (0, 0, 0, 6)))
        if len(reasons) > SHOWN:
            console.print(f"      and {len(reasons) - SHOWN} more reasons")
    if result.overlaps:
        print_what_if(audited, console)
    for note in result.notes:
        console.print(Padding(Text(printable(f"note: {note}")), (0, 0, 0, 2)))


def print_what_if(audited: Audited, console: Console) -> None:
    """The commits that each level would have refused: computed from the rules, never observed."""
    asked = audited.audit.what_if
    console.print("  what if (not observed): commits that the rules would have refused")
    for level in audited.audit.levels:
        sure, more = asked.surely[level], asked.possibly[level]
        console.print(f"      at {level}: {sure} surely, {more} more possibly")
    later = asked.pairs.most_common(1)
    if later:
        (name, earlier), count = later[0]
        times = "once" if count == 1 else f"{count} times"
        words = f"most often {name} overlapped {earlier}: {times}"
        console.print(Padding(Text(printable(words)), (0, 0, 0, 6)))
