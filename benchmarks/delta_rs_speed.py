"""Two-transaction replays a second on delta-rs, on one core.

Run: python benchmarks/delta_rs_speed.py [replays]. Goal: at least 40 a second, and a whole
``isodelta replay --engine delta-rs`` process in under two seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from itertools import islice
from pathlib import Path

from checker.search.random_search import scenarios_in_groups
from conformance.delta_rs.engine import DeltaRsEngine
from conformance.engine import BadStatement
from conformance.replay.campaign import Job, valid
from conformance.replay.campaign import replay as replay_and_compare
from conformance.replay.observation import observe
from model.profiles import profile
from model.scenario import Scenario

ROOT = Path(__file__).parents[1]
RULES = profile("delta-rs-1.6")


def on_one_core() -> None:
    """Keeps this process, delta-rs's threads included, to one core where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def can_set_up(engine: DeltaRsEngine, scenario: Scenario) -> bool:
    """Whether the engine has the statements that a scenario's set-up is made of."""
    try:
        observe(engine, scenario, "Serializable")
    except BadStatement:
        return False
    return True


def main() -> None:
    replays = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    command = [sys.executable, "-m", "isodelta", "replay", "--engine", "delta-rs"]
    started = time.perf_counter()
    subprocess.run(
        [*command, "scenarios/lost_update.yaml"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    print(f"isodelta replay --engine delta-rs: {time.perf_counter() - started:.2f} s")
    on_one_core()
    engine = DeltaRsEngine()
    try:
        drawn = valid(scenarios_in_groups(1, 10, (2,)), RULES)
        scenarios = list(islice(filter(partial(can_set_up, engine), drawn), replays))
        cpu, started = time.process_time(), time.perf_counter()
        for scenario in scenarios:
            observe(engine, scenario, "Serializable")
        report("replays", replays, started, cpu)
        cpu, started = time.process_time(), time.perf_counter()
        for scenario in scenarios:
            replay_and_compare(engine, Job(scenario, "Serializable"), RULES)
        report("replays, judged and compared", replays, started, cpu)
    finally:
        engine.close()


def report(what: str, count: int, started: float, cpu: float) -> None:
    seconds, busy = time.perf_counter() - started, time.process_time() - cpu
    print(
        f"{count} {what}: {count / seconds:.0f} a second by the clock, "
        f"{count / busy:.0f} a second of processor time"
    )


if __name__ == "__main__":
    main()
