"""Jobs declared by what they do: streams and writes of DataFrames, as the SQL that they come to.

``append`` adds a row of any values, ``complete`` and ``overwrite`` replace all rows by it,
``overwrite replaceWhere CONDITION`` those that meet a condition, and ``foreachBatch: STATEMENT``
runs a statement for each batch. ``mode`` may stand before them, as a DataFrame's writer has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_FOR_EACH = re.compile(r"\s*foreachBatch\s*:\s*(?P<sql>.+)", re.IGNORECASE | re.DOTALL)
_WRITES = re.compile(
    r"\s*(?:mode\s+)?(?P<mode>append|complete|overwrite)"
    r"(?:\s+replaceWhere\s+(?P<where>.+))?\s*",
    re.IGNORECASE | re.DOTALL,
)


def as_sql(text: str, columns: Mapping[str, str]) -> str:
    """A job as SQL over ``t``, whose ``columns`` are given; SQL stays as it is."""
    batch = _FOR_EACH.fullmatch(text)
    if batch is not None:
        return batch["sql"]
    match = _WRITES.fullmatch(text)
    if match is None or (match["where"] and match["mode"].lower() != "overwrite"):
        return text
    names = [name for name, type_ in columns.items() if "generated" not in type_.lower()]
    listed = ", ".join(f"`{name}`" for name in names)
    row = ", ".join(":new_" + re.sub(r"\W", "_", name) for name in names)
    if match["mode"].lower() == "append":
        return f"INSERT INTO t ({listed}) VALUES ({row})"
    if match["where"]:
        return f"INSERT INTO t REPLACE WHERE {match['where']} VALUES ({row})"
    return f"INSERT OVERWRITE t ({listed}) VALUES ({row})"
