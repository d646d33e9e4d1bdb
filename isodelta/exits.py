"""The exit codes of commands, and the exceptions that lead to them."""

from __future__ import annotations

from collections.abc import Iterable

OK = 0
"""Everything is as expected."""
FOUND = 1
"""A violation, a difference or a failed expectation was found."""
BAD = 2
"""Bad usage or bad input."""
ENGINE = 3
"""The engine could not be started, or died."""
INTERRUPTED = 130
"""Ctrl-C, as a shell reports it (128 + SIGINT)."""
BROKEN = 70
"""An internal error of isodelta (EX_SOFTWARE), distinct from its findings."""


class CommandFailed(Exception):
    """A command that cannot continue: ``lines`` to print, and the exit ``code``."""

    code: int
    lines: tuple[str, ...]


class BadInput(CommandFailed):
    """Input that cannot be used. ``lines`` has one clear line for each problem."""

    code = BAD

    def __init__(self, lines: str | Iterable[str]) -> None:
        self.lines = (lines,) if isinstance(lines, str) else tuple(lines)
        super().__init__("\n".join(self.lines))


class EngineFailed(CommandFailed):
    """The engine could not be started, hung, or died; the text names the scenario and step."""

    code = ENGINE

    def __init__(self, text: str) -> None:
        self.lines = (f"isodelta: {' '.join(text.split())}",)
        super().__init__(text)
