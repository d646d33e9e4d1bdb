"""The process of a release: an engine behind a socket, for ``conformance.releases.client``.

Every connection is a thread. A request is a tuple: the number of an object (0 is the engine), the
name of a method or property, its arguments. The answer is the value or the exception; a replay
stays here and is answered by its number. Everything that crosses is plain data of
``conformance.engine`` and ``model``, which both processes have from the same files.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any

from conformance.engine import BadStatement, Engine, EngineError

ENGINE = 0
"""The number of the engine among the objects of a server."""


class Server:
    """An engine and the replays that are open on it, by number."""

    def __init__(self, engine: Engine) -> None:
        self._objects: dict[int, Any] = {ENGINE: engine}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def answer(self, number: int, name: str, arguments: tuple[Any, ...]) -> Any:
        """Calls a method, or looks at a property; a replay that it gives is kept under a number."""
        found = getattr(self._objects[number], name)
        value = found(*arguments) if callable(found) else found
        if number == ENGINE and name == "open":
            with self._lock:
                new = next(self._numbers)
                self._objects[new] = value
            return new
        if number != ENGINE and name == "close":
            del self._objects[number]
        return value

    def serve(self, connection: Connection) -> None:
        """Answers the requests of one connection until it ends."""
        while True:
            try:
                number, name, arguments = connection.recv()
            except EOFError:
                return
            try:
                connection.send((True, self.answer(number, name, arguments)))
            except EngineError as error:
                parts = (error.message, error.scenario, error.step)
                connection.send((False, (isinstance(error, BadStatement), parts)))
            except Exception as error:  # noqa: BLE001 - the other process has to know
                text = f"{type(error).__name__}: {' '.join(str(error).split())}"
                connection.send((False, (False, (text, None, None))))


def start(engine: str, jars: list[Path]) -> Engine:
    """The engine of this process's packages. Raises EngineError."""
    if engine == "delta-rs":
        from conformance.delta_rs.engine import DeltaRsEngine

        return DeltaRsEngine()
    from conformance.spark.engine import SparkEngine

    return SparkEngine(jars)


def main(address: str, engine: str, *jars: str) -> None:
    """Starts an engine and serves it until the client's first connection ends.

    The first message on it tells whether the engine started: None, or the reason why not.
    """
    key = bytes.fromhex(os.environ.pop("ISODELTA_SOCKET_KEY"))
    with Listener(address, "AF_UNIX", authkey=key) as listener:
        first = listener.accept()
        try:
            running = start(engine, [Path(jar) for jar in jars])
        except Exception as error:  # noqa: BLE001 - the other process has to know
            first.send(" ".join(str(error).split()) or type(error).__name__)
            return
        server = Server(running)

        def accept() -> None:
            while True:
                connection = listener.accept()
                threading.Thread(target=server.serve, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        first.send(None)
        try:
            server.serve(first)
        finally:
            running.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
