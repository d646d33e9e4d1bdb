"""Shared by all tests: one real engine for all that need one, and which process runs what."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from xdist.scheduler import LoadGroupScheduling

from conformance.spark.engine import SparkEngine
from conformance.spark.startup.java import find_java
from tests.command_line import Write

ENGINE = "spark_engine"
"""The fixture of the engine. Of several processes one runs all tests that take it."""

PROOFS = Path(__file__).parent / "checker" / "proofs"
"""Its files are run by one process: they ask the solver the same questions."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks every test that takes the real engine: ``-m spark`` finds it.

    In a process among several they come first, and then those that start engines of their own:
    nothing else takes as long, so the others fill the time that is left.
    """
    for item in items:
        if takes_engine(item):
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.xdist_group(ENGINE))
        elif item.path.is_relative_to(PROOFS):
            item.add_marker(pytest.mark.xdist_group(PROOFS.name))
    if hasattr(config, "workerinput"):
        items.sort(
            key=lambda item: (not takes_engine(item), item.get_closest_marker("spark") is None)
        )


def takes_engine(item: pytest.Item) -> bool:
    return ENGINE in getattr(item, "fixturenames", ())


class GroupsAndFiles(LoadGroupScheduling):
    """Tests of a group go to one process together, and so do those of a file without a group."""

    def _split_scope(self, nodeid: str) -> str:
        group: str = super()._split_scope(nodeid)
        return nodeid.split("::", 1)[0] if group == nodeid else group


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> GroupsAndFiles | None:
    """For ``--dist loadgroup``, as ``make test`` says; the other modes are xdist's own."""
    return GroupsAndFiles(config, log) if config.getoption("dist") == "loadgroup" else None


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
