"""``isodelta campaign``: random histories on Spark, with the results in Delta tables."""

from __future__ import annotations

from pathlib import Path

import click

from isodelta.commands.pipeline import run
from isodelta.exits import BadInput
from isodelta.options import Common, budget_option, common_options, engine_option


class _Group(click.Group):
    """The command, and those below it, which are imported when they run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return ["report"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name != "report":
            return None
        from isodelta.commands.campaign.report import command as report

        return report


@click.command(
    cls=_Group,
    invoke_without_command=True,
    short_help="Run a campaign of random histories on Spark, into Delta tables.",
)
@click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    metavar="DIR",
    help="The folder of the Delta tables; made if it is not there, continued if it is.",
)
@click.option(
    "--master",
    default=None,
    metavar="URL",
    show_default="local[*]",
    help="Where Spark runs: local[N], spark://HOST:PORT, yarn, k8s://... or sc://...",
)
@click.option(
    "--schedules",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="Schedules to predict, at least; without it, as many as the budget allows.",
)
@click.option(
    "--also",
    "others",
    multiple=True,
    metavar="PROFILE",
    help="Predict under this profile as well. May be given several times.",
)
@engine_option(help_text="Replay what teaches most on a real engine, and compare.")
@budget_option(None)
@common_options
@click.pass_context
def command(
    context: click.Context,
    common: Common,
    store: Path | None,
    master: str | None,
    schedules: int | None,
    others: tuple[str, ...],
    engine: str | None,
    budget: float | None,
) -> int:
    """Predict and judge random histories on Spark, replay a choice of them, and compare.

    Everything goes into Delta tables below the store: histories, predictions, verdicts, replays,
    differences, findings, coverage and runs. A call goes on with the run that an earlier one left
    unfinished; if there is none, it begins a new one with the next positions of the random stream.
    A bound is needed: --schedules, --budget, or both.

    Exit code 1 means that a history breaks the promise of its table's level, that the engine
    differs from the model, or that the campaign reached too little to be worth anything.
    """
    if context.invoked_subcommand is not None:
        return 0
    if store is None:
        raise BadInput("campaign: --store says where the tables are")
    if schedules is None and budget is None:
        raise BadInput("campaign: give --schedules, --budget, or both")
    if common.report is not None:
        raise BadInput("--report: isodelta campaign report writes one")
    from isodelta.commands.campaign.course import Campaigning
    from isodelta.versions import versions
    from model.errors import InvalidScenario
    from model.profiles import profile
    from pipeline.campaign import Definition

    try:
        profiles = (common.profile, *(profile(name) for name in others))
    except InvalidScenario as error:
        raise BadInput(f"--also: {error}") from error
    definition = Definition(common.seed, profiles, versions()["isodelta"], engine, schedules)
    return run(Campaigning(store, definition, master, budget), common)
