"""A relation that the model cannot evaluate: it can hold any rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from model.errors import NotPredicted
from model.history import PredicateRead
from model.queries.relation import Branches, Inputs
from model.values.types import ColumnType

if TYPE_CHECKING:
    from model.queries.query import Query


@dataclass(frozen=True)
class OpaqueRelation:
    """The rows of ``text``, which the model cannot evaluate for the reason ``because``.

    ``scans`` are whole scans of the tables that it mentions, ``types`` those of its columns.
    """

    text: str
    because: str
    types: tuple[ColumnType, ...]
    scans: tuple[Query, ...] = ()

    def branches(self, inputs: Inputs) -> Branches:
        """Raises NotPredicted."""
        raise NotPredicted(self.text, self.because)

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """The predicates of its scans: every row of their tables."""
        return tuple(scan.predicate_read for scan in self.scans)
