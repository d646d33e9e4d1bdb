"""Theorem: at Serializable the rules of delta-spark-4.4 make the log's order a serial order.

For any number of transactions, partitions, files and rows. The induction goes over the winners
that one attempt has to face, in the order of the log; every transaction is such an attempt, so
what is shown for one holds for all. The last lemmas put the attempts together.
"""

from __future__ import annotations

from typing import Any

import z3

from checker.proofs.lemma import IN_EVERY_READING, Assumption, Claim, Lemma, Theorem
from checker.proofs.rule_formulas import facts
from checker.proofs.rule_formulas.symbols import SymbolicFacts
from checker.proofs.theorems.definition import DEFINITION
from checker.proofs.theorems.order import ORDER_LEMMAS, Log


def completeness(f: SymbolicFacts) -> tuple[Assumption, ...]:
    """The premises about what the engine notes as read."""
    checked = z3.Not(f.t_next_only)
    return (
        Assumption(
            "footprint completeness, files to come",
            "Every row that a statement reads, or would have read, lies in a partition that a "
            "predicate of its footprint covers, or the whole table counts as read.",
            z3.Implies(checked, f.every_held(lambda file, row: z3.Or(f.t_whole, f.t_covers(file)))),
            premise=True,
        ),
        Assumption(
            "footprint completeness, files there",
            "Every file of the snapshot with a row that a statement reads is noted as read, or "
            "is one that it removes, or the whole table counts as read: data skipping leaves "
            "out no match.",
            z3.Implies(
                checked,
                f.every_held(
                    lambda file, row: z3.Implies(
                        f.at_snapshot(file),
                        z3.Or(f.t_whole, f.t_reads(file), f.t_removes(file)),
                    )
                ),
            ),
            premise=True,
        ),
        Assumption(
            "reading the whole table is noted beside a predicate or a file",
            "A statement for which the whole table counts as read is no blind append.",
            z3.Implies(f.t_whole, z3.Not(f.t_blind)),
            premise=True,
        ),
        Assumption(
            "stating files again",
            "A winner that only states files again (row ids for a table's files) adds files that "
            "are there and removes none.",
            z3.Implies(
                f.w_restates,
                f.every_file(
                    lambda file: z3.And(
                        z3.Implies(f.w_adds(file), f.live(file)), z3.Not(f.w_removes(file))
                    )
                ),
            ),
            premise=True,
        ),
        Assumption(
            "who states files again reads no row",
            "So does an attempt: it reads and removes no row, whatever files it names.",
            z3.Implies(
                f.t_restates, z3.Not(z3.Exists([row := z3.Const("r", f.Row)], f.matches(row)))
            ),
            premise=True,
        ),
    )


def next_version_rule(f: SymbolicFacts) -> Assumption:
    """The rule for commits that are not checked but start over."""
    return Assumption(
        "next version",
        "A commit that may take the next version only has no winner.",
        z3.Not(facts.next_version(f)),
        rule="next version",
    )


def removal_rules(f: SymbolicFacts) -> tuple[Assumption, ...]:
    """The rules about removed files, and the one for commits that are not checked."""
    return (
        next_version_rule(f),
        Assumption(
            "delete read",
            "No winner removed a file that the attempt read.",
            z3.Not(facts.delete_read(f)),
            rule="delete read",
            weakened={
                "a table read as a whole is left out": f.no_file(
                    lambda x: z3.And(f.w_removes(x), f.t_reads(x))
                ),
                "files that were read are left out": z3.Not(
                    z3.And(f.t_whole, f.some_file(f.w_removes))
                ),
                "files that are removed as well": f.no_file(
                    lambda x: z3.And(f.w_removes(x), f.t_reads(x), f.t_removes(x))
                ),
            },
        ),
        Assumption(
            "delete delete",
            "No winner removed a file that the attempt removes.",
            z3.Not(facts.delete_delete(f)),
            rule="delete delete",
            weakened={
                "only files that were read": f.no_file(
                    lambda x: z3.And(f.w_removes(x), f.t_removes(x), f.t_reads(x))
                )
            },
        ),
    )


def still_there(f: SymbolicFacts, live: Any) -> Any:
    """Whether every file that the attempt removes is live."""
    return f.every_file(lambda file: z3.Implies(f.t_removes(file), live(file)))


def unchanged(f: SymbolicFacts, live: Any) -> Any:
    """Whether the files with rows that the attempt reads are those of its snapshot."""
    return f.every_held(lambda file, row: live(file) == f.at_snapshot(file))


def before_winners() -> Claim:
    """Before its first winner, what an attempt read and removes is as it was in its snapshot."""
    f = SymbolicFacts()
    appended = f.no_file(f.appended)
    return Claim(
        (
            Assumption(
                "removed files are of the snapshot",
                "A commit removes files of its snapshot.",
                f.every_file(lambda x: z3.Implies(f.t_removes(x), f.at_snapshot(x))),
                premise=True,
            ),
            Assumption(
                "no winner yet",
                "Before the first winner the live files are those of the snapshot, and no blind "
                "append has come since.",
                z3.And(f.every_file(lambda x: f.live(x) == f.at_snapshot(x)), appended),
                premise=True,
            ),
        ),
        goal=z3.And(
            still_there(f, f.live),
            unchanged(f, f.live),
            appended,
        ),
        witness=z3.And(f.some_file(f.t_removes), f.some_file(lambda x: z3.Not(f.live(x)))),
    )


class RowChanges:
    """Transactions, the versions of rows that each reads, and those that each commit changes."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.Version = z3.DeclareSort("RowVersion")
        truth = z3.BoolSort()
        self.matches = z3.Function("matches", log.Txn, self.Version, truth)
        self.appears = z3.Function("appears_with", log.Txn, self.Version, truth)
        self.goes = z3.Function("goes_with", log.Txn, self.Version, truth)

    def changes(self, y: Any, version: Any) -> Any:
        """Whether a row version comes or goes with a commit."""
        return z3.Or(self.appears(y, version), self.goes(y, version))

    def faces(self, x: Any, y: Any) -> Any:
        """Whether y is a winner of x."""
        lt, log = self.log.earlier, self.log
        during = z3.And(lt(log.snapshot(x), log.commit(y)), lt(log.commit(y), log.commit(x)))
        return z3.And(log.writer(x), log.writer(y), during)

    def anti_dependencies(self) -> Assumption:
        """What an rw edge is, row version by row version."""
        version = z3.Const("version", self.Version)
        return Assumption(
            "rw, by rows",
            "An rw edge leads to a writer with whose commit a row version comes or goes that the "
            "first reads, or would have read, and that its snapshot does not show.",
            self.log.every(
                "x y",
                lambda x, y: z3.Implies(
                    self.log.rw(x, y),
                    z3.Exists(
                        [version], z3.And(self.matches(x, version), self.changes(y, version))
                    ),
                ),
            ),
            premise=True,
        )


def _rows_to_edges() -> Claim:
    log = Log()
    rows = RowChanges(log)
    v = z3.Const("v", rows.Version)
    x, y = log.txns("X Y")
    return Claim(
        (
            *log.adya(),
            rows.anti_dependencies(),
            Assumption(
                "no winner did harm",
                "With no winner's commit a row version comes or goes that the attempt read or "
                'would have read (the lemmas before, and "over the winners").',
                log.every(
                    "x y",
                    lambda x, y: z3.Implies(
                        rows.faces(x, y),
                        z3.Not(z3.Exists([v], z3.And(rows.matches(x, v), rows.changes(y, v)))),
                    ),
                ),
                premise=True,
            ),
        ),
        goal=log.forward().formula,
        witness=z3.And(log.rw(x, y), log.writer(x), rows.matches(x, v), rows.appears(y, v)),
        background=log.linear(),
    )


def _winner_step() -> Claim:
    f = SymbolicFacts()
    serializable = z3.Bool("checked_at_serializable")
    row = z3.Const("r", f.Row)
    asked = z3.Not(z3.Or(f.t_blind, f.t_restates, f.w_restates))
    counted = {
        "not in a table without partitions": z3.And(z3.Not(f.unpartitioned), facts.added_files(f)),
        "blind appends do not count": facts.added_files_but_appends(f),
        "a table read as a whole is left out": z3.And(
            asked,
            f.some_file(lambda x: z3.And(f.w_adds(x), z3.Or(f.unpartitioned, f.t_covers(x)))),
        ),
        "a table without partitions is not treated apart": z3.And(
            asked,
            f.some_file(lambda x: z3.And(f.w_adds(x), z3.Or(f.t_whole, f.t_covers(x)))),
        ),
        "predicates are left out": z3.And(
            asked,
            f.some_file(lambda x: z3.And(f.w_adds(x), z3.Or(f.unpartitioned, f.t_whole))),
        ),
        "attempts that add nothing but files are left out": z3.And(
            f.some_file(f.t_removes), facts.added_files(f)
        ),
    }
    return Claim(
        (
            *completeness(f),
            Assumption(
                "level in force",
                "The attempt is checked at Serializable, or its statement reads no row (the "
                "lemma before).",
                z3.Or(serializable, z3.Not(z3.Exists([row], f.matches(row)))),
                premise=True,
            ),
            Assumption(
                "added files",
                "At Serializable no winner added a file that the attempt would have read.",
                z3.Implies(serializable, z3.Not(facts.added_files(f))),
                rule="added files",
                weakened={
                    how: z3.Implies(serializable, z3.Not(rule)) for how, rule in counted.items()
                },
            ),
            *removal_rules(f),
            Assumption(
                "induction hypothesis",
                "Before this winner, the files with rows that the attempt reads are those of "
                "its snapshot, and every file that it removes is there.",
                z3.And(still_there(f, f.live), unchanged(f, f.live)),
                premise=True,
            ),
        ),
        goal=z3.And(
            still_there(f, f.live_after),
            unchanged(f, f.live_after),
            z3.Not(f.read_row_changes()),
        ),
        witness=z3.And(
            serializable,
            z3.Exists([row], z3.And(f.matches(row), f.in_table(row))),
            f.some_file(f.t_removes),
            f.some_file(f.w_adds),
            f.some_file(f.w_removes),
            z3.Not(f.t_blind),
            z3.Not(f.unpartitioned),
        ),
    )


def _compaction() -> Claim:
    f = SymbolicFacts()
    row = z3.Const("r", f.Row)

    def held(where: Any, name: str) -> Any:
        file = z3.Const(name, f.File)
        return z3.Exists([file], z3.And(where(file), f.holds(file, row)))

    return Claim(
        (
            Assumption(
                "rearranging",
                "A commit that is marked as no change of data adds files with just the rows of "
                "those that it removes.",
                z3.ForAll([row], held(f.w_adds, "a") == held(f.w_removes, "b")),
                premise=True,
            ),
            Assumption(
                "what it removes is there",
                "Every file that it removes is live when it commits: no winner removed it, or "
                "the statement started over and found it still there.",
                f.every_file(lambda x: z3.Implies(f.w_removes(x), f.live(x))),
                rule="delete delete, or the retry's look at the files",
                weakened={
                    "some file is still there": z3.Implies(
                        f.some_file(f.w_removes),
                        f.some_file(lambda x: z3.And(f.w_removes(x), f.live(x))),
                    )
                },
            ),
        ),
        goal=z3.ForAll([row], f.in_table(row) == f.in_table_after(row)),
        witness=z3.And(
            f.some_file(f.w_removes),
            f.some_file(lambda x: z3.And(f.w_adds(x), z3.Not(f.live(x)))),
            z3.Exists([row], held(f.w_adds, "a")),
        ),
    )


def level_formula(
    data_changed: Any, files: Any, besides: Any, next_only: Any, either: Any, both: Any
) -> Any:
    """``model.rules.delta_spark.level_in_force`` on a Serializable table.

    True if the level stays Serializable; it is SnapshotIsolation otherwise. ``either`` and
    ``both`` join truth values.
    """
    return either(next_only, both(data_changed, files), besides)


def _level_in_force() -> Claim:
    names = "data_changed files besides next_only always empty_too reads_rows writer"
    data_changed, files, besides, next_only, always, empty_too, reads_rows, writer = z3.Bools(names)
    serializable = level_formula(data_changed, files, besides, next_only, z3.Or, z3.And)
    empty = z3.And(z3.Not(files), z3.Not(besides))
    checked = z3.Bool("checked_at_serializable")
    snapshot = z3.Not(checked)
    kept = z3.Not(z3.Or(checked, snapshot))
    return Claim(
        (
            Assumption(
                "the level for one commit",
                "A commit is checked at Serializable when it changes data, writes anything "
                "besides files, or may take the next version only; else at SnapshotIsolation.",
                checked == serializable,
                rule="level in force",
                weakened={
                    "commits with metadata are lowered": checked
                    == z3.Or(next_only, z3.And(data_changed, files)),
                    "commits that change data are lowered": checked == z3.Or(next_only, besides),
                },
            ),
            Assumption(
                "commits without actions",
                "A commit without actions is left out of the log, unless its statement always "
                "writes one: a transaction that writes no version is a reader.",
                writer == z3.Or(z3.Not(empty), always, z3.And(empty_too, kept)),
                rule="empty commits are skipped",
                weakened={
                    "not at SnapshotIsolation": writer
                    == z3.Or(z3.Not(empty), always, z3.And(empty_too, snapshot)),
                },
            ),
            Assumption(
                "no change of data, no reads",
                "A statement whose files are marked as no change of data, and that writes "
                "nothing besides, reads no row: OPTIMIZE, REORG, VACUUM.",
                z3.Implies(z3.And(z3.Not(data_changed), z3.Not(besides)), z3.Not(reads_rows)),
                premise=True,
            ),
            Assumption(
                "who always writes a version",
                "A statement that writes a version even without actions changes no data: VACUUM.",
                z3.Implies(always, z3.Not(data_changed)),
                premise=True,
            ),
        ),
        goal=z3.Implies(z3.And(writer, reads_rows), checked),
        witness=z3.And(writer, snapshot, files),
    )


LEMMAS = (
    Lemma(
        "level in force",
        "On a Serializable table, a transaction that writes a version and reads a row is "
        "checked at Serializable. What is checked at SnapshotIsolation reads no row or writes "
        "no version.",
        _level_in_force,
        {},
    ),
    Lemma(
        "one more winner",
        "When the rules let an attempt pass a winner, that winner's commit changed no row that "
        "the attempt read or would have read, and left every file that the attempt removes. "
        "(The inductive step: it holds after the winner if it held before.)",
        _winner_step,
        {
            "added files: a table without partitions is not treated apart": "In a table without "
            "partitions the partition part of every predicate is TRUE, so each covers every file.",
        },
    ),
    Lemma(
        "before the first winner",
        "Before its first winner, what an attempt read and removes is as it was in its snapshot. "
        "(The base.)",
        before_winners,
        {},
    ),
    Lemma(
        "from rows to edges",
        "Where no winner of any attempt changed a row that it reads, no writer has an rw edge to "
        "a winner.",
        _rows_to_edges,
        {},
    ),
    Lemma(
        "no rows move",
        "A compaction whose removed files are all live changes no row of the table, so it has "
        "no part in any dependency.",
        _compaction,
        {},
    ),
    DEFINITION,
    *ORDER_LEMMAS,
)

BY_FILES = tuple(
    f"databricks-{generation}" for generation in ("13.3", "14.1", "14.2", "14.3", "2026")
)
"""Documents whose rules about files, in the strongest reading, are those of Spark or stricter."""

THEOREM = Theorem(
    "Serializable",
    "The rules of delta-spark-4.4 at Serializable make the order of the log, with every reader "
    "at its snapshot, a serial order: for any number of transactions, partitions and files.",
    LEMMAS,
    also=("databricks-2020", *BY_FILES),
    readings=IN_EVERY_READING,
)
