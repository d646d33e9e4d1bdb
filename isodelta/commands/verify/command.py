"""``isodelta verify``: the main job."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import EngineFailed
from isodelta.options import Common, budget_option, common_options, engine_option

if TYPE_CHECKING:
    from rich.console import Console

    from isodelta.commands.verify.results import SuiteRun


@click.command(short_help="Run the whole suite, model and real engine, into a report.")
@engine_option("delta-spark")
@budget_option("4m")
@common_options
def command(common: Common, budget: float, engine: str) -> int:
    """Run the whole suite, in the model and on real tables, and write a report folder.

    It covers the scenario collection, an exhaustive search, the documents' conflict table, and
    random histories for the rest of the time. The report is index.html, report.json, junit.xml
    and one scenario file for each finding.
    """
    folder = common.report or Path("report")
    # The suite writes its report itself, repeatedly while it runs.
    return run(Verifying(common, engine, budget, folder), replace(common, report=None))


@dataclass
class Verifying(Course["SuiteRun"]):
    """One run of the suite, whose report goes into ``folder``; ``budget`` is in seconds."""

    common: Common
    engine: str
    budget: float
    folder: Path

    def results(self, progress: Progress) -> Iterator[SuiteRun]:
        from isodelta.commands.verify.run import Order, run_suite
        from isodelta.files.collection import collection_files, statement_files, suite_files
        from isodelta.runs.engines import start
        from isodelta.versions import versions

        order = Order(
            profile=self.common.profile,
            engine=self.engine,
            seed=self.common.seed,
            budget=self.budget,
            folder=self.folder,
            scenario_files=collection_files(),
            statement_files=statement_files(),
            suite_files=suite_files(),
            command=shlex.join(["isodelta", *sys.argv[1:]]),
            versions=versions(),
        )
        suite = run_suite(order, lambda: start(self.engine))
        yield suite
        if suite.engine_failed is not None:
            raise EngineFailed(f"{suite.engine_failed} (the report so far is in {self.folder})")

    def good(self, results: Sequence[SuiteRun]) -> bool:
        return all(suite.good for suite in results)

    def words(self, result: SuiteRun, console: Console) -> None:
        from isodelta.report.views.terminal import print_summary

        print_summary(result.report, result.page, console)
