"""The report folder of ``explore --separate --levels key-value``: the lattice as a picture."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from checker.separation.key_value.history import KeyValueHistory
from checker.separation.key_value.pairs import confirmed_by
from isodelta.commands.explore.separating.key_value_results import (
    KeyValueSeparating,
    verdict_words,
)
from isodelta.commands.explore.separating.key_value_words import cell, same_levels
from isodelta.options import Common
from isodelta.report.pictures.lattice import heights
from isodelta.report.start import finish, new_report
from isodelta.report.views.theory import LatticeCell, LatticeEdge, LatticeHistory, LatticePicture
from model.levels import KEY_VALUE_LEVELS

SIGNS = (
    "⇒ where it is proved for histories of any size that the first implies the second, ≤n where "
    "no history of up to n transactions tells them apart"
)


def write_key_value_report(common: Common, separating: KeyValueSeparating, seconds: float) -> Path:
    """Writes the report; returns the path of its page. Raises BadInput."""
    assert common.report is not None
    with_predicates = " and predicates" if separating.result.predicates else ""
    report = new_report(
        common,
        "Which isolation levels differ, shown by the smallest history that one holds and the other "
        f"violates. The histories read and write keys{with_predicates}, in sessions; the levels "
        "are axioms about the order of commits and about what is visible.",
    )
    report.lattice = lattice_picture(separating)
    return finish(report, common.report, seconds)


def lattice_picture(separating: KeyValueSeparating) -> LatticePicture:
    """The lattice as the report draws it.

    Dashed lines join only neighbours of one height: others of which neither is above the other
    would cross boxes, and are in the table.
    """
    found = separating.lattice
    shown = {history: _shown(history, separating) for history in separating.labels}

    def edge(held: int, violated: int, above: bool) -> LatticeEdge:
        history = separating.result.between(*found.most_telling(held, violated)).history
        assert history is not None
        return LatticeEdge(held, violated, above, shown[history])

    upwards = tuple(edge(low, high, True) for low, high in found.covers)
    counts = separating.summary()
    picture = LatticePicture(
        groups=found.groups,
        edges=upwards,
        equal=tuple(same_levels(separating)),
        table=tuple(
            (held, tuple(_cell(separating, held, violated) for violated in KEY_VALUE_LEVELS))
            for held in KEY_VALUE_LEVELS
        ),
        headline=(
            f"{counts['separated']} of {counts['pairs']} ordered pairs of levels are told apart; "
            f"{counts['implied']} are implications."
        ),
        facts=(
            (f"{counts['separated']}", "pairs separated by a history"),
            (f"{counts['implied']}", "implications, proved for any size"),
            (f"{counts['equal']}", f"equal up to {counts['transactions']} transactions, unproved"),
            (f"{counts['need_a_predicate']}", "pairs that only a predicate read separates"),
            (f"{counts['histories']}", "separating histories"),
            (f"{counts['processor_seconds']} s", "processor time"),
        ),
        others=tuple(shown.values()),
        signs=SIGNS,
        short_labels=True,
    )
    height = heights(picture)
    layers = [[p for p, high in enumerate(height) if high == h] for h in sorted(set(height))]
    beside = [pair for layer in layers for pair in pairwise(layer)]
    across = tuple(edge(*pair, False) for a, b in beside for pair in ((a, b), (b, a)))
    return replace(picture, edges=(*upwards, *across))


def _cell(separating: KeyValueSeparating, held: str, violated: str) -> LatticeCell:
    if held == violated:
        return LatticeCell("", "the same level")
    separation = separating.result.between(held, violated)
    words = f"holds {held}, violates {violated}: {verdict_words(separation)}"
    text = cell(separating, held, violated).replace("=>", "⇒").replace("<=", "≤")
    anchor = f"history-{text}" if separation.history is not None else ""
    return LatticeCell(text, words, anchor)


def _shown(history: KeyValueHistory, separating: KeyValueSeparating) -> LatticeHistory:
    named = [line.partition(": ") for line in history.lines()]
    return LatticeHistory(
        label=separating.labels[history],
        finding="",
        anomaly=separating.anomalies[history],
        transactions=tuple((name, what) if what else ("", name) for name, _, what in named),
        schedule="",
        confirmed=confirmed_by(history),
        admitted=(),
    )
