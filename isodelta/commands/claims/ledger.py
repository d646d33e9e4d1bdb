"""Runs the checks and gives the ledger's rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from isodelta.commands.claims import checks
from isodelta.commands.claims.bench import Bench
from isodelta.commands.claims.evidence import CannotRun, Result, Status
from isodelta.commands.claims.registry import CHECKS
from model.documents.claims import CLAIMS, Claim

assert checks  # importing them registers them

Progress = Callable[[str, int, int], None]
"""Told the claim that comes next, how many are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Row:
    """One claim and what came of its check."""

    claim: Claim
    result: Result

    def to_json(self) -> dict[str, Any]:
        """The row as ``isodelta claims --json`` prints it."""
        return {
            "claim": self.claim.name,
            "status": self.result.status.value,
            "evidence": [each.to_json() for each in self.result.evidence],
            "because": self.result.because,
            "statement": self.claim.statement,
            "sources": list(self.claim.sources),
            "kind": self.claim.kind.value,
        }


def ledger(bench: Bench, names: Sequence[str], progress: Progress | None = None) -> Iterator[Row]:
    """Checks claims by name, in the order given; a check that several share is run once.

    Raises EngineError where the engine cannot be started. One that fails within a check makes
    that claim unknown, and is started anew for the next.
    """
    known: dict[object, Result] = {}
    if bench.real:
        _ = bench.engine
    for done, name in enumerate(names):
        if progress is not None:
            progress(name, done, len(names))
        claim = CLAIMS[name]
        check = CHECKS.get(name)
        if check is None:
            yield Row(claim, Result(Status.BEYOND, claim.beyond))
            continue
        if check not in known:
            known[check] = _run(check, bench)
        yield Row(claim, known[check])


def _run(check: Callable[[Bench], Result], bench: Bench) -> Result:
    try:
        return check(bench)
    except CannotRun as error:
        return Result(Status.UNKNOWN, f"not checked: {error}")
    except Exception as error:  # noqa: BLE001 - one check that fails must not end the others
        bench.close()  # the engine's state is not known any more
        told = " ".join(str(error).split())[:300]
        return Result(Status.UNKNOWN, f"not checked: {type(error).__name__}: {told}")
