"""The course of a command, the same for all: results as they come, a page, an exit code.

A command says in a `Course` what it does and in which words; `run` takes it from there. Results
are told as they come, in words or as JSON Lines, and kept for the words at the end and for the
report. However the results end, what was found until then is told: after Ctrl-C, and after an
engine that died.
"""

from __future__ import annotations

import json
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from isodelta.exits import FOUND, OK, BadInput, EngineFailed
from isodelta.options import Common

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from isodelta.report import Report

Tell = Callable[[str], None]
"""Replaces the text of the line of progress."""


class Result(Protocol):
    """What a command gives: a dataclass that knows its JSON object."""

    def to_json(self) -> dict[str, object]:
        """The object, in JSON's own types."""
        ...


R = TypeVar("R", bound=Result)


class Course(ABC, Generic[R]):
    """What one call of a command does. ``doing`` says so to somebody who watches, if not empty."""

    doing = ""

    @abstractmethod
    def results(self, tell: Tell) -> Iterator[R]:
        """Does the work, and gives each result as soon as it is there.

        Raises BadInput, and conformance.engine.EngineError where an engine is asked.
        """

    @abstractmethod
    def good(self, results: Sequence[R]) -> bool:
        """Whether all is as it should be."""

    def words(self, result: R, console: Console) -> None:
        """Tells people of one result as it comes."""

    def closing_words(self, results: Sequence[R], console: Console) -> None:
        """Tells people of all results at the end."""

    def summary(self) -> Result | None:
        """The last JSON object, which comes whatever happened before."""
        return None

    def page(self, results: Sequence[R]) -> Report:
        """The report of ``--report``, but for its time and end."""
        raise BadInput("--report: this command has no report")

    def write_report(
        self, results: Sequence[R], folder: Path, seconds: float, cut_short: str
    ) -> None:
        """Writes the report; ``cut_short`` says why not all results are there, if they are not.

        Raises BadInput where the folder cannot be written.
        """
        from isodelta.report.start import finish

        finish(self.page(results), folder, seconds, cut_short)


def run(course: Course[R], common: Common) -> int:
    """Takes a command through its course; returns the exit code.

    Raises BadInput, and EngineFailed where an engine could not be started or died.
    """
    started = time.monotonic()
    results: list[R] = []
    try:
        with _progress(course.doing) as tell:
            for result in course.results(tell):
                results.append(result)
                _show(course, result, common)
    except BrokenPipeError:
        raise  # Nobody reads any more.
    except _engine_error() as error:
        _close(course, results, common, started, f"the engine failed: {error}")
        raise EngineFailed(str(error)) from error
    except KeyboardInterrupt:
        _close(course, results, common, started, "it was interrupted")
        raise
    except Exception as error:
        _close(course, results, common, started, f"it came to an end by an error: {error}")
        raise
    _close(course, results, common, started)
    return OK if course.good(results) else FOUND


def print_json(result: Mapping[str, object]) -> None:
    """Prints one object as one line on standard output, at once."""
    text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def _progress(doing: str) -> AbstractContextManager[Tell]:
    if not doing:
        return nullcontext(lambda _: None)
    from isodelta.terminal import progress

    return progress(doing)


def _engine_error() -> type[Exception]:
    # Named in an except clause, this is looked up once something was raised, and not before:
    # commands without an engine do not pay for its libraries.
    from conformance.engine import EngineError

    return EngineError


def _show(course: Course[R], result: R, common: Common) -> None:
    if common.json:
        print_json(result.to_json())
        return
    from isodelta.terminal import output

    course.words(result, output())


def _close(
    course: Course[R],
    results: Sequence[R],
    common: Common,
    started: float,
    cut_short: str = "",
) -> None:
    """Tells what belongs at the end; ``cut_short`` says why not all results are there.

    Without any result there is nothing to say in words, and nothing to put into a report.
    """
    if common.json:
        summary = course.summary()
        if summary is not None:
            print_json(summary.to_json())
    if cut_short and not results:
        return
    if not common.json:
        from isodelta.terminal import output

        course.closing_words(results, output())
    if common.report is not None:
        course.write_report(results, common.report, time.monotonic() - started, cut_short)
