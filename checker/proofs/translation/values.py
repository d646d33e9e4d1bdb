"""The values that rules compute with, as the translation of their code has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import z3

from checker.proofs.lemma import CannotBeStated

Formula = Any
Value = Any
"""A z3 term, a constant of Python, or one of the classes below."""


class Untranslatable(CannotBeStated):
    """A rule uses what the translation does not know; says the place in the source."""


@dataclass(frozen=True, slots=True)
class Words:
    """Some text, whatever it says: the reason for a conflict."""


@dataclass(frozen=True, slots=True)
class Record:
    """An object with attributes; properties of ``cls`` are translated as well."""

    attributes: Mapping[str, Value]
    cls: type | None = None


@dataclass(frozen=True, slots=True)
class Perhaps:
    """An object, or None where ``present`` is false."""

    present: Formula
    value: Record


@dataclass(frozen=True, slots=True)
class Collection:
    """The elements ``element(*x)`` for all x of the sorts with ``guard(*x)``."""

    sorts: tuple[Any, ...]
    guard: Callable[..., Formula]
    element: Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Cases:
    """The value of the one case that holds."""

    cases: tuple[tuple[Formula, Value], ...]


class Texts:
    """The strings that rules compare, as constants of one sort."""

    def __init__(self) -> None:
        self.Text = z3.DeclareSort("Text")
        self._constants: dict[str, Any] = {}
        self._prefixes: dict[str, Any] = {}

    def constant(self, text: str) -> Any:
        """The constant for a text."""
        if text not in self._constants:
            self._constants[text] = z3.Const(f'"{text}"', self.Text)
        return self._constants[text]

    def starts_with(self, term: Any, prefix: str) -> Formula:
        """The condition that a text has a prefix."""
        if prefix not in self._prefixes:
            name = f'starts with "{prefix}"'
            self._prefixes[prefix] = z3.Function(name, self.Text, z3.BoolSort())
        return self._prefixes[prefix](term)

    def axioms(self) -> tuple[Formula, ...]:
        """The constants that were asked for are different texts, with the prefixes they have."""
        constants = self._constants
        different = [z3.Distinct(*constants.values())] if len(constants) > 1 else []
        prefixes = [
            z3.And(
                *(
                    has(constant) if text.startswith(prefix) else z3.Not(has(constant))
                    for text, constant in constants.items()
                )
            )
            for prefix, has in self._prefixes.items()
        ]
        return (*different, *prefixes)
