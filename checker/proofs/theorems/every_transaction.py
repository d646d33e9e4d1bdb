"""Theorem: what every history contains that delta-spark-4.4 admits and PL-3 forbids.

PL-3 asks for a serial order of all transactions, readers included, whatever the order of the log
(``model.levels``). ``checker.robustness`` asks of jobs whether they can make what is found here.
"""

from __future__ import annotations

from typing import Any

import z3

from checker.proofs.lemma import OF_VIOLATIONS, Assumption, Claim, Lemma, Theorem
from checker.proofs.theorems.order import Log
from checker.proofs.theorems.unseen_append import LEMMAS as WRITERS
from checker.proofs.theorems.unseen_append import edges_of_writers


def _edge(log: Log, x: Any, y: Any) -> Any:
    return z3.Or(log.ww(x, y), log.wr(x, y), log.rw(x, y))


def _blind(log: Log) -> Any:
    return z3.Function("blind", log.Txn, z3.BoolSort())


def _appends_only_add(log: Log, blind: Any) -> Assumption:
    return Assumption(
        "blind appends only add",
        "A blind append reads no row (footprint completeness) and changes none that is there: no "
        "rw edge leaves it, no wr or ww edge enters it.",
        log.every(
            "x y",
            lambda x, y: z3.And(
                z3.Implies(blind(x), z3.Not(log.rw(x, y))),
                z3.Implies(blind(y), z3.Not(z3.Or(log.wr(x, y), log.ww(x, y)))),
            ),
        ),
        premise=True,
    )


def _changed_by_winners(log: Log, blind: Any, x: Any, y: Any, b: Any) -> Assumption:
    """What the lemma "one more winner" leaves of an rw edge from a writer to a winner."""
    lt, c = log.earlier, log.commit
    through = z3.And(blind(b), log.rw(x, b), z3.Or(log.wr(b, y), log.ww(b, y)), log.sees(y, b))
    return Assumption(
        "what a winner may have changed",
        "An rw edge from a writer X to a winner Y leads to a blind append, or to one that "
        "overwrote a row of a blind append B since X's snapshot; X has an edge to B then, too "
        '(the lemma "one more winner").',
        z3.Implies(z3.And(log.writer(x), log.rw(x, y), lt(c(y), c(x))), z3.Or(blind(y), through)),
        premise=True,
    )


def missed_append(log: Log, blind: Any, t: Any, b: Any, x: Any) -> Any:
    """T misses the blind append B, and X depends on B and is over before T commits."""
    lt, s, c = log.earlier, log.snapshot, log.commit
    return z3.And(
        log.writer(t),
        blind(b),
        log.rw(t, b),
        z3.Or(log.wr(b, x), log.ww(b, x)),
        lt(s(t), c(b)),
        log.upto(c(b), s(x)),
        z3.If(log.writer(x), lt(c(x), c(t)), lt(s(x), c(t))),
    )


def _last_on_the_cycle() -> Claim:
    log = Log()
    blind, (t, y, z, b) = _blind(log), log.txns("T Y Z B")
    return Claim(
        (
            *edges_of_writers(log),
            _appends_only_add(log, blind),
            _changed_by_winners(log, blind, t, y, b),
            Assumption(
                "a cycle and its last place",
                "No transaction of the cycle stands after T, writers standing at their commits "
                "and readers right after their snapshots. Y follows T there and Z follows Y (T "
                "itself, perhaps).",
                z3.And(
                    _edge(log, t, y),
                    _edge(log, y, z),
                    t != y,
                    y != z,
                    z3.Not(log.before(t, y)),
                    z3.Not(log.before(t, z)),
                ),
                premise=True,
            ),
        ),
        goal=z3.Or(
            z3.And(missed_append(log, blind, t, y, z), z != t),
            missed_append(log, blind, t, b, y),
        ),
        witness=z3.And(blind(y), log.wr(y, z), z3.Not(log.writer(z))),
        background=log.linear(),
    )


def begins_before(log: Log, blind: Any, x: Any, y: Any) -> Any:
    """X stands before Y where all stand at their snapshots, blind appends at their commits."""
    lt, s, c = log.earlier, log.snapshot, log.commit
    place = {True: c, False: s}

    def case(x_blind: bool, y_blind: bool) -> Any:
        one, other = place[x_blind](x), place[y_blind](y)
        # An append stands before those whose snapshot is its commit.
        return log.upto(one, other) if x_blind and not y_blind else lt(one, other)

    return z3.If(
        blind(x),
        z3.If(blind(y), case(True, True), case(True, False)),
        z3.If(blind(y), case(False, True), case(False, False)),
    )


def way_back(log: Log, blind: Any, w: Any, z: Any) -> Any:
    """Z, no blind append, changed what W read, and W began and ended while Z ran."""
    lt, s, c = log.earlier, log.snapshot, log.commit
    return z3.And(
        log.rw(w, z),
        log.writer(z),
        z3.Not(blind(z)),
        log.upto(s(z), s(w)),
        z3.If(log.writer(w), lt(c(w), c(z)), lt(s(w), c(z))),
    )


def _backward() -> Claim:
    log = Log()
    blind, (w, z, b) = _blind(log), log.txns("W Z B")
    return Claim(
        (
            *edges_of_writers(log),
            _appends_only_add(log, blind),
            _changed_by_winners(log, blind, w, z, b),
        ),
        goal=z3.Implies(
            z3.And(_edge(log, w, z), w != z),
            z3.Or(begins_before(log, blind, w, z), way_back(log, blind, w, z)),
        ),
        witness=z3.And(
            way_back(log, blind, w, z), log.writer(w), z3.Not(begins_before(log, blind, w, z))
        ),
        background=log.linear(),
    )


def _strict() -> Claim:
    log = Log()
    blind, (x, y, z) = _blind(log), log.txns("x y z")

    def before(one: Any, other: Any) -> Any:
        return begins_before(log, blind, one, other)

    chain = z3.And(before(x, y), before(y, z))
    return Claim(
        (),
        goal=z3.And(z3.Not(before(x, x)), z3.Implies(chain, before(x, z))),
        witness=z3.And(chain, blind(y), z3.Not(blind(x)), z3.Not(blind(z))),
        background=log.linear(),
    )


def _some_edge_back() -> Claim:
    log = Log()
    blind, (x, y, z) = _blind(log), log.txns("x y z")
    edge, path = log._edge("edge"), log._edge("path")

    def before(one: Any, other: Any) -> Any:
        return begins_before(log, blind, one, other)

    return Claim(
        (
            Assumption(
                "no edge of the cycle is a way back",
                "Suppose that all edges lead forward (the lemma before).",
                log.every("x y", lambda x, y: z3.Implies(edge(x, y), before(x, y))),
                premise=True,
            ),
            Assumption(
                "induction hypothesis",
                "Paths of up to so many edges lead forward.",
                log.every("x y", lambda x, y: z3.Implies(path(x, y), before(x, y))),
                premise=True,
            ),
            Assumption(
                "the order is strict",
                "The lemma before.",
                z3.And(
                    log.every("x", lambda x: z3.Not(before(x, x))),
                    log.every(
                        "x y z",
                        lambda x, y, z: z3.Implies(
                            z3.And(before(x, y), before(y, z)), before(x, z)
                        ),
                    ),
                ),
            ),
        ),
        goal=z3.Implies(z3.And(path(x, y), edge(y, z)), z3.And(before(x, z), x != z)),
        witness=z3.And(path(x, y), edge(y, z)),
    )


LEMMAS = (
    *WRITERS[:2],
    Lemma(
        "the last place on the cycle misses an append",
        "On every cycle, readers among its transactions, the one with the last place, T, is a "
        "writer with an rw edge to a blind append B that committed while T ran, and X on the "
        "cycle depends on B: it began after B's commit and was over (a reader: took its "
        "snapshot) before T's commit.",
        _last_on_the_cycle,
        {},
    ),
    Lemma(
        "an edge leads forward, or is a way back",
        "Let all stand at their snapshots and blind appends at their commits. An edge that does "
        "not lead forward is an rw edge from W to Z, Z is no blind append, and W began and ended "
        "(a reader: took its snapshot) while Z ran.",
        _backward,
        {},
    ),
    Lemma(
        "places at snapshots are a strict order",
        "The order of these places is strict.",
        _strict,
        {},
    ),
    Lemma(
        "some edge of a cycle is a way back",
        "Were every edge of a cycle to lead forward, the path would never come back.",
        _some_edge_back,
        {},
    ),
)

THEOREM = Theorem(
    "Every transaction, readers included: what a violation contains",
    "In every history that the rules of delta-spark-4.4 admit at WriteSerializable and that has "
    "no serial order of all its transactions, readers included (PL-3), every cycle has two parts: "
    "T has an rw edge to a blind append B that committed while T ran, and X on the cycle depends "
    "on B and was over before T's commit; and some W has an rw edge to some Z on the cycle that is "
    "no blind append, and W ran while Z did. So jobs that cannot make both always have a serial "
    "order, however many of them run.",
    LEMMAS,
    readings=OF_VIOLATIONS,
)
