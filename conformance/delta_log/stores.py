"""The files of a table on a local disk or on any store, read and never written."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from conformance.extras import advice


class UnreadableStore(Exception):
    """A location cannot be read; the text says which one and why."""


class Store(Protocol):
    """A table's folder. Paths are relative to it, with ``/`` between their parts."""

    location: str
    folder: Path | None

    def listing(self, folder: str) -> Mapping[str, int]:
        """The sizes of all files below a folder, by path; empty if it is not there."""
        ...

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        """The bytes of a file, or a part of them. Raises UnreadableStore."""
        ...


class LocalStore:
    """A table in a folder of this machine."""

    def __init__(self, folder: Path):
        self.location = str(folder)
        self.folder: Path | None = folder

    def listing(self, folder: str) -> Mapping[str, int]:
        """The sizes of all files below a folder, links not followed."""
        assert self.folder is not None
        sizes: dict[str, int] = {}
        pending = [folder]
        while pending:
            current = pending.pop()
            try:
                with os.scandir(self.folder / current if current else self.folder) as entries:
                    for entry in entries:
                        path = f"{current}/{entry.name}" if current else entry.name
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(path)
                        else:
                            sizes[path] = entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                continue
            except OSError as error:
                raise UnreadableStore(f"{error.filename}: {error.strerror}") from error
        return sizes

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        """The bytes of a file, or a part of them."""
        assert self.folder is not None
        try:
            with (self.folder / path).open("rb") as file:
                file.seek(start)
                return file.read() if size is None else file.read(size)
        except OSError as error:
            raise UnreadableStore(f"{self.location}/{path}: {error.strerror}") from error


class RemoteStore:
    """A table behind a URL, through the object stores of delta-rs.

    Credentials and endpoints come from the environment, as delta-rs documents them.
    """

    def __init__(self, url: str):
        self.location = url
        self.folder: Path | None = None
        try:
            import pyarrow.fs as arrow
            from deltalake.fs import DeltaStorageHandler

            self._files: Any = arrow.PyFileSystem(DeltaStorageHandler(url))
            self._selector = arrow.FileSelector
        except ModuleNotFoundError as error:
            raise UnreadableStore(f"{url}: {advice(error.name) or error}") from error
        except Exception as error:
            # The object stores raise many classes, none of them documented.
            raise UnreadableStore(f"{url}: {_reason(error)}") from error

    def listing(self, folder: str) -> Mapping[str, int]:
        """The sizes of all files below a folder."""
        selector = self._selector(folder, recursive=True, allow_not_found=True)
        try:
            return {
                info.path.lstrip("/"): info.size
                for info in self._files.get_file_info(selector)
                if info.is_file
            }
        except Exception as error:
            raise UnreadableStore(f"{self.location}: {_reason(error)}") from error

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        """The bytes of a file, or a part of them."""
        try:
            with self._files.open_input_file(path) as file:
                file.seek(start)
                return bytes(file.read() if size is None else file.read(size))
        except Exception as error:
            raise UnreadableStore(f"{self.location}/{path}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """The message of an error in one line; object stores colour theirs."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).split())


def store(location: str) -> Store:
    """The store of a table, by its path or URL. Raises UnreadableStore."""
    if "://" in location and not location.startswith("file://"):
        return RemoteStore(location)
    return LocalStore(Path(location.removeprefix("file://")))
