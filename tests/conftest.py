"""What tests share: one real engine for all that need one, and which process runs what."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from xdist.scheduler import LoadGroupScheduling

from conformance.spark.engine import SparkEngine
from conformance.spark.java import find_java
from tests.command_line import Write

ENGINE = "spark"
"""The group of tests that take the engine: of several processes one runs them all."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks every test that takes the real engine: ``-m spark`` finds it.

    In a process among several they come first, and then those that start engines of their own:
    nothing else takes as long, so the others fill the time that is left.
    """
    for item in items:
        if "spark_engine" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.xdist_group(ENGINE))
    if hasattr(config, "workerinput"):
        items.sort(
            key=lambda item: (
                item.get_closest_marker("xdist_group") is None,
                item.get_closest_marker("spark") is None,
            )
        )


class EngineAndFiles(LoadGroupScheduling):
    """The engine's tests go to one process, the others file by file to whoever is free."""

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return scope.split("::", 1)[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> EngineAndFiles | None:
    """For ``--dist loadgroup``, as ``make test`` says; the other modes are xdist's own."""
    return EngineAndFiles(config, log) if config.getoption("dist") == "loadgroup" else None


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
