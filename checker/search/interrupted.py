"""Ctrl-C during a search: what was found by then travels with the exception."""

from __future__ import annotations

from typing import Generic, TypeVar

R = TypeVar("R")


class Interrupted(KeyboardInterrupt, Generic[R]):
    """The search was interrupted; ``result`` is what it came to, not complete."""

    def __init__(self, result: R) -> None:
        super().__init__()
        self.result = result
