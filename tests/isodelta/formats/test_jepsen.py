"""Elle's and Jepsen's operations: what they mean, in EDN and in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.recorded.decide import judge, level_names
from checker.recorded.history import RecordedHistory
from checker.recorded.outside import with_outside_writers
from isodelta import cli
from isodelta.exits import BAD, FOUND, OK, BadInput
from isodelta.formats.formats import recognise
from isodelta.formats.jepsen import edn, json_operations
from isodelta.formats.jepsen.edn_values import values


def operations(*transactions: str) -> list[dict[str, Any]]:
    """``"1: ax1 ry[1,2] wz3 rz_"`` is a transaction of process 1; ``1!`` failed, ``1?`` info."""
    result: list[dict[str, Any]] = []
    for text in transactions:
        process, words = text.split(":")
        value = [_operation(word) for word in words.split()]
        asked = [[f, k, None if f == "r" else v] for f, k, v in value]
        kind = {"!": "fail", "?": "info"}.get(process[-1], "ok")
        common = {"process": int(process.rstrip("!?")), "f": "txn"}
        for each, what in (("invoke", asked), (kind, value)):
            result.append({"index": len(result), "type": each, **common, "value": what})
    return result


def _operation(word: str) -> list[Any]:
    seen: Any = None if word[2:] == "_" else json.loads(word[2:])
    return [{"a": "append", "r": "r", "w": "w"}[word[0]], word[1], seen]


def in_edn(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f":{k} {in_edn(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + " ".join(map(in_edn, value)) + "]"
    return "nil" if value is None else f":{value}" if isinstance(value, str) else str(value)


def violated(history: RecordedHistory) -> str:
    """The weakest level that a history violates, with those beside it that it does not.

    Of the levels without real time that Elle has.
    """
    names = [name for name in level_names(False) if name != "Prefix"]
    levels = judge(history, session_order=False, only=names).levels
    broken = [name for name, level in levels.items() if level.verdict != "holds"]
    return " ".join(broken[:1] + [f"-{n}" for n in levels if n not in broken and broken])


RC = "ReadCommitted"
RA = "ReadAtomic -ReadCommitted"
SI = "SnapshotIsolation -ReadCommitted -ReadAtomic"
RR = "RepeatableRead -ReadCommitted -ReadAtomic -SnapshotIsolation -StrongSessionSnapshotIsolation"
SESSION = (
    "StrongSessionSnapshotIsolation -ReadCommitted -ReadAtomic -SnapshotIsolation "
    "-RepeatableRead -Serializable"
)

FACTS = [
    # Kinds of histories that Elle's own tests and those of elle-cli have a verdict on.
    (("1: ax1 ay1", "2: ax2 ay2", "3: rx[1,2] ry[2,1]"), RC, "G0"),
    (("1: ax1 ry[1]", "2: ax2 ay1", "3: rx[1,2]"), RC, "G1c"),
    (("1!: ax1", "2: ax2", "3: rx[1,2]"), RC, None),
    (("1: ax1 ax2", "2: rx[1]"), RC, None),
    (("1: rx[1] ax1",), RC, None),
    (("1: ax1", "2: rx[1,1]"), RC, None),
    (("1: ax1", "2: ax2", "3: rx[1,2]", "4: rx[2]"), RC, None),
    (("1: ax2 ax1 ax4", "2: ax3 rx[2,1,3,4]"), RC, "G0"),
    (("1: ax1", "2: ax2", "3: rx[1] rx[1,2]"), RA, "G-single"),
    (("1: ax1", "2: ax2 rx[1]"), RA, None),
    (("1: wx2 rx3",), RA, None),
    (("1: rx1 rx2",), RA, None),
    (("1: ax1 ay1", "2: ax2 ry_", "3: rx[1,2]"), SI, "G-single"),
    (("1: ax1", "2: rx[1] ry_", "3: ay1", "4: ry[1] rx_"), SI, "G-nonadjacent"),
    (("1: wx0", "2: rx0 wx1", "3: rx0 wx2"), SI, "G-single"),
    (("1: rx0 wx1", "2: rx0 wx2"), SI, "G-single"),
    (("1: ax1 ry_", "2: ay1 rx_"), RR, "G2"),
    (("1: rx0 ry0 wx1", "2: rx0 ry0 wy1"), RR, "G2"),
    (("1: ax1", "2: ax2", "2: rx[1]", "3: rx[1,2]"), SESSION, "G-single-session"),
    (("1: rx1", "1: wx1"), SESSION, "G1c-session"),
    (("1: ax1", "2: ax2", "3: rx[1]", "4: rx[1,2]"), "", None),
    (("1: rx_ ax1 ax2", "2: rx[1,2]"), "", None),
    (("1: wx1", "2: rx2"), "", None),
    (("1: rx_ wx1", "2: rx1 wx2", "3: rx5"), "", None),
    (("1: ax1", "2?: rx_"), "", None),
]


@pytest.mark.parametrize(("transactions", "expected", "phenomenon"), FACTS)
def test_what_elle_says_in_edn_and_in_json(
    transactions: tuple[str, ...], expected: str, phenomenon: str | None
) -> None:
    made = operations(*transactions)
    from_json = json_operations.parse(json.dumps(made), "h")
    assert edn.parse("\n".join(map(in_edn, made)), "h") == from_json
    history = from_json if from_json.kind == "list" else with_outside_writers(from_json)
    assert violated(history) == expected
    if phenomenon is not None:
        cycles = judge(history, session_order=False).cycles
        assert phenomenon in {cycle.phenomenon for cycle in cycles}


REAL_TIME = [
    # Elle's strict-serializable: each transaction of these begins after the one before it ended.
    (("1: ax1", "2: ax2", "3: rx[1]", "4: rx[1,2]"), "G-single-realtime"),
    (("1: wx1", "2: rx_"), "G-single-realtime"),
    (("1: rx[1]", "2: ax1"), "G1c-realtime"),
    (("1: ax1", "2: ax2", "3: rx[2,1]"), "G0-realtime"),
]


@pytest.mark.parametrize(("transactions", "phenomenon"), REAL_TIME)
@pytest.mark.parametrize("clock", ["index", "time"])
def test_real_time_is_that_of_the_index_or_of_the_time(
    transactions: tuple[str, ...], phenomenon: str, clock: str
) -> None:
    made = [
        {clock: o["index"], **{k: o[k] for k in o if k != "index"}}
        for o in operations(*transactions)
    ]
    history = edn.parse("\n".join(map(in_edn, made)), "h")
    levels = judge(history, session_order=False).levels
    assert levels["Serializable"].verdict == "holds"
    strict = levels["StrictSerializable"]
    assert (strict.verdict, strict.phenomenon) == ("violated", phenomenon)
    assert strict.anomaly == "real-time violation"
    untimed = [{k: o[k] for k in o if k != clock} for o in made]
    assert not json_operations.parse(json.dumps(untimed), "h").timed


def test_what_runs_at_once_has_no_order_in_real_time() -> None:
    first, answer, second, other = operations("1: wx1", "2: rx_")
    overlapping = [first, second, answer, other]
    for index, operation in enumerate(overlapping):
        operation["index"] = index
    history = json_operations.parse(json.dumps(overlapping), "h")
    assert judge(history, session_order=False).levels["StrictSerializable"].verdict == "holds"


def test_nobody_knows_when_a_transaction_of_unknown_end_ended() -> None:
    made = operations("1?: wx1", "2: rx_", "3: rx1")
    history = json_operations.parse(json.dumps(made), "h")
    assert judge(history, session_order=False).levels["StrictSerializable"].verdict == "holds"


def test_a_level_of_real_time_is_refused_where_there_are_no_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "h.txt"
    path.write_text("w(1,1,0,0)\n")
    assert cli.run(["history", str(path), "--level", "StrictSerializable"]) == BAD
    assert "does not say when its transactions began and ended" in capsys.readouterr().err


def test_a_fork_is_seen_without_the_writes() -> None:
    """Jepsen's long-fork workload: two reads are enough, whoever wrote what they saw."""
    made = [
        {"type": "ok", "f": "read", "value": [["r", 0, 1], ["r", 1, None]]},
        {"type": "ok", "f": "read", "value": [["r", 0, None], ["r", 1, 1]]},
    ]
    assert violated(with_outside_writers(json_operations.parse(json.dumps(made), "h"))) == SI


def test_values_from_outside_are_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "h.json"
    path.write_text(json.dumps(operations("1: wx2", "2: rx3", "3: rx3 ry[4]")[:-1]))
    assert cli.run(["history", str(path)]) == FOUND
    assert "unwritten read" in capfd.readouterr().out
    assert cli.run(["history", str(path), "--outside-writers"]) == OK
    assert "assumed: written outside of the history, 1 of" in capfd.readouterr().out
    assert cli.run(["history", str(path), "--outside-writers", "--json"]) == OK
    found = json.loads(capfd.readouterr().out)
    assert found["transactions"] == 2
    assert found["written_outside"] == {"values": 1, "first": [{"key": "x", "value": 3}]}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("h", '[{"type": "ok", "value": [["r", 1, null]]}]', "json"),
        ("h", '\ufeff{"index":0,"type":"ok","value":[["r",1,null]]}\n', "json"),
        ("h.json", "[ ]", "json"),
        ("h", "[]", "edn"),
        ("h", '{"type" :ok, "value" [["r" 1 nil]]}', "edn"),
        ("h", "[{:type :ok}]", "edn"),
        ("h", "#jepsen.history.Op{:type :ok}", "edn"),
        ("h", "({:type :ok})", "edn"),
        ("h", "\n ; a comment\n{:type :ok}", "edn"),
    ],
)
def test_json_and_edn_are_told_apart(
    name: str, content: str, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert recognise(path) == expected
    # Most of them have nothing that could be judged.
    assert cli.run(["history", str(path)]) == (OK if "value" in content else BAD)


INFO = "{:type :info, :process 0, :f :txn, :value [[:w 1 1]]}"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("h.edn", ""),
        ("h.edn", "[]"),
        ("h.json", "[]"),
        ("h.edn", INFO),
        ("h.edn", "{:type :invoke, :process 0, :value [[:append 1 1]]}"),
        ("h.edn", "{:type :fail, :process 0, :value [[:append 1 1]]}"),
        ("h.edn", INFO + "{:type :ok, :process 1, :value []}"),
        ("h.json", '[{"type": "info", "process": 0, "value": [["append", 1, 1]]}]'),
        ("h.txt", "w(1,9,0,-1)\n"),
    ],
)
def test_a_history_in_which_nothing_committed_is_refused(
    name: str, content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert cli.run(["history", str(path)]) == BAD
    assert "transaction" in capsys.readouterr().err


@pytest.mark.parametrize("reads", [1, 2, 3])
@pytest.mark.parametrize("keys", [1, 2])
@pytest.mark.parametrize("form", ["txt", "edn"])
def test_values_out_of_thin_air_are_anomalies_however_many_reads_see_them(
    reads: int, keys: int, form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"h.{form}"
    lines = {
        "txt": ["w(1,5,0,0)", *(f"r({1 + n % keys},77,{n + 1},{n + 1})" for n in range(reads))],
        "edn": [
            "{:type :ok, :process 0, :value [[:w 1 5]]}",
            *(
                f"{{:type :ok, :process {n + 1}, :value [[:r {1 + n % keys} 77]]}}"
                for n in range(reads)
            ),
        ],
    }[form]
    path.write_text("\n".join(lines) + "\n")
    assert cli.run(["history", str(path), "--json"]) == FOUND
    result = json.loads(capfd.readouterr().out)
    assert result["anomalous_reads"] == reads
    assert {level["anomaly"] for level in result["levels"].values()} == {"unwritten read"}
    for asked in ("--outside-writers", "--initial-values"):
        assert cli.run(["history", str(path), asked]) == OK
        assert "assumed: " in capfd.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "{:type :ok, :process 1, :value [[:append KEY 1] [:r KEY [1]]]}",
        "[{:type :ok, :process 1,\n :value [[:append KEY 1]\n [:r KEY [1]]]}\n]",
        "({:type :ok, :process 1, :value [[:append KEY 1] [:r KEY (1)]]})",
        "#_{:a [1 #_ 2]} {:type :ok, #_ #_ :type :fail :process 1, :value [[:append KEY 1]]}",
        '{:type :ok, :process 1, :error "a ; \\"\\u0041\\n", :value [[:append KEY 1] ]}\r\n',
        '{:type :ok, :process 1, :e {[1 2] #{3 :x}, \\a #inst "2"}, :value [[:append KEY 1]]}',
        "{:type :ok,,:process 1N, :x [##Inf -1.5M 1/2 2e3 +7],:value [[:append KEY 1]]} ; end",
    ],
)
@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("7", 7),
        ("-70000000000000000000000", -70000000000000000000000),
        ("x", "x"),
        (":köln/a-nil", "köln/a-nil"),
        ('"a b"', "a b"),
        ("nil", None),
        ("true", "true"),
        ("1.5", 1.5),
        ("\\a", "\\a"),
        ("[:x [1 nil]]", ("x", (1, None))),
        ("{:x 1}", frozenset({("x", 1)})),
        ("#{2 :y}", frozenset({2, "y"})),
    ],
)
def test_edn_in_all_its_forms(text: str, key: str, expected: object) -> None:
    (transaction,) = edn.parse(text.replace("KEY", key), "h").transactions
    assert transaction.operations[0] == ("a", expected, 1)


def test_discarded_values_and_tags_leave_nothing_behind() -> None:
    assert [value for _, value in values("#_ #_ 1 2 3 #a/b [4 #_5] #_[6]")] == [3, [4]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{:type :ok, :type :fail}", ":1: a map with a key twice"),
        ("\n{:type :ok, :process 01}", ":2: '01' is not a number"),
        ("{:type :ok, :process 1, :value [#_]}", ":1: a #_ before the ']'"),
        ("{:type :ok} #_", ":1: the file ends after a #_"),
        ('{:type :ok, :x "\\q"}', ":1: not an escape in a text"),
        ("[{:type :ok, :value []}\n {:type :ok, :value 3}]", ":2: :value is 3"),
        ("[{:type :ok, :value []}", ":1: the file ends inside the '['"),
        ("{:type :ok, :process 1, :value [[:append 1 1]]}\n" * 2 + "]", ":3: a ']' that closes"),
        ("{:type :ok, :process 1, :value [[:append 1 1] [:r 1 1]]}", ":1: a read of a single"),
        ("{:type :ok, :process 1, :value [[:append 1 1] [:r 1 #{1}]]}", ":1: a read of a set"),
        ("{:type :ok, :process 1, :value [[:w 1 1] [:r 1 [1]]]}", ":1: a read of a list"),
        ("{:type :ok, :process 1, :value [[:w 1 1] [:append 1 [1]]]}", ":1: one history has"),
        ("{:type :info, :process :nemesis}", ": there is no operation of a process with a number"),
        ("{:type :ok, :process 1, :f :read, :value nil}", ":1: :value is nil"),
        ("{:type :ok, :process 1, :value " + "[" * 9000 + "]" * 9000 + "}", ""),
    ],
)
def test_wrong_edn_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        edn.parse(text, "h")
    assert str(caught.value).startswith(f"h{told}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"type": "ok"},\n {"type": "ok",}]', ":2: no JSON: "),
        ('[{"type": "ok"}\n {"type": "ok"}]', ":2: no JSON: a ',' or a ']'"),
        ('[{"type": "ok"}]\n[]', ":2: something follows the array"),
        ('[{"type": "ok"},\n', ":2: the file ends inside the array"),
        ('{"type": "ok", "process": NaN}', ":1: no JSON: NaN"),
        ("[3]", ":1: an operation must be a map"),
        ('{"type": "done", "value": []}', ":1: :type is 'done'"),
        ('{"type": "ok",\n "value": []}\n{"type": "ok", "value": 7}', ":3: :value is 7"),
        ('{"type": "ok", "value": ' + "[" * 9000 + "]" * 9000 + "}", ":"),
    ],
)
def test_wrong_json_is_told_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "h"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        json_operations.read(path)
    assert str(caught.value).startswith(f"{path}{told}")
    assert cli.run(["history", str(path), "--format", "json"]) == BAD


def test_a_process_that_goes_on_after_a_crash() -> None:
    history = json_operations.parse(
        json.dumps(
            [
                {"type": "invoke", "process": 1, "value": [["append", "x", 1]], "index": 0},
                {"type": "invoke", "process": 1, "value": [["append", "x", 2]], "index": 1},
                {"type": "invoke", "process": 1, "value": [["append", "x", 3]], "index": 1},
                {"type": "ok", "process": 1, "value": [["append", "x", 2]], "index": 3},
                {"type": "fail", "process": 1, "value": None, "index": 4},
                {"type": "info", "process": "nemesis", "value": "start", "index": 5},
            ]
        ),
        "h",
    )
    assert [(t.name, t.status.value) for t in history.transactions] == [
        ("T0", "unknown"),
        ("T1", "committed"),
        ("T1 (line 1)", "aborted"),
    ]


@pytest.mark.parametrize(
    ("content", "workload"),
    [
        ("{:type :ok, :process 0, :f :transfer, :value {:from 1, :to 2, :amount 3}}", "bank"),
        ("{:type :ok, :process 0, :f :cas, :value [1 2]}", "cas register"),
        ("{:type :ok, :process 0, :f :acquire, :value nil}", "mutex"),
        ("{:type :ok, :process 0, :f :enqueue, :value 4}", "queue"),
        ("{:type :ok, :process 0, :f :add, :value 4}", "set or counter"),
        ('{"type": "ok", "process": 0, "f": "increment", "value": 1}', "counter"),
    ],
)
def test_histories_of_other_workloads_are_refused_by_name(
    content: str, workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "h"
    path.write_text(content)
    assert cli.run(["history", str(path)]) == BAD
    words = f"this is a history of a {workload}, and only list-append and rw-register"
    assert words in " ".join(capsys.readouterr().err.split())
