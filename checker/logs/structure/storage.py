"""The comparison of the files that a log names with those that storage has."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from checker.logs.actions import TableState
from checker.logs.findings import Finding
from checker.logs.source import Rows, Storage

SHOWN = 100
"""Findings of one kind that are listed one by one; the others are counted."""


MOST_OPENED = 1000
"""Files that no commit names which are opened to see whether they have rows."""


def on_storage(
    state: TableState, named: set[str] | None, storage: Storage, rows: Rows | None
) -> Iterator[Finding]:
    """Files that are live and missing, files that no commit names, bad deletion vectors.

    ``named`` are the paths that any commit names; None if the log is not there from its beginning,
    since a file can then be one that a commit of old removed.
    """
    missing = [
        file
        for file in state.live.values()
        if inside(file.path) and unquote(file.path) not in storage.files
    ]
    for file in missing[:SHOWN]:
        yield Finding(
            "missing-file",
            (state.version,),
            f"version {state.version} needs {file.path}, which storage does not have",
            files=(file.path,),
        )
    if len(missing) > SHOWN:
        yield Finding(
            "missing-file",
            (state.version,),
            f"{len(missing) - SHOWN} more files of version {state.version} are missing",
        )
    if named is not None and state.complete:
        named_files = {unquote(path) for path in named}
        orphans = sorted(path for path in storage.files if path not in named_files and _data(path))
        # Delta on Spark leaves a file without rows behind when it deletes every row of another.
        if rows is not None and len(orphans) <= MOST_OPENED:
            orphans = [path for path in orphans if not rows.is_empty(path)]
        for path in orphans[:SHOWN]:
            yield Finding(
                "orphan-file",
                (),
                f"no commit names {path}: a transaction that did not commit left it, or the "
                "commit was overwritten",
                files=(path,),
            )
        if len(orphans) > SHOWN:
            yield Finding(
                "orphan-file", (), f"{len(orphans) - SHOWN} more files that no commit names"
            )
    if rows is not None:
        yield from _vectors(state, rows)


def _vectors(state: TableState, rows: Rows) -> Iterator[Finding]:
    for file in state.live.values():
        if file.vector is not None and (problem := rows.vector_problem(file)):
            yield Finding(
                "deletion-vector",
                (state.version,),
                f"the deletion vector of {file.path} cannot be applied: {problem}",
                files=(file.path,),
            )


def inside(path: str) -> bool:
    """True if a path of the log leads to a place inside of the table's folder."""
    parts = unquote(path).split("/")
    absolute = path.startswith("/") or ":" in parts[0]
    return bool(path) and not absolute and ".." not in parts


def _data(path: str) -> bool:
    """True if a file of the folder counts as a data file: hidden folders and vectors do not.

    A folder of a partition may begin with an underscore, for it has a ``=``.
    """
    parts = path.split("/")
    hidden = any(part[:1] in ("_", ".") and "=" not in part for part in parts)
    return not hidden and parts[-1].endswith(".parquet")
