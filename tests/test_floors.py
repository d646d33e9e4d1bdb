"""The floors of the tree: which folder may import which, read off its source.

``FLOORS`` is the table. Everything else is checked against it: that each import goes down, that no
modules import each other in a circle (imports for annotations alone do not count), that no module
is over 500 lines, and that the lower packages keep away from engines and terminals. The imports are
read with ``ast``: the tree imports by absolute names only, so this takes no library of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx
import pytest

ROOT = Path(__file__).resolve().parents[1]

FLOORS: dict[str, tuple[str, ...]] = {
    "model": (
        "listing", "history", "scenario", "errors", "levels", "outcomes", "values", "expressions",
        "tables", "queries", "physical", "statements", "sql", "workload", "definitions", "rules",
        "profiles", "effects", "simulator", "preparation", "several",
    ),
    "checker": (
        "solving", "judging", "generators", "search", "proofs", "synthesis", "recorded",
        "separation", "robustness", "logs", "refusals",
    ),
    "conformance": (
        "extras", "engine", "prepared_tables", "delta_log", "spark", "replay", "model_engine",
        "matrix", "delta_rs", "cross_engine", "releases", "trees", "minimising",
    ),
    "pipeline": (
        "session", "segments", "logs", "components", "errors", "stream", "lessons", "store",
        "cluster", "engines", "stages", "campaign",
    ),
    "isodelta": (
        "versions", "exits", "strategies", "files", "terminal", "options", "runs", "formats",
        "report", "building", "frames", "display", "commands", "spark", "pytest_plugin", "cli",
        "__main__",
    ),
}  # fmt: skip
"""The packages from the ground up, and their parts likewise: each may import those before it."""

UPWARDS: set[tuple[str, str]] = set()
"""Imports that go up all the same. None is to be added; one that is gone has to go here too."""

CIRCLES: set[frozenset[str]] = set()
"""Modules that import each other all the same; likewise."""

KEPT_OUT = {
    "model": ("pyspark", "delta", "deltalake", "click", "rich", "yaml", "pydantic", "jinja2"),
    "checker": ("pyspark", "delta", "deltalake", "click", "rich", "yaml", "pydantic", "jinja2"),
    "conformance": ("click", "rich", "yaml", "pydantic", "jinja2"),
    "pipeline": ("click", "rich", "yaml", "pydantic", "jinja2"),
}
"""Libraries that a package does without, so that it can be used without a terminal or an engine."""

MOST_LINES = 500

PACKAGES = tuple(FLOORS)


@cache
def modules() -> dict[str, Path]:
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def imports() -> frozenset[tuple[str, str]]:
    """Pairs of a module and what it imports, inside of functions too, annotations left out."""
    return frozenset(
        (name, target)
        for name, path in modules().items()
        for target in imported(ast.parse(path.read_text(encoding="utf-8")))
    )


def imported(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "a relative import"
            for alias in child.names:
                name = f"{child.module}.{alias.name}"
                yield name if name in modules() else str(child.module)
        else:
            yield from imported(child)


def part(module: str) -> tuple[str, str]:
    """The package of a module, and its folder or file in there; '' for the package's own face."""
    package, _, rest = module.partition(".")
    return package, rest.partition(".")[0]


def floor(module: str) -> tuple[int, int]:
    package, name = part(module)
    return PACKAGES.index(package), FLOORS[package].index(name)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_part_of_a_package_has_its_floor(package: str) -> None:
    assert {part(name)[1] for name in modules() if part(name)[0] == package} - {""} == set(
        FLOORS[package]
    )


def test_every_import_goes_down() -> None:
    upwards = {
        (module, target)
        for module, target in imports()
        if part(target)[0] in PACKAGES and part(module)[1] and part(target)[1]
        if part(module) != part(target) and floor(target) > floor(module)
    }
    assert upwards == UPWARDS


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = networkx.DiGraph(
        (module, target) for module, target in imports() if target in modules()
    )
    circles = {
        frozenset(members)
        for members in networkx.strongly_connected_components(graph)
        if len(members) > 1
    }
    assert circles == CIRCLES


@pytest.mark.parametrize("package", KEPT_OUT)
def test_a_package_does_without_what_is_not_its_business(package: str) -> None:
    assert not {
        (module, target)
        for module, target in imports()
        if part(module)[0] == package and target.partition(".")[0] in KEPT_OUT[package]
    }


def test_no_module_is_too_long() -> None:
    folders = (*PACKAGES, "tests", "benchmarks", "setup")
    lines = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}
