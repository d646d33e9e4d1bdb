"""Evidence and the status that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """What is known of a claim. ``UNKNOWN`` means that its check could not be run."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    MODELLED = "modelled only"
    BEYOND = "out of scope"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that was looked at.

    ``text`` says what was seen, ``holds`` whether that is what the claim says, ``by`` who was
    asked (an engine, or a profile in the model), ``real`` whether that was an engine.
    ``scenario`` is the scenario to run it again, as a scenario file holds it.
    """

    text: str
    holds: bool
    by: str
    real: bool = False
    scenario: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The evidence as ``isodelta claims --json`` prints it."""
        result: dict[str, Any] = {"what": self.text, "supports": self.holds, "by": self.by}
        if self.scenario is not None:
            result["scenario"] = dict(self.scenario)
        return result


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one check."""

    status: Status
    because: str
    evidence: tuple[Evidence, ...] = ()


class CannotRun(Exception):
    """A check cannot be run here; the text says why."""


def conclude(evidence: Iterable[Evidence], because: str = "", lacks: str = "") -> Result:
    """The result that evidence adds up to.

    Evidence from an engine decides by itself: one counterexample refutes, and what the model
    says besides only explains. Where no engine was asked, the claim is modelled only; ``lacks``
    names the feature that engines lack, if that is why.
    """
    found = tuple(evidence)
    if not found:
        raise CannotRun("nothing was looked at")
    real = [each for each in found if each.real]
    against = [each for each in real or found if not each.holds]
    if real:
        status = Status.REFUTED if against else Status.CONFIRMED
    elif lacks:
        status = Status.REFUTED if against else Status.MODELLED
        because = because or f"no engine at hand has {lacks}"
    else:
        status = Status.REFUTED if against else Status.MODELLED
        because = because or "no engine was asked in this run"
    if against:
        because = "; ".join(each.text for each in against[:2])
    return Result(status, because or found[0].text, found)


def decided(evidence: Iterable[Evidence], because: str = "") -> Result:
    """The result of a claim that definitions and searches decide, with an engine or without."""
    found = tuple(evidence)
    against = [each for each in found if not each.holds]
    status = Status.REFUTED if against else Status.CONFIRMED
    if against:
        because = "; ".join(each.text for each in against[:2])
    return Result(status, because or found[0].text, found)
