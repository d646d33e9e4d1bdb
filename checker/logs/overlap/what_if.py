"""What would have conflicted at each level, of the commits that overlap: never an observation.

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
    """Asks the commits of some versions."""
    result = WhatIf()
    if not traces:
        return result
    base = traces[0].version
    place = {each.version: index for index, each in enumerate(traces)}
    for index, each in enumerate(traces):
        if each.version not in asked or each.read_version is None or not each.missed:
            continue
        missed = traces[place.get(max(each.read_version + 1, base), 0) : index]
        if result.asked + len(missed) > MOST_PAIRS:
            result.complete = False
            break
        result.asked += len(missed)
        result.pairs.update((each.operation, other.operation) for other in missed)
        _ask(each, missed, result)
    return result


def _ask(each: Trace, missed: Sequence[Trace], result: WhatIf) -> None:
    for level in (SERIALIZABLE, WRITE_SERIALIZABLE):
        counted = [other for other in missed if level == SERIALIZABLE or not other.blind]
        if any(each.has_read(other) for other in counted):
            result.surely[level] += 1
        elif any(each.may_have_read(other) for other in counted):
            result.possibly[level] += 1
