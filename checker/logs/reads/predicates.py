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

from checker.logs.actions import LoggedFile
from checker.logs.reads.file_facts import Columns, Facts
from checker.logs.reads.predicate_tests import Answer, Test, parse


@dataclass(frozen=True)
class Predicate:
    """A recorded predicate. ``parsed`` is False if it was not understood: it may match any row."""

    text: str
    test: Test = field(compare=False)
    parsed: bool

    def of(self, file: LoggedFile, columns: Columns) -> Answer:
        """The answer for all rows of a file."""
        return self.test(Facts(file, columns))


def everything(text: str = "TRUE") -> Predicate:
    """The predicate that every row matches."""
    return Predicate(text, lambda _: True, True)


def unknown(text: str) -> Predicate:
    """A predicate that was not understood."""
    return Predicate(text, lambda _: None, False)


_NUMBERED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)#\d+L?\b")


def predicate(recorded: object, columns: Columns) -> Predicate:
    """A predicate as ``operationParameters`` has it: a JSON list of texts, or one text."""
    if not isinstance(recorded, str):
        return unknown("an unreadable predicate")
    parts = [recorded]
    if recorded.lstrip().startswith("["):
        try:
            listed = json.loads(recorded)
        except (ValueError, RecursionError):
            return unknown(recorded)
        if not isinstance(listed, list) or not all(isinstance(part, str) for part in listed):
            return unknown(recorded)
        parts = listed
    texts = [_NUMBERED.sub(r"\1", part) for part in parts if part.strip()]
    if not texts:
        return everything()
    shown = " AND ".join(texts) if len(texts) > 1 else texts[0]
    if shown.startswith("(") and shown.endswith(")") and shown.count("(") == 1:
        shown = shown[1:-1]
    # Spark prints text without quotes in some releases: `(name#3 = a b)`.
    loose = any(_NUMBERED.search(part) for part in parts)
    tests = [parse(text, columns, loose) for text in texts]
    if not all(tests):
        return unknown(shown)
    return Predicate(shown, _all([test for test in tests if test]), True)


def _all(tests: list[Test]) -> Test:
    def test(facts: Facts) -> Answer:
        answers = [each(facts) for each in tests]
        if False in answers:
            return False
        return None if None in answers else True

    return test
