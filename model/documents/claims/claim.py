"""A claim: a numbered statement, its sources, and the kind of check that decides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

SOURCES: Mapping[str, str] = {
    "A": "Isolation levels and write conflicts, Azure Databricks, Runtime 14.2 (German)",
    "B": "Isolation levels and write conflicts, Azure Databricks, Runtime 14.3 (Chinese)",
    "C": "What are ACID guarantees on Azure Databricks (Japanese)",
    "D": "Isolation levels, Azure Databricks, about 2020 (Japanese and English)",
}
"""The documents by the letter that claims name them with."""


class Kind(StrEnum):
    """What decides a claim."""

    REPLAY = "replay"
    EXPERIMENT = "experiment"
    SEARCH = "search"
    MODEL = "model run"
    NONE = "none"

    @property
    def meaning(self) -> str:
        """The kind in one sentence."""
        return _MEANINGS[self]


_MEANINGS = {
    Kind.REPLAY: "schedules, replayed on real tables step by step",
    Kind.EXPERIMENT: "a look at files, logs, sessions or errors that no schedule alone shows",
    Kind.SEARCH: "all schedules of a bounded size in the model, with replays of witnesses",
    Kind.MODEL: "runs of the document's own rules in the model: no engine at hand has the feature",
    Kind.NONE: "nothing here can decide it",
}


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the documents, in words of our own.

    ``sources`` has the letters of ``SOURCES``. ``beyond`` says why nothing here can decide the
    claim; it is there for ``Kind.NONE`` and for no other kind.
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
