"""``isodelta check``: scenarios in the model, judged and explained."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from isodelta.exits import FOUND, OK
from isodelta.options import Common, common_options

if TYPE_CHECKING:
    from isodelta.runs.judging import Checked


@click.command(short_help="Run scenarios in the model, judge and explain them.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@partial(common_options, every_profile=True)
def command(files: Sequence[str], common: Common) -> int:
    """Run scenarios in the model, judge every level, and explain.

    Exit code 1 says that an expectation failed, or that a scenario violates the isolation
    level of its table without expecting it. With --profile all expectations are left alone, and
    it says that some profile lets a scenario through that the level of its table forbids.
    """
    if common.every_profile:
        return _under_every_profile(files, common)
    from isodelta.files.scenarios import read_files
    from isodelta.runs.judging import check

    started = time.monotonic()
    checked: list[Checked] = []
    for loaded in read_files(files, common.profile):
        checked.append(check(loaded, common.profile))
        if common.json:
            from isodelta.runs.results import check_result, print_json

            print_json(check_result(checked[-1]))
    if not common.json:
        _print(checked)
    if common.report is not None:
        from isodelta.report.start import write_check_report

        write_check_report(common, checked, time.monotonic() - started)
    return OK if all(result.ok for result in checked) else FOUND


def _under_every_profile(files: Sequence[str], common: Common) -> int:
    from isodelta.commands.check.every_profile import (
        print_every_profile,
        profile_result,
        under_every_profile,
    )
    from isodelta.exits import BadInput
    from isodelta.files.scenarios import read_files
    from isodelta.runs.results import print_json
    from isodelta.terminal import output

    if common.report is not None:
        raise BadInput("--report: a report is about one profile, not about all of them")
    code = OK
    for loaded in read_files(files, common.profile):
        results = list(under_every_profile(loaded))
        if any(result.broken for result in results):
            code = FOUND
        if common.json:
            for result in results:
                print_json(profile_result(result))
        else:
            print_every_profile(loaded, results, output())
            output().print()
    return code


def _print(checked: Sequence[Checked]) -> None:
    from isodelta.terminal import legend, output, print_checked, print_summary

    console = output()
    for result in checked:
        print_checked(result, console)
        console.print()
    console.print(legend(console))
    if len(checked) > 1:
        print_summary(checked, console)
