"""Worker threads that each carry one statement at a time up to its commit and hold it there.

A lane is a Python thread, pinned by Py4J to a JVM thread, that serves any session. The
observer that Delta calls on that JVM thread is a Python object: Py4J runs the callback on the
very thread that waits for the statement, so holding a transaction is waiting in a callback.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from model.history import Row


@dataclass(frozen=True, slots=True)
class Held:
    """The statement waits: a transaction before its commit (None: a planned query).

    ``prepare`` is Delta's own next step, which prepares the commit.
    """

    transaction: Any
    prepare: Any = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The statement ended well; ``rows`` is None for all but a query."""

    rows: tuple[Row, ...] | None


@dataclass(frozen=True, slots=True)
class Raised:
    """The statement ended with an exception."""

    error: Exception


Event = Held | Finished | Raised

Function = Callable[[Any], object]
"""A function of the session that runs code of its own."""

Work = Sequence[str] | Function


@dataclass(frozen=True, slots=True)
class Task:
    """Work to do in a session; the last statement is held if ``hold`` is True.

    Of a function, the first transaction that reaches its commit is held. It has to run on the
    function's own thread, as all of Delta's writes and commands do.
    """

    session: Any
    work: Work
    hold: bool


class Abandoned(Exception):
    """Thrown into a held statement so that it ends without a commit."""


class PhaseObserver:
    """Delta's ``TransactionExecutionObserver``: stops a statement's first transaction.

    Later transactions of the same statement run through. Results of the wrapped steps are
    returned unchanged. ``failure`` is the exception with which the preparation of a commit
    ended, or None.
    """

    def __init__(self, hold: Callable[[Any, Any], None]):
        self._hold = hold
        self._transaction: Any = None
        self._armed = False
        self.failure: Exception | None = None

    def arm(self) -> None:
        """Stop the next transaction that prepares its commit on this thread."""
        self._transaction, self._armed, self.failure = None, True, None

    def disarm(self) -> None:
        """Let everything on this thread run through."""
        self._transaction, self._armed, self.failure = None, False, None

    def createChild(self) -> PhaseObserver:  # noqa: N802 - the interface's name
        return self

    def startingTransaction(self, start: Any) -> Any:  # noqa: N802
        transaction = start.apply()
        if self._armed:
            # A statement may start a transaction that never commits before the one that does.
            self._transaction = transaction
        return transaction

    def preparingCommit(self, prepare: Any) -> Any:  # noqa: N802
        if self._armed:
            self._armed = False
            self._hold(self._transaction, prepare)
        try:
            return prepare.apply()
        except Exception as error:
            # On its way through Python an exception of the engine becomes one of Py4J's.
            self.failure = error
            raise

    def beginDoCommit(self) -> None:  # noqa: N802
        pass

    def beginBackfill(self) -> None:  # noqa: N802
        pass

    def beginPostCommit(self) -> None:  # noqa: N802
        pass

    def transactionCommitted(self) -> None:  # noqa: N802
        pass

    def transactionAborted(self) -> None:  # noqa: N802
        pass

    def advanceToNextThreadObserver(self) -> None:  # noqa: N802
        pass

    class Java:
        implements: ClassVar[list[str]] = [
            "org.apache.spark.sql.delta.TransactionExecutionObserver"
        ]


class Lane:
    """One worker thread. ``start``, ``release`` and ``wait`` are called from outside it."""

    def __init__(self, name: str, jvm: Any):
        self._jvm = jvm
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._go = threading.Semaphore(0)
        self._abandon = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def start(self, session: Any, work: Work, hold: bool = True) -> None:
        """Do the work in a session; the last statement is held, the others set the session up."""
        self._abandon = False
        self._tasks.put(Task(session, work, hold))

    def wait(self, seconds: float) -> Event:
        """The next event; raises ``queue.Empty`` if none arrives in time."""
        return self._events.get(timeout=seconds)

    def release(self, abandon: bool = False) -> None:
        """Let a held statement continue, or end it without a commit."""
        self._abandon = abandon
        self._go.release()

    def close(self) -> None:
        """End the thread once it is idle."""
        self._tasks.put(None)

    def _hold(self, transaction: Any, prepare: Any = None) -> None:
        self._events.put(Held(transaction, prepare))
        self._go.acquire()
        if self._abandon:
            raise Abandoned

    def _run(self) -> None:
        observed = False
        observer = PhaseObserver(self._hold)
        while (task := self._tasks.get()) is not None:
            try:
                if not observed:
                    self._observe(observer)
                    observed = True
                rows = self._execute(observer, task)
                self._events.put(Finished(rows))
            except Exception as error:  # noqa: BLE001 - the waiting thread judges it
                self._events.put(Raised(observer.failure or error))
            finally:
                observer.disarm()

    def _observe(self, observer: PhaseObserver) -> None:
        module = "org.apache.spark.sql.delta.TransactionExecutionObserver$"
        loader = self._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        companion = self._jvm.java.lang.Class.forName(module, True, loader)
        methods = {method.getName() for method in companion.getMethods()}
        only = companion.getField("MODULE$").get(None)
        if "setObserver" in methods:
            only.setObserver(observer)
        else:  # Delta 3.2
            only.threadObserver().set(observer)

    def _execute(self, observer: PhaseObserver, task: Task) -> tuple[Row, ...] | None:
        if callable(task.work):
            if task.hold:
                observer.arm()
            task.work(task.session)
            return None
        java = task.session._jsparkSession
        *before, statement = task.work
        for setting in before:
            java.sql(setting)
        if task.hold:
            observer.arm()
        frame = java.sql(statement)
        execution = frame.queryExecution()
        if _is_done(execution):
            return None
        observer.disarm()
        execution.executedPlan()
        if task.hold:
            self._hold(None)
        from pyspark.sql import DataFrame

        return tuple(tuple(row) for row in DataFrame(frame, task.session).collect())


def _is_done(execution: Any) -> bool:
    """True if a statement was executed during its analysis, like every one except a query.

    A RESTORE to the table's current version becomes an empty relation and does nothing.
    """
    if execution.commandExecuted().getClass().getSimpleName() == "CommandResult":
        return True
    return bool(execution.logical().getClass().getSimpleName() == "RestoreTableStatement")
