"""The theorems and the lattice of levels in a report, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class LatticeHistory:
    """A history that separates levels, as the picture and its list show it.

    ``label`` is its short name in the picture, ``finding`` the name of the finding that shows
    it in full, empty if the list shows all of it. ``admitted`` has the answer of the
    conflict rules at each level of a Delta table.
    """

    label: str
    finding: str
    anomaly: str
    transactions: tuple[tuple[str, str], ...]
    schedule: str
    confirmed: tuple[str, ...]
    admitted: tuple[tuple[str, str], ...]

    @property
    def anchor(self) -> str:
        """The anchor in the page."""
        return f"finding-{self.finding}" if self.finding else f"history-{self.label}"


@dataclass(frozen=True, slots=True)
class LatticeEdge:
    """Two groups of levels, and the history that ``held`` holds and ``violated`` does not.

    ``above`` is True if the violated one is above the other; two incomparable groups have an
    edge in each direction.
    """

    held: int
    violated: int
    above: bool
    history: LatticeHistory


@dataclass(frozen=True, slots=True)
class LatticeCell:
    """The result for one ordered pair of levels, in a few characters and in words."""

    text: str
    words: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class LatticePicture:
    """The levels, from weak to strong in ``groups`` that no history separates.

    ``equal`` has the reason for each group with several levels. ``table`` has a line for each
    level that holds, with a cell for each that is violated; ``signs`` explains its signs.
    ``others`` are histories of the table that are not on an edge. ``short_labels`` leaves the
    anomalies out of the picture if lines cross.
    """

    groups: tuple[tuple[str, ...], ...]
    edges: tuple[LatticeEdge, ...]
    equal: tuple[str, ...]
    table: tuple[tuple[str, tuple[LatticeCell, ...]], ...]
    headline: str
    facts: tuple[tuple[str, str], ...]
    signs: str
    others: tuple[LatticeHistory, ...] = ()
    short_labels: bool = False

    @property
    def histories(self) -> tuple[LatticeHistory, ...]:
        """Every history once, by its label."""
        every = (*(edge.history for edge in self.edges), *self.others)
        by_label = {history.label: history for history in every}
        return tuple(by_label[label] for label in sorted(by_label, key=lambda x: (len(x), x)))


@dataclass(frozen=True, slots=True)
class MutantLine:
    """A rule or premise dropped or weakened, and the effect on the lemma."""

    name: str
    kind: Literal["rule", "premise"]
    lemma: str
    redundant: str = ""
    as_expected: bool = True


@dataclass(frozen=True, slots=True)
class LemmaLine:
    """One lemma, checked."""

    name: str
    statement: str
    verdict: str
    seconds: float
    assumptions: str
    premises: tuple[tuple[str, str], ...]
    mutants: tuple[MutantLine, ...]
    because: str = ""

    @property
    def breaking(self) -> int:
        """The number of mutants that break the lemma, as they have to."""
        return sum(mutant.lemma == "refuted" for mutant in self.mutants)


@dataclass(frozen=True, slots=True)
class TheoremLine:
    """One theorem with its lemmas. ``about`` names the conflict rules; empty if none."""

    name: str
    about: str
    statement: str
    verdict: str
    lemmas: tuple[LemmaLine, ...]

    @property
    def seconds(self) -> float:
        """The time that the check of all lemmas took."""
        return sum(lemma.seconds for lemma in self.lemmas)
