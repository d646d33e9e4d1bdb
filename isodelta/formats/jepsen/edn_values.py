"""EDN values: the notation of Jepsen's histories.

``lines`` reads most files at the speed of the JSON parser, since an operation on one line differs
from JSON in little more than keywords and commas; a line that does not fit goes through ``values``,
and so does the whole file where an operation goes over several lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator
from typing import Any

_TOKEN = re.compile(
    r"""(?P<skip>[\s,]+|;[^\n]*)
    |(?P<discard>\#_)
    |(?P<open>\#?\{|\[|\()|(?P<close>[}\])])
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<character>\\(?:[A-Za-z0-9]+|.))
    |(?P<tag>\#:?[A-Za-z][^\s,()\[\]{}";\\]*)
    |(?P<atom>[^\s,()\[\]{}";\\]+)""",
    re.VERBOSE | re.DOTALL,
)
JEPSEN_RECORD = "#jepsen.history.Op"
_CLOSES = {"{": "}", "#{": "}", "[": "]", "(": ")"}
_KEYWORD = re.compile(r":([^\s,()\[\]{}\"]+)")
_FIELDS = ("type", "process", "f", "value", "index", "time")
_MEANINGS = ("invoke", "ok", "fail", "info", "txn", "append", "r", "w")
_COMMON = [(f":{word} ", f'"{word}" ') for word in (*_FIELDS, *_MEANINGS)]
"""Keywords of nearly every line: replaced first, since a search for keywords takes long."""
_INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)N?")
_DECIMAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*(?:[eE][+-]?[0-9]+)?M?|[eE][+-]?[0-9]+M?|M)")
_RATIO = re.compile(r"[+-]?[0-9]+/[0-9]+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}
_WORDS = {"nil": None, "true": True, "false": False}


class EdnError(ValueError):
    """Text that is not EDN; ``line`` counts from 1."""

    def __init__(self, problem: str, line: int) -> None:
        self.line = line
        super().__init__(problem)


def lines(text: str) -> Iterator[tuple[int, Any]]:
    """(line, value) for each top-level value, or for each member of a lone top-level vector."""
    fast = _line_by_line(text)
    if fast is not None:
        yield from fast
        return
    whole = list(values(text))
    if len(whole) == 1 and isinstance(whole[0][1], list):
        yield from values(text, members=True)
        return
    yield from whole


def _line_by_line(text: str) -> list[tuple[int, Any]] | None:
    """The result of ``lines`` if no value goes over several lines; None if one does."""
    result: list[tuple[int, Any]] = []
    closing, closed = "", False
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip(" \t,\r")
        if not stripped or stripped[0] == ";":
            continue
        if closed:
            return None
        if not result and not closing and stripped[0] in "[(":
            closing = _CLOSES[stripped[0]]
            stripped = stripped[1:].lstrip(" \t,")
        if closing and stripped[-1:] == closing and stripped[-2:-1] in ("", "}", " "):
            closed = True
            stripped = stripped[:-1].rstrip(" \t,")
        if not stripped:
            continue
        value = _quick(stripped)
        if value is not None:
            result.append((number, value))
            continue
        try:
            result += ((number, value) for _, value in list(values(stripped)))
        except EdnError:
            return None
    return result if bool(closing) == closed else None


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is a symbol")


_JSON = json.JSONDecoder(parse_constant=_no_number)


def _quick(line: str) -> dict[str, Any] | None:
    """One map on one line, keywords as plain text; None for any other line."""
    line = line.removeprefix(JEPSEN_RECORD)
    if not (line[:1] == "{" and line[-1] == "}") or line.count("{") > 1:
        return None
    if any(c in line for c in '"#;\\('):
        return None
    # A name that begins with nil is spoilt here, but a name without a colon is not JSON anyway.
    text = line[1:-1].replace(" nil", " null").replace("[nil", "[null").replace(",", " ") + " "
    for keyword, quoted in _COMMON:
        text = text.replace(keyword, quoted)
    if ":" in text:
        text = _KEYWORD.sub(r'"\1"', text)
    text = ",".join(text.split()).replace("][", "],[")
    try:
        flat = _JSON.decode("[" + text.replace("[,", "[").replace(",]", "]") + "]")
    except (ValueError, RecursionError):
        return None
    made = dict(zip(flat[::2], flat[1::2], strict=False)) if _are_words(flat[::2]) else {}
    return made if 2 * len(made) == len(flat) else None


def _are_words(keys: list[Any]) -> bool:
    return all(isinstance(key, str) for key in keys)


class _Open:
    """A collection that is being read, and how many of the next values ``#_`` leaves out."""

    def __init__(self, token: str, line: int) -> None:
        self.token, self.line = token, line
        self.members: list[Any] = []
        self.discards = 0

    def keeps(self) -> bool:
        """True if the value just read counts."""
        if self.discards:
            self.discards -= 1
            return False
        return True


def values(text: str, *, members: bool = False) -> Iterator[tuple[int, Any]]:
    """Every top-level value with the line on which it begins. Keywords come as plain text.

    ``members`` gives the members of the top-level collections instead.
    """
    top = _Open("", 1)
    stack = [top]
    depth = 2 if members else 1
    at, line, begun = 0, 1, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise EdnError(f"no EDN: {text[at : at + 20]!r}", line)
        at, token, kind = match.end(), match[0], match.lastgroup
        here = line
        line += token.count("\n")
        if kind == "skip" or kind == "tag":
            continue
        if kind == "discard":
            stack[-1].discards += 1
            continue
        if len(stack) == depth and kind != "close":
            begun = here
        if kind == "open":
            stack.append(_Open(token, here))
            continue
        if kind == "close":
            if len(stack) == 1 or _CLOSES[stack[-1].token] != token:
                raise EdnError(f"a {token!r} that closes nothing", here)
            opened = stack.pop()
            value = _collection(opened, here)
        else:
            value = _atom(token, kind, here)
        if stack[-1].keeps():
            if len(stack) == depth:
                yield begun, value
            elif len(stack) > 1:
                stack[-1].members.append(value)
    if len(stack) > 1:
        last = stack[-1]
        raise EdnError(f"the file ends inside the {last.token!r} of this line", last.line)
    if top.discards:
        raise EdnError("the file ends after a #_", line)


def _collection(opened: _Open, line: int) -> Any:
    members = opened.members
    if opened.discards:
        raise EdnError(f"a #_ before the {_CLOSES[opened.token]!r}", line)
    if opened.token == "#{":
        return frozenset(map(frozen, members))
    if opened.token != "{":
        return members
    if len(members) % 2:
        raise EdnError("a map with a key without value", opened.line)
    made = {frozen(key): value for key, value in zip(members[::2], members[1::2], strict=True)}
    if 2 * len(made) < len(members):
        raise EdnError("a map with a key twice", opened.line)
    return made


def frozen(value: Any) -> Hashable:
    """A value that can be a key: a vector as a tuple, a map as a set; true is not the number 1."""
    if isinstance(value, list):
        return tuple(map(frozen, value))
    if isinstance(value, dict):
        return frozenset((frozen(key), frozen(item)) for key, item in value.items())
    if value is True or value is False:
        return str(value).lower()
    result: Hashable = value
    return result


def _atom(token: str, kind: str | None, line: int) -> Any:
    if kind == "string":
        return _ESCAPE.sub(lambda match: _escaped(match[1], line), token[1:-1])
    if kind == "character":
        return token
    if token[0] == ":":
        if len(token) == 1:
            raise EdnError("a ':' without a name", line)
        return token[1:]
    if token in _WORDS:
        return _WORDS[token]
    if not (token[0].isdigit() or (token[0] in "+-" and token[1:2].isdigit())):
        return token
    if _INTEGER.fullmatch(token):
        return _integer(token.removesuffix("N"), line)
    if _DECIMAL.fullmatch(token):
        return float(token.removesuffix("M"))
    if _RATIO.fullmatch(token):
        return token
    raise EdnError(f"{token[:40]!r} is not a number", line)


def _integer(digits: str, line: int) -> int:
    try:
        return int(digits)
    except ValueError:
        raise EdnError(f"a number of {len(digits)} digits", line) from None


def _escaped(sequence: str, line: int) -> str:
    if sequence[0] == "u" and len(sequence) == 5:
        return chr(int(sequence[1:], 16))
    if sequence not in _ESCAPES:
        raise EdnError(f"not an escape in a text: {sequence!r}", line)
    return _ESCAPES[sequence]
