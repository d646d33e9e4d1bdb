"""Decoder of deletion vectors: the row positions of a data file that a version leaves out.

Source: the Delta transaction log protocol, "Deletion Vector Format" (a 64-bit Roaring bitmap in
the portable serialisation, inline as Z85 text or in a file beside the data) and the Roaring
bitmap format specification for the 32-bit bitmaps inside.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_Z85_VALUE = {character: value for value, character in enumerate(_Z85)}

_MAGIC_PORTABLE = 1681511377
_COOKIE_RUNS = 12347
_COOKIE_NO_RUNS = 12346
_NO_OFFSET_THRESHOLD = 4
_ARRAY_LIMIT = 4096


class UnreadableVector(Exception):
    """The bytes are not a deletion vector in a supported format."""


def deleted_rows(vector: Mapping[str, Any], table: Path) -> frozenset[int]:
    """The row positions that a ``deletionVector`` descriptor of the log marks as deleted.

    Raises UnreadableVector.
    """
    kind, place = vector["storageType"], vector["pathOrInlineDv"]
    if kind == "i":
        data = _from_z85(place)[: vector["sizeInBytes"]]
    elif kind in ("u", "p"):
        path = Path(place.removeprefix("file:")) if kind == "p" else table / relative_path(place)
        content = path.read_bytes()
        start = vector.get("offset") or 1
        (size,) = struct.unpack_from(">i", content, start)
        if size != vector["sizeInBytes"]:
            raise UnreadableVector(f"{path} holds {size} bytes, {vector['sizeInBytes']} expected")
        data = content[start + 4 : start + 4 + size]
    else:
        raise UnreadableVector(f"unsupported storage type {kind!r}")
    rows = frozenset(_bitmap64(data))
    if len(rows) != vector["cardinality"]:
        raise UnreadableVector(f"{len(rows)} rows, {vector['cardinality']} expected")
    return rows


def relative_path(text: str) -> str:
    """The file that a ``u`` descriptor points to: an optional folder, then a UUID in Z85."""
    folder, encoded = text[:-20], text[-20:]
    name = f"deletion_vector_{uuid.UUID(bytes=_from_z85(encoded))}.bin"
    return f"{folder}/{name}" if folder else name


def _from_z85(text: str) -> bytes:
    if len(text) % 5:
        raise UnreadableVector(f"Z85 text of {len(text)} characters, not a multiple of 5")
    out = bytearray()
    for start in range(0, len(text), 5):
        value = 0
        for character in text[start : start + 5]:
            value = value * 85 + _Z85_VALUE[character]
        out += struct.pack(">I", value)
    return bytes(out)


def _bitmap64(data: bytes) -> list[int]:
    """A 64-bit Roaring bitmap: 32-bit bitmaps, each preceded by the high half of its numbers."""
    (magic,) = struct.unpack_from("<i", data, 0)
    if magic != _MAGIC_PORTABLE:
        raise UnreadableVector(f"unsupported magic number {magic}")
    (count,) = struct.unpack_from("<q", data, 4)
    position = 12
    numbers: list[int] = []
    for _ in range(count):
        (high,) = struct.unpack_from("<I", data, position)
        low, position = _bitmap32(data, position + 4)
        numbers += [(high << 32) | value for value in low]
    return numbers


def _bitmap32(data: bytes, position: int) -> tuple[list[int], int]:
    """A 32-bit Roaring bitmap at a position: its numbers and the position after it."""
    (cookie,) = struct.unpack_from("<I", data, position)
    position += 4
    runs = b""
    if cookie & 0xFFFF == _COOKIE_RUNS:
        count = (cookie >> 16) + 1
        runs = data[position : position + (count + 7) // 8]
        position += len(runs)
    elif cookie == _COOKIE_NO_RUNS:
        (count,) = struct.unpack_from("<I", data, position)
        position += 4
    else:
        raise UnreadableVector(f"unsupported cookie {cookie}")
    headers = struct.unpack_from(f"<{2 * count}H", data, position)
    position += 4 * count
    if not runs or count >= _NO_OFFSET_THRESHOLD:
        position += 4 * count
    numbers: list[int] = []
    for index in range(count):
        base, size = headers[2 * index] << 16, headers[2 * index + 1] + 1
        if runs and runs[index // 8] >> (index % 8) & 1:
            (pairs,) = struct.unpack_from("<H", data, position)
            spans = struct.unpack_from(f"<{2 * pairs}H", data, position + 2)
            position += 2 + 4 * pairs
            for first, more in zip(spans[::2], spans[1::2], strict=True):
                numbers += range(base + first, base + first + more + 1)
        elif size <= _ARRAY_LIMIT:
            numbers += [base + low for low in struct.unpack_from(f"<{size}H", data, position)]
            position += 2 * size
        else:
            words = data[position : position + 8192]
            position += 8192
            numbers += [base + bit for bit in range(65536) if words[bit >> 3] >> (bit & 7) & 1]
    return numbers, position
