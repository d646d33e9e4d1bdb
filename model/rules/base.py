"""The type of a conflict rule: a named function of an attempt and one winner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from model.outcomes import Refusal
from model.physical.footprint import Footprint
from model.physical.log import Commit
from model.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A transaction that wants to commit: its footprint, and the level in force for it.

    ``table`` is the definition that it began with, ``winners`` are the commits made since then.
    """

    transaction: str
    footprint: Footprint
    level: str
    table: Table
    winners: tuple[Commit, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One conflict rule.

    ``check`` looks at an attempt and one winner (a commit made after the attempt's snapshot)
    and gives the reason for a conflict in words, or None. ``conflict`` names the conflict;
    ``source`` says where the rule is written down.
    """

    name: str
    conflict: Refusal
    check: Callable[[Attempt, Commit], str | None]
    source: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why an attempt failed: the rule, and the winner that it failed against."""

    rule: str
    name: str
    winner: str
    version: int
    because: str
