"""Joins of two relations, including the semi and anti joins behind EXISTS and IN."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from model.expressions.evaluation import matcher
from model.expressions.syntax import Column, Expression
from model.history import PredicateRead, Row
from model.queries.relation import Branches, Inputs, Relation, flat
from model.values.types import ColumnType

if TYPE_CHECKING:
    from model.queries.query import Query

Kind = Literal["inner", "left", "right", "full", "semi", "anti"]

_BOTH: dict[Kind, tuple[bool, bool]] = {
    "inner": (True, True),
    "left": (False, True),
    "right": (True, False),
    "full": (False, False),
    "semi": (True, True),
    "anti": (False, True),
}
"""For each side, whether only rows with a partner on the other side make a difference."""


@dataclass(frozen=True)
class Join:
    """Pairs of rows of two relations that meet a condition over both, left columns first.

    A semi join has the left rows with a partner, an anti join those without one.
    """

    kind: Kind
    left: Relation
    right: Relation
    condition: Expression

    @cached_property
    def types(self) -> tuple[ColumnType, ...]:
        """The types of both sides; only the left side's for a semi or anti join."""
        if self.kind in ("semi", "anti"):
            return self.left.types
        return self.left.types + self.right.types

    @cached_property
    def scans(self) -> tuple[Query, ...]:
        """The scans of the left side, then those of the right one."""
        return self.left.scans + self.right.scans

    def branches(self, inputs: Inputs) -> Branches:
        """The joined rows, by the tasks of the larger side. Raises StatementFailure."""
        left, right = self._sides(inputs)
        if self.kind in ("right", "full"):
            return (self._all(flat(left), flat(right)),)
        return tuple(self._all(branch, flat(right)) for branch in left)

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """The reads of both sides, narrowed to rows with a partner where only those matter."""
        ours, theirs = self._split(inputs)
        meets = matcher(self.condition)
        left, right = self.left.reads(ours), self.right.reads(theirs)
        needed_left, needed_right = _BOTH[self.kind]
        if needed_left and (shown := _shown(self.left, self.right)):
            partners = flat(self.right.branches(theirs))
            left = (_narrowed(left[0], lambda r: any(meets(shown(r) + p) for p in partners)),)
        if needed_right and (seen := _shown(self.right, self.left)):
            others = flat(self.left.branches(ours))
            right = (_narrowed(right[0], lambda r: any(meets(o + seen(r)) for o in others)),)
        return left + right

    def _sides(self, inputs: Inputs) -> tuple[Branches, Branches]:
        ours, theirs = self._split(inputs)
        return self.left.branches(ours), self.right.branches(theirs)

    def _split(self, inputs: Inputs) -> tuple[Inputs, Inputs]:
        count = len(self.left.scans)
        return inputs[:count], inputs[count:]

    def _all(self, left: Sequence[Row], right: Sequence[Row]) -> tuple[Row, ...]:
        meets = matcher(self.condition)
        matches = [[partner for partner in right if meets(row + partner)] for row in left]
        pairs = list(zip(left, matches, strict=True))
        if self.kind == "semi":
            return tuple(row for row, partners in pairs if partners)
        if self.kind == "anti":
            return tuple(row for row, partners in pairs if not partners)
        joined = [row + partner for row, partners in pairs for partner in partners]
        if self.kind in ("left", "full"):
            nothing = (None,) * len(self.right.types)
            joined += [row + nothing for row, partners in pairs if not partners]
        if self.kind in ("right", "full"):
            missing = (None,) * len(self.left.types)
            joined += [missing + p for p in right if not any(meets(row + p) for row in left)]
        return tuple(joined)


def _shown(side: Relation, other: Relation) -> Callable[[Row], Row] | None:
    """The row that a plain scan shows for a row of its table.

    None if ``side`` is anything else, or if ``other`` reads the same table.
    """
    if len(side.scans) != 1 or side.scans[0] is not side:
        return None
    scan = side.scans[0]
    places = [output.index for output in scan.outputs if isinstance(output, Column)]
    shared = any(scan.table == theirs.table for theirs in other.scans)
    if len(places) < len(scan.outputs) or shared:
        return None
    return lambda row: tuple(row[place] for place in places)


def _narrowed(read: PredicateRead, partner: Callable[[Row], bool]) -> PredicateRead:
    def matches(row: Row) -> bool:
        return bool(read.matches(row)) and partner(row)

    return PredicateRead(read.table, f"{read.text}, with a partner in the join", matches)
