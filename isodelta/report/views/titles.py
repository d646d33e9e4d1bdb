"""Titles of histories in words: the statements that meet, by their kind and condition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from model.scenario import Scenario

_PARENTHESISED = re.compile(r"\([^()]*\)")
_WHERE = re.compile(r"\bWHERE\b\s+(.*)$", re.IGNORECASE | re.DOTALL)
_INSERTED_FROM_TARGET = re.compile(r"\bSELECT\b.*\bFROM\s+t\b", re.IGNORECASE | re.DOTALL)
_LONGEST_CONDITION = 32


def history_title(scenario: Scenario) -> str:
    """The statements of a scenario in words: ``DELETE where p = 1 and append of one row``."""
    return capitalised(listed(statement_words(sql) for sql in scenario.transactions.values()))


def statement_words(sql: str) -> str:
    """One statement in a few words."""
    text = " ".join(sql.split())
    word = text.split(" ", 1)[0].upper().rstrip(";")
    outer = _without_parentheses(text)
    if word == "INSERT" and re.search(r"\bVALUES\b", outer, re.IGNORECASE):
        return "append of values"
    if word == "INSERT" and re.search(r"\bOVERWRITE\b|\bREPLACE\b", outer, re.IGNORECASE):
        return "INSERT that replaces rows"
    if word == "INSERT" and not _INSERTED_FROM_TARGET.search(text):
        return "append from another table"
    name = {"INSERT": "INSERT ... SELECT", "SELECT": "reader"}.get(word, word)
    if word == "UPDATE" and "SELECT" in text.upper():
        name = "UPDATE with a subquery in SET"
    condition = _WHERE.search(outer)
    if condition is None:
        return f"{name} of every row" if word in ("DELETE", "UPDATE") else name
    words = condition.group(1).strip().rstrip(";")
    return name if len(words) > _LONGEST_CONDITION else f"{name} where {words}"


def listed(parts: Iterable[str], last: str = "and") -> str:
    """Parts in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    items: Sequence[str] = list(parts)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def capitalised(text: str) -> str:
    """The text with a capital first letter, the rest unchanged."""
    return text[:1].upper() + text[1:]


def _without_parentheses(text: str) -> str:
    while (shorter := _PARENTHESISED.sub("", text)) != text:
        text = shorter
    return text
