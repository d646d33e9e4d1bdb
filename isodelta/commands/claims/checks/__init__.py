"""The claims of the documents and the checks that decide them, one module for each topic."""

from __future__ import annotations

from collections.abc import Mapping

from isodelta.commands.claims.checks import (
    acid,
    appends,
    exceptions,
    files_and_log,
    isolation,
    matrices,
    metadata,
    row_level,
)
from isodelta.commands.claims.checks.out_of_scope import OUT_OF_SCOPE
from isodelta.commands.claims.claim import Check, Claim

_TOPICS = (isolation, acid, files_and_log, matrices, appends, row_level, exceptions, metadata)

CHECKS: Mapping[str, Check] = {
    claim.name: check
    for topic in _TOPICS
    for check in vars(topic).values()
    if isinstance(check, Check)
    for claim in check.claims
}
"""The check of each claim that can be decided, by the claim's name."""

CLAIMS: Mapping[str, Claim] = {
    claim.name: claim
    for claim in sorted(
        (
            *(c for name, check in CHECKS.items() for c in check.claims if c.name == name),
            *OUT_OF_SCOPE,
        ),
        key=lambda claim: claim.number,
    )
}
"""Every claim by its name, N1 to N100 in order."""
