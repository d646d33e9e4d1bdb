"""``isodelta explore --separate``: the course of a search for histories that separate levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from isodelta.commands.pipeline import Course, Progress
from isodelta.exits import BadInput
from isodelta.options import Common

if TYPE_CHECKING:
    from rich.console import Console

    from isodelta.commands.explore.separating.results import Pair, Separating, Summary
    from isodelta.report import Report


@dataclass
class Separation(Course["Pair"]):
    """Every ordered pair of levels of one family, separated as far as the budget allows.

    ``family`` is ``delta``, ``key-value`` or ``predicate``; only the first can be replayed on an
    ``engine``. ``budget`` is in seconds. Raises BadInput.
    """

    common: Common
    family: str
    transactions: int
    budget: float
    engine: str | None
    separating: Separating | None = field(default=None, init=False)
    doing = "separating"

    def __post_init__(self) -> None:
        if self.family != "delta" and self.engine is not None:
            raise BadInput(f"--levels {self.family} excludes --engine: no engine has these levels")

    def results(self, progress: Progress) -> Iterator[Pair]:
        searched = self._snapshots if self.family == "delta" else self._key_value
        self.separating = searched(progress)
        yield from self.separating.pairs

    def _snapshots(self, progress: Progress) -> Separating:
        from checker.separation.snapshots import separate
        from isodelta.commands.explore.separating.snapshots import replay, separating
        from isodelta.runs.replaying import started_engine

        result = separate(
            self.transactions,
            budget=self.budget,
            progress=lambda schedules, _: progress(f"{schedules:,} schedules"),
        )
        replays = []
        if self.engine is not None:
            with started_engine(self.engine) as real:
                for done in replay(result, self.common.profile, real):
                    progress(f"replayed {done.label} at {done.level}")
                    replays.append(done)
        return separating(result, self.common.profile, replays)

    def _key_value(self, progress: Progress) -> Separating:
        from checker.separation.key_value.pairs import separate
        from isodelta.commands.explore.separating.key_value import separating

        predicates = self.family == "predicate"
        result = separate(
            self.transactions, predicates=predicates, budget=self.budget, progress=progress
        )
        return separating(result)

    def good(self, results: Sequence[Pair]) -> bool:
        return self.separating is not None and not self.separating.differences

    def summary(self) -> Summary | None:
        return None if self.separating is None else self.separating.summary

    def closing_words(self, results: Sequence[Pair], console: Console) -> None:
        from isodelta.commands.explore.separating.words import print_separating

        if self.separating is not None:
            print_separating(self.separating, console)

    def page(self, results: Sequence[Pair]) -> Report:
        from isodelta.commands.explore.separating.page import page

        assert self.separating is not None, "a report is written only if there are results"
        return page(self.common, self.separating, self.engine)
