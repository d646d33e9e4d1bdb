"""What a SELECT can be made of: scans of tables, constants, joins, unions, and what is computed."""

from model.relations.base import Relation, alone, flat, scan_reads
from model.relations.computed import Computed, Distinct
from model.relations.constants import Constants
from model.relations.join import Join
from model.relations.union import Union

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
