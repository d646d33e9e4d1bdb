"""``isodelta history``: histories that other tools recorded, judged."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import OK, BadInput
from isodelta.options import Common, Duration, common_options

if TYPE_CHECKING:
    from rich.console import Console

    from isodelta.commands.history.results import HistoryResult, Unread

FORMAT_NAMES = (
    "text",
    "bincode",
    "cobra",
    "awdit",
    "edn",
    "json",
    "dbcop",
    "chronos",
    "parquet",
)


@click.command(short_help="Judge a history recorded by another tool.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMAT_NAMES),
    default=None,
    help="The format of the files; recognised by their contents where it is not given.",
)
@click.option(
    "--session-order/--no-session-order",
    default=None,
    help="Whether the levels respect the order of each session; else as the format's own tools do.",
)
@click.option(
    "--outside-writers",
    is_flag=True,
    help="Values of registers that nobody wrote were written outside of the history, as for Elle.",
)
@click.option(
    "--initial-values",
    is_flag=True,
    help="One value of each register that nobody wrote is its initial one, in text, EDN and JSON "
    "where no read sees the initial state.",
)
@click.option(
    "--level",
    "levels",
    multiple=True,
    metavar="NAME",
    help="Decide this level alone (repeatable); the exit code is by those named. Default: all.",
)
@click.option(
    "--time-limit",
    type=Duration(),
    default="5m",
    show_default=True,
    metavar="TIME",
    help="How long to look for the order of the versions of a history, for all levels together.",
)
@click.option(
    "--spark",
    "on_spark",
    is_flag=True,
    help="Judge on Spark: Parquet histories of any size (a folder of Parquet files is one), others "
    "by components of their keys and sessions.",
)
@click.option(
    "--master",
    metavar="URL",
    help="The master for --spark: local[N], or a cluster that sees the files. Default: local[*].",
)
@click.option(
    "--export",
    "export_as",
    type=click.Choice(("text", "edn", "dot")),
    default=None,
    help="Judge nothing: the files are scenarios, whose histories are printed for other tools.",
)
@partial(common_options)
def command(
    files: Sequence[str],
    format_name: str | None,
    session_order: bool | None,
    outside_writers: bool,
    initial_values: bool,
    levels: Sequence[str],
    time_limit: float,
    on_spark: bool,
    master: str | None,
    export_as: str | None,
    common: Common,
) -> int:
    """Judge histories of other tools: files, folders of logs, or folders of many histories.

    Exit code 1 says that some level is violated or that its verdict is unknown. Of a folder of
    many histories every one is judged; unreadable files are reported; the exit code is then 2.
    """
    if export_as is not None:
        return _export(files, export_as, common)
    if on_spark or master is not None:
        from isodelta.commands.history.on_spark import JudgingOnSpark

        judging_on_spark = JudgingOnSpark(
            files,
            format_name,
            session_order,
            outside_writers,
            initial_values,
            levels,
            time_limit,
            master,
        )
        return run(judging_on_spark, common)
    # The matrices are small: more threads would only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    judging = Judging(
        files, format_name, session_order, outside_writers, initial_values, levels, time_limit
    )
    return run(judging, common)


@dataclass
class Judging(Course["HistoryResult | Unread"]):
    """Each history of each path."""

    files: Sequence[str]
    format_name: str | None
    session_order: bool | None
    outside_writers: bool
    initial_values: bool
    levels: Sequence[str]
    time_limit: float

    def results(self, progress: Progress) -> Iterator[HistoryResult | Unread]:
        from isodelta.formats.formats import histories_in

        # Reading makes millions of objects without cycles of references; of the rest, what was
        # there before is not looked through again after every history.
        gc.disable()
        gc.freeze()
        try:
            for name in self.files:
                paths = histories_in(Path(name))
                if not paths:
                    raise BadInput(f"{name}: there is no history in this folder")
                for path in paths:
                    yield self._judged(path, one_of_many=paths != [Path(name)])
                    gc.collect()
        finally:
            gc.unfreeze()
            gc.enable()

    def _judged(self, path: Path, *, one_of_many: bool) -> HistoryResult | Unread:
        from isodelta.commands.history.results import Unread, judge_file

        try:
            return judge_file(
                path,
                self.format_name,
                self.session_order,
                self.time_limit,
                outside_writers=self.outside_writers,
                initial_values=self.initial_values,
                only=self.levels,
            )
        except BadInput as error:
            if not one_of_many:
                raise
            return Unread(str(path), error)

    def good(self, results: Sequence[HistoryResult | Unread]) -> bool:
        """Whether every history holds every level. Raises BadInput for those that were not read."""
        from isodelta.commands.history.results import lines_of_unread

        unread = lines_of_unread(results)
        if unread:
            raise BadInput(unread)
        return all(result.holds for result in results)

    def words(self, result: HistoryResult | Unread, console: Console) -> None:
        from isodelta.commands.history.words import print_result

        print_result(result, console)

    def write_report(
        self,
        results: Sequence[HistoryResult | Unread],
        folder: Path,
        seconds: float,
        cut_short: str,
    ) -> None:
        from isodelta.commands.history.page import write_history_report

        write_history_report(folder, results, cut_short)


def _export(files: Sequence[str], export_as: str, common: Common) -> int:
    """Runs scenarios in the model and prints their histories.

    Raises BadInput for several scenarios in a format whose files are one history each.
    """
    from isodelta.files.scenarios import read_files
    from isodelta.formats.export import EXPORTS, SEVERAL
    from model.simulator import run

    scenarios = read_files(files, common.profile)
    if len(scenarios) > 1 and export_as not in SEVERAL:
        names = ", ".join(loaded.scenario.name for loaded in scenarios[:3])
        more = ", ..." if len(scenarios) > 3 else ""
        raise BadInput(
            f"--export {export_as}: {len(scenarios)} scenarios ({names}{more}), and a file of this "
            "format is one history; export them one by one"
        )
    for loaded in scenarios:
        result = run(loaded.workload, loaded.scenario.schedule, common.profile)
        click.echo(EXPORTS[export_as](result.history), nl=False)
    return OK
