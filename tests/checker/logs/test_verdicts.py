"""Verdicts on overlapping commits: sure, bounded by what may have been read, or unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.logs.audit import Window
from checker.logs.overlap import verdicts
from checker.logs.overlap.traces import united
from tests.log_files import (
    Action,
    add,
    append,
    audited,
    create,
    delete,
    info,
    optimize,
    remove,
    touch_files,
    write_log,
)

SERIALIZABLE = {"isolationLevel": "Serializable"}
WRITE_SERIALIZABLE = {"isolationLevel": "WriteSerializable"}

START = create(add("a", p=1), add("b", p=2))

COMPACTION = optimize(0, remove("a", dataChange=False), add("d", dataChange=False))

HISTORIES: dict[str, tuple[list[tuple[Action, ...]], tuple[str, str]]] = {
    "nothing overlaps": (
        [START, append(0, add("c")), delete(1, "(p#3 = 1)", remove("a"))],
        ("holds", "holds"),
    ),
    "a delete misses an append to its partition": (
        [START, append(0, add("c", p=1)), delete(0, "(p#3 = 1)", remove("a"))],
        ("violated", "holds"),
    ),
    "a delete misses an append to another partition": (
        [START, append(0, add("c", p=2)), delete(0, "(p#3 = 1)", remove("a"))],
        ("holds", "holds"),
    ),
    "a delete misses an append of an empty file": (
        [START, append(0, add("c", p=1, rows=0)), delete(0, "(p#3 = 1)", remove("a"))],
        ("unknown", "holds"),
    ),
    "a delete by values misses rows that all match": (
        [START, append(0, add("c", low=7, high=8)), delete(0, "(k#2 > 6)", remove("a"))],
        ("violated", "holds"),
    ),
    "a delete by values misses rows some of which may match": (
        [START, append(0, add("c", low=5, high=8)), delete(0, "(k#2 > 6)", remove("a"))],
        ("unknown", "holds"),
    ),
    "a delete whose predicate is not understood": (
        [START, append(0, add("c")), delete(0, "(hash(k#2) = 7)", remove("a"))],
        ("unknown", "holds"),
    ),
    "a delete of everything misses an append": (
        [START, append(0, add("c")), delete(0, "", remove("a"), remove("b"))],
        ("violated", "holds"),
    ),
    "two appends": (
        [START, append(0, add("c")), append(0, add("d"))],
        ("holds", "holds"),
    ),
    "an append that may have read misses an append": (
        [START, append(0, add("c")), (info("WRITE", 0, isBlindAppend=False), add("d"))],
        ("unknown", "holds"),
    ),
    "two appends that may have read miss each other": (
        [
            START,
            (info("WRITE", 0, isBlindAppend=False), add("c")),
            (info("WRITE", 0, isBlindAppend=False), add("d")),
        ],
        ("unknown", "unknown"),
    ),
    "an update may read other rows in SET": (
        [
            START,
            append(0, add("c", p=2)),
            (info("UPDATE", 0, operationParameters={"predicate": '["(p#3 = 1)"]'}),
             remove("a"), add("d")),
        ],
        ("unknown", "holds"),
    ),
    "a compaction misses an append": (
        [START, append(0, add("c")), COMPACTION],
        ("holds", "holds"),
    ),
    "a delete misses a compaction of other files": (
        [
            START,
            COMPACTION,
            delete(0, "(p#3 = 2)", remove("b")),
        ],
        ("holds", "holds"),
    ),
    "a delete misses an append, and what it removes was read with it": (
        [
            START,
            append(0, add("c", p=1)),
            (info("WRITE", 1, isBlindAppend=False), add("d", p=9)),
            delete(0, "(p#3 = 1)", remove("a")),
        ],
        ("violated", "unknown"),
    ),
    "a writer that does not say what it read": (
        [START, (info("WRITE"), add("c"))],
        ("unknown", "unknown"),
    ),
    "a delete is lost to a compaction": (
        [
            START,
            COMPACTION,
            delete(0, "", remove("a"), remove("b")),
        ],
        ("violated", "violated"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HISTORIES)
def test_the_levels_of_a_log(name: str, tmp_path: Path) -> None:
    commits, expected = HISTORIES[name]
    result = audited(touch_files(write_log(tmp_path, *commits)))
    assert (result.levels["Serializable"], result.levels["WriteSerializable"]) == expected


def test_a_violation_is_a_finding_where_the_level_was_promised(tmp_path: Path) -> None:
    for name, level, expected in (
        ("s", SERIALIZABLE, [("level-violation", (1, 2))]),
        ("ws", WRITE_SERIALIZABLE, []),
    ):
        folder = write_log(
            tmp_path / name,
            START,
            append(0, add("c", p=1), **level),
            delete(0, "(p#3 = 1)", remove("a"), **level),
        )
        result = audited(touch_files(folder))
        assert [(each.kind, each.versions) for each in result.findings] == expected
        assert result.levels["Serializable"] == "violated"


def test_a_verdict_names_what_it_depends_on(tmp_path: Path) -> None:
    merge = info("MERGE", 0, operationParameters={"predicate": '["(k#1 = k#9)"]'})
    folder = write_log(tmp_path, START, append(0, add("c")), (merge, add("d")))
    (reason,) = audited(folder).because["Serializable"]
    assert reason == "depends on what version 2 (MERGE) read"


def test_a_violation_tells_its_cycle(tmp_path: Path) -> None:
    folder = write_log(
        tmp_path, START, append(0, add("c", p=1)), delete(0, "(p#3 = 1)", remove("a"))
    )
    (reason,) = audited(folder).because["Serializable"]
    assert reason == (
        "violated whatever else was read: version 2 (DELETE) read p = 1 before version 1 (WRITE) "
        "added c; the log has version 1 (WRITE) before version 2 (DELETE)"
    )


def test_of_a_segment_that_is_too_large_only_what_is_sure_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits, _ = HISTORIES["a delete misses an append to its partition"]
    folder = touch_files(write_log(tmp_path, *commits))
    monkeypatch.setattr(verdicts, "LARGEST", 1)
    assert audited(folder).levels == {"Serializable": "violated", "WriteSerializable": "holds"}
    merges = [(info("MERGE", 0), add(path)) for path in ("m", "n")]
    result = audited(touch_files(write_log(tmp_path / "merges", START, *merges)))
    assert result.levels == {"Serializable": "unknown", "WriteSerializable": "unknown"}
    for reasons in result.because.values():
        assert "2 commits are more than the 1 that are searched for cycles" in reasons[0]


def test_versions_that_are_not_asked_about_are_not_judged(tmp_path: Path) -> None:
    commits, _ = HISTORIES["a delete misses an append to its partition"]
    folder = touch_files(write_log(tmp_path, *commits, append(2, add("z"), timestamp=9000)))
    for window in (Window(first=3), Window(last=1), Window(since=8000)):
        result = audited(folder, window)
        assert result.levels["Serializable"] == "holds"
        assert result.findings == []
    assert audited(folder, Window(first=2, last=2)).levels["Serializable"] == "violated"
    assert audited(folder, Window(since=8000)).commits == 1


def test_intervals_that_share_a_version_are_one() -> None:
    assert list(united([(5, 6), (1, 3), (3, 4), (8, 9)])) == [(1, 4), (5, 6), (8, 9)]


def test_what_the_other_level_would_have_refused(tmp_path: Path) -> None:
    folder = write_log(
        tmp_path,
        START,
        append(0, add("c", p=1)),
        (info("WRITE", 1, isBlindAppend=False), add("d", p=1)),
        delete(0, "(p#3 = 1)", remove("a")),
        (info("MERGE", 2), add("e")),
    )
    asked = audited(touch_files(folder)).what_if
    assert dict(asked.surely) == {"Serializable": 1, "WriteSerializable": 1}
    assert dict(asked.possibly) == {"Serializable": 1, "WriteSerializable": 1}
    assert dict(asked.pairs) == {("DELETE", "WRITE"): 2, ("MERGE", "DELETE"): 1}
    only_blind = write_log(
        tmp_path / "blind", START, append(0, add("c", p=1)), delete(0, "(p#3 = 1)", remove("a"))
    )
    asked = audited(touch_files(only_blind)).what_if
    assert (dict(asked.surely), dict(asked.possibly)) == ({"Serializable": 1}, {})
