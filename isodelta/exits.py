"""How a command ends: the exit codes, and the exceptions that lead to them."""

from __future__ import annotations

from collections.abc import Iterable

OK = 0
"""All as it should be."""
FOUND = 1
"""A violation, a difference or a failed expectation was found."""
BAD = 2
"""Bad usage or bad input."""
ENGINE = 3
"""The engine could not be started, or died."""
INTERRUPTED = 130
"""Ctrl-C, as a shell reports it (128 + SIGINT)."""
BROKEN = 70
"""An error of isodelta's own (EX_SOFTWARE), kept apart from what it has found."""


class CommandFailed(Exception):
    """A command that cannot go on: ``lines`` to tell people, and the exit ``code``."""

    code: int
    lines: tuple[str, ...]


class BadInput(CommandFailed):
    """Input that cannot be used. ``lines`` has one clear line for each thing that is wrong."""

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
