"""Results as tables: a row for each transaction, verdict or finding, in Arrow or pandas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from checker.judging.verdict import Verdict
from checker.search.finding import Finding
from checker.search.search_result import SearchResult
from conformance.replay.comparison import Comparison
from isodelta.files.scenario_writer import scenario_yaml
from isodelta.files.values import plain
from model.simulator import Run

if TYPE_CHECKING:
    import pandas
    import pyarrow

Result = Run | Comparison | Verdict | Mapping[str, Verdict] | SearchResult | Finding
"""What can become a table. ``judge`` gives a mapping of verdicts."""

_TEXT, _NUMBER, _FLAG, _TEXTS = "string", "int64", "bool", "list<string>"

RUN = {
    "run": _NUMBER,
    "transaction": _TEXT,
    "statement": _TEXT,
    "outcome": _TEXT,
    "read_version": _NUMBER,
    "commit_version": _NUMBER,
    "conflicts_with": _TEXT,
    "because": _TEXT,
    "rows": _TEXT,
}
"""Columns of runs: ``run`` counts them from 0, ``rows`` is JSON."""

COMPARISON = {
    "run": _NUMBER,
    "scenario": _TEXT,
    "engine": _TEXT,
    "level": _TEXT,
    "transaction": _TEXT,
    "statement": _TEXT,
    "predicted": _TEXT,
    "observed": _TEXT,
    "read_version": _NUMBER,
    "commit_version": _NUMBER,
    "message": _TEXT,
    "agrees": _FLAG,
}
"""Columns of replays; ``agrees`` is about the whole replay."""

VERDICT = {
    "run": _NUMBER,
    "level": _TEXT,
    "verdict": _TEXT,
    "anomaly": _TEXT,
    "why": _TEXT,
    "cycle": _TEXTS,
    "serial_order": _TEXTS,
    "view": _TEXT,
    "final_state": _TEXT,
}
"""Columns of verdicts; ``cycle`` has the edges in words."""

FINDING = {
    "finding": _TEXT,
    "kind": _TEXT,
    "level": _TEXT,
    "table_level": _TEXT,
    "layout": _TEXT,
    "statements": _TEXTS,
    "anomaly": _TEXT,
    "histories": _NUMBER,
    "scenario": _TEXT,
}
"""Columns of findings; ``scenario`` is the file to replay."""


def to_arrow(results: Result | Iterable[Result]) -> pyarrow.Table:
    """One result, or several of one kind, as an Arrow table.

    A run has a row for each transaction, a verdict has one, a search one for each finding. The
    columns are those of RUN, COMPARISON, VERDICT and FINDING. Raises TypeError for anything else,
    and for results of different kinds.
    """
    import pyarrow

    one = isinstance(results, Run | Comparison | Verdict | SearchResult | Finding | Mapping)
    parts: list[Any] = [results] if one else list(results)  # type: ignore[arg-type]
    columns: Mapping[str, str] | None = None
    rows: list[dict[str, object]] = []
    for number, part in enumerate(parts):
        kind = _columns(part)
        if columns is not None and kind is not columns:
            raise TypeError("results of different kinds do not fit into one table")
        columns = kind
        rows += ({"run": number, **row} for row in _rows(part))
    if columns is None:
        raise TypeError("no results: an empty table would have no columns")
    types = {_TEXT: pyarrow.string(), _NUMBER: pyarrow.int64(), _FLAG: pyarrow.bool_()}
    types[_TEXTS] = pyarrow.list_(pyarrow.string())
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    wanted = [{name: row.get(name) for name in columns} for row in rows]
    return pyarrow.Table.from_pylist(wanted, schema=schema)


def to_pandas(results: Result | Iterable[Result]) -> pandas.DataFrame:
    """The same as a DataFrame of pandas. Raises ImportError, which says what to install."""
    from conformance.extras import missing

    if (absent := missing("pandas")) is not None:
        raise ImportError(absent)
    import pandas

    return to_arrow(results).to_pandas(types_mapper=_nullable(pandas))


def _nullable(pandas: Any) -> Any:
    """Versions stay whole numbers where some are missing."""
    import pyarrow

    return {pyarrow.int64(): pandas.Int64Dtype()}.get


def _columns(result: object) -> Mapping[str, str]:
    match result:
        case Run():
            return RUN
        case Comparison():
            return COMPARISON
        case Verdict() | Mapping():
            return VERDICT
        case SearchResult() | Finding():
            return FINDING
    kinds = "a Run, a Comparison, verdicts, a SearchResult or a Finding"
    raise TypeError(f"{type(result).__name__} is not {kinds}")


def _rows(result: Result) -> Iterator[dict[str, object]]:
    match result:
        case Run():
            yield from _of_run(result)
        case Comparison():
            yield from _of_comparison(result)
        case Verdict():
            yield _of_verdict(result)
        case SearchResult():
            yield from map(_of_finding, result.findings)
        case Finding():
            yield _of_finding(result)
        case _:
            yield from map(_of_verdict, result.values())


def _of_run(run: Run) -> Iterator[dict[str, object]]:
    for name, ended in run.ended.items():
        end = ended.ending
        rows = None if end.rows is None else [[plain(v) for v in row] for row in end.rows]
        yield {
            "transaction": name,
            "statement": ended.logical.text,
            "outcome": end.outcome,
            "read_version": end.read_version,
            "commit_version": end.commit_version,
            "conflicts_with": end.conflicts_with,
            "because": end.because,
            "rows": None if rows is None else json.dumps(rows),
        }


def _of_comparison(comparison: Comparison) -> Iterator[dict[str, object]]:
    seen = comparison.observation
    for name, end in seen.ended.items():
        yield {
            "scenario": seen.scenario.name,
            "engine": seen.engine,
            "level": seen.level,
            "transaction": name,
            "statement": seen.scenario.transactions[name],
            "predicted": comparison.predicted.ended[name].outcome,
            "observed": seen.outcomes[name],
            "read_version": seen.begun[name].read_version,
            "commit_version": end.commit_version,
            "message": end.message,
            "agrees": comparison.agrees,
        }


def _of_verdict(verdict: Verdict) -> dict[str, object]:
    edges = [f"{e.source} -> {e.target} ({e.kind}): {e.because}" for e in verdict.cycle]
    order = verdict.serial_order
    return {
        "level": verdict.level,
        "verdict": verdict.verdict,
        "anomaly": verdict.anomaly,
        "why": verdict.why,
        "cycle": edges or None,
        "serial_order": None if order is None else list(order),
        "view": None if verdict.view is None else verdict.view.verdict,
        "final_state": None if verdict.final_state is None else verdict.final_state.verdict,
    }


def _of_finding(finding: Finding) -> dict[str, object]:
    return {
        "finding": finding.scenario.name,
        "kind": finding.kind,
        "level": finding.level,
        "table_level": finding.table_level,
        "layout": finding.layout,
        "statements": list(finding.statement_kinds),
        "anomaly": finding.verdict.anomaly,
        "histories": finding.count,
        "scenario": scenario_yaml(finding.scenario),
    }
