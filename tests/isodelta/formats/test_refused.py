"""Recorded histories that are refused: damaged, cut short, or in another format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isodelta import cli
from isodelta.exits import BAD, BadInput
from isodelta.formats import bincode, cobra
from isodelta.formats.formats import FORMATS
from isodelta.formats.jepsen import edn
from tests.isodelta.formats.lost_updates import (
    LOST_UPDATE_BINCODE,
    LOST_UPDATE_CHRONOS,
    LOST_UPDATE_COBRA,
    VALID_EDN,
    bincode_file,
    cobra_folder,
    event,
    lost_updates,
    record,
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return lost_updates(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("text", b"w(1,1,0,0)\nw(1,2,0\n", ":2: 'w(1,2,0' is neither"),
        ("text", b"w(1,1,0,0)\nw(1,2,0,1)\nw(1,3,0,0)\n", ":3: transaction 0 goes on"),
        ("awdit", b"w x 1\nq x 1\n", ":2: 'q x 1' is none of"),
        ("bincode", LOST_UPDATE_BINCODE[:-5], "byte "),
        ("bincode", LOST_UPDATE_BINCODE + b"x", "1 bytes follow the last session"),
        ("bincode", b"\x00" * 20, "the file ends in the middle of the header"),
        ("bincode", bincode_file([([event(7, 1, 1)], 1)]), "flags 7 and 1"),
        ("edn", b"{:type :ok, :process 1, :value [[:q 1 1]]}", ":1: ['q', 1, 1] is none of"),
        ("edn", b"{:type :ok, :process 1,\n :value [[:r 1", ":2: the file ends inside"),
        ("edn", b"{:type :ok, :process 1, :value 7}", ":1: :value is 7"),
        ("edn", b"{:type :done, :process 1, :value []}", ":1: :type is 'done'"),
        ("text", b"\xff\xfe", "this is not UTF-8 text"),
    ],
)
def test_bad_files_are_one_line_with_the_place(
    name: str, content: bytes, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad"
    path.write_bytes(content)
    assert cli.run(["history", str(path), "--format", name]) == BAD
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert str(path) in captured.err
    assert told in captured.err


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (record("S", 1) + b"W\x00", "the file ends in the middle of a write"),
        (record("W", 1, 2, 3), "a record W outside a transaction"),
        (record("S", 1) + record("C", 2), "transaction 2 commits while 1 is running"),
        (b"?", "a record begins with b'?'"),
    ],
)
def test_bad_cobra_logs(data: bytes, told: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        cobra.read(cobra_folder(tmp_path / "logs", data))
    assert told in str(caught.value)


def test_every_truncation_of_a_binary_history_is_told(tmp_path: Path) -> None:
    for length in range(len(LOST_UPDATE_BINCODE)):
        path = tmp_path / "cut.bincode"
        path.write_bytes(LOST_UPDATE_BINCODE[:length])
        with pytest.raises(BadInput):
            bincode.read(path)


def test_every_cut_of_cobras_logs_is_told_or_leaves_a_transaction_open(tmp_path: Path) -> None:
    whole = LOST_UPDATE_COBRA[0]
    ends = {9, 9 + 33, 9 + 33 + 25}
    for length in range(1, len(whole)):
        folder = cobra_folder(tmp_path / "logs", whole[:length])
        if length in ends:
            (transaction,) = cobra.read(folder).transactions
            assert transaction.status == "unknown"
        else:
            with pytest.raises(BadInput, match=r"T0\.log: byte \d+"):
                cobra.read(folder)


def test_every_cut_inside_an_edn_operation_is_told(tmp_path: Path) -> None:
    line = VALID_EDN.splitlines()[1]
    for length in range(1, len(line)):
        with pytest.raises(BadInput):
            edn.parse(line[:length], "h")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("other", [*FORMATS, "parquet"])
def test_the_wrong_format_is_told(
    name: str, other: str, files: dict[str, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    if name == other:
        return
    assert cli.run(["history", str(files[name]), "--format", other]) == BAD
    told = capfd.readouterr().err
    assert str(files[name]) in told
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x00\x01\x02"])
def test_unknown_formats_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "what"
    path.write_bytes(content)
    assert cli.run(["history", str(path)]) == BAD
    assert cli.run(["history", str(tmp_path / "nowhere")]) == BAD


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("dbcop", [[{"events": []}]], "transaction 1 (session 0) is not an object with"),
        ("dbcop", [[], [{"events": [["x", 1, 2]], "committed": True}]], "(session 1), event 1 is"),
        ("dbcop", [[{"events": [["w", 1, None]], "committed": True}]], "event 1 has a variable"),
        ("dbcop", {"params": {}}, 'the object has no "data"'),
        ("dbcop", [7], "session 0 is not an array"),
        ("chronos", [{"tid": 1}], "transaction 1 has no sid"),
        ("chronos", [{"tid": 1, "sid": 1, "sts": 4}], "transaction 1 has no sts"),
        ("chronos", [LOST_UPDATE_CHRONOS[0], LOST_UPDATE_CHRONOS[0]], "transaction 2 has the tid"),
        ("chronos", [LOST_UPDATE_CHRONOS[0] | {"cts": {"p": 0, "l": 0}}], "a cts before its sts"),
        ("chronos", [LOST_UPDATE_CHRONOS[0] | {"ops": [{"t": "q"}]}], "operation 1 has a t"),
        ("chronos", [LOST_UPDATE_CHRONOS[0] | {"ops": [{"t": "w", "k": 1}]}], "writes a v"),
        ("chronos", {}, "not an array"),
    ],
)
def test_damaged_json_of_sessions_names_the_place(
    name: str, content: object, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "h.json"
    path.write_text(json.dumps(content))
    assert cli.run(["history", str(path), "--format", name]) == BAD
    message = capfd.readouterr().err
    assert told in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("name", ["dbcop", "chronos"])
@pytest.mark.parametrize("text", ["[", '[{"tid": NaN}]', "[" * 100_000, "7"])
def test_what_is_not_such_json_is_refused_in_one_line(
    name: str, text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "h.json"
    path.write_text(text)
    assert cli.run(["history", str(path), "--format", name]) == BAD
    assert len(capfd.readouterr().err.splitlines()) == 1
