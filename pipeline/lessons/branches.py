"""The branches of a profile: each ``return`` of each of its rules, and which of them were reached.

Python's own tracing says which was taken. It is dear, so it is asked once for each combination of
traits of the two sides.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from types import CodeType, FrameType
from typing import Any

from model.physical.log import Commit
from model.rules.base import Attempt, Rule


class Branches:
    """The branches of some rules; remembers the combinations that it has traced."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._seen: dict[str, tuple[str, ...]] = {}

    def reached(self, traits: str, attempt: Attempt, winner: Commit) -> tuple[str, ...]:
        """The branches that the rules take for two sides of these traits.

        The rules are asked in their order, up to the first that refuses.
        """
        known = self._seen.get(traits)
        if known is None:
            taken: list[str] = []
            for rule in self.rules:
                taken += _taken(rule, attempt, winner)
                if rule.check(attempt, winner) is not None:
                    break
            known = self._seen[traits] = tuple(taken)
        return known


def universe(rules: Sequence[Rule]) -> tuple[str, ...]:
    """The names of every branch of some rules."""
    return tuple(name for rule in rules for _, name in _returns(rule))


def _taken(rule: Rule, attempt: Attempt, winner: Commit) -> tuple[str, ...]:
    branches = _returns(rule)
    code = getattr(rule.check, "__code__", None)
    if not branches or code is None:
        return ()
    last = _last_line(code, lambda: rule.check(attempt, winner))
    return tuple(name for lines, name in branches if last in lines)


def _last_line(code: CodeType, call: Callable[[], Any]) -> int | None:
    """The last line of ``code`` that a call of it ran: that of its return."""
    lines: list[int] = []

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code is not code:
            return None
        if event == "return":
            lines.append(frame.f_lineno)
        return watch

    earlier = sys.gettrace()
    sys.settrace(watch)
    try:
        call()
    finally:
        sys.settrace(earlier)
    return lines[-1] if lines else None


@cache
def _returns(rule: Rule) -> tuple[tuple[range, str], ...]:
    """The lines of each of a rule's returns, with a name for what is returned there.

    Empty for a rule whose source is not at hand, a mutant made by another function say.
    """
    try:
        lines, first = inspect.getsourcelines(rule.check)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return ()
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        return ()
    branches: list[tuple[range, str]] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and _inside(function, node):
            text = "None" if node.value is None else ast.unparse(node.value).splitlines()[0]
            span = range(first + node.lineno - 1, first + (node.end_lineno or node.lineno))
            branches.append((span, f"{rule.name}, line {node.lineno}: {text[:80]}"))
    return tuple(sorted(branches, key=lambda branch: branch[0].start))


def _inside(function: ast.FunctionDef, node: ast.Return) -> bool:
    """Whether a return belongs to the function itself, not to one inside of it."""
    inner = [n for n in ast.walk(function) if isinstance(n, ast.FunctionDef) and n is not function]
    return not any(node in ast.walk(other) for other in inner)
