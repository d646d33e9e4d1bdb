"""The hundred normative claims of the documents, numbered N1 to N100, as data.

What decides each of them is code (``isodelta.commands.claims``): a status is never written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping

from model.documents.claims import acid, exceptions, isolation, matrices, row_level
from model.documents.claims.claim import SOURCES, Claim, Kind

CLAIMS: Mapping[str, Claim] = {
    claim.name: claim
    for claim in sorted(
        (
            *isolation.CLAIMS,
            *acid.CLAIMS,
            *matrices.CLAIMS,
            *row_level.CLAIMS,
            *exceptions.CLAIMS,
        ),
        key=lambda claim: claim.number,
    )
}
"""Every claim by its name, in order."""

__all__ = ["CLAIMS", "SOURCES", "Claim", "Kind"]
