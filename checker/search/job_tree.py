"""The tree of interleavings of a few jobs: all classes of their schedules, with shared prefixes.

Unlike the exhaustive search (``checker.search.exhaustive``) it leaves nothing out that a profile
decides: a history in which a transaction aborts is a leaf as well, because an engine can be
compared with it. So the leaves of a pool of jobs, and their numbers, are the same under every
profile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

from checker.search.exhaustive import READERS, WRITERS, reader_slots
from checker.search.minimal import Path
from checker.search.schedules import ScheduleClass
from model.errors import InvalidScenario
from model.history import History
from model.physical.log import Snapshot
from model.profiles.base import Profile
from model.simulator import Ended, InFlight, begin_in, commit
from model.workload import Workload, initial_rows


@dataclass(frozen=True, slots=True)
class Jobs:
    """The shape of a tree: ``statements`` of a pool by number, those that only read apart.

    ``sizes`` are the numbers of transactions in a history. A statement may stand in a history more
    than once. Writers are named by the order in which they commit.
    """

    writers: tuple[int, ...]
    readers: tuple[int, ...]
    sizes: tuple[int, ...] = (2, 3)

    def passes(self) -> Iterator[Pass]:
        """The parts of the tree, by number of writers and of readers."""
        for size in self.sizes:
            for writers in range(size, 0, -1):
                if writers == size or self.readers:
                    yield Pass(self, writers, size - writers)

    def paths(self) -> Iterator[Path]:
        """Every class of schedules, in the order of the leaves."""
        for part in self.passes():
            yield from part.paths((), ())


@dataclass(frozen=True)
class Pass:
    """The histories of so many writers and so many readers."""

    jobs: Jobs
    writers: int
    readers: int

    @cached_property
    def endings(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """Every choice of readers, with the number of commits that the snapshot of each shows."""
        places = tuple(range(self.writers + 1))
        return tuple(
            (chosen, slots)
            for chosen in combinations_with_replacement(self.jobs.readers, self.readers)
            for slots in reader_slots(chosen, places)
        )

    def below(self, depth: int) -> int:
        """The number of leaves below a node after so many writers."""
        leaves = len(self.endings)
        for place in range(depth, self.writers):
            leaves *= len(self.jobs.writers) * (place + 1)
        return leaves

    def paths(self, chosen: tuple[int, ...], begins: tuple[int, ...]) -> Iterator[Path]:
        """The paths below a node, in the order of the leaves."""
        if len(chosen) == self.writers:
            for readers, slots in self.endings:
                yield Path(chosen, begins, readers, slots)
            return
        for index in self.jobs.writers:
            for slot in range(len(chosen) + 1):
                yield from self.paths((*chosen, index), (*begins, slot))


def schedule_class(path: Path) -> ScheduleClass:
    """The schedules that a path stands for."""
    return ScheduleClass(
        WRITERS[: len(path.writers)],
        path.begins,
        READERS[: len(path.readers)],
        path.reader_begins,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """One transaction run to its end at one place of the tree.

    ``statement`` is its number in the pool, ``slot`` the number of writers that ended before it
    began, ``place`` the number of this edge, counted over the whole tree.
    """

    name: str
    statement: int
    slot: int
    ended: Ended
    place: int


@dataclass(frozen=True, slots=True)
class Leaf:
    """A history at the end of a path: ``number`` counts the leaves of the pool from 0.

    ``edges`` has its transactions, writers as they commit, then readers.
    """

    number: int
    path: Path
    edges: tuple[Edge, ...]
    final: Snapshot


Observer = Callable[[Edge, tuple[Edge, ...]], None]
"""Called with every edge when it has been run, and those of the writers before it."""


class _Node:
    __slots__ = ("running", "snapshot")

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.running: dict[tuple[int, str], InFlight | None] = {}


class JobTree:
    """The tree of a workload's jobs under one profile.

    ``keys`` names the statements of ``workload`` in the order of their numbers. ``supported`` are
    the numbers of those that the profile has; histories with another are left out, as are those
    with a statement whose meaning on the definition in force is not known to the model.
    ``observer`` is called once for every edge.
    """

    def __init__(
        self,
        workload: Workload,
        keys: Sequence[str],
        jobs: Jobs,
        profile: Profile,
        supported: Collection[int],
        observer: Observer | None = None,
    ) -> None:
        self.workload = workload
        self.keys = tuple(keys)
        self.jobs = jobs
        self.profile = profile
        self.supported = frozenset(supported)
        self.initial = initial_rows(workload)
        self._ordered = orders_begins(workload)
        self._edges = 0
        self._observer = observer

    def leaves(self) -> Iterator[Leaf]:
        """Every history that the profile predicts, with its number."""
        number = 0
        base = _Node(self.workload.base)
        for part in self.jobs.passes():
            yield from self._below(part, number, (base,), (), (), ())
            number += part.below(0)

    def history(self, leaf: Leaf) -> History:
        """The logical history of a leaf."""
        return History(
            self.workload.table.name,
            self.workload.base.version,
            self.initial,
            tuple([edge.ended.logical for edge in leaf.edges]),
            leaf.final.rows(),
        )

    def _below(
        self,
        part: Pass,
        number: int,
        nodes: tuple[_Node, ...],
        chosen: tuple[int, ...],
        begins: tuple[int, ...],
        edges: tuple[Edge, ...],
    ) -> Iterator[Leaf]:
        if len(chosen) == part.writers:
            yield from self._endings(part, number, nodes, chosen, begins, edges)
            return
        depth = len(chosen)
        name, here, below = WRITERS[depth], nodes[-1], part.below(depth + 1)
        for index in part.jobs.writers:
            for slot, node in enumerate(nodes):
                first = number
                number += below
                if index not in self.supported:
                    continue
                running = self._running(node, index, name, slot * 16 + 8 - depth)
                if running is None:
                    continue
                edge = self._end(running, index, name, slot, here.snapshot, edges)
                if edge is None:
                    continue
                same = edge.ended.latest is here.snapshot and not self._ordered
                after = here if same else _Node(edge.ended.latest)
                yield from self._below(
                    part,
                    first,
                    (*nodes, after),
                    (*chosen, index),
                    (*begins, slot),
                    (*edges, edge),
                )

    def _endings(
        self,
        part: Pass,
        number: int,
        nodes: tuple[_Node, ...],
        chosen: tuple[int, ...],
        begins: tuple[int, ...],
        edges: tuple[Edge, ...],
    ) -> Iterator[Leaf]:
        final = nodes[-1].snapshot
        if not part.readers:
            yield Leaf(number, Path(chosen, begins, (), ()), edges, final)
            return
        read: dict[tuple[int, int, int], Edge | None] = {}
        for place, (readers, slots) in enumerate(part.endings):
            ends: list[Edge] = []
            for i, (index, slot) in enumerate(zip(readers, slots, strict=True)):
                key = (i, index, slot)
                if key not in read:
                    node = nodes[slot]
                    running = (
                        self._running(node, index, READERS[i], slot * 16)
                        if index in self.supported
                        else None
                    )
                    # In the schedule that stands for the class a reader runs through at once.
                    read[key] = (
                        None
                        if running is None
                        else self._end(running, index, READERS[i], slot, node.snapshot, edges)
                    )
                end = read[key]
                if end is None:
                    break
                ends.append(end)
            else:
                path = Path(chosen, begins, readers, slots)
                yield Leaf(number + place, path, (*edges, *ends), final)

    def _running(self, node: _Node, index: int, name: str, began: int) -> InFlight | None:
        key = (index, name)
        if key not in node.running:
            try:
                node.running[key] = begin_in(
                    self.workload, name, node.snapshot, self.profile, began, self.keys[index]
                )
            except InvalidScenario:
                node.running[key] = None
        return node.running[key]

    def _end(
        self,
        running: InFlight,
        index: int,
        name: str,
        slot: int,
        latest: Snapshot,
        before: tuple[Edge, ...],
    ) -> Edge | None:
        try:
            ended = commit(running, latest, self.profile, self.workload.level)
        except InvalidScenario:
            return None
        edge = Edge(name, index, slot, ended, self._edges)
        self._edges += 1
        if self._observer is not None:
            self._observer(edge, before)
        return edge


def orders_begins(workload: Workload) -> bool:
    """Whether the order of begins without a commit between them can matter.

    It does beside a VACUUM, which lists files when it begins. A class of schedules then stands for
    its representative alone.
    """
    return any(s.frees != "nothing" or s.litters for s in workload.statements.values())
