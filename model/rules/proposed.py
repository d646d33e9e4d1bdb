"""Conflict rules that are proposed for Delta on Spark: row-level concurrency without row tracking.

The proposals are public (delta-io/delta, issue 7360 and those that it lists). Each turns a conflict
into a commit where the outcome of the later transaction can be reconstructed:

- *skipping* (7358; 7466 looks at rows as well): a file that a winner added does not count where it
  cannot hold a row that the attempt reads;
- *union* (7359): both took rows out of one file by deletion vectors, and not the same rows;
- *moved* (7407): a compaction moved the rows that the attempt takes out, or the other way round;
- *unchanged* (7331): what a compaction added does not count for a transaction that only adds files.

Where the texts leave a choice there are two readings, as for the documents. :class:`Proposal` has
the choices, and the rules and the new footprint of a transaction that passes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from model.expressions import syntax as expressions
from model.expressions.evaluation import matcher
from model.history import RowId
from model.physical.files import DataFile, StoredRow
from model.physical.footprint import Footprint, ReadPredicate
from model.physical.log import Commit, Snapshot
from model.physical.skipping import scan
from model.rules import delta_spark
from model.rules.base import Attempt, Rule

RowVersion = tuple[RowId, str]
"""A row version: the row, and the transaction that wrote this version."""

DML = frozenset({"DELETE", "UPDATE", "MERGE"})
"""The operations that the texts call DML."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Where the rows are that an attempt takes out by deletion vectors, after some winners.

    ``taken`` has them by the path of the file that holds them now. ``follows`` are the paths to
    which a winner moved rows that the attempt reads, ``settled`` the paths of the winner last
    looked at about which the checks of files have nothing more to say.
    """

    taken: dict[str, frozenset[RowVersion]] = field(default_factory=dict)
    follows: frozenset[str] = frozenset()
    settled: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Proposal:
    """The proposals that are in force together, and how their texts are read.

    ``any_winner`` is the weakest reading of what a winner may be that changed the same file by a
    deletion vector: any operation, RESTORE among them; else a DELETE, UPDATE or MERGE.
    ``reads_may_move`` is the weakest reading of a compaction: files that it only rearranged do not
    count as read any more; else such a read is a conflict, unless the attempt takes rows out of
    the file. ``guarded`` adds what repairs the proposals, which is in no text: a row that the
    attempt reads and does not take out is not taken out by a winner whose file is passed over,
    and a read of a file that was moved becomes a read of the file that it was moved to.
    """

    skipping: bool = False
    by_rows: bool = False
    union: bool = False
    moved: bool = False
    unchanged: bool = False
    any_winner: bool = False
    reads_may_move: bool = False
    guarded: bool = False

    # The three checks of files.

    def added_files(self, attempt: Attempt, winner: Commit) -> str | None:
        """Conflict with a file that the winner added and that none of the proposals passes over."""
        if self.unchanged and _only_adds(attempt.footprint) and _rearranges(winner):
            return None
        settled = self.carried(attempt, winner).settled
        left = tuple(file for file in winner.footprint.adds if file.path not in settled)
        if self.skipping:
            left = tuple(file for file in left if self._may_match(attempt, file))
        if left == winner.footprint.adds:
            return delta_spark.added_files(attempt, winner)
        rest = replace(winner, footprint=replace(winner.footprint, adds=left))
        return delta_spark.added_files(attempt, rest)

    def delete_read(self, attempt: Attempt, winner: Commit) -> str | None:
        """Conflict with the removal of a file that was read and is not passed over."""
        passes = self.unchanged and self.reads_may_move
        if passes and _only_adds(attempt.footprint) and _rearranges(winner):
            return None
        carried = self.carried(attempt, winner)
        removed = winner.footprint.removes
        left = tuple(file for file in removed if file.path not in carried.settled)
        if self.guarded and any(file.path in carried.follows for file in left):
            return f"{winner.transaction} removed a file that holds rows which it had read"
        if left == removed:
            return delta_spark.delete_read(attempt, winner)
        rest = replace(winner, footprint=replace(winner.footprint, removes=left))
        return delta_spark.delete_read(attempt, rest)

    def delete_delete(self, attempt: Attempt, winner: Commit) -> str | None:
        """Conflict if both remove one file and it is not passed over."""
        carried = self.carried(attempt, winner)
        removed = winner.footprint.removes
        left = tuple(file for file in removed if file.path not in carried.settled)
        # Files that the attempt removes by now, since a compaction moved its rows there.
        if any(file.path in carried.taken for file in left):
            return f"{winner.transaction} removed a file that it removes as well"
        if left == removed:
            return delta_spark.delete_delete(attempt, winner)
        rest = replace(winner, footprint=replace(winner.footprint, removes=left))
        return delta_spark.delete_delete(attempt, rest)

    # What is passed over, winner by winner.

    def carried(self, attempt: Attempt, winner: Commit) -> Carried:
        """The state of the attempt's rows once the winners up to this one have been looked at."""
        now = Carried(_taken(attempt.footprint))
        for earlier in attempt.winners:
            if earlier.version > winner.version:
                break
            now = self._after(now, attempt, earlier)
        return now

    def _after(self, before: Carried, attempt: Attempt, winner: Commit) -> Carried:
        settled: set[str] = set()
        taken = dict(before.taken)
        if self.union and attempt.footprint.data_changed:
            settled |= self._united(taken, attempt, winner)
        if self.moved and not attempt.footprint.data_changed:
            settled |= self._marked_since(attempt, winner)
        if self.moved and attempt.footprint.data_changed and _rearranges(winner):
            settled |= self._moved(taken, attempt, winner)
        return Carried(
            taken, before.follows | self._followed(before, attempt, winner), frozenset(settled)
        )

    def _united(
        self, taken: dict[str, frozenset[RowVersion]], attempt: Attempt, winner: Commit
    ) -> set[str]:
        """The files out of which both take rows, and not the same ones."""
        if not self._counts(winner):
            return set()
        theirs = _taken(winner.footprint)
        return {
            path
            for path, rows in theirs.items()
            if path in taken
            and taken[path].isdisjoint(rows)
            and not (self.guarded and self._reads_a_row(attempt, winner, path))
        }

    def _marked_since(self, attempt: Attempt, winner: Commit) -> set[str]:
        """The files of a compaction out of which a winner took rows: it leaves them out as well."""
        if attempt.footprint.operation != "OPTIMIZE" or not self._counts(winner):
            return set()
        sources = {file.path for file in attempt.footprint.removes}
        return {path for path in _taken(winner.footprint) if path in sources}

    def _moved(
        self, taken: dict[str, frozenset[RowVersion]], attempt: Attempt, winner: Commit
    ) -> set[str]:
        """The files that a compaction replaced, and the new ones, where it moved what is taken."""
        sources = {file.path for file in winner.footprint.removes}
        mine = {path for path in taken if path in sources}
        read = {file.path for file in attempt.footprint.read_files} & sources
        if not mine or (read - mine and not (self.reads_may_move or self.guarded)):
            return set()
        rows = frozenset(row for path in mine for row in taken.pop(path))
        settled = mine | (read if self.reads_may_move or self.guarded else set())
        for file in winner.footprint.adds:
            if here := rows & _versions(file):
                taken[file.path] = here
            if here or self.reads_may_move or self.guarded:
                settled.add(file.path)
        return settled

    def _followed(self, before: Carried, attempt: Attempt, winner: Commit) -> set[str]:
        """The files to which a compaction has moved rows of files that the attempt reads."""
        if not self.guarded or not _rearranges(winner):
            return set()
        read = {file.path for file in attempt.footprint.read_files} | before.follows
        moved = frozenset(
            row for file in winner.footprint.removes if file.path in read for row in _versions(file)
        )
        return {file.path for file in winner.footprint.adds if moved & _versions(file)}

    def _counts(self, winner: Commit) -> bool:
        return self.any_winner or winner.footprint.operation in DML

    def _reads_a_row(self, attempt: Attempt, winner: Commit, path: str) -> bool:
        """Whether the winner took a row out of a file that the attempt reads there."""
        rows = _taken(winner.footprint)[path]
        stored = (
            row
            for file in winner.footprint.removes
            if file.path == path
            for row in file.rows
            if (row.row, row.writer) in rows
        )
        return attempt.footprint.read_whole_table or any(
            _matches(predicate)(row) for row in stored for predicate in _reads(attempt.footprint)
        )

    def _may_match(self, attempt: Attempt, file: DataFile) -> bool:
        """Whether statistics (or its rows) leave it open that a read predicate matches in a file.

        A file that was there before and has another deletion vector now is always kept.
        """
        footprint = attempt.footprint
        if footprint.read_whole_table or file.vector is not None:
            return True
        kept = [p for p in _reads(footprint) if scan(p, (file,), attempt.table)]
        if self.by_rows:
            return any(_matches(p)(row) for p in kept for row in file.rows)
        return bool(kept)

    # The footprint of an attempt that passes.

    def reapplied(
        self, writer: str, footprint: Footprint, latest: Snapshot, began: int
    ) -> Footprint:
        """The same changes on the files as the winners have left them.

        A deletion vector is united with the one that is there now, so a row that either of two
        transactions took out of the file is out, whatever a third did about it in between.
        """
        winners = latest.commits_after(began)
        touched = {file.path for winner in winners for file in winner.footprint.removes}
        if touched.isdisjoint(file.path for file in footprint.removes):
            return footprint
        taken = _taken(footprint)
        if not footprint.data_changed:
            return self._compacted(writer, footprint, latest)
        out: dict[str, set[RowVersion]] = {path: set(rows) for path, rows in taken.items()}
        for winner in winners:
            if _rearranges(winner):
                _move(out, winner)
            elif self.union:
                for path, rows in _taken(winner.footprint).items():
                    if path in out:
                        out[path] |= rows
        removes, adds = [], []
        for file in latest.files.values():
            if file.path in out:
                removes.append(file)
                left = tuple(r for r in file.rows if (r.row, r.writer) not in out[file.path])
                if left:
                    adds.append(file.leaving(left, writer))
        new = tuple(file for file in footprint.adds if file.path not in taken)
        whole = tuple(f for f in footprint.removes if f.path not in taken)
        return replace(footprint, removes=(*removes, *whole), adds=(*adds, *new))

    def _compacted(self, writer: str, footprint: Footprint, latest: Snapshot) -> Footprint:
        """A compaction without the rows that winners took out of its files meanwhile."""
        now = {file.path: file for file in latest.files.values()}
        removes = tuple(now[file.path] for file in footprint.removes if file.path in now)
        live = {version for file in removes for version in _versions(file)}
        adds = []
        for file in footprint.adds:
            left = tuple(row for row in file.rows if (row.row, row.writer) in live)
            if left:
                adds.append(file if left == file.rows else file.leaving(left, writer))
        return replace(footprint, removes=removes, adds=tuple(adds))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The three rules, in the places of Spark's."""
        source = "delta-io/delta, issue 7360 and the pull requests that it lists"
        return (
            Rule("added files", "ConcurrentAppend", self.added_files, source),
            Rule("delete read", "ConcurrentDeleteRead", self.delete_read, source),
            Rule("delete delete", "ConcurrentDeleteDelete", self.delete_delete, source),
        )


def _versions(file: DataFile) -> frozenset[RowVersion]:
    return frozenset((row.row, row.writer) for row in file.rows)


def _taken(footprint: Footprint) -> dict[str, frozenset[RowVersion]]:
    """The rows that a transaction takes out of files which it leaves with a deletion vector."""
    added = {file.path: file for file in footprint.adds}
    return {
        file.path: _versions(file) - _versions(added[file.path])
        for file in footprint.removes
        if file.path in added
    }


def _only_adds(footprint: Footprint) -> bool:
    return not footprint.removes and footprint.metadata is None


def _rearranges(winner: Commit) -> bool:
    """Whether a winner is a compaction: it changed no data, and has files to show for it."""
    return winner.footprint.operation == "OPTIMIZE" and bool(winner.footprint.removes)


def _reads(footprint: Footprint) -> tuple[ReadPredicate, ...]:
    return footprint.read_predicates


def _matches(predicate: ReadPredicate) -> Callable[[StoredRow], bool]:
    test = matcher(expressions.conjunction((predicate.partition, predicate.data)))
    return lambda row: test(row.values)


def _move(out: dict[str, set[RowVersion]], winner: Commit) -> None:
    """Moves what is to be taken out to the files where a compaction has put it."""
    moved: set[RowVersion] = set()
    for file in winner.footprint.removes:
        moved |= out.pop(file.path, set())
    for file in winner.footprint.adds:
        if here := moved & _versions(file):
            out[file.path] = here
