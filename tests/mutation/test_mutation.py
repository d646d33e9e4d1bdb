"""Mutants and their trials: what is changed, what is left alone, and when a mutant is noticed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.operators import mutants
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


TWO_TRIALS = """
from pathlib import Path

from tests.mutation.batch import batch
from tests.mutation.operators import Mutant
from tests.mutation.subjects import Subject

path = "model/levels/anomalies.py"
source = Path(path).read_text(encoding="utf-8")
wrong = source.replace('== "rw"]', '!= "rw"]', 1)
assert wrong != source
tried = [Mutant("wrong", "_cycle_name", wrong), Mutant("the same", "_cycle_name", source)]
for outcome in batch(Subject(path, ("tests/model/levels/test_anomalies.py",)), tried, 60):
    print(outcome.verdict, outcome.by)
"""


@pytest.mark.slow
def test_a_mutant_is_noticed_by_a_test_that_fails_and_survives_where_none_does():
    """In a process of its own, since other tests leave results in the caches of this one."""
    done = subprocess.run(
        [sys.executable, "-c", TWO_TRIALS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    noticed, survived = (line.partition(" ") for line in done.stdout.splitlines())
    assert (noticed[0], survived[0]) == ("noticed", "survived")
    assert noticed[2].startswith("tests/model/levels/test_anomalies.py::")
