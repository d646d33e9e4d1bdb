"""``isodelta compare``: the conflicts that one profile has and another one has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import Common, common_options
from model.errors import InvalidScenario
from model.profiles import DEFAULT, Profile

if TYPE_CHECKING:
    from rich.console import Console

    from isodelta.commands.compare.results import Compared, Total


@click.command(short_help="Two profiles: aborts saved, aborts added, levels broken.")
@click.option(
    "--against",
    default=DEFAULT.name,
    show_default=True,
    metavar="NAME",
    help="The profile to compare with; also FILE.py:NAME.",
)
@click.option("--level", default=None, metavar="LEVEL", help="Only this isolation level.")
@click.option("--layout", default=None, metavar="NAME", help="Only this kind of table.")
@common_options
def command(common: Common, against: str, level: str | None, layout: str | None) -> int:
    """Count the conflicts that --profile saves and adds, and the levels that it breaks.

    Every ordered pair of statements is tried, the second one committing while the first one runs.
    The statements are the alphabet of `explore` on its tables, and on tables with deletion vectors
    those that row-level concurrency is about. Exit code 1 means that --profile breaks a level that
    the other profile keeps; with --json each such pair comes with its scenario.
    """
    from checker.search import alphabet, row_level
    from isodelta.files.profiles import profile

    try:
        other = profile(against)
    except InvalidScenario as error:
        raise BadInput(f"--against: {error}") from error
    levels = [name for name in common.profile.levels if name in other.levels]
    if level is not None and level not in levels:
        raise BadInput(f"--level: {level!r} is not a level of both (known: {', '.join(levels)})")
    chosen = tuple(levels) if level is None else (level,)
    known = (*alphabet.LAYOUTS, *row_level.LAYOUTS)
    if layout is not None and layout not in known:
        raise BadInput(f"--layout: there is no {layout!r} (known: {', '.join(known)})")
    return run(Comparing(common, other, chosen, known if layout is None else (layout,)), common)


@dataclass
class Comparing(Course["Compared"]):
    """One result for each layout, level and ordered pair of kinds."""

    common: Common
    against: Profile
    levels: Sequence[str]
    layouts: Sequence[str]
    doing = "comparing"
    results_so_far: list[Compared] = field(default_factory=list)

    def results(self, progress: Progress) -> Iterator[Compared]:
        from checker.search import alphabet, row_level
        from checker.search.comparing import compare
        from isodelta.commands.compare.results import grouped

        for layout in self.layouts:
            plain = layout in alphabet.LAYOUTS
            statements = alphabet.statements(layout) if plain else row_level.STATEMENTS
            for level in self.levels:
                progress(f"{layout}, {level}")
                pairs = compare(self.against, self.common.profile, layout, level, statements)
                for result in grouped(pairs):
                    self.results_so_far.append(result)
                    yield result

    def good(self, results: Sequence[Compared]) -> bool:
        return not any(result.broken for result in results)

    def closing_words(self, results: Sequence[Compared], console: Console) -> None:
        from isodelta.commands.compare.words import print_comparison

        print_comparison(results, self.against.name, self.common.profile.name, console)

    def summary(self) -> Total:
        from isodelta.commands.compare.results import Total

        return Total(self.against.name, self.common.profile.name, tuple(self.results_so_far))
