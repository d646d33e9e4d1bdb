"""One history of another tool, from its file to the object that ``isodelta history`` prints."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from checker.recorded.decide import Judgement, LevelVerdict, judge
from checker.recorded.history import Operation
from checker.recorded.observations import AmbiguousHistory, Finding
from checker.recorded.outside import with_outside_writers
from isodelta.exits import BadInput
from isodelta.formats.formats import FORMATS, LARGE, recognise
from model.levels import MEANS


def judge_file(
    path: Path,
    format_name: str | None,
    session_order: bool | None,
    time_limit: float,
    *,
    outside_writers: bool = False,
) -> dict[str, Any]:
    """Reads and judges one file; ``BadInput`` for what cannot be read or judged.

    With ``outside_writers`` the values of registers that nobody wrote are no anomalies.
    """
    name = format_name or recognise(path)
    if not path.exists():
        raise BadInput(f"{path}: there is no such file")
    if name == LARGE:
        from isodelta.formats.parquet import judge_parquet

        return {"history": str(path), "format": name, **judge_parquet(path)}
    format_ = FORMATS[name]
    history = format_.read(path)
    if not history.transactions and not format_.may_be_empty:
        raise BadInput(f"{path}: there is no transaction in this history")
    if outside_writers and history.kind == "register":
        history = with_outside_writers(history)
    sessions = format_.session_order if session_order is None else session_order
    try:
        judgement = judge(history, session_order=sessions, time_limit=time_limit)
    except AmbiguousHistory as error:
        raise BadInput(f"{path}: {error}") from error
    outside = [t.operations[0] for t in history.transactions if t.outside]
    return {"history": str(path), "format": name, **_judgement(judgement, outside)}


def _judgement(judgement: Judgement, outside: Sequence[Operation]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "transactions": judgement.transactions - len(outside),
        "levels": {name: _level(name, verdict) for name, verdict in judgement.levels.items()},
    }
    taken = judgement.taken_for_initial
    if taken:
        result["taken_for_initial"] = {
            "keys": len(taken),
            "first": [{"key": k, "value": v} for k, v in islice(taken.items(), MOST_FINDINGS)],
        }
    if outside:
        result["written_outside"] = {
            "values": len(outside),
            "first": [
                {"key": _plain(o.key), "value": _plain(o.value)} for o in outside[:MOST_FINDINGS]
            ],
        }
    reads = [
        {
            "anomaly": finding.anomaly,
            "forbidden_from": finding.forbidden_from,
            "transactions": list(finding.transactions),
            "because": finding.because,
        }
        for finding in _one_of_each(judgement.findings)
    ]
    cycles = [
        {
            "anomaly": cycle.anomaly,
            "phenomenon": cycle.phenomenon,
            "transactions": list(cycle.cycle),
            "because": cycle.because,
        }
        for cycle in judgement.cycles
    ]
    if reads or cycles:
        result["anomalies"] = reads + cycles
        result["anomalous_reads"] = len(judgement.findings)
    return result


def _plain(value: Hashable) -> int | str:
    """A key or a value as it can stand in JSON."""
    plain = isinstance(value, int) or (isinstance(value, str) and value.isprintable())
    return value if plain else repr(value)  # type: ignore[return-value]


MOST_FINDINGS = 20
"""Anomalous reads that are written out: at least one of each kind, if there are fewer kinds."""


def _one_of_each(findings: Sequence[Finding]) -> list[Finding]:
    """The first anomalous reads, and the first one of each kind."""
    first = {finding.anomaly: finding for finding in reversed(findings)}
    others = (f for f in findings if first[f.anomaly] is not f)
    chosen = [*first.values(), *islice(others, max(0, MOST_FINDINGS - len(first)))]
    places = {id(finding): place for place, finding in enumerate(findings)}
    return sorted(chosen, key=lambda finding: places[id(finding)])


def _level(name: str, verdict: LevelVerdict) -> dict[str, Any]:
    result: dict[str, Any] = {
        "verdict": verdict.verdict,
        "anomaly": verdict.anomaly,
        "cycle": list(verdict.cycle),
        "session_order": verdict.session_order,
    }
    if name in MEANS:
        result["means"] = MEANS[name]
    if verdict.without_sessions is not None:
        result["without_session_order"] = verdict.without_sessions
    if verdict.phenomenon is not None:
        result["phenomenon"] = verdict.phenomenon
    if verdict.edges:
        result["edges"] = [
            {"from": source, "to": target, "kind": kind, "because": words}
            for source, target, kind, words in verdict.edges
        ]
    if verdict.because is not None:
        result["because"] = verdict.because
    return result
