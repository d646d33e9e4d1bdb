"""The table of history formats, and their recognition by content."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from checker.recorded.history import RecordedHistory
from isodelta.exits import BadInput


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the module that reads it, and whether its levels respect session order.

    Elle's plain levels are Adya's, in which the order of each session does not count; the tools
    of the other formats check levels in which it does.
    """

    name: str
    module: str
    title: str
    session_order: bool

    def read(self, path: Path) -> RecordedHistory:
        """The history in a file (or folder); ``BadInput`` says where it is wrong, and why."""
        reader: Callable[[Path], RecordedHistory] = import_module(self.module).read
        try:
            return reader(path)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise BadInput(f"{path}: byte {error.start}: this is not UTF-8 text") from error


FORMATS = {
    entry.name: entry
    for entry in (
        Format("text", f"{__package__}.text", "dbcop/PolySI text", True),
        Format("bincode", f"{__package__}.bincode", "dbcop history.bincode", True),
        Format("cobra", f"{__package__}.cobra", "Cobra logs (a folder)", True),
        Format("awdit", f"{__package__}.awdit", "AWDIT text", True),
        Format("edn", f"{__package__}.jepsen.edn", "Elle/Jepsen EDN", False),
        Format("json", f"{__package__}.jepsen.json_operations", "Elle/Jepsen JSON", False),
        Format("dbcop", f"{__package__}.dbcop", "dbcop JSON", True),
        Format("chronos", f"{__package__}.chronos", "CHRONOS JSON", True),
    )
}
LARGE = "parquet"
"""The format with a known version order (``checker.recorded.arrays``)."""


_OBJECTS = {
    "dbcop": re.compile(
        rb"""(?s)\[\s*\[\s*(\{\s*"(events|committed)"|\])|\{.*"data"\s*:\s*\[\s*(\[|\])"""
    ),
    "chronos": re.compile(
        rb"""(?s)\[\s*\{\s*("tid"|"sid"|"ops"\s*:\s*\[\s*[{\]]|"[sc]ts"\s*:\s*\{\s*"[pl]")"""
    ),
}
"""The beginnings of the formats that are JSON, but not one operation after another."""

_JSON = re.compile(rb"""\[?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:(?:[\s"\[{\d-]|null\b|true\b|false\b)""")
"""The beginning of a JSON object: in EDN a name follows the colon."""


def histories_in(path: Path) -> list[Path]:
    """The histories that a path names: itself, or those in a folder of many.

    A folder is one history where it has Cobra's logs or a ``history.bincode``; else the histories
    are the folders of that kind below it and the files in the others, in the order of their names.
    Hidden files are left out.
    """
    if not path.is_dir() or _is_history(path):
        return [path]
    histories: list[Path] = []
    for entry in sorted(path.iterdir(), key=_natural):
        if entry.name.startswith("."):
            continue
        histories += histories_in(entry) if entry.is_dir() else [entry]
    return histories


def _is_history(folder: Path) -> bool:
    return any(folder.glob("*.log")) or (folder / "history.bincode").is_file()


def _natural(path: Path) -> list[tuple[bool, int, str]]:
    """hist-2 comes before hist-10."""
    parts = re.split(r"(\d+)", path.name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def recognise(path: Path) -> str:
    """The name of a file's format, by its content."""
    if not path.exists():
        raise BadInput(f"{path}: there is no such file")
    if path.is_dir():
        if any(path.glob("*.log")):
            return "cobra"
        if (path / "history.bincode").is_file():
            return "bincode"
        raise BadInput(f"{path}: a folder with neither T<n>.log files nor a history.bincode")
    try:
        with path.open("rb") as file:
            start = file.read(4096)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    if start.startswith(b"PAR1"):
        return LARGE
    if path.suffix == ".bincode":
        return "bincode"
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if path.suffix == ".edn" or start[:1] in (b"{", b"[", b";", b"(", b"#"):
        for name, form in _OBJECTS.items():
            if form.match(start):
                return name
        in_json = _JSON.match(start) if start[:1] in (b"{", b"[") else None
        empty = path.suffix in (".json", ".jsonl") and start[1:].lstrip()[:1] == b"]"
        return "json" if in_json or empty else "edn"
    first = start.split(b"\n", 1)[0].strip().replace(b" ", b"")
    if first[:2] in (b"r(", b"w("):
        return "text"
    if start[:2] in (b"r ", b"w ", b"--", b"=="):
        return "awdit"
    if not start:
        raise BadInput(f"{path}: the file is empty")
    names = ", ".join((*FORMATS, LARGE))
    raise BadInput(f"{path}:1: not a history in any known format (--format: {names})")
