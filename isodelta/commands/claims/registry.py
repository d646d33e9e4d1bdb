"""Which check decides which claim."""

from __future__ import annotations

from collections.abc import Callable

from isodelta.commands.claims.bench import Bench
from isodelta.commands.claims.evidence import Result

Check = Callable[[Bench], Result]

CHECKS: dict[str, Check] = {}
"""Checks by the name of the claim; filled by the modules of ``isodelta.commands.claims.checks``."""


def decides(*claims: str) -> Callable[[Check], Check]:
    """Marks a function as the check of one claim, or of several that say the same."""

    def register(check: Check) -> Check:
        for claim in claims:
            if claim in CHECKS:
                raise ValueError(f"{claim} has a check already")
            CHECKS[claim] = check
        return check

    return register
