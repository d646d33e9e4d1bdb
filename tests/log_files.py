"""Shared by tests of logs: a table's log written by hand, without data files unless asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from checker.logs.audit import Audit, Window, audit
from conformance.delta_log.stores import store
from conformance.delta_log.table_log import DataFiles, TableLog

Action = dict[str, Any]

SPARK = "Apache-Spark/4.2.0 Delta-Lake/4.4.0"


def field(name: str, kind: str = "integer", **metadata: object) -> Action:
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


def metadata(
    *fields: Action, partition_by: tuple[str, ...] = ("p",), **configuration: str
) -> Action:
    columns = list(fields) or [field("k"), field("p")]
    return {
        "metaData": {
            "id": "a-table",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": columns}),
            "partitionColumns": list(partition_by),
            "configuration": configuration,
        }
    }


PROTOCOL: Action = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}


def add(
    path: str, p: int | None = 1, rows: int = 1, low: int = 1, high: int = 1, **more: Any
) -> Action:
    """An added file with values of ``k`` from ``low`` to ``high``."""
    stats = {
        "numRecords": rows,
        "minValues": {"k": low},
        "maxValues": {"k": high},
        "nullCount": {"k": 0},
    }
    values = {} if p is None else {"p": str(p)}
    return {
        "add": {
            "path": path,
            "partitionValues": values,
            "size": 100,
            "modificationTime": 1,
            "dataChange": True,
            "stats": json.dumps(stats),
            **more,
        }
    }


def remove(path: str, **more: Any) -> Action:
    return {"remove": {"path": path, "deletionTimestamp": 1, "dataChange": True, **more}}


def info(operation: str, read: int | None = None, **more: Any) -> Action:
    written: Action = {"timestamp": 1000, "operation": operation, "engineInfo": SPARK, **more}
    written.setdefault("operationParameters", {})
    if read is not None:
        written["readVersion"] = read
    return {"commitInfo": written}


def append(read: int | None, *files: Action, **more: Any) -> tuple[Action, ...]:
    """A blind append."""
    parameters = {"mode": "Append"}
    return info("WRITE", read, isBlindAppend=True, operationParameters=parameters, **more), *files


def delete(read: int | None, predicate: str, *files: Action, **more: Any) -> tuple[Action, ...]:
    parameters = {"predicate": json.dumps([predicate] if predicate else [])}
    written = info("DELETE", read, isBlindAppend=False, operationParameters=parameters, **more)
    return written, *files


def create(*more: Action, table: Action | None = None) -> tuple[Action, ...]:
    return info("CREATE TABLE"), PROTOCOL, table or metadata(), *more


def optimize(read: int, *files: Action) -> tuple[Action, ...]:
    return info("OPTIMIZE", read, isBlindAppend=False, isolationLevel="SnapshotIsolation"), *files


def write_log(folder: Path, *commits: tuple[Action, ...], first: int = 0) -> Path:
    """Writes the log of a table, one commit after the other; returns the folder."""
    log = folder / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    for version, actions in enumerate(commits, first):
        text = "".join(json.dumps(action) + "\n" for action in actions)
        (log / f"{version:020d}.json").write_text(text, encoding="utf-8")
    return folder


def touch_files(folder: Path) -> Path:
    """Puts an empty file in the place of each data file that the log adds."""
    for commit in sorted((folder / "_delta_log").glob("*.json")):
        for line in commit.read_text(encoding="utf-8").splitlines():
            added = json.loads(line).get("add")
            if added:
                path = folder / added["path"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
    return folder


def audited(folder: Path, window: Window = Window()) -> Audit:  # noqa: B008 - a constant
    """The audit of a local table."""
    return audit(TableLog(store(str(folder))), DataFiles(folder), window)


def kinds(result: Audit) -> list[tuple[str, tuple[int, ...]]]:
    """The findings of an audit, by kind and versions, missing data files left out."""
    found = [(each.kind, each.versions) for each in result.findings]
    return [each for each in found if each[0] != "missing-file"]
