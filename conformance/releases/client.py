"""A release of an engine, in a process of its own, as an engine of this process."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import Any

from conformance.engine import BadStatement, Begun, CommitRecord, Committed, EngineError
from conformance.releases.catalogue import Release
from conformance.releases.environment import jars_of, packages_of
from conformance.releases.server import ENGINE
from model.history import Row
from model.scenario import Scenario

START_SECONDS = 180.0
"""The time that a JVM may take to start on a busy machine."""

STOP_SECONDS = 30.0
_CONNECT_SECONDS = 30.0


class ReleasedEngine:
    """One release. Thread-safe: each thread has a connection of its own.

    Its packages are fetched first if they are not in the cache. The process ends when the engine is
    closed, and when this process dies, since its connection ends then.
    """

    def __init__(self, release: Release) -> None:
        self.release = release
        packages = packages_of(release)
        jars = [] if release.artifact is None else jars_of(release)
        self._folder = Path(tempfile.mkdtemp(prefix="isodelta-release-"))
        self._log = self._folder / "log"
        self._address = str(self._folder / "socket")
        self._key = secrets.token_bytes(16)
        self._connections = threading.local()
        self._process = self._started(packages, jars)
        try:
            self._first = self._connect(_CONNECT_SECONDS)
            self._connections.own = self._first
            if not self._first.poll(START_SECONDS):
                raise EngineError(f"{release.name} did not start within {START_SECONDS:g} s")
            because = self._first.recv()
        except (EngineError, OSError, EOFError) as error:
            self.close()
            words = error.message if isinstance(error, EngineError) else self._last_words()
            raise EngineError(f"{release.name} did not start: {words}") from error
        if because is not None:
            self.close()
            raise EngineError(f"{release.name} did not start: {because}")

    @property
    def name(self) -> str:
        """The name of the release, for example ``delta-rs@1.0.2``."""
        return self.release.name

    def versions(self) -> Mapping[str, str]:
        """Versions of its parts."""
        known = dict(self.ask(ENGINE, "versions"))
        if "delta" in known:
            # The Python package of this environment is not what runs there.
            known.pop("delta-spark", None)
        return known

    def usable(self) -> bool:
        """True if its process runs and the engine there is usable."""
        if self._process.poll() is not None:
            return False
        try:
            return bool(self.ask(ENGINE, "usable"))
        except EngineError:
            return False

    def open(self, scenario: Scenario, level: str | None = None) -> ReleasedReplay:
        """Prepare a scenario's tables there."""
        return ReleasedReplay(self, self.ask(ENGINE, "open", scenario, level))

    def close(self) -> None:
        """Ends its process, by force if it does not comply, and removes the files of both."""
        if self._process.poll() is None:
            first: Connection | None = getattr(self, "_first", None)
            if first is not None:
                first.close()
            try:
                self._process.wait(STOP_SECONDS if first is not None else 0.1)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def ask(self, number: int, name: str, *arguments: Any) -> Any:
        """The value of a method or property of one of its objects. Raises EngineError."""
        connection: Connection | None = getattr(self._connections, "own", None)
        try:
            if connection is None:
                connection = self._connections.own = self._connect(_CONNECT_SECONDS)
            connection.send((number, name, arguments))
            good, value = connection.recv()
        except (EOFError, OSError) as error:
            raise EngineError(
                f"the process of {self.name} has died: {self._last_words()}"
            ) from error
        if good:
            return value
        bad_statement, (message, scenario, step) = value
        kind = BadStatement if bad_statement else EngineError
        raise kind(message, scenario=scenario, step=step)

    def _started(self, packages: Path, jars: Sequence[Path]) -> subprocess.Popen[bytes]:
        # The folder that is on the path: an installed isodelta has this package one level deeper.
        project = Path(__file__).parents[__name__.count(".")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(packages), str(project))),
            "ISODELTA_SOCKET_KEY": self._key.hex(),
            # PySpark looks for its JARs there if it is set.
            "SPARK_HOME": str(packages / "pyspark"),
        }
        if self.release.artifact is None:
            environment.pop("SPARK_HOME")
        command = [sys.executable, "-m", "conformance.releases.server", self._address]
        with self._log.open("wb") as log:
            return subprocess.Popen(
                [*command, self.release.engine, *map(str, jars)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _connect(self, seconds: float) -> Connection:
        """A new connection, once the process listens."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return Client(self._address, "AF_UNIX", authkey=self._key)
            except (FileNotFoundError, ConnectionRefusedError):
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _last_words(self) -> str:
        if not self._log.exists():
            return "it said nothing"
        lines = self._log.read_text("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


class ReleasedReplay:
    """One scenario under way in the process of a release."""

    def __init__(self, engine: ReleasedEngine, number: int) -> None:
        self._engine, self._number = engine, number
        self._closed = False
        self.base_version: int = self._ask("base_version")

    def _ask(self, name: str, *arguments: Any) -> Any:
        return self._engine.ask(self._number, name, *arguments)

    def begin(self, name: str) -> Begun:
        """Take the snapshot of a transaction."""
        begun: Begun = self._ask("begin", name)
        return begun

    def commit(self, name: str) -> Committed:
        """Run a begun transaction to its end."""
        ended: Committed = self._ask("commit", name)
        return ended

    def log(self, table: str = "t") -> Sequence[CommitRecord]:
        """All versions of a table's log, oldest first."""
        records: Sequence[CommitRecord] = self._ask("log", table)
        return records

    def file_rows(self, path: str, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        """The rows of a data file of a table after a version, in the file's order."""
        rows: tuple[Row, ...] = self._ask("file_rows", path, version, table)
        return rows

    def rows(self, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        """The rows of a table at a version (None: the newest)."""
        rows: tuple[Row, ...] = self._ask("rows", version, table)
        return rows

    def lost(self, table: str = "t") -> frozenset[str]:
        """The paths of the newest version's files that a VACUUM has deleted."""
        paths: frozenset[str] = self._ask("lost", table)
        return paths

    def close(self) -> None:
        """Abandon transactions in flight and remove the tables."""
        if not self._closed:
            self._closed = True
            self._ask("close")
