"""``isodelta explore``: a search for histories that break a level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isodelta.engine_option import NAMES
from isodelta.exits import FOUND, OK, BadInput, EngineFailed
from isodelta.options import Common, budget_option, common_options

if TYPE_CHECKING:
    from isodelta.exploration import Exploration


@click.command(short_help="Search for histories that break a level.")
@click.option(
    "--transactions",
    type=click.IntRange(1, 6),
    default=3,
    show_default=True,
    metavar="N",
    help="How many transactions a history may have.",
)
@click.option(
    "--level",
    default=None,
    metavar="LEVEL",
    help="The level of the tables; both levels unless given.",
)
@click.option(
    "--engine",
    type=click.Choice(NAMES),
    default=None,
    help="Replay on a real engine as well, and look for differences from the model.",
)
@click.option(
    "--every-kind",
    is_flag=True,
    help="Over every statement kind: MERGE, overwrites, RESTORE, ALTER TABLE and so on.",
)
@budget_option("60s")
@common_options
def command(
    common: Common,
    transactions: int,
    level: str | None,
    budget: float,
    engine: str | None,
    every_kind: bool,
) -> int:
    """Search all schedules of up to N transactions for histories that break a level.

    The transactions come from an alphabet of statements, on a table with partitions and on one
    without. What the budget leaves out is sampled at random. Exit code 1 says that a table
    broke what its own level promises, or that the engine differs from the model; what the
    documents say that a level does not promise is listed as well, and marked so.
    """
    from isodelta.console import progress
    from isodelta.exploration import Exploration

    if level is not None and level not in common.profile.levels:
        known = ", ".join(common.profile.levels)
        raise BadInput(f"--level: {common.profile.name} has no level {level!r} (known: {known})")
    levels = common.profile.levels if level is None else (level,)
    with progress("searching") as tell:
        exploration = Exploration(
            common.profile,
            levels,
            transactions,
            budget,
            common.seed,
            every_kind,
            progress=lambda schedules, found: tell(
                f"{schedules:,} schedules, {found:,} minimal violations, "
                f"{exploration.seconds:.0f} s of {budget:.0f} s"
            ),
        )
        if engine is None:
            _run(exploration, common)
        else:
            _run_beside(engine, exploration, common)
    if not common.json:
        _print(exploration)
    if common.report is not None:
        from isodelta.exploration_report import write_exploration_report

        write_exploration_report(common, exploration, engine)
    return FOUND if exploration.broken or exploration.differences else OK


def _run(exploration: Exploration, common: Common) -> None:
    from isodelta.exploration import finding_result
    from isodelta.results import print_json

    try:
        for found in exploration.run():
            if common.json:
                print_json(finding_result(found, common.profile))
    finally:
        # After Ctrl-C and after a failure as well: what was found is not lost.
        if common.json:
            print_json({"summary": exploration.summary()})


def _run_beside(engine: str, exploration: Exploration, common: Common) -> None:
    from conformance.engine import EngineError
    from isodelta.replaying import started_engine

    exploration.engine = lambda: started_engine(engine)
    try:
        _run(exploration, common)
    except EngineError as error:
        raise EngineFailed(str(error)) from error


def _print(exploration: Exploration) -> None:
    from isodelta.console import output
    from isodelta.exploration_console import print_exploration

    print_exploration(exploration, output())
