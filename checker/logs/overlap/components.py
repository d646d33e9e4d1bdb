"""The commits of a large segment that can lie on cycles together.

A cycle that WriteSerializable forbids is made of conflicts alone, so it lies in one strongly
connected component of the graph of all conflicts that are possible. Conflicts are asked once for
each condition and commit, not for each pair: jobs that come again read by the same conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from checker.logs.overlap.traces import Trace

MOST = 10_000
"""Commits of the largest segment that is taken apart: the graph has a byte for each pair."""


def components(traces: Sequence[Trace]) -> list[list[Trace]]:
    """The components of more than one commit, each in the order of the log.

    ``traces`` are at most ``MOST`` commits of a segment, in the order of the log.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    edges = csr_array(_conflicts(traces))
    count, label = connected_components(edges, directed=True, connection="strong")
    members: list[list[Trace]] = [[] for _ in range(count)]
    for commit, number in zip(traces, label.tolist(), strict=True):
        members[number].append(commit)
    large = [commits for commits in members if len(commits) > 1]
    return sorted(large, key=lambda commits: commits[0].version)


def _conflicts(traces: Sequence[Trace]) -> Any:
    """For each pair of places, whether the first commit may have to come before the second."""
    size = len(traces)
    version = np.array([commit.version for commit in traces])
    edges = np.zeros((size, size), dtype=bool)
    matched: dict[object, Any] = {}
    for place, reader in enumerate(traces):
        read = reader.reads.most
        if read is None:
            continue
        key = read.text, read.conjuncts, read.loose, id(reader.columns)
        if key not in matched:
            matched[key] = np.array([_may_match(reader, commit) for commit in traces])
        changed = matched[key]
        snapshot = reader.version - 1 if reader.read_version is None else reader.read_version
        # What its snapshot shows comes before it, everything else that it read behind it.
        shown = changed & (version <= snapshot)
        edges[:, place] |= shown
        edges[place, :] |= changed & ~shown
    writers: dict[object, list[int]] = {}
    for place, commit in enumerate(traces):
        for file in {file.key for file in (*commit.added, *commit.removed)}:
            writers.setdefault(file, []).append(place)
    for places in writers.values():
        for first, second in pairwise(places):
            edges[first, second] = True
    np.fill_diagonal(edges, False)
    return edges


def _may_match(reader: Trace, commit: Trace) -> bool:
    """Whether the widest read of one commit may match rows that the other one changed."""
    read = reader.reads.most
    assert read is not None
    return commit.opaque or any(
        read.of(file, reader.columns) is not False for file in (*commit.added, *commit.removed)
    )
