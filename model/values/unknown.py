"""Unknown values: the results of parts of a statement that the model cannot evaluate.

An unknown value can be stored, moved and compared with itself. Whatever depends on more than that
raises NotPredicted, so nothing is ever concluded from a value that is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from model.errors import NotPredicted


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """The value of ``text``, which the model cannot evaluate; it may be NULL.

    ``because`` is the reason. A part that is ``settled`` has one value for the same ``inputs``;
    any other part may have another value each time.
    """

    text: str
    because: str
    inputs: tuple[Any, ...] = ()
    settled: bool = True

    def needed(self, *_: object) -> NoReturn:
        """Raises NotPredicted: something depends on the value."""
        raise NotPredicted(self.text, self.because)

    def __eq__(self, other: object) -> bool:
        if self is other or (isinstance(other, Unknown) and self._same(other)):
            return True
        return self.needed()

    def _same(self, other: Unknown) -> bool:
        """Whether both are the value of one part for the same inputs."""
        settled = self.settled and other.settled
        return settled and (self.text, self.inputs) == (other.text, other.inputs)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.text, self.inputs))

    def __str__(self) -> str:
        return f"({self.text})"

    __bool__ = __len__ = __int__ = __float__ = needed
    __lt__ = __le__ = __gt__ = __ge__ = needed
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __abs__ = needed


def any_unknown(values: Any) -> Unknown | None:
    """The first unknown one of some values."""
    return next((value for value in values if value.__class__ is Unknown), None)
