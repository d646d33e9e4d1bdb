"""``isodelta explain``: why a job failed, from the text of its exception."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import Common, common_options

if TYPE_CHECKING:
    from rich.console import Console

    from isodelta.commands.explain.results import Explained

LARGEST = 64 << 20
"""Bytes of a text's end that are read: a log file ends with the exception that ended the job."""


@click.command(short_help="Explain why a job was refused, from its exception.")
@click.argument("file", default="-", metavar="[FILE|-]", type=click.Path())
@click.option("--delta", metavar="PATH", help="The table, so that the winner is looked up.")
@click.option("--sql", metavar="FILE", help="The job that was refused.")
@click.option(
    "--export",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the scenario that shows the conflict, for isodelta check and replay.",
)
@common_options
def command(
    file: str, delta: str | None, sql: str | None, export: str | None, common: Common
) -> int:
    """Explain a conflict: which rule, whether the level needed it, what helps, is a retry safe.

    FILE has the text of the exception, a stack trace or a log; standard input if it is left out.
    Without --delta and --sql the answer comes from small scenarios that end in the same conflict,
    and says what it assumed.
    """
    return run(Explaining(file, delta, sql, export, common), common)


@dataclass
class Explaining(Course["Explained"]):
    """The explanation of one conflict."""

    file: str
    delta: str | None
    sql: str | None
    export: str | None
    common: Common

    def results(self, progress: Progress) -> Iterator[Explained]:
        from isodelta.commands.explain.results import explain
        from model.profiles import DEFAULT

        name = "standard input" if self.file == "-" else self.file
        chosen = None if self.common.profile.name == DEFAULT.name else self.common.profile
        explained = explain(self._text(), name, self.delta, self.sql, chosen)
        if self.export is not None:
            self._write(explained, self.export)
        yield explained

    def _text(self) -> str:
        """The text, or its end if it is very long. Raises BadInput."""
        if self.file == "-":
            return sys.stdin.buffer.read()[-LARGEST:].decode("utf-8", "replace")
        try:
            with Path(self.file).open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - LARGEST))
                return file.read().decode("utf-8", "replace")
        except OSError as error:
            raise BadInput(f"{self.file}: cannot be read: {error.strerror}") from error

    def _write(self, explained: Explained, file: str) -> None:
        from isodelta.files.scenario_writer import scenario_yaml

        if explained.scenario is None:
            raise BadInput(f"--export: the model has no scenario for {explained.refusal.conflict}")
        try:
            Path(file).write_text(scenario_yaml(explained.scenario), encoding="utf-8")
        except OSError as error:
            raise BadInput(f"--export: {file}: cannot be written: {error.strerror}") from error

    def good(self, results: Sequence[Explained]) -> bool:
        return True

    def words(self, result: Explained, console: Console) -> None:
        from isodelta.commands.explain.words import print_explained

        print_explained(result, console)
