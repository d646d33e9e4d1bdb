"""``isodelta explore``: a search for histories that break a level."""

from __future__ import annotations

import click

from isodelta.commands.pipeline import run
from isodelta.exits import BadInput
from isodelta.options import Common, budget_option, common_options, engine_option

LEVEL_FAMILIES = ("delta", "key-value", "predicate")
"""The values of ``--levels``."""


@click.command(short_help="Search for histories that break a level.")
@click.option(
    "--transactions",
    type=click.IntRange(1, 12),
    default=None,
    metavar="N",
    help="Most transactions in a history; 3 by default, 4 for key-value levels. "
    "More than 6 with --symbolic only.",
)
@click.option(
    "--level",
    default=None,
    metavar="LEVEL",
    help="The isolation level of the tables; both by default.",
)
@engine_option(
    help_text="Replay on a real engine as well, and look for differences from the model."
)
@click.option(
    "--every-kind",
    is_flag=True,
    help="Use every statement kind: MERGE, overwrites, RESTORE, ALTER TABLE and so on.",
)
@click.option(
    "--symbolic",
    is_flag=True,
    help="Ask a solver for the smallest violations, without a fixed alphabet of statements.",
)
@click.option(
    "--partitions",
    type=click.IntRange(1, 6),
    default=3,
    show_default=True,
    metavar="N",
    help="With --symbolic: number of partitions. One is like a table without partitions.",
)
@click.option(
    "--data-values",
    type=click.IntRange(1, 2),
    default=1,
    show_default=True,
    metavar="N",
    help="With --symbolic: values of a data column. With 2, files have rows that statements skip.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="With --symbolic: every smallest violation of a kind, up to names, instead of one each.",
)
@click.option(
    "--separate",
    is_flag=True,
    help="For every pair of levels, find the smallest history that separates them.",
)
@click.option(
    "--levels",
    type=click.Choice(LEVEL_FAMILIES),
    default="delta",
    show_default=True,
    help="With --separate: the levels of a Delta table, or those of key-value histories, without "
    "or with predicate reads.",
)
@budget_option("60s")
@common_options
def command(
    common: Common,
    transactions: int | None,
    level: str | None,
    budget: float,
    engine: str | None,
    every_kind: bool,
    symbolic: bool,
    partitions: int,
    data_values: int,
    every: bool,
    separate: bool,
    levels: str,
) -> int:
    """Search all schedules of up to N transactions for histories that break a level.

    The transactions come from an alphabet of statements, on a table with partitions and on one
    without. Schedules beyond the budget are sampled at random, and so are the scenarios that an
    engine replays: statements of every kind, on tables with constraints, computed columns,
    deletion vectors and so on. Exit code 1 means that a table broke the promise of its own
    level, or that the engine differs from the model. Violations that the documents allow at the
    table's level are listed as well, and marked so.

    With --symbolic the transactions are unknowns for a solver: which partitions each reads, adds
    to and takes rows out of, and when it begins. It gives the smallest violations of the
    table's level, as SQL and confirmed by the model, or says that there are none: fewest
    transactions, then steps, then files; one of each kind of statements and schedule, or with
    --all every one that differs by more than the names of partitions and values.
    Statements are INSERT, DELETE and UPDATE, with --every-kind MERGE and REPLACE WHERE too.

    With --separate no rules are applied: for every ordered pair of isolation levels it gives the
    smallest history that holds one and violates the other, or says why there is none, and
    whether the profile's rules admit each history. With --levels key-value or predicate the
    levels are axioms about key-value histories (ReadCommitted to Serializable): the smallest
    history comes from a solver, and every implication is proved for histories of any size.
    """
    if level is not None and level not in common.profile.levels:
        levels = ", ".join(common.profile.levels)
        raise BadInput(f"--level: {common.profile.name} has no level {level!r} (known: {levels})")
    if levels != "delta" and not separate:
        raise BadInput("--levels is an option of --separate")
    if transactions is not None and transactions > 6 and not symbolic:
        raise BadInput("--transactions: more than 6 only with --symbolic")
    if separate:
        if symbolic or every_kind or level is not None:
            raise BadInput("--separate excludes --symbolic, --every-kind and --level")
        from isodelta.commands.explore.separating.command import Separation

        most = transactions or (3 if levels == "delta" else 4)
        return run(Separation(common, levels, most, budget, engine), common)
    tables = common.profile.levels if level is None else (level,)
    size = transactions or 3
    if symbolic:
        from checker.synthesis.search import Bounds
        from isodelta.commands.explore.symbolic import Solving, Synthesis

        bounds = Bounds(partitions, data_values, every_kind)
        synthesis = Synthesis(common.profile, tables, size, budget, bounds=bounds, every=every)
        return run(Solving(synthesis, common, engine), common)
    if (data_values, partitions, every) != (1, 3, False):
        raise BadInput("--partitions, --data-values and --all are options of --symbolic")
    from isodelta.commands.explore.search import Exploration, Searching

    exploration = Exploration(common.profile, tables, size, budget, common.seed, every_kind)
    return run(Searching(exploration, common, engine), common)
