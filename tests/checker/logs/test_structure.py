"""Each kind of structural finding: planted in a log it is found, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.log_files import (
    Action,
    add,
    append,
    audited,
    create,
    delete,
    field,
    info,
    kinds,
    metadata,
    optimize,
    remove,
    touch_files,
    write_log,
)

VECTOR = {"storageType": "i", "pathOrInlineDv": "abcde", "sizeInBytes": 4, "cardinality": 2}
SMALLER = {**VECTOR, "pathOrInlineDv": "edcba", "cardinality": 1}

IDENTITY = "delta.identity."


def identity(mark: int, *, explicit: bool = False) -> Action:
    options: dict[str, object] = {
        f"{IDENTITY}start": 1,
        f"{IDENTITY}step": 1,
        f"{IDENTITY}highWaterMark": mark,
        f"{IDENTITY}allowExplicitInsert": explicit,
    }
    return metadata(field("k", "long", **options), field("p"))


TIMES = metadata(**{"delta.enableInCommitTimestamps": "true"})

PLANTED: dict[str, tuple[list[tuple[Action, ...]], list[tuple[str, tuple[int, ...]]]]] = {
    "a file is added while it is there": (
        [create(add("a")), append(0, add("a"))],
        [("file-added-twice", (0, 1))],
    ),
    "one commit adds a file twice": (
        [create(), append(0, add("a"), add("a"))],
        [("file-added-twice", (1,))],
    ),
    "a file is added with a deletion vector beside itself": (
        [create(add("a", rows=3)), delete(0, "", add("a", rows=3, deletionVector=VECTOR))],
        [("file-added-twice", (0, 1)), ("deletion-vector", (1,))],
    ),
    "a file that was never there is removed": (
        [create(add("a")), delete(0, "", remove("b"))],
        [("removed-not-live", (1,))],
    ),
    "a file is removed twice": (
        [create(add("a")), delete(0, "", remove("a")), delete(1, "", remove("a"))],
        [("removed-not-live", (1, 2))],
    ),
    "one commit removes a file twice": (
        [create(add("a")), delete(0, "", remove("a"), remove("a"))],
        [("removed-not-live", (1,))],
    ),
    "a file is rewritten twice": (
        [
            create(add("a", rows=2)),
            optimize(0, remove("a", dataChange=False), add("b", rows=2, dataChange=False)),
            optimize(0, remove("a", dataChange=False), add("c", rows=2, dataChange=False)),
        ],
        [("rewritten-twice", (1, 2)), ("level-violation", (1, 2))],
    ),
    "a version reads itself": (
        [create(), append(1, add("a"))],
        [("impossible-read-version", (1,))],
    ),
    "a version reads one that cannot be": (
        [create(), append(-3, add("a"))],
        [("impossible-read-version", (1,))],
    ),
    "deletions are lost": (
        [
            create(add("a", rows=3, deletionVector=VECTOR)),
            delete(
                0,
                "",
                remove("a", deletionVector=VECTOR),
                add("a", rows=3, deletionVector=SMALLER),
            ),
        ],
        [("deletion-vector", (1,)), ("deletion-vector", (1,))],  # And it is not a vector at all.
    ),
    "row ids are given twice": (
        [
            create(add("a", rows=3, baseRowId=0)),
            append(0, add("b", rows=2, baseRowId=2)),
        ],
        [("row-id-twice", (0, 1))],
    ),
    "identity values are given twice": (
        [create(table=identity(5)), append(0, add("a", low=5, high=7))],
        [("identity-twice", (1,))],
    ),
    "the high-water mark of an identity column goes back": (
        [create(table=identity(5)), (info("WRITE", 0), identity(3))],
        [("identity-twice", (1,))],
    ),
    "a transaction of an application comes twice": (
        [
            create({"txn": {"appId": "stream", "version": 4}}),
            append(0, add("a"), {"txn": {"appId": "stream", "version": 4}}),
        ],
        [("application-transaction-order", (1,))],
    ),
    "transactions of an application go back": (
        [
            create({"txn": {"appId": "stream", "version": 4}}),
            append(0, add("a"), {"txn": {"appId": "stream", "version": 2}}),
        ],
        [("application-transaction-order", (1,))],
    ),
    "in-commit timestamps do not rise": (
        [
            (info("CREATE TABLE", inCommitTimestamp=50), *create(table=TIMES)[1:]),
            append(0, add("a"), inCommitTimestamp=50),
        ],
        [("damaged-commit", (0, 1))],
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found_and_nothing_else(name: str, tmp_path: Path) -> None:
    commits, expected = PLANTED[name]
    folder = touch_files(write_log(tmp_path, *commits))
    assert kinds(audited(folder)) == expected


CLEAN: dict[str, list[tuple[Action, ...]]] = {
    "a restored file": [
        create(add("a")),
        delete(0, "", remove("a")),
        (info("RESTORE", 1), add("a")),
        delete(2, "", remove("a")),
    ],
    "statistics computed anew": [
        create(add("a")),
        (info("COMPUTE STATS", 0), add("a", dataChange=False)),
    ],
    "deletions that grow": [
        create(add("a", rows=9, deletionVector=SMALLER)),
        delete(
            0,
            "",
            remove("a", deletionVector=SMALLER),
            add("a", rows=9, deletionVector=VECTOR),
        ),
    ],
    "explicit identity values": [
        create(table=identity(5, explicit=True)),
        append(0, add("a", low=2, high=2)),
    ],
    "row ids that follow one another, and the same path again": [
        create(add("a", rows=3, baseRowId=0)),
        append(0, add("b", rows=2, baseRowId=3)),
        delete(1, "", remove("a"), add("a", rows=3, baseRowId=0, deletionVector=VECTOR)),
    ],
    "applications that count for themselves": [
        create({"txn": {"appId": "one", "version": 4}}),
        append(0, add("a"), {"txn": {"appId": "two", "version": 1}}),
        append(1, add("b"), {"txn": {"appId": "one", "version": 9}}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_what_only_looks_wrong_is_not_found(name: str, tmp_path: Path) -> None:
    folder = touch_files(write_log(tmp_path, *CLEAN[name]))
    found = [each for each in audited(folder).findings if "cannot be applied" not in each.because]
    assert found == []


def test_missing_files_and_orphans_are_told_apart_by_name(tmp_path: Path) -> None:
    folder = touch_files(
        write_log(tmp_path, create(add("p=1/a%20b.parquet"), add("p=1/c.parquet")))
    )
    (folder / "p=1" / "a%20b.parquet").rename(folder / "p=1" / "a b.parquet")
    (folder / "p=1" / "c.parquet").rename(folder / "p=1" / "d.parquet")
    (folder / "_change_data").mkdir()
    (folder / "_change_data" / "e.parquet").touch()
    assert {(each.kind, each.files) for each in audited(folder).findings} == {
        ("missing-file", ("p=1/c.parquet",)),
        ("orphan-file", ("p=1/d.parquet",)),
    }


def test_a_gap_is_named_and_no_file_is_said_not_to_be_live_behind_it(tmp_path: Path) -> None:
    write_log(tmp_path, create(add("a")))
    write_log(tmp_path, delete(2, "", remove("b")), first=3)
    result = audited(touch_files(tmp_path))
    assert kinds(result) == [("version-gap", (1, 2))]
    assert set(result.levels.values()) == {"unknown"}


def test_a_log_that_begins_late_without_a_checkpoint_is_a_gap(tmp_path: Path) -> None:
    write_log(tmp_path, append(4, add("a")), first=5)
    assert kinds(audited(touch_files(tmp_path))) == [("version-gap", (0, 4))]


CHECKSUMS = {
    "another number of files": {"numFiles": 2},
    "another size": {"numFiles": 1, "tableSizeBytes": 7},
    "another commit": {"txnId": "lost"},
    "another file": {"numFiles": 1, "allFiles": [{"path": "b"}]},
    "another transaction": {"setTransactions": [{"appId": "stream", "version": 5}]},
    "no object": [],
}


@pytest.mark.parametrize("name", CHECKSUMS)
def test_a_checksum_that_contradicts_the_log(name: str, tmp_path: Path) -> None:
    commit = (info("CREATE TABLE", txnId="there"), *create(add("a"))[1:])
    stream = {"txn": {"appId": "stream", "version": 4}}
    folder = touch_files(write_log(tmp_path, (*commit, stream)))
    checksum = folder / "_delta_log" / f"{0:020d}.crc"
    right = {"numFiles": 1, "tableSizeBytes": 100, "txnId": "there", "allFiles": [{"path": "a"}]}
    checksum.write_text(json.dumps(right))
    assert kinds(audited(folder)) == []
    checksum.write_text(json.dumps(CHECKSUMS[name]))
    assert kinds(audited(folder)) == [("contradicting-checksum", (0,))]
