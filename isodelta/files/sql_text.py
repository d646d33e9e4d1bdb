"""SQL scripts taken apart into statements."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot.errors import SqlglotError

from model.sql.dialect import Delta


def split(text: str) -> Iterator[tuple[int, str]]:
    """The statements of a script, each with its line."""
    try:
        tokens = Delta().tokenize(text)
    except SqlglotError:
        for piece in text.split(";"):
            if piece.strip():
                yield 1 + text[: text.index(piece)].count("\n"), piece.strip()
        return
    start = None
    end = 0
    for token in tokens:
        if token.token_type is sqlglot.TokenType.SEMICOLON:
            if start is not None:
                yield 1 + text.count("\n", 0, start), text[start:end]
            start = None
            continue
        if start is None:
            start = token.start
        end = token.end + 1
    if start is not None:
        yield 1 + text.count("\n", 0, start), text[start:end]
