"""The formats of recorded histories: read right, recognised, and judged."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from checker.recorded.replay import first_difference
from isodelta import cli
from isodelta.exits import BAD, FOUND, OK, BadInput
from isodelta.formats import awdit, cobra, text
from isodelta.formats.formats import FORMATS, recognise
from isodelta.formats.jepsen import edn
from tests.isodelta.formats.lost_updates import (
    LOST_UPDATE_AWDIT,
    LOST_UPDATE_BINCODE,
    LOST_UPDATE_COBRA,
    VALID_EDN,
    bincode_file,
    cobra_folder,
    event,
    lost_updates,
    record,
)
from tests.notation import operations


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return lost_updates(tmp_path)


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
