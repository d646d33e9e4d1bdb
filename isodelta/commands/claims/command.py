"""``isodelta claims``: the ledger of what the documents say, with evidence for each claim."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isodelta.exits import FOUND, OK, BadInput, EngineFailed
from isodelta.options import Common, common_options

if TYPE_CHECKING:
    from isodelta.commands.claims.results import Row


@click.command(short_help="The ledger of N1..N100 with the evidence for each.")
@click.argument("names", nargs=-1, metavar="[N12 ...]")
@click.option(
    "--engine",
    type=click.Choice(("delta-spark", "model")),
    default=None,
    help="The engine to ask; by default the real one if Java is installed.",
)
@click.option(
    "--write",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="Write the ledger as a Markdown page as well; claims that were not run keep their rows.",
)
@common_options
def command(common: Common, names: Sequence[str], engine: str | None, write: Path | None) -> int:
    """Check what the documents claim, claim by claim, on the real engine and in the model.

    Every status comes from running a check: confirmed, refuted, modelled only (no available
    engine has the feature, or none was asked), out of scope with the reason, or unknown if the
    check could not be run. Exit code 1 means that some claim is refuted or unknown.
    """
    from conformance.engine import EngineError
    from isodelta.commands.claims.bench import Bench
    from isodelta.commands.claims.checks import CLAIMS
    from isodelta.commands.claims.ledger import ledger
    from isodelta.commands.claims.results import Status
    from isodelta.commands.pipeline import print_json
    from isodelta.runs.engines import start
    from isodelta.terminal import progress

    chosen = [name.upper() for name in names] or list(CLAIMS)
    for name in chosen:
        if name not in CLAIMS:
            raise BadInput(f"there is no claim {name!r} (N1 to N{len(CLAIMS)})")
    chosen_engine = engine or _engine_at_hand()
    bench = Bench(
        None if chosen_engine == "model" else lambda: start(chosen_engine), common.profile
    )
    rows: list[Row] = []
    started = time.monotonic()
    try:
        with progress("checking claims") as report:
            for row in ledger(bench, chosen, lambda name, done, of: report(f"{name}, {done}/{of}")):
                rows.append(row)
                if common.json:
                    print_json(row.to_json())
    except EngineError as error:
        raise EngineFailed(str(error)) from error
    finally:
        bench.close()
    if not common.json:
        _print(rows)
    if write is not None:
        from isodelta.commands.claims.markdown import markdown

        earlier = write.read_text(encoding="utf-8") if write.exists() else ""
        write.write_text(markdown(rows, chosen_engine, earlier), encoding="utf-8")
    if common.report is not None:
        from isodelta.commands.claims.page import write_claims_report

        write_claims_report(common, rows, chosen_engine, time.monotonic() - started)
    wrong = {Status.REFUTED, Status.UNKNOWN}
    return FOUND if any(row.result.status in wrong for row in rows) else OK


def _engine_at_hand() -> str:
    """The real engine if there is a Java for it."""
    from conformance.spark.startup.java import find_java

    return "model" if find_java() is None else "delta-spark"


def _print(rows: Sequence[Row]) -> None:
    from isodelta.commands.claims.words import print_ledger
    from isodelta.terminal import output

    print_ledger(rows, output())
