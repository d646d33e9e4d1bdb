"""Transactions held before their commit, and committed several times, each time on a copy.

A held statement cannot be forked: it is a thread in the middle of Delta's code. Its transaction
can. Right before the commit is prepared, an ``OptimisticTransaction`` is a snapshot, the reads that
it recorded, and the actions that it is about to commit. A copy of it, given to Delta's own
``commitImpl``, checks its conflicts against whatever is in the log by then, and commits.

Only for statements that end in ``commitIfNeeded`` of one transaction, and for tables without the
features by which more than that is kept on the way (:func:`why_not`). All others are run again from
their begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from conformance.engine import Begun, Committed
from conformance.spark.lanes import Held
from conformance.spark.outcomes import outcome_of
from model.errors import InvalidScenario
from model.outcomes import COMMITTED, NO_COMMIT
from model.sql.printer import syntax

_STATEMENTS = (exp.Insert, exp.Delete, exp.Update, exp.Merge)
_FEATURES = frozenset(
    {"appendOnly", "invariants", "checkConstraints", "changeDataFeed", "columnMapping"}
    | {"deletionVectors", "generatedColumns", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
)
"""Features that leave nothing outside the transaction: no tags, counters or times of their own."""

_IDENTITY_WRITER = 6
"""The writer version that comes with identity columns, whose counters a transaction advances."""

_TABLE_FEATURES_WRITER = 7

_LISTS = ("readTxn", "postCommitHooks", "updatedIdentityHighWaterMarks")
"""Buffers of a transaction that its commit may add to."""


def why_not(text: str, protocol: Mapping[str, object] | None) -> str | None:
    """Why a statement's transaction cannot be committed on a copy; None if it can."""
    try:
        statement = syntax(text)
    except InvalidScenario:
        return "it is not read"
    if statement.settings:
        return "its settings belong to its session"
    if not isinstance(statement.tree, _STATEMENTS):
        return "its command does more than one transaction's commit"
    writer = protocol.get("minWriterVersion") if protocol else None
    features = (protocol or {}).get("writerFeatures") or ()
    if writer == _TABLE_FEATURES_WRITER:
        assert isinstance(features, list | tuple)
        if more := sorted(set(features) - _FEATURES):
            return f"the table has {', '.join(more)}"
    elif not isinstance(writer, int) or writer >= _IDENTITY_WRITER:
        return f"the table has writer version {writer}"
    return None


@dataclass(frozen=True, slots=True)
class Fork:
    """A transaction right before its commit, of a statement that is no longer under way."""

    begun: Begun
    _transaction: Any
    _actions: Any
    _operation: Any
    _session: Any

    @classmethod
    def of(cls, begun: Begun, held: Held, session: Any) -> Fork | None:
        """The fork of a held statement; None if what it is about to commit is not to be seen."""
        actions = operation = None
        jvm = session._jvm
        seq = jvm.java.lang.Class.forName("scala.collection.immutable.Seq")
        operations = _delta_class(
            jvm, "org.apache.spark.sql.delta.DeltaOperations$Operation", held.transaction
        )
        for field in held.prepare.getClass().getDeclaredFields():
            field.setAccessible(True)
            value = field.get(held.prepare)
            if value is None:
                continue
            if seq.isInstance(value):
                actions = value
            elif operations.isInstance(value):
                operation = value
        if actions is None or operation is None:
            return None
        return cls(begun, held.transaction, actions, operation, session)

    def commit(self) -> Committed:
        """Commits a copy of the transaction to the log as it is now. Raises what is no outcome."""
        session = self._session
        session._jvm.SparkSession.setActiveSession(session._jsparkSession)
        tags = _module(session._jvm, "scala.collection.immutable.Map$EmptyMap$", self._operation)
        copy = self._copy()
        try:
            version = copy.commitImpl(self._actions, self._operation, True, tags)
        except Exception as error:  # noqa: BLE001 - outcome_of raises what it does not know
            return outcome_of(error)
        if version.isEmpty():
            return Committed(NO_COMMIT)
        return Committed(COMMITTED, int(version.get()))

    def _copy(self) -> Any:
        """The transaction as another object, with lists of its own and nobody who observes it."""
        jvm, original = self._session._jvm, self._transaction
        kryo = jvm.com.esotericsoftware.kryo.Kryo()
        kryo.setInstantiatorStrategy(jvm.org.objenesis.strategy.StdInstantiatorStrategy())
        copy = kryo.copyShallow(original)
        kind = original.getClass()

        def put(name: str, value: Any) -> None:
            field = kind.getDeclaredField(name)
            field.setAccessible(True)
            field.set(copy, value)

        for name in _LISTS:
            put(name, getattr(original, name)().clone())
        # The actions noted beside the commit's own are among those that were captured.
        put("actions", jvm.scala.collection.mutable.ArrayBuffer())
        name = "org.apache.spark.sql.delta.NoOpTransactionExecutionObserver$"
        put("executionObserver", _module(jvm, name, original))
        return copy


def _module(jvm: Any, name: str, beside: Any) -> Any:
    """The one instance of a Scala object."""
    return _delta_class(jvm, name, beside).getField("MODULE$").get(None)


def _delta_class(jvm: Any, name: str, beside: Any) -> Any:
    """A class, from where Delta's own come."""
    return jvm.java.lang.Class.forName(name, True, beside.getClass().getClassLoader())
