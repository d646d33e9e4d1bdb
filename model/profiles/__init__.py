"""The profiles by name."""

from __future__ import annotations

from model.errors import InvalidScenario
from model.profiles import delta_rs_1_6, delta_spark_4_4
from model.profiles.base import Profile

PROFILES = {profile.name: profile for profile in (delta_spark_4_4.PROFILE, delta_rs_1_6.PROFILE)}
DEFAULT = delta_spark_4_4.PROFILE


def profile(name: str) -> Profile:
    """The profile called ``name``. Raises InvalidScenario with the names that there are."""
    if name not in PROFILES:
        raise InvalidScenario(f"unknown profile {name!r} (known: {', '.join(sorted(PROFILES))})")
    return PROFILES[name]


__all__ = ["DEFAULT", "PROFILES", "Profile", "profile"]
