"""The report of ``explore --separate``: the lattice as a picture, and its histories."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, starmap

from isodelta.commands.explore.separating.results import (
    NamedHistory,
    Separating,
    SnapshotSearch,
)
from isodelta.options import Common
from isodelta.report import Finding, FindingClass, Report
from isodelta.report.findings import difference
from isodelta.report.pictures.lattice import heights
from isodelta.report.start import new_report, slug
from isodelta.report.views.theory import LatticeCell, LatticeEdge, LatticeHistory, LatticePicture
from model.profiles import NO_RULES
from model.scenario import Scenario


def page(common: Common, separating: Separating, engine: str | None) -> Report:
    """The report of a search for separating histories, replayed on an engine if one is named."""
    report = new_report(
        common,
        "Which isolation levels differ, shown by the smallest history that one holds and the other "
        f"violates. {separating.family.paragraph}",
    )
    report.engine = engine or report.engine
    if isinstance(separating.summary.search, SnapshotSearch):
        report.summary.schedules = separating.summary.search.schedules
    report.summary.replays = len(separating.replays)
    report.summary.differences = len(separating.differences)
    report.lattice = lattice_picture(separating)
    for history in separating.histories:
        if history.scenario is not None:
            report.findings.append(_finding(history, history.scenario))
    for replay in separating.differences:
        name = slug(f"{replay.label} {replay.level} differs")
        report.findings.append(difference(replay.comparison, name, common.profile))
    return report


def lattice_picture(separating: Separating) -> LatticePicture:
    """The lattice as the report draws it.

    Dashed lines join only neighbours of one height: other incomparable pairs would cross
    boxes, and are only in the table.
    """
    lattice, summary = separating.lattice, separating.summary
    shown = {history.label: _shown(history) for history in separating.histories}

    def edge(held: int, violated: int, *, above: bool) -> LatticeEdge:
        pairs = starmap(separating.between, lattice.most_telling(held, violated))
        history = next(pair.history for pair in pairs if pair.history is not None)
        return LatticeEdge(held, violated, above, shown[history.label])

    upwards = tuple(edge(low, high, above=True) for low, high in lattice.covers)
    implications = summary.pairs - summary.separated - summary.equal
    levels = separating.family.short
    meanings = (f"{_typeset(sign)}: {meaning}" for sign, meaning in separating.legend)
    picture = LatticePicture(
        groups=lattice.groups,
        edges=upwards,
        equal=separating.equal,
        table=tuple(
            (held, tuple(_cell(separating, held, violated) for violated in levels))
            for held in levels
        ),
        headline=(
            f"{summary.separated} of {summary.pairs} ordered pairs of levels are told apart; "
            f"{implications} are implications."
        ),
        facts=(
            (f"{summary.separated}", "pairs separated by a history"),
            *((f"{count}", reason) for count, reason in separating.counts),
            (f"{len(separating.histories)}", "separating histories"),
            *separating.facts,
        ),
        others=tuple(shown.values()),
        signs="; ".join(meanings),
    )
    height = heights(picture)
    layers = [[p for p, high in enumerate(height) if high == h] for h in sorted(set(height))]
    beside = [pair for layer in layers for pair in pairwise(layer)]
    apart = [pair for pair in beside if pair in lattice.apart]
    across = tuple(edge(*pair, above=False) for a, b in apart for pair in ((a, b), (b, a)))
    crowded = max(map(len, layers)) > MOST_BESIDE
    return replace(picture, edges=(*upwards, *across), short_labels=crowded)


MOST_BESIDE = 2
"""The most boxes side by side with full labels; with more, lines cross and labels are short."""


def _typeset(sign: str) -> str:
    return sign.replace("=>", "⇒").replace("<=", "≤")


def _cell(separating: Separating, held: str, violated: str) -> LatticeCell:
    if held == violated:
        return LatticeCell("", "the same level")
    pair = separating.between(held, violated)
    words = f"holds {held}, violates {violated}: {pair.verdict}"
    anchor = "" if pair.history is None else _shown(pair.history).anchor
    return LatticeCell(_typeset(pair.sign), words, anchor)


def _shown(history: NamedHistory) -> LatticeHistory:
    admitted = []
    for level, what in history.admitted.items():
        replayed = {None: "", True: ", as replayed", False: ", but not when replayed"}
        admitted.append((level, what + replayed[history.engine_agrees.get(level)]))
    return LatticeHistory(
        label=history.label,
        finding="" if history.scenario is None else slug(history.label),
        anomaly=history.anomaly,
        transactions=history.transactions,
        schedule=history.schedule,
        confirmed=history.confirmed,
        admitted=tuple(admitted),
    )


def _finding(history: NamedHistory, scenario: Scenario) -> Finding:
    return Finding(
        name=slug(history.label),
        title=history.title,
        kind=FindingClass.SEPARATION,
        level=history.violates[0],
        summary=f"It tells {history.pairs} ordered pairs of levels apart.",
        scenario=scenario,
        predicted=history.result,
        profile=NO_RULES.name,
    )
