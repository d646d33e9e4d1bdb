"""The formats of recorded histories: read right, recognised, and refused with the place."""

from __future__ import annotations

import html
import json
import struct
from pathlib import Path

import pytest

from checker.recorded.replay import first_difference
from isodelta import cli
from isodelta.exits import BAD, FOUND, OK, BadInput
from isodelta.formats import awdit, bincode, cobra, text
from isodelta.formats.formats import FORMATS, recognise
from isodelta.formats.jepsen import edn
from tests.notation import operations

LOST_UPDATE = "w(1,10,0,0)\nr(1,10,1,1)\nw(1,11,1,1)\nr(1,10,2,2)\nw(1,12,2,2)\n"
VALID_EDN = """\
{:type :invoke, :process 0, :f :txn, :value [[:append 5 1] [:r 5 nil]], :index 0}
{:type :ok, :process 0, :f :txn, :value [[:append 5 1] [:r 5 [1]]], :index 1}
{:type :info, :process :nemesis, :f :start, :value "a (text; \\" )", :index 2}
{:type :invoke, :process 1, :f :txn, :value [[:r 5 nil] [:append 6 1]], :index 3}
{:type :ok, :process 1, :f :txn, :value [[:r 5 [1]] [:append 6 1]], :index 4}
"""


def event(write: int, key: int, value: int, success: int = 1) -> bytes:
    return struct.pack("<BQQB", write, key, value, success)


def bincode_file(*sessions: list[tuple[list[bytes], int]]) -> bytes:
    data = struct.pack("<5q", 1, 2, 3, 4, 5)
    for word in (b"info", b"", b"end"):
        data += struct.pack("<Q", len(word)) + word
    data += struct.pack("<Q", len(sessions))
    for session in sessions:
        data += struct.pack("<Q", len(session))
        for events, committed in session:
            data += struct.pack("<Q", len(events)) + b"".join(events) + bytes([committed])
    return data


def cobra_folder(folder: Path, *sessions: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    for number, data in enumerate(sessions):
        (folder / f"T{number}.log").write_bytes(data)
    return folder


def record(kind: str, *numbers: int) -> bytes:
    return kind.encode() + struct.pack(f">{len(numbers)}q", *numbers)


LOST_UPDATE_BINCODE = bincode_file(
    [([event(0, 7, 0), event(1, 7, 1)], 1)],
    [([event(0, 7, 0), event(1, 7, 2)], 1), ([event(1, 7, 3)], 0)],
)
LOST_UPDATE_COBRA = (
    record("S", 1)
    + record("R", 0xBEBEEBEE, 0xBEBEEBEE, 7, 0)
    + record("W", 101, 7, 5)
    + record("C", 1),
    record("S", 2)
    + record("R", 0xDEADBEEF, 0xDEADBEEF, 7, 0)
    + record("W", 102, 7, 6)
    + record("C", 2),
)
LOST_UPDATE_DBCOP = {
    "params": {"id": 0, "n_node": 2, "n_variable": 1, "n_transaction": 1, "n_event": 2},
    "info": "generated",
    "data": [
        [
            {
                "events": [
                    {"Read": {"variable": 7, "version": None}},
                    {"Write": {"variable": 7, "version": 1}},
                ],
                "committed": True,
            },
            {"events": [["w", 7, 3]], "committed": False},
        ],
        [{"events": [["r", 7, None], ["w", 7, 2]], "committed": True}],
    ],
}
LOST_UPDATE_CHRONOS = [
    {
        "tid": number,
        "sid": f"session {number}",
        "sts": {"p": 1, "l": 0},
        "cts": {"p": "2", "l": number},
        "ops": [{"t": "r", "k": 7}, {"t": "WRITE", "k": 7, "v": number}],
    }
    for number in (1, 2)
]
LOST_UPDATE_AWDIT = "r x 0\nw x 1\n-----\n=====\nr x 0\nw x 2\n-----\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A lost update in every format that has registers."""
    made = {name: tmp_path / f"history.{name}" for name in ("text", "awdit", "bincode", "edn")}
    made["text"].write_text(LOST_UPDATE)
    made["awdit"].write_text(LOST_UPDATE_AWDIT)
    made["bincode"].write_bytes(LOST_UPDATE_BINCODE)
    made["edn"].write_text(
        "\n".join(
            f"{{:type :ok, :process {p}, :value [[:r 7 nil] [:w 7 {p}]], :index {p}}}"
            for p in (1, 2)
        )
    )
    made["json"] = tmp_path / "history.json"
    made["json"].write_text(
        json.dumps(
            [
                {"type": "ok", "process": p, "value": [["r", 7, None], ["w", 7, p]], "index": p}
                for p in (1, 2)
            ]
        )
    )
    made["cobra"] = cobra_folder(tmp_path / "logs", *LOST_UPDATE_COBRA)
    made["dbcop"] = tmp_path / "dbcop.json"
    made["dbcop"].write_text(json.dumps(LOST_UPDATE_DBCOP))
    made["chronos"] = tmp_path / "chronos.json"
    made["chronos"].write_text(json.dumps(LOST_UPDATE_CHRONOS))
    return made


@pytest.mark.parametrize("name", FORMATS)
def test_a_lost_update_is_found_in_every_format(
    name: str, files: dict[str, Path], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert recognise(files[name]) == name
    assert cli.run(["history", str(files[name]), "--json"]) == FOUND
    (result,) = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert list(result)[:4] == ["history", "format", "transactions", "levels"]
    assert result["format"] == name
    for level in ("SnapshotIsolation", "Serializable"):
        assert result["levels"][level]["verdict"] == "violated"
        assert result["levels"][level]["anomaly"] == "lost update"
        assert len(result["levels"][level]["cycle"]) == 3
    assert result["levels"]["ReadCommitted"]["verdict"] == "holds"


def test_people_read_the_cycle_in_words(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["history", str(files["text"])]) == FOUND
    told = " ".join(capsys.readouterr().out.split())
    assert "lost update" in told
    assert "T1 read 10 of key 1, which T0 wrote, and T2 read it too and wrote 12" in told
    assert "T1 (session 1): r(1)=10 w(1)=11 T2 (session 2): r(1)=10 w(1)=12" in told


def test_an_explanation_is_the_same_in_json_and_in_the_page(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """T4 and T5 saw y and z in orders that only one order of x allows, and that is derived."""
    path = tmp_path / "derived.txt"
    path.write_text(
        "w(1,1,0,0)\nw(3,1,0,0)\nw(1,2,1,1)\nw(2,2,1,1)\n"
        "r(2,2,2,2)\nr(1,1,2,2)\nr(3,1,3,3)\nr(1,2,3,3)\n"
    )
    arguments = ["history", str(path), "--json", "--report", str(tmp_path / "report")]
    assert cli.run(arguments) == FOUND
    level = json.loads(capsys.readouterr().out)["levels"]["Serializable"]
    page = html.unescape((tmp_path / "report" / "index.html").read_text())
    assert level["derived"]
    for step in level["derived"]:
        assert step["because"] in page
        assert all(edge["because"] in page for edge in step["edges"])
    assert all(edge["because"] in page for edge in level["edges"])
    assert {each["transaction"] for each in level["operations"]} == {"T0", "T1", "T2", "T3"}
    assert "T2 (session 2): r(2)=2 r(1)=1" in page


def test_a_valid_history_is_all_as_it_should_be(tmp_path: Path) -> None:
    path = tmp_path / "h.edn"
    path.write_text(VALID_EDN)
    assert cli.run(["history", str(path), "--json"]) == OK
    in_one_vector = tmp_path / "v.edn"
    in_one_vector.write_text("[" + VALID_EDN + "]")
    assert edn.read(path).transactions == tuple(edn.read(in_one_vector).transactions)


def test_edn_ends_of_transactions(tmp_path: Path) -> None:
    history = edn.parse(
        "{:type :invoke, :process 0, :value [[:w 1 1] [:r 1 nil]]}\n"
        "{:type :fail, :process 0, :value [[:w 1 1] [:r 1 nil]]}\n"
        "{:type :invoke, :process 1, :value [[:w 1 2]]}\n"
        "{:type :info, :process 1, :value nil}\n"
        "{:type :invoke, :process 2, :value [[:w 1 3]]}\n",
        "h",
    )
    assert [t.status for t in history.transactions] == ["aborted", "unknown", "unknown"]
    assert [len(t.operations) for t in history.transactions] == [1, 1, 1]


def test_cobra_reads_of_own_and_unknown_transactions(tmp_path: Path) -> None:
    folder = cobra_folder(tmp_path / "logs", record("S", 1) + record("W", 9, 7, 1))
    (transaction,) = cobra.read(folder).transactions
    assert transaction.status == "unknown"


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


def test_values_of_the_text_format_that_nobody_wrote(tmp_path: Path) -> None:
    path = tmp_path / "h.txt"
    path.write_text("r(1,5,0,0)\nr(1,5,1,1)\n")
    assert cli.run(["history", str(path)]) == FOUND
    assert cli.run(["history", str(path), "--initial-values"]) == OK
    path.write_text("r(1,5,0,0)\nr(1,6,1,1)\n")
    assert cli.run(["history", str(path), "--initial-values"]) == FOUND
    assert len(text.read(path).transactions) == 2


def test_awdit_sessions_and_transactions(tmp_path: Path) -> None:
    path = tmp_path / "h.txt"
    path.write_text(LOST_UPDATE_AWDIT)
    assert [t.session for t in awdit.read(path).transactions] == [0, 1]


def verdicts_of(path: Path, capfd: pytest.CaptureFixture[str], *options: str) -> dict[str, str]:
    """Of the one history at a path: its levels, or nothing where it cannot be judged."""
    cli.run(["history", str(path), "--json", *options])
    result = json.loads(capfd.readouterr().out)
    return {name: level["verdict"] for name, level in result["levels"].items()}


@pytest.mark.parametrize(
    ("content", "strongest"),
    [
        # Facts about histories in the test folders of public tools, told with histories of our
        # own: the directory that AWDIT keeps such a one in is the strongest level that it has.
        ("r 1 1\n--\nw 0 5\n==\nr 0 5\n--\nw 1 1\n", None),
        ("w 0 5\n==\nw 0 6\n==\nr 0 5\nr 0 6\n", "ReadCommitted"),
        ("w a 1\nw b 1\n=\nw a 2\nw b 2\n=\nr a 1\nr b 2\n", "ReadCommitted"),
        ("w 0 1\n-\nw 0 2\n=\nr 0 2\nw 1 1\n=\nr 0 1\nr 1 1\n", "ReadAtomic"),
        ("w 0 5\n=\nr 0 5\nw 0 6\n=\nr 0 5\nw 0 7\n", "Causal"),
    ],
)
def test_the_weak_levels_of_awdit(
    content: str, strongest: str | None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "h.txt"
    path.write_text(content)
    found = verdicts_of(path, capfd, "--format", "awdit")
    ladder = ["ReadCommitted", "ReadAtomic", "Causal", "SnapshotIsolation"]
    held = 0 if strongest is None else ladder.index(strongest) + 1
    expected = ["holds"] * held + ["violated"] * (len(ladder) - held)
    assert [found[name] for name in ladder] == expected


def test_aborted_and_initial_transactions_of_the_text_format(tmp_path: Path) -> None:
    path = tmp_path / "h.txt"
    path.write_text("w(1,5,-1,-1)\nr(1,5,0,0)\nw(1,9,0,-1)\nr(1,9,1,1)\nw(2,1,1,1)\n")
    first, aborted, reader = text.read(path).transactions
    assert first.operations == operations("r(1)")
    assert (aborted.status, aborted.operations) == ("aborted", operations("w(1=9)"))
    assert reader.operations[:1] == operations("r(1=9)")


def test_a_lone_value_out_of_thin_air_is_an_anomaly(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "h.txt"
    path.write_text("w(1,5,0,0)\nr(2,0,0,0)\nr(1,77,1,1)\n")
    assert verdicts_of(path, capfd)["ReadCommitted"] == "violated"
    path.write_text("w(1,5,0,0)\nr(1,77,1,1)\n")
    assert verdicts_of(path, capfd)["ReadCommitted"] == "violated"
    path.write_text("w(1,5,0,0)\nr(1,77,1,1)\nr(2,78,1,1)\n")
    assert verdicts_of(path, capfd)["ReadCommitted"] == "violated"


def test_values_taken_for_initial_ones_are_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, report = tmp_path / "h.txt", tmp_path / "report"
    path.write_text("w(1,5,0,0)\nr(1,77,1,1)\nr(2,78,1,1)\n")
    asked = ["history", str(path), "--initial-values"]
    assert cli.run([*asked, "--report", str(report)]) == OK
    words = "assumed: the value that nobody wrote is the initial one, for 2 of the keys"
    assert words in " ".join(capfd.readouterr().out.split())
    assert words in (report / "index.html").read_text()
    assert cli.run([*asked, "--json"]) == OK
    assert json.loads(capfd.readouterr().out)["taken_for_initial"] == {
        "keys": 2,
        "first": [{"key": 1, "value": 77}, {"key": 2, "value": 78}],
    }
    path.write_text("w(1,5,0,0)\nr(1,5,1,1)\nr(2,0,1,1)\n")
    assert cli.run([*asked, "--json"]) == OK
    assert "taken_for_initial" not in json.loads(capfd.readouterr().out)


def test_a_failed_write_of_a_committed_transaction_is_an_aborted_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "h.bincode"
    path.write_bytes(
        bincode_file([([event(1, 7, 1, 0), event(1, 7, 2)], 1)], [([event(0, 7, 1)], 1)])
    )
    cli.run(["history", str(path), "--json"])
    result = json.loads(capfd.readouterr().out)
    assert result["levels"]["ReadCommitted"]["anomaly"] == "G1a (aborted read)"


def test_cobra_logs_that_disagree_on_a_writer_are_refused(tmp_path: Path) -> None:
    folder = cobra_folder(
        tmp_path / "logs",
        record("S", 1) + record("W", 9, 7, 1) + record("C", 1),
        record("S", 2) + record("R", 3, 9, 7, 1) + record("C", 2),
    )
    with pytest.raises(BadInput, match="T2 read version 9 of key 7 from T3, but T1 wrote it"):
        cobra.read(folder)


@pytest.mark.parametrize(
    "shape",
    [
        "{:type :ok, :process 0, :f :txn, :value [[:append :x 1] [:r :y]]}\n",
        "#jepsen.history.Op{:index 0, :type :ok, :process 0, :value [[:append :x 1] [:r :y []]]}\n",
        '{:type :ok, :process 0, :value [["append" "x" 1] ["r" "y" nil]]} ; a comment\n',
        "{:type :ok :value [[:append :x 1] [:r :y nil]]}\n",
        "[{:type :ok, :process 0, :time 3.5, :error [:a {:b #{1}}],\n"
        "  :value ((:append :x 1) (:r :y nil))}]\n",
        "{:type :ok, :process :nemesis, :value nil}\n"
        "{:type :invoke, :process 0, :value [[:append :x 1] [:r :y nil]]}\n"
        "{:type :ok, :process 0, :value [[:append :x 1] [:r :y nil]]}\n",
    ],
)
def test_edn_shapes_of_one_transaction(shape: str) -> None:
    (transaction,) = edn.parse(shape, "h").transactions
    assert transaction.operations == operations("a(x=1) r(y=[])")


def test_edn_without_processes_pairs_what_wrote_the_same() -> None:
    history = edn.parse(
        "{:type :invoke :value [[:append 1 1] [:r 1 nil]]}\n"
        "{:type :invoke :value [[:append 1 2]]}\n"
        "{:type :ok :value [[:append 1 1] [:r 1 [1]]]}\n"
        "{:type :info :value nil :process 7}\n",
        "h",
    )
    assert [t.status for t in history.transactions] == ["committed", "unknown", "unknown"]
    assert len({t.session for t in history.transactions}) == 3


def test_a_folder_of_many_histories_is_judged_one_by_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    many = tmp_path / "many"
    for number in (10, 9):
        (many / f"hist-{number}").mkdir(parents=True)
        (many / f"hist-{number}" / "history.bincode").write_bytes(LOST_UPDATE_BINCODE)
    cobra_folder(many / "logs", *LOST_UPDATE_COBRA)
    (many / "valid.edn").write_text(VALID_EDN)
    report = tmp_path / "report"
    assert cli.run(["history", str(many), "--json", "--report", str(report)]) == FOUND
    found = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [each["history"].rpartition("many/")[2] for each in found] == [
        "hist-9",
        "hist-10",
        "logs",
        "valid.edn",
    ]
    page = (report / "index.html").read_text()
    assert "lost update" in page
    assert "<svg" in page
    assert len(json.loads((report / "report.json").read_text())["histories"]) == 4
    (many / "cut.bincode").write_bytes(LOST_UPDATE_BINCODE[:-9])
    assert cli.run(["history", str(many), "--json"]) == BAD
    told = capfd.readouterr()
    assert len(told.out.splitlines()) == 5
    assert "cut.bincode" in told.err


def test_the_exit_code_is_by_the_levels_that_were_asked_for(
    files: dict[str, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ["history", str(files["text"]), "--json"]
    assert cli.run([*asked, "--level", "Causal", "--level", "ReadCommitted"]) == OK
    levels = json.loads(capfd.readouterr().out)["levels"]
    assert {name: level["verdict"] for name, level in levels.items()} == {
        "ReadCommitted": "holds",
        "Causal": "holds",
    }
    assert cli.run([*asked, "--level", "SnapshotIsolation"]) == FOUND
    capfd.readouterr()
    assert cli.run([*asked, "--level", "Linearizable"]) == BAD
    assert "--level Linearizable: this history is judged at ReadCommitted" in " ".join(
        capfd.readouterr().err.split()
    )


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


def test_chronos_has_lists_and_times(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The second transaction begins after the first one committed, and does not see it."""
    path = tmp_path / "h.json"
    transactions = [
        {
            "sid": "a",
            "tid": "first",
            "sts": {"l": 0, "p": 1},
            "cts": {"l": 0, "p": 2},
            "ops": [{"t": "a", "k": 1, "v": 5}, {"t": "r", "k": 1, "v": [5]}],
        },
        {
            "sid": "b",
            "tid": "second",
            "sts": {"l": 1, "p": 2},
            "cts": {"l": 0, "p": 4},
            "ops": [{"t": "read", "k": 1}],
        },
    ]
    path.write_text(json.dumps(transactions))
    assert cli.run(["history", str(path), "--json"]) == FOUND
    result = json.loads(capfd.readouterr().out)
    assert result["format"] == "chronos"
    strict = result["levels"]["StrictSerializable"]
    assert strict["phenomenon"] == "G-single-realtime"
    assert strict["edges"][1]["because"] == "Tfirst ended at (2, 0), before Tsecond began at (2, 1)"
    assert result["levels"]["Serializable"]["serial_order"]["all"] == ["Tsecond", "Tfirst"]


@pytest.mark.parametrize("name", ["text", "edn"])
def test_a_serial_order_is_printed_and_replays(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"h.{name}"
    path.write_text("r(1,2,1,1)\nw(1,2,2,2)\nr(1,0,3,3)\n" if name == "text" else VALID_EDN)
    assert cli.run(["history", str(path), "--json"]) == OK
    level = json.loads(capfd.readouterr().out)["levels"]["Serializable"]
    order = level["serial_order"]["all"]
    assert level["serial_order"]["transactions"] == len(order)
    history = FORMATS[name].read(path)
    by_name = {transaction.name: transaction for transaction in history.transactions}
    assert sorted(order) == sorted(by_name)
    lists = history.kind == "list"
    assert first_difference([by_name[n] for n in order], {}, lists=lists) is None
    assert first_difference([by_name[n] for n in order[::-1]], {}, lists=lists) is not None
    assert cli.run(["history", str(path)]) == OK
    assert f"serial order: {', '.join(order)}" in capfd.readouterr().out
