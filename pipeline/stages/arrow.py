"""Columns of Arrow batches from values that repeat: each is built once and then taken by place."""

from __future__ import annotations

import gc
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import numpy
import pyarrow as pa

V = TypeVar("V", bound=Hashable)


class Interned(Generic[V]):
    """The different values of a column, and the place of each row's value among them."""

    def __init__(self) -> None:
        self.values: list[V] = []
        self.places: list[int] = []
        self._known: dict[V, int] = {}

    def add(self, value: V) -> None:
        """The value of the next row."""
        place = self._known.get(value)
        if place is None:
            place = self._known[value] = len(self.values)
            self.values.append(value)
        self.places.append(place)

    def column(self, type_: pa.DataType, values: Sequence[Any] | None = None) -> pa.Array:
        """The column; ``values`` are given if they are not those that were added."""
        distinct = pa.array(self.values if values is None else values, type_)
        return distinct.take(pa.array(self.places, pa.int32()))


def lists(flat: pa.Array, places: Sequence[Sequence[int]]) -> pa.Array:
    """A column of lists, each row given by places of its members in ``flat``."""
    offsets = numpy.zeros(len(places) + 1, numpy.int32)
    numpy.cumsum([len(row) for row in places], out=offsets[1:])
    members = [place for row in places for place in row]
    return pa.ListArray.from_arrays(pa.array(offsets), flat.take(pa.array(members, pa.int32())))


@contextmanager
def no_cycle_collection() -> Iterator[None]:
    """Pauses the search for garbage in cycles: a tree of histories goes by reference counts."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
