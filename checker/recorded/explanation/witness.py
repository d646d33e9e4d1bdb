"""The witness of a violated level of a recorded history: a cycle, explained down to facts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from checker.judging.witness import Cycle, Edge, Reason
from checker.recorded.dependency import Dependency
from checker.recorded.explanation.cases import Split, choices_of, cycles_of, opposite, split
from checker.recorded.explanation.derivation import Derivation, derive
from checker.recorded.explanation.facts import Facts
from checker.recorded.history import Key, Operation, Recorded
from checker.recorded.observations import AnomalousRead, Observations
from checker.recorded.version_order.constraints import Constraints

MOST_OPERATIONS = 12
"""Operations of a transaction up to which all of them are shown."""


@dataclass(frozen=True, slots=True)
class Step:
    """One derivation in words: the order and its reason, and the edges of the path behind it."""

    because: str
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """The operations of a transaction as the history has them.

    A large transaction has only the operations on the keys that the explanation is about;
    ``of`` is the number of all of its operations. ``session`` is None in a format without sessions.
    """

    transaction: str
    session: int | None
    operations: tuple[Operation, ...]
    of: int


@dataclass(frozen=True, slots=True)
class Case:
    """One of two orders of the versions of a key, and the cycle or the cases that it leads to."""

    first: str
    second: str
    key: Key
    edges: tuple[Edge, ...] = ()
    cases: tuple[Case, ...] = ()

    @property
    def assumption(self) -> str:
        """The order in words."""
        return f"if {self.first} wrote key {self.key!r} before {self.second} did"


@dataclass(frozen=True, slots=True)
class ExplainedCycle(Cycle):
    """A cycle with the derivations of its inferred orders, and the operations behind both.

    A sentence of ``edges`` or ``steps`` states reads and writes that are in the history, or an
    order that an earlier step has derived. If every order of the versions leads to some cycle,
    ``cases`` are the two orders of one pair of versions, each with its cycle or its own cases;
    they are empty if that proof would be too long.
    """

    steps: tuple[Step, ...] = ()
    transcripts: tuple[Transcript, ...] = ()
    cases: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True)
class ExplainedReason(Reason):
    """An anomalous read in words, with the operations of the transactions concerned."""

    transcripts: tuple[Transcript, ...] = ()


def of_read(read: AnomalousRead, more: str = "") -> ExplainedReason:
    """The witness of an anomalous read; ``more`` is appended to its words."""
    transcripts = tuple(transcript(transaction, {read.key}) for transaction in read.recorded)
    return ExplainedReason(read.because + more, read.transactions, transcripts)


def explained(
    cycle: Sequence[Dependency], seen: Observations, derivations: Sequence[Derivation] = ()
) -> ExplainedCycle:
    """A cycle in words. ``derivations`` are those of its inferred orders."""
    facts = Facts(seen, {derivation.order for derivation in derivations})
    steps = tuple(_step(derivation, facts) for derivation in derivations)
    edges = tuple(_edge(edge, facts) for edge in cycle)
    inferred = any(edge.inferred for edge in cycle)
    transcripts = tuple(_transcripts(facts.mentioned, seen))
    return ExplainedCycle(edges, inferred, False, steps, transcripts)


def explained_by_cases(
    cycle: Sequence[Dependency], graph: Constraints, involved: Collection[int]
) -> ExplainedCycle:
    """A cycle of one order of the versions, and the proof that every order has some.

    ``involved`` are transactions that such a proof is about.
    """
    seen = graph.seen
    proof = split(graph, involved)
    edges = [edge for leaf in cycles_of(proof) for edge in leaf] if proof else []
    derivations = derive(graph, [*cycle, *edges])
    assumed = set(choices_of(proof)) if proof else set()
    facts = Facts(seen, {derivation.order for derivation in derivations}, assumed)
    steps = tuple(_step(derivation, facts) for derivation in derivations)
    cases = _cases(proof, facts) if proof else ()
    words = tuple(_edge(edge, facts) for edge in cycle)
    transcripts = tuple(_transcripts(facts.mentioned, seen))
    return ExplainedCycle(words, True, True, steps, transcripts, cases)


def _cases(proof: Split, facts: Facts) -> tuple[Case, ...]:
    result = []
    for choice, rest in ((proof.choice, proof.one), (opposite(proof.choice), proof.other)):
        first, second, key = choice
        inner = _cases(rest, facts) if isinstance(rest, Split) else ()
        edges = () if isinstance(rest, Split) else tuple(_edge(edge, facts) for edge in rest)
        facts.order(first, second, key)
        names = facts.seen.name(first), facts.seen.name(second)
        result.append(Case(*names, facts.seen.keys[key], edges, inner))
    return tuple(result)


def _edge(edge: Dependency, facts: Facts) -> Edge:
    names = facts.name(edge.source), facts.name(edge.target)
    return Edge(*names, edge.kind, facts.sentence(edge))


def _step(derivation: Derivation, facts: Facts) -> Step:
    first, second, key = derivation.order
    order = facts.order(first, second, key)
    end = second
    reason = ""
    if derivation.reader is not None:
        end = derivation.reader
        reason = f"{facts.read(end, key, second)}, and "
    because = f"{order}: {reason}{facts.name(first)} came before {facts.name(end)}"
    return Step(because, tuple(_edge(edge, facts) for edge in derivation.path))


def _transcripts(mentioned: Mapping[int, set[int]], seen: Observations) -> Iterator[Transcript]:
    for number in sorted(mentioned):
        keys = {seen.keys[key] for key in mentioned[number]}
        yield transcript(seen.transactions[number], keys)


def transcript(transaction: Recorded, keys: set[object]) -> Transcript:
    """The operations of a transaction, or those on some keys if there are many."""
    operations = transaction.operations
    if len(operations) > MOST_OPERATIONS:
        operations = tuple(o for o in operations if o.key in keys)
    return Transcript(
        transaction.name, transaction.session, operations, len(transaction.operations)
    )
