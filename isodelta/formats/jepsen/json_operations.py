"""Elle's and Jepsen's operations in JSON (elle-cli): one array, or one operation after another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checker.recorded.history import RecordedHistory
from isodelta.exits import BadInput
from isodelta.formats.jepsen.operations import history_of

_SPACE = re.compile(r"\s*")


def read(path: Path) -> RecordedHistory:
    """Reads a history; ``BadInput`` names the file and the line."""
    return parse(path.read_text(encoding="utf-8-sig"), str(path))


def parse(text: str, name: str) -> RecordedHistory:
    """Reads a history from text; ``name`` stands for it in messages."""
    return history_of(_operations(text, name), name)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _operations(text: str, name: str) -> Iterator[tuple[int, Any]]:
    """(line, operation) pairs."""
    decode = json.JSONDecoder(parse_constant=_no_number).raw_decode
    line, counted = 1, 0

    def wrong(at: int, problem: str) -> BadInput:
        return BadInput(f"{name}:{line + text.count(chr(10), counted, at)}: {problem}")

    def after_space(at: int) -> int:
        match = _SPACE.match(text, at)
        return at if match is None else match.end()

    at = after_space(0)
    in_array = text[at : at + 1] == "["
    if in_array:
        at = after_space(at + 1)
        if text[at : at + 1] == "]" and not text[at + 1 :].strip():
            return
    while at < len(text):
        line += text.count("\n", counted, at)
        counted = at
        try:
            operation, at = decode(text, at)
        except json.JSONDecodeError as error:
            raise wrong(error.pos, f"no JSON: {error.msg}") from error
        except ValueError as error:
            raise wrong(at, f"no JSON: {error}") from error
        yield line, operation
        at = after_space(at)
        if in_array:
            closing = text[at : at + 1]
            if closing == "]":
                at = after_space(at + 1)
                if at < len(text):
                    raise wrong(at, "something follows the array")
                return
            if closing != ",":
                raise wrong(at, "no JSON: a ',' or a ']' must follow an operation")
            at = after_space(at + 1)
    if in_array:
        raise wrong(len(text), "the file ends inside the array")
