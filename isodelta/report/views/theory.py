"""What a report shows of theorems and of the lattice of levels, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class LatticeHistory:
    """A history that tells levels apart, as the picture and its list name it.

    ``label`` is its short name in the picture, ``finding`` the name of the finding that shows
    it in full, empty where the list shows all of it. ``admitted`` says for each level of a Delta
    table what its conflict rules do.
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
        """Where the page shows it."""
        return f"finding-{self.finding}" if self.finding else f"history-{self.label}"


@dataclass(frozen=True, slots=True)
class LatticeEdge:
    """Two groups of levels, and the history that ``held`` holds and ``violated`` does not.

    ``above`` tells whether the violated one is above the other; two groups of which neither is
    above the other have an edge in each direction.
    """

    held: int
    violated: int
    above: bool
    history: LatticeHistory


@dataclass(frozen=True, slots=True)
class LatticeCell:
    """What is known of one ordered pair of levels, in a few characters and in words."""

    text: str
    words: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class LatticePicture:
    """The levels, from weak to strong in ``groups`` that no history tells apart.

    ``equal`` says of each group with several levels why it is one. ``table`` has a line for each
    level that holds, with a cell for each that is violated; ``signs`` says what its signs mean.
    ``others`` are histories of the table that are on no edge. ``short_labels`` leaves the
    anomalies out of the picture, where lines cross.
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
        found = {history.label: history for history in every}
        return tuple(found[label] for label in sorted(found, key=lambda x: (len(x), x)))


@dataclass(frozen=True, slots=True)
class MutantLine:
    """A rule or premise dropped or weakened, and what becomes of the lemma."""

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
        """How many mutants break the lemma, as they have to."""
        return sum(mutant.lemma == "refuted" for mutant in self.mutants)


@dataclass(frozen=True, slots=True)
class TheoremLine:
    """One theorem with its lemmas. ``about`` names the conflict rules; empty where none."""

    name: str
    about: str
    statement: str
    verdict: str
    lemmas: tuple[LemmaLine, ...]

    @property
    def seconds(self) -> float:
        """How long the check of all lemmas took."""
        return sum(lemma.seconds for lemma in self.lemmas)
