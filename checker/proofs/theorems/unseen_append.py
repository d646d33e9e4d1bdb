"""Theorem: what every history contains that delta-spark-4.4 admits and WriteSerializable forbids.

Cahill and Fekete found two consecutive anti-dependencies in every violation of serializability
under snapshot isolation. Here it is an anti-dependency on a blind append, followed by a
dependency of a third transaction on that append.
"""

from __future__ import annotations

from typing import Any

import z3

from checker.proofs.lemma import OF_VIOLATIONS, Assumption, Claim, Lemma, Theorem
from checker.proofs.rule_formulas import facts
from checker.proofs.rule_formulas.symbols import SymbolicFacts
from checker.proofs.theorems.log_order import (
    BY_FILES,
    RowChanges,
    before_winners,
    completeness,
    removal_rules,
)
from checker.proofs.theorems.order import Log


def _level_in_force() -> Claim:
    names = "changed besides rearranging reads_rows checked"
    changed, besides, rearranging, reads_rows, checked = z3.Bools(names)
    return Claim(
        (
            Assumption(
                "the level for one commit",
                "A commit is lowered to SnapshotIsolation only when it changes no data, writes "
                "nothing besides files and its operation is one that never changes data.",
                checked == z3.Or(changed, besides, z3.Not(rearranging)),
                rule="level in force",
                weakened={
                    "as on a Serializable table": checked == z3.Or(changed, besides),
                },
            ),
            Assumption(
                "operations that never change data",
                "OPTIMIZE, REORG and VACUUM read no row.",
                z3.Implies(z3.And(rearranging, z3.Not(changed)), z3.Not(reads_rows)),
                premise=True,
            ),
        ),
        goal=z3.Implies(reads_rows, checked),
        witness=z3.And(z3.Not(checked), rearranging),
    )


def _winner_step() -> Claim:
    f = SymbolicFacts()
    row = z3.Const("r", f.Row)
    checked = z3.Bool("checked_at_write_serializable")

    def still_there(live: Any) -> Any:
        return f.every_file(lambda x: z3.Implies(f.t_removes(x), live(x)))

    def unchanged(live: Any, appended: Any) -> Any:
        return f.every_held(lambda x, _: z3.Or(appended(x), live(x) == f.at_snapshot(x)))

    def appended_after(x: Any) -> Any:
        return z3.Or(f.appended(x), z3.And(f.w_blind, f.w_adds(x)))

    differs = f.in_table(row) != f.in_table_after(row)
    rewritten = f.some_file(lambda x: z3.And(f.w_removes(x), f.appended(x), f.holds(x, row)))
    appears = z3.And(f.w_blind, z3.Not(f.in_table(row)))
    touched_only = z3.ForAll(
        [row], z3.Implies(z3.And(f.matches(row), differs), z3.Or(appears, rewritten))
    )
    return Claim(
        (
            *completeness(f),
            Assumption(
                "level in force",
                "The attempt is checked at WriteSerializable, or its statement reads no row "
                "(the lemma before).",
                z3.Or(checked, z3.Not(z3.Exists([row], f.matches(row)))),
                premise=True,
            ),
            Assumption(
                "added files",
                "No winner that is not a blind append added a file that the attempt would have "
                "read.",
                z3.Implies(checked, z3.Not(facts.added_files_but_appends(f))),
                rule="added files",
                weakened={
                    "not in a table without partitions": z3.Implies(
                        checked,
                        z3.Not(z3.And(z3.Not(f.unpartitioned), facts.added_files_but_appends(f))),
                    ),
                    "all that rewrite no file are left out": z3.Implies(
                        checked,
                        z3.Not(z3.And(f.some_file(f.w_removes), facts.added_files_but_appends(f))),
                    ),
                    "appends are left out for attempts with metadata too": z3.Implies(
                        checked, z3.Not(z3.And(z3.Not(f.w_blind), facts.added_files(f)))
                    ),
                },
            ),
            *removal_rules(f),
            Assumption(
                "induction hypothesis",
                "Before this winner, the files with rows that the attempt reads are those of "
                "its snapshot and those of blind appends since; every file that it removes is "
                "there.",
                z3.And(still_there(f.live), unchanged(f.live, f.appended)),
                premise=True,
            ),
        ),
        goal=z3.And(
            still_there(f.live_after), unchanged(f.live_after, appended_after), touched_only
        ),
        witness=z3.And(
            checked,
            z3.Exists(
                [row], z3.And(f.matches(row), f.in_table_after(row), z3.Not(f.in_table(row)))
            ),
            f.some_file(f.t_removes),
            z3.Not(f.unpartitioned),
        ),
    )


def _rows_to_edges() -> Claim:
    log = Log()
    rows, blind = RowChanges(log), _blind(log)
    t, y, b = log.txns("T Y B")
    v = z3.Const("v", rows.Version)
    lt, c, s = log.earlier, log.commit, log.snapshot
    one = z3.Const("b", log.Txn)

    def rewritten(x: Any, w: Any, version: Any, append: Any) -> Any:
        """w took a version out that a blind append added since the snapshot of x."""
        since = z3.And(log.writer(append), lt(s(x), c(append)), lt(c(append), c(x)))
        return z3.And(
            *(blind(append), since, append != w, append != x),
            *(rows.appears(append, version), rows.goes(w, version)),
        )

    return Claim(
        (
            *log.adya(),
            rows.anti_dependencies(),
            Assumption(
                "edges of a version that goes",
                "A blind append whose row version T would have read, but does not see, has an rw "
                "edge from T; one whose row version Y takes out has a ww edge to Y, whose "
                "snapshot shows it: a commit removes files of its snapshot.",
                z3.And(
                    log.every(
                        "x y",
                        lambda x, y: z3.Implies(
                            z3.And(
                                *(x != y, log.writer(y), lt(s(x), c(y))),
                                z3.Exists([v], z3.And(rows.matches(x, v), rows.appears(y, v))),
                            ),
                            log.rw(x, y),
                        ),
                    ),
                    log.every(
                        "x y",
                        lambda x, y: z3.Implies(
                            z3.And(
                                x != y,
                                z3.Exists([v], z3.And(rows.appears(x, v), rows.goes(y, v))),
                                log.writer(x),
                                log.writer(y),
                            ),
                            z3.And(log.ww(x, y), log.sees(y, x)),
                        ),
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "winners did no more harm",
                "With a winner's commit a row version that the attempt reads comes only if the "
                "winner is a blind append, and goes only if a blind append added it since the "
                'attempt\'s snapshot (the lemmas before, and "over the winners").',
                z3.ForAll(
                    [t, y, v],
                    z3.Implies(
                        z3.And(rows.faces(t, y), rows.matches(t, v), rows.changes(y, v)),
                        z3.Or(
                            z3.And(blind(y), rows.appears(y, v)),
                            z3.Exists([one], rewritten(t, y, v, one)),
                        ),
                    ),
                ),
                premise=True,
            ),
        ),
        goal=z3.Implies(
            z3.And(log.rw(t, y), log.writer(t), lt(c(y), c(t))),
            z3.Or(
                blind(y),
                z3.Exists(
                    [one],
                    z3.And(blind(one), log.rw(t, one), log.ww(one, y), log.sees(y, one)),
                ),
            ),
        ),
        witness=z3.And(log.rw(t, y), z3.Not(blind(y)), rewritten(t, y, v, b), rows.matches(t, v)),
        background=log.linear(),
    )


def edges_of_writers(log: Log) -> tuple[Assumption, ...]:
    """What edges between writers are, with what rules about removed files make of ww."""
    return (
        *log.adya(),
        Assumption(
            "who overwrites has seen",
            "A commit overwrites rows of files that it removes; those are files of its "
            "snapshot, so its snapshot shows the commit that wrote the rows.",
            log.every("x y", lambda x, y: z3.Implies(log.ww(x, y), log.sees(y, x))),
            premise=True,
        ),
    )


def _appends_read_nothing(log: Log, blind: Any) -> Assumption:
    return Assumption(
        "blind appends read nothing",
        "No predicate and no file is noted for a blind append, so (footprint completeness) it "
        "reads no row: it has no rw edge.",
        log.every("x y", lambda x, y: z3.Implies(blind(x), z3.Not(log.rw(x, y)))),
        premise=True,
    )


def shape(log: Log, blind: Any, t: Any, b: Any, x: Any) -> Any:
    """T misses the blind append B, X depends on B, and X ran from begin to end during T."""
    lt, s, c = log.earlier, log.snapshot, log.commit
    return z3.And(
        blind(b),
        log.rw(t, b),
        z3.Or(log.wr(b, x), log.ww(b, x)),
        lt(s(t), c(b)),
        log.upto(c(b), s(x)),
        lt(s(x), c(x)),
        lt(c(x), c(t)),
    )


def _blind(log: Log) -> Any:
    return z3.Function("blind", log.Txn, z3.BoolSort())


def _edge(log: Log, x: Any, y: Any) -> Any:
    return z3.Or(log.ww(x, y), log.wr(x, y), log.rw(x, y))


def _backward_edge(log: Log, blind: Any, t: Any, y: Any, b: Any) -> Assumption:
    lt, c = log.earlier, log.commit
    through = z3.And(blind(b), log.rw(t, b), z3.Or(log.wr(b, y), log.ww(b, y)), log.sees(y, b))
    return Assumption(
        "what a winner may have changed",
        "An rw edge from T to a winner Y leads to a blind append, or to one that overwrote a row "
        "of a blind append B since T's snapshot; T has an edge to B then, too (the lemma before).",
        z3.Implies(z3.And(log.rw(t, y), lt(c(y), c(t))), z3.Or(blind(y), through)),
        premise=True,
    )


def _last_on_the_cycle() -> Claim:
    log = Log()
    blind, (t, y, z, b) = _blind(log), log.txns("T Y Z B")
    lt, c, writer = log.earlier, log.commit, log.writer
    return Claim(
        (
            *edges_of_writers(log),
            _appends_read_nothing(log, blind),
            _backward_edge(log, blind, t, y, b),
            Assumption(
                "a cycle and its last commit",
                "T is the last to commit on a cycle of writers, Y follows T there and Z "
                "follows Y (T itself, perhaps).",
                z3.And(
                    writer(t),
                    writer(y),
                    writer(z),
                    _edge(log, t, y),
                    _edge(log, y, z),
                    y != z,
                    lt(c(y), c(t)),
                    log.upto(c(z), c(t)),
                ),
                premise=True,
            ),
        ),
        goal=z3.Or(shape(log, blind, t, y, z), shape(log, blind, t, b, y)),
        witness=z3.And(blind(y), log.wr(y, z)),
        background=log.linear(),
    )


def _three() -> Claim:
    log = Log()
    blind, (t, b, x) = _blind(log), log.txns("T B X")
    writer = log.writer
    return Claim(
        (
            *edges_of_writers(log),
            Assumption(
                "the shape",
                "T, B and X are in the shape of the lemma before.",
                z3.And(shape(log, blind, t, b, x), writer(t), writer(b), writer(x)),
                premise=True,
            ),
        ),
        goal=z3.And(
            t != b,
            b != x,
            x != t,
            z3.Implies(_edge(log, x, t), log.rw(x, t)),
        ),
        witness=log.rw(x, t),
        background=log.linear(),
    )


LEMMAS = (
    Lemma(
        "level in force",
        "On a WriteSerializable table a transaction that reads a row is checked at "
        "WriteSerializable.",
        _level_in_force,
        {},
    ),
    Lemma(
        "one more winner",
        "When the rules let an attempt pass a winner, that winner is a blind append where it "
        "added rows that the attempt would have read, and where it took away such rows they were "
        "those of a blind append since the attempt's snapshot. It left every file that the "
        "attempt removes.",
        _winner_step,
        {
            "added files: appends are left out for attempts with metadata too": "The engine is "
            "stricter here than the level needs: such an attempt is refused by an append that "
            "any other may miss.",
        },
    ),
    Lemma(
        "before the first winner",
        "Before its first winner, what an attempt read and removes is as it was in its snapshot, "
        "and there is no append that it misses. (The base.)",
        before_winners,
        {},
    ),
    Lemma(
        "from rows to edges",
        "Where that holds of every winner, an rw edge from a writer to one of its winners leads to "
        "a blind append, or to a winner that took out a row of a blind append since the snapshot; "
        "to that append there is an edge, too.",
        _rows_to_edges,
        {},
    ),
    Lemma(
        "the last on the cycle misses an append",
        "On every cycle of writers, the last to commit, T, has an rw edge to a blind append B "
        "that committed while T ran, and X on the cycle depends on B (wr or ww): X began after "
        "B's commit and committed before T.",
        _last_on_the_cycle,
        {},
    ),
    Lemma(
        "three transactions, and an anti-dependency back",
        "T, B and X are three transactions: no violation has fewer. Where the cycle has no "
        "more, its third edge is an rw edge from X to T: T changed what X read.",
        _three,
        {},
    ),
)

THEOREM = Theorem(
    "WriteSerializable, what a violation contains",
    "In every history that the rules of delta-spark-4.4 admit and WriteSerializable forbids, "
    "some transaction T has an rw edge to a blind append B that committed while T ran, and a "
    "transaction X on the same cycle depends on B and ran from begin to end while T ran. So "
    "without such a triple a history holds WriteSerializable.",
    LEMMAS,
    also=BY_FILES,
    readings=OF_VIOLATIONS,
)
