"""``isodelta history``: histories that other tools recorded, judged."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from isodelta.exits import FOUND, OK, BadInput
from isodelta.options import Common, Duration, common_options

FORMAT_NAMES = ("text", "bincode", "cobra", "awdit", "edn", "parquet")


@click.command(short_help="Judge a history recorded by another tool.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
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
    "--time-limit",
    type=Duration(),
    default="60s",
    show_default=True,
    metavar="TIME",
    help="How long to look for the order of the versions, for each level.",
)
@partial(common_options)
def command(
    files: Sequence[str],
    format_name: str | None,
    session_order: bool | None,
    time_limit: float,
    common: Common,
) -> int:
    """Judge histories of other tools: files, or folders of logs.

    Exit code 1 says that some level is violated or that its verdict is unknown.
    """
    # The matrices are small: more threads would only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from isodelta.foreign_histories import judge_file
    from isodelta.foreign_results import print_foreign
    from isodelta.results import print_json

    if common.report is not None:
        raise BadInput("--report: there is no report about histories of other tools")
    code = OK
    for file in files:
        started = time.monotonic()
        result: dict[str, Any] = judge_file(Path(file), format_name, session_order, time_limit)
        result["seconds"] = round(time.monotonic() - started, 3)
        if any(level["verdict"] != "holds" for level in result["levels"].values()):
            code = FOUND
        if common.json:
            print_json(result)
        else:
            print_foreign(result)
    return code
