"""The jobs that a log shows, as a workload file for ``isodelta robust``."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sqlglot
import yaml
from sqlglot import exp
from sqlglot.errors import SqlglotError

from checker.logs.audit import Audit
from checker.logs.overlap.traces import Trace
from isodelta.exits import BadInput

_NAMES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
"""Type names of the log that SQL spells in another way."""


def write_workload(result: Audit, file: str) -> None:
    """Writes the workload that an audited log shows. Raises BadInput.

    What a statement read and set beyond its predicate is in no log; such jobs are named in a
    comment, with the number of their commits, and left to the author of the file.
    """
    metadata = result.state.metadata
    if metadata is None:
        raise BadInput(f"--jobs: {result.location}: the table's columns are not known")
    jobs, counts, left_out = _jobs(result, metadata)
    if not jobs:
        raise BadInput(f"--jobs: {result.location}: the log shows no statement that can be written")
    fields = json.loads(metadata["schemaString"])["fields"]
    table: dict[str, Any] = {"columns": {field["name"]: _type(field["type"]) for field in fields}}
    if metadata.get("partitionColumns"):
        table["partition_by"] = list(metadata["partitionColumns"])
    level = result.state.configuration.get("delta.isolationLevel")
    if level:
        table["properties"] = {"delta.isolationLevel": level[:1].upper() + level[1:]}
    mapping = {"name": f"jobs of {Path(result.location).name}", "table": table, "jobs": jobs}
    lines = [f"# The statements that the log of {Path(result.location).name} shows."]
    lines += [f"# {name}: {_times(counts[name])}" for name in jobs]
    lines += [
        f"# Not written, since no log has all of it: {operation}, {_times(count)}."
        for operation, count in sorted(left_out.items())
    ]
    try:
        Path(file).write_text(
            "\n".join(lines) + "\n" + yaml.safe_dump(mapping, sort_keys=False), encoding="utf-8"
        )
    except OSError as error:
        raise BadInput(f"--jobs: {file}: cannot be written: {error.strerror}") from error


def _times(count: int) -> str:
    return "one commit" if count == 1 else f"{count} commits"


def _type(kind: object) -> str:
    if not isinstance(kind, str):
        raise BadInput("--jobs: the table has a nested column, which a workload cannot have")
    return _NAMES.get(kind, kind)


def _jobs(
    result: Audit, metadata: Mapping[str, Any]
) -> tuple[dict[str, str], Counter[str], Counter[str]]:
    names = [field["name"] for field in json.loads(metadata["schemaString"])["fields"]]
    texts: dict[str, str] = {}
    counts: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    numbers: defaultdict[str, int] = defaultdict(int)
    for commit in result.traces:
        if commit.version not in result.asked:
            continue
        text = _statement(commit, names)
        if text is None:
            if commit.changes and commit.version > 0:
                left_out[commit.operation] += 1
            continue
        if text not in texts:
            kind = text.split()[0].lower()
            numbers[kind] += 1
            texts[text] = kind if numbers[kind] == 1 else f"{kind} {numbers[kind]}"
        counts[texts[text]] += 1
    return {name: text for text, name in texts.items()}, counts, left_out


def _statement(commit: Trace, names: list[str]) -> str | None:
    """The statement of a commit with parameters for its literals; None if the log lacks a part."""
    if commit.operation == "OPTIMIZE":
        return "OPTIMIZE t"
    appends = commit.operation in ("WRITE", "STREAMING UPDATE") and not commit.removed
    if appends and commit.blind is not False and commit.added:
        values = ", ".join(f":{_parameter(name)}" for name in names)
        return f"INSERT INTO t VALUES ({values})"
    read = commit.reads.least
    if commit.operation != "DELETE" or read is None or not read.parsed:
        return None
    if read.text.upper() == "TRUE":
        return "DELETE FROM t"
    condition = _template(read.text)
    return None if condition is None else f"DELETE FROM t WHERE {condition}"


def _template(text: str) -> str | None:
    """A condition with a parameter for each of its literals."""
    try:
        tree = sqlglot.parse_one(text, read="spark")
    except SqlglotError:
        return None
    taken: Counter[str] = Counter()
    for literal in list(tree.find_all(exp.Literal)):
        comparison = literal.find_ancestor(exp.Binary, exp.In, exp.Between)
        column = comparison.find(exp.Column) if comparison is not None else None
        name = _parameter(column.name if column is not None else "value")
        taken[name] += 1
        parameter = name if taken[name] == 1 else f"{name}{taken[name]}"
        literal.replace(exp.Placeholder(this=parameter))
    return tree.sql(dialect="spark")


def _parameter(name: str) -> str:
    return re.sub(r"\W", "_", name.lower())
