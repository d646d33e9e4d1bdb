"""A scenario as SQL that anyone can run by hand, in two or more sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isodelta.report.data import ScenarioMapping
from isodelta.report.pictures.schedule import schedule_steps
from model.levels import WRITE_SERIALIZABLE


def sql_script(scenario: ScenarioMapping) -> str:
    """The tables, the set-up and the transactions in the order in which they end.

    Plain SQL cannot hold a statement between its snapshot and its commit; comments say which
    other steps have to happen in between.
    """
    lines: list[str] = []
    for name, table in (scenario.get("tables") or {}).items():
        lines += _table(str(name), table)
    lines += _table("t", scenario.get("table") or {})
    statements = scenario.get("transactions") or {}
    steps = schedule_steps(scenario)
    lines += ["-- One session per transaction; the comments give the order of the steps."]
    for i, step in enumerate(steps):
        following = steps[i + 1] if i + 1 < len(steps) else None
        alone = following is not None and following.transaction == step.transaction
        number = f"-- {step.number}."
        if step.action == "begin" and not alone:
            lines.append(f"{number} session {_plain(step.transaction)}: take the snapshot of")
            lines.append(_comment(str(statements.get(step.transaction, ""))))
        elif step.action == "commit":
            end = " now ends" if not _just_began(steps, i) else ""
            lines.append(f"{number} session {_plain(step.transaction)}{end}:")
            lines.append(_statement(str(statements.get(step.transaction, ""))))
    return "\n".join(lines) + "\n"


def _just_began(steps: tuple[Any, ...], i: int) -> bool:
    return i > 0 and steps[i - 1].transaction == steps[i].transaction


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    if not table.get("columns"):
        return [f"-- There is no table {name} yet.", ""]
    columns = ", ".join(f"{_quoted(c)} {kind}" for c, kind in (table.get("columns") or {}).items())
    lines = [f"CREATE TABLE {_quoted(name)} ({columns}) USING delta"]
    for clause, key in (("PARTITIONED BY", "partition_by"), ("CLUSTER BY", "cluster_by")):
        if table.get(key):
            lines.append(f"{clause} ({', '.join(_quoted(c) for c in table[key])})")
    properties = dict(table.get("properties") or {})
    weak = properties.get("delta.isolationLevel") == WRITE_SERIALIZABLE
    if weak:
        del properties["delta.isolationLevel"]
    if properties:
        pairs = ", ".join(f"{_text(k)} = {_text(v)}" for k, v in properties.items())
        lines.append(f"TBLPROPERTIES ({pairs})")
    lines[-1] += ";"
    if weak:
        # ALTER and CREATE of open-source Delta accept no level but Serializable.
        lines += [
            "-- Level in force: WriteSerializable, the default on Databricks. Open-source Delta",
            "-- refuses to set it in SQL; `isodelta replay` puts it in force in the table's log.",
        ]
    return [*lines, *(_statement(str(s)) for s in table.get("setup") or ()), ""]


def _statement(sql: str) -> str:
    return sql.strip().rstrip(";") + ";"


def _comment(sql: str) -> str:
    return "\n".join(f"--    {line}" for line in sql.strip().splitlines())


def _plain(name: str) -> str:
    return " ".join(name.split())


def _quoted(name: object) -> str:
    text = str(name)
    return text if text.isidentifier() else "`" + text.replace("`", "``") + "`"


def _text(value: object) -> str:
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
