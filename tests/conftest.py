"""Shared by all tests: one real engine for all that need one, and which process runs what."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

from conformance.spark.engine import SparkEngine
from conformance.spark.startup.java import find_java
from tests.command_line import Write
from tests.nightly import NIGHTLY

ENGINE = "spark_engine"
"""The fixture of the engine. Of several processes one runs all tests that take it."""

GROUPS = {
    "tests/checker/proofs/": "proofs",  # They ask the solver the same questions.
    "tests/checker/separation/test_snapshots.py": ENGINE,  # All its tests share one search.
}
"""Folders and files that one process runs, by the name of their group."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks every test that takes the real engine: ``-m spark`` finds it.

    In a process among several they come first, and then those that start engines of their own:
    nothing else takes as long, so the others fill the time that is left.
    """
    for item in items:
        if takes_engine(item):
            item.add_marker(pytest.mark.spark)
        if item.get_closest_marker("nightly") and not NIGHTLY:
            item.add_marker(pytest.mark.skip(reason="the long form"))
    if hasattr(config, "workerinput"):
        items.sort(
            key=lambda item: (not takes_engine(item), item.get_closest_marker("spark") is None)
        )


def takes_engine(item: pytest.Item) -> bool:
    return ENGINE in getattr(item, "fixturenames", ())


@cache
def on_the_engine(file: Path) -> frozenset[str]:
    """The functions of a test file that take the engine, directly or through its fixtures."""
    arguments = {
        node.name: {argument.arg for argument in node.args.args}
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    names = {ENGINE}
    while more := {name for name in arguments.keys() - names if arguments[name] & names}:
        names |= more
    return frozenset(names)


class GroupsAndFiles(LoadFileScheduling):
    """Tests of a group go to one process together, and so do those of a file without a group.

    Only the ids of tests come here, without marks or fixtures, so the files are looked into.
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, rest = nodeid.partition("::")
        for start, group in GROUPS.items():
            if file.startswith(start):
                return group
        function = rest.rpartition("::")[2].partition("[")[0]
        return ENGINE if function in on_the_engine(self.config.rootpath / file) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> GroupsAndFiles | None:
    """For ``--dist loadfile``, as ``make test`` says; the other modes are xdist's own."""
    return GroupsAndFiles(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a text as a scenario file and gives its path."""

    def write_file(text: str) -> str:
        path = tmp_path / "scenario.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write_file


@pytest.fixture(scope="session")
def spark_engine() -> Iterator[SparkEngine]:
    """Delta on Spark; tests that need it are skipped where there is no Java for it."""
    if find_java() is None:
        pytest.skip("no Java that Spark runs on was found")
    engine = SparkEngine()
    yield engine
    engine.close()
