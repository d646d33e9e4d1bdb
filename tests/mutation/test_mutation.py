"""Mutants and their trials: what is changed, what is left alone, and when a mutant is noticed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutation.batch import batch
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.operators import Mutant, mutants
from tests.mutation.subjects import SUBJECTS, Subject

ROOT = Path(__file__).parents[2]
SOURCE = '''"""Words."""
from __future__ import annotations
LIMIT = 3
def least(a: int, b: int) -> int:
    """Words."""
    if a < b and a is not None:
        return a
    raise ValueError(f"{a + b} words")
'''


def names(source: str) -> list[str]:
    return [mutant.name for mutant in mutants(source)]


def test_conditions_constants_and_statements_are_changed_and_words_are_not():
    assert names(SOURCE) == [
        "LIMIT: 3: 4",
        "least: if a < b and a is not None:: as if true",
        "least: if a < b and a is not None:: as if false",
        "least: a < b and a is not None: without part 1",
        "least: a < b and a is not None: without part 2",
        "least: a < b: <=",
        "least: a < b: >=",
        "least: a is not None: is",
        "least: return a: None",
        "least: raise ValueError(f'{a + b} words'): left out",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.path)
def test_every_mutant_of_a_subject_is_another_module_with_a_name_of_its_own(subject: Subject):
    source = (ROOT / subject.path).read_text(encoding="utf-8")
    made = list(subject.mutants(source))
    assert len({mutant.name for mutant in made}) == len(made) > 0
    own = ast.dump(ast.parse(source))
    assert all(ast.dump(ast.parse(mutant.source)) != own for mutant in made)
    assert set(EQUIVALENT.get(subject.path, {})) <= {mutant.name for mutant in made}
    assert all(
        (ROOT / test.partition("::")[0]).exists() for test in (*subject.tests, *subject.more)
    )


@pytest.mark.slow
def test_a_mutant_is_noticed_by_a_test_that_fails_and_survives_where_none_does():
    path = "model/levels/anomalies.py"
    subject = Subject(path, ("tests/model/levels/test_anomalies.py",))
    source = (ROOT / path).read_text(encoding="utf-8")
    wrong = source.replace('== "rw"]', '!= "rw"]', 1)
    assert wrong != source
    tried = [Mutant("wrong", "_cycle_name", wrong), Mutant("the same", "_cycle_name", source)]
    noticed, survived = batch(subject, tried, 60)
    assert noticed is not None
    assert survived is not None
    assert (noticed.verdict, survived.verdict) == ("noticed", "survived")
    assert noticed.by.startswith("tests/model/levels/test_anomalies.py::")
