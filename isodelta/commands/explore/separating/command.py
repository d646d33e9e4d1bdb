"""``isodelta explore --separate``: the search, its words or JSON, and its report."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from isodelta.exits import FOUND, OK, BadInput, EngineFailed
from isodelta.options import Common

if TYPE_CHECKING:
    from collections.abc import Callable

    from isodelta.commands.explore.separating.results import Separating


def separate_levels(
    common: Common, family: str, transactions: int | None, budget: float, engine: str | None
) -> int:
    """Searches for histories that separate the levels of a family; returns the exit code.

    ``family`` is ``delta``, ``key-value`` or ``predicate``; only the first can be replayed on an
    ``engine``. Raises BadInput and EngineFailed.
    """
    from isodelta.commands.explore.separating.words import print_separating
    from isodelta.commands.pipeline import print_json
    from isodelta.terminal import output
    from isodelta.terminal import progress as progress_line

    if family != "delta" and engine is not None:
        raise BadInput(f"--levels {family} excludes --engine: no engine has these levels")
    size = transactions or (3 if family == "delta" else 4)
    started = monotonic()
    with progress_line("separating") as progress:
        if family == "delta":
            separating = _snapshots(common, size, budget, engine, progress)
        else:
            separating = _key_value(size, budget, progress, predicates=family == "predicate")
    if common.json:
        for pair in separating.pairs:
            print_json(pair.to_json())
        print_json({"summary": separating.summary.to_json()})
    else:
        print_separating(separating, output())
    if common.report is not None:
        from isodelta.commands.explore.separating.page import write_separating_report

        write_separating_report(common, separating, engine, monotonic() - started)
    return FOUND if separating.differences else OK


def _snapshots(
    common: Common,
    transactions: int,
    budget: float,
    engine: str | None,
    progress: Callable[[str], None],
) -> Separating:
    from checker.separation.snapshots import separate
    from conformance.engine import EngineError
    from isodelta.commands.explore.separating.snapshots import replay, separating
    from isodelta.runs.replaying import started_engine

    result = separate(
        transactions,
        budget=budget,
        progress=lambda schedules, _: progress(f"{schedules:,} schedules"),
    )
    replays = []
    if engine is not None:
        try:
            with started_engine(engine) as real:
                for done in replay(result, common.profile, real):
                    progress(f"replayed {done.label} at {done.level}")
                    replays.append(done)
        except EngineError as error:
            raise EngineFailed(str(error)) from error
    return separating(result, common.profile, replays)


def _key_value(
    transactions: int, budget: float, progress: Callable[[str], None], *, predicates: bool
) -> Separating:
    from checker.separation.key_value.pairs import separate
    from isodelta.commands.explore.separating.key_value import separating

    return separating(
        separate(transactions, predicates=predicates, budget=budget, progress=progress)
    )
