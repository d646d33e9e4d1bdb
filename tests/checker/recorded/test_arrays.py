"""Large histories: the arrays against the project's own decider, and planted anomalies."""

from __future__ import annotations

import itertools
import json
from html import unescape
from pathlib import Path
from random import Random

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from checker.judging import graph
from checker.judging.dependencies import dependencies as graph_of
from checker.recorded.arrays import decide
from checker.recorded.arrays.explanation import in_words
from checker.recorded.arrays.generator import Planted, generate
from checker.recorded.arrays.history import InvalidHistory, LargeHistory
from checker.recorded.dependency import Dependency
from isodelta import cli
from isodelta.exits import BAD, FOUND, OK
from model.history import History, ItemRead, RowChange, RowId, Transaction
from tests.nightly import cases
from tests.notation import large

LEVELS = ("Serializable", "WriteSerializable", "SnapshotIsolation")
Operation = tuple[int, bool, int, int]


def random_operations(seed: int, wild: bool) -> tuple[list[Operation], list[int]]:
    """Operations of up to five transactions, and their snapshots.

    A wild history reads any version; others read the last one that the snapshot shows.
    """
    random = Random(seed)
    keys = random.randint(1, 3)
    plan = [
        sorted(
            {(random.random() < 0.5, random.randrange(keys)) for _ in range(random.randint(1, 3))}
        )
        for _ in range(random.randint(2, 5))
    ]
    writers = [
        [number for number, steps in enumerate(plan, 1) if (True, key) in steps]
        for key in range(keys)
    ]
    snapshots = [random.randint(max(0, n - 2), n - 1) for n in range(1, len(plan) + 1)]
    operations: list[Operation] = []
    for number, steps in enumerate(plan, 1):
        for write, key in steps:
            seen = [w for w in writers[key] if w <= snapshots[number - 1]]
            others = [w for w in (0, *writers[key]) if w != number]
            version = random.choice(others) if wild else max(seen, default=0)
            operations.append((number, write, key, number if write else version))
    return operations, snapshots


def arrays(operations: list[Operation], snapshots: list[int] | None) -> LargeHistory:
    columns = list(zip(*operations, strict=True))
    return LargeHistory(
        np.array(columns[0]),
        np.array(columns[1], dtype=bool),
        np.array(columns[2]),
        np.array(columns[3]),
        None if snapshots is None else np.array(snapshots),
    )


def as_history(operations: list[Operation], snapshots: list[int]) -> History:
    """The same operations as a history of the project: a key is a row, a version its writer."""
    rows: dict[int, RowId] = {key: ("setup", key) for _, _, key, _ in operations}
    last = dict.fromkeys(rows, 0)
    transactions = []
    for number in sorted({each[0] for each in operations}):
        mine = [each for each in operations if each[0] == number]
        changes = []
        for _, write, key, _ in mine:
            if write:
                changes.append(RowChange("t", rows[key], (key, last[key]), (key, number)))
                last[key] = number
        reads = tuple(
            ItemRead("t", rows[key], (key, version)) for _, write, key, version in mine if not write
        )
        commit = number if changes else None
        transactions.append(
            Transaction(
                f"T{number}", "", snapshots[number - 1], commit, True, (), reads, tuple(changes)
            )
        )
    initial = {"t": {rows[key]: (key, 0) for key in rows}}
    final = tuple((key, last[key]) for key in rows)
    return History("t", 0, initial, tuple(transactions), final)


@pytest.mark.slow
def test_the_arrays_agree_with_the_graph_decider() -> None:
    met = set()
    for seed in range(cases(1_000, 10_000)):
        operations, snapshots = random_operations(seed, wild=False)
        verdicts = decide.judge(arrays(operations, snapshots))
        found = graph_of(as_history(operations, snapshots))
        for level in LEVELS:
            expected = graph.decide(found, level).verdict
            assert verdicts[level].verdict == expected, (seed, level, operations, snapshots)
            met.add((level, expected))
    assert len(met) == 6


@pytest.mark.slow
def test_the_arrays_agree_with_the_definitions_whatever_was_read() -> None:
    for seed in range(cases(1_000, 10_000)):
        operations, snapshots = random_operations(seed, wild=True)
        verdicts = decide.judge(arrays(operations, snapshots))
        edges = {(a, b) for a, b, *_ in _edges(operations)}
        writers = sorted({number for number, write, *_ in operations if write})
        log = {(a, b) for a in writers for b in writers if a < b}
        among = {(a, b) for a, b in edges if a in writers and b in writers}
        taken = dict(enumerate(snapshots, 1))
        right = all(
            s <= taken[t] if kind != "rw" else t > taken[s] for s, t, kind, _ in _edges(operations)
        )
        expected = (_acyclic(edges | log), _acyclic(among), right)
        assert tuple(verdicts[level].verdict == "holds" for level in LEVELS) == expected, seed


def _acyclic(edges: set[tuple[int, int]]) -> bool:
    return nx.is_directed_acyclic_graph(nx.DiGraph(list(edges)))


@pytest.mark.slow
def test_witnesses_are_what_they_say() -> None:
    for seed in range(cases(600, 5_000)):
        operations, _ = random_operations(seed, wild=seed % 2 == 0)
        history = arrays(operations, None)
        edges = _edges(operations)
        for level, verdict in decide.judge(history).items():
            cycle = verdict.cycle
            if verdict.verdict == "violated":
                assert [e.target for e in cycle] == [e.source for e in (*cycle[1:], cycle[0])]
                for edge in cycle:
                    source, target = int(edge.source), int(edge.target)
                    if edge.kind == "log":
                        assert source < target
                    else:
                        words = {
                            in_words(Dependency(*each)).because
                            for each in edges
                            if each[:3] == (source, target, edge.kind)
                        }
                        assert edge.because in words
            elif verdict.serial_order is not None:
                place = {int(n): i for i, n in enumerate(verdict.serial_order)}
                for source, target, *_ in edges:
                    if level == "Serializable" or {source, target} <= place.keys():
                        assert place[source] < place[target], (seed, level)


def test_a_snapshot_that_does_not_fit_closes_a_cycle() -> None:
    met = set()
    for seed in range(600):
        operations, snapshots = random_operations(seed, wild=True)
        verdict = decide.judge(arrays(operations, snapshots))["SnapshotIsolation"]
        if verdict.verdict == "holds":
            continue
        shown, back = verdict.cycle
        assert (shown.target, back.target) == (back.source, shown.source)
        edges = {(str(a), str(b), kind) for a, b, kind, _ in _edges(operations)}
        assert (shown.source, shown.target, shown.kind) in edges
        source, target = int(back.source), int(back.target)
        if back.kind == "start":
            assert source <= snapshots[target - 1]
        else:
            assert (back.kind, target > snapshots[source - 1]) == ("unseen", True)
        met.add((shown.kind, back.kind, verdict.anomaly))
    assert met == {
        ("wr", "unseen", "G-SIa (interference)"),
        ("ww", "unseen", "lost update"),
        ("rw", "start", "G-SIb (missed effects)"),
    }


def _edges(operations: list[Operation]) -> set[tuple[int, int, str, int]]:
    result = set()
    writers: dict[int, list[int]] = {}
    for number, write, key, _ in operations:
        if write:
            writers.setdefault(key, []).append(number)
    for key, line in writers.items():
        result |= {(a, b, "ww", key) for a, b in itertools.pairwise(line)}
    for number, write, key, version in operations:
        if not write:
            if version:
                result.add((version, number, "wr", key))
            later = [w for w in writers.get(key, ()) if w > version]
            if later and later[0] != number:
                result.add((number, later[0], "rw", key))
    return result


def test_snapshot_isolation_without_snapshots_asks_for_some_snapshot() -> None:
    for seed in range(400):
        operations, snapshots = random_operations(seed, wild=True)
        free = decide.judge(arrays(operations, None))["SnapshotIsolation"].verdict
        ranges = [range(n) for n in range(1, len(snapshots) + 1)]
        writes = {number for number, write, *_ in operations if write}
        edges = _edges(operations)

        def fits(number: int, taken: int, edges: set[tuple[int, int, str, int]] = edges) -> bool:
            before = all(s <= taken for s, t, kind, _ in edges if t == number and kind != "rw")
            return before and all(
                t > taken for s, t, kind, _ in edges if s == number and kind == "rw"
            )

        some = all(
            any(fits(n, taken) for taken in (r if n in writes else range(len(snapshots) + 1)))
            for n, r in enumerate(ranges, 1)
            if any(each[0] == n for each in operations)
        )
        assert (free == "holds") == some, (seed, operations)


@pytest.mark.parametrize("snapshots", [True, False])
@pytest.mark.parametrize("planted", [None, "write skew", "lost update"])
def test_planted_anomalies_in_many_transactions(planted: Planted | None, snapshots: bool) -> None:
    made = generate(1, 20_000, 3_000, planted)
    if not snapshots:
        made = LargeHistory(made.transaction, made.write, made.key, made.writer)
    verdicts = decide.judge(made)
    expected = {
        None: ("holds", "holds", "holds"),
        "write skew": ("violated", "violated", "holds"),
        "lost update": ("violated", "violated", "violated"),
    }[planted]
    assert tuple(verdicts[level].verdict for level in LEVELS) == expected
    if planted is not None:
        assert verdicts["WriteSerializable"].anomaly == planted
        assert {e.source for e in verdicts["WriteSerializable"].cycle} == {"10000", "10001"}


def test_a_version_that_nobody_wrote() -> None:
    made = large("1: w(x)", "2: r(x=1)", "3: r(x=2)")
    verdict = decide.judge(made)["WriteSerializable"]
    assert (verdict.verdict, verdict.anomaly) == ("violated", "unwritten read")
    assert "operation 2" in (verdict.why or "")


@pytest.mark.parametrize(
    ("read", "words"),
    [
        # As codes, key * base + writer, some of these are versions that another one wrote.
        ((2, False, 5, 4), "operation 1: transaction 2 read a version of key 5 by transaction 4"),
        ((2, False, 5, 3), "operation 1: transaction 2 read a version of key 5 by transaction 3"),
        ((2, False, 7, 10**15), "key 7 by transaction 1000000000000000, which wrote none"),
        ((2, False, 6, 2), "transaction 2 read a version of key 6 of its own, and wrote none"),
        ((1, False, 9, 1), "transaction 1 read a version of key 9 of its own, and wrote none"),
    ],
)
def test_a_read_of_a_version_out_of_range_is_of_one_that_nobody_wrote(
    read: Operation, words: str
) -> None:
    for verdict in decide.judge(arrays([(1, True, 6, 1), read], None)).values():
        assert (verdict.verdict, verdict.anomaly) == ("violated", "unwritten read")
        assert words in (verdict.why or "")


def test_whatever_writer_a_read_names_it_is_one_of_its_key_or_an_anomaly() -> None:
    """Holds against a plain look at who wrote what, for writers far outside of the range."""
    met = set()
    for seed in range(cases(500, 5_000)):
        random = Random(seed)
        operations, _ = random_operations(seed, wild=True)
        at = random.randrange(len(operations))
        number, write, key, _ = operations[at]
        if write:
            continue
        operations[at] = (number, False, key, random.randint(0, 40))
        wrote = {(n, k) for n, is_write, k, _ in operations if is_write}
        bad = [i for i, (_, _, k, w) in enumerate(operations) if w and (w, k) not in wrote]
        verdict = decide.judge(arrays(operations, None))["WriteSerializable"]
        assert (verdict.anomaly == "unwritten read") == bool(bad), operations
        if bad:
            assert (verdict.why or "").startswith(f"operation {bad[0]}: "), operations
        met.add(bool(bad))
    assert met == {True, False}


def test_a_read_of_its_own_version_needs_a_write_of_the_transaction() -> None:
    made = arrays([(1, True, 3, 1), (1, False, 3, 1), (2, False, 3, 1)], None)
    assert {verdict.verdict for verdict in decide.judge(made).values()} == {"holds"}


@pytest.mark.parametrize("later", [2, 3])
def test_two_versions_of_a_key_are_a_non_repeatable_read(later: int) -> None:
    """Transaction 4 reads two versions of key 0 and replaces neither."""
    writes = [(1, True, 0, 1), (2, True, 0, 2), (3, True, 0, 3)]
    made = arrays([*writes, (4, False, 0, 1), (4, False, 0, later)], None)
    verdicts = decide.judge(made)
    for level in ("Serializable", "SnapshotIsolation"):
        assert verdicts[level].anomaly == "non-repeatable read"


def test_transaction_numbers_may_be_left_out_up_to_a_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    far = arrays([(1, True, 1, 1), (90_000, False, 1, 1)], None)
    assert decide.judge(far)["Serializable"].verdict == "holds"
    columns = {
        "transaction": [1, 10**15],
        "write": [True, True],
        "key": [1, 1],
        "writer": [1, 10**15],
    }
    for snapshot in ({}, {"snapshot": [0, 1]}):
        path = tmp_path / "far.parquet"
        pq.write_table(pa.table(columns | snapshot), path)
        assert cli.run(["history", str(path)]) == BAD
        words = f"{path}: operation 1: transaction 1000000000000000; with 2 operations"
        assert words in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    "operations",
    [
        [(2, True, 0, 2), (1, True, 0, 1)],
        [(0, True, 0, 0)],
        [(1, True, 0, 7)],
        [(1, False, 0, -1)],
        [(1, True, 0, 1), (2, False, 1, -2)],
    ],
)
def test_arrays_that_are_no_history(operations: list[Operation]) -> None:
    with pytest.raises(InvalidHistory, match="operation"):
        decide.judge(arrays(operations, None))


def write_parquet(path: Path, made: LargeHistory) -> Path:
    pq.write_table(pa.table(made.columns()), path)
    return path


def test_parquet_histories_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = write_parquet(tmp_path / "good.parquet", generate(2, 500, 50))
    assert cli.run(["history", str(good)]) == OK
    skewed = write_parquet(tmp_path / "skew.parquet", generate(2, 500, 50, "write skew"))
    assert cli.run(["history", str(skewed)]) == FOUND
    assert "write skew" in capsys.readouterr().out
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(good.read_bytes()[:-30])
    assert cli.run(["history", str(cut)]) == BAD
    wrong = tmp_path / "wrong.parquet"
    pq.write_table(pa.table({"transaction": [1], "key": [1]}), wrong)
    assert cli.run(["history", str(wrong)]) == BAD
    assert "no column 'write'" in capsys.readouterr().err


def test_serializable_of_a_known_order_is_delta_s_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Transaction 2 missed 1, which came before it in the log: no level but Delta's minds."""
    path = write_parquet(tmp_path / "h.parquet", large("1: w(x)", "2: r(x) w(y)"))
    assert cli.run(["history", str(path), "--json"]) == FOUND
    levels = json.loads(capsys.readouterr().out)["levels"]
    verdicts = {name: (level["verdict"], level.get("means")) for name, level in levels.items()}
    assert verdicts == {
        "Serializable": ("violated", "Delta's Serializable"),
        "WriteSerializable": ("holds", None),
        "SnapshotIsolation": ("holds", None),
    }
    assert cli.run(["history", str(path), "--report", str(tmp_path / "report")]) == FOUND
    words = "Delta's, serializable in the order of the log"
    assert f"Serializable ({words}): violated" in " ".join(capsys.readouterr().out.split())
    assert words in unescape((tmp_path / "report" / "index.html").read_text())


def test_the_pruned_graph_loses_no_cycle() -> None:
    """Long edges with the log, short ones against it: cycles lie inside what those span."""
    for seed in range(300):
        random = Random(seed)
        size = random.randint(3, 12)
        reads = [(random.randint(1, size), random.randint(1, size)) for _ in range(size)]
        operations: list[Operation] = []
        for number in range(1, size + 1):
            operations.append((number, True, number, number))
            operations += [
                (n, False, other, random.choice((0, other)))
                for n, other in reads
                if n == number and other != n
            ]
        verdict = decide.judge(arrays(operations, None))["WriteSerializable"].verdict
        found = nx.DiGraph([(a, b) for a, b, *_ in _edges(operations)])
        assert (verdict == "holds") == nx.is_directed_acyclic_graph(found), seed
