"""The reader of a table's commit files: one file of the log as a commit, whatever is in it."""

from __future__ import annotations

from collections.abc import Iterator

from checker.logs.actions import LoggedCommit
from checker.logs.commit_text import LONGEST_LINE, read_commit, read_lines
from conformance.delta_log.stores import Store, UnreadableStore

LARGEST_WHOLE = 64 << 20
"""Bytes of the largest commit file that is read at once; larger ones are read in parts."""


CommitFile = tuple[int, str, int]
"""A version, the name of its file in the log, and the bytes in it."""


class CommitFiles:
    """The commits of one table."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, file: CommitFile) -> LoggedCommit:
        """One commit."""
        return self.commit(file, self.content(file))

    def content(self, file: CommitFile) -> bytes | str | None:
        """The bytes of a file, or why it cannot be read; None if it is to be read in parts."""
        _, name, size = file
        if size > LARGEST_WHOLE:
            return None
        try:
            return self._store.read(f"_delta_log/{name}")
        except UnreadableStore as error:
            return f"{name} cannot be read: {error}"

    def commit(self, file: CommitFile, content: bytes | str | None) -> LoggedCommit:
        """The commit in a file with the content that :meth:`content` gave."""
        version, name, _ = file
        if isinstance(content, str):
            return LoggedCommit(version, problems=[content])
        if content is None:
            commit = LoggedCommit(version)
            try:
                read_lines(commit, self._lines(f"_delta_log/{name}"))
            except UnreadableStore as error:
                commit.problems.append(str(error))
        else:
            commit = read_commit(version, content)
        for data in (*commit.adds, *commit.removes):
            if ".." in data.path and ".." in data.path.split("/"):
                commit.problems.append(f"{data.path!r} leads out of the table's folder")
        return commit

    def _lines(self, path: str) -> Iterator[bytes]:
        """The lines of a large file, read in parts; one that is too long is cut."""
        start, rest = 0, b""
        while part := self._store.read(path, start, LARGEST_WHOLE):
            start += len(part)
            *lines, tail = part.split(b"\n")
            if lines:
                yield rest + lines[0]
                yield from lines[1:]
                rest = tail
            elif len(rest) <= LONGEST_LINE:
                rest += tail
        yield rest
