"""A scenario as SQL that anyone can run by hand, in two or more sessions."""

from __future__ import annotations

from isodelta.report.pictures.schedule import ScheduleStep, schedule_steps
from model.levels import WRITE_SERIALIZABLE
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec


def sql_script(scenario: Scenario) -> str:
    """The tables, the set-up and the transactions in the order in which they end.

    Plain SQL cannot hold a statement between its snapshot and its commit, so comments say which
    other steps have to happen in between.
    """
    lines: list[str] = []
    for name, table in scenario.tables.items():
        lines += _table(name, table)
    lines += _table("t", scenario.table)
    steps = schedule_steps(scenario)
    lines += ["-- One session per transaction; the comments give the order of the steps."]
    for i, step in enumerate(steps):
        following = steps[i + 1] if i + 1 < len(steps) else None
        alone = following is not None and following.transaction == step.transaction
        number = f"-- {step.number}."
        sql = scenario.transactions[step.transaction]
        if step.action == "begin" and not alone:
            lines.append(f"{number} session {_plain(step.transaction)}: take the snapshot of")
            lines.append(_comment(sql))
        elif step.action == "commit":
            end = " now ends" if not _just_began(steps, i) else ""
            lines.append(f"{number} session {_plain(step.transaction)}{end}:")
            lines.append(_statement(sql))
    return "\n".join(lines) + "\n"


def _just_began(steps: tuple[ScheduleStep, ...], i: int) -> bool:
    return i > 0 and steps[i - 1].transaction == steps[i].transaction


def _table(name: str, table: TableSpec) -> list[str]:
    if table.absent:
        return [f"-- There is no table {name} yet.", ""]
    columns = ", ".join(f"{_quoted(c)} {kind}" for c, kind in table.columns.items())
    lines = [f"CREATE TABLE {_quoted(name)} ({columns}) USING delta"]
    for clause, names in (("PARTITIONED BY", table.partition_by), ("CLUSTER BY", table.cluster_by)):
        if names:
            lines.append(f"{clause} ({', '.join(map(_quoted, names))})")
    properties = dict(table.properties)
    weak = properties.get(LEVEL_PROPERTY) == WRITE_SERIALIZABLE
    if weak:
        del properties[LEVEL_PROPERTY]
    if properties:
        pairs = ", ".join(f"{_text(k)} = {_text(v)}" for k, v in properties.items())
        lines.append(f"TBLPROPERTIES ({pairs})")
    lines[-1] += ";"
    if weak:
        # ALTER and CREATE of open-source Delta accept only the level Serializable.
        lines += [
            "-- Level in force: WriteSerializable, the default on Databricks. Open-source Delta",
            "-- refuses to set it in SQL; `isodelta replay` puts it in force in the table's log.",
        ]
    return [*lines, *map(_statement, table.setup), ""]


def _statement(sql: str) -> str:
    return sql.strip().rstrip(";") + ";"


def _comment(sql: str) -> str:
    return "\n".join(f"--    {line}" for line in sql.strip().splitlines())


def _plain(name: str) -> str:
    return " ".join(name.split())


def _quoted(name: str) -> str:
    return name if name.isidentifier() else "`" + name.replace("`", "``") + "`"


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
