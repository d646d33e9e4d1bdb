"""The conflicts that overlapping commits would have met at each level: never an observation.

The rule is that of Delta on Spark for added files, asked of what the log bounds: a commit is
refused because of an earlier one that added rows to what it had read; at WriteSerializable blind
appends are left out. Sources: docs/claims.md, N86 and N87.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from checker.logs.overlap.traces import Trace
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE

MOST_PAIRS = 500_000
"""Overlapping pairs that are asked."""


@dataclass
class WhatIf:
    """Commits that would have been refused at each level, surely and possibly.

    ``pairs`` counts the overlapping pairs of operations, (later, earlier); ``asked`` is their
    number, and ``complete`` is False if there are more than were asked.
    """

    surely: Counter[str] = field(default_factory=Counter)
    possibly: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    asked: int = 0
    complete: bool = True

    def to_json(self) -> dict[str, object]:
        """The object in the summary of ``isodelta audit --json``."""
        return {
            "would_be_refused": {
                level: {"surely": self.surely[level], "possibly": self.possibly[level]}
                for level in (SERIALIZABLE, WRITE_SERIALIZABLE)
            },
            "pairs": [
                {"later": later, "earlier": earlier, "overlaps": count}
                for (later, earlier), count in self.pairs.most_common()
            ],
            "complete": self.complete,
        }


def what_if(traces: Sequence[Trace], asked: Collection[int]) -> WhatIf:
    """The answer for the commits of some versions."""
    result = WhatIf()
    if not traces:
        return result
    base = traces[0].version
    place = {commit.version: index for index, commit in enumerate(traces)}
    for index, later in enumerate(traces):
        if later.version not in asked or later.read_version is None or not later.missed:
            continue
        missed = traces[place.get(max(later.read_version + 1, base), 0) : index]
        if result.asked + len(missed) > MOST_PAIRS:
            result.complete = False
            break
        result.asked += len(missed)
        result.pairs.update((later.operation, earlier.operation) for earlier in missed)
        _ask(later, missed, result)
    return result


def _ask(later: Trace, missed: Sequence[Trace], result: WhatIf) -> None:
    for level in (SERIALIZABLE, WRITE_SERIALIZABLE):
        counted = [earlier for earlier in missed if level == SERIALIZABLE or not earlier.blind]
        if any(later.has_read(earlier) for earlier in counted):
            result.surely[level] += 1
        elif any(later.may_have_read(earlier) for earlier in counted):
            result.possibly[level] += 1
