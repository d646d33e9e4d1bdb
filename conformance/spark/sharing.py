"""Commits shared between replays: copied into the table instead of made again.

A transaction that no other commit interrupts runs the same whenever the same statement meets the
same table: its outcome depends on nothing else. Such a transaction is run once; in later replays
its files are copied into the table (data first, then the log entry). To transactions in flight
that looks like a commit by a writer on another cluster. A transaction that may meet a conflict is
always run.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from conformance.delta_log.deletion_vectors import relative_path
from conformance.engine import Begun, CommitRecord, Committed
from model.scenario import Step

State = tuple[object, ...]
"""The history of a table: its template, then its commits.

Equal states mean equal files, names included. A commit is the statement of a shared run, or a
unique object if its files exist in one table only.
"""


def after(state: State, statement: str, shared: bool) -> State:
    """The state after a commit; ``shared`` is True if its files are those of a shared run."""
    return (*state, statement if shared else object())


@dataclass(frozen=True, slots=True)
class SharedRun:
    """The end of a transaction, and the files that it wrote, by their path in the table."""

    begun: Begun
    ended: Committed
    files: tuple[tuple[Path, str], ...]

    def lay_into(self, table: Path) -> None:
        """Make the transaction's commit in another copy of the table.

        A file that it adds again (with a deletion vector) already exists.
        """
        for stored, name in self.files:
            place = table / name
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                os.link(stored, place)


class SharedRuns:
    """The runs so far. Thread-safe."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._lock = threading.Lock()
        self._count = itertools.count(1)
        self._runs: dict[tuple[State, str], SharedRun] = {}

    def get(self, state: State, statement: str) -> SharedRun | None:
        """The run of a statement on a table in a state, None if it has not been run."""
        with self._lock:
            return self._runs.get((state, statement))

    def put(
        self,
        state: State,
        statement: str,
        begun: Begun,
        ended: Committed,
        table: Path,
        record: CommitRecord | None,
    ) -> bool:
        """Keep a run, unless there is one; ``record`` is the version that it wrote, if any."""
        with self._lock:
            if (state, statement) in self._runs:
                return False
            folder = self._folder / str(next(self._count))
            files = tuple(
                (_store(table / name, folder / str(number)), name)
                for number, name in enumerate(files_of(table, record))
            )
            self._runs[(state, statement)] = SharedRun(begun, ended, files)
            return True


def _store(file: Path, place: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    os.link(file, place)
    return place


def files_of(table: Path, record: CommitRecord | None) -> Sequence[str]:
    """The files of a commit: data and deletion vectors first, the log entry last."""
    if record is None:
        return ()
    data: list[str] = []
    for action in record.actions:
        for kind in ("add", "cdc"):
            if kind in action:
                body = action[kind]
                assert isinstance(body, dict)
                data.append(unquote(body["path"]))
                vector = body.get("deletionVector")
                if vector and vector["storageType"] == "u":
                    data.append(relative_path(vector["pathOrInlineDv"]))
    entry = f"_delta_log/{record.version:020d}"
    names = [*dict.fromkeys(data), f"{entry}.crc", f"{entry}.json"]
    checksums = [str(Path(name).with_name(f".{Path(name).name}.crc")) for name in names]
    return [n for n in (*checksums, *names) if (table / n).exists()]


def uncontended(schedule: Sequence[Step], name: str) -> bool:
    """True if no other transaction commits between a transaction's begin and its commit."""
    steps = [step for step in schedule if step.action == "commit" or step.transaction == name]
    places = [place for place, step in enumerate(steps) if step.transaction == name]
    return len(places) == 2 and places[1] == places[0] + 1
