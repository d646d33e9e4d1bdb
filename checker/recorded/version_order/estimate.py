"""An estimate of the order of commits, from what inference found out.

In a long history most transactions have most others before or behind them in the graph, so that
the difference of the two numbers puts a transaction close to its place. Only writers that are close
to each other in this order need a search; the others are as the estimate has them, which is tested
like every guess.
"""

from __future__ import annotations

import numpy as np

from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.cycles import topological_by
from checker.recorded.version_order.inference import Inference
from checker.recorded.version_order.reachability import Bits
from checker.recorded.version_order.search import Choice
from checker.recorded.version_order.time_limit import in_time

NEIGHBOURS = 6
"""Writers of the same key, in the estimated order, that a writer is compared with on each side."""
ROWS = 512
"""Rows of the relation that are unpacked at once."""


def estimated_order(graph: Constraints, inference: Inference) -> list[int] | None:
    """The nodes in a topological order that is close to that of the commits, if it is acyclic.

    None where reachability is not kept as bits.
    """
    reach = inference.reach
    if not isinstance(reach, Bits) or not inference.rounds:
        return None
    before = np.bitwise_count(reach.seen).sum(axis=1, dtype=np.int64)
    behind = np.zeros(reach.seen.shape[1] * 64, dtype=np.int64)
    for start in range(0, len(reach.seen), ROWS):
        in_time(graph.deadline)
        rows = np.unpackbits(
            reach.seen[start : start + ROWS].view(np.uint8), axis=1, bitorder="little"
        )
        behind += rows.sum(axis=0, dtype=np.int64)
    return topological_by(graph.after, (before - behind[: len(before)]).tolist())


def near_pairs(graph: Constraints, inference: Inference, order: list[int]) -> list[Choice]:
    """The open pairs of writers that are close to each other in an order, by their key."""
    place = [0] * graph.size
    for at, node in enumerate(order):
        place[node] = at
    pairs: list[Choice] = []
    for key in inference.open:
        in_time(graph.deadline)
        writers = inference.writers[key].tolist()
        line = np.array(sorted(writers, key=lambda writer: place[graph.commit(writer)]))
        for distance in range(1, min(NEIGHBOURS, len(line) - 1) + 1):
            first, second = line[:-distance], line[distance:]
            still_open = inference.is_open(first, second)
            chosen = zip(first[still_open].tolist(), second[still_open].tolist(), strict=True)
            pairs += [(one, other, key) for one, other in chosen]
    return pairs
