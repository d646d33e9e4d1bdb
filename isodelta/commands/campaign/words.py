"""The causes and the counts of a campaign, in words for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from isodelta.commands.campaign.results import CampaignSummary, NewCause
from isodelta.terminal import printable


def print_cause(result: NewCause, console: Console) -> None:
    """One line for a new cause."""
    cause = result.cause
    where = cause.engine or "predicted"
    text = f"- {cause.kind} ({where}): {cause.title}, {cause.count:,} times, {cause.history}"
    console.print(Text(printable(text)), soft_wrap=True)


def print_summary(summary: CampaignSummary, console: Console) -> None:
    """The counts of the run, and what it fell short of."""
    totals = summary.totals
    whole = "complete" if totals.complete else "not complete: the same command goes on"
    console.print(
        Text(
            f"Run {totals.run}: {totals.schedules:,} schedules in {totals.histories:,} histories, "
            f"{totals.violations:,} of them break a promised level; {totals.replays:,} replays, "
            f"{totals.differences:,} differ; causes: {summary.causes:,}; {whole}. "
            f"{summary.seconds:.0f} s.",
            "bold",
        )
    )
    for line in summary.shortfall:
        console.print(Text(f"Vacuous: {line}.", "bold red"))
