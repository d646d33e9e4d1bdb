"""Names for the exceptions with which an operation of delta-rs ends.

All conflicts share one exception class; only the text says which kind it is. Source of the
texts: crates/core/src/kernel/transaction/conflict_checker.rs, ``CommitConflictError``.
"""

from __future__ import annotations

from conformance.engine import Committed
from model.outcomes import FAILED
from model.statements import Statement
from model.statements.merge.statement import MULTIPLE_MATCHES
from model.tables.invariants import NULL_VIOLATED

_CONFLICTS = (
    ("a concurrent transactions added new data", "ConcurrentAppend"),
    ("a concurrent transaction deleted data this operation read", "ConcurrentDeleteRead"),
    ("a concurrent transaction deleted the same data", "ConcurrentDeleteDelete"),
    ("Metadata changed since last commit", "MetadataChanged"),
    ("Protocol changed since last commit", "ProtocolChanged"),
    ("Concurrent transaction failed", "ConcurrentTransaction"),
    ("Failed to commit transaction: 0", "ConcurrentWrite"),
)

_FAILURES = (
    ("Cast error: Can't cast value", "CAST_OVERFLOW"),
    ("is too large to store in a", "NUMERIC_VALUE_OUT_OF_RANGE"),
    ("Divide by zero", "DIVIDE_BY_ZERO"),
    ("division by zero", "DIVIDE_BY_ZERO"),
    ("Delta table is append-only", "DELTA_CANNOT_MODIFY_APPEND_ONLY"),
    ("is declared as non-null", NULL_VIOLATED),
    ("not the same as the specified end version", "DELTA_CANNOT_RESTORE_TABLE_VERSION"),
    ("MERGE matched a target row with multiple source rows", MULTIPLE_MATCHES),
)
"""Failures of the statement itself, from a part of the exception's text to Spark's error class."""

_INVALID_DATA = "Invalid data found"
"""Rows that violate a constraint, or that REPLACE WHERE does not allow: the text is the same."""


def outcome_of(error: Exception, statement: Statement | None = None) -> Committed | None:
    """A conflict by its name or a failure of the statement; None for an exception not of delta-rs.

    A failure has Spark's error class if Spark has the same failure, else the exception's class.
    """
    from deltalake.exceptions import DeltaError

    # Errors of Arrow and DataFusion come as plain Exception, or as ValueError.
    if not isinstance(error, DeltaError) and type(error) not in (Exception, ValueError):
        return None
    text = str(error)
    kind = type(error).__name__
    if kind == "CommitFailedError":
        for part, name in _CONFLICTS:
            if part in text:
                return Committed(name, error_class=kind, message=text)
    if _INVALID_DATA in text and statement is not None:
        return Committed(FAILED, error_class=statement.violation, message=text)
    for part, name in _FAILURES:
        if part in text:
            return Committed(FAILED, error_class=name, message=text)
    return Committed(FAILED, error_class=kind, message=text)


def is_from_delta_rs(error: Exception) -> bool:
    """True if an exception of somebody's code is certainly one of delta-rs.

    Arrow's and DataFusion's come as plain Exception or ValueError, which the code itself may raise.
    """
    from deltalake.exceptions import DeltaError

    return isinstance(error, DeltaError)
