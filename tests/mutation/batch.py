"""Many trials at once: the tests are loaded once, and each mutant gets a fork of that process.

In the fork only the code of the changed function is replaced, so that a trial costs no more than
the tests up to the first that fails. What was computed while modules were imported is not the
mutant's; a mutant that survives here has to survive a whole trial as well
(``tests.mutation.trial``).
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import CodeType, FunctionType

import pytest
from _pytest.main import pytest_runtestloop as run_all

from tests.mutation.operators import Mutant
from tests.mutation.subjects import Subject
from tests.mutation.trial import FirstFailure, Outcome, answer_of, without_shrinking


def batch(subject: Subject, mutants: Sequence[Mutant], limit: float) -> Iterator[Outcome | None]:
    """The outcome of each mutant; None for those that a fork cannot try.

    ``limit`` is the time for one of them, in seconds.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _quiet()
        without_shrinking()
        plugin = _EachMutant(subject, mutants, limit, writing)
        options = ["-x", "-q", "-p", "no:cacheprovider", "-n", "0", "-m", "not spark"]
        pytest.main([*options, *subject.tests], plugins=[plugin, plugin.first])
        os._exit(0)
    os.close(writing)
    answered = 0
    with os.fdopen(reading) as pipe:
        for line in pipe:
            entry = json.loads(line)
            yield None if entry is None else Outcome(*entry)
            answered += 1
    os.waitpid(child, 0)
    for _ in mutants[answered:]:
        yield None


def _quiet() -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)


class _EachMutant:
    """Runs the collected tests once for each mutant, in a fork."""

    def __init__(
        self, subject: Subject, mutants: Sequence[Mutant], limit: float, writing: int
    ) -> None:
        self.subject, self.mutants, self.limit, self.writing = subject, mutants, limit, writing
        self.first = FirstFailure()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        module = importlib.import_module(self.subject.module)
        for mutant in self.mutants:
            code = _code(compile(mutant.source, self.subject.path, "exec"), mutant.scope)
            function = _function(module, mutant.scope)
            entry = None
            if code is not None and function is not None:
                entry = self._try(session, function, code)
            os.write(self.writing, json.dumps(entry).encode() + b"\n")
        return True

    def _try(
        self, session: pytest.Session, function: FunctionType, code: CodeType
    ) -> list[object] | None:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            try:
                function.__code__ = code
            except ValueError:  # It needs other variables of the functions around it.
                os._exit(0)
            with suppress(BaseException):  # pytest ends a session by exceptions.
                run_all(session)
            os.write(writing, json.dumps(self.first.test).encode())
            os._exit(0)
        os.close(writing)
        outcome = answer_of(child, reading, self.limit)
        if outcome.verdict == "noticed" and "::" not in outcome.by:
            return None
        return [outcome.verdict, outcome.by, outcome.seconds]


def _code(module: CodeType, scope: str) -> CodeType | None:
    """The code of a function or method by its dotted name; None for what is not a function."""
    if not scope:
        return None
    found = module
    for name in scope.split("."):
        inner = [c for c in found.co_consts if isinstance(c, CodeType) and c.co_name == name]
        if len(inner) != 1:
            return None
        found = inner[0]
    return found if found.co_flags & 0x2 else None  # New locals: a function, not a class.


def _function(module: object, scope: str) -> FunctionType | None:
    """The function of a dotted name, out of what its decorators made of it."""
    found: object = module
    for name in scope.split("."):
        found = vars(found).get(name) if isinstance(found, type) else getattr(found, name, None)
        for wrapper in ("fget", "func", "__func__", "__wrapped__"):
            found = getattr(found, wrapper, found)
    return found if isinstance(found, FunctionType) else None


assert sys.platform != "win32", "trials need fork"
