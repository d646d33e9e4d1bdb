"""Making a MERGE smaller: fewer clauses, conditions and source rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLAUSE = re.compile(r" (?=WHEN (?:NOT )?MATCHED\b)")
_CONDITION = re.compile(r"(?P<when>WHEN (?:NOT )?MATCHED(?: BY \w+)?) AND .*? THEN ", re.DOTALL)
_WHERE = re.compile(r"(?P<query>\(SELECT .*?) WHERE .*(?P<end>\)[^()]*)", re.DOTALL)


def simpler_merges(sql: str) -> Iterator[str]:
    """MERGE statements that are one step simpler, as text; not all of them are valid."""
    head, *clauses = _CLAUSE.split(sql)
    for place in range(len(clauses) if len(clauses) > 1 else 0):
        yield " ".join((head, *clauses[:place], *clauses[place + 1 :]))
    for place, clause in enumerate(clauses):
        plain = _CONDITION.sub(r"\g<when> THEN ", clause, count=1)
        if plain != clause:
            yield " ".join((head, *clauses[:place], plain, *clauses[place + 1 :]))
    source, _, condition = head.rpartition(" ON ")
    for simpler in _simpler_sources(source):
        yield " ".join((f"{simpler} ON {condition}", *clauses))
    parts = _conjuncts(condition)
    for place in range(len(parts) if len(parts) > 1 else 0):
        left = " AND ".join(parts[:place] + parts[place + 1 :])
        yield " ".join((f"{source} ON {left}", *clauses))


def _simpler_sources(text: str) -> Iterator[str]:
    """The text up to ON with one SELECT of a UNION ALL less, or without the source's WHERE."""
    inner, end = text[: text.rfind(")")], text[text.rfind(")") :]
    head, bracket, selects = inner.partition("(")
    found = selects.split(" UNION ALL ")
    for place in range(len(found) if len(found) > 1 else 0):
        left = " UNION ALL ".join(found[:place] + found[place + 1 :])
        yield head + bracket + left + end
    match = _WHERE.search(text)
    if match is not None:
        yield text[: match.start()] + match["query"] + match["end"]


def _conjuncts(condition: str) -> list[str]:
    """The parts that AND joins at the top of a condition, as text."""
    parts, depth, current = [], 0, list[str]()
    for word in condition.split(" "):
        if word == "AND" and depth == 0:
            parts.append(" ".join(current))
            current = []
        else:
            depth += word.count("(") - word.count(")")
            current.append(word)
    return [*parts, " ".join(current)]
