"""The terminal: the consoles that people read, colours, tables without lines, and progress."""

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
        # The command line decides how a run ends whose reader has left.
        raise BrokenPipeError


def output() -> Console:
    """The console on standard output. What its encoding lacks is written as an escape."""
    return _console(sys.stdout)


def notes() -> Console:
    """The console on standard error, for progress and remarks."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return _Console(file=stream, highlight=False, emoji=False, markup=False)


def can_draw(console: Console) -> bool:
    """Whether the console prints lines, arrows and circles, and not ASCII alone."""
    return console.encoding.lower().startswith("utf")


def show_progress() -> bool:
    """Whether somebody is there to watch: progress goes to a terminal or nowhere."""
    return sys.stderr.isatty()


@contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """A line of progress on standard error while the block runs.

    Gives a function that replaces the line's text; it does nothing where nobody watches.
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
    """A table without lines; a column that is True takes what is left of the width."""
    table = Table.grid(padding=(0, 2))
    for takes_the_rest in wide:
        table.add_column(no_wrap=not takes_the_rest, overflow="fold")
    return table
