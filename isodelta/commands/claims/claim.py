"""A claim: a numbered statement of the documents, its sources, and the check that decides it.

A claim stands above its check: ``@decides(Claim(...))`` marks a function of
``isodelta.commands.claims.checks``. No status is written by hand; it comes from running the check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isodelta.commands.claims.bench import Bench
    from isodelta.commands.claims.results import Result

SOURCES: Mapping[str, str] = {
    "A": "Isolation levels and write conflicts, Azure Databricks, Runtime 14.2 (German)",
    "B": "Isolation levels and write conflicts, Azure Databricks, Runtime 14.3 (Chinese)",
    "C": "What are ACID guarantees on Azure Databricks (Japanese)",
    "D": "Isolation levels, Azure Databricks, about 2020 (Japanese and English)",
}
"""The documents, by the letters that claims cite."""


class Kind(StrEnum):
    """The kind of the check that decides a claim."""

    REPLAY = "replay"
    """Schedules, replayed on real tables step by step."""
    EXPERIMENT = "experiment"
    """An inspection of files, logs, sessions or errors that no schedule alone shows."""
    SEARCH = "search"
    """All schedules of a bounded size in the model, with replays of witnesses."""
    MODEL = "model run"
    """Runs of the document's own rules in the model: no available engine has the feature."""
    NONE = "none"
    """Nothing here can decide it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the documents, in words of our own.

    ``sources`` has the letters of ``SOURCES``. ``beyond`` says why nothing here can decide the
    claim; it goes with ``Kind.NONE`` only, else ``ValueError`` is raised.
    """

    number: int
    sources: str
    statement: str
    kind: Kind
    beyond: str = ""

    def __post_init__(self) -> None:
        if (self.kind is Kind.NONE) != bool(self.beyond):
            raise ValueError(f"{self.name}: a reason goes with Kind.NONE and with nothing else")

    @property
    def name(self) -> str:
        """The claim's name: ``N12``."""
        return f"N{self.number}"


@dataclass(frozen=True, slots=True)
class Check:
    """A check, and the claims that it decides: one, or several that say the same."""

    claims: tuple[Claim, ...]
    run: Callable[[Bench], Result]


def decides(*claims: Claim) -> Callable[[Callable[[Bench], Result]], Check]:
    """Makes a function the check of the claims that stand above it."""
    return lambda run: Check(claims, run)
