"""Separations of a Delta table's levels by histories of snapshots, and conflict rules on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from checker.separation.snapshots import SnapshotHistory, SnapshotSeparations
from isodelta.commands.explore.separating.results import (
    Family,
    NamedHistory,
    Replay,
    Separating,
    SnapshotSearch,
    listed,
    summarised,
    why_equal,
)
from isodelta.files.scenario_writer import scenario_mapping
from isodelta.runs.judging import run_result
from model.levels import DELTA_LEVELS, LEVELS, SHORT
from model.outcomes import SUCCEEDED
from model.preparation import run_scenario
from model.profiles import Profile
from model.scenario import Expectation, Scenario

if TYPE_CHECKING:
    from conformance.engine import Engine

ADMITTED = "admitted"


def separating(
    result: SnapshotSeparations, profile: Profile, replays: Sequence[Replay] = ()
) -> Separating:
    """A search's result as the command shows it, with what the rules of ``profile`` admit."""
    family = _family(result, profile)
    named = {history: _named(history, result, profile, replays) for history in result.labels}
    search = SnapshotSearch(
        sum(pair.verdict == "proved for snapshots" for pair in result.separations),
        result.statements,
        result.schedules,
        result.histories,
        result.complete,
        round(result.seconds, 2),
    )
    whole = "all" if result.complete else "a part"
    searched = (
        f"{result.histories:,} histories ({whole} of {result.transactions} transactions), "
        f"{search.seconds} s."
    )
    if replays:
        differences = sum(not replay.comparison.agrees for replay in replays)
        search = replace(search, replays=len(replays), differences=differences)
        searched += f" {len(replays)} replays, {differences} differ from the model."
    return Separating(
        family,
        result.lattice,
        listed(result, family, named),
        tuple(named.values()),
        why_equal(result, family),
        summarised(result, result.finished, search),
        searched,
        (
            (f"{result.histories:,}", f"histories of up to {result.finished} transactions"),
            (f"{search.seconds} s", "run time"),
        ),
        tuple(replays),
    )


def replay(result: SnapshotSeparations, profile: Profile, engine: Engine) -> Iterator[Replay]:
    """Replays every separating history at every level of a table that the profile has.

    Raises conformance.engine.EngineError.
    """
    from conformance.replay import campaign

    for history, label in result.labels.items():
        for level in _table_levels(profile):
            scenario = replace(history.scenario, name=label)
            comparison = campaign.replay(engine, campaign.Job(scenario, level), profile).comparison
            yield Replay(label, level, comparison)


def _family(result: SnapshotSeparations, profile: Profile) -> Family:
    return Family(
        short={level: SHORT[level] for level in LEVELS},
        reasons={
            "implied": ("=>", "implied by the table of levels"),
            "proved for snapshots": ("=>*", "proved for histories of snapshots (isodelta prove)"),
        },
        proof="for histories of snapshots (isodelta prove)",
        paragraph=f"The histories are those of snapshots, over {result.statements} statements that "
        "read items and predicates; no engine's conflict rules were applied. What the rules of "
        f"{profile.name} admit of them is shown with each.",
    )


def _table_levels(profile: Profile) -> tuple[str, ...]:
    return tuple(level for level in DELTA_LEVELS if level in profile.levels)


def _named(
    history: SnapshotHistory,
    result: SnapshotSeparations,
    profile: Profile,
    replays: Sequence[Replay],
) -> NamedHistory:
    label = result.labels[history]
    pairs = result.pairs_of(history)
    named = NamedHistory(
        label,
        pairs[0].anomaly,
        result.strongest_held(history),
        result.weakest_violated(history),
        len(pairs),
        result.confirmed(history),
        tuple(history.scenario.transactions.items()),
        history.scenario.table.setup,
        ", ".join(scenario_mapping(history.scenario)["schedule"]),
        history.scenario,
        profile=profile.name,
        admitted={
            level: _admitted(history.scenario, profile, level) for level in _table_levels(profile)
        },
        engine_agrees={r.level: r.comparison.agrees for r in replays if r.label == label},
    )
    scenario = _expecting(history, named.title)
    return replace(
        named, scenario=scenario, result=run_result(scenario, history.run, history.judged)
    )


def _admitted(scenario: Scenario, profile: Profile, level: str) -> str:
    """``admitted``, or the transactions that the rules refuse, with the conflicts."""
    refused = [
        f"{name}: {ended.outcome}"
        for name, ended in run_scenario(scenario, profile, level).ended.items()
        if ended.outcome not in SUCCEEDED
    ]
    return ", ".join(refused) or ADMITTED


def _expecting(history: SnapshotHistory, title: str) -> Scenario:
    """The scenario with its expected results if no rules are applied."""
    ended = history.run.ended
    levels = {level: "holds" if held else "violated" for level, held in history.verdicts.items()}
    outcomes = {name: end.outcome for name, end in ended.items()}
    expect = Expectation(outcomes=outcomes, levels=levels)
    return replace(history.scenario, name=title, expect=expect)
