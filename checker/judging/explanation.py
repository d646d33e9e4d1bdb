"""Every edge of a serialization graph in words."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from checker.judging.dependencies import Edge, Reason
from model.history import PredicateRead, Row, RowChange, Value
from model.levels import EdgeKind

SHOWN = 2
"""How many reasons of one edge are written out; the others are counted."""


def because(edge: Edge) -> str:
    """Why ``edge.source`` comes before ``edge.target``, with the rows and predicates concerned.

    An edge with many reasons names the first few and the number of the others.
    """
    first, second = edge.source.name, edge.target.name
    shown = [_reason(edge, reason) for reason in edge.reasons[:SHOWN]]
    text = "; ".join(dict.fromkeys(shown))
    others = len(edge.reasons) - len(shown)
    if others:
        text += f"; and {others} more between {first} and {second}"
    return text


def _reason(edge: Edge, reason: Reason) -> str:
    first, second = edge.source.name, edge.target.name
    match edge.kind:
        case EdgeKind.LOG:
            return (
                f"the log has {first} (version {edge.source.commit_version}) before "
                f"{second} (version {edge.target.commit_version})"
            )
        case EdgeKind.START:
            return (
                f"{second} began at version {edge.target.read_version}, which shows the commit "
                f"of {first} (version {edge.source.commit_version})"
            )
        case EdgeKind.UNSEEN:
            return (
                f"{first} began at version {edge.source.read_version}, which does not show the "
                f"commit of {second} (version {edge.target.commit_version})"
            )
    if reason.change is None:
        raise ValueError(f"an edge of kind {edge.kind} needs a row change")
    change = reason.change
    match edge.kind:
        case EdgeKind.WW if reason.earlier is not None:
            return f"{second} {_deed(change)} after {first} {_deed(reason.earlier)}"
        case EdgeKind.WR_ITEM if reason.values is not None:
            return f"{second} saw {row(reason.values)}, which {first} {_left(change)}"
        case EdgeKind.RW_ITEM if reason.values is not None:
            return f"{first} saw {row(reason.values)} before {second} {_deed(change)}"
        case EdgeKind.WR_PREDICATE if reason.predicate is not None:
            return f"{second} read {_predicate(reason.predicate)} after {first} {_deed(change)}"
        case EdgeKind.RW_PREDICATE if reason.predicate is not None:
            return f"{first} read {_predicate(reason.predicate)} before {second} {_deed(change)}"
    raise ValueError(f"an edge of kind {edge.kind} has a reason of another kind")


def _predicate(read: PredicateRead) -> str:
    return f"all of {read.table}" if read.text.upper() == "TRUE" else read.text


def _deed(change: RowChange) -> str:
    match change.before, change.after:
        case None, None:
            return "deleted a row that was gone already"
        case None, after if after is not None:
            return f"added {row(after)}"
        case before, None if before is not None:
            return f"deleted {row(before)}"
        case before, after if before == after and before is not None:
            return f"wrote {row(before)} again"
        case before, after if before is not None and after is not None:
            return f"changed {row(before)} to {row(after)}"
    raise AssertionError("unreachable: every combination is handled above")


def _left(change: RowChange) -> str:
    match change.before, change.after:
        case None, _:
            return "added"
        case before, after if before == after:
            return "wrote again"
        case before, _ if before is not None:
            return f"had changed from {row(before)}"
    raise AssertionError("unreachable: every combination is handled above")


def row(values: Row) -> str:
    """A row as it would stand after VALUES in SQL."""
    return f"({', '.join(literal(value) for value in values)})"


def literal(value: Value) -> str:
    """One value as a SQL literal."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case Decimal():
            return format(value, "f")
    return str(value)
