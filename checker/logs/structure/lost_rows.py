"""The rows that come twice, or come back, when two commits both remove one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from checker.judging.explanation import row as row_in_words
from checker.logs.actions import LoggedFile
from checker.logs.findings import Finding, Kind
from checker.logs.overlap.traces import Trace
from checker.logs.reads.file_facts import row_count
from checker.logs.source import Rows
from checker.logs.structure.commits import Clash
from model.levels import DELTA_LEVELS

SHOWN = 5
"""Rows that are written out in one finding."""


def clash_findings(
    clash: Clash, traces: Sequence[Trace], rows: Rows | None, metadata: Mapping[str, Any] | None
) -> tuple[Finding, Finding | None]:
    """The finding about a clash, with the rows concerned, and the violation if it is one.

    It is a violation of both levels if the removed files have rows: the later commit read them as
    the earlier one found them, and wrote after it. It is not one if the later commit says that
    it had seen the earlier one: then its writer is at fault, not the order of transactions.
    """
    first, second = clash.first, clash.second
    paths = tuple(file.path for file in clash.files)
    kind: Kind = "rewritten-twice" if clash.rewrote else "removed-not-live"
    affected = _rows(clash, rows, metadata) if rows is not None and metadata is not None else ""
    words = (
        f"version {first.version} ({first.operation}) and version {second.version} "
        f"({second.operation}) both remove {_some(paths)}"
    )
    if affected:
        words += f": {affected}"
    elif clash.rewrote:
        words += ": rows that both kept are there twice, rows that one of them deleted are back"
    elif first.adds:
        words += f": its rows live on in the files that version {first.version} put in its place"
    finding = Finding(kind, (first.version, second.version), words, files=paths)
    read = second.read_version
    saw = read is not None and read >= first.version
    if saw or not any(_has_rows(file, rows, metadata) for file in clash.files):
        return finding, None
    because = (
        f"{' and '.join(DELTA_LEVELS)} violated: version {second.version} ({second.operation}) "
        f"read {paths[0]} before version {first.version} ({first.operation}) removed it, and "
        f"removed it again after version {first.version}"
    )
    return finding, Finding(
        "level-violation",
        (first.version, second.version),
        because,
        files=paths,
        levels=tuple(DELTA_LEVELS),
    )


def _has_rows(file: LoggedFile, rows: Rows | None, metadata: Mapping[str, Any] | None) -> bool:
    count = row_count(file)
    if count is None and rows is not None and metadata is not None:
        there = rows.rows(file, metadata)
        return bool(there)
    return bool(count)


def _rows(clash: Clash, rows: Rows, metadata: Mapping[str, Any]) -> str:
    """The rows of the removed files that are there twice, or again, because of the clash."""
    origin = _counted(clash.files, rows, metadata)
    one = _counted(clash.first.adds, rows, metadata)
    other = _counted(clash.second.adds, rows, metadata)
    if origin is None or one is None or other is None:
        return ""
    kept = origin & one & other
    again = (origin & (one | other)) - kept
    present = None if clash.live is None else _counted(clash.live, rows, metadata)
    if present is None:
        return _told((kept, "written twice"), (again, _AGAIN))
    twice = Counter({row: count for row, count in kept.items() if present[row] > origin[row]})
    return _told(
        (twice, f"there twice after version {clash.second.version}"),
        ((kept - twice) & present, "there again, although a commit in between removed a copy"),
        (again & present, _AGAIN),
    )


_AGAIN = "there again, although one of the two had deleted or changed it"


def _told(*parts: tuple[Counter[Any], str]) -> str:
    return "; ".join(f"{_written(some)} {words}" for some, words in parts if some)


def _counted(
    files: Sequence[LoggedFile], rows: Rows, metadata: Mapping[str, Any]
) -> Counter[Any] | None:
    counted: Counter[Any] = Counter()
    for file in files:
        there = rows.rows(file, metadata)
        if there is None:
            return None
        counted.update(there)
    return counted


def _written(some: Counter[Any]) -> str:
    listed = sorted(map(row_in_words, some.elements()))
    verb = "is" if len(listed) == 1 else "are"
    shown = ", ".join(listed[:SHOWN])
    more = f" and {len(listed) - SHOWN} more rows" if len(listed) > SHOWN else ""
    return f"{shown}{more} {verb}"


def _some(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:3])
    return shown if len(paths) <= 3 else f"{shown} and {len(paths) - 3} more files"
