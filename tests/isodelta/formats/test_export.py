"""Delta histories in the formats of other tools: their decider confirms the verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.generators import abstract_histories
from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.recorded.decide import judge
from isodelta import cli
from isodelta.exits import BAD, FOUND, OK
from isodelta.formats import export, text
from isodelta.formats.jepsen import edn
from model.levels import CONFLICTS

SEVERAL = str(Path(__file__).parents[3] / "scenarios" / "phantom.yaml")


def test_the_foreign_decider_confirms_the_graph_on_exported_histories() -> None:
    met = set()
    for seed in range(1000):
        history = abstract_histories.from_seed(seed)
        if history.unknown:
            continue
        made = edn.parse(export.to_edn(history), "h")
        expected = graph.decide(dependencies(history), "PL-3").verdict
        found = judge(made, session_order=False).levels["Serializable"].verdict
        assert found == expected, seed
        met.add(found)
    assert met == {"holds", "violated"}


@pytest.mark.parametrize(
    ("name", "begins"), [("text", ("r(", "w(")), ("edn", ("{:type",)), ("dot", ("digraph",))]
)
def test_scenarios_are_exported(
    name: str, begins: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text(FAILING_CONDITION)
    assert cli.run(["history", str(scenario), "--export", name]) == OK
    assert capsys.readouterr().out.startswith(begins)


FAILING_CONDITION = """\
name: a condition that fails on a row
table: {columns: {k: int, v: int}, setup: ["INSERT INTO t VALUES (1, 1)"]}
transactions: {A: DELETE FROM t WHERE 10 / v > 100, B: "INSERT INTO t VALUES (2, 0)"}
schedule: [begin A, B, commit A]
"""


def test_a_condition_that_fails_on_a_row_is_an_anti_dependency_in_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A would have failed on the row of B, so A comes first: in each format that is rw."""
    scenario = tmp_path / "s.yaml"
    scenario.write_text(FAILING_CONDITION)
    exported = {}
    for name in export.EXPORTS:
        assert cli.run(["history", str(scenario), "--export", name]) == OK
        exported[name] = capsys.readouterr().out
    assert '"A" -> "B" [label="rw predicate"];' in exported["dot"]
    # B is the first in the log: of the key of A's condition A sees no version, and B writes one.
    assert exported["text"] == "w(0,1,0,0)\nw(1,1,0,0)\nr(1,0,1,1)\n"
    assert "[:r 1 []]" in exported["edn"]


@pytest.mark.parametrize("name", export.EXPORTS)
def test_several_scenarios_are_not_one_history(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file has three scenarios."""
    if name == "dot":
        assert cli.run(["history", SEVERAL, "--export", name]) == OK
        assert capsys.readouterr().out.count("digraph") == 3
        return
    assert cli.run(["history", SEVERAL, "--export", name]) == BAD
    told = capsys.readouterr()
    assert told.out == ""
    assert f"--export {name}: 3 scenarios" in told.err


NOT_IN_THE_ORDER_OF_THE_LOG = """\
name: an update misses an append
table:
  columns: {k: int, p: int, v: int}
  properties: {delta.isolationLevel: WriteSerializable}
  setup: ["INSERT INTO t VALUES (1, 1, 10)"]
transactions: {A: "INSERT INTO t VALUES (5, 1, 50)", B: UPDATE t SET v = v + 1}
schedule: [begin B, A, commit B]
expect: {levels: {Serializable: violated}}
"""


def test_serializable_of_an_export_says_that_it_is_pl_3_and_not_delta_s_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """B, A is a serial order, and not the log's: one name, two levels, two verdicts."""
    scenario, recorded = tmp_path / "s.yaml", tmp_path / "h.edn"
    scenario.write_text(NOT_IN_THE_ORDER_OF_THE_LOG)
    assert cli.run(["check", str(scenario), "--json"]) == OK
    assert json.loads(capsys.readouterr().out)["levels"]["Serializable"]["verdict"] == "violated"
    assert cli.run(["history", str(scenario), "--export", "edn"]) == OK
    recorded.write_text(capsys.readouterr().out)
    assert cli.run(["history", str(recorded), "--json"]) == OK
    levels = json.loads(capsys.readouterr().out)["levels"]
    assert (levels["Serializable"]["verdict"], levels["Serializable"]["means"]) == ("holds", "PL-3")
    assert [name for name, level in levels.items() if "means" in level] == ["Serializable"]


def test_people_read_which_serializable_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded, report = tmp_path / "h.txt", tmp_path / "report"
    recorded.write_text("r(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nw(1,2,2,2)\n")
    assert cli.run(["history", str(recorded), "--report", str(report)]) == FOUND
    words = "Serializable (PL-3, serializable in any order)"
    assert f"{words}: violated" in " ".join(capsys.readouterr().out.split())
    page = (report / "index.html").read_text()
    assert f"SnapshotIsolation, RepeatableRead, {words}: lost update" in page
    assert page.count("PL-3, serializable in any order") == 2


def test_text_and_edn_say_what_the_graph_says_as_far_as_they_can(tmp_path: Path) -> None:
    """Text has no place for the order of the versions: it may hold more, never less."""
    met = set()
    for seed in range(300):
        history = abstract_histories.from_seed(seed)
        if history.unknown or not history.committed:
            continue
        path = tmp_path / "h.txt"
        path.write_text(export.to_text(history))
        if not path.read_text():
            continue
        lists = judge(edn.parse(export.to_edn(history), "h"), session_order=False).levels
        registers = judge(text.read(path), session_order=False).levels
        for name in ("SnapshotIsolation", "Serializable"):
            assert registers[name].verdict in ("holds", lists[name].verdict), (seed, name)
            met.add((registers[name].verdict, lists[name].verdict))
    assert ("violated", "violated") in met


def test_the_picture_has_every_transaction_and_dependency() -> None:
    for seed in range(100):
        history = abstract_histories.from_seed(seed)
        dot = export.to_dot(history)
        assert all(f'"{t.name}";' in dot for t in history.committed)
        edges = [e for e in dependencies(history).edges() if e.kind in CONFLICTS]
        assert dot.count(" -> ") == len(edges)
