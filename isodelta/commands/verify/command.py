"""isodelta verify: the main job."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path

import click

from isodelta.engine_option import engine_option
from isodelta.exits import EngineFailed
from isodelta.options import Common, budget_option, common_options


@click.command(short_help="Run the whole suite, model and real engine, into a report.")
@engine_option
@budget_option("4m")
@common_options
def command(common: Common, budget: float, engine: str) -> int:
    """Runs the whole suite, in the model and on real tables, and writes a report folder.

    The scenario collection, an exhaustive search, the documents' conflict table, and random
    histories for the rest of the time. The report is index.html, report.json, junit.xml and one
    scenario file for each finding.
    """
    from isodelta.commands.verify.run import Order, run_suite
    from isodelta.files.collection import collection_files, statement_files, suite_files
    from isodelta.report.views.terminal import print_summary
    from isodelta.runs.engines import start
    from isodelta.runs.results import print_json
    from isodelta.versions import versions

    folder = common.report or Path("report")
    order = Order(
        profile=common.profile,
        engine=engine,
        seed=common.seed,
        budget=budget,
        folder=folder,
        scenario_files=collection_files(),
        statement_files=statement_files(),
        suite_files=suite_files(),
        command=shlex.join(["isodelta", *sys.argv[1:]]),
        versions=versions(),
    )
    report, code, error = run_suite(order, lambda: start(engine))
    if common.json:
        print_json({"summary": asdict(report.summary)})
    else:
        print_summary(report, folder / "index.html")
    if error is not None:
        raise EngineFailed(f"{error} (the report so far is in {folder})")
    return code
