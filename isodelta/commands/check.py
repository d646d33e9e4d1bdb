"""``isodelta check``: scenarios in the model, judged and explained."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from isodelta.exits import FOUND, OK
from isodelta.options import Common, common_options

if TYPE_CHECKING:
    from isodelta.judging import Checked


@click.command(short_help="Run scenarios in the model, judge and explain them.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@common_options
def command(files: Sequence[str], common: Common) -> int:
    """Run scenarios in the model, judge every level, and explain.

    Exit code 1 says that an expectation failed, or that a scenario violates the isolation
    level of its table without expecting it.
    """
    from isodelta.judging import check
    from isodelta.scenario_files import read_files

    started = time.monotonic()
    checked: list[Checked] = []
    for loaded in read_files(files, common.profile):
        checked.append(check(loaded, common.profile))
        if common.json:
            from isodelta.results import check_result, print_json

            print_json(check_result(checked[-1]))
    if not common.json:
        _print(checked)
    if common.report is not None:
        from isodelta.model_report import write_check_report

        write_check_report(common, checked, time.monotonic() - started)
    return OK if all(result.ok for result in checked) else FOUND


def _print(checked: Sequence[Checked]) -> None:
    from isodelta.console import legend, output, print_checked, print_summary

    console = output()
    for result in checked:
        print_checked(result, console)
        console.print()
    console.print(legend(console))
    if len(checked) > 1:
        print_summary(checked, console)
