"""Both real engines on one table: some transactions on Spark, the others on delta-rs.

Spark makes the tables. Transactions are stepped one at a time, so that no two processes write
the same version at once: the replay shows how each implementation's conflict check treats the
commits of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.delta_rs.definitions import declared
from conformance.delta_rs.engine import check_there
from conformance.delta_rs.replay import DeltaRsReplay
from conformance.engine import BadStatement, Begun, CommitRecord, Committed, EngineError
from conformance.spark.engine import SparkEngine
from conformance.spark.replay import SparkReplay
from model.history import Row
from model.outcomes import COMMITTED
from model.preparation import prepare
from model.profiles import Profile, delta_rs_1_6, delta_spark_4_4
from model.scenario import Scenario
from model.several import parts


class CrossEngine:
    """Spark, with the named transactions on delta-rs. Several may share one Spark engine."""

    def __init__(self, spark: SparkEngine, on_delta_rs: frozenset[str]):
        self._spark = spark
        self.on_delta_rs = on_delta_rs
        self.name = f"delta-spark, {', '.join(sorted(on_delta_rs))} on delta-rs"

    @property
    def profiles(self) -> dict[str, Profile]:
        """The rules of the transactions that do not run on Spark."""
        return dict.fromkeys(self.on_delta_rs, delta_rs_1_6.ON_A_SPARK_TABLE)

    def versions(self) -> Mapping[str, str]:
        """Versions of both engines."""
        import deltalake

        return {**self._spark.versions(), "deltalake": deltalake.__version__}

    def usable(self) -> bool:
        """True if Spark still runs."""
        return self._spark.usable()

    def open(self, scenario: Scenario, level: str | None = None) -> CrossReplay:
        """Prepares the tables with Spark. Raises EngineError and BadStatement."""
        if unknown := self.on_delta_rs - scenario.transactions.keys():
            names = ", ".join(sorted(unknown))
            raise EngineError(f"there is no transaction {names}", scenario=scenario.name)
        check_there(scenario)
        if len(parts(scenario)) > 1:
            raise BadStatement(
                "a scenario with two engines has one written table", scenario=scenario.name
            )
        for name in sorted(self.on_delta_rs):
            _check_known(scenario, name)
        return CrossReplay(self._spark.open(scenario, level), scenario, self.on_delta_rs)

    def close(self) -> None:
        """Stops Spark."""
        self._spark.close()


def _check_known(scenario: Scenario, name: str) -> None:
    """Refuses a transaction that delta-rs has no operation for. Raises BadStatement.

    The other transactions run on Spark, so nothing else in the scenario is restricted.
    """
    workload = prepare(scenario, delta_spark_4_4.PROFILE)
    statement = workload.statements[name]
    if not delta_rs_1_6.has(statement):
        raise BadStatement(
            f"delta-rs has no operation for {statement.text!r}", scenario=scenario.name, step=name
        )


class CrossReplay:
    """One scenario under way on both engines."""

    def __init__(self, spark: SparkReplay, scenario: Scenario, on_delta_rs: frozenset[str]):
        tables = declared(scenario, {**scenario.tables, "t": scenario.table})
        self._spark = spark
        self._delta_rs = DeltaRsReplay(scenario, spark.folder, tables)
        self._on_delta_rs = on_delta_rs
        self.base_version = spark.base_version

    def begin(self, name: str) -> Begun:
        """Takes the snapshot of a transaction on its engine."""
        return (self._delta_rs if name in self._on_delta_rs else self._spark).begin(name)

    def commit(self, name: str) -> Committed:
        """Runs a transaction to its end on its engine."""
        if name not in self._on_delta_rs:
            return self._spark.commit(name)
        ended = self._delta_rs.commit(name)
        if ended.outcome == COMMITTED:
            self._spark.note_foreign_commit()
        return ended

    def log(self, table: str = "t") -> Sequence[CommitRecord]:
        """All versions of a table's log, oldest first."""
        return self._spark.log(table)

    def file_rows(self, path: str, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        """The rows of a data file of a table after a version, in the file's order."""
        return self._spark.file_rows(path, version, table)

    def rows(self, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        """The rows of a table at a version (None: the newest)."""
        return self._spark.rows(version, table)

    def lost(self, table: str = "t") -> frozenset[str]:
        """The paths of the newest version's files that a VACUUM has deleted."""
        return self._spark.lost(table)

    def close(self) -> None:
        """Removes the tables."""
        self._spark.close()
