"""The words of every assumption beside its formula: neither changes without the other.

``stated_formulas.json`` has the words of each, and a digest of its formula; of a lemma's goal it
has the words. If a formula has to change, read its words again, and write the file anew:

    python -m tests.checker.proofs.test_stated_formulas
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from checker.proofs import THEOREMS
from checker.proofs.lemma import Formula

FILE = Path(__file__).with_name("stated_formulas.json")


def digest(formula: Formula) -> str:
    """A digest of a formula that does not depend on how z3 numbers its fresh constants."""
    numbers: dict[str, str] = {}
    text = re.sub(
        r"[\w]+![0-9]+",
        lambda m: numbers.setdefault(m.group(), f"c{len(numbers)}"),
        formula.sexpr(),
    )
    return hashlib.sha256(re.sub(r"\s+", " ", text).encode()).hexdigest()[:12]


def stated() -> dict[str, dict[str, list[str]]]:
    """By theorem and lemma: each part's words and the digest of its formula."""
    result = {}
    for theorem in THEOREMS:
        for lemma in theorem.lemmas:
            claim = lemma.build()
            parts = {"goal": [lemma.words]}
            for assumption in claim.assumptions:
                parts[f"assumption: {assumption.name}"] = [
                    assumption.words,
                    digest(assumption.formula),
                ]
            result[f"{theorem.name}: {lemma.name}"] = parts
    return result


def test_formulas_and_words_change_together():
    expected = json.loads(FILE.read_text(encoding="utf-8"))
    now = stated()
    assert list(now) == list(expected)
    for lemma, parts in now.items():
        assert parts == expected[lemma], f"{lemma}: read its words again, and pin it anew"


if __name__ == "__main__":
    FILE.write_text(json.dumps(stated(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
