"""What two profiles do with the pairs of two kinds of statements, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from checker.search.comparing import Pair
from isodelta.files.scenario_writer import scenario_mapping


@dataclass(frozen=True, slots=True)
class Compared:
    """The pairs of one kind that commits second and one that commits first, at one place."""

    layout: str
    level: str
    current: str
    winner: str
    pairs: tuple[Pair, ...]

    @property
    def saved(self) -> int:
        """Aborts that became commits."""
        return sum(pair.saved for pair in self.pairs)

    @property
    def lost(self) -> int:
        """Commits that became aborts."""
        return sum(pair.lost for pair in self.pairs)

    @property
    def aborts(self) -> int:
        """Aborts under the profile that is compared with."""
        return (
            sum(not pair.saved and pair.before not in _PASSED for pair in self.pairs) + self.saved
        )

    @property
    def broken(self) -> tuple[Pair, ...]:
        """The pairs with which the level is broken that the other profile keeps."""
        return tuple(pair for pair in self.pairs if pair.breaks)

    def to_json(self) -> dict[str, object]:
        """The object that ``compare --json`` prints."""
        return {
            "layout": self.layout,
            "level": self.level,
            "current": self.current,
            "winner": self.winner,
            "pairs": len(self.pairs),
            "aborts": self.aborts,
            "saved": self.saved,
            "lost": self.lost,
            "broken": [scenario_mapping(pair.scenario) for pair in self.broken],
        }


_PASSED = ("committed", "no commit", "read")


def grouped(pairs: Iterable[Pair]) -> Iterator[Compared]:
    """The pairs by their kinds, in the order in which the kinds come first."""
    by_kinds: dict[tuple[str, str, str, str], list[Pair]] = {}
    for pair in pairs:
        by_kinds.setdefault((pair.layout, pair.level, *pair.kinds), []).append(pair)
    for key, group in by_kinds.items():
        yield Compared(*key, pairs=tuple(group))


@dataclass(frozen=True, slots=True)
class Total:
    """The sums over everything."""

    against: str
    profile: str
    results: Sequence[Compared]

    def to_json(self) -> dict[str, object]:
        """The last object of ``compare --json``."""
        return {
            "summary": {
                "against": self.against,
                "profile": self.profile,
                "pairs": sum(len(result.pairs) for result in self.results),
                "aborts": sum(result.aborts for result in self.results),
                "saved": sum(result.saved for result in self.results),
                "lost": sum(result.lost for result in self.results),
                "broken": sum(len(result.broken) for result in self.results),
            }
        }
