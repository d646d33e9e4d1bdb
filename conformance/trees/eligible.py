"""Scenarios whose schedules cannot be taken from a tree, and the reason.

In each case something else than the table at its begin, the winners and the statement decides what
a transaction does, or a commit is more than files that are laid in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.spark.replay import commits_again, rebinds
from model.scenario import Scenario, Step
from model.several import homes

BY_TIME = re.compile(r"\bTIMESTAMP\s+AS\s+OF\b|\bFOR\s+(SYSTEM_)?TIME(STAMP)?\b", re.IGNORECASE)


def why_plainly(scenario: Scenario) -> str | None:
    """Why the transactions of a scenario are replayed plainly; None if a tree can run them."""
    if scenario.table.absent:
        return "the table does not exist yet: a commit puts it into the catalog"
    if len({scenario.target, *homes(scenario).values()}) > 1:
        return "several tables are written"
    for name, text in scenario.transactions.items():
        if commits_again(text):
            return f"{name} may commit several times"
        if rebinds(text):
            return f"{name} puts another table into the catalog"
        if BY_TIME.search(text):
            return f"{name} reads by time, and files that are laid in have their own"
    return None


def why_schedule_plainly(schedule: Sequence[Step]) -> str | None:
    """Why a schedule is replayed plainly: not all that begins in it ends."""
    begun = [step.transaction for step in schedule if step.action == "begin"]
    ended = [step.transaction for step in schedule if step.action == "commit"]
    if sorted(begun) != sorted(ended):
        return "a transaction begins and does not end"
    return None
