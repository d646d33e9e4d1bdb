"""Segments with many commits: what is said of their components is what is said of the whole."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from checker.logs.overlap import verdicts
from checker.logs.overlap.traces import Segment
from checker.logs.overlap.verdicts import judge
from tests.log_files import Action, add, append, audited, create, delete, info, remove, write_log
from tests.nightly import cases

PARTITIONS = 4


def overlapping(pick: random.Random) -> list[tuple[Action, ...]]:
    """Appends, deletes and others, most of which have missed some commits before them."""
    commits: list[tuple[Action, ...]] = [create(*(add(f"s{p}", p=p) for p in range(PARTITIONS)))]
    live = {f"s{p}": p for p in range(PARTITIONS)}
    for version in range(1, pick.randint(3, 14)):
        read = max(0, version - 1 - pick.choice((0, 1, 2, 5)))
        p, kind = pick.randrange(PARTITIONS), pick.random()
        if kind < 0.5:
            commits.append(append(read, add(f"f{version}", p=p)))
            live[f"f{version}"] = p
        elif kind < 0.75:
            gone = [path for path, where in live.items() if where == p][:1]
            commits.append(delete(read, f"(p#1 = {p})", *map(remove, gone)))
            for path in gone:
                del live[path]
        elif kind < 0.95:
            # It may have read anything, and says nothing of it.
            commits.append((info("MERGE", read), add(f"f{version}", p=p)))
            live[f"f{version}"] = p
        else:
            # Reads by a condition, and appends: with another one like it a cycle is sure.
            parameters = {"predicate": f'["(p#1 = {(p + 1) % PARTITIONS})"]'}
            commits.append(
                (info("DELETE", read, operationParameters=parameters), add(f"f{version}", p=p))
            )
            live[f"f{version}"] = p
    return commits


def test_components_say_what_the_whole_segment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = set()
    for seed in range(cases(80, 2_000)):
        pick, folder = random.Random(seed), tmp_path / str(seed)
        write_log(folder, *overlapping(pick))
        traces = tuple(audited(folder).traces)
        segment = Segment(0, len(traces) - 1, traces)
        monkeypatch.setattr(verdicts, "LARGEST", 120)
        _, whole = judge(segment)
        largest = pick.choice((1, 3, 5))
        monkeypatch.setattr(verdicts, "LARGEST", largest)
        _, parts = judge(segment)
        if parts.verdict != whole.verdict:
            assert parts.verdict == "unknown", seed
            assert f"more than the {largest}" in parts.because, seed
        met.add((whole.verdict, parts.verdict))
    assert met >= {("holds", "holds"), ("unknown", "unknown")}


def test_many_commits_that_meet_in_pairs(tmp_path: Path) -> None:
    """A hundred and fifty deletes that each miss an append of their own partition."""
    partitions = range(150)
    commits = [create(*(add(f"s{p}", p=p) for p in partitions))]
    commits += [append(0, add(f"f{p}", p=p)) for p in partitions]
    commits += [delete(0, f"(p#1 = {p})", remove(f"s{p}")) for p in partitions]
    result = audited(write_log(tmp_path, *commits))
    verdict = {decided.level: decided.verdict for decided in result.verdicts}
    assert verdict == {"Serializable": "violated", "WriteSerializable": "holds"}
