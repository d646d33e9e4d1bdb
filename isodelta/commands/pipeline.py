"""The course of every command: results as they come, a page, an exit code.

A command defines its work and its words as a `Course`; `run` does the rest. Results are printed
as they come, in words or as JSON Lines, and kept for the closing words and for the report. The
results so far are reported however the work ends: after Ctrl-C, and after an engine died.
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

Progress = Callable[[str], None]
"""A function that replaces the text of the progress line."""


class Result(Protocol):
    """A result of a command: a dataclass with a JSON object."""

    def to_json(self) -> dict[str, object]:
        """The object, in JSON's own types."""
        ...


R = TypeVar("R", bound=Result)


class Course(ABC, Generic[R]):
    """The work of one call of a command. ``doing`` is shown as its progress, if not empty."""

    doing = ""

    @abstractmethod
    def results(self, progress: Progress) -> Iterator[R]:
        """Does the work, and yields results as soon as they are ready.

        ``progress`` is called with a short text at every stage. Raises BadInput, and
        conformance.engine.EngineError if an engine is used.
        """

    @abstractmethod
    def good(self, results: Sequence[R]) -> bool:
        """Whether everything is as expected: the exit code is then 0."""

    def words(self, result: R, console: Console) -> None:
        """Prints one result, for people, as it comes."""

    def closing_words(self, results: Sequence[R], console: Console) -> None:
        """Prints closing words about all results, for people."""

    def summary(self) -> Result | None:
        """The last JSON object, printed however the work ended."""
        return None

    def page(self, results: Sequence[R]) -> Report:
        """The report of ``--report``, without its duration and its end."""
        raise BadInput("--report: this command has no report")

    def write_report(
        self, results: Sequence[R], folder: Path, seconds: float, cut_short: str
    ) -> None:
        """Writes the report; ``cut_short`` says why results are missing, if any are.

        Raises BadInput if the folder cannot be written.
        """
        from isodelta.report.start import finish

        finish(self.page(results), folder, seconds, cut_short)


def run(course: Course[R], common: Common) -> int:
    """Runs the course of a command; returns the exit code.

    Raises BadInput, and EngineFailed if an engine could not be started or died.
    """
    started = time.monotonic()
    results: list[R] = []
    try:
        with _progress(course.doing) as progress:
            for result in course.results(progress):
                results.append(result)
                _show(course, result, common)
    except BrokenPipeError:
        raise  # The reader has closed the pipe.
    except _engine_error() as error:
        _close(course, results, common, started, f"the engine failed: {error}")
        raise EngineFailed(str(error)) from error
    except KeyboardInterrupt:
        _close(course, results, common, started, "it was interrupted")
        raise
    except Exception as error:
        _close(course, results, common, started, f"it was ended by an error: {error}")
        raise
    _close(course, results, common, started)
    return OK if course.good(results) else FOUND


def print_json(result: Mapping[str, object]) -> None:
    """Prints one object as one line on standard output, at once."""
    text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def _progress(doing: str) -> AbstractContextManager[Progress]:
    if not doing:
        return nullcontext(lambda _: None)
    from isodelta.terminal import progress

    return progress(doing)


def _engine_error() -> type[Exception]:
    # In an except clause this is only looked up after something was raised: commands without
    # an engine do not pay for its libraries.
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
    """Prints the end; ``cut_short`` says why results are missing, if any are.

    Without any result there is nothing to say in words and nothing to report.
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
