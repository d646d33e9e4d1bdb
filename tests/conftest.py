"""What tests share: one real engine for all that need one, and which process runs what."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

from conformance.spark.engine import SparkEngine
from conformance.spark.java import find_java
from tests.command_line import Write

ENGINE = "spark_engine"
"""The fixture of the engine. Of several processes one runs all files whose tests take it."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks every test that takes the real engine: ``-m spark`` finds it.

    In a process among several they come first, and then those that start engines of their own:
    nothing else takes as long, so the others fill the time that is left.
    """
    for item in items:
        if takes_engine(item):
            item.add_marker(pytest.mark.spark)
    if hasattr(config, "workerinput"):
        items.sort(
            key=lambda item: (not takes_engine(item), item.get_closest_marker("spark") is None)
        )


def takes_engine(item: pytest.Item) -> bool:
    return ENGINE in getattr(item, "fixturenames", ())


class EngineAndFiles(LoadFileScheduling):
    """The files with engine tests go to one process together, the others to whoever is free.

    Only names of tests come here, so a file is looked into for the fixture.
    """

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return ENGINE if mentions_engine(self.config.rootpath / file) else file


@cache
def mentions_engine(file: Path) -> bool:
    return ENGINE in file.read_text(encoding="utf-8")


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> EngineAndFiles | None:
    """For ``--dist loadfile``, as ``make test`` says; the other modes are xdist's own."""
    return EngineAndFiles(config, log) if config.getoption("dist") == "loadfile" else None


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
