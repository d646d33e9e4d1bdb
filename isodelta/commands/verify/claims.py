"""The ledger of claims in the report of the whole suite, within its share of time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from conformance.engine import Engine
from isodelta.commands.claims.bench import Bench
from isodelta.commands.claims.checks import CLAIMS
from isodelta.commands.claims.ledger import ledger
from isodelta.commands.claims.page import add_claims, claim_line
from isodelta.commands.verify.context import Suite
from isodelta.report import ClaimLine, SuitePart
from isodelta.report.data import NOT_RUN

PART = "claims of the documents"

LONGEST = 10.0
"""Seconds that one check may take: with less time left, no check is started."""


def run_claims(
    suite: Suite, start_engine: Callable[[], Engine], names: Sequence[str], deadline: float
) -> None:
    """Checks the claims in their order on the suite's engine; without an engine, none.

    After a check that leaves the engine in an unknown state a new one is started. Raises
    EngineError.
    """
    if suite.engine is None or not names:
        return
    suite.display.part(PART, len(names))

    def engine() -> Engine:
        if suite.engine is None:
            suite.engine = start_engine()
        return suite.engine

    bench = Bench(engine, suite.profile)
    lines: dict[str, ClaimLine] = {}
    rows = ledger(bench, names)
    try:
        while len(lines) < len(names) and time.monotonic() + LONGEST < deadline:
            row = next(rows)
            lines[row.claim.name] = claim_line(row)
            suite.display.advance(PART)
            if not bench.started:
                suite.engine = None  # the ledger closed it
    finally:
        add_claims(suite.report, (lines.get(name) or _not_run(name) for name in names))
    counts = {"claims": len(names), "checked": len(lines)}
    for line in lines.values():
        counts[line.status] = counts.get(line.status, 0) + 1
    suite.leave_out(len(names) - len(lines), len(names), "claims of the documents")
    early = "the budget ended the checks early" if len(lines) < len(names) else ""
    suite.report.parts.append(SuitePart(PART, "passed", message=early, counts=counts))


def _not_run(name: str) -> ClaimLine:
    claim = CLAIMS[name]
    return ClaimLine(
        name=name,
        statement=claim.statement,
        sources=tuple(claim.sources),
        kind=claim.kind.value,
        status=NOT_RUN,
        because=f"this run had no time left for it; `isodelta claims {name}` checks it",
    )
