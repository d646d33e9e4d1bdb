"""The type of a profile: an ordered list of rules, a default level, and what else differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from model.physical.footprint import Footprint
from model.physical.log import Commit, Snapshot
from model.rules import delta_spark
from model.rules.base import Attempt, Conflict, Rule
from model.statements import Statement

Noted = Callable[[Statement, Snapshot, Footprint], Footprint]
"""Maps the footprint that Delta on Spark would have to the one that an implementation has.

Raises StatementFailure if the implementation fails a statement that Spark does not fail.
"""

Reapplied = Callable[[str, Footprint, Snapshot, int], Footprint]
"""Maps a transaction's name and footprint to its footprint on the newest snapshot.

The last argument is the version that it began with."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The conflict rules of one implementation, or of one generation of the documents.

    Rules are tried in order, against one winner after the other, oldest first.

    The other fields describe how an implementation differs from Delta on Spark: ``noted`` in the
    reads that it notes (None: no difference), ``level_in_force`` in the level at which a commit
    is checked, ``skips_empty_commit`` in the treatment of a commit without actions, and
    ``logged`` in the fields that a commit writes about itself.

    ``reapplied`` handles a transaction that no rule refuses although files that it replaces are
    gone: row-level concurrency carries its changes over to the current files.
    ``features`` has the table features that the rules cover (``model.tables.protocol``; None:
    all that the model supports); a scenario that uses another one is refused. So is one with a
    statement that the implementation does not have, according to ``has`` (None: it has all).
    ``meaning`` gives a statement its meaning in the implementation, if that is not Spark's (None:
    it always is).
    """

    name: str
    source: str
    default_level: str
    levels: tuple[str, ...]
    rules: tuple[Rule, ...]
    noted: Noted | None = None
    level_in_force: Callable[[str, Footprint], str] = delta_spark.level_in_force
    skips_empty_commit: Callable[[str], bool] = delta_spark.skips_empty_commit
    logged: frozenset[str] = frozenset({"isBlindAppend", "isolationLevel"})
    reapplied: Reapplied | None = None
    features: frozenset[str] | None = None
    has: Callable[[Statement], bool] | None = None
    meaning: Callable[[Statement], Statement] | None = None

    def __repr__(self) -> str:
        return f"<Profile {self.name}: {len(self.rules)} rules, at {', '.join(self.levels)}>"

    def conflict(self, attempt: Attempt, winners: Iterable[Commit]) -> Conflict | None:
        """The first conflict of an attempt with the commits made after its snapshot."""
        for winner in winners:
            for rule in self.rules:
                because = rule.check(attempt, winner)
                if because is not None:
                    return Conflict(
                        rule.name, rule.conflict, winner.transaction, winner.version, because
                    )
        return None

    def without(self, rule: str) -> Profile:
        """The profile with one rule dropped: a mutant, to test that the suite notices."""
        if all(mine.name != rule for mine in self.rules):
            raise KeyError(rule)
        kept = tuple(mine for mine in self.rules if mine.name != rule)
        return replace(self, name=f"{self.name} without {rule}", rules=kept)

    def with_rule(self, changed: Rule) -> Profile:
        """The profile with the rule of the same name replaced."""
        rules = tuple(changed if mine.name == changed.name else mine for mine in self.rules)
        return replace(self, name=f"{self.name} with another {changed.name}", rules=rules)
