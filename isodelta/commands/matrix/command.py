"""isodelta matrix: the conflict table, documents, model and engine side by side."""

from __future__ import annotations

import time

import click

from isodelta.engine_option import NAMES
from isodelta.exits import FOUND, OK, EngineFailed
from isodelta.options import Common, common_options


@click.command(short_help="The conflict table: documents, model, engine.")
@click.option("--engine", type=click.Choice(NAMES), default=None, help="Replay on a real engine.")
@click.option("--level", default=None, metavar="LEVEL", help="Only this isolation level.")
@click.option(
    "--probes",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Replays for each pair.",
)
@click.option("--markdown", is_flag=True, help="Print Markdown, to paste into a design review.")
@common_options
def command(
    common: Common, engine: str | None, level: str | None, probes: int, markdown: bool
) -> int:
    """Shows for every ordered pair of statement kinds whether the one can fail for the other.

    The table is there in every cell. Races for its creation, which one of two always loses, are
    in scenarios/statements/no_table_yet.yaml.
    """
    from conformance.engine import EngineError
    from conformance.matrix.table import matrix
    from conformance.replay.campaign import run_campaign
    from isodelta.commands.matrix import results as matrix_results
    from isodelta.commands.matrix.page import write_matrix_report
    from isodelta.exits import BadInput
    from isodelta.runs.engines import start
    from isodelta.runs.results import print_json

    started = time.monotonic()
    if markdown and common.json:
        raise BadInput("--markdown and --json exclude each other")
    levels = common.profile.levels if level is None else (level,)
    if level is not None and level not in common.profile.levels:
        known = ", ".join(common.profile.levels)
        raise BadInput(f"--level: unknown isolation level {level!r} (known: {known})")
    entries = list(matrix(common.profile, levels, probes))
    if engine is not None:
        by_job = {(job.scenario.name, job.level): e for e in entries for job in e.jobs}
        jobs = [job for entry in entries for job in entry.jobs]
        try:
            running = start(engine)
            try:
                for replayed in run_campaign(running, jobs, common.profile):
                    by_job[replayed.job.scenario.name, replayed.job.level].note(replayed)
            finally:
                running.close()
        except EngineError as error:
            raise EngineFailed(str(error)) from error
    if common.json:
        for entry in entries:
            print_json(matrix_results.entry_result(entry))
    elif markdown:
        click.echo(matrix_results.markdown(entries), nl=False)
    else:
        matrix_results.print_matrix(entries)
    if common.report is not None:
        write_matrix_report(common, entries, engine, time.monotonic() - started)
    differs = any(entry.engine not in (None, entry.model) for entry in entries)
    return FOUND if differs else OK
