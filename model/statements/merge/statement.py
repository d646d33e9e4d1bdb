"""MERGE INTO t USING ... ON ...: updates, deletes and inserts in one commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.expressions.evaluation import matcher
from model.expressions.simplification import simplify
from model.expressions.syntax import TRUE, Expression
from model.history import ItemRead, PredicateRead, Row, RowChange, RowId, SerialResult
from model.physical.definition_change import metadata_change
from model.physical.files import DataFile, StoredRow, data_file
from model.physical.footprint import Footprint, MetadataChange, ReadPredicate
from model.physical.log import Snapshot
from model.physical.skipping import scan, split_parts
from model.queries import scan_reads
from model.statements.base import Execution, Rows, Statement, item_reads, live_files
from model.statements.merge.clause import MergeClause, first_applying
from model.statements.merge.layout import Written, identified, write
from model.statements.merge.source import Branches, MergeSource
from model.statements.rewrite import remains
from model.tables.invariants import enforce
from model.tables.table import Table

MULTIPLE_MATCHES = "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"


@dataclass(frozen=True)
class Merge(Statement):
    """Joins the target with a source, and acts on the rows with and without a match.

    ``condition`` and the clauses are over a target row followed by a source row. ``by_source``
    are the clauses for target rows that no source row matches. Several matches for one target
    row are an error in Delta on Spark, which then takes the first; ``by_clause`` is the meaning
    of delta-rs, which counts only the matches that a clause acts on. ``after`` is the definition
    that schema evolution leads to, which the commit puts in force whether a row changes or not;
    None stands for the table's own.

    Sources: MergeIntoCommand.scala, ClassicMergeExecutor.scala, InsertOnlyMergeExecutor.scala.
    """

    text: str
    table: Table
    source: MergeSource
    condition: Expression
    matched: tuple[MergeClause, ...] = ()
    not_matched: tuple[MergeClause, ...] = ()
    by_source: tuple[MergeClause, ...] = ()
    by_clause: bool = False
    after: Table | None = None

    takes_number = True

    @property
    def kind(self) -> str:
        return "MERGE"

    @property
    def conditions(self) -> tuple[Expression, ...]:
        query = self.source.query
        scans = () if query is None else query.scans
        clauses = (*self.matched, *self.not_matched, *self.by_source)
        return (
            self.condition,
            *(clause.test for clause in clauses),
            *(scan.condition for scan in scans),
        )

    def definitions(self) -> tuple[Table, ...]:
        return () if self.evolved == self.table else (self.evolved,)

    @property
    def evolved(self) -> Table:
        """The definition that the rows are written for."""
        return self.table if self.after is None else self.after

    @property
    def inserts_only(self) -> bool:
        """Whether no row of the target can change."""
        return not self.matched and not self.by_source

    @property
    def matched_only(self) -> bool:
        """Whether only target rows with a match matter."""
        return not self.not_matched and not self.by_source

    @property
    def predicate_reads(self) -> tuple[PredicateRead, ...]:
        """Its predicate reads; if the source is a table, any row may have a match."""
        if self.source.query is None:
            return self.reads_on({})
        everything = PredicateRead(self.table.name, "TRUE", lambda row: True)
        return (*scan_reads(self.source.query), everything)

    def reads_on(self, tables: Rows) -> tuple[PredicateRead, ...]:
        """The source's read, if it is a table, and the target's: the rows that make a difference.

        Those are the rows that a clause acts on, that keep a source row from being inserted, or
        that make the statement fail for having several matches.
        """
        return self._reads(self.source.rows(tables))

    def _reads(self, rows: Sequence[Row]) -> tuple[PredicateRead, ...]:
        text = expressions.sql(self.condition)
        if self.by_source:
            text = f"{text}, or no match for it"
        target = PredicateRead(self.table.name, text, self._matter(rows))
        query = self.source.query
        return (target,) if query is None else (*scan_reads(query), target)

    def _matter(self, rows: Sequence[Row]) -> Callable[[Row], bool]:
        def matters(row: Row) -> bool:
            matches = self._matches(row, rows)
            if not matches:
                return bool(self.by_source) and self._unmatched(row) is not None
            if any(first_applying(self.not_matched, self._inserting(s)) for s in matches):
                return True
            if any(first_applying(self.matched, row + s) for s in matches):
                return True
            return self._too_many(row, matches) and self._candidate(row)

        return matters

    def execute(self, snapshot: Snapshot, writer: str, others: Rows) -> Execution:
        predicates: tuple[ReadPredicate, ...] = (self._target_predicate,)
        files = scan(self._target_predicate, live_files(snapshot), self.table)
        read, items = files, tuple[ItemRead, ...]()
        if self.source.reads(self.table):
            scanned = self.source.scanned(snapshot, others)
            branches, items = scanned.branches, scanned.items
            predicates += scanned.predicates
            read += tuple(file for file in scanned.files if file not in files)
        else:
            branches = self.source.branches(others)
        reads = self._reads([row for branch in branches for row in branch])
        done = self._run(writer, files, branches)
        adds = (*done.marked, *write(writer, self.evolved, done.written))
        metadata = None
        if self.evolved != self.table:
            metadata = metadata_change(self.table, done.after or self.evolved)
        elif self._hands_out and (adds or not self.table.partitions):
            moved = done.after != self.table
            metadata = MetadataChange(identity_only=True, schema_changed=moved)
        footprint = Footprint(
            "MERGE",
            read_predicates=predicates,
            read_files=read,
            adds=adds,
            removes=done.removed,
            records_empty=True,
            metadata=metadata,
            table=None if metadata is None else done.after,
        )
        matters = reads[-1].matches
        target = (row for file in files for row in file.rows if matters(row.values))
        already = {item.row for item in items}
        items += item_reads(self.table, (row for row in target if row.row not in already))
        name = self.table.name
        changes = [RowChange(name, row.row, row.values, after) for row, after in done.changed]
        new = (row for group in done.written.inserted for row in group)
        changes += [RowChange(name, row.row, None, row.values) for row in new]
        return Execution(footprint, items, tuple(changes), predicate_reads=reads)

    def effect(self, row: Row, tables: Rows) -> Row | None:
        return self._effect(row, self._matches(row, self.source.rows(tables)))

    def rerun(self, tables: Rows) -> SerialResult:
        name, query = self.table.name, self.source.query
        source = self.source.rows(tables)
        matters = self._reads(source)[-1].matches
        rows = tables[name]
        matches = [self._matches(row, source) for row in rows]
        pairs = zip(rows, matches, strict=True)
        if any(self._too_many(row, m) and self._candidate(row) for row, m in pairs):
            raise StatementFailure(MULTIPLE_MATCHES, _SEVERAL)
        reads: tuple[tuple[Row, ...], ...] = (tuple(row for row in rows if matters(row)),)
        if query is not None:
            reads = (*(scan.matching(tables[scan.table]) for scan in query.scans), *reads)
        after = [self._effect(row, m) for row, m in zip(rows, matches, strict=True)]
        unmatched = self._without_match(source, rows)
        inserted = [row for s in unmatched if (row := self._inserted(s)) is not None]
        if self._hands_out and inserted:
            whole = data_file(
                "", self.table, tuple(StoredRow(("", n), "", r) for n, r in enumerate(rows))
            )
            done = self._run("new", (whole,) if rows else (), self.source.branches(tables))
            inserted = [row.values for group in done.written.inserted for row in group]
        left = tuple(row for row in after if row is not None)
        if self.evolved.constrained:
            changed = [new for new, old in zip(after, rows, strict=True) if new is not old]
            enforce(self.evolved, [row for row in changed if row is not None] + inserted)
        return SerialResult(reads, {**tables, name: left + tuple(inserted)})

    @cached_property
    def _hands_out(self) -> bool:
        """Whether a clause leaves the value of an identity column to the table."""
        return any(map(self._left_out, self.not_matched))

    def _left_out(self, clause: MergeClause) -> tuple[int, ...]:
        """The identity columns that a clause gives no value for."""
        given = dict(clause.assignments or ())
        return tuple(place for place, _ in self.evolved.identities if place not in given)

    def _run(self, writer: str, files: tuple[DataFile, ...], branches: Branches) -> _Done:
        """The rows and files removed, marked and written, with identity values filled in."""
        done = self._joined(writer, files, branches)
        if not self._hands_out:
            return replace(done, after=self.evolved)
        sources = {id(row): row for branch in branches for row in branch}
        missing = {}
        for row, source in done.written.origins.items():
            clause = first_applying(self.not_matched, self._inserting(sources[source]))
            missing[row] = () if clause is None else self._left_out(clause)
        written, after = identified(done.written, self.evolved, missing)
        return replace(done, written=written, after=after)

    def _joined(self, writer: str, files: tuple[DataFile, ...], branches: Branches) -> _Done:
        """The rows and files removed, marked and written, before identity values."""
        source = [row for branch in branches for row in branch]
        if self.inserts_only:
            values = [row.values for file in files for row in file.rows]
            left = [self._without_match(branch, values) for branch in branches]
            return _Done(self._insertions(writer, left))
        matches = {id(row): self._matches(row.values, source) for f in files for row in f.rows}
        if any(self._too_many(r.values, matches[id(r)]) for f in files for r in f.rows):
            raise StatementFailure(MULTIPLE_MATCHES, _SEVERAL)
        touched = tuple(f for f in files if any(self._touches(r, matches[id(r)]) for r in f.rows))
        if not touched:
            return _Done(self._insertions(writer, branches))
        self._check_conditions(touched, matches, source)
        ordinals = {id(row): place for place, branch in enumerate(branches) for row in branch}
        marking = self.table.deletion_vectors
        changed: list[tuple[StoredRow, Row | None]] = []
        kept: list[tuple[int | None, StoredRow]] = []
        for stored in (row for file in touched for row in file.rows):
            partners = matches[id(stored)]
            branch = ordinals[id(partners[0])] if partners else None
            after = self._effect(stored.values, partners)
            if after is not stored.values:
                changed.append((stored, after))
                if after is not None:
                    kept.append((branch, StoredRow(stored.row, writer, after)))
            elif not marking:
                kept.append((branch, stored))
        values = [row.values for file in touched for row in file.rows]
        left = [self._without_match(branch, values) for branch in branches]
        new = self._insertions(writer, left)
        written = Written(new.inserted, tuple(kept), self, touched, len(source), new.origins)
        if not marking:
            return _Done(written, touched, (), changed)
        taken = {row.row for row, _ in changed}
        touched = tuple(f for f in touched if any(row.row in taken for row in f.rows))
        marked = remains(self.table, touched, lambda row: row.row in taken, writer).marked
        return _Done(written, touched, marked, changed)

    def _insertions(self, writer: str, branches: Iterable[Sequence[Row]]) -> Written:
        groups, ordinal = [], 0
        origins: dict[RowId, int] = {}
        for branch in branches:
            group = []
            for row in branch:
                values = self._inserted(row)
                if values is not None:
                    origins[writer, ordinal] = id(row)
                    group.append(StoredRow((writer, ordinal), writer, values))
                    ordinal += 1
            groups.append(tuple(group))
        return Written(tuple(groups), origins=origins)

    def _check_conditions(
        self,
        touched: tuple[DataFile, ...],
        matches: dict[int, list[Row]],
        source: Sequence[Row],
    ) -> None:
        """Computes every clause's condition on every joined row, as the engine does.

        Source: MergeOutputGeneration.scala, ``generatePrecomputedConditionsAndDF``.
        """
        conditions = [
            clause.applies
            for clause in (*self.matched, *self.not_matched, *self.by_source)
            if clause.condition is not None
        ]
        if not conditions:
            return
        rows = [row for file in touched for row in file.rows]
        joined = [row.values + s for row in rows for s in matches[id(row)] or [self._no_source]]
        if not self.matched_only:
            values = [row.values for row in rows]
            joined += [self._inserting(s) for s in self._without_match(source, values)]
        for condition in conditions:
            for row in joined:
                condition(row)

    @cached_property
    def _on(self) -> Callable[[Row], bool]:
        return matcher(self.condition)

    @cached_property
    def _no_source(self) -> Row:
        return (None,) * self.source.width

    @cached_property
    def _no_target(self) -> Row:
        return (None,) * len(self.table.names)

    def _matches(self, row: Row, source: Sequence[Row]) -> list[Row]:
        on = self._on
        return [s for s in source if on(row + s)]

    def _without_match(self, source: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
        on = self._on
        return [s for s in source if not any(on(row + s) for row in rows)]

    def _inserting(self, source: Row) -> Row:
        return self._no_target + source

    def _inserted(self, source: Row) -> Row | None:
        joined = self._inserting(source)
        clause = first_applying(self.not_matched, joined)
        return None if clause is None else clause.result(joined)

    def _unmatched(self, row: Row) -> MergeClause | None:
        return first_applying(self.by_source, row + self._no_source)

    def _effect(self, row: Row, matches: Sequence[Row]) -> Row | None:
        """The target row after the statement; the same object if no clause applies to it."""
        joined = row + (self._taken(row, matches) if matches else self._no_source)
        clause = first_applying(self.matched if matches else self.by_source, joined)
        return row if clause is None else clause.result(joined)

    def _taken(self, row: Row, matches: Sequence[Row]) -> Row:
        """The match that determines the effect on a row."""
        if self.by_clause and len(matches) > 1:
            acting = (s for s in matches if first_applying(self.matched, row + s))
            return next(acting, matches[0])
        return matches[0]

    def _too_many(self, row: Row, matches: Sequence[Row]) -> bool:
        """Whether several matches are an error: not if the sole MATCHED clause just deletes.

        By clause: not if all that act delete unconditionally (delta-rs,
        crates/core/src/operations/merge/validation.rs).
        """
        if len(matches) < 2 or self.inserts_only:
            return False
        if self.by_clause:
            clauses = (first_applying(self.matched, row + s) for s in matches)
            acting = [clause for clause in clauses if clause is not None]
            plain = all(clause.deletes and clause.condition is None for clause in acting)
            return len(acting) > 1 and not plain
        sole = self.matched[0] if len(self.matched) == 1 else None
        return not (sole is not None and sole.deletes and sole.condition is None)

    def _touches(self, row: StoredRow, matches: Sequence[Row]) -> bool:
        """Whether the file of a row is replaced because of that row.

        With MATCHED clauses alone one of them must apply; with others, any match is enough.
        """
        if self.by_source:
            return True
        if not self.matched_only:
            return bool(matches)
        return any(first_applying(self.matched, row.values + s) for s in matches)

    @cached_property
    def _target_predicate(self) -> ReadPredicate:
        """The predicate that the engine notes as read of the target.

        From ON it takes the conjuncts over the target's columns alone; with MATCHED clauses
        alone also those of their conditions, in one piece. NOT MATCHED BY SOURCE reads everything.
        """
        if self.by_source:
            return ReadPredicate()
        parts = self._target_only(self.condition)
        if self.matched_only and self._clause_part != TRUE:
            parts = (*parts, self._clause_part)
        return split_parts(parts, self.table)

    @cached_property
    def _clause_part(self) -> Expression:
        clauses = [
            expressions.conjunction(self._target_only(clause.test)) for clause in self.matched
        ]
        part = clauses[0]
        for more in clauses[1:]:
            part = expressions.Or(part, more)
        return part

    @cached_property
    def _candidate(self) -> Callable[[Row], bool]:
        """Whether a row could not be skipped in a file of its own."""
        return matcher(self._clause_part) if self.matched_only else lambda row: True

    def _target_only(self, condition: Expression) -> tuple[Expression, ...]:
        width = len(self.table.names)
        return tuple(
            part
            for part in expressions.conjuncts(simplify(condition))
            if all(index < width for index in expressions.columns(part))
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Done:
    """The result of one run: rows written, files removed or marked, rows changed."""

    written: Written
    removed: tuple[DataFile, ...] = ()
    marked: tuple[DataFile, ...] = ()
    changed: Sequence[tuple[StoredRow, Row | None]] = ()
    after: Table | None = None


_SEVERAL = "several source rows match one row of the target"
