"""A YAML reader that keeps the line of every value and avoids the surprises of YAML 1.1.

Scalars follow YAML 1.2's core schema: ``no`` and ``on`` are strings, and so are dates and
``1:30``; ``010`` is ten. A key is always a string. A key given twice is an error, although most
readers silently keep the last one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

Path = tuple[str | int, ...]
"""The keys and list positions that lead to a value."""

DEEPEST = 20
MOST_VALUES = 200_000
"""Limits against hostile input: they stop endless nesting and alias explosions."""

# PyYAML's own loader is 10 times slower than libyaml's, which not every platform has.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class SourceError(Exception):
    """Text that cannot be read as YAML; ``line`` counts from 1."""

    def __init__(self, reason: str, line: int, place: Path = ()) -> None:
        super().__init__(reason)
        self.line = line
        self.place = place


class Number(float):
    """A number with a point or an exponent that remembers how it was written."""

    text: str

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, _float(text))
        number.text = text
        return number


@dataclass(slots=True)
class Source:
    """One YAML value as plain Python data, with the line on which each part begins."""

    data: Any
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, place: Path) -> int:
        """The line of a place, or of the nearest one around it that exists."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read_source(text: str) -> Source | None:
    """The one YAML document in ``text``; None if there is none. Raises SourceError."""
    try:
        _check_depth(text)
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if error.problem and "another document" in error.problem:
            reason = "a file holds one YAML document; put several scenarios into a list"
        else:
            # libyaml reports some problems as "context".
            parts = (error.problem or error.context, error.context if error.problem else None)
            reason = "not valid YAML: " + ", ".join(part for part in parts if part)
        raise SourceError(reason, mark.line + 1 if mark else 1) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise SourceError(f"not a text file: {error.reason}", line) from error
    if node is None:
        return None
    source = Source(None)
    source.data = _Builder(source.lines).build(node, ())
    source.lines[()] = _line(node)
    return source


def _check_depth(text: str) -> None:
    # libyaml's composer recurses in C: extreme nesting would crash the process.
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                line = event.start_mark.line if event.start_mark else 0
                raise SourceError("nested too deeply for a scenario", line + 1)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


class _Builder:
    """Turns nodes into data. Aliases are copied, so every copy has a place of its own."""

    def __init__(self, lines: dict[Path, int]) -> None:
        self.lines = lines
        self.count = 0

    def build(self, node: yaml.Node, place: Path) -> Any:
        self.count += 1
        if self.count > MOST_VALUES or len(place) > DEEPEST:
            raise SourceError(
                "too large for a scenario file, or an alias contains itself", _line(node)
            )
        if isinstance(node, yaml.ScalarNode):
            self._check_tag(node, place)
            return plain_scalar(node.value) if node.style == "" or not node.style else node.value
        self._check_tag(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self._place(part, (*place, i)) for i, part in enumerate(node.value)]
        return self._mapping(node, place)

    def _place(self, node: yaml.Node, place: Path) -> Any:
        self.lines[place] = _line(node)
        return self.build(node, place)

    def _mapping(self, node: yaml.Node, place: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise SourceError("a key has to be a single word or string", _line(key), place)
            here = (*place, key.value)
            if key.value in result:
                first = self.lines[here]
                raise SourceError(f"key given twice (first on line {first})", _line(key), here)
            self.lines[here] = _line(key)
            result[key.value] = self.build(value, here)
        return result

    def _check_tag(self, node: yaml.Node, place: Path) -> None:
        if node.tag.removeprefix("tag:yaml.org,2002:") not in _TAGS:
            raise SourceError(f"the YAML tag {node.tag} is not supported", _line(node), place)


_TAGS = frozenset(
    {"null", "bool", "int", "float", "timestamp", "str", "value", "merge", "seq", "map"}
)
"""The tags that YAML 1.1 infers; any other tag was written explicitly."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
_LONGEST_INTEGER = 100


def plain_scalar(text: str) -> Any:
    """The value of an unquoted scalar: None, a boolean, a number, or the text itself."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if len(text) <= _LONGEST_INTEGER:
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return Number(text)
    return text


def _float(text: str) -> float:
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
