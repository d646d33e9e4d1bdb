"""The solver's answers, kept for as long as the process runs.

Many tests here check the same lemmas, or all lemmas after a change to one rule. A question that
was answered is not asked again; a changed rule makes other formulas, so it makes other questions.
"""

from __future__ import annotations

import pytest

from checker.proofs import lemma
from checker.proofs.lemma import Formula
from checker.solving import Answer, Limits

ask = lemma._ask

ANSWERS: dict[tuple[object, ...], tuple[list[Formula], Answer]] = {}
"""By the numbers of the formulas: z3 has one term for equal ones, for as long as one is held."""


@pytest.fixture(autouse=True)
def _answers_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lemma, "_ask", asked_once)


def asked_once(formulas: list[Formula], limits: Limits) -> Answer:
    """The answer; ``unknown`` is not kept, since more time may decide it."""
    key = tuple(each if isinstance(each, bool) else each.get_id() for each in formulas)
    if key not in ANSWERS:
        answer = ask(formulas, limits)
        if answer.answer == "unknown":
            return answer
        ANSWERS[key] = (formulas, answer)
    return ANSWERS[key][1]
