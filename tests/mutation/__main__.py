"""``python -m tests.mutation``: every mutant of the subjects is tried, and the page is written.

Results are kept in ``.isodelta/mutants``: a mutant that was noticed is tried again only if its
module changed, a survivor each time unless there is a reason for it. ``--all`` forgets what is
kept, ``--quick`` leaves out whole trials, and ``--page`` writes the page alone. Exit code 1 means
that a mutant survived without a written reason.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.mutation.batch import batch
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.kept import Kept
from tests.mutation.operators import Mutant
from tests.mutation.page import Row, page
from tests.mutation.subjects import SUBJECTS, Subject
from tests.mutation.trial import Outcome, load_libraries, trial

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "mutants.md"
KEPT = ROOT / ".isodelta" / "mutants"
PATIENCE = 4.0
"""A mutant's tests may take this many times as long as those of the module itself."""
BATCH_LIMIT = 120.0
"""Seconds for one mutant of a batch."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("paths", nargs="*", help="only modules whose path begins so")
    parser.add_argument("--all", action="store_true", help="forget the results that are kept")
    parser.add_argument("--minutes", type=float, default=600.0, help="start no trial after these")
    parser.add_argument("--quick", action="store_true", help="leave the whole trials out")
    parser.add_argument("--page", action="store_true", help="write the page from what is kept")
    given = parser.parse_args(arguments)
    chosen = [s for s in SUBJECTS if not given.paths or s.path.startswith(tuple(given.paths))]
    deadline = time.monotonic() + 60 * given.minutes
    load_libraries()
    for subject in chosen if not given.page else ():
        _batch(subject, given.all, deadline)
    for subject in chosen if not (given.quick or given.page) else ():
        _whole(subject, deadline)
    rows, made = [], {}
    for subject in SUBJECTS:
        kept, all_mutants = Kept(KEPT, subject), list(subject.mutants(_source(subject)))
        made[subject.path] = len(all_mutants)
        outcomes = ((mutant.name, kept.outcome(mutant)) for mutant in all_mutants)
        rows += [Row(subject.path, name, outcome) for name, outcome in outcomes if outcome]
    PAGE.write_text(page(made, rows), encoding="utf-8")
    survived = {(r.path, r.mutant) for r in rows if r.outcome.verdict == "survived"}
    reasons = {(path, name) for path, names in EQUIVALENT.items() for name in names}
    for path, name in sorted(survived - reasons):
        print(f"survived: {path}: {name}")
    noticed = {(r.path, r.mutant) for r in rows} & (reasons - survived)
    for path, name in sorted(noticed):
        print(f"noticed in spite of a reason: {path}: {name}")
    return int(bool(survived - reasons))


def _source(subject: Subject) -> str:
    return (ROOT / subject.path).read_text(encoding="utf-8")


def _batch(subject: Subject, again: bool, deadline: float) -> None:
    """Tries the mutants whose change is in a function, but not again those with a reason."""
    kept = Kept(KEPT, subject)
    to_try = list(subject.mutants(_source(subject))) if again else _open(subject, kept)
    for mutant, outcome in zip(to_try, batch(subject, to_try, BATCH_LIMIT), strict=False):
        if outcome is not None:
            _keep(kept, subject, mutant, outcome)
        if time.monotonic() > deadline:
            return


def _open(subject: Subject, kept: Kept) -> list[Mutant]:
    """The mutants that nothing has noticed yet, but for survivors with a reason."""
    reasons = EQUIVALENT.get(subject.path, {})
    return [
        mutant
        for mutant in subject.mutants(_source(subject))
        if not kept.settled(mutant)
        and not (mutant.name in reasons and kept.outcome(mutant) is not None)
    ]


def _whole(subject: Subject, deadline: float) -> None:
    """Whole trials for the mutants that are left: those out of reach, then the survivors."""
    kept = Kept(KEPT, subject)
    left = _open(subject, kept)
    left.sort(key=lambda mutant: kept.outcome(mutant) is not None)
    if not left or time.monotonic() > deadline:
        return
    path = ROOT / subject.path
    tests = (*subject.tests, *subject.more)
    own = trial(subject.module, path, None, tests, 1_000)
    if own.verdict != "survived":
        raise SystemExit(f"{subject.path}: its own tests fail: {own.by}")
    for mutant in left:
        if time.monotonic() > deadline:
            return
        limit = PATIENCE * own.seconds + 10
        _keep(kept, subject, mutant, trial(subject.module, path, mutant.source, tests, limit))


def _keep(kept: Kept, subject: Subject, mutant: Mutant, outcome: Outcome) -> None:
    kept.keep(mutant, outcome)
    print(f"{subject.path}: {outcome.verdict}: {mutant.name} [{outcome.by}]", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
