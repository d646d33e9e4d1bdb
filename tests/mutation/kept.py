"""The outcomes of trials, kept in a file for each module."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from tests.mutation.operators import Mutant
from tests.mutation.subjects import Subject
from tests.mutation.trial import Outcome


class Kept:
    """What is known of one module's mutants; a mutant whose source changed is unknown again."""

    def __init__(self, folder: Path, subject: Subject) -> None:
        self._file = folder / f"{subject.module}.json"
        self._outcomes: dict[str, dict[str, object]] = {}
        if self._file.exists():
            self._outcomes = json.loads(self._file.read_text(encoding="utf-8"))

    def outcome(self, mutant: Mutant) -> Outcome | None:
        """What came of it; None if it was not tried yet."""
        entry = self._outcomes.get(mutant.name)
        if entry is None or entry["digest"] != _digest(mutant):
            return None
        return Outcome(entry["verdict"], entry["by"], entry["seconds"])  # type: ignore[arg-type]

    def settled(self, mutant: Mutant) -> bool:
        """Whether it was noticed before, or hung."""
        outcome = self.outcome(mutant)
        return outcome is not None and outcome.verdict != "survived"

    def keep(self, mutant: Mutant, outcome: Outcome) -> None:
        """Writes an outcome down, at once: a run may be interrupted."""
        self._outcomes[mutant.name] = {"digest": _digest(mutant), **asdict(outcome)}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self._outcomes, indent=1, ensure_ascii=False)
        self._file.write_text(text, encoding="utf-8")


def _digest(mutant: Mutant) -> str:
    return hashlib.sha256(mutant.source.encode()).hexdigest()[:16]
