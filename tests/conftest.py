"""What tests share: one real engine for all that need one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.spark.engine import SparkEngine
from conformance.spark.java import find_java


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test that takes the real engine: ``-m spark`` finds it."""
    for item in items:
        if "spark_engine" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session")
def spark_engine() -> Iterator[SparkEngine]:
    """Delta on Spark; tests that need it are skipped where there is no Java for it."""
    if find_java() is None:
        pytest.skip("no Java that Spark runs on was found")
    engine = SparkEngine()
    yield engine
    engine.close()
