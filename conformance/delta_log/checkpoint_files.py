"""The reader of checkpoints: classic ones in one or several parts, and V2 ones with sidecars.

Source: the Delta transaction log protocol, "Checkpoints". A row of a checkpoint is one action.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from checker.logs.actions import LoggedCommit, TableState
from checker.logs.commit_text import read_action, read_lines
from conformance.delta_log.stores import Store, UnreadableStore

_NAME = re.compile(
    r"(?P<version>\d{20})\.checkpoint"
    r"(\.(?P<part>\d{10})\.(?P<parts>\d{10})|\.(?P<uuid>[0-9A-Za-z-]{8,}))?"
    r"\.(?P<kind>parquet|json)"
)
_NEEDED = ("add", "metaData", "protocol", "txn", "domainMetadata", "sidecar")
_COMPARED = ("add.path", "add.deletionVector", *_NEEDED[1:])
"""The columns of a state that is gone on from, and of one that is only compared with the log."""


class UnreadableCheckpoint(Exception):
    """A checkpoint cannot be read; the text says why."""


def checkpoints(names: Sequence[str]) -> dict[int, list[tuple[str, ...]]]:
    """The checkpoints among the names of a log's folder: for each version, sets of files.

    Sets of parts that are not complete are left out.
    """
    complete: dict[int, list[tuple[str, ...]]] = {}
    parts: dict[tuple[int, int], list[str]] = {}
    for name in sorted(names):
        match = _NAME.fullmatch(name)
        if match is None:
            continue
        version = int(match["version"])
        if match["part"] is None:
            complete.setdefault(version, []).append((name,))
        else:
            parts.setdefault((version, int(match["parts"])), []).append(name)
    for (version, count), files in parts.items():
        if len(files) == count:
            complete.setdefault(version, []).append(tuple(files))
    return complete


def read_checkpoint(
    store: Store, version: int, files: Sequence[str], *, whole: bool = True
) -> TableState:
    """The state that a checkpoint holds. Raises UnreadableCheckpoint.

    Unless ``whole``, files have their paths and deletion vectors alone.
    """
    columns = _NEEDED if whole else _COMPARED
    collected = LoggedCommit(version)
    for name in files:
        sidecars = _read(store, f"_delta_log/{name}", columns, collected)
        for sidecar in sidecars:
            path = sidecar if "/" in sidecar else f"_delta_log/_sidecars/{sidecar}"
            if ".." in path.split("/") or path.startswith("/"):
                raise UnreadableCheckpoint(f"{name} names a file outside of the table: {sidecar}")
            _read(store, path, columns, collected)
    if collected.problems:
        raise UnreadableCheckpoint(f"{files[0]}: {collected.problems[0]}")
    if collected.metadata is None or collected.protocol is None:
        raise UnreadableCheckpoint(f"{files[0]} has no metadata or no protocol")
    state = TableState()
    state.apply(collected)
    return state


def _read(store: Store, path: str, columns: Sequence[str], into: LoggedCommit) -> list[str]:
    """Adds the actions of one file; returns the sidecars that it names."""
    try:
        content = store.read(path)
    except UnreadableStore as error:
        raise UnreadableCheckpoint(str(error)) from error
    sidecars: list[str] = []
    if path.endswith(".json"):
        lines = content.split(b"\n")
        read_lines(into, lines)
        actions: Iterator[dict[str, Any]] = _json(lines)
    else:
        actions = _parquet(content, path, columns, into)
    for action in actions:
        sidecar = action.get("sidecar")
        if isinstance(sidecar, dict) and isinstance(sidecar.get("path"), str):
            sidecars.append(sidecar["path"])
    return sidecars


def _json(lines: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    import json

    for line in lines:
        if b'"sidecar"' in line:
            try:
                action = json.loads(line)
            except (ValueError, RecursionError):
                continue  # Reported by read_lines.
            if isinstance(action, dict):
                yield action


def _parquet(
    content: bytes, path: str, columns: Sequence[str], into: LoggedCommit
) -> Iterator[dict[str, Any]]:
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(io.BytesIO(content)) as file:
            there = set(file.schema_arrow.names)
            present = [name for name in columns if name.partition(".")[0] in there]
            for batch in file.iter_batches(columns=present):
                for name in batch.schema.names:
                    # A row has one action: its other columns are NULL.
                    for value in batch.column(name).drop_null().to_pylist(maps_as_pydicts="lossy"):
                        if plain := _plain(value):
                            action = {name: plain}
                            read_action(into, action, path.rpartition("/")[2])
                            yield action
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:120]
        raise UnreadableCheckpoint(f"{path} is not a Parquet file of actions: {reason}") from error


def _plain(value: Any) -> Any:
    """A structure without what is NULL, as the log's JSON leaves it out."""
    if isinstance(value, dict):
        plain = {
            name: inner if name == "partitionValues" else _plain(inner)
            for name, inner in value.items()
            if inner is not None
        }
        # Some writers have structures of NULLs in the place of NULL.
        return {name: inner for name, inner in plain.items() if inner != {}}
    return value
