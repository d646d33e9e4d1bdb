"""``isodelta releases``: which release does what, by replays of one collection on each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import ENGINES, Common, common_options, engine_profile

if TYPE_CHECKING:
    from rich.console import Console

    from conformance.releases.catalogue import Release
    from conformance.releases.table import Cell
    from isodelta.commands.releases.results import ReleaseResult, Table


@click.command(short_help="Findings and conflicts by release of each engine.")
@click.argument("names", nargs=-1, metavar="[ENGINE@VERSION ...]")
@click.option(
    "--engine",
    type=click.Choice(tuple(ENGINES)),
    default="delta-rs",
    show_default=True,
    help="Whose releases, if none is named.",
)
@click.option(
    "--scenarios",
    "files",
    multiple=True,
    metavar="FILE",
    help="Scenarios to run on each; by default the findings about the engine. Repeatable.",
)
@click.option("--no-conflicts", is_flag=True, help="Leave out the cells of the conflict table.")
@click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    metavar="DIR",
    help="Keep what each release did here; one that is there is not run again.",
)
@click.option("--markdown", is_flag=True, help="Print Markdown, for a page.")
@common_options
def command(
    common: Common,
    names: Sequence[str],
    engine: str,
    files: Sequence[str],
    no_conflicts: bool,
    store: Path | None,
    markdown: bool,
) -> int:
    """Run one collection on several releases of an engine, and show where neighbours differ.

    Every cell is a replay. A release is fetched on first use and kept in the user's cache. Exit
    code 1 means that some cell differs between two of the releases, or could not be run on one.
    """
    from conformance.releases.catalogue import UnknownRelease, neighbours, release

    if markdown and common.json:
        raise BadInput("--markdown and --json exclude each other")
    try:
        chosen = tuple(map(release, names)) or neighbours(engine)
    except UnknownRelease as error:
        raise BadInput(error.message) from error
    engines = {one.engine for one in chosen}
    if len(engines) > 1:
        raise BadInput("the releases of one engine are compared with each other; name one engine's")
    if len({one.name for one in chosen}) < len(chosen):
        raise BadInput("a release is named twice")
    return run(Releases(common, chosen, tuple(files), not no_conflicts, store, markdown), common)


@dataclass
class Releases(Course["ReleaseResult"]):
    """Each release in turn, oldest first; then what differs between neighbours."""

    common: Common
    releases: Sequence[Release]
    files: Sequence[str]
    conflicts: bool
    store: Path | None
    markdown: bool
    doing = "running releases"
    table: Table | None = field(default=None)

    def results(self, progress: Progress) -> Iterator[ReleaseResult]:
        from conformance.releases.table import ReleaseRow, run_release
        from isodelta.commands.releases.results import ReleaseResult, Table
        from isodelta.commands.releases.store import keep, stored

        cells = self._cells()
        self.table = Table(tuple(cells), [])
        for release in self.releases:
            progress(release.name)
            row = None if self.store is None else stored(self.store, release, cells)
            if row is None:
                started = time.monotonic()
                fates = run_release(release, cells, self.common.profile)
                row = ReleaseRow(release, fates, time.monotonic() - started)
                if self.store is not None:
                    keep(self.store, row, cells)
            self.table.rows.append(row)
            yield ReleaseResult(row)

    def _cells(self) -> list[Cell]:
        from conformance.releases.table import Cell, conflict_cells
        from isodelta.files.scenarios import read_files
        from model.levels import DELTA_LEVELS
        from model.profiles import profile

        engine = self.releases[0].engine
        rules = profile(engine_profile(engine))
        self.common = Common(rules, self.common.json, self.common.seed, self.common.report)
        files = self.files or [str(path) for path in _findings(engine)]
        cells = [
            Cell("finding", loaded.scenario, loaded.workload.level)
            for loaded in read_files(files, rules)
        ]
        if self.conflicts:
            cells += conflict_cells(rules, DELTA_LEVELS)
        names = [cell.name for cell in cells]
        if twice := [name for name in names if names.count(name) > 1]:
            raise BadInput(f"--scenarios: two scenarios are called {twice[0]!r}")
        return cells

    def good(self, results: Sequence[ReleaseResult]) -> bool:
        ran = not any(result.row.not_run for result in results)
        return ran and (self.table is None or not self.table.changes)

    def words(self, result: ReleaseResult, console: Console) -> None:
        if not self.markdown:
            row = result.row
            console.print(f"{row.release.name}: {len(row.fates)} replays in {row.seconds:.0f} s")

    def closing_words(self, results: Sequence[ReleaseResult], console: Console) -> None:
        from isodelta.commands.releases.words import markdown, print_table

        if self.table is None:
            return
        if self.markdown:
            click.echo(markdown(self.table), nl=False)
        else:
            print_table(self.table, console)

    def summary(self) -> Table | None:
        return self.table


def _findings(engine: str) -> Sequence[Path]:
    """The findings about an engine that come with the project. Raises BadInput."""
    root = Path(__file__).resolve().parents[3]
    files = {
        "delta-rs": ("docs/findings/delta_rs.yaml",),
        "delta-spark": ("scenarios/suites/releases.yaml",),
    }[engine]
    found = [root / file for file in files]
    if not all(path.is_file() for path in found):
        raise BadInput("the findings are not installed here; name files with --scenarios")
    return found
