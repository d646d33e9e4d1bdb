"""``isodelta check``: scenarios in the model, judged and explained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import Common, common_options, schema_option

if TYPE_CHECKING:
    from rich.console import Console

    from isodelta.commands.check.results import UnderProfile
    from isodelta.report import Report
    from isodelta.runs.judging import Checked, Undecided
    from isodelta.runs.tables import CheckedTables


@click.command(short_help="Run scenarios in the model, judge and explain them.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@schema_option
@partial(common_options, every_profile=True)
def command(files: Sequence[str], schemas: Sequence[str], common: Common) -> int:
    """Run scenarios in the model, judge every level, and explain.

    A FILE is a scenario file (YAML), a SQL script, or a folder of either. A comment such as `-- A`
    before a statement of a script names a transaction, and `-- schedule: begin A, B, commit A`
    gives the order; without it, every order is checked.

    Exit code 1 means that an expectation failed, or that a scenario violates the isolation
    level of its table without expecting it. With --profile all, expectations are not checked,
    and it means that some profile admits a scenario that the level of its table forbids.
    """
    if not common.every_profile:
        return run(Checking(files, schemas, common), common)
    if common.report is not None:
        raise BadInput("--report: a report is about one profile, not about all of them")
    return run(CheckingEveryProfile(files, schemas, common), common)


@dataclass
class Checking(Course["Checked | CheckedTables | Undecided"]):
    """Each scenario under one profile."""

    files: Sequence[str]
    schemas: Sequence[str]
    common: Common

    def results(self, progress: Progress) -> Iterator[Checked | CheckedTables | Undecided]:
        from isodelta.files.scripts import read_scenarios
        from isodelta.runs.tables import decided

        for loaded in read_scenarios(self.files, self.common.profile, self.schemas):
            yield decided(loaded, self.common.profile)

    def good(self, results: Sequence[Checked | CheckedTables | Undecided]) -> bool:
        return all(result.ok for result in results)

    def words(self, result: Checked | CheckedTables | Undecided, console: Console) -> None:
        from isodelta.commands.check.words import print_any

        print_any(result, console)

    def closing_words(
        self, results: Sequence[Checked | CheckedTables | Undecided], console: Console
    ) -> None:
        from isodelta.commands.check.words import print_closing

        print_closing(results, console)

    def page(self, results: Sequence[Checked | CheckedTables | Undecided]) -> Report:
        from isodelta.commands.check.page import page

        return page(self.common, results)


@dataclass
class CheckingEveryProfile(Course["UnderProfile"]):
    """Each scenario under each profile, side by side."""

    files: Sequence[str]
    schemas: Sequence[str]
    common: Common

    def results(self, progress: Progress) -> Iterator[UnderProfile]:
        from isodelta.commands.check.results import under_every_profile
        from isodelta.files.scripts import read_scenarios

        for loaded in read_scenarios(self.files, self.common.profile, self.schemas):
            yield from under_every_profile(loaded)

    def good(self, results: Sequence[UnderProfile]) -> bool:
        return not any(result.broken for result in results)

    def closing_words(self, results: Sequence[UnderProfile], console: Console) -> None:
        from isodelta.commands.check.words import print_every_profile

        print_every_profile(results, console)
