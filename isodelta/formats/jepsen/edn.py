"""Elle's and Jepsen's EDN: one operation a line, or one vector of operations."""

from __future__ import annotations

from pathlib import Path

from checker.recorded.history import RecordedHistory
from isodelta.exits import BadInput
from isodelta.formats.jepsen.edn_values import EdnError, lines
from isodelta.formats.jepsen.operations import history_of


def read(path: Path) -> RecordedHistory:
    """Reads a history; ``BadInput`` names the file and the line."""
    return parse(path.read_text(encoding="utf-8-sig"), str(path))


def parse(text: str, name: str) -> RecordedHistory:
    """Reads a history from text; ``name`` stands for it in messages."""
    try:
        return history_of(lines(text), name)
    except EdnError as error:
        raise BadInput(f"{name}:{error.line}: {error}") from error
