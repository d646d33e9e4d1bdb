"""Making SQL smaller as text: fewer rows in VALUES, plainer columns of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_VALUES = re.compile(r"(?P<head>INSERT [^']*? VALUES )(?P<rows>\(.*\))\s*;?\s*", re.DOTALL)
_COMPUTED = re.compile(r" (GENERATED|NOT NULL)\b.*", re.DOTALL)


def fewer_rows(sql: str) -> Iterator[str]:
    """The INSERT ... VALUES, of whatever form, with one row less; nothing for other statements."""
    prefix, settings, body = sql.rpartition("; ")
    match = _VALUES.fullmatch(body)
    if match is None:
        return
    rows = _rows(match["rows"])
    for place in range(len(rows) if len(rows) > 1 else 0):
        left = rows[:place] + rows[place + 1 :]
        yield f"{prefix}{settings}{match['head']}{', '.join(left)}"


def _rows(text: str) -> list[str]:
    """The rows of VALUES as they are written."""
    rows, depth, start, quoted = [], 0, 0, False
    for place, letter in enumerate(text):
        if letter == "'" and text[place - 1] != "\\":
            quoted = not quoted
        elif not quoted and letter == "(":
            start = start if depth else place
            depth += 1
        elif not quoted and letter == ")":
            depth -= 1
            if depth == 0:
                rows.append(text[start : place + 1])
    return rows


def fewer_columns(columns: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The columns without a last one, or with one that is not generated, handed out or required.

    What statements say of a column that is gone no longer fits: such scenarios are invalid.
    """
    for name, text in columns.items():
        plain = _COMPUTED.sub("", text)
        yield {other: type_ for other, type_ in columns.items() if other != name}
        if plain != text:
            yield {**columns, name: plain}
