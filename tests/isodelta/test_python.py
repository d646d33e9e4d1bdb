"""isodelta from Python: built objects, errors, what objects look like, and tables of results."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import isodelta
from isodelta import Comparison, InvalidScenario, Run, Scenario, Step, TableSpec, display
from tests.command_line import ROOT

TABLE = isodelta.table({"k": "int", "v": "int"}, setup=["INSERT INTO t VALUES (1, 1)"])


def lost_update(**changes: object) -> Scenario:
    arguments: dict[str, object] = {
        "name": "two sums",
        "table": isodelta.table(
            {"k": "int"},
            properties={"delta.isolationLevel": "WriteSerializable"},
            setup=["INSERT INTO t VALUES (1)"],
        ),
        "transactions": {
            "purge": "DELETE FROM t",
            "append": "INSERT INTO t VALUES (2)",
            "count": "SELECT count(*) FROM t",
        },
        "schedule": ["begin purge", "append", Step("commit", "purge"), "count"],
    }
    return isodelta.scenario(**{**arguments, **changes})  # type: ignore[arg-type]


@cache
def a_run() -> Run:
    return isodelta.run(lost_update())


@cache
def a_comparison() -> Comparison:
    with isodelta.started_engine("delta-rs") as engine:
        return isodelta.replay(lost_update(), engine)


NAMES = (
    *("run", "history", "transaction", "verdict", "profile", "workload", "ended", "search"),
    *("jobs", "answer", "comparison", "observation", "scenario"),
)


@cache
def results() -> dict[str, object]:
    run = a_run()
    (found,) = isodelta.search_all(["WriteSerializable"], ["partitioned"], 1)
    jobs = isodelta.workload("nightly", TABLE, {"load": "INSERT INTO t VALUES (:k, 0)"})
    return {
        "run": run,
        "history": run.history,
        "transaction": run.history["purge"],
        "verdict": isodelta.judge(run.history)["Serializable"],
        "profile": isodelta.profile("delta-spark-4.4"),
        "workload": run.workload,
        "ended": run.ended["purge"],
        "search": found,
        "jobs": jobs,
        "answer": isodelta.robustness(jobs),
        "comparison": a_comparison(),
        "observation": a_comparison().observation,
        "scenario": lost_update(),
    }


def test_every_result_has_a_name_here() -> None:
    assert tuple(results()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_python_shows_fits_on_a_screen(name: str) -> None:
    shown = repr(results()[name])
    assert len(shown) < 24 * 80
    assert "\n" not in shown


def test_what_python_shows_says_what_it_is() -> None:
    shown = repr(a_run())
    assert shown == (
        "<Run under delta-spark-4.4, table at WriteSerializable: "
        "append committed version 2, purge committed version 3, count read>"
    )
    verdict = repr(results()["verdict"])
    assert verdict.startswith("<Serializable: violated, G-single-log: ")


@pytest.mark.parametrize("name", ["run", "verdict", "comparison", "scenario", "answer", "search"])
def test_notebooks_show_pictures(name: str) -> None:
    result = results()[name]
    html = display.HTML[type(result)](result)
    assert result._repr_html_()[:20] == html[:20]  # type: ignore[attr-defined]
    assert html.count("<div") == html.count("</div>") == 1
    pictures = {"run": 2, "verdict": 1, "comparison": 1, "scenario": 1, "answer": 0, "search": 0}
    assert html.count("<svg") >= pictures[name]
    assert not re.search(r"^svg", html, re.MULTILINE)


def test_notebooks_get_text_that_is_escaped() -> None:
    scenario = lost_update(transactions={"A": "UPDATE t SET k = 2 WHERE k < 2"}, schedule=["A"])
    assert "k &lt; 2" in scenario._repr_html_()  # type: ignore[attr-defined]


def test_results_become_tables() -> None:
    table = isodelta.to_arrow(a_run())
    assert table.column("transaction").to_pylist() == ["append", "purge", "count"]
    assert table.column("rows").to_pylist() == [None, None, "[[1]]"]
    verdicts = isodelta.to_arrow(isodelta.judge(a_run().history))
    assert verdicts.column("verdict").to_pylist() == ["violated", "holds"]
    assert isodelta.to_arrow([a_run(), a_run()]).column("run").to_pylist() == [0, 0, 0, 1, 1, 1]
    replayed = isodelta.to_arrow(a_comparison())
    assert set(replayed.column("engine").to_pylist()) == {"delta-rs"}
    (found,) = isodelta.search_all(["WriteSerializable"], ["partitioned"], 1)
    assert isodelta.to_arrow(found).num_rows == len(found.findings)


def test_results_become_data_frames() -> None:
    frame = isodelta.to_pandas(a_run())
    assert list(frame["commit_version"].dropna()) == [2, 3]
    assert str(frame["commit_version"].dtype) == "Int64"


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(TypeError, match="int is not a Run"):
        isodelta.to_arrow([3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="different kinds"):
        isodelta.to_arrow([a_run(), a_comparison()])
    with pytest.raises(TypeError, match="no results"):
        isodelta.to_arrow([])


def test_pandas_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from conformance import extras

    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'isodelta\[notebook\]'"):
        isodelta.to_pandas(a_run())


@pytest.mark.parametrize(
    ("changes", "message", "where"),
    [
        ({"schedule": "begin A"}, "a list of steps, not a string", ("schedule",)),
        ({"schedule": ["begin purge now"]}, "is no step", ()),
        ({"schedule": [3]}, "a Step or a text, not int", ("schedule", 0)),
        ({"schedule": ["purge"]}, "append", ("schedule",)),
        (
            {"transactions": {"A": "DELETE FROM t WHERE z = 1"}, "schedule": ["A"]},
            "unknown column 'z'",
            ("transactions", "A"),
        ),
    ],
)
def test_a_scenario_that_is_wrong_says_where(
    changes: dict[str, object], message: str, where: tuple[str | int, ...]
) -> None:
    with pytest.raises(InvalidScenario, match=message) as raised:
        lost_update(**changes)
    assert raised.value.where[: len(where)] == where


def test_a_bare_scenario_takes_steps_alone() -> None:
    with pytest.raises(TypeError, match=r"schedule\[0\] is 'begin A', not a Step"):
        Scenario("x", TABLE, {"A": "DELETE FROM t"}, ("begin A",))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is not a string"):
        Scenario("x", TABLE, {"A": "DELETE FROM t"}, "A")  # type: ignore[arg-type]


def test_tables_and_workloads_that_are_wrong() -> None:
    with pytest.raises(InvalidScenario, match="setup is a list"):
        isodelta.table({"k": "int"}, setup="INSERT INTO t VALUES (1)")
    with pytest.raises(InvalidScenario, match="unknown column 'z'"):
        isodelta.workload("w", TABLE, {"load": "DELETE FROM t WHERE z = 1"})
    with pytest.raises(InvalidScenario, match="unknown profile"):
        isodelta.workload("w", TABLE, {"load": "DELETE FROM t"}, profile="oracle")


def test_what_is_built_equals_what_is_read() -> None:
    built = lost_update()
    assert isodelta.parse_scenarios(isodelta.scenario_yaml(built)) == [built]
    assert isinstance(built.table, TableSpec)


def test_errors_are_one_family_each() -> None:
    assert issubclass(isodelta.UnsupportedSQL, isodelta.InvalidScenario)
    assert issubclass(isodelta.BadScenarios, isodelta.BadInput)
    assert issubclass(isodelta.BadStatement, isodelta.EngineError)


def test_one_name_for_a_profile() -> None:
    """Whatever takes a profile calls it ``profile``."""
    wrong = []
    for folder in ("isodelta/runs", "isodelta/files"):
        for path in Path(ROOT / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    names = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
                    wrong += [f"{path.name}: {node.name}" for name in names if name == "rules"]
    assert wrong == []


def test_every_public_name_is_on_the_page() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [name for name in isodelta.__all__ if f"`{name}" not in page] == []


@pytest.mark.slow
def test_the_public_names_are_typed_for_their_users(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    program.write_text(
        "import isodelta\n"
        "from isodelta.strategies import scenarios\n"
        "for scenario in isodelta.load_scenarios('x.yaml', profile='delta-rs-1.6'):\n"
        "    run: isodelta.Run = isodelta.run(scenario)\n"
        "    verdict: isodelta.Verdict = isodelta.judge(run.history)['Serializable']\n"
        "    text: str = verdict.verdict\n"
        "    print(isodelta.to_arrow(run), text, scenarios)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
