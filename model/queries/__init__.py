"""The parts of a SELECT: scans of tables, constants, joins, unions and computed relations."""

from model.queries.computed import Computed, Distinct
from model.queries.constants import Constants
from model.queries.join import Join
from model.queries.relation import Relation, alone, flat, scan_reads
from model.queries.union import Union

__all__ = [
    "Computed",
    "Constants",
    "Distinct",
    "Join",
    "Relation",
    "Union",
    "alone",
    "flat",
    "scan_reads",
]
