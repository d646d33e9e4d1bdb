"""The facts that a log states about all rows of one file: partition values, statistics, types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

from checker.logs.actions import LoggedFile

_WHOLE = ("byte", "short", "integer", "long")


@dataclass(frozen=True)
class Columns:
    """The columns of a table: the type and the stored name of each, by its name in lower case."""

    types: Mapping[str, str] = field(default_factory=dict)
    stored: Mapping[str, str] = field(default_factory=dict)
    partition: frozenset[str] = frozenset()

    @classmethod
    def of(cls, metadata: Mapping[str, Any] | None) -> Columns:
        """The top-level columns that a ``metaData`` action declares."""
        if metadata is None:
            return cls()
        types, stored = {}, {}
        for column in json.loads(metadata["schemaString"])["fields"]:
            name = column["name"].lower()
            types[name] = column.get("type") if isinstance(column.get("type"), str) else "nested"
            options = column.get("metadata")
            options = options if isinstance(options, dict) else {}
            physical = options.get("delta.columnMapping.physicalName")
            stored[name] = physical if isinstance(physical, str) else column["name"]
        partition = frozenset(name.lower() for name in metadata.get("partitionColumns") or ())
        return cls(types, stored, partition)


class Facts:
    """The facts that the log states about all rows of one file."""

    def __init__(self, file: LoggedFile, columns: Columns):
        self._file = file
        self._columns = columns

    @cached_property
    def _stats(self) -> Mapping[str, Any]:
        return statistics(self._file)

    @property
    def rows(self) -> int | None:
        """The number of rows, deleted ones included; None if the log does not say."""
        count = self._stats.get("numRecords")
        return count if isinstance(count, int) and not isinstance(count, bool) else None

    def bounds(self, name: str) -> tuple[Any, Any, bool, bool] | None:
        """The least and greatest value of a column, whether it may be NULL, whether it may not be.

        None if the log does not say.
        """
        kind, stored = self._columns.types[name], self._columns.stored[name]
        if name in self._columns.partition:
            if stored not in self._file.partition:
                return None
            text = self._file.partition[stored]
            if text is None or text == "":
                return None, None, True, False
            value = typed(text, kind)
            return None if value is None else (value, value, False, True)
        low = typed(_inside(self._stats, "minValues", stored), kind)
        high = typed(_inside(self._stats, "maxValues", stored), kind)
        nulls = _inside(self._stats, "nullCount", stored)
        if isinstance(nulls, int) and nulls and nulls == self.rows:
            return None, None, True, False
        if low is None or high is None:
            return None
        return low, high, nulls != 0 or isinstance(nulls, bool), True


def statistics(file: LoggedFile) -> Mapping[str, Any]:
    """The statistics of a file; empty if there are none that can be read."""
    if file.stats is None:
        return {}
    try:
        parsed = json.loads(file.stats, parse_float=Decimal)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def row_count(file: LoggedFile) -> int | None:
    """The rows of a file without deleted ones; None if the log does not say."""
    count = statistics(file).get("numRecords")
    if not isinstance(count, int) or isinstance(count, bool):
        return None
    return count - (file.vector["cardinality"] if file.vector else 0)


def _inside(stats: Mapping[str, Any], part: str, column: str) -> Any:
    values = stats.get(part)
    return values.get(column) if isinstance(values, dict) else None


def typed(value: object, kind: str) -> Any:
    """A value of the log as one that compares as its type does; None if that is not known.

    Floating-point numbers (NaN) and timestamps (truncated statistics, time zones) are left out.
    """
    try:
        if kind in _WHOLE and isinstance(value, str | int) and not isinstance(value, bool):
            return int(value)
        if kind == "date" and isinstance(value, str):
            return date.fromisoformat(value)
        if kind == "string" and isinstance(value, str):
            return value
        if kind == "boolean" and str(value).lower() in ("true", "false"):
            return str(value).lower() == "true"
        if kind.startswith("decimal") and isinstance(value, str | int | Decimal):
            return Decimal(value)
    except (ValueError, InvalidOperation):
        return None
    return None
