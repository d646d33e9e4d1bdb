"""The parser of predicates that commits record, and what they say of a whole file.

Delta on Spark writes Spark's expressions (``["(p#12 = 1)"]``), delta-rs DataFusion's SQL
(``p = 1``). A predicate is asked of a file by its partition values and statistics alone, and the
answer is about all of its rows: ``True`` if each of them matches, ``False`` if none does, None if
that is not known. Whatever cannot be parsed, or has a type whose order is not simple, is None.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property

from checker.logs.actions import LoggedFile
from checker.logs.reads.file_facts import Columns, Facts
from checker.logs.reads.predicate_tests import Answer, Test, parse


@dataclass(frozen=True)
class Predicate:
    """A recorded predicate: ``text`` to be shown, and its conjuncts, parsed when first needed.

    ``conjuncts`` is None if the record has no form that is known. With ``loose``, text stands in
    it without quotes, as Spark prints it in some releases: ``(name#3 = a b)``.
    """

    text: str
    conjuncts: tuple[str, ...] | None
    columns: Columns = field(compare=False)
    loose: bool = False

    @cached_property
    def _tests(self) -> list[Test] | None:
        if self.conjuncts is None:
            return None
        tests = [_parsed(text, self.columns, self.loose) for text in self.conjuncts]
        return None if None in tests else [test for test in tests if test]

    @property
    def parsed(self) -> bool:
        """True if the predicate was understood; if not, it may match any row."""
        return self._tests is not None

    def of(self, file: LoggedFile, columns: Columns) -> Answer:
        """The answer for all rows of a file."""
        if self._tests is None:
            return None
        facts = Facts(file, columns)
        answers = [test(facts) for test in self._tests]
        if False in answers:
            return False
        return None if None in answers else True


MOST_KEPT = 4096
"""Conditions that are kept parsed: jobs that come again have the same ones."""

_PARSED: dict[tuple[str, int, bool], tuple[Columns, Test | None]] = {}


def _parsed(text: str, columns: Columns, loose: bool) -> Test | None:
    key = text, id(columns), loose
    kept = _PARSED.get(key)
    if kept is None or kept[0] is not columns:
        if len(_PARSED) >= MOST_KEPT:
            _PARSED.clear()
        kept = _PARSED[key] = columns, parse(text, columns, loose)
    return kept[1]


def everything() -> Predicate:
    """The predicate that every row matches."""
    return Predicate("TRUE", (), Columns())


_NUMBERED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)#\d+L?\b")


def predicate(recorded: object, columns: Columns) -> Predicate:
    """A predicate as ``operationParameters`` has it: a JSON list of texts, or one text."""
    if not isinstance(recorded, str):
        return Predicate("an unreadable predicate", None, columns)
    parts = [recorded]
    if recorded.lstrip().startswith("["):
        try:
            listed = json.loads(recorded)
        except (ValueError, RecursionError):
            return Predicate(recorded, None, columns)
        if not isinstance(listed, list) or not all(isinstance(part, str) for part in listed):
            return Predicate(recorded, None, columns)
        parts = listed
    texts = tuple(_NUMBERED.sub(r"\1", part) for part in parts if part.strip())
    if not texts:
        return everything()
    shown = " AND ".join(texts)
    if shown.startswith("(") and shown.endswith(")") and shown.count("(") == 1:
        shown = shown[1:-1]
    loose = any(_NUMBERED.search(part) for part in parts)
    return Predicate(shown, texts, columns, loose)
