"""Results of claims: evidence, the status that follows from it, and the rows of the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from isodelta.commands.claims.claim import Claim


class Status(StrEnum):
    """The status of a claim. ``UNKNOWN`` means that its check could not be run."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    MODELLED = "modelled only"
    BEYOND = "out of scope"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation.

    ``text`` describes it, ``holds`` is True if it supports the claim, ``by`` names the engine or
    the model's profile, ``real`` is True for an engine. ``scenario`` is the scenario that shows
    it again, as a mapping for a scenario file.
    """

    text: str
    holds: bool
    by: str
    real: bool = False
    scenario: Mapping[str, object] | None = None

    def to_json(self) -> dict[str, object]:
        """The evidence as ``isodelta claims --json`` prints it."""
        result: dict[str, object] = {"what": self.text, "supports": self.holds, "by": self.by}
        if self.scenario is not None:
            result["scenario"] = dict(self.scenario)
        return result


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one check."""

    status: Status
    because: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One claim with the result of its check."""

    claim: Claim
    result: Result

    def to_json(self) -> dict[str, object]:
        """The row as ``isodelta claims --json`` prints it."""
        return {
            "claim": self.claim.name,
            "status": self.result.status.value,
            "evidence": [evidence.to_json() for evidence in self.result.evidence],
            "because": self.result.because,
            "statement": self.claim.statement,
            "sources": list(self.claim.sources),
            "kind": self.claim.kind.value,
        }


def counted(rows: Iterable[Row]) -> str:
    """The number of claims of each status, in words: ``3 confirmed, 1 out of scope``."""
    counts = Counter(row.result.status for row in rows)
    return ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])


class CannotRun(Exception):
    """The check cannot be run here; the text says why."""


def conclude(evidence: Iterable[Evidence], because: str = "", lacks: str = "") -> Result:
    """The result that follows from the evidence.

    Evidence from an engine decides by itself: one counterexample refutes, and the model's
    evidence only explains. Without an engine, the claim is modelled only; ``lacks`` names the
    feature that engines lack, if that is the reason.
    """
    looked_at = tuple(evidence)
    if not looked_at:
        raise CannotRun("nothing was looked at")
    real = [observed for observed in looked_at if observed.real]
    against = [observed for observed in real or looked_at if not observed.holds]
    if real:
        status = Status.REFUTED if against else Status.CONFIRMED
    elif lacks:
        status = Status.REFUTED if against else Status.MODELLED
        because = because or f"no engine at hand has {lacks}"
    else:
        status = Status.REFUTED if against else Status.MODELLED
        because = because or "no engine was asked in this run"
    if against:
        because = "; ".join(observed.text for observed in against[:2])
    return Result(status, because or looked_at[0].text, looked_at)


def decided(evidence: Iterable[Evidence], because: str = "") -> Result:
    """The result for a claim that definitions and searches decide, with or without an engine."""
    looked_at = tuple(evidence)
    against = [observed for observed in looked_at if not observed.holds]
    status = Status.REFUTED if against else Status.CONFIRMED
    if against:
        because = "; ".join(observed.text for observed in against[:2])
    return Result(status, because or looked_at[0].text, looked_at)
