"""The log of a table as files: checkpoints of every form, damaged files, names that lie."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
import pytest
from deltalake import DeltaTable, write_deltalake

from checker.logs import commit_text
from checker.logs.audit import Window
from conformance.delta_log import commit_files
from conformance.delta_log.stores import RemoteStore, UnreadableStore, store
from conformance.delta_log.table_log import NoLog, TableLog
from tests.log_files import (
    PROTOCOL,
    Action,
    add,
    append,
    audited,
    create,
    delete,
    info,
    kinds,
    metadata,
    remove,
    touch_files,
    write_log,
)

STREAM: Action = {"txn": {"appId": "stream", "version": 4}}


def commit_file(folder: Path, version: int) -> Path:
    return folder / "_delta_log" / f"{version:020d}.json"


def three_versions(folder: Path) -> Path:
    return touch_files(
        write_log(folder, create(add("a"), STREAM), append(0, add("b")), append(1, add("c")))
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table that delta-rs wrote: four appends, a delete, and a checkpoint in between."""
    folder = tmp_path / "table"
    for number in range(4):
        rows = pyarrow.table({"k": [number], "p": [number % 2]})
        write_deltalake(folder, rows, mode="append", partition_by=["p"])
    DeltaTable(folder).delete("k = 0")
    DeltaTable(folder).create_checkpoint()
    write_deltalake(folder, pyarrow.table({"k": [9], "p": [1]}), mode="append")
    return folder


def test_the_table_of_another_writer_is_clean(table: Path) -> None:
    result = audited(table)
    assert result.findings == []
    assert (result.commits, len(result.state.live)) == (6, 4)


def test_a_log_that_was_cleaned_up_begins_at_its_checkpoint(table: Path) -> None:
    for version in range(4):
        commit_file(table, version).unlink()
    result = audited(table)
    assert result.findings == []
    assert (result.commits, len(result.state.live)) == (1, 4)
    assert any("begins at version 4" in note for note in result.notes)


def test_only_what_is_needed_is_read(table: Path) -> None:
    commit_file(table, 1).write_text("damaged")
    assert audited(table, Window(first=5)).findings == []
    assert kinds(audited(table))[0] == ("damaged-commit", (1,))


def test_a_checkpoint_that_the_log_contradicts(table: Path) -> None:
    path = commit_file(table, 1)
    path.write_text(path.read_text().replace("part-00000", "part-77777"))
    found = [each for each in audited(table).findings if each.kind == "contradicting-checkpoint"]
    assert [each.versions for each in found] == [(4,), (4,)]
    assert " has " in found[0].because
    assert " lacks " in found[1].because


def test_a_checkpoint_that_cannot_be_read_is_told_and_the_log_goes_on(table: Path) -> None:
    next((table / "_delta_log").glob("*.checkpoint.parquet")).write_bytes(b"PAR1 nonsense")
    result = audited(table)
    assert kinds(result) == [("contradicting-checkpoint", (4,))]
    assert len(result.state.live) == 4
    for version in range(5):
        commit_file(table, version).unlink()
    assert ("version-gap", (0, 4)) in kinds(audited(table))


def v2_checkpoint(folder: Path, version: int, actions: list[Action], *, sidecar: bool) -> None:
    log = folder / "_delta_log"
    written = [{"checkpointMetadata": {"version": version}}, PROTOCOL, metadata(), STREAM]
    if sidecar:
        (log / "_sidecars").mkdir(exist_ok=True)
        columns = pyarrow.table({"add": [action["add"] for action in actions]})
        parquet.write_table(columns, log / "_sidecars" / "part.parquet")
        size = (log / "_sidecars" / "part.parquet").stat().st_size
        written.append(
            {"sidecar": {"path": "part.parquet", "sizeInBytes": size, "modificationTime": 1}}
        )
    else:
        written += actions
    name = f"{version:020d}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json"
    (log / name).write_text("".join(json.dumps(action) + "\n" for action in written))


@pytest.mark.parametrize("sidecar", [False, True])
def test_a_checkpoint_of_the_second_version(sidecar: bool, tmp_path: Path) -> None:
    folder = three_versions(tmp_path)
    v2_checkpoint(folder, 1, [add("a"), add("b")], sidecar=sidecar)
    assert audited(folder).findings == []
    commit_file(folder, 0).unlink()
    commit_file(folder, 1).unlink()
    result = audited(folder)
    assert result.findings == []
    assert {path for path, _ in result.state.live} == {"a", "b", "c"}
    assert result.state.transactions == {"stream": 4}


def test_a_checkpoint_of_the_second_version_that_lacks_a_file(tmp_path: Path) -> None:
    folder = three_versions(tmp_path)
    v2_checkpoint(folder, 1, [add("a")], sidecar=True)
    assert kinds(audited(folder)) == [("contradicting-checkpoint", (1,))]


def test_a_checkpoint_in_parts_counts_when_all_are_there(tmp_path: Path) -> None:
    folder = three_versions(tmp_path)
    names = [f"{1:020d}.checkpoint.{part:010d}.{2:010d}.parquet" for part in (1, 2)]
    rows = [
        [{"protocol": PROTOCOL["protocol"]}, {"metaData": metadata()["metaData"]}],
        [add("a"), add("b")],
    ]
    log = folder / "_delta_log"
    parquet.write_table(
        pyarrow.table(
            {
                "protocol": [PROTOCOL["protocol"], None],
                "metaData": pyarrow.array(
                    [None, {**metadata()["metaData"], "configuration": None, "format": None}]
                ),
            }
        ),
        log / names[0],
    )
    commit_file(folder, 0).unlink()
    assert kinds(audited(folder))[0] == ("version-gap", (0,))
    parquet.write_table(
        pyarrow.table({"add": [action["add"] for action in rows[1]]}), log / names[1]
    )
    result = audited(folder)
    assert kinds(result) == []
    assert {path for path, _ in result.state.live} == {"a", "b", "c"}


def test_a_pointer_to_a_checkpoint_that_is_not_there(tmp_path: Path) -> None:
    folder = three_versions(tmp_path)
    pointer = folder / "_delta_log" / "_last_checkpoint"
    pointer.write_text('{"version": 2, "size": 3}')
    assert kinds(audited(folder)) == [("contradicting-checkpoint", (2,))]
    pointer.write_text("{")
    assert kinds(audited(folder)) == [("contradicting-checkpoint", ())]


DAMAGED = {
    "nothing": b"",
    "half a line": b'{"add": {"path": "a"',
    "no object": b"[1, 2]",
    "a number for an action": b'{"add": 7}',
    "a path that is a number": b'{"add": {"path": 7}}',
    "no path": b'{"remove": {"dataChange": true}}',
    "a partition value that is a number": b'{"add": {"path": "x", "partitionValues": {"p": 1}}}',
    "a deletion vector without its parts": b'{"add": {"path": "x", "deletionVector": {}}}',
    "a schema that is not JSON": b'{"metaData": {"schemaString": "{"}}',
    "a schema that is a list": b'{"metaData": {"schemaString": "[]"}}',
    "a protocol without versions": b'{"protocol": {}}',
    "a read version that is text": b'{"commitInfo": {"readVersion": "1"}}',
    "bytes that are not text": b'{"add": "\xff\xfe"}',
    "deep nesting": b"[" * 100_000,
    "a number too long to read": b'{"add": {"size": ' + b"9" * 5000 + b"}}",
    "a path out of the table": b'{"add": {"path": "../../etc/passwd", "partitionValues": {}}}',
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_commit_is_a_finding_and_the_levels_are_not_known(
    name: str, tmp_path: Path
) -> None:
    folder = three_versions(tmp_path)
    commit_file(folder, 1).write_bytes(DAMAGED[name])
    result = audited(folder)
    assert ("damaged-commit", (1,)) in kinds(result)
    assert set(result.levels.values()) == {"unknown"}


def test_a_large_commit_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = three_versions(tmp_path)
    whole = audited(folder)
    for size in (1, 7, 100):
        monkeypatch.setattr(commit_files, "LARGEST_WHOLE", size)
        result = audited(folder)
        assert result.findings == whole.findings == []
        assert result.state.live.keys() == whole.state.live.keys()


def test_a_line_that_is_too_long_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = three_versions(tmp_path)
    path = commit_file(folder, 1)
    path.write_text(path.read_text() + json.dumps({"add": {"path": "x" * 5000}}) + "\n")
    for module in (commit_files, commit_text):
        monkeypatch.setattr(module, "LONGEST_LINE", 4000)
    for size in (500, 1 << 20):
        monkeypatch.setattr(commit_files, "LARGEST_WHOLE", size)
        result = audited(folder)
        assert kinds(result) == [("damaged-commit", (1,))]
        assert {path for path, _ in result.state.live} == {"a", "b", "c"}


def test_two_files_for_one_version(tmp_path: Path) -> None:
    folder = three_versions(tmp_path)
    (folder / "_delta_log" / "1.json").write_text(commit_file(folder, 2).read_text())
    assert kinds(audited(folder)) == [("damaged-commit", (1,))]
    assert len(audited(folder).state.live) == 3


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoLog):
        TableLog(store(str(tmp_path)))
    with pytest.raises(NoLog):
        TableLog(store(str(tmp_path / "absent")))
    name = f"{5:020d}.checkpoint.parquet"
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "_delta_log" / name).write_bytes(b"nonsense")
    with pytest.raises(NoLog):
        audited(tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_a_log_damaged_at_random_gives_findings_or_a_refusal(seed: int, table: Path) -> None:
    pick = random.Random(seed)
    log = table / "_delta_log"
    for _ in range(pick.randint(1, 3)):
        path = pick.choice(sorted(log.iterdir()))
        content = bytearray(path.read_bytes())
        match pick.randrange(4):
            case 0:
                path.unlink()
            case 1:
                path.write_bytes(content[: pick.randrange(len(content) + 1)])
            case 2:
                for _ in range(pick.randint(1, 20)):
                    content[pick.randrange(len(content))] = pick.randrange(256)
                path.write_bytes(content)
            case 3:
                other = pick.choice(sorted(log.iterdir()))
                path.write_bytes(other.read_bytes())
        if not any(log.iterdir()):
            break
    try:
        result = audited(table)
    except NoLog:
        return
    assert set(result.levels) == {"Serializable", "WriteSerializable"}


def test_an_audit_writes_nothing(table: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in table.rglob("*")}
    audited(table)
    assert {path: path.stat().st_mtime_ns for path in table.rglob("*")} == before


def test_a_store_behind_a_url_reads_the_same(table: Path) -> None:
    remote = RemoteStore(f"file://{table}")
    local = store(str(table))
    assert dict(remote.listing("_delta_log")) == dict(local.listing("_delta_log"))
    name = "_delta_log/00000000000000000000.json"
    assert remote.read(name) == local.read(name)
    assert remote.read(name, 3, 5) == local.read(name, 3, 5)
    assert len(list(TableLog(remote).entries(0))) == len(list(TableLog(local).entries(0)))


def test_a_store_that_is_not_there_is_refused_in_one_line() -> None:
    with pytest.raises(UnreadableStore) as raised:
        store("unheard-of://place/table")
    assert str(raised.value).startswith("unheard-of://place/table: ")
    assert "\n" not in str(raised.value)
    assert "\x1b" not in str(raised.value)


def test_staged_commits_and_features_that_are_not_known_are_named(tmp_path: Path) -> None:
    features = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["holograms"]}
    folder = write_log(
        tmp_path, (info("CREATE TABLE"), {"protocol": features}, metadata(), add("a"))
    )
    staged = folder / "_delta_log" / "_staged_commits"
    staged.mkdir()
    (staged / f"{1:020d}.80a083e8.json").touch()
    result = audited(touch_files(folder))
    assert any("holograms" in note for note in result.notes)
    assert any("1 commits are staged" in note for note in result.notes)
    assert set(result.levels.values()) == {"unknown"}


def test_a_gap_is_bridged_by_a_checkpoint(tmp_path: Path) -> None:
    folder = three_versions(tmp_path)
    write_log(folder, delete(2, "", remove("a")), first=3)
    v2_checkpoint(folder, 2, [add("a"), add("b"), add("c")], sidecar=False)
    commit_file(folder, 1).unlink()
    commit_file(folder, 2).unlink()
    result = audited(folder)
    assert kinds(result) == [("version-gap", (1, 2))]
    assert {path for path, _ in result.state.live} == {"b", "c"}


def test_a_gap_is_bridged_by_a_compacted_log(tmp_path: Path) -> None:
    folder = three_versions(tmp_path)
    write_log(folder, delete(2, "", remove("a")), first=3)
    name = f"{1:020d}.{2:020d}.compacted.json"
    lines = [json.dumps(action) + "\n" for action in (add("b"), add("c"))]
    (folder / "_delta_log" / name).write_text("".join(lines))
    assert audited(folder).findings == []
    commit_file(folder, 1).unlink()
    commit_file(folder, 2).unlink()
    result = audited(folder)
    assert kinds(result) == [("version-gap", (1, 2))]
    assert {path for path, _ in result.state.live} == {"b", "c"}
    assert set(result.levels.values()) == {"unknown"}
