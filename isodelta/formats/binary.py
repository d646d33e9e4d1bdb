"""Reading binary files field by field, so that a truncated one says where it ends."""

from __future__ import annotations

import struct
from pathlib import Path

from isodelta.exits import BadInput


class Fields:
    """The bytes of a file and how far they were read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = path.read_bytes()
        self.at = 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, layout: struct.Struct, part: str) -> tuple[int, ...]:
        """The next fields; ``BadInput`` where the file ends before them."""
        if self.left < layout.size:
            raise self.wrong(f"the file ends in the middle of {part}")
        values = layout.unpack_from(self.data, self.at)
        self.at += layout.size
        return values

    def wrong(self, problem: str) -> BadInput:
        """The error at this place."""
        return BadInput(f"{self.path}: byte {self.at}: {problem}")
