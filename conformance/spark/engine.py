"""Delta on Spark as an engine: real tables, real SQL, transactions held at their commit."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.engine import BadStatement, EngineError
from conformance.extras import missing
from conformance.prepared_tables import Templates, create_statement, put_level
from conformance.spark.catalog import Names, use_database
from conformance.spark.lanes import Finished, Lane, Raised
from conformance.spark.outcomes import outcome_of
from conformance.spark.places import LoadedTables, Place, Places, Seat
from conformance.spark.replay import SparkReplay, statements
from conformance.spark.sharing import SharedRuns
from conformance.spark.startup.class_archive import archive_for, options_to_use
from conformance.spark.startup.java import find_java, missing_java
from conformance.spark.startup.session import SparkProcess
from conformance.spark.startup.settings import REPLAY_JVM_OPTIONS
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec

STEP_SECONDS = 120.0
"""A busy machine takes half a minute for a step that takes a warm engine a tenth of a second."""


class SparkEngine:
    """Delta on Spark in a JVM of its own. Thread-safe; one per process.

    ``step_seconds`` bounds every wait for the engine. With ``share``, commits that were made
    before are copied in instead of made again (see :mod:`conformance.spark.sharing`).
    ``java_options`` go to the JVM; by default it starts from an archive of classes, if there is
    one. After an :class:`EngineError` the state of the JVM is unknown: close the engine.
    """

    name = "delta-spark"

    def __init__(
        self,
        jars: Sequence[Path] | None = None,
        java_home: Path | None = None,
        *,
        cores: int = 2,
        step_seconds: float = STEP_SECONDS,
        share: bool = True,
        java_options: Sequence[str] | None = None,
    ):
        if absent := missing("pyspark", "delta"):
            raise EngineError(absent)
        if jars is None:
            from conformance.spark.startup.jars import ensure_jars

            jars = ensure_jars()
        if java_home is None:
            java = find_java()
            if java is None:
                raise EngineError(missing_java())
            java_home = java.path
        self.step_seconds = step_seconds
        if java_options is None:
            java_options = options_to_use(archive_for(jars, java_home))
        java_options = (*REPLAY_JVM_OPTIONS, *java_options)
        self.process = SparkProcess(jars, java_home, cores, java_options=java_options)
        spark = self.process.session
        self._names = Names(spark, self.process.folder / "warehouse")
        self._loaded = LoadedTables(spark)
        self.places = Places(spark, self.process.folder / "places", self._names)
        self._templates = Templates(self.process.folder / "templates", self._build)
        self.shared_runs = SharedRuns(self.process.folder / "shared") if share else None
        self._lock = threading.Lock()
        self._idle: list[Lane] = []
        self._lanes = itertools.count(1)

    @property
    def folder(self) -> Path:
        """The folder of everything that the engine writes, removed when it is closed."""
        return self.process.folder

    def versions(self) -> Mapping[str, str]:
        """Versions of Spark, Delta, Java and Scala."""
        return self.process.versions()

    def usable(self) -> bool:
        """True if Spark still runs."""
        return not self.process.stopped

    def open(self, scenario: Scenario, level: str | None = None) -> SparkReplay:
        """Copy the scenario's tables, prepared at the level, for one replay."""
        return SparkReplay(self, scenario, self.take_place(scenario, level))

    def take_place(self, scenario: Scenario, level: str | None = None) -> Place:
        """A place with the scenario's tables, to be given back to ``places``."""
        tables = {**scenario.tables, scenario.target: scenario.table}
        if level is not None:
            tables = {name: spec.at_level(level) for name, spec in tables.items()}
        with self.process.watched(scenario.name, "set-up"):
            try:
                template = self._templates.get(tables)
            except EngineError as error:
                raise type(error)(error.message, scenario=scenario.name, step=error.step) from error
            return self.places.take(template)

    def take_lane(self) -> Lane:
        """An idle lane."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return Lane(f"isodelta-lane-{next(self._lanes)}", self.process.gateway.jvm)

    def give_back_lane(self, lane: Lane) -> None:
        """Return a lane whose statement has ended."""
        with self._lock:
            self._idle.append(lane)

    def close(self) -> None:
        """End the JVM and remove every table."""
        self.process.close()

    def _build(self, tables: Mapping[str, TableSpec], folder: Path) -> None:
        """Make a template. Set-up statements run on a copy of the template of the empty tables."""
        empty = {name: replace(spec, setup=()) for name, spec in tables.items()}
        base = None if empty == tables else self._templates.get(empty)
        lane, seat, database = self.take_lane(), self.places.take_seat(), self._names.take()
        use_database(seat.session, database)
        try:
            if base is None:
                for name, spec in tables.items():
                    if not spec.absent:
                        self._create(lane, seat, name, spec, folder / name)
            else:
                base.copy_to(folder)
                for name in base.tables:
                    self._names.bind(database, name, folder / name)
            for spec in tables.values():
                for statement in spec.setup:
                    self._run(lane, seat, statement, database)
        except BadStatement:
            self._leave(tables, folder, database, seat, lane)
            raise
        self._leave(tables, folder, database, seat, lane)

    def _leave(
        self, tables: Iterable[str], folder: Path, database: str, seat: Seat, lane: Lane
    ) -> None:
        """Forget a template's tables, which are only used as copies, and free their builder."""
        for name in tables:
            self._loaded.forget(folder / name)
        self._names.give_back(database, tables)
        self.places.give_back_seat(seat)
        self.give_back_lane(lane)

    def _create(self, lane: Lane, seat: Seat, name: str, spec: TableSpec, path: Path) -> None:
        self._run(lane, seat, create_statement(name, spec, path))
        if (level := spec.properties.get(LEVEL_PROPERTY)) is not None:
            put_level(path, level)
            self._loaded.forget(path)

    def _run(self, lane: Lane, seat: Seat, statement: str, database: str | None = None) -> None:
        parts, session = statements(statement), seat.session
        if len(parts) > 1 and database is not None:
            session = session.newSession()
            use_database(session, database)
        lane.start(session, parts, hold=False)
        try:
            event = lane.wait(self.step_seconds)
        except queue.Empty:
            raise EngineError(
                f"no answer within {self.step_seconds:g} s", step=f"set-up: {statement}"
            ) from None
        if isinstance(event, Raised):
            if self.process.stopped:
                message = self.process.explained(event.error)
                raise EngineError(message, step=f"set-up: {statement}") from event.error
            outcome = outcome_of(event.error)
            raise BadStatement(f"{outcome.message}", step=f"set-up: {statement}")
        if not isinstance(event, Finished):
            raise EngineError(f"unexpected {event}", step=f"set-up: {statement}")
