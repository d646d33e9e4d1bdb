"""The Python front door: light to import, and enough for an experiment of ten lines."""

from __future__ import annotations

import doctest
import subprocess
import sys

import isodelta


def test_the_experiment_of_the_front_page_runs() -> None:
    results = doctest.testmod(isodelta)
    assert results.attempted > 0
    assert results.failed == 0


def test_every_public_name_is_there() -> None:
    for name in isodelta.__all__:
        assert getattr(isodelta, name) is not None
    assert set(isodelta.__all__) == set(isodelta._HOMES)
    assert set(isodelta.__all__) <= set(dir(isodelta))


def test_importing_the_package_imports_nothing_else() -> None:
    program = (
        "import sys, isodelta; "
        "print([m for m in sys.modules if m.split('.')[0] in "
        "('model', 'checker', 'conformance', 'pydantic', 'sqlglot', 'networkx', 'pyspark')])"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert output == "[]\n"
