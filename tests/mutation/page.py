"""docs/mutants.md: the mutants of each module, and the tests that noticed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.subjects import Subject
from tests.mutation.trial import Outcome

HEAD = """# Mutants

`make mutants` changes one thing at a time in the modules below (a comparison, an operator, a
condition, a constant, a member of a table, a statement left out; the list is
`tests/mutation/operators.py`), runs the tests that speak of the module, and writes this page. Words
are not changed. A mutant that no test notices is listed below with the reason why nothing can
notice it; one without a reason is open, and the command then fails. A mutant that does not end is
noticed by the time limit.
"""


@dataclass(frozen=True)
class Row:
    """One mutant that was tried."""

    path: str
    mutant: str
    outcome: Outcome


def page(subjects: Sequence[Subject], rows: Sequence[Row]) -> str:
    """The whole page."""
    return "\n".join([HEAD, *_table(subjects, rows), "", *_survivors(rows), *_noticed(rows)]) + "\n"


def _table(subjects: Sequence[Subject], rows: Sequence[Row]) -> Iterator[str]:
    yield "| module | mutants | noticed | did not end | nothing can notice | open |"
    yield "|---|---|---|---|---|---|"
    total: Counter[str] = Counter()
    for subject in subjects:
        counts = Counter(_class(row) for row in rows if row.path == subject.path)
        total += counts
        yield _line(f"`{subject.path}`", counts)
    yield _line("all", total)


def _line(name: str, counts: Counter[str]) -> str:
    cells = (counts[c] for c in ("noticed", "hung", "equivalent", "open"))
    return f"| {name} | {sum(counts.values())} | {' | '.join(map(str, cells))} |"


def _class(row: Row) -> str:
    if row.outcome.verdict != "survived":
        return row.outcome.verdict
    return "equivalent" if row.mutant in EQUIVALENT.get(row.path, {}) else "open"


def _survivors(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Mutants that nothing can notice"
    yield ""
    yield "| module | mutant | why |"
    yield "|---|---|---|"
    for row in rows:
        if row.outcome.verdict == "survived":
            why = EQUIVALENT.get(row.path, {}).get(row.mutant, "**open**")
            yield f"| `{row.path}` | {_code(row.mutant)} | {why} |"
    yield ""


def _noticed(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Tests that noticed mutants"
    yield ""
    yield "Each mutant counts for the first test that failed."
    for path in dict.fromkeys(row.path for row in rows):
        yield ""
        yield f"### `{path}`"
        yield ""
        yield "| test | mutants |"
        yield "|---|---|"
        tests = Counter(
            row.outcome.by.partition("[")[0]
            for row in rows
            if row.path == path and row.outcome.verdict == "noticed"
        )
        for test, count in sorted(tests.items(), key=lambda pair: (-pair[1], pair[0])):
            yield f"| {_code(test)} | {count} |"


def _code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`"
