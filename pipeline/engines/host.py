"""An engine in a process of its own, started again when it dies or hangs.

The engine's JVM is a child of that process, and ends with it. So whatever happens to it, the
executor's Python worker goes on, and the histories that were not to blame are replayed.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from conformance.engine import Engine, EngineError
from pipeline.engines.replaying import Bench, Order, Outcome

StartEngine = Callable[[], Engine]
"""Starts an engine, or raises EngineError; a function of a module, so that it travels."""

START_SECONDS = 180.0
"""An engine that has not started by then will not."""

REPLAY_SECONDS = 300.0
"""One replay, with making it small. An engine's own steps have limits that are shorter."""


class EngineHost:
    """A process with an engine. ``run`` starts it, and starts it again after it was lost."""

    def __init__(
        self,
        start: StartEngine,
        start_seconds: float = START_SECONDS,
        replay_seconds: float = REPLAY_SECONDS,
    ) -> None:
        self._start = start
        self._start_seconds = start_seconds
        self._replay_seconds = replay_seconds
        self._process: Any = None
        self._pipe: Connection | None = None
        self.starts = 0

    def run(self, order: Order) -> Outcome:
        """One replay. An engine that dies or hangs is given one more try, with a new process.

        Raises EngineError if no engine can be started.
        """
        began = time.monotonic()
        reason = ""
        for _ in range(2):
            self._ensure()
            answer = self._ask(order)
            if isinstance(answer, Outcome):
                return answer
            reason = answer
            self.close()
        return Outcome(error=f"the engine failed: {reason}", seconds=time.monotonic() - began)

    def close(self) -> None:
        """Ends the process, by force if it does not end by itself."""
        process, pipe = self._process, self._pipe
        self._process = self._pipe = None
        if pipe is not None:
            pipe.close()
        if process is not None:
            process.join(_CLOSE_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()

    def _ensure(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        self.close()
        context = multiprocessing.get_context("spawn")
        mine, theirs = context.Pipe()
        start = _pickled(self._start)
        self._process = context.Process(target=_serve, args=(theirs, start), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe = mine
        self.starts += 1
        answer = self._wait(self._start_seconds)
        if answer is not None:
            self._kill()
            raise EngineError(f"the engine did not start: {answer}")

    def _ask(self, order: Order) -> Outcome | str:
        assert self._pipe is not None
        try:
            self._pipe.send_bytes(_pickled(order))
        except OSError as error:
            self._kill()
            return f"its process has died ({error})"
        answer = self._wait(self._replay_seconds)
        if not isinstance(answer, Outcome):
            self._kill()
            return str(answer)
        return answer

    def _wait(self, seconds: float) -> Any:
        """What the process answers; a text if it does not."""
        assert self._pipe is not None
        try:
            if not self._pipe.poll(seconds):
                return f"no answer within {seconds:g} s"
            return self._pipe.recv()
        except (EOFError, OSError):
            return "its process has died"

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
        self.close()


_CLOSE_SECONDS = 30.0


def _pickled(value: object) -> bytes:
    """The value as bytes, functions without a name of their own in it as well."""
    from pyspark import cloudpickle

    dumps: Callable[[object], bytes] = cloudpickle.dumps
    return dumps(value)


def _serve(pipe: Connection, start: bytes) -> None:
    """The other process: an engine, and an answer to each order until the pipe is closed."""
    from pyspark import cloudpickle

    from conformance.spark.startup.jars import SetupError

    try:
        bench = Bench(cloudpickle.loads(start)())
    except (EngineError, SetupError) as error:
        pipe.send(" ".join(str(error).split()))
        return
    pipe.send(None)
    try:
        # The pipe breaks when the worker closes it, or dies.
        with suppress(EOFError, OSError):
            while True:
                order = cloudpickle.loads(pipe.recv_bytes())
                try:
                    pipe.send(bench.run(order))
                except EngineError as error:
                    pipe.send(" ".join(str(error).split()))
                    return
    finally:
        bench.close()
