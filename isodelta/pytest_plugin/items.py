"""Scenario and workload files as pytest's collectors and tests.

A scenario passes if it meets its ``expect``, and without one if the table's own level is kept. A
workload passes if the answer is the one in its ``expect``, and without one if its jobs are robust.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from conformance.engine import EngineError
from isodelta.exits import CommandFailed
from isodelta.files.profiles import profile
from isodelta.files.scenarios import LARGEST_FILE, Loaded, read_files
from isodelta.files.workloads import LoadedWorkload, read_workload
from isodelta.options import ENGINES
from isodelta.pytest_plugin.session import setting, shared_engine
from model.errors import InvalidScenario
from model.profiles import DEFAULT, Profile

if TYPE_CHECKING:
    from _pytest._code.code import ExceptionInfo, TerminalRepr

WIDTH = 100
"""Columns of a failure's text."""

_KEYS = r"(name|table|transactions|jobs) *:"
_ONE = re.compile(f"^{_KEYS}", re.MULTILINE)
_SEVERAL = re.compile(f"^(?:- |  ){_KEYS}", re.MULTILINE)
_LIST = re.compile(r"^- ", re.MULTILINE)


def collected(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The collector of a file; None for one that is neither a scenario nor a workload file."""
    patterns = parent.config.getini("isodelta_files")
    if patterns and not _matches(path, parent.config.rootpath, patterns):
        return None
    keys = _keys(path)
    if not keys >= {"name", "table"}:
        return None
    if "transactions" in keys:
        return ScenarioFile.from_parent(parent, path=path)
    if "jobs" in keys:
        return WorkloadFile.from_parent(parent, path=path)
    return None


def _matches(path: Path, root: Path, patterns: Iterable[str]) -> bool:
    relative = path.relative_to(root) if path.is_relative_to(root) else path
    return any(fnmatch(relative.as_posix(), pattern) for pattern in patterns)


def _keys(path: Path) -> set[str]:
    """The keys of a scenario or workload that a file has, found without reading it as YAML."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            return set()
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return set()
    return set((_SEVERAL if _LIST.search(text) else _ONE).findall(text))


class _File(pytest.File):
    def rules(self) -> Profile:
        """The profile of the session. Raises CollectError."""
        name = setting(self.config, "isodelta_profile")
        try:
            return DEFAULT if name is None else profile(name)
        except (InvalidScenario, CommandFailed) as error:
            raise self.CollectError(f"isodelta_profile: {error}") from error


class ScenarioFile(_File):
    """The scenarios of one file, in the model, and on the engine with ``--isodelta-replay``."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each scenario. Raises CollectError with the file's problems, a line each."""
        try:
            scenarios = read_files([self.path], self.rules())
        except CommandFailed as error:
            raise self.CollectError("\n".join(error.lines)) from error
        for loaded in scenarios:
            yield ScenarioItem.from_parent(self, name=loaded.scenario.name, loaded=loaded)
        if self.config.getoption("isodelta_replay"):
            for loaded in scenarios:
                name = f"{loaded.scenario.name} [replay]"
                yield ReplayItem.from_parent(self, name=name, loaded=loaded)


class WorkloadFile(_File):
    """The workload of one file."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test. Raises CollectError with the file's problems, a line each."""
        try:
            loaded = read_workload(self.path, self.rules())
        except CommandFailed as error:
            raise self.CollectError("\n".join(error.lines)) from error
        yield WorkloadItem.from_parent(self, name=loaded.jobs.name, loaded=loaded)


class NotAsExpected(Exception):
    """A test of a file failed; ``text`` shows what happened, and why."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class _Item(pytest.Item):
    line = 0

    def repr_failure(
        self, excinfo: ExceptionInfo[BaseException], style: Any = None
    ) -> str | TerminalRepr:
        """What happened, and why; for bad input and dead engines one line."""
        error = excinfo.value
        if isinstance(error, NotAsExpected):
            return error.text
        if isinstance(error, CommandFailed | EngineError | InvalidScenario):
            return str(error)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the test is: file, line (from 0) and name."""
        return self.path, max(self.line - 1, 0), self.name

    @property
    def rules(self) -> Profile:
        """The profile of the session."""
        assert isinstance(self.parent, _File)
        return self.parent.rules()


class ScenarioItem(_Item):
    """A scenario in the model."""

    def __init__(self, *, loaded: Loaded, **options: Any) -> None:
        super().__init__(**options)
        self.loaded = loaded
        self.line = loaded.line

    def runtest(self) -> None:
        """Runs and judges it. Raises NotAsExpected."""
        from isodelta.commands.check.words import print_any
        from isodelta.runs.tables import decided

        checked = decided(self.loaded, self.rules)
        if checked.ok:
            return
        text = _Text()
        print_any(checked, text.console)
        raise NotAsExpected(str(text))


class ReplayItem(_Item):
    """A scenario on the engine, compared with the model under the engine's own rules."""

    uses_engine = True

    def __init__(self, *, loaded: Loaded, **options: Any) -> None:
        super().__init__(**options)
        self.loaded = loaded
        self.line = loaded.line

    def runtest(self) -> None:
        """Replays it. Raises NotAsExpected for a difference, or an expectation that is not met."""
        from isodelta.commands.replay.command import replayed
        from isodelta.commands.replay.words import print_result

        engine = shared_engine(self.config).started()
        named = setting(self.config, "isodelta_profile")
        result = replayed(
            self.loaded, engine, self.rules if named else profile(ENGINES[engine.name])
        )
        if not result.good:
            text = _Text()
            print_result(result, text.console)
            raise NotAsExpected(str(text))


class WorkloadItem(_Item):
    """A workload, asked about as by ``isodelta robust``."""

    def __init__(self, *, loaded: LoadedWorkload, **options: Any) -> None:
        super().__init__(**options)
        self.loaded = loaded

    def runtest(self) -> None:
        """Answers it. Raises NotAsExpected."""
        from checker.robustness.answer import robustness
        from isodelta.commands.robust.results import Asked
        from isodelta.commands.robust.words import print_answer

        asked = Asked(self.loaded, robustness(self.loaded.jobs))
        if asked.good or (self.loaded.expect and not asked.unmet):
            return
        text = _Text()
        print_answer(asked, text.console)
        raise NotAsExpected(str(text))


class _Text:
    """A console whose output is a text, without colours."""

    def __init__(self) -> None:
        self._file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        self.console = Console(
            file=self._file, width=WIDTH, highlight=False, emoji=False, markup=False
        )

    def __str__(self) -> str:
        self._file.flush()
        buffer = self._file.buffer
        assert isinstance(buffer, io.BytesIO)
        lines = buffer.getvalue().decode("utf-8").splitlines()
        return "\n".join(line.rstrip() for line in lines).strip("\n")
