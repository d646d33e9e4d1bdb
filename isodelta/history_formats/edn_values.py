"""EDN values: what Jepsen writes its histories in.

``lines`` reads most files at the speed of the JSON parser, since an operation on one line differs
from JSON in little more than keywords and commas; whatever does not fit goes through ``values``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(
    r"""(?P<skip>[\s,]+|;[^\n]*|\#_\s*[^\s,()\[\]{}]+)
    |(?P<open>\#?\{|\[|\()|(?P<close>[}\])])
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<tag>\#[A-Za-z][^\s,()\[\]{}"]*)
    |(?P<atom>[^\s,()\[\]{}"]+)""",
    re.VERBOSE,
)
JEPSEN_RECORD = "#jepsen.history.Op"
_CLOSES = {"{": "}", "#{": "}", "[": "]", "(": ")"}
_SPACE = re.compile(r"[\s,]+")
_KEYWORD = re.compile(r":([^\s,()\[\]{}\"]+)")
_NIL = re.compile(r"\bnil\b")


class EdnError(ValueError):
    """Text that is no EDN; ``line`` counts from 1."""

    def __init__(self, what: str, line: int) -> None:
        self.line = line
        super().__init__(what)


def lines(text: str) -> Iterator[tuple[int, Any]]:
    """(line, value) for each top-level value, or for each member of a lone top-level vector."""
    fast: list[tuple[int, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip(" \t,\r")
        if not stripped or stripped[0] == ";" or stripped in ("[", "]", "(", ")"):
            continue
        value = _quick(stripped)
        if value is None:
            fast = []
            break
        fast.append((number, value))
    if fast:
        yield from fast
        return
    found = list(values(text))
    if len(found) == 1 and isinstance(found[0][1], list):
        begin = found[0][0]
        for value in found[0][1]:
            yield begin, value
        return
    yield from found


def _quick(line: str) -> dict[str, Any] | None:
    """One map on one line, keywords as plain text; None where this is no such line."""
    line = line.removeprefix(JEPSEN_RECORD)
    if not (line[0] == "{" and line[-1] == "}") or any(c in line for c in '"#;\\('):
        return None
    text = _KEYWORD.sub(r'"\1"', line).replace("{", "[").replace("}", "]")
    text = _SPACE.sub(",", text).replace("][", "],[").replace("[,", "[").replace(",]", "]")
    try:
        flat = json.loads(_NIL.sub("null", text))
    except ValueError:
        return None
    if len(flat) % 2 or not all(isinstance(key, str) for key in flat[::2]):
        return None
    return dict(zip(flat[::2], flat[1::2], strict=True))


def values(text: str) -> Iterator[tuple[int, Any]]:
    """Every top-level value with the line on which it begins. Keywords come as plain text."""
    stack: list[tuple[str, list[Any], int]] = []
    at, line, begun = 0, 1, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise EdnError(f"no EDN: {text[at : at + 20]!r}", line)
        at, token, kind = match.end(), match[0], match.lastgroup
        here = line
        line += token.count("\n")
        if kind in ("skip", "tag"):
            continue
        if not stack:
            begun = here
        if kind == "open":
            stack.append((token, [], here))
            continue
        if kind == "close":
            if not stack or _CLOSES[stack[-1][0]] != token:
                raise EdnError(f"a {token!r} that closes nothing", here)
            opened, members, start = stack.pop()
            value = _collection(opened, members, start)
        else:
            value = _atom(token, here)
        if stack:
            stack[-1][1].append(value)
        else:
            yield begun, value
    if stack:
        raise EdnError(f"the file ends inside the {stack[-1][0]!r} of this line", stack[-1][2])


def _collection(opened: str, members: list[Any], line: int) -> Any:
    if opened != "{":
        return members
    if len(members) % 2:
        raise EdnError("a map with a key without value", line)
    keys = members[::2]
    if not all(isinstance(key, str | int) for key in keys):
        raise EdnError("a map with a key that is no keyword, text or number", line)
    return dict(zip(keys, members[1::2], strict=True))


def _atom(token: str, line: int) -> Any:
    if token[0] == '"':
        return token[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if token[0] == ":":
        return token[1:]
    if token in _WORDS:
        return _WORDS[token]
    try:
        return int(token[:-1] if token[-1] == "N" else token)
    except ValueError:
        pass
    try:
        return float(token.rstrip("M"))
    except ValueError:
        if token[0].isdigit():
            raise EdnError(f"{token!r} is no number", line) from None
        return token


_WORDS = {"nil": None, "true": True, "false": False}
