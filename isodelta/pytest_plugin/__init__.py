"""The pytest plugin: scenario and workload files as tests, and real engines as fixtures.

pytest loads it wherever isodelta is installed, so everything that costs time is imported by the
test that needs it. ``-p no:isodelta`` turns it off. docs/pytest.md describes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from isodelta.pytest_plugin.session import close_engine, shared_engine

if TYPE_CHECKING:
    from conformance.engine import Engine
    from isodelta.runs.stepping import SteppedTable

GROUP = "isodelta_engine"
"""The xdist group of all tests that use the engine: ``--dist loadgroup`` starts one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options and settings."""
    group = parser.getgroup("isodelta", "isolation of Delta tables")
    group.addoption(
        "--isodelta-engine",
        metavar="NAME",
        help="The real engine of tests that take one: delta-spark, delta-rs, or none to skip them. "
        "Default: delta-spark where PySpark is installed, else delta-rs.",
    )
    group.addoption(
        "--isodelta-profile",
        metavar="NAME",
        help="The rules that scenario and workload files are run under, as for isodelta check.",
    )
    group.addoption(
        "--isodelta-replay",
        action="store_true",
        help="Replay each scenario file on the engine as well, as a test of its own.",
    )
    parser.addini("isodelta_engine", "Like --isodelta-engine.")
    parser.addini("isodelta_profile", "Like --isodelta-profile.")
    parser.addini(
        "isodelta_files",
        "Patterns of YAML files that are scenarios or workloads, such as scenarios/*.yaml; without "
        "any, all files are taken that have the keys of one.",
        type="args",
        default=[],
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects the YAML files that are scenarios or workloads."""
    if file_path.suffix not in (".yaml", ".yml"):
        return None
    from isodelta.pytest_plugin.items import collected

    return collected(file_path, parent)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Puts all tests that use the engine into one group, for ``--dist loadgroup`` of xdist."""
    # A worker of xdist has it under this name. Nobody else knows the mark.
    if not item.config.getoption("loadgroup", False):
        return
    if getattr(item, "uses_engine", "isodelta_engine" in getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.xdist_group(GROUP))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stops the engine."""
    close_engine(config)


@pytest.fixture(scope="session")
def isodelta_engine(request: pytest.FixtureRequest) -> Engine:
    """The real engine that ``--isodelta-engine`` names, one for the whole session."""
    return shared_engine(request.config).started()


@pytest.fixture
def isodelta_table(isodelta_engine: Engine) -> Iterator[Callable[..., SteppedTable]]:
    """Makes a table on the engine whose transactions the test begins and commits itself.

    It takes what ``isodelta.stepped_table`` takes besides the engine; the tables are removed when
    the test ends.
    """
    from isodelta.runs.stepping import stepped_table

    tables: list[SteppedTable] = []

    def make(*arguments: Any, **options: Any) -> SteppedTable:
        tables.append(stepped_table(isodelta_engine, *arguments, **options))
        return tables[-1]

    yield make
    for table in tables:
        table.close()
