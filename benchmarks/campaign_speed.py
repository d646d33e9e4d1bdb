"""The speed of a campaign's model stages: on one worker and on two, and into a store.

Run it with ``python benchmarks/campaign_speed.py [POSITIONS] [--store SCHEDULES]``. All figures are
of one run on one machine, so that they can be compared. ``schedules`` are interleavings of begins
and commits, ``histories`` the classes of them that were run and judged at four levels: a class is
a row of the store. ``generation`` draws the pools and their statements without running them.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from isodelta.files.scenario_writer import scenario_yaml
from model.profiles import DEFAULT
from pipeline.campaign import Campaign, Definition
from pipeline.cluster.session import started
from pipeline.stages.arrow import no_cycle_collection
from pipeline.stages.predictions import Predicted
from pipeline.stream import Pool, pool

SIZES = (3,)
"""Three transactions in every history, as the goal of the speed is stated."""


def generated(first: int, step: int, positions: int) -> int:
    """Draws the pools of every ``step``th position; returns how many."""
    made = 0
    for position in range(first, positions, step):
        chosen: Pool = pool(7, position, SIZES)
        made += chosen.under(DEFAULT) is not None
    return made


def predicted(first: int, step: int, positions: int) -> tuple[int, int, float]:
    """Predicts every ``step``th position; returns schedules, histories, processor seconds."""
    schedules = histories = 0
    began = time.process_time()
    with no_cycle_collection():
        for position in range(first, positions, step):
            made = Predicted.of(pool(7, position, SIZES), DEFAULT)
            if made is not None:
                made.batch()
                schedules += sum(made.sizes)
                histories += len(made.sizes)
    return schedules, histories, time.process_time() - began


def side_by_side(work: Any, workers: int, positions: int) -> tuple[list[Any], float]:
    """The work shared out to processes that are up already; results and seconds."""
    with get_context("spawn").Pool(workers) as processes:
        processes.map(partial(work, step=1, positions=1), [0] * workers)  # Imports.
        started_at = time.monotonic()
        share = partial(work, step=workers, positions=positions)
        return processes.map(share, range(workers), chunksize=1), time.monotonic() - started_at


def into_a_store(wanted: int) -> None:
    definition = Definition(7, (DEFAULT,), "benchmark", None, wanted)
    with tempfile.TemporaryDirectory() as folder, started() as session:
        store = Path(folder) / "store"
        first = Definition(8, (DEFAULT,), "benchmark", None, 1)
        warm = Campaign(session, store, first, scenario_yaml)
        for _ in warm.batches():
            pass
        began = time.monotonic()
        campaign = Campaign(session, store, definition, scenario_yaml)
        for _ in campaign.batches():
            pass
        seconds = time.monotonic() - began
        totals = campaign.totals
        files = sum(file.stat().st_size for file in store.rglob("*.parquet"))
        print(
            f"into the store: {totals.schedules:,} schedules, {totals.histories:,} histories in "
            f"{totals.batches} batches, {seconds:.0f} s, {files / 1e6:.0f} MB"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("positions", type=int, nargs="?", default=80)
    parser.add_argument("--store", type=int, default=1_000_000)
    arguments = parser.parse_args()
    positions = arguments.positions
    _, generating = side_by_side(generated, 1, positions)
    rates = {}
    for workers in (1, 2):
        results, seconds = side_by_side(predicted, workers, positions)
        schedules = sum(result[0] for result in results)
        histories = sum(result[1] for result in results)
        processor = sum(result[2] for result in results)
        rates[workers] = schedules / seconds
        print(
            f"{workers} worker{'s' * (workers > 1)}: {schedules:,} schedules, {histories:,} "
            f"histories, {seconds:.1f} s, {schedules / seconds:,.0f} schedules/s, "
            f"{histories / seconds:,.0f} histories/s; {processor:.1f} s of processor time, "
            f"{schedules / processor:,.0f} schedules in each"
        )
        if workers == 1:
            print(f"generation: {generating:.1f} s, {generating / seconds:.0%} of one worker")
    print(f"two workers are {rates[2] / rates[1]:.2f} times one")
    if arguments.store:
        into_a_store(arguments.store)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"the largest process took {peak:.0f} MB")


if __name__ == "__main__":
    main()
