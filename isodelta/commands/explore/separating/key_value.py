"""Separations of the levels of key-value histories, with or without predicate reads."""

from __future__ import annotations

from dataclasses import replace

from checker.separation.key_value.pairs import (
    KeyValueExample,
    KeyValueSeparation,
    KeyValueSeparations,
    needs_a_predicate,
)
from isodelta.commands.explore.separating.results import (
    Cost,
    Family,
    KeyValueSearch,
    NamedHistory,
    Pair,
    Separating,
    listed,
    summarised,
    why_equal,
)
from model.levels import SHORT_WITHOUT_LOG


def separating(result: KeyValueSeparations) -> Separating:
    """A search's result as the command shows it."""
    with_predicates = " and predicates" if result.predicates else ""
    family = Family(
        short=SHORT_WITHOUT_LOG,
        reasons={"implied": ("=>", "proved for histories of any size")},
        proof="for histories of any size",
        paragraph=f"The histories read and write keys{with_predicates}, in sessions; the levels "
        "are axioms about the order of commits and about what is visible.",
    )
    named = {history: _named(history, result) for history in result.labels}
    pairs = tuple(
        _with_cost(pair, separation)
        for pair, separation in zip(listed(result, family, named), result.separations, strict=True)
    )
    needing = sum(pair.needs_a_predicate for pair in pairs)
    seconds = round(result.seconds, 2)
    searched = f"{seconds} s of processor time."
    if needing:
        searched = f"{needing} of them need a predicate read. {searched}"
    return Separating(
        family,
        result.lattice,
        pairs,
        tuple(named.values()),
        why_equal(result, family),
        summarised(
            result,
            result.transactions,
            KeyValueSearch(needing, len(named), result.predicates, result.keys, seconds),
        ),
        searched,
        (
            (f"{needing}", "pairs that only a predicate read separates"),
            (f"{seconds} s", "processor time"),
        ),
    )


def _named(history: KeyValueExample, result: KeyValueSeparations) -> NamedHistory:
    pairs = result.pairs_of(history)
    lines = [line.partition(": ") for line in history.history.lines()]
    return NamedHistory(
        result.labels[history],
        pairs[0].anomaly,
        result.strongest_held(history),
        result.weakest_violated(history),
        len(pairs),
        result.confirmed(history),
        tuple((name, what) if what else ("", name) for name, _, what in lines),
    )


def _with_cost(pair: Pair, separation: KeyValueSeparation) -> Pair:
    example = separation.history
    return replace(
        pair,
        cost=Cost(separation.seconds, separation.candidates),
        operations=None if example is None else example.history.operations,
        needs_a_predicate=needs_a_predicate(separation),
    )
