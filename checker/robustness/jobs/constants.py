"""The constants in the SQL of a job, and a check for computations with its parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal, InvalidOperation

from checker.robustness.jobs.template import Token
from model.history import Value

_ARITHMETIC = frozenset("+-*/%|&^~")
_TESTS = frozenset({"LIKE", "ILIKE", "RLIKE", "IN", "BETWEEN", "IS", "NOT", "DIV"})
_RELATIONS = frozenset({"=", "==", "<", "<=", ">", ">=", "<>", "!=", "<=>"})
_NO_FUNCTIONS = frozenset(
    {
        *("AND", "AS", "BY", "EXISTS", "FROM", "IN", "INTO", "NOT", "ON", "OR", "PARTITION"),
        *("SELECT", "SET", "THEN", "UNION", "ALL", "USING", "VALUES", "WHEN", "WHERE", "ELSE"),
        *("LIKE", "BETWEEN", "HAVING", "JOIN", "ANY"),
    }
)
"""Words before a parenthesis that are not the name of a function."""


def computes(words: Sequence[Token], booleans: Collection[str]) -> bool:
    """Whether parameters stand anywhere but alone: in arithmetic, a function, a test, a CASE.

    ``booleans`` are the parameters that are conditions themselves.
    """
    if any(word.upper == "CASE" for word in words):
        return any(word.kind == "parameter" for word in words)
    return any(
        word.kind == "parameter" and _computed(words, place, booleans)
        for place, word in enumerate(words)
    )


def _computed(words: Sequence[Token], place: int, booleans: Collection[str]) -> bool:
    before, after = place - 1, place + 1
    while (
        before >= 0
        and after < len(words)
        and (words[before].text, words[after].text)
        == (
            "(",
            ")",
        )
    ):
        before, after = before - 1, after + 1
    near = [words[at] for at in (before, after) if 0 <= at < len(words)]
    if any(word.text in _ARITHMETIC for word in near):
        return True
    if after < len(words) and words[after].upper in _TESTS:
        return True
    truth = words[place].text[1:] in booleans
    if truth and any(word.upper in ("AND", "OR", "NOT") for word in near):
        return True
    if before >= 0 and words[before].text in _RELATIONS and _is_constant(words, before - 1):
        return True
    if (
        after < len(words)
        and words[after].text in _RELATIONS
        and (_is_constant(words, after + 1) or words[after + 1].text in ("(", "-"))
    ):
        return True
    return _in_function(words, place)


def _operand(words: Sequence[Token], place: int) -> bool:
    """Whether a word is an operand of arithmetic, or compared with another constant."""
    near = [at for at in (place - 1, place + 1) if 0 <= at < len(words)]
    if any(words[at].text in _ARITHMETIC for at in near):
        return True
    return any(words[at].text in _RELATIONS and _is_constant(words, 2 * at - place) for at in near)


def _is_constant(words: Sequence[Token], place: int) -> bool:
    return 0 <= place < len(words) and (
        words[place].kind in ("number", "text", "parameter")
        or words[place].upper in ("TRUE", "FALSE", "NULL")
    )


def _in_function(words: Sequence[Token], place: int) -> bool:
    """Whether a parenthesis around a place is that of a function."""
    depth = 0
    for at in range(place - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(words[at].text, 0)
        if depth < 0:
            depth = 0
            before = words[at - 1]
            if before.kind == "name" and before.upper not in _NO_FUNCTIONS:
                return True
    return False


def written(words: Sequence[Token]) -> Iterator[Value]:
    """The values of the constants that nothing is computed from, signs and types apart."""
    inside = 0
    for place, word in enumerate(words):
        inside += {"CASE": 1, "END": -1}.get(word.upper, 0)
        if inside or _operand(words, place) or _in_function(words, place):
            continue
        if word.kind == "number":
            try:
                yield Decimal(word.text.rstrip("LlDdFfSsYyBb"))
            except InvalidOperation:
                continue
        elif word.kind == "text":
            yield word.text[1:-1]
        elif word.upper in ("TRUE", "FALSE"):
            yield word.upper == "TRUE"
        elif word.upper == "NULL":
            yield None
