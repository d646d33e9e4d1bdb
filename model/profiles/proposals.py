"""The proposals for Delta on Spark as profiles: ``delta-spark-4.4+7358+7359``, in any combination.

The numbers are those of the pull requests: 7358 (data skipping at conflict time), 7466 (the same by
rows), 7359 (union of deletion vectors), 7407 (compaction against DML) and 7331 (winners that change
no data). The bare name is the strongest reading of the texts, the fewest commits; with ``:weakest``
the other one. ``+guard`` adds the guard on reads, which is in no text. ``model.rules.proposed`` has
the rules, ``docs/proposals.md`` what is known of them.
"""

from __future__ import annotations

from dataclasses import replace

from model.errors import InvalidScenario
from model.profiles import delta_spark_4_4
from model.profiles.base import Profile
from model.rules.proposed import Proposal

_BASE = delta_spark_4_4.PROFILE
_WEAKEST = ":weakest"
PARTS = ("7331", "7358", "7466", "7359", "7407", "guard")
"""What may follow the name, each after a plus sign."""

SEPARATELY = ("7358", "7466", "7359", "7407", "7331")
TOGETHER = "7331+7358+7359+7407"


def proposal(name: str) -> Profile | None:
    """The profile with the proposals that ``name`` lists; None if it lists none.

    Raises InvalidScenario for a part that is not a proposal, or one that is named twice.
    """
    plain = name.removesuffix(_WEAKEST)
    base, *parts = plain.split("+")
    if base != _BASE.name or not parts:
        return None
    if unknown := [part for part in parts if part not in PARTS]:
        known = ", ".join(PARTS)
        raise InvalidScenario(f"no proposal {unknown[0]!r} is known (known: {known})")
    if len(set(parts)) < len(parts):
        raise InvalidScenario(f"a proposal is named twice in {name!r}")
    weakest = plain != name
    chosen = Proposal(
        skipping="7358" in parts or "7466" in parts,
        by_rows="7466" in parts,
        union="7359" in parts,
        moved="7407" in parts,
        unchanged="7331" in parts,
        any_winner=weakest,
        reads_may_move=weakest,
        guarded="guard" in parts,
    )
    changed = {rule.name: rule for rule in chosen.rules}
    return replace(
        _BASE,
        name=name,
        source="delta-io/delta, issue 7360 and the pull requests that it lists",
        rules=tuple(changed.get(rule.name, rule) for rule in _BASE.rules),
        reapplied=chosen.reapplied,
    )


def names() -> tuple[str, ...]:
    """Each proposal alone and all of them together, in both readings."""
    bare = [f"{_BASE.name}+{parts}" for parts in (*SEPARATELY, TOGETHER)]
    return tuple(name + reading for name in bare for reading in ("", _WEAKEST))
