"""One trial: the tests of a module, run in a process of its own while the module is a mutant.

The process is forked from one that has loaded the libraries and nothing of the project, so every
value that the module computes when it is imported is the mutant's.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest

LIBRARIES = (
    "_pytest.assertion.rewrite", "click", "hypothesis", "hypothesis.strategies", "jinja2",
    "networkx", "numpy", "pyarrow", "pydantic", "rich.console", "rich.table", "scipy.sparse",
    "scipy.sparse.csgraph", "sqlglot", "sqlglot.dialects.spark", "xdist.scheduler", "yaml", "z3",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """The end of a trial. ``by`` names the first test that failed."""

    verdict: Literal["noticed", "survived", "hung"]
    by: str
    seconds: float


def load_libraries() -> None:
    """Loads what trials share; to be called once, before the first trial."""
    for name in LIBRARIES:
        importlib.import_module(name)


def trial(
    module: str, path: Path, source: str | None, tests: Sequence[str], limit: float
) -> Outcome:
    """Runs tests while ``module`` has another source (None: its own), for ``limit`` seconds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        _run(module, path, source, tests, writing)
    os.close(writing)
    return answer_of(child, reading, limit)


def answer_of(child: int, reading: int, limit: float) -> Outcome:
    """What a process that tries a mutant writes into its pipe; it is ended after ``limit``."""
    started = time.monotonic()
    ended = False
    while not ended and time.monotonic() < started + limit:
        ended = os.waitpid(child, os.WNOHANG)[0] == child
        if not ended:
            time.sleep(0.01)
    if not ended:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    seconds = round(time.monotonic() - started, 2)
    with os.fdopen(reading) as pipe:
        text = pipe.read() if ended else ""
    if not ended:
        return Outcome("hung", "no end within the limit", seconds)
    failed = json.loads(text) if text else "the process ended"
    return Outcome("noticed" if failed else "survived", failed, seconds)


def _run(module: str, path: Path, source: str | None, tests: Sequence[str], writing: int) -> None:
    """Runs the tests and ends the process; the pipe gets the first failure, as JSON."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    if source is not None:
        sys.meta_path.insert(0, _Mutated(module, path, source))
    without_shrinking()
    watching = FirstFailure()
    options = ["-x", "-q", "-p", "no:cacheprovider", "-n", "0", "-m", "not spark"]
    code = pytest.main([*options, *tests], plugins=[watching])
    failed = watching.test or ("" if code == 0 else f"pytest ended with {int(code)}")
    os.write(writing, json.dumps(failed).encode())
    os._exit(0)


def without_shrinking() -> None:
    """Random examples are the same in each trial, and a failing one is not made smaller."""
    from hypothesis import Phase, settings

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile(
        "mutants", phases=phases, database=None, derandomize=True, deadline=None
    )
    settings.load_profile("mutants")


class FirstFailure:
    """Remembers the first test, or file of tests, that failed."""

    test = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.test:
            self.test = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.test:
            self.test = report.nodeid


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, with another source than its file has."""

    def __init__(self, module: str, path: Path, source: str) -> None:
        self.module, self.path, self.source = module, path, source

    def find_spec(
        self, fullname: str, path: object, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.module:
            return None
        package = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=package
        )

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, str(self.path), "exec"), module.__dict__)
