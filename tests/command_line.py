"""Shared by tests of commands: two scenarios, and the JSON Lines that a command printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"

Write = Callable[[str], str]
"""The fixture ``write``: a text as a scenario file, by its path."""

EXAMPLE = """\
name: a delete meets an append
table:
  columns: {k: int, p: int, v: int}
  partition_by: [p]
  properties: {delta.isolationLevel: WriteSerializable}
  setup:
    - INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)
transactions:
  A: DELETE FROM t WHERE p = 1
  B: INSERT INTO t VALUES (7, 1, 0)
  R: SELECT count(*) FROM t
  N: UPDATE t SET v = 0 WHERE k = 99
schedule: [begin A, begin R, begin N, B, commit A, commit R, commit N]
"""

HOLE = """\
name: a broken promise
table:
  columns: {k: int, p: int}
  partition_by: [p]
  properties: {delta.isolationLevel: WriteSerializable}
  setup: ["INSERT INTO t VALUES (1, 1)"]
transactions:
  purge: DELETE FROM t WHERE p = 1
  append: INSERT INTO t VALUES (2, 1)
  archive: INSERT INTO t SELECT k, 9 FROM t WHERE p = 1
schedule: [begin purge, append, archive, commit purge]
"""


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
