"""The terminal: consoles, colours, tables without lines, and progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

COLOURS = {"holds": "green", "violated": "red", "unknown": "yellow"}
"""The colour of each verdict."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        # isodelta.cli decides how a run ends when the reader has closed the pipe.
        raise BrokenPipeError


def output() -> Console:
    """The console on standard output. Characters outside its encoding are written as escapes."""
    return _console(sys.stdout)


def notes() -> Console:
    """The console on standard error, for progress and remarks."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return _Console(file=stream, highlight=False, emoji=False, markup=False)


def can_draw(console: Console) -> bool:
    """Whether the console can print lines, arrows and circles, not just ASCII."""
    return console.encoding.lower().startswith("utf")


def show_progress() -> bool:
    """Whether standard error is a terminal: progress goes to a terminal or nowhere."""
    return sys.stderr.isatty()


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """A progress line on standard error while the block runs.

    Yields a function that replaces the line's text; it does nothing without a terminal.
    """
    if not show_progress():
        yield lambda text: None
        return
    with notes().status(Text(text)) as status:
        yield lambda text: status.update(Text(text))


def printable(text: str) -> str:
    """``text`` on one line and without characters that would steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


def grid(*wide: bool) -> Table:
    """A table without lines; a column that is True takes the remaining width."""
    table = Table.grid(padding=(0, 2))
    for takes_the_rest in wide:
        table.add_column(no_wrap=not takes_the_rest, overflow="fold")
    return table
