"""What can be wrong with a scenario, as exceptions whose text is one clear line."""

from __future__ import annotations


class ModelError(Exception):
    """Base of every error that this package raises on purpose; its text is one line."""


class InvalidScenario(ModelError):
    """A scenario contradicts itself: unknown transaction, bad schedule, wrong type, ...

    ``where`` is the path of keys to the place (such as ``("transactions", "A")``), for the
    front door to turn into a line of the file. ``error_class`` is Spark's name of the error
    where Spark fails the statement when it analyses it, None where nothing is known of that.
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


class UnsupportedSQL(InvalidScenario):
    """A statement that the model does not know, or knows to mean something else in Spark."""


class StatementFailure(ModelError):
    """A statement that Spark itself fails while it runs, such as an overflow.

    ``error_class`` is Spark's name of the error.
    """

    def __init__(self, error_class: str, message: str) -> None:
        super().__init__(message)
        self.error_class = error_class
