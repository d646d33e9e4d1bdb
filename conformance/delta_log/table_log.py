"""The log of an existing table as a source for audits: versions, checkpoints, checksums, files."""

from __future__ import annotations

import json
import re
import struct
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

from checker.logs.actions import LoggedCommit, LoggedFile, TableState
from checker.logs.commit_text import encodable, read_commit
from checker.logs.findings import Finding
from checker.logs.source import Jump, Storage
from checker.logs.structure.storage import inside
from conformance.delta_log.checkpoint_files import (
    UnreadableCheckpoint,
    checkpoints,
    read_checkpoint,
)
from conformance.delta_log.commit_files import CommitFile, CommitFiles
from conformance.delta_log.deletion_vectors import UnreadableVector, deleted_rows
from conformance.delta_log.log_reader import LogReader, Schema, UnreadableTable
from conformance.delta_log.stores import Store, UnreadableStore
from conformance.engine import AddedFile

READ_AHEAD = 64
READERS = 8
"""Commits that are read ahead, and the threads that do it: stores answer slowly, each alone."""

LARGEST_DATA_FILE = 64 << 20
"""Bytes of the largest data file whose rows are looked at."""

_DAMAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)
"""The errors that readers of data files and deletion vectors raise for damaged ones."""

_COMMIT = re.compile(r"\d+\.json")
_COMPACTED = re.compile(r"(\d{20})\.(\d{20})\.compacted\.json")


class NoLog(Exception):
    """There is no Delta log at a location, or none that a table could be made of."""


class TableLog:
    """The log of one table. Reads the names in its folder once; nothing is ever written.

    Raises NoLog, and UnreadableStore if the location cannot be read.
    """

    def __init__(self, store: Store):
        self._store = store
        self._reader = CommitFiles(store)
        listing = store.listing("_delta_log")
        self._sizes = {
            path.removeprefix("_delta_log/"): size
            for path, size in listing.items()
            if path.count("/") == 1
        }
        self._staged = [p for p in listing if p.startswith("_delta_log/_staged_commits/")]
        self._versions: dict[int, str] = {}
        self._findings: list[Finding] = []
        for name in sorted(self._sizes):
            if _COMMIT.fullmatch(name):
                self._commit_name(name)
        self._checkpoints = checkpoints(list(self._sizes))
        if not self._versions and not self._checkpoints:
            raise NoLog(f"{store.location}: there is no Delta log here (_delta_log has no commit)")
        self._notes: list[str] = []
        self._read: dict[int, TableState | Finding] = {}

    def _commit_name(self, name: str) -> None:
        version = int(name.removesuffix(".json"))
        if version in self._versions:
            self._findings.append(
                Finding(
                    "damaged-commit",
                    (version,),
                    f"there are two files for version {version}: {self._versions[version]} and "
                    f"{name}",
                )
            )
            if len(name) != 25:
                return
        elif len(name) != 25:
            self._findings.append(
                Finding(
                    "damaged-commit",
                    (version,),
                    f"{name} is not named as a commit is: twenty digits are expected",
                )
            )
        self._versions[version] = name

    @property
    def last(self) -> int:
        """The last version that there is a commit or a checkpoint of."""
        return max((*self._versions, *self._checkpoints))

    @property
    def location(self) -> str:
        """The table, as the person named it."""
        return self._store.location

    def entries(self, since: int) -> Iterator[Jump | LoggedCommit]:
        """The versions in order, from the checkpoint next before ``since`` on."""
        versions = sorted(self._versions)
        after = self._start(since, versions)
        if isinstance(after, Jump):
            yield after
            after = after.version
        names = [
            (v, self._versions[v], self._sizes[self._versions[v]]) for v in versions if v > after
        ]
        for commit in self._commits(names):
            if commit.version != after + 1:
                yield self._gap(after, commit.version)
            yield commit
            after = commit.version

    def _commits(self, files: list[CommitFile]) -> Iterator[LoggedCommit]:
        """The commits in some files of the log, in order; some are read ahead."""
        reader = self._reader
        if len(files) < READ_AHEAD:
            yield from (reader.read(file) for file in files)
            return
        with ThreadPoolExecutor(READERS) as readers:
            pending = deque(readers.submit(reader.content, file) for file in files[:READ_AHEAD])
            try:
                for place, file in enumerate(files):
                    content = pending.popleft().result()
                    if place + READ_AHEAD < len(files):
                        pending.append(readers.submit(reader.content, files[place + READ_AHEAD]))
                    yield reader.commit(file, content)
            finally:
                readers.shutdown(wait=False, cancel_futures=True)

    def _start(self, since: int, versions: list[int]) -> Jump | int:
        """The start of reading: -1 for a log that is whole, else a state to go on from."""
        usable = sorted((v for v in self._checkpoints if v < since), reverse=True)
        for version in usable:
            state = self._state(version)
            if isinstance(state, TableState) and self._follow(version, versions):
                return Jump(version, state)
        if versions and versions[0] == 0:
            return -1
        first = versions[0] if versions else None
        for version in sorted(self._checkpoints):
            state = self._state(version)
            if isinstance(state, TableState):
                if first is not None and version + 1 < first:
                    continue
                self._notes.append(
                    f"the log begins at version {version}: what was before is not there"
                )
                return Jump(version, state)
        unreadable = [f for f in (self._state(v) for v in self._checkpoints) if f is not None]
        reason = (
            unreadable[0].because
            if unreadable and isinstance(unreadable[0], Finding)
            else "there is no checkpoint"
        )
        if first is None:
            raise NoLog(f"{self.location}: the log has no commits, and {reason}")
        self._findings.append(
            Finding(
                "version-gap",
                tuple(sorted({0, first - 1})),
                f"versions 0 to {first - 1} are missing, and {reason}",
            )
        )
        return Jump(first - 1, None, f"versions 0 to {first - 1} are missing")

    def _follow(self, version: int, versions: list[int]) -> bool:
        """True if commits go on from a version without a gap, as far as there are any."""
        return version + 1 in self._versions or not versions or versions[-1] <= version

    def _gap(self, after: int, version: int) -> Jump:
        """Continues after a gap, from a checkpoint or the sum of missing commits if possible."""
        words = (
            f"version {after + 1} is missing"
            if version == after + 2
            else f"versions {after + 1} to {version - 1} are missing"
        )
        self._findings.append(
            Finding("version-gap", tuple(sorted({after + 1, version - 1})), f"{words} in the log")
        )
        state = self._state(version - 1)
        if isinstance(state, TableState):
            return Jump(version - 1, state, words)
        compacted = f"{after + 1:020d}.{version - 1:020d}.compacted.json"
        if compacted in self._sizes:
            try:
                content = self._store.read(f"_delta_log/{compacted}")
            except UnreadableStore as error:
                self._notes.append(str(error))
            else:
                summed = read_commit(version - 1, content)
                return Jump(version - 1, None, f"{words}, and there in sum only", summed)
        return Jump(version - 1, None, words)

    def _state(self, version: int) -> TableState | Finding | None:
        if version not in self._checkpoints:
            return None
        if version not in self._read:
            self._read[version] = self._read_checkpoint(version, whole=True)
        return self._read[version]

    def _read_checkpoint(self, version: int, *, whole: bool) -> TableState | Finding:
        problem = ""
        for files in self._checkpoints[version]:
            try:
                return read_checkpoint(self._store, version, files, whole=whole)
            except UnreadableCheckpoint as error:
                problem = str(error)
        return Finding(
            "contradicting-checkpoint",
            (version,),
            f"the checkpoint of version {version} cannot be read: {problem}",
        )

    def checkpoint(self, version: int) -> TableState | Finding | None:
        """The checkpoint of a version; a finding if it cannot be read, None if there is none."""
        if version not in self._checkpoints:
            return None
        return self._read.pop(version, None) or self._read_checkpoint(version, whole=False)

    def checksum(self, version: int) -> Mapping[str, Any] | Finding | None:
        """The checksum file of a version; likewise."""
        name = f"{version:020d}.crc"
        if name not in self._sizes:
            return None
        try:
            text = self._store.read(f"_delta_log/{name}")
            content = json.loads(text)
        except (UnreadableStore, ValueError, RecursionError) as error:
            reason = str(error).partition(" (char")[0][:80]
            return self._bad_checksum(version, f"cannot be read: {reason}")
        if not isinstance(content, dict):
            return self._bad_checksum(version, "is not an object")
        if not encodable(text, content):
            return self._bad_checksum(version, "has text that is not Unicode")
        return content

    def _bad_checksum(self, version: int, words: str) -> Finding:
        because = f"the checksum of version {version} {words}"
        return Finding("contradicting-checksum", (version,), because)

    def listing_findings(self) -> Sequence[Finding]:
        """Findings about the names in the log's folder."""
        findings = list(self._findings)
        pointer = self._pointer()
        if isinstance(pointer, str):
            findings.append(Finding("contradicting-checkpoint", (), pointer))
        elif pointer is not None and pointer not in self._checkpoints:
            findings.append(
                Finding(
                    "contradicting-checkpoint",
                    (pointer,),
                    f"_last_checkpoint names version {pointer}, which has no complete checkpoint",
                )
            )
        return findings

    def _pointer(self) -> int | str | None:
        """The version that ``_last_checkpoint`` names; text says why it cannot be read."""
        if "_last_checkpoint" not in self._sizes:
            return None
        try:
            content = json.loads(self._store.read("_delta_log/_last_checkpoint"))
        except (UnreadableStore, ValueError, RecursionError):
            return "_last_checkpoint cannot be read as JSON"
        version = content.get("version") if isinstance(content, dict) else None
        if not isinstance(version, int):
            return "_last_checkpoint names no version"
        return version

    def notes(self) -> Sequence[str]:
        """The parts that could not be read or are not understood, in words."""
        notes = list(self._notes)
        if self._staged:
            notes.append(
                f"{len(self._staged)} commits are staged and not published: they were not read"
            )
        if compacted := [name for name in self._sizes if _COMPACTED.fullmatch(name)]:
            notes.append(
                f"{len(compacted)} compacted logs are there: used only where commits are missing"
            )
        return notes

    def storage(self) -> Storage | None:
        """The data files beside the log."""
        return Storage(self._data_files)

    @cached_property
    def _data_files(self) -> Mapping[str, int]:
        listing = self._store.listing("")
        return {p: size for p, size in listing.items() if not p.startswith("_delta_log/")}


class DataFiles:
    """The rows of a local table's data files, for an audit that looks into them."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._reader = LogReader(folder, may_be_absent=True)

    def rows(self, file: LoggedFile, metadata: Mapping[str, Any]) -> Sequence[object] | None:
        """The rows of one file without deleted ones; None if they are not available."""
        import pyarrow

        if not inside(file.path) or (file.size or 0) > LARGEST_DATA_FILE:
            return None
        added = AddedFile(
            file.path, file.partition, file.size or 0, file.data_change, None, file.vector
        )
        try:
            return list(self._reader.rows_of(added, Schema.of(metadata)))
        except (UnreadableTable, UnreadableVector, pyarrow.ArrowException, *_DAMAGE):
            return None  # Rows only make a finding clearer; damage is reported elsewhere.

    def is_empty(self, path: str) -> bool:
        """True if a file of the table's folder is a Parquet file without rows."""
        import pyarrow
        import pyarrow.parquet as parquet

        try:
            with parquet.ParquetFile(self._folder / path) as file:
                return bool(file.metadata.num_rows == 0)
        except (pyarrow.ArrowException, *_DAMAGE):
            return False

    def vector_problem(self, file: LoggedFile) -> str | None:
        """The reason why the deletion vector of a file cannot be applied; None if it can."""
        vector = file.vector
        if vector is None:
            return None
        place = str(vector["pathOrInlineDv"])
        outside = vector["storageType"] == "u" and not inside(place[:-20] or "here")
        if vector["storageType"] == "p" or outside:
            return None  # Outside of the table's folder: not looked at.
        try:
            rows = deleted_rows(vector, self._folder)
        except FileNotFoundError:
            return "its file is missing"
        except (UnreadableVector, *_DAMAGE) as error:
            return f"it is damaged ({' '.join(str(error).split())[:80]})"
        count = _records(file)
        if count is not None and rows and max(rows) >= count:
            return f"it deletes row {max(rows)} of a file with {count} rows"
        return None


def _records(file: LoggedFile) -> int | None:
    from checker.logs.reads.file_facts import statistics

    count = statistics(file).get("numRecords")
    return count if isinstance(count, int) else None
