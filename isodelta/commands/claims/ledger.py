"""The ledger: runs of the checks of claims, in a given order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from isodelta.commands.claims.bench import Bench
from isodelta.commands.claims.checks import CHECKS, CLAIMS
from isodelta.commands.claims.claim import Check
from isodelta.commands.claims.results import CannotRun, Result, Row, Status

Progress = Callable[[str, int, int], None]
"""Called with the next claim, the number of claims done, and the number of all."""


def ledger(bench: Bench, names: Sequence[str], progress: Progress | None = None) -> Iterator[Row]:
    """Checks claims by name, in the order given; a check that several share is run once.

    Raises EngineError if the engine cannot be started. If it fails within a check, that claim is
    unknown, and the engine is started again for the next.
    """
    results: dict[Check, Result] = {}
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
        if check not in results:
            results[check] = _run(check, bench)
        yield Row(claim, results[check])


def _run(check: Check, bench: Bench) -> Result:
    try:
        return check.run(bench)
    except CannotRun as error:
        return Result(Status.UNKNOWN, f"not checked: {error}")
    except Exception as error:  # noqa: BLE001 - one check that fails must not end the others
        bench.close()  # the engine's state is unknown
        reason = " ".join(str(error).split())[:300]
        return Result(Status.UNKNOWN, f"not checked: {type(error).__name__}: {reason}")
