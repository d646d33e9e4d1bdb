"""Delta histories in the formats of other tools: the foreign decider confirms the verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker import abstract_histories, graph
from checker.dependencies import dependencies
from checker.foreign.decide import judge
from isodelta import cli
from isodelta.exits import OK
from isodelta.history_formats import edn, export

SCENARIO = str(Path(__file__).parent.parent / "scenarios" / "phantom.yaml")


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
