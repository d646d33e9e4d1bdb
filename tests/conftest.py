"""What tests share: one real engine for all that need one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.spark.engine import SparkEngine
from conformance.spark.java import find_java


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts all tests of the real engine into one process, and first, as they take longest.

    Another process has the others meanwhile, file by file (pytest-xdist, ``--dist loadgroup``).
    """

    def real(item: pytest.Item) -> bool:
        fixtures = getattr(item, "fixturenames", ())
        return item.get_closest_marker("spark") is not None or "spark_engine" in fixtures

    for item in items:
        group = "the real engine" if real(item) else item.path.name
        item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=real, reverse=True)


@pytest.fixture(scope="session")
def spark_engine() -> Iterator[SparkEngine]:
    """Delta on Spark; tests that need it are skipped where there is no Java for it."""
    if find_java() is None:
        pytest.skip("no Java that Spark runs on was found")
    engine = SparkEngine()
    yield engine
    engine.close()
