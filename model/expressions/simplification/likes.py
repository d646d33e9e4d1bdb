"""Optimizer rules that replace LIKE by simpler tests."""

from __future__ import annotations

import re

from model.expressions.syntax import And, Comparison, Expression, Function, Literal
from model.values.types import BOOLEAN, INT, STRING

_PREFIX = re.compile(r"([^_%]+)%")
_SUFFIX = re.compile(r"%([^_%]+)")
_BOTH = re.compile(r"([^_%]+)%([^_%]+)")
_WITHIN = re.compile(r"%([^_%]+)%")
_WHOLE = re.compile(r"[^_%]*")


def like_simplification(expression: Expression) -> Expression:
    """A pattern with % only at its ends tests for a prefix, a suffix, a part, or the whole text."""
    match expression:
        case Function(name="like", operands=(text, Literal(value=str() as pattern))):
            return _simplified(expression, text, pattern)
    return expression


def _simplified(expression: Expression, text: Expression, pattern: str) -> Expression:
    if parts := _PREFIX.fullmatch(pattern):
        return _test("startswith", text, parts[1])
    if parts := _SUFFIX.fullmatch(pattern):
        return _test("endswith", text, parts[1])
    if parts := _BOTH.fullmatch(pattern):
        least = Literal(len(parts[1]) + len(parts[2]), INT)
        long = Comparison(">=", Function("length", (text,), INT), least)
        return And(
            long, And(_test("startswith", text, parts[1]), _test("endswith", text, parts[2]))
        )
    if parts := _WITHIN.fullmatch(pattern):
        return _test("contains", text, parts[1])
    if _WHOLE.fullmatch(pattern):
        return Comparison("=", text, Literal(pattern, STRING))
    return expression


def _test(name: str, text: Expression, part: str) -> Expression:
    return Function(name, (text, Literal(part, STRING)), BOOLEAN)
