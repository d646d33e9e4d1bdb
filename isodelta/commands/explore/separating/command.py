"""``isodelta explore --separate``: the smallest history that tells two levels apart."""

from __future__ import annotations

from time import monotonic

from isodelta.exits import FOUND, OK, BadInput, EngineFailed
from isodelta.options import Common


def separate_levels(
    common: Common, family: str, transactions: int | None, budget: float, engine: str | None
) -> int:
    """Tells the levels of a family apart: ``delta``, ``key-value`` or ``predicate``.

    ``budget`` is in seconds. Returns the exit code. Raises BadInput, and EngineFailed.
    """
    if family == "delta":
        return _separate(common, transactions or 3, budget, engine)
    if engine is not None:
        raise BadInput(f"--levels {family} excludes --engine: no engine has these levels")
    return _separate_key_value(common, transactions or 4, budget, family == "predicate")


def _separate(common: Common, transactions: int, budget: float, engine: str | None) -> int:
    from checker.separation.snapshots import separate
    from conformance.engine import EngineError
    from isodelta.commands.explore.separating.results import Separating
    from isodelta.commands.explore.separating.words import print_separating
    from isodelta.commands.pipeline import print_json
    from isodelta.runs.replaying import started_engine
    from isodelta.terminal import output, progress

    with progress("separating") as tell:
        result = separate(
            transactions,
            budget=budget,
            progress=lambda schedules, _: tell(f"{schedules:,} schedules"),
        )
        separating = Separating(result, common.profile)
        if engine is not None:
            try:
                with started_engine(engine) as started:
                    for label, level in separating.replay(started):
                        tell(f"replayed {label} at {level}")
            except EngineError as error:
                raise EngineFailed(str(error)) from error
    if common.json:
        for pair in result.separations:
            print_json(separating.pair_result(pair))
        print_json({"summary": separating.summary()})
    else:
        print_separating(separating, output())
    if common.report is not None:
        from isodelta.commands.explore.separating.page import write_separating_report

        write_separating_report(common, separating, engine)
    return FOUND if separating.differences else OK


def _separate_key_value(common: Common, transactions: int, budget: float, predicates: bool) -> int:
    from checker.separation.key_value.pairs import separate
    from isodelta.commands.explore.separating.key_value_results import KeyValueSeparating
    from isodelta.commands.explore.separating.key_value_words import print_key_value
    from isodelta.commands.pipeline import print_json
    from isodelta.terminal import output, progress

    started = monotonic()
    with progress("separating") as tell:
        result = separate(transactions, predicates=predicates, budget=budget, told=tell)
    separating = KeyValueSeparating(result)
    if common.json:
        for pair in result.separations:
            print_json(separating.pair_result(pair))
        print_json({"summary": separating.summary()})
    else:
        print_key_value(separating, output())
    if common.report is not None:
        from isodelta.commands.explore.separating.key_value_page import write_key_value_report

        write_key_value_report(common, separating, monotonic() - started)
    return OK
