"""SQL compiled by dbt: models as SELECT statements, and the statements that dbt runs for them.

``target/run`` has the statements themselves. ``target/compiled`` has only the queries;
``manifest.json`` says how dbt stores their rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from isodelta.commands.robust.sources.files import Script
from isodelta.exits import BadInput


def compiled(sources: Sequence[Script], files: Sequence[str]) -> list[Script]:
    """The scripts, those of dbt's models as the statements that dbt runs."""
    made = []
    manifests: dict[Path, dict[str, Mapping[str, Any]]] = {}
    for script in sources:
        parts = Path(script.file).parts
        if "target" not in parts:
            made.append(script)
            continue
        place = len(parts) - 1 - parts[::-1].index("target")
        target = Path(*parts[: place + 1])
        stage = parts[place + 1] if len(parts) > place + 1 else ""
        if target not in manifests:
            manifests[target] = _models(target / "manifest.json")
        node = manifests[target].get(Path(script.file).stem)
        if stage == "run":
            made.append(_run(script, target, parts[place + 2 :], node))
        elif stage == "compiled" and node is not None:
            made.append(_compiled(script, node))
        else:
            made.append(script)
    return made


def _models(file: Path) -> dict[str, Mapping[str, Any]]:
    """The models and snapshots of a manifest by name. Raises BadInput."""
    if not file.is_file():
        return {}
    try:
        nodes = json.loads(file.read_text(encoding="utf-8")).get("nodes", {})
    except (json.JSONDecodeError, AttributeError) as error:
        raise BadInput(f"{file}: not a manifest of dbt's: {error}") from error
    return {
        str(node["name"]): node
        for node in nodes.values()
        if isinstance(node, Mapping) and node.get("resource_type") in ("model", "snapshot")
    }


def _run(
    script: Script, target: Path, rest: Sequence[str], node: Mapping[str, Any] | None
) -> Script:
    """A statement that dbt ran, behind the temporary view that it reads the model's rows from."""
    text = "\n".join(part for _, part in script.parts)
    if "__dbt_tmp" not in text:
        return script
    file = target.joinpath("compiled", *rest)
    query = file.read_text(encoding="utf-8") if file.is_file() else ""
    query = query or str((node or {}).get("compiled_code") or "")
    if not query.strip():
        return script
    name = _temporary(text)
    view = f"CREATE OR REPLACE TEMPORARY VIEW {name} AS\n{query.strip().rstrip(';')}\n;"
    return replace(script, parts=((1, view), *script.parts))


def _temporary(text: str) -> str:
    """The name of the temporary view that dbt keeps a model's rows in."""
    at = text.index("__dbt_tmp")
    start = at
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_$"):
        start -= 1
    end = at + len("__dbt_tmp")
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return f"`{text[start:end]}`"


def _compiled(script: Script, node: Mapping[str, Any]) -> Script:
    """The statement that dbt runs for a model's query."""
    config = node.get("config")
    config = config if isinstance(config, Mapping) else {}
    name = str(node.get("relation_name") or node["name"])
    line, query = script.parts[0]
    query = query.strip().rstrip(";")
    how = str(config.get("materialized", "view"))
    if how == "view" or how == "ephemeral":
        text = f"CREATE OR REPLACE VIEW {name} AS\n{query}"
    elif how == "incremental":
        text = _incremental(name, query, config)
    else:
        text = f"CREATE OR REPLACE TABLE {name} AS\n{query}"
    return replace(script, parts=((line - 1, text),))


def _incremental(name: str, query: str, config: Mapping[str, Any]) -> str:
    keys = config.get("unique_key") or []
    keys = [keys] if isinstance(keys, str) else list(keys)
    strategy = str(config.get("incremental_strategy") or ("merge" if keys else "append"))
    if strategy == "merge" and keys:
        on = " AND ".join(f"DBT_INTERNAL_SOURCE.{key} = DBT_INTERNAL_DEST.{key}" for key in keys)
        return (
            f"MERGE INTO {name} AS DBT_INTERNAL_DEST USING (\n{query}\n) AS DBT_INTERNAL_SOURCE "
            f"ON {on} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
    if strategy in ("insert_overwrite", "replace_where"):
        where = config.get("incremental_predicates")
        if strategy == "replace_where" and where:
            condition = " AND ".join([where] if isinstance(where, str) else map(str, where))
            return f"INSERT INTO {name} REPLACE WHERE {condition}\n{query}"
        return f"INSERT OVERWRITE {name}\n{query}"
    return f"INSERT INTO {name}\n{query}"
