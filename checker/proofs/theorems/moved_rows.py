"""Lemmas on compactions that move rows while another transaction reads and changes them.

The state is the file that each row version lies in: where a compaction wins, reads and deletion
vectors have to follow the rows; where it loses, it must not bring rows along that are gone.
"""

from __future__ import annotations

from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Lemma


class PlacesOfRows:
    """Row versions and the file that each lies in, before and after a compaction commits."""

    def __init__(self) -> None:
        self.File = z3.DeclareSort("File")
        self.Row = z3.DeclareSort("Row")
        truth = z3.BoolSort()
        for name in ("live", "live_after", "matches", "takes", "at_snapshot"):
            setattr(self, name, z3.Function(name, self.Row, truth))
        for name in ("place", "place_after", "vector", "vector_after"):
            setattr(self, name, z3.Function(name, self.Row, self.File))
        for name in ("noted", "noted_after", "source"):
            setattr(self, name, z3.Function(name, self.File, truth))

    live: Any
    live_after: Any
    matches: Any
    takes: Any
    at_snapshot: Any
    place: Any
    place_after: Any
    vector: Any
    vector_after: Any
    noted: Any
    noted_after: Any
    source: Any

    def every(self, condition: Any) -> Any:
        """Of every row version."""
        row = z3.Const("r", self.Row)
        return z3.ForAll([row], condition(row))

    def some(self, condition: Any) -> Any:
        """Of some row version."""
        row = z3.Const("q", self.Row)
        return z3.Exists([row], condition(row))

    def moved(self, row: Any) -> Any:
        """Whether the compaction moves a row version."""
        return z3.And(self.live(row), self.source(self.place(row)))

    def invariant(self, live: Any, place: Any, noted: Any, vector: Any) -> Any:
        """What is read lies in files noted as read; what is taken out is where it is taken out."""
        return z3.And(
            self.every(lambda r: z3.Implies(z3.And(live(r), self.matches(r)), noted(place(r)))),
            self.every(lambda r: z3.Implies(self.takes(r), z3.And(live(r), vector(r) == place(r)))),
        )


def _compaction_wins() -> Claim:
    s = PlacesOfRows()
    file = z3.Const("f", s.File)
    kept = z3.ForAll([file], z3.Implies(s.noted(file), s.noted_after(file)))

    def follows(which: Any) -> Any:
        return s.every(
            lambda r: z3.Implies(
                z3.And(s.moved(r), s.noted(s.place(r)), which(r)), s.noted_after(s.place_after(r))
            )
        )

    return Claim(
        (
            Assumption(
                "a compaction moves rows",
                "It changes no row version, and moves none out of a file that is not one of its "
                "own (the lemma before).",
                s.every(
                    lambda r: z3.And(
                        s.live_after(r) == s.live(r),
                        z3.Implies(z3.Not(s.moved(r)), s.place_after(r) == s.place(r)),
                    )
                ),
                premise=True,
            ),
            Assumption(
                "induction hypothesis",
                "Before this winner, every live row that the attempt reads lies in a file that "
                "counts as read, and every row that it takes out is where it takes it out.",
                s.invariant(s.live, s.place, s.noted, s.vector),
                premise=True,
            ),
            Assumption(
                "reads follow rows",
                "A file into which a row was moved from a file that counts as read counts as read "
                "from then on, and so does what counted before.",
                z3.And(kept, follows(lambda r: z3.BoolVal(True))),
                rule="reads follow rows",
                weakened={"only what is taken out follows": z3.And(kept, follows(s.takes))},
            ),
            Assumption(
                "deletion vectors follow rows",
                "What the attempt takes out of a file it takes out of the file to which the row "
                "was moved.",
                s.every(
                    lambda r: z3.Implies(
                        s.takes(r),
                        s.vector_after(r)
                        == z3.If(s.source(s.vector(r)), s.place_after(r), s.vector(r)),
                    )
                ),
                rule="deletion vectors follow rows",
                weakened={
                    "they stay where they are": s.every(
                        lambda r: z3.Implies(s.takes(r), s.vector_after(r) == s.vector(r))
                    )
                },
            ),
        ),
        goal=s.invariant(s.live_after, s.place_after, s.noted_after, s.vector_after),
        witness=z3.And(
            s.some(lambda r: z3.And(s.takes(r), s.moved(r), s.place(r) != s.place_after(r))),
            s.some(lambda r: z3.And(z3.Not(s.takes(r)), s.moved(r), s.matches(r))),
        ),
    )


def _compaction_loses() -> Claim:
    s = PlacesOfRows()
    puts = z3.Function("puts", s.Row, z3.BoolSort())
    return Claim(
        (
            Assumption(
                "it replaces its files",
                "After its commit a row version is live if the compaction put it into a new file, "
                "or if it was live in a file that is not one of its own.",
                s.every(
                    lambda r: (
                        s.live_after(r)
                        == z3.Or(puts(r), z3.And(s.live(r), z3.Not(s.source(s.place(r)))))
                    )
                ),
                premise=True,
            ),
            Assumption(
                "deletion vectors are carried over",
                "It puts back the rows that were in its files in its snapshot, without those that "
                "others have taken out since.",
                s.every(lambda r: puts(r) == z3.And(s.at_snapshot(r), s.live(r))),
                rule="deletion vectors are carried over",
                weakened={
                    "rows that are gone come along": s.every(lambda r: puts(r) == s.at_snapshot(r))
                },
            ),
            Assumption(
                "files only lose rows",
                "A row that is live in one of its files was there in its snapshot: a DELETE, "
                "UPDATE or MERGE takes rows out of a file and puts none in; a RESTORE does.",
                s.every(lambda r: z3.Implies(s.moved(r), s.at_snapshot(r))),
                rule="only DELETE, UPDATE and MERGE are passed over",
            ),
        ),
        goal=s.every(lambda r: s.live_after(r) == s.live(r)),
        witness=z3.And(
            s.some(lambda r: z3.And(s.at_snapshot(r), z3.Not(s.live(r)))), s.some(s.moved)
        ),
    )


LEMMAS = (
    Lemma(
        "a compaction loses",
        "A compaction that leaves out what others took out of its files meanwhile changes no row.",
        _compaction_loses,
        {},
    ),
    Lemma(
        "a compaction wins",
        "A compaction that an attempt passes changes no row, and leaves every row that the "
        "attempt reads in a file that counts as read.",
        _compaction_wins,
        {},
    ),
)
