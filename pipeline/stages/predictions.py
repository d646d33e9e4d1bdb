"""The stage of predictions: every history of a position run in the model and judged.

One row for each history and profile, with its verdicts; one more for each position and profile,
with the number -1, that counts what was reached. Tasks hold one position at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from checker.judging import graph
from checker.judging.dependencies import Dependencies, dependencies
from checker.search.exhaustive import JUDGED
from checker.search.finding import kind_of, weakest
from checker.search.job_tree import Edge, JobTree, Leaf
from model.levels import implies
from model.profiles.base import Profile
from pipeline.lessons.choice import chosen_first
from pipeline.lessons.meetings import Watch
from pipeline.stages.arrow import Interned, lists, no_cycle_collection
from pipeline.store.schemas import ENDING_TYPE
from pipeline.stream import Pool, pool

TALLY = -1
"""The number of the row that counts what a position reached."""

VERDICT_TYPE = (
    "struct<level: string, verdict: string, anomaly: string, cycle: array<string>, "
    "promised: boolean, cause: string>"
)
COLUMNS = (
    "history string, position bigint, number int, profile string, "
    f"transactions array<{ENDING_TYPE}>, aborts int, overlaps int, rows int, "
    f"verdicts array<{VERDICT_TYPE}>, lessons array<string>, reached map<string, bigint>"
)
"""The columns that the stage gives, as Spark declares them."""

SEPARATOR = "\t"
"""Between the kind and the name of what was reached, in the keys of ``reached``."""

_ENDING = pa.struct(
    [
        ("name", pa.string()),
        ("statement", pa.string()),
        ("outcome", pa.string()),
        ("read_version", pa.int32()),
        ("commit_version", pa.int32()),
        ("rule", pa.string()),
        ("winner", pa.string()),
    ]
)
_VERDICTS = pa.list_(
    pa.struct(
        [
            ("level", pa.string()),
            ("verdict", pa.string()),
            ("anomaly", pa.string()),
            ("cycle", pa.list_(pa.string())),
            ("promised", pa.bool_()),
            ("cause", pa.string()),
        ]
    )
)


@dataclass(frozen=True)
class Offer:
    """How many histories a position offers for a replay, and what replays have shown before."""

    count: int = 0
    shown: Mapping[str, int] = field(default_factory=dict)


def predictions(
    positions: Any,
    seed: int,
    sizes: tuple[int, ...],
    profiles: Sequence[Profile],
    offer: Offer = Offer(),
) -> Any:
    """The predictions of all profiles for all positions, as a DataFrame.

    The histories that a position offers have their ``lessons``; in the others they are NULL.
    """

    def batches(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with no_cycle_collection():
            for batch in rows:
                for position in batch.column("position").to_pylist():
                    yield from predicted_batches(pool(seed, position, sizes), profiles, offer)

    return positions.mapInArrow(batches, COLUMNS)


def predicted_batches(
    chosen: Pool, profiles: Sequence[Profile], offer: Offer = Offer()
) -> Iterator[pa.RecordBatch]:
    """The predictions for one pool, a batch for each profile that knows its table."""
    predicted = [p for profile in profiles if (p := Predicted.of(chosen, profile)) is not None]
    if offer.count and predicted and predicted[0].profile is profiles[0]:
        predicted[0].offer(offer, predicted[1:])
    for one in predicted:
        yield one.batch()


@dataclass
class _Judged:
    """The verdicts on all histories with one graph, as a row has them, and what they reach.

    ``cycles`` has, for each of the weakest levels that are violated, the nodes along the cycle and
    their edges.
    """

    verdicts: list[dict[str, object]]
    cycles: dict[str, tuple[tuple[int, str], ...]]
    lessons: tuple[str, ...]
    reached: tuple[str, ...]
    place: int


class Predicted:
    """All histories of one pool under one profile."""

    def __init__(self, chosen: Pool, profile: Profile, watch: Watch, tree: JobTree) -> None:
        self.pool = chosen
        self.profile = profile
        self.watch = watch
        self.tree = tree
        self.numbers: list[int] = []
        self.leaves: list[tuple[int, ...]] = []
        self.edges: list[Edge] = []
        self.rows: list[int] = []
        self.sizes: list[int] = []
        self.verdicts: list[int] = []
        self.judged: list[_Judged] = []
        self.causes: Interned[tuple[int, tuple[str | None, ...]]] = Interned()
        self.lessons: dict[int, list[str]] = {}
        self._by_graph: dict[tuple[int, int, tuple[int, ...]], _Judged] = {}

    @staticmethod
    def of(chosen: Pool, profile: Profile) -> Predicted | None:
        """The predictions of a profile, None if it does not know the pool's table."""
        under = chosen.under(profile)
        if under is None:
            return None
        workload, supported = under
        watch = Watch(profile, chosen.level, chosen.kinds)
        made: list[Predicted] = []

        def observe(edge: Edge, before: tuple[Edge, ...]) -> None:
            watch.observe(edge, before)
            made[0].edges.append(edge)

        tree = JobTree(workload, chosen.keys, chosen.jobs, watch.profile, supported, observe)
        made.append(Predicted(chosen, profile, watch, tree))
        for leaf in tree.leaves():
            made[0]._add(leaf)
        return made[0]

    def _add(self, leaf: Leaf) -> None:
        history = self.tree.history(leaf)
        conflicts = dependencies(history)
        key = (len(conflicts.nodes), conflicts.writers, conflicts.masks)
        judged = self._by_graph.get(key)
        if judged is None:
            judged = self._by_graph[key] = self._judge(conflicts)
        self.numbers.append(leaf.number)
        self.leaves.append(tuple([edge.place for edge in leaf.edges]))
        self.rows.append(len(history.final))
        self.sizes.append(self.pool.size_of(leaf.path))
        self.verdicts.append(judged.place)
        self.causes.add((judged.place, self._causes(judged, leaf)))

    def _causes(self, judged: _Judged, leaf: Leaf) -> tuple[str | None, ...]:
        """The cause at each level, None where nothing is violated."""
        if not judged.cycles:
            return (None,) * len(JUDGED)
        # The nodes of the graph: committed writers in the order of the log, then readers.
        kinds = [
            self.pool.kinds[edge.statement] for edge in leaf.edges if edge.ended.logical.committed
        ]
        writes = [edge.ended.logical.writes for edge in leaf.edges if edge.ended.logical.committed]
        nodes = [k for k, w in zip(kinds, writes, strict=True) if w]
        nodes += [k for k, w in zip(kinds, writes, strict=True) if not w]
        return tuple(
            None
            if level not in judged.cycles
            else f"{level} on {self.pool.level}: {cause_of(judged.cycles[level], nodes)}"
            for level in JUDGED
        )

    def _judge(self, conflicts: Dependencies) -> _Judged:
        table_level = self.pool.level
        verdicts: list[dict[str, object]] = []
        violated: list[str] = []
        lessons: list[str] = []
        reached: list[str] = []
        cycles: dict[str, tuple[tuple[int, str], ...]] = {}
        for level in JUDGED:
            decided = graph.decide(conflicts, level)
            cycle = [edge.kind.value for edge in decided.cycle] or None
            verdicts.append(
                {
                    "level": level,
                    "verdict": decided.verdict,
                    "anomaly": decided.anomaly,
                    "cycle": cycle,
                    "promised": kind_of(table_level, level) == "level-violation",
                }
            )
            if decided.verdict == "violated":
                violated.append(level)
                place = {node.name: at for at, node in enumerate(conflicts.nodes)}
                cycles[level] = tuple(
                    (place[edge.source.name], edge.kind.value) for edge in decided.cycle
                )
                lessons.append(f"{level}: {' '.join(cycle or ())} on {table_level}")
                reached.append(f"anomaly{SEPARATOR}{decided.anomaly} at {level}")
        for stronger in violated:
            for weaker in JUDGED:
                if weaker not in violated and not implies(weaker, stronger):
                    reached.append(f"told apart{SEPARATOR}{weaker} without {stronger}")
        # What a weaker level forbids as well is a finding at that level, and not here again.
        cycles = {level: cycles[level] for level in weakest(violated)}
        judged = _Judged(verdicts, cycles, tuple(lessons), tuple(reached), len(self.judged))
        self.judged.append(judged)
        return judged

    def outcomes(self, leaf: tuple[int, ...]) -> tuple[str, ...]:
        """How the transactions of a history end."""
        return tuple(self.edges[place].ended.outcome for place in leaf)

    def lessons_of(self, row: int, others: Sequence[Predicted] = ()) -> list[str]:
        """What the history of a row shows, to be replayed for; ``others`` are other profiles."""
        leaf = self.leaves[row]
        lessons = dict.fromkeys(lesson for place in leaf for lesson in self.watch.lessons[place])
        lessons.update(dict.fromkeys(self.judged[self.verdicts[row]].lessons))
        for other in others:
            place = other.row_of(self.numbers[row])
            if place is not None and other.outcomes(other.leaves[place]) != self.outcomes(leaf):
                lessons[f"otherwise under {other.profile.name}"] = None
        return list(lessons)

    def row_of(self, number: int) -> int | None:
        """The row of a history, None if the profile does not predict it."""
        if not hasattr(self, "_rows"):
            self._rows = {number: row for row, number in enumerate(self.numbers)}
        return self._rows.get(number)

    def offer(self, offer: Offer, others: Sequence[Predicted]) -> None:
        """Chooses the histories that the pool offers for a replay."""
        candidates = {row: self.lessons_of(row, others) for row in range(len(self.numbers))}
        self.lessons = dict(chosen_first(candidates, offer.shown, offer.count))

    def tally(self) -> Counter[str]:
        """How many histories reached what there is to reach."""
        count: Counter[str] = Counter()
        by_edge = Counter(place for leaf in self.leaves for place in leaf)
        for place, times in by_edge.items():
            for kind, what in self.watch.reached[place]:
                count[f"{kind}{SEPARATOR}{what}"] += times
        for place, times in Counter(self.verdicts).items():
            judged = self.judged[place]
            for text in judged.reached:
                count[text] += times
            if any(v["promised"] and v["verdict"] == "violated" for v in judged.verdicts):
                count[f"total{SEPARATOR}violations"] += times
        count[f"total{SEPARATOR}histories"] += len(self.numbers)
        count[f"total{SEPARATOR}schedules"] += sum(self.sizes)
        return count

    def batch(self) -> pa.RecordBatch:
        """One row for each history, and one that counts."""
        chosen, rows = self.pool, len(self.numbers)
        flat = pa.array([_ending(edge, chosen.kinds) for edge in self.edges], _ENDING)
        refused = [edge.ended.conflict is not None for edge in self.edges]
        overlaps = self.watch.overlaps
        verdicts = pa.array(
            [
                [
                    {**verdict, "cause": cause}
                    for verdict, cause in zip(self.judged[place].verdicts, causes, strict=True)
                ]
                for place, causes in self.causes.values
            ],
            _VERDICTS,
        )
        tally = sorted(self.tally().items())
        map_type = pa.map_(pa.string(), pa.int64())
        columns = {
            "history": pa.array(
                [*(chosen.id_of(number) for number in self.numbers), None], pa.string()
            ),
            "position": pa.array([chosen.position] * (rows + 1), pa.int64()),
            "number": pa.array([*self.numbers, TALLY], pa.int32()),
            "profile": pa.array([self.profile.name] * (rows + 1), pa.string()),
            "transactions": lists(flat, [*self.leaves, ()]),
            "aborts": pa.array(
                [*(sum(refused[place] for place in leaf) for leaf in self.leaves), 0], pa.int32()
            ),
            "overlaps": pa.array(
                [*(sum(overlaps[place] for place in leaf) for leaf in self.leaves), 0], pa.int32()
            ),
            "rows": pa.array([*self.rows, 0], pa.int32()),
            "verdicts": verdicts.take(pa.array([*self.causes.places, None], pa.int32())),
            "lessons": pa.array(
                [self.lessons.get(row) for row in range(rows + 1)], pa.list_(pa.string())
            ),
            "reached": pa.array([*[None] * rows, tally], map_type),
        }
        return pa.RecordBatch.from_pydict(columns)


def cause_of(cycle: Sequence[tuple[int, str]], kinds: Sequence[str]) -> str:
    """A cycle in a form that is the same for all alike: statement kinds and edges along it.

    ``cycle`` has the nodes, by place in ``kinds``, each with the edge to the next one.
    """
    steps = [(kinds[node], edge) for node, edge in cycle]
    first = min(range(len(steps)), key=lambda place: steps[place:] + steps[:place])
    turned = steps[first:] + steps[:first]
    return " ".join(f"{kind} -{edge}->" for kind, edge in turned) + f" {turned[0][0]}"


def _ending(edge: Edge, kinds: Sequence[str]) -> dict[str, object]:
    ended = edge.ended
    conflict = ended.conflict
    return {
        "name": edge.name,
        "statement": kinds[edge.statement],
        "outcome": ended.outcome,
        "read_version": ended.logical.read_version,
        "commit_version": ended.logical.commit_version,
        "rule": None if conflict is None else conflict.rule,
        "winner": None if conflict is None else conflict.winner,
    }
