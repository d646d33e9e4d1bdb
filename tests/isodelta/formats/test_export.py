"""Delta histories in the formats of other tools: the foreign decider confirms the verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.generators import abstract_histories
from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.recorded.decide import judge
from isodelta import cli
from isodelta.exits import OK
from isodelta.formats import edn, export, text
from model.levels import CONFLICTS

SCENARIO = str(Path(__file__).parents[3] / "scenarios" / "phantom.yaml")


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
    name: str, begins: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["history", SCENARIO, "--export", name]) == OK
    assert capsys.readouterr().out.startswith(begins)


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
