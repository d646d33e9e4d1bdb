"""The errors of a scenario, as exceptions whose text is one clear line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ModelError(Exception):
    """Base of every error that this package raises on purpose; its text is one line."""


class InvalidScenario(ModelError):
    """A scenario contradicts itself: unknown transaction, bad schedule, wrong type, ...

    ``where`` is the path of keys to the place (such as ``("transactions", "A")``), which the
    front door turns into a line of the file. ``error_class`` is Spark's name of the error if
    Spark fails the statement during analysis, None if that is not known.
    """

    def __init__(
        self,
        message: str,
        where: tuple[str | int, ...] = (),
        error_class: str | None = None,
    ) -> None:
        super().__init__(message)
        self.where = where
        self.error_class = error_class


class SeveralProblems(InvalidScenario):
    """Independent problems of one scenario, at least one; the text is the first one's."""

    def __init__(self, problems: Iterable[InvalidScenario]) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        super().__init__(str(first), first.where, first.error_class)


def did_you_mean(word: str, valid: Iterable[str]) -> str:
    """The end of a message about an unknown word: the valid one that is close, if there is one."""
    names = {name.lower(): name for name in valid}
    near = difflib.get_close_matches(word.lower(), names, 1)
    return f", did you mean {names[near[0]]}?" if near else ""


class UnsupportedSQL(InvalidScenario):
    """A statement that the model does not support, or that means something else in Spark."""


class NotPredicted(UnsupportedSQL):
    """What happens depends on ``part`` of a statement, which the model cannot evaluate."""

    def __init__(
        self, part: str, because: str, where: tuple[str | int, ...] = (), error_class: None = None
    ) -> None:
        super().__init__(f"{part!r}: {because}", where)
        self.part = part
        self.because = because


class StatementFailure(ModelError):
    """A statement that Spark itself fails at run time, such as by an overflow.

    ``error_class`` is Spark's name of the error.
    """

    def __init__(self, error_class: str, message: str) -> None:
        super().__init__(message)
        self.error_class = error_class
