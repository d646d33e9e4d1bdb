"""The versions of everything that a result may depend on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "isodelta",
    "hypothesis",
    "networkx",
    "z3-solver",
    "sqlglot",
    "pyspark",
    "delta-spark",
    "pyarrow",
)


def versions() -> dict[str, str]:
    """Python's version and those of the packages, by name."""
    result = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            result[package] = version(package)
        except PackageNotFoundError:
            result[package] = "not installed"
    return result
