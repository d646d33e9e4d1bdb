"""The explainer of a serialization graph: it puts any of its edges into words."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from checker.judging.dependencies import Cause, GraphEdge
from checker.judging.witness import Edge
from model.history import PredicateRead, Row, RowChange, Value
from model.levels import EdgeKind

SHOWN = 2
"""The number of causes of one edge that are written out; the others are only counted."""


def in_words(edge: GraphEdge) -> Edge:
    """An edge of the graph, in words."""
    return Edge(edge.source.name, edge.target.name, edge.kind.short, because(edge))


def because(edge: GraphEdge) -> str:
    """Why ``edge.source`` comes before ``edge.target``, with the rows and predicates concerned.

    An edge with many causes names the first few and the number of the others.
    """
    first, second = edge.source.name, edge.target.name
    shown = [_words(edge, cause) for cause in edge.causes[:SHOWN]]
    text = "; ".join(dict.fromkeys(shown))
    others = len(edge.causes) - len(shown)
    if others:
        text += f"; and {others} more between {first} and {second}"
    return text


def _words(edge: GraphEdge, cause: Cause) -> str:
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
    if cause.change is None:
        raise ValueError(f"an edge of kind {edge.kind} needs a row change")
    change = cause.change
    match edge.kind:
        case EdgeKind.WW if cause.earlier is not None:
            return f"{second} {_deed(change)} after {first} {_deed(cause.earlier)}"
        case EdgeKind.WR_ITEM if cause.values is not None:
            return f"{second} saw {row(cause.values)}, which {first} {_left(change)}"
        case EdgeKind.RW_ITEM if cause.values is not None:
            return f"{first} saw {row(cause.values)} before {second} {_deed(change)}"
        case EdgeKind.WR_PREDICATE if cause.predicate is not None:
            return f"{second} read {_predicate(cause.predicate)} after {first} {_deed(change)}"
        case EdgeKind.RW_PREDICATE if cause.predicate is not None:
            return f"{first} read {_predicate(cause.predicate)} before {second} {_deed(change)}"
    raise ValueError(f"an edge of kind {edge.kind} has a cause of another kind")


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
    """A row as SQL would write it after VALUES."""
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
