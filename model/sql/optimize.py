"""OPTIMIZE t [WHERE ...]."""

from __future__ import annotations

import re

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions import columns
from model.sql.scalar import Scope
from model.sql.source import Source
from model.statements import Optimize, Statement

_OPTIMIZE = re.compile(
    r"OPTIMIZE\s+(?P<table>[^\s(]+)(\s+WHERE\s+(?P<where>.+?))?\s*", re.IGNORECASE | re.DOTALL
)


def optimize(source: Source) -> Statement:
    """OPTIMIZE as compaction."""
    body, target = source.body, source.target
    match = _OPTIMIZE.fullmatch(body)
    if match is None:
        raise UnsupportedSQL(f"{body!r}: only OPTIMIZE {target} [WHERE ...] is supported")
    if re.search(r"\bZORDER\b|\bFULL\b", body, re.IGNORECASE):
        raise UnsupportedSQL("OPTIMIZE with ZORDER or FULL is not supported")
    table = source.check_target(match["table"])
    node = source.condition(match["where"]) if match["where"] else None
    condition = Scope(table, target).where(node)
    if stray := columns(condition) - table.partition_columns:
        name = table.names[min(stray)]
        raise InvalidScenario(f"OPTIMIZE ... WHERE takes partition columns only, not {name!r}")
    return Optimize(source.text, table, condition)
