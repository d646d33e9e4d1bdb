"""The results of a campaign: the causes that it was the first to show, and its counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pipeline.campaign import Cause, Totals


@dataclass(frozen=True, slots=True)
class NewCause:
    """A cause of violations or differences that the store did not have."""

    cause: Cause

    @property
    def promised(self) -> bool:
        """Whether it is a finding: what the documents say of a level is not."""
        return self.cause.kind != "documented"

    def to_json(self) -> dict[str, object]:
        """The object that ``campaign --json`` prints."""
        return {"finding": self.cause.kind, **asdict(self.cause)}


@dataclass(frozen=True, slots=True)
class CampaignSummary:
    """The counts of a run, over every call that it took, and the duration of this one.

    ``shortfall`` says what the run reached too little of.
    """

    totals: Totals
    causes: int
    seconds: float
    shortfall: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The last object of ``campaign --json``."""
        totals = self.totals
        return {
            "summary": {
                "run": totals.run,
                "batches": totals.batches,
                "schedules": totals.schedules,
                "histories": totals.histories,
                "replays": totals.replays,
                "differences": totals.differences,
                "violations": totals.violations,
                "causes": self.causes,
                "complete": totals.complete,
                "shortfall": list(self.shortfall),
                "seconds": round(self.seconds, 2),
            }
        }
