"""``isodelta explore``: a search for histories that break a level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from isodelta.engine_option import NAMES
from isodelta.exits import FOUND, OK, BadInput, EngineFailed
from isodelta.options import Common, budget_option, common_options

if TYPE_CHECKING:
    from checker.synthesis.search import Bounds
    from isodelta.commands.explore.search import Exploration
    from isodelta.commands.explore.symbolic import Synthesis


LEVEL_FAMILIES = ("delta", "key-value", "predicate")
"""What ``--levels`` may say."""


@click.command(short_help="Search for histories that break a level.")
@click.option(
    "--transactions",
    type=click.IntRange(1, 12),
    default=None,
    metavar="N",
    help="How many transactions a history may have; 3 unless given, 4 for key-value levels. "
    "More than 6 with --symbolic only.",
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
@click.option(
    "--symbolic",
    is_flag=True,
    help="Ask a solver for the smallest violations, over no fixed alphabet of statements.",
)
@click.option(
    "--partitions",
    type=click.IntRange(1, 6),
    default=3,
    show_default=True,
    metavar="N",
    help="With --symbolic: partitions of the table. One is like a table without partitions.",
)
@click.option(
    "--data-values",
    type=click.IntRange(1, 2),
    default=1,
    show_default=True,
    metavar="N",
    help="With --symbolic: values of a data column. With 2, files hold rows that statements skip.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="With --symbolic: every smallest violation of a kind, up to names, and not one of each.",
)
@click.option(
    "--separate",
    is_flag=True,
    help="For every pair of levels, the smallest history that tells them apart.",
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
    without. What the budget leaves out is sampled at random, and so is what an engine replays:
    statements of every kind, on tables with constraints, computed columns, deletion vectors and
    so on. Exit code 1 says that a table broke what its own level promises, or that the engine
    differs from the model; what the documents say that a level does not promise is listed as
    well, and marked so.

    With --symbolic the transactions are unknowns for a solver: which partitions each reads, adds
    to and takes rows out of, and when it begins. It gives the smallest violations of what the
    table's level promises, as SQL and confirmed by the model, or says that there are none:
    fewest transactions, then steps, then files, one of each kind of statements and schedule, or
    with --all every one that differs by more than the names of partitions and values.
    Statements are INSERT, DELETE and UPDATE, with --every-kind MERGE and REPLACE WHERE too.

    With --separate no rules are applied: for every ordered pair of isolation levels it gives the
    smallest history that holds the one and violates the other, or says why there is none, and
    what the profile's rules make of each history. With --levels key-value or predicate the
    levels are axioms about key-value histories (ReadCommitted to Serializable): the smallest
    history comes from a solver, and every implication is proved for histories of any size.
    """
    from checker.synthesis.search import Bounds
    from isodelta.commands.explore.search import Exploration
    from isodelta.commands.explore.separating.command import separate_levels
    from isodelta.terminal import progress

    if level is not None and level not in common.profile.levels:
        known = ", ".join(common.profile.levels)
        raise BadInput(f"--level: {common.profile.name} has no level {level!r} (known: {known})")
    tables = common.profile.levels if level is None else (level,)
    key_value = levels != "delta"
    if key_value and not separate:
        raise BadInput("--levels is an option of --separate")
    transactions = transactions or (4 if key_value else 3)
    if transactions > 6 and not symbolic:
        raise BadInput("--transactions: more than 6 only with --symbolic")
    if separate:
        if symbolic or every_kind or level is not None:
            raise BadInput("--separate excludes --symbolic, --every-kind and --level")
        if key_value and engine is not None:
            raise BadInput(f"--levels {levels} excludes --engine: no engine has these levels")
        return separate_levels(common, levels, transactions, budget, engine)
    if symbolic:
        bounds = Bounds(partitions, data_values, every_kind)
        return _synthesise(common, tables, transactions, budget, engine, bounds, every=every)
    if (data_values, partitions, every) != (1, 3, False):
        raise BadInput("--partitions, --data-values and --all are options of --symbolic")
    with progress("searching") as tell:
        exploration = Exploration(
            common.profile,
            tables,
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
        from isodelta.commands.explore.page import write_exploration_report

        write_exploration_report(common, exploration, engine)
    return FOUND if exploration.broken or exploration.differences else OK


def _synthesise(
    common: Common,
    levels: Sequence[str],
    transactions: int,
    budget: float,
    engine: str | None,
    bounds: Bounds,
    *,
    every: bool,
) -> int:
    from checker.synthesis.rules import RULE_SETS
    from checker.synthesis.search import LEVELS, PROFILES
    from isodelta.commands.explore.symbolic import Synthesis
    from isodelta.runs.results import print_json
    from isodelta.terminal import output, progress

    if common.profile.name not in PROFILES:
        known = ", ".join(PROFILES)
        raise BadInput(f"--symbolic: the rules of {common.profile.name} are not encoded ({known})")
    asked, levels = levels, [level for level in levels if level in LEVELS]
    if not levels:
        raise BadInput(f"--symbolic: violations of {', '.join(asked)} are not encoded")
    if bounds.every_kind and not RULE_SETS[common.profile.name].every_kind:
        raise BadInput(f"--symbolic: {common.profile.name} is not encoded with --every-kind")
    with progress("solving") as tell:
        synthesis = Synthesis(common.profile, levels, transactions, budget, tell, bounds, every)
        try:
            for found in synthesis.run():
                if common.json:
                    print_json(synthesis.result(found))
            if engine is not None and synthesis.findings:
                _replay_synthesis(engine, synthesis, common)
        finally:
            if common.json:
                print_json({"summary": synthesis.summary()})
    if not common.json:
        console = output()
        for found in synthesis.findings:
            console.print(f"{found.level}: {found.title}", markup=False, highlight=False)
            for name, sql in found.scenario.transactions.items():
                console.print(f"  {name}: {sql}", markup=False, highlight=False)
            steps = [f"{step.action} {step.transaction}" for step in found.scenario.schedule]
            console.print(f"  {', '.join(steps)}", markup=False, highlight=False)
        for sentence in synthesis.sentences():
            console.print(sentence, markup=False, highlight=False)
    if common.report is not None:
        from isodelta.commands.explore.page import write_synthesis_report

        write_synthesis_report(common, synthesis, engine)
    return FOUND if synthesis.findings else OK


def _replay_synthesis(engine: str, synthesis: Synthesis, common: Common) -> None:
    from conformance.engine import EngineError
    from isodelta.runs.replaying import started_engine
    from isodelta.runs.results import print_json

    try:
        with started_engine(engine) as started:
            for comparison in synthesis.replay(started):
                if common.json and not comparison.agrees:
                    print_json(synthesis.difference_result(comparison))
    except EngineError as error:
        raise EngineFailed(str(error)) from error


def _run(exploration: Exploration, common: Common) -> None:
    from isodelta.commands.explore.search import finding_result
    from isodelta.runs.results import print_json

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
    from isodelta.runs.replaying import started_engine

    exploration.engine = lambda: started_engine(engine)
    try:
        _run(exploration, common)
    except EngineError as error:
        raise EngineFailed(str(error)) from error


def _print(exploration: Exploration) -> None:
    from isodelta.commands.explore.words import print_exploration
    from isodelta.terminal import output

    print_exploration(exploration, output())
