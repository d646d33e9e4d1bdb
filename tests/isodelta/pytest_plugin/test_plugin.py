"""The pytest plugin, in projects of their own: files as tests, and the engine as a fixture.

The projects run in processes of their own: what they import would otherwise be imported twice, and
delta-rs cannot be.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance import extras
from isodelta.pytest_plugin.engines import SharedEngine
from tests.command_line import ROOT

HOLDS = """
name: purge against append
table:
  columns: {k: int}
  properties: {delta.isolationLevel: WriteSerializable}
  setup: [INSERT INTO t VALUES (1)]
transactions:
  purge: DELETE FROM t
  append: INSERT INTO t VALUES (2)
schedule: [begin purge, append, commit purge]
expect:
  outcomes: {purge: committed}
"""

JOBS = """
name: nightly
table:
  columns: {k: int, v: int}
jobs:
  load: INSERT INTO t VALUES (:k, 0)
"""


FILES = {
    "scenarios/purge.yaml": HOLDS,
    "scenarios/jobs.yml": JOBS,
    "scenarios/wrong.yaml": HOLDS.replace("purge: committed", "purge: no commit"),
    "scenarios/wrong_jobs.yaml": JOBS + "expect: {verdict: not robust}\n",
    "scenarios/bad.yaml": HOLDS.replace("begin purge, append", "begin, append"),
    # Files of others.
    "workflow.yaml": "name: build\non: push\njobs: {test: {steps: []}}\n",
    "table.yaml": "name: x\ntable: y\n",
    "broken.yaml": "a: [unclosed\n",
    "nested.yaml": "jobs:\n  name: 1\n  table: 2\n",
    "empty.yaml": "",
}

STEPPED = """
def test_an_append_stops_the_delete(isodelta_table):
    table = isodelta_table({"k": "int"}, setup=["INSERT INTO t VALUES (1)"])
    delete = table.begin("DELETE FROM t WHERE k = 1")
    table.run("INSERT INTO t VALUES (1)")
    assert delete.commit().outcome == "ConcurrentAppend"

def test_one_engine_for_all(isodelta_engine, isodelta_table):
    assert isodelta_table().engine is isodelta_engine
"""


def run(folder: Path, *arguments: str) -> str:
    """The output of pytest with this plugin alone, whether or not the install names it."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "isodelta.pytest_plugin", "-v", *arguments],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output of one run over all files."""
    folder = tmp_path_factory.mktemp("project")
    put(folder, FILES)
    (folder / "binary.yaml").write_bytes(b"\xff\xfename: table: transactions:")
    return run(folder, "--continue-on-collection-errors")


def test_scenarios_and_workloads_are_tests_and_other_yaml_is_left_alone(output: str) -> None:
    assert "scenarios/purge.yaml::purge against append PASSED" in output
    assert "scenarios/jobs.yml::nightly PASSED" in output
    assert "2 failed, 2 passed, 1 error" in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    "shown",
    [
        r"purge +├─+● +committed version 3; snapshot: version 1",
        r"purge → append +rw +purge read",
        r"purge: expected no commit, got committed",
        r"expected verdict: not robust, but it is robust",
        r"bad\.yaml:\d+: schedule entry 1: .*begin",
    ],
)
def test_a_failure_shows_timeline_and_reasons(output: str, shown: str) -> None:
    assert re.search(shown, output)


def test_the_engine_is_there_for_files_and_functions(tmp_path: Path) -> None:
    settings = "[pytest]\nisodelta_engine = delta-rs\nisodelta_files = scenarios/p*.yaml\n"
    put(tmp_path, {**FILES, "test_stepped.py": STEPPED, "pytest.ini": settings})
    output = run(tmp_path, "--isodelta-replay")
    assert "scenarios/purge.yaml::purge against append [replay] PASSED" in output
    assert "4 passed" in output


def test_no_engine_skips_and_an_unknown_profile_is_refused(tmp_path: Path) -> None:
    put(tmp_path, {"purge.yaml": HOLDS, "test_stepped.py": STEPPED})
    arguments = ("--isodelta-engine", "none", "--isodelta-profile", "none-such")
    output = run(tmp_path, *arguments, "--continue-on-collection-errors")
    assert "isodelta_profile: unknown profile 'none-such' (known: databricks" in output
    assert "2 skipped, 1 error" in output


def test_an_engine_that_does_not_start_fails_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    engine = SharedEngine("delta-rs")
    for _ in range(2):
        with pytest.raises(pytest.fail.Exception, match=r"^delta-rs: deltalake is not installed"):
            engine.started()


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match="there is no 'oracle'"):
        SharedEngine("oracle")


MARKED = """
def test_it_is_marked(request, isodelta_engine):
    assert request.node.get_closest_marker("xdist_group").args == ("isodelta_engine",)
"""


@pytest.mark.slow
def test_workers_of_xdist_run_them_all(tmp_path: Path) -> None:
    put(tmp_path, {"purge.yaml": HOLDS, "test_marked.py": MARKED})
    output = run(
        tmp_path,
        *("-p", "xdist.plugin", "-n", "2", "--dist", "loadgroup", "--isodelta-engine", "delta-rs"),
    )
    assert "2 passed" in output


def test_loading_the_plugin_loads_nothing_else() -> None:
    """It is on in the test runs of everybody who has isodelta installed."""
    program = (
        "import sys, pytest; before = set(sys.modules); import isodelta.pytest_plugin; "
        "print(sorted(set(sys.modules) - before))"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert output == "['isodelta', 'isodelta.pytest_plugin', 'isodelta.pytest_plugin.session']\n"
