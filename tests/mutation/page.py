"""docs/mutants.md: the mutants of each module, and the tests that noticed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.trial import Outcome

HEAD = """# Mutants

`make mutants` changes one thing at a time in the modules below (a comparison, an operator, a
condition, a constant, a member of a table, a statement left out; the list is
`tests/mutation/operators.py`), runs the tests that speak of the module, and writes this page. Words
are not changed. A mutant that no test notices is listed below with the reason why nothing can
notice it; one without a reason is open, and the command then fails. A mutant that does not end is
noticed by the time limit. `make mutants ARGS="--quick"` asks the quick tests alone and leaves
mutants of tables untried.
"""


@dataclass(frozen=True)
class Row:
    """One mutant that was tried."""

    path: str
    mutant: str
    outcome: Outcome


def page(made: Mapping[str, int], rows: Sequence[Row]) -> str:
    """The whole page; ``made`` has the number of mutants that each module has."""
    parts = [
        *_table(made, rows),
        "",
        *_listed("Open", [row for row in rows if _class(row) == "open"]),
        *_listed("Mutants that nothing can notice", [r for r in rows if _class(r) == "equivalent"]),
        *_noticed(rows),
    ]
    return "\n".join([HEAD, *parts]) + "\n"


def _table(made: Mapping[str, int], rows: Sequence[Row]) -> Iterator[str]:
    yield "| module | mutants | noticed | did not end | nothing can notice | open | not tried yet |"
    yield "|---|---|---|---|---|---|---|"
    total: Counter[str] = Counter()
    for path, number in made.items():
        counts = Counter(_class(row) for row in rows if row.path == path)
        counts["not tried"] = number - counts.total()
        total += counts
        yield _line(f"`{path}`", counts)
    yield _line("all", total)


def _line(name: str, counts: Counter[str]) -> str:
    cells = (counts[c] for c in ("noticed", "hung", "equivalent", "open", "not tried"))
    return f"| {name} | {counts.total()} | {' | '.join(map(str, cells))} |"


def _class(row: Row) -> str:
    if row.outcome.verdict != "survived":
        return row.outcome.verdict
    return "equivalent" if row.mutant in EQUIVALENT.get(row.path, {}) else "open"


def _listed(title: str, rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield f"## {title}"
    yield ""
    yield "| module | mutant | why |"
    yield "|---|---|---|"
    for row in rows:
        why = EQUIVALENT.get(row.path, {}).get(row.mutant, "")
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
