"""Theorems: what the proposed rules of row-level concurrency keep, and what repairs the others.

At Serializable, for any number of transactions, files and rows, by the induction of ``log_order``
over the winners that one attempt has to face. Data skipping at conflict time is a rule about files
like those of today. The other proposals pass over files, so here the state is which row versions
are live in which file. ``model.rules.proposed`` has the rules as code, ``docs/proposals.md`` the
histories that break what is not proved here.
"""

from __future__ import annotations

from typing import Any

import z3

from checker.proofs.lemma import IN_EVERY_READING, Assumption, Claim, Lemma, Theorem
from checker.proofs.rule_formulas import facts
from checker.proofs.rule_formulas.symbols import SymbolicFacts
from checker.proofs.theorems import log_order, moved_rows
from checker.proofs.theorems.log_order import completeness, removal_rules, still_there, unchanged


def _skipping() -> Claim:
    f = SymbolicFacts()
    row = z3.Const("r", f.Row)
    skipped = z3.Function("skipped", f.File, z3.BoolSort())
    serializable = z3.Bool("checked_at_serializable")
    asked = z3.Not(z3.Or(f.t_blind, f.t_restates, f.w_restates))

    def sees(file: Any) -> Any:
        return z3.And(f.w_adds(file), z3.Not(skipped(file)), facts.sees_added(f, file))

    refused = z3.And(asked, f.some_file(sees))
    return Claim(
        (
            *completeness(f),
            Assumption(
                "skipping is sound",
                "A file that statistics (or its rows) rule out for every read predicate holds no "
                "row that the attempt reads or would have read.",
                f.every_held(lambda file, row: z3.Not(skipped(file))),
                premise=True,
            ),
            Assumption(
                "level in force",
                "The attempt is checked at Serializable, or its statement reads no row.",
                z3.Or(serializable, z3.Not(z3.Exists([row], f.matches(row)))),
                premise=True,
            ),
            Assumption(
                "added files, with skipping",
                "At Serializable no winner added a file that the attempt would have read and that "
                "is not ruled out.",
                z3.Implies(serializable, z3.Not(refused)),
                rule="added files",
                weakened={
                    "blind appends do not count": z3.Implies(
                        serializable, z3.Not(z3.And(z3.Not(f.w_blind), refused))
                    ),
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
            f.some_file(lambda x: z3.And(f.w_adds(x), skipped(x), f.t_covers(x))),
            f.some_file(f.w_removes),
            z3.Not(f.t_blind),
        ),
    )


class RowsInFiles:
    """Row versions in files, an attempt that takes some of them out, and one winner."""

    def __init__(self) -> None:
        self.File = z3.DeclareSort("File")
        self.Row = z3.DeclareSort("Row")
        truth = z3.BoolSort()

        def on_both(name: str) -> Any:
            return z3.Function(name, self.File, self.Row, truth)

        self.live, self.live_after = on_both("live"), on_both("live_after")
        self.t_takes, self.w_takes = on_both("t_takes"), on_both("w_takes")
        self.w_puts = on_both("w_puts")
        self.matches = z3.Function("matches", self.Row, truth)
        self.noted = z3.Function("t_noted", self.File, truth)
        self.noted_after = z3.Function("t_noted_after", self.File, truth)
        self.t_takes_after = on_both("t_takes_after")

    def every(self, condition: Any) -> Any:
        """Of every file and row."""
        file, row = z3.Const("f", self.File), z3.Const("r", self.Row)
        return z3.ForAll([file, row], condition(file, row))

    def some(self, condition: Any) -> Any:
        """Of some file and row."""
        file, row = z3.Const("g", self.File), z3.Const("q", self.Row)
        return z3.Exists([file, row], condition(file, row))

    def in_table(self, live: Any, row: Any) -> Any:
        """Whether a row version is in the table."""
        file = z3.Const("h", self.File)
        return z3.Exists([file], live(file, row))

    def read_row_changes(self) -> Any:
        """Whether a row version that the attempt reads comes or goes with the winner's commit."""
        row = z3.Const("r", self.Row)
        differs = self.in_table(self.live, row) != self.in_table(self.live_after, row)
        return z3.Exists([row], z3.And(self.matches(row), differs))

    def touched(self, takes: Any, file: Any) -> Any:
        """Whether a transaction takes a row out of a file."""
        row = z3.Const("p", self.Row)
        return z3.Exists([row], takes(file, row))

    def change(self) -> Assumption:
        """What the winner's commit does."""
        return Assumption(
            "what the winner does",
            "After its commit a row version is live in a file if the winner put it there, or if it "
            "was there and the winner did not take it out. It takes out what is there.",
            z3.And(
                self.every(
                    lambda f, r: (
                        self.live_after(f, r)
                        == z3.Or(
                            self.w_puts(f, r), z3.And(self.live(f, r), z3.Not(self.w_takes(f, r)))
                        )
                    )
                ),
                self.every(lambda f, r: z3.Implies(self.w_takes(f, r), self.live(f, r))),
            ),
            premise=True,
        )

    def invariant(self, live: Any, noted: Any, takes: Any) -> Any:
        """Every live row that is read lies in a file noted as read, every row taken is there."""
        return z3.And(
            self.every(lambda f, r: z3.Implies(z3.And(live(f, r), self.matches(r)), noted(f))),
            self.every(lambda f, r: z3.Implies(takes(f, r), live(f, r))),
        )


def _new_rows(s: RowsInFiles) -> Assumption:
    return Assumption(
        "added files",
        "At Serializable no winner put a row into a new file that the attempt would have read (the "
        "check of added files, with or without skipping).",
        s.every(lambda f, r: z3.Implies(s.w_puts(f, r), z3.Not(s.matches(r)))),
        rule="added files",
        weakened={
            "only rows of files that were read": s.every(
                lambda f, r: z3.Implies(z3.And(s.w_puts(f, r), s.noted(f)), z3.Not(s.matches(r)))
            )
        },
    )


def _hypothesis(s: RowsInFiles) -> Assumption:
    return Assumption(
        "induction hypothesis",
        "Before this winner, every live row that the attempt reads lies in a file that counts as "
        "read, and every row that it takes out is where it takes it out.",
        s.invariant(s.live, s.noted, s.t_takes),
        premise=True,
    )


def _passed_over(s: RowsInFiles, file: Any) -> Any:
    """Whether the union of deletion vectors passes a file over: no row is taken out by both."""
    row = z3.Const("u", s.Row)
    both = z3.Exists([row], z3.And(s.t_takes(file, row), s.w_takes(file, row)))
    return z3.And(s.touched(s.t_takes, file), s.touched(s.w_takes, file), z3.Not(both))


def _file_checks(s: RowsInFiles) -> Assumption:
    file = z3.Const("f", s.File)
    checked = z3.Or(s.noted(file), s.touched(s.t_takes, file))
    return Assumption(
        "delete read and delete delete, with the union",
        "A winner took no row out of a file that the attempt read or changes, unless the file is "
        "passed over: both take rows out of it, and not the same one.",
        z3.ForAll(
            [file],
            z3.Implies(z3.And(s.touched(s.w_takes, file), checked), _passed_over(s, file)),
        ),
        rule="union of deletion vectors",
        weakened={
            "the same row may be taken out twice": z3.ForAll(
                [file],
                z3.Implies(z3.And(s.touched(s.w_takes, file), checked), s.touched(s.t_takes, file)),
            ),
            "files that were read are left out": z3.ForAll(
                [file],
                z3.Implies(
                    z3.And(s.touched(s.w_takes, file), s.touched(s.t_takes, file)),
                    _passed_over(s, file),
                ),
            ),
        },
    )


def _union_goal(s: RowsInFiles) -> Any:
    return z3.And(s.invariant(s.live_after, s.noted, s.t_takes), z3.Not(s.read_row_changes()))


def _union_witness(s: RowsInFiles) -> Any:
    file = z3.Const("w", s.File)
    row, other = z3.Consts("x y", s.Row)
    return z3.Exists(
        [file, row, other],
        z3.And(s.t_takes(file, row), s.w_takes(file, other), s.matches(row)),
    )


def _union_of_whole_reads() -> Claim:
    s = RowsInFiles()
    return Claim(
        (
            s.change(),
            _hypothesis(s),
            _new_rows(s),
            _file_checks(s),
            Assumption(
                "it takes out all that it reads",
                "Of the files that it changes, the attempt takes out every row that it reads: a "
                "DELETE or UPDATE.",
                s.every(
                    lambda f, r: z3.Implies(
                        z3.And(s.live(f, r), s.matches(r), s.touched(s.t_takes, f)),
                        s.t_takes(f, r),
                    )
                ),
                premise=True,
            ),
        ),
        goal=_union_goal(s),
        witness=_union_witness(s),
    )


def _guard(s: RowsInFiles) -> Assumption:
    return Assumption(
        "guard on reads",
        "A winner took no row that the attempt reads out of a file that is passed over.",
        s.every(
            lambda f, r: z3.Implies(
                z3.And(s.w_takes(f, r), s.touched(s.t_takes, f)), z3.Not(s.matches(r))
            )
        ),
        rule="guard on reads",
        weakened={
            "only for rows that it takes out": s.every(
                lambda f, r: z3.Implies(
                    z3.And(s.w_takes(f, r), s.t_takes(f, r)), z3.Not(s.matches(r))
                )
            )
        },
    )


def _union_with_guard() -> Claim:
    s = RowsInFiles()
    return Claim(
        (s.change(), _hypothesis(s), _new_rows(s), _file_checks(s), _guard(s)),
        goal=_union_goal(s),
        witness=_union_witness(s),
    )


def _guard_is_needed() -> Claim:
    s = RowsInFiles()
    once = s.every(lambda f, r: z3.Implies(s.w_takes(f, r), z3.Not(s.in_table(s.live_after, r))))
    return Claim(
        (
            s.change(),
            Assumption(
                "a row version that is taken out is gone",
                "It lies in no other file, and nobody puts the same version back.",
                once,
                premise=True,
            ),
            Assumption(
                "the guard would have refused",
                "The winner took a row out that the attempt reads.",
                s.some(lambda f, r: z3.And(s.w_takes(f, r), s.matches(r))),
                premise=True,
            ),
        ),
        goal=s.read_row_changes(),
        witness=s.some(lambda f, r: z3.And(s.w_takes(f, r), s.live(f, r))),
    )


SKIPPING = Theorem(
    "Serializable with data skipping at conflict time",
    "With the rule of proposal 7358 (or 7466) in the place of the check of added files, the rules "
    "of delta-spark-4.4 at Serializable make the order of the log, with every reader at its "
    "snapshot, a serial order: for any number of transactions, partitions and files.",
    (
        Lemma(
            "one more winner, with skipping",
            "When the rules let an attempt pass a winner, that winner's commit changed no row that "
            "the attempt read or would have read, and left every file that the attempt removes.",
            _skipping,
            {},
        ),
        *(lemma for lemma in log_order.LEMMAS if lemma.name != "one more winner"),
    ),
    profile="delta-spark-4.4+7358",
    also=("delta-spark-4.4+7466",),
    readings=IN_EVERY_READING,
)

ROWS = Theorem(
    "Serializable with the union of deletion vectors and moved rows",
    "Proposal 7359 keeps the order of the log a serial order where every attempt takes out all the "
    "rows that it reads of a file that is passed over; and with the guard on reads for all "
    "attempts. Where the guard refuses, the attempt has an rw edge against the order of the log, "
    "so no weaker guard will do at Serializable. Proposal 7407 keeps it where reads follow the "
    "rows that a compaction moves, as deletion vectors do.",
    (
        Lemma(
            "union, all reads taken out",
            "When an attempt that takes out every row that it reads of the files it changes passes "
            "a winner, that winner changed no row that it read or would have read.",
            _union_of_whole_reads,
            {},
        ),
        Lemma(
            "union, with the guard on reads",
            "With the guard the same holds of an attempt that leaves rows which it has read.",
            _union_with_guard,
            {},
        ),
        Lemma(
            "no weaker guard",
            "Where the guard alone refuses, a row that the attempt has read goes with the winner's "
            "commit: an rw edge from the attempt to a transaction before it in the log.",
            _guard_is_needed,
            {},
        ),
        *moved_rows.LEMMAS,
        *(lemma for lemma in log_order.LEMMAS if lemma.name == "from rows to edges"),
    ),
    profile="delta-spark-4.4+7359+guard",
    also=tuple(
        f"delta-spark-4.4+{parts}+guard"
        for parts in ("7407", "7359+7407", "7358+7359+7407", "7331+7358+7359+7407")
    ),
    readings=IN_EVERY_READING,
)
