"""isodelta replay: scenarios on the real engine, compared with the model."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from pathlib import Path

import click

from isodelta.engine_option import PROFILES, engine_option
from isodelta.exits import FOUND, OK, BadInput, EngineFailed
from isodelta.options import Common, common_options


@click.command(short_help="Run scenarios on the real engine, step by step.")
@click.argument("files", nargs=-1, required=True)
@engine_option
@click.option(
    "--on-delta-rs",
    multiple=True,
    metavar="NAME",
    help="With Spark: run this transaction on delta-rs instead, on the same table. Repeatable.",
)
@common_options
def command(
    files: tuple[str, ...], common: Common, engine: str, on_delta_rs: tuple[str, ...]
) -> int:
    """Runs scenarios on real tables, judges what was observed, compares it with the model."""
    from conformance.engine import EngineError
    from conformance.replay.campaign import Job, replay
    from isodelta.commands.replay.page import ReplayedScenario, write_replay_report
    from isodelta.commands.replay.results import replay_result
    from isodelta.commands.replay.words import print_replayed
    from isodelta.files.scenarios import read_files
    from isodelta.runs.engines import start_cross
    from isodelta.runs.expectation import failures
    from isodelta.runs.results import print_json

    if on_delta_rs and engine != "delta-spark":
        raise BadInput("--on-delta-rs goes with --engine delta-spark")
    loaded = read_files([Path(file) for file in files], common.profile)
    for entry in loaded:
        if unknown := set(on_delta_rs) - entry.scenario.transactions.keys():
            name = min(unknown)
            raise BadInput(f"--on-delta-rs: scenario {entry.scenario.name!r} has no {name!r}")
    code = OK
    started = time.monotonic()
    results: list[ReplayedScenario] = []
    versions: Mapping[str, str] = {}
    broken: EngineError | None = None
    try:
        running, profiles = start_cross(engine, frozenset(on_delta_rs))
        try:
            if common.report is not None:
                versions = running.versions()
            for entry in loaded:
                job = Job(entry.scenario, entry.workload.level, profiles)
                replayed = replay(running, job, common.profile)
                comparison = replayed.comparison
                observation = comparison.observation
                verdicts = {name: v.verdict for name, v in comparison.verdicts.items()}
                unmet = failures(
                    entry.scenario,
                    observation.outcomes,
                    observation.rows,
                    verdicts,
                    observation.level,
                )
                result = replay_result(comparison, common.profile.name)
                if unmet:
                    result["failures"] = list(unmet)
                if unmet or not comparison.agrees:
                    code = FOUND
                if common.report is not None:
                    results.append(ReplayedScenario(entry, replayed, unmet))
                if common.json:
                    print_json(result)
                else:
                    print_replayed(entry, comparison, unmet)
        finally:
            running.close()
    except EngineError as error:
        broken = error
    if common.report is not None:
        write_replay_report(
            common,
            _as_asked(common, engine, on_delta_rs),
            versions,
            results,
            time.monotonic() - started,
            None if broken is None else f"the engine failed: {broken}",
        )
    if broken is not None:
        raise EngineFailed(str(broken)) from broken
    return code


def _as_asked(common: Common, engine: str, on_delta_rs: tuple[str, ...]) -> str:
    """The engine with the options that a finding needs to be replayed on it again."""
    options = [engine]
    for name in on_delta_rs:
        options += ["--on-delta-rs", name]
    if common.profile.name != PROFILES[engine]:
        options += ["--profile", common.profile.name]
    return shlex.join(options)
