"""The registry of profiles, by name."""

from __future__ import annotations

from model.errors import InvalidScenario
from model.profiles import (
    databricks,
    delta_rs_1_6,
    delta_rs_releases,
    delta_spark_4_4,
    delta_spark_4_4_repaired,
    delta_spark_releases,
    no_rules,
    proposals,
)
from model.profiles.base import Profile

PROFILES = {
    profile.name: profile
    for profile in (
        delta_spark_4_4.PROFILE,
        delta_spark_4_4_repaired.PROFILE,
        delta_rs_1_6.PROFILE,
        *databricks.PROFILES,
    )
}
DEFAULT = delta_spark_4_4.PROFILE
NO_RULES = no_rules.PROFILE
"""The rules of no engine, hence not among ``PROFILES``; ``profile`` knows its name all the same."""

EARLIER = {
    profile.name: profile
    for profile in (*delta_rs_releases.PROFILES, *delta_spark_releases.PROFILES)
}
"""Earlier releases, each told apart from the next; not among ``PROFILES``, which are of today."""

_STRONGEST = ":strongest"


def profile(name: str) -> Profile:
    """The profile called ``name``; for a document also ``NAME:weakest`` or ``NAME:strongest``.

    Proposals are added to the name of an implementation (``model.profiles.proposals``).
    The bare name of a document is its strongest reading (``model.profiles.databricks`` gives the
    reason). Raises InvalidScenario with the existing names.
    """
    proposed = proposals.proposal(name)
    if proposed is not None:
        return proposed
    plain = name.removesuffix(_STRONGEST)
    chosen = PROFILES.get(plain) or EARLIER.get(name)
    if name == NO_RULES.name:
        return NO_RULES
    if chosen is None or (plain != name and f"{plain}:weakest" not in PROFILES):
        raise InvalidScenario(f"unknown profile {name!r} (known: {', '.join(sorted(PROFILES))})")
    return chosen


def readings() -> dict[str, tuple[str, ...]]:
    """Every profile without its reading, with the names in ``PROFILES`` of its readings.

    An implementation has only itself, a document its weakest reading and its strongest.
    """
    by_profile: dict[str, tuple[str, ...]] = {}
    for name in PROFILES:
        if ":" not in name:
            weakest = f"{name}:weakest"
            by_profile[name] = (weakest, name) if weakest in PROFILES else (name,)
    return by_profile


__all__ = ["DEFAULT", "NO_RULES", "PROFILES", "Profile", "profile", "readings"]
