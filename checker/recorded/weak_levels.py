"""Read committed, read atomic and causal consistency: the order follows in one pass.

Where sessions count, the levels are those of Biswas and Enea (OOPSLA 2019), whose axioms all
have one form: when ``t`` read key ``x`` from ``t1``, then every other writer of ``x`` that is
related to ``t`` in a certain way wrote before ``t1``. Related means, for read committed, that
``t`` had read from it earlier; for read atomic, that ``t`` read from it or follows it in its
session; for causal, that a path of reads and sessions leads from it to ``t``.

Without sessions, read committed is Adya's PL-2, and read atomic is the same axiom without
sessions.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from checker.recorded.dependency import Dependency
from checker.recorded.explanation.derivation import Derivation, Violation, derive, path_of_facts
from checker.recorded.observations import INIT, Observations
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.cycles import core, shortest_cycle, topological
from checker.recorded.version_order.inference import Inference
from checker.recorded.version_order.time_limit import while_in_time
from model.levels import CAUSAL, READ_ATOMIC


def decide_weak(
    seen: Observations, level: str, *, sessions: bool, deadline: float
) -> Violation | str | None:
    """A shortest forbidden cycle, None if there is none, or the reason why that is unknown.

    Raises ``OutOfTime`` after the deadline.
    """
    in_order = sessions and level != READ_ATOMIC and level != CAUSAL
    # The order of versions that lists show does not cause anything.
    causes = replace(seen, shown_order=[]) if level == CAUSAL else seen
    graph = Constraints(causes, split=False, sessions=sessions, wr_only=True, deadline=deadline)
    if level == CAUSAL:
        order = _causal(graph, seen, deadline)
        if order is None:
            return "causal: too many transactions and sessions for the memory or the time"
    else:
        if level == READ_ATOMIC or in_order:
            pairs = _pairs(seen, sessions, in_order)
            for reader, key, writer, other in while_in_time(pairs, deadline):
                if writer == INIT:
                    graph.precede(Dependency(reader, other, "rw", key))
                else:
                    graph.order(other, writer, key)
        order = topological(graph.after)
    cycle = cycle_of(graph, order)
    if cycle is None:
        return None
    initial = next((edge for edge in cycle if edge.kind == "rw"), None)
    if initial is not None:
        return Violation((initial, *_seen_by(initial.source, initial.target, graph, level)))
    if level == CAUSAL:
        return Violation(cycle, derive(graph, cycle))
    relations = _relations(cycle, seen, _pairs(seen, sessions, in_order))
    return _with_reader(cycle, relations) or Violation(cycle, tuple(relations))


Pair = tuple[int, int, int, int]
"""(reader, key, writer read, other writer): the other one must have written before."""


def _pairs(seen: Observations, sessions: bool, in_order: bool) -> Iterator[Pair]:
    return _after_reads(seen) if in_order else _related(seen, sessions)


def _seen_by(reader: int, writer: int, graph: Constraints, level: str) -> tuple[Dependency, ...]:
    """The reason why a reader should have seen a writer, at a level that says so.

    The rest of the cycle may be shorter and say less: an order of two appends, which no level here
    counts among the reasons.
    """
    if level == CAUSAL:
        return path_of_facts(graph, writer, reader)
    return (_relation(reader, writer, graph.seen),)


def _relation(reader: int, writer: int, seen: Observations) -> Dependency:
    """A read from the writer, or else the order of their session."""
    back = next((k for k, w in seen.every_read[reader] if w == writer), None)
    return Dependency(writer, reader, "so" if back is None else "wr", back)


def _relations(
    cycle: Sequence[Dependency], seen: Observations, pairs: Iterator[Pair]
) -> list[Derivation]:
    """For each inferred edge of a cycle, the reader whose reads relate the two writers."""
    wanted = {(edge.source, edge.target, edge.key) for edge in cycle if edge.inferred}
    result = []
    for reader, key, writer, other in pairs if wanted else ():
        if (other, writer, key) in wanted:
            wanted.discard((other, writer, key))
            edge = _relation(reader, other, seen)
            result.append(Derivation(other, writer, key, (edge,), reader))
    return result


def _with_reader(
    cycle: tuple[Dependency, ...], relations: Sequence[Derivation]
) -> Violation | None:
    """The cycle as an anti-dependency, if one axiom alone closes it.

    The reader saw the other writer, which follows the writer that the reader read from.
    """
    closing = [place for place, edge in enumerate(cycle) if edge.inferred]
    if len(closing) != 1 or len(relations) != 1 or any(edge.kind == "rw" for edge in cycle):
        return None
    (place,), (relation,) = closing, relations
    assert relation.reader is not None
    path = cycle[place + 1 :] + cycle[:place]
    follows = Derivation(relation.second, relation.first, relation.key, path)
    rw = Dependency(relation.reader, relation.first, "rw", relation.key, inferred=True)
    return Violation((rw, *relation.path), (follows,))


def _causal(graph: Constraints, seen: Observations, deadline: float) -> list[int] | None:
    inference = Inference(graph)
    if inference.reach is None:
        return None
    order = topological(graph.after)
    if len(order) < graph.size:
        return order
    if time.monotonic() > deadline:
        return None
    # One round only: at this level inferred orders do not cause others.
    inference.advance(order)
    _causes_of_initial_reads(graph, inference)
    for first, second, key in seen.shown_order:
        graph.order(first, second, key, inferred=False)
    return topological(graph.after)


def _causes_of_initial_reads(graph: Constraints, inference: Inference) -> None:
    """Keys with one writer: no transaction that it precedes can have read the initial version."""
    import numpy as np

    reach = inference.reach
    for key, writers in enumerate(graph.seen.writers):
        readers = graph.readers.get((key, INIT))
        if len(writers) == 1 and readers and reach is not None:
            too_late = reach.reaches(np.array(writers), np.array(readers))
            for reader in np.array(readers)[too_late].tolist():
                if reader != writers[0]:
                    graph.precede(Dependency(reader, writers[0], "rw", key))


def cycle_of(graph: Constraints, order: list[int]) -> tuple[Dependency, ...] | None:
    """A shortest cycle of a graph whose topological order is given; None where it has none."""
    if len(order) == graph.size:
        return None
    left = core(graph.after, order)
    nodes = shortest_cycle(left, pairs=graph.split, deadline=graph.deadline)
    arcs = zip(nodes, (*nodes[1:], nodes[0]), strict=True)
    cycle = tuple(edge for a, b in arcs if (edge := graph.edge(a, b)) is not None)
    return _of_writes(cycle, graph.seen) or cycle


def _of_writes(cycle: tuple[Dependency, ...], seen: Observations) -> tuple[Dependency, ...] | None:
    """The same cycle as a write cycle (G0), where reads show every edge of it as ww as well."""
    if not any(edge.kind == "wr" for edge in cycle):
        return None
    arcs = {(edge.source, edge.target) for edge in cycle}
    shown = {
        (a, b): Dependency(a, b, "ww", key) for a, b, key in seen.shown_order if (a, b) in arcs
    }
    return (
        tuple(shown[edge.source, edge.target] for edge in cycle) if shown.keys() == arcs else None
    )


def _after_reads(seen: Observations) -> Iterator[Pair]:
    """(reader, key, writer read, other writer) where the reader had read from the other one."""
    writes = [set(keys) for keys in seen.writes]
    for reader, reads in enumerate(seen.every_read):
        sources: dict[int, None] = {}
        line: list[int] = []
        looked_at: dict[tuple[int, int], int] = {}
        for key, writer in reads:
            # Only writers read since the last read of the same version can be new.
            start = looked_at.get((key, writer), 0)
            looked_at[key, writer] = len(line)
            yield from (
                (reader, key, writer, other)
                for other in _writers_among(line, start, sources, key, writes, seen)
                if other != writer
            )
            if writer != INIT and writer not in sources:
                sources[writer] = None
                line.append(writer)


def _writers_among(
    line: Sequence[int],
    start: int,
    sources: Container[int],
    key: int,
    writes: Sequence[Container[int]],
    seen: Observations,
) -> Iterator[int]:
    """The writers in ``line[start:]`` that wrote a key, by the shorter of two loops.

    ``sources`` has the members of ``line``.
    """
    writers = seen.writers[key]
    if len(writers) < len(line) - start:
        return (writer for writer in writers if writer in sources)
    return (other for other in itertools.islice(line, start, None) if key in writes[other])


def _related(seen: Observations, sessions: bool) -> Iterator[Pair]:
    """(reader, key, writer read, other writer) where the reader saw the other one at all."""
    writes = [set(keys) for keys in seen.writes]
    last: dict[tuple[int, int], int] = {}
    for reader, reads in enumerate(seen.reads):
        sources = {w: None for _, w in seen.every_read[reader] if w != INIT}
        line = list(sources)
        for key, writer in reads:
            for other in _writers_among(line, 0, sources, key, writes, seen):
                if other != writer:
                    yield reader, key, writer, other
            if sessions:
                mine = last.get((seen.session[reader], key))
                if mine is not None and mine != writer:
                    yield reader, key, writer, mine
        for key in seen.writes[reader]:
            last[seen.session[reader], key] = reader
