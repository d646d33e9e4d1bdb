"""The search for commits that do not fit the table that they change.

Each check looks at one commit and at the state before it. Sources: the Delta transaction log
protocol ("Action Reconciliation", "Row Tracking", "Identity Columns", "Transaction Identifiers",
"In-Commit Timestamps").
"""

from __future__ import annotations

import json
from bisect import bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from checker.logs.actions import FileKey, LoggedCommit, LoggedFile, TableState
from checker.logs.findings import Finding
from checker.logs.reads.file_facts import Columns, Facts


@dataclass(frozen=True, slots=True)
class Clash:
    """Two commits that both removed one file: the later one removed a file that was already gone.

    ``live`` are the files of the table after the second one; None if they are many.
    """

    first: LoggedCommit
    second: LoggedCommit
    files: tuple[LoggedFile, ...]
    live: tuple[LoggedFile, ...] | None = None

    @property
    def rewrote(self) -> bool:
        """True if both wrote new files in place of what they removed."""
        return bool(self.first.adds and self.second.adds)


@dataclass
class Structure:
    """The checks, and what they remember of the versions before.

    ``removed_by`` has the last commit that removed a file that is not live now, ``_was`` the file
    as it was then: a ``remove`` says less than an ``add``.
    """

    removed_by: dict[FileKey, LoggedCommit] = field(default_factory=dict)
    clashes: list[Clash] = field(default_factory=list)
    _live: dict[str, tuple[FileKey, int | None]] = field(default_factory=dict)
    _was: dict[FileKey, LoggedFile] = field(default_factory=dict)
    _row_ids: list[tuple[int, int, str, int]] = field(default_factory=list)
    _last_time: tuple[int, int] | None = None

    def start(self, state: TableState) -> None:
        """Continues from a state, such as a checkpoint's, after versions that are not known."""
        self._live = {key[0]: (key, None) for key in state.live}
        self._last_time = None

    def check(self, commit: LoggedCommit, before: TableState) -> Iterator[Finding]:
        """The findings about one commit, given the state that it was applied to."""
        version = commit.version
        for problem in commit.problems:
            yield Finding("damaged-commit", (version,), f"version {version}: {problem}")
        yield from self._read_version(commit)
        yield from self._removes(commit, before)
        yield from self._adds(commit)
        yield from self._row_tracking(commit)
        yield from _identity(commit, before)
        yield from _applications(commit, before)
        yield from self._times(commit, before)

    def _read_version(self, commit: LoggedCommit) -> Iterator[Finding]:
        read, version = commit.read_version, commit.version
        if read is not None and not -1 <= read < version:
            yield Finding(
                "impossible-read-version",
                (version,),
                f"version {version} says that it read version {read}, "
                + ("which is not a version" if read < -1 else "which came no earlier than itself"),
            )

    def _removes(self, commit: LoggedCommit, before: TableState) -> Iterator[Finding]:
        version, live = commit.version, before.live
        gone: dict[int | None, list[LoggedFile]] = {}
        seen: set[FileKey] = set()
        for removed in commit.removes:
            key = removed.key
            if key in seen:
                yield Finding(
                    "removed-not-live",
                    (version,),
                    f"version {version} removes {removed.path} twice",
                    files=(removed.path,),
                )
                continue
            seen.add(key)
            if key in live:
                self._was[key] = live[key]
            else:
                earlier = self.removed_by.get(key)
                if earlier is None and not before.complete:
                    continue
                was = self._was.get(key, removed)
                gone.setdefault(earlier.version if earlier else None, []).append(was)
        for first, files in gone.items():
            yield self._gone(commit, first, tuple(files), _after(commit, before))
        if seen:
            # The other fields of the commit would fill the memory.
            kept = replace(commit, info={"operation": commit.operation}, metadata=None)
            self.removed_by.update(dict.fromkeys(seen, kept))

    def _gone(
        self,
        commit: LoggedCommit,
        first: int | None,
        files: tuple[LoggedFile, ...],
        live: tuple[LoggedFile, ...] | None,
    ) -> Finding:
        version = commit.version
        paths = tuple(file.path for file in files)
        if first is None:
            return Finding(
                "removed-not-live",
                (version,),
                f"version {version} ({commit.operation}) removes {_some(paths)}, "
                "which no version before it has added",
                files=paths,
            )
        clash = Clash(self.removed_by[files[0].key], commit, files, live)
        self.clashes.append(clash)
        operations = f"version {first} ({clash.first.operation})"
        if clash.rewrote:
            return Finding(
                "rewritten-twice",
                (first, version),
                f"{operations} and version {version} ({commit.operation}) both rewrite "
                f"{_some(paths)}: rows that both kept are there twice, and what one of them "
                "changed or deleted is undone by the other",
                files=paths,
            )
        return Finding(
            "removed-not-live",
            (first, version),
            f"version {version} ({commit.operation}) removes {_some(paths)}, which {operations} "
            "had removed already"
            + (": its rows live on in the files that replaced it" if clash.first.adds else ""),
            files=paths,
        )

    def _adds(self, commit: LoggedCommit) -> Iterator[Finding]:
        version = commit.version
        for removed in commit.removes:
            if self._live.get(removed.path, (None,))[0] == removed.key:
                del self._live[removed.path]
        seen: set[str] = set()
        for added in commit.adds:
            path = added.path
            if path in seen:
                yield Finding(
                    "file-added-twice",
                    (version,),
                    f"version {version} adds {path} twice",
                    files=(path,),
                )
            elif path in self._live:
                key, earlier = self._live[path]
                # A file that is added again unchanged only gets new statistics or tags.
                if key != added.key or added.data_change:
                    yield Finding(
                        "file-added-twice",
                        (*(() if earlier is None else (earlier,)), version),
                        f"version {version} ({commit.operation}) adds {path}, which is in the "
                        "table already" + ("" if earlier is None else f", since version {earlier}"),
                        files=(path,),
                    )
            seen.add(path)
            yield from self._vector(commit, added)
            self.removed_by.pop(added.key, None)
            self._live[path] = added.key, version

    def _vector(self, commit: LoggedCommit, added: LoggedFile) -> Iterator[Finding]:
        """A deletion vector that holds more than its file, or less than the one it replaces."""
        version, vector = commit.version, added.vector
        count = Facts(added, Columns()).rows if vector is not None else None
        if vector is not None and count is not None and vector["cardinality"] > count:
            yield Finding(
                "deletion-vector",
                (version,),
                f"version {version}: the deletion vector of {added.path} has "
                f"{vector['cardinality']} rows, the file {count}",
                files=(added.path,),
            )
        if commit.operation == "RESTORE":
            return
        for removed in commit.removes:
            if removed.path != added.path or removed.vector is None or not added.data_change:
                continue
            left = vector["cardinality"] if vector else 0
            if left < removed.vector["cardinality"]:
                yield Finding(
                    "deletion-vector",
                    (version,),
                    f"version {version} ({commit.operation}) adds {added.path} with {left} "
                    f"deleted rows, where {removed.vector['cardinality']} were deleted before: "
                    "deletions are lost",
                    files=(added.path,),
                )

    def _row_tracking(self, commit: LoggedCommit) -> Iterator[Finding]:
        """Numbers of rows that two files have. A path that is added again keeps its numbers."""
        for added in commit.adds:
            count = Facts(added, Columns()).rows if added.base_row_id is not None else None
            if added.base_row_id is None or not count:
                continue
            first, last = added.base_row_id, added.base_row_id + count - 1
            place = bisect_right(self._row_ids, (first, last, "", -1))
            for low, high, path, version in self._row_ids[max(0, place - 1) : place + 1]:
                if path != added.path and low <= last and first <= high:
                    yield Finding(
                        "row-id-twice",
                        tuple(sorted({version, commit.version})),
                        f"row ids {max(low, first)} to {min(high, last)} belong to {path} "
                        f"(version {version}) and to {added.path} (version {commit.version})",
                        files=(path, added.path),
                    )
            insort(self._row_ids, (first, last, added.path, commit.version))

    def _times(self, commit: LoggedCommit, before: TableState) -> Iterator[Finding]:
        """In-commit timestamps have to rise; other times are those of each writer's clock."""
        if before.configuration.get("delta.enableInCommitTimestamps") != "true":
            self._last_time = None
        time = commit.info.get("inCommitTimestamp")
        if not isinstance(time, int):
            return
        last, self._last_time = self._last_time, (commit.version, time)
        if last is not None and last[1] >= time:
            yield Finding(
                "damaged-commit",
                (last[0], commit.version),
                f"the in-commit timestamp of version {commit.version} ({time}) is not later "
                f"than that of version {last[0]} ({last[1]})",
            )


MOST_LIVE = 200
"""Files of the largest table whose rows after a clash are looked at."""


def _after(commit: LoggedCommit, before: TableState) -> tuple[LoggedFile, ...] | None:
    """The live files after a commit; None if they are many, or not all known."""
    if len(before.live) > MOST_LIVE or not before.complete:
        return None
    gone = {file.key for file in commit.removes}
    return (*(file for key, file in before.live.items() if key not in gone), *commit.adds)


def _identity(commit: LoggedCommit, before: TableState) -> Iterator[Finding]:
    """Identity values that were given out before: they lie below the high-water mark."""
    if before.metadata is None or "delta.identity." not in before.metadata["schemaString"]:
        return
    version = commit.version
    marks = _marks(before.metadata["schemaString"])
    if commit.metadata is not None and commit.operation != "RESTORE":
        now = _marks(commit.metadata["schemaString"])
        for name, (mark, step, _) in marks.items():
            if name in now and (now[name][0] - mark) * step < 0:
                yield Finding(
                    "identity-twice",
                    (version,),
                    f"version {version} takes the high-water mark of the identity column {name} "
                    f"back from {mark} to {now[name][0]}: values will be given out twice",
                )
    if commit.removes:
        return
    columns = Columns.of(before.metadata)
    for added in commit.adds:
        for name, (mark, step, explicit) in marks.items():
            bounds = Facts(added, columns).bounds(name.lower())
            if explicit or bounds is None or bounds[0] is None:
                continue
            first = bounds[0] if step > 0 else bounds[1]
            if (first - mark) * step <= 0:
                yield Finding(
                    "identity-twice",
                    (version,),
                    f"version {version} adds the value {first} of the identity column {name}, "
                    f"which had been given out up to {mark} before",
                    files=(added.path,),
                )


def _marks(schema: str) -> dict[str, tuple[int, int, bool]]:
    """The identity columns: high-water mark, step, and whether values may be given by hand."""
    marks = {}
    for column in json.loads(schema)["fields"]:
        options = column.get("metadata")
        options = options if isinstance(options, dict) else {}
        mark, step = (options.get(f"delta.identity.{name}") for name in ("highWaterMark", "step"))
        if isinstance(mark, int) and isinstance(step, int):
            explicit = options.get("delta.identity.allowExplicitInsert") is True
            marks[column["name"]] = mark, step, explicit
    return marks


def _applications(commit: LoggedCommit, before: TableState) -> Iterator[Finding]:
    for application, number in commit.transactions.items():
        last = before.transactions.get(application)
        if last is not None and number <= last:
            again = "again" if number == last else f"after {last}"
            yield Finding(
                "application-transaction-order",
                (commit.version,),
                f"version {commit.version} records transaction {number} of application "
                f"{application} {again}",
            )


def _some(paths: tuple[str, ...]) -> str:
    """The first paths, and the number of the others."""
    shown = ", ".join(paths[:3])
    return shown if len(paths) <= 3 else f"{shown} and {len(paths) - 3} more files"
