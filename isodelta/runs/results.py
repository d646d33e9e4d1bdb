"""The JSON object that says what came of one scenario."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from isodelta.files.values import Plain, plain
from isodelta.runs.judging import Checked
from model.history import Row
from model.outcomes import NO_COMMIT
from model.simulator import Ended


def check_result(checked: Checked) -> dict[str, Any]:
    """A run in the model as ``isodelta check --json`` prints it.

    ``failures`` is there only where something is not as it should be.
    """
    run = checked.run
    result: dict[str, Any] = {
        "scenario": checked.loaded.scenario.name,
        "profile": run.profile.name,
        "engine": "model",
        "transactions": {
            name: _transaction(run.ended[name]) for name in checked.loaded.scenario.transactions
        },
        "rows": plain_rows(run.final.shown()),
        "levels": {level: verdict.to_json() for level, verdict in checked.verdicts.items()},
    }
    if checked.failures:
        result["failures"] = list(checked.failures)
    return result


def _transaction(ended: Ended) -> dict[str, Any]:
    logical = ended.logical
    result: dict[str, Any] = {"outcome": ended.outcome, "read_version": logical.read_version}
    if logical.commit_version is not None:
        result["commit_version"] = logical.commit_version
    if ended.conflict is not None:
        result["conflicts_with"] = ended.conflict.winner
        result["because"] = ended.conflict.because
    elif ended.outcome == NO_COMMIT:
        result["because"] = "it found nothing to change"
    elif not logical.committed:
        result["because"] = "the statement fails by itself on what it finds"
    if ended.rows is not None:
        result["rows"] = plain_rows(ended.rows)
    return result


def plain_rows(rows: Iterable[Row]) -> list[list[Plain]]:
    """Rows in JSON types, in an order that depends on nothing but their values."""
    return sorted(([plain(value) for value in row] for row in rows), key=_sort_key)


def _sort_key(row: list[Plain]) -> list[tuple[int, Any]]:
    ranks = {bool: 1, int: 2, float: 2, str: 3}
    return [(0, 0) if value is None else (ranks[type(value)], value) for value in row]


def print_json(result: Mapping[str, Any]) -> None:
    """Prints one object as one line on standard output, at once."""
    text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()
