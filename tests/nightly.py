"""The two sizes of a random test: that of every change, and the long one of every night."""

from __future__ import annotations

import os

NIGHTLY = os.environ.get("ISODELTA_NIGHTLY") == "1"
"""Whether this is the long run: ``make nightly``."""


def cases(usual: int, nightly: int) -> int:
    """How many random cases a test tries in this run."""
    return nightly if NIGHTLY else usual
