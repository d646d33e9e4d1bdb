"""SQL with ``:parameters``: their places and types, and the SQL with literals in their place.

A parameter has the type of the column that it is compared with, added to, or stored in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from model.errors import InvalidScenario
from model.history import Value
from model.values.types import ColumnType, sql_literal

_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?\*/)
      | (?P<text>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*")
      | (?P<parameter>:[A-Za-z_]\w*)
      | (?P<name>`[^`]+`|[A-Za-z_]\w*)
      | (?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\w*|\.\d+)
      | (?P<operator><=>|<=|>=|<>|!=|==|[-+*/%=<>(),.;])
      | (?P<space>\s+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_RELATIONS = frozenset({"=", "==", "<", "<=", ">", ">=", "<>", "!=", "<=>"})
_OTHER_PARAMETERS = frozenset("?{$@")
_OPERATORS = _RELATIONS | set("+-*/%")
_ENDS = frozenset({"FROM", "WHERE", "GROUP", "UNION", "VALUES", "THEN", "WHEN", "SET", "ON", ";"})

Columns = Mapping[str, Mapping[str, ColumnType]]
"""Types of columns by table and by their name in lower case; the target stands first."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of SQL. ``place`` is where it begins in the text."""

    kind: str
    text: str
    place: int

    @property
    def upper(self) -> str:
        return self.text.upper()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, its type, and the columns (in lower case) whose values are of interest."""

    name: str
    type: ColumnType
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """One job's SQL. ``parameters`` are in the order of their first use."""

    text: str
    parameters: tuple[Parameter, ...]

    def filled(self, values: Mapping[str, Value]) -> str:
        """The SQL with literals in the place of parameters, written on one line."""
        parts, end = [], 0
        types = {parameter.name: parameter.type for parameter in self.parameters}
        for token in tokens(self.text):
            if token.kind == "parameter":
                name = token.text[1:]
                parts += [self.text[end : token.place], literal(values[name], types[name])]
                end = token.place + len(token.text)
        return " ".join("".join([*parts, self.text[end:]]).split())


class UntoldType(InvalidScenario):
    """The type of ``parameter`` cannot be inferred."""

    def __init__(self, parameter: str) -> None:
        super().__init__(
            f"the type of :{parameter} cannot be told: compare it with a column, store it in one, "
            "give it a column's name, or say it under parameters"
        )
        self.parameter = parameter


def literal(value: Value, type_: ColumnType) -> str:
    """A value as SQL, of the column's type or of a narrower one."""
    text = sql_literal(value)
    return f"({text})" if text.startswith("-") else text


def template(
    text: str, columns: Columns, types: Mapping[str, ColumnType] | None = None
) -> Template:
    """A job's SQL, with the types of its parameters inferred unless ``types`` gives them.

    Raises InvalidScenario, naming the parameter, if a type cannot be inferred.
    """
    words = [token for token in tokens(text) if token.kind not in ("space", "comment")]
    places: dict[str, list[int]] = {}
    for place, token in enumerate(words):
        if token.kind == "parameter":
            places.setdefault(token.text[1:], []).append(place)
    other = next((token.text for token in words if token.text in _OTHER_PARAMETERS), None)
    if other is not None:
        raise InvalidScenario(f"a parameter is written :name, not with {other}")
    scope = _Scope(words, columns, types or {})
    return Template(text, tuple(scope.parameter(name, at) for name, at in places.items()))


def tokens(text: str) -> Iterator[Token]:
    """The words of SQL, spaces and comments among them."""
    for match in _TOKEN.finditer(text):
        yield Token(str(match.lastgroup), match[0], match.start())


def constants(text: str) -> frozenset[str]:
    """The words of SQL that are constants, as they are written."""
    return frozenset(t.text for t in tokens(text) if t.kind in ("text", "number"))


class _Scope:
    """The words of one statement, and the columns that they can name."""

    def __init__(
        self, words: list[Token], columns: Columns, types: Mapping[str, ColumnType]
    ) -> None:
        self.words = words
        self.types = types
        self.columns = columns
        self.target = next(iter(columns.values()))

    def parameter(self, name: str, places: list[int]) -> Parameter:
        met: dict[str, ColumnType] = {}
        for place in places:
            for column in self._near(place):
                type_ = self._type(column)
                if type_ is not None:
                    met[column] = type_
        if not met and (own := self._type(name.lower())) is not None:
            met[name.lower()] = own
        if name in self.types:
            return Parameter(name, self.types[name], tuple(met))
        if not met:
            raise UntoldType(name)
        families = {type_.family for type_ in met.values()}
        if len(families) > 1:
            columns = ", ".join(f"{column} ({type_})" for column, type_ in met.items())
            raise InvalidScenario(f":{name} is used for columns of several types: {columns}")
        narrowest = min(met.values(), key=lambda t: (t.rank, t.precision))
        return Parameter(name, narrowest, tuple(met))

    def _type(self, column: str) -> ColumnType | None:
        return next((c[column] for c in self.columns.values() if column in c), None)

    def _near(self, place: int) -> Iterator[str]:
        """Columns that the parameter at ``place`` is compared with or goes to."""
        yield from self._compared(place)
        position = self._position(place)
        if position is not None:
            yield position
        if place + 2 < len(self.words) and self.words[place + 1].upper == "AS":
            yield self._name(self.words[place + 2])

    def _compared(self, place: int) -> Iterator[str]:
        words = self.words
        left = place - 1
        while left > 0 and words[left].text == "(" and words[left - 1].upper != "IN":
            left -= 1
        if left > 0 and words[left].text == "-" and words[left - 1].text in (*_RELATIONS, "("):
            left -= 1
        if left > 0 and words[left].text in _OPERATORS:
            yield from self._operand(left - 1)
        if left > 1 and words[left].upper in ("BETWEEN", "LIKE"):
            yield from self._operand(left - 1 - (words[left - 1].upper == "NOT"))
        if left > 2 and words[left].upper == "AND" and words[left - 2].upper == "BETWEEN":
            yield from self._operand(left - 3 - (words[left - 3].upper == "NOT"))
        opening = self._opening(place)
        if opening is not None and opening > 1 and words[opening - 1].upper == "IN":
            yield from self._operand(opening - 2 - (words[opening - 2].upper == "NOT"))
        right = place + 1
        while right < len(words) and words[right].text == ")":
            right += 1
        if right + 1 < len(words) and words[right].text in _OPERATORS:
            last = right + 1
            while last + 2 < len(words) and words[last + 1].text == ".":
                last += 2
            yield from self._operand(last)

    def _operand(self, place: int) -> Iterator[str]:
        """The column whose name ends at ``place``, or the one further left in a sum."""
        while place >= 0:
            word = self.words[place]
            if word.kind == "name":
                name = self._name(word)
                if self._type(name) is not None:
                    yield name
                    return
            if word.kind == "number" or word.text == ")" or word.kind == "parameter":
                place -= 1
                continue
            if word.text in _OPERATORS and place > 0:
                place -= 1
                continue
            return

    @staticmethod
    def _name(word: Token) -> str:
        return word.text.strip("`").lower()

    def _opening(self, place: int) -> int | None:
        """The parenthesis around a place; None if there is none."""
        depth = 0
        for at in range(place - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(self.words[at].text, 0)
            if depth < 0:
                return at
        return None

    def _position(self, place: int) -> str | None:
        """The target's column that a parameter alone goes to by its place in an INSERT."""
        words = self.words
        if not any(w.upper in ("INSERT", "OVERWRITE") for w in words[:place]):
            return None
        if any(w.upper == "MERGE" for w in words[:place]):
            return self._merged(place)
        commas, depth = 0, 0
        for at in range(place - 1, -1, -1):
            word = words[at]
            if word.text == ")":
                depth += 1
            elif word.text == "(":
                if depth == 0:
                    values = at > 0 and (
                        words[at - 1].upper == "VALUES" or words[at - 1].text in (",", ")")
                    )
                    if not values:
                        return None
                    return self._column(at, commas)
                depth -= 1
            elif depth == 0:
                if word.text == ",":
                    commas += 1
                elif word.upper == "SELECT":
                    return self._column(at, commas)
                elif word.upper in _ENDS:
                    return None
        return None

    def _column(self, place: int, position: int) -> str | None:
        """The column at a position of the INSERT's list, or of the table where it has none."""
        named: list[str] = []
        for at in range(place):
            if self.words[at].upper == "INTO" or (
                self.words[at].upper == "OVERWRITE" and self.words[at + 1].upper != "INTO"
            ):
                after = at + 1 + (self.words[at + 1].upper == "TABLE")
                if self.words[after + 1].text == "(":
                    named = self._listed(after + 1)
                break
        columns = named or [name for name in self.target if name not in self._fixed(place)]
        return columns[position] if position < len(columns) else None

    def _fixed(self, place: int) -> list[str]:
        """The columns that a PARTITION clause before a place gives a value."""
        for at in range(place - 1):
            if self.words[at].upper == "PARTITION" and self.words[at + 1].text == "(":
                listed = self.words[at + 2 : place]
                pairs = pairwise(listed)
                return [self._name(word) for word, after in pairs if after.text == "="]
        return []

    def _merged(self, place: int) -> str | None:
        """The column that a value of NOT MATCHED ... INSERT (columns) VALUES goes to."""
        opening = self._opening(place)
        words = self.words
        if opening is None or words[opening - 1].upper != "VALUES":
            return None
        depth, position = 0, 0
        for at in range(opening + 1, place):
            depth += {"(": 1, ")": -1}.get(words[at].text, 0)
            position += words[at].text == "," and depth == 0
        if words[opening - 2].text != ")":
            columns = list(self.target)
        else:
            start = self._opening(opening - 2)
            columns = [] if start is None else self._listed(start)
        return columns[position] if position < len(columns) else None

    def _listed(self, opening: int) -> list[str]:
        names = []
        for word in self.words[opening + 1 :]:
            if word.text == ")":
                break
            if word.kind == "name":
                names.append(self._name(word))
        return names
