"""delta-rs as an engine: tables in a temporary folder, transactions on pinned handles."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from conformance.delta_log.log_reader import LogReader
from conformance.delta_rs.definitions import Definitions, declared
from conformance.delta_rs.operations import write
from conformance.delta_rs.outcomes import outcome_of
from conformance.delta_rs.replay import DeltaRsReplay, needed_rows
from conformance.delta_rs.tables import create
from conformance.engine import BadStatement, EngineError
from conformance.extras import missing
from conformance.prepared_tables import Templates
from model.definitions import with_places
from model.errors import InvalidScenario
from model.scenario import Scenario, TableSpec
from model.sql import declared_table, parse_statement
from model.tables.table import Table


class DeltaRsEngine:
    """delta-rs in this process. Thread-safe; needs only a temporary folder."""

    name = "delta-rs"

    def __init__(self) -> None:
        if absent := missing("deltalake"):
            raise EngineError(absent)
        import deltalake

        self._versions = {"deltalake": deltalake.__version__, "core": deltalake.rust_core_version()}
        self._folder = Path(tempfile.mkdtemp(prefix="isodelta-delta-rs-"))
        self._templates = Templates(self._folder / "templates", _build)
        self._replays = itertools.count(1)

    @property
    def folder(self) -> Path:
        """The folder of everything that the engine writes, removed when it is closed."""
        return self._folder

    def versions(self) -> Mapping[str, str]:
        """Versions of the Python package and of the Rust core."""
        return self._versions

    def usable(self) -> bool:
        """Always: the engine is a library in this process."""
        return True

    def open(self, scenario: Scenario, level: str | None = None) -> DeltaRsReplay:
        """Copies the scenario's tables, prepared at the level, for one replay."""
        check_there(scenario)
        specs = {**scenario.tables, scenario.target: scenario.table}
        if level is not None:
            specs = {name: spec.at_level(level) for name, spec in specs.items()}
        try:
            template = self._templates.get(specs)
        except EngineError as error:
            raise type(error)(error.message, scenario=scenario.name, step=error.step) from error
        folder = self._folder / "replays" / str(next(self._replays))
        template.copy_to(folder)
        return DeltaRsReplay(scenario, folder, declared(scenario, specs))

    def close(self) -> None:
        """Removes every table."""
        shutil.rmtree(self._folder, ignore_errors=True)


def check_there(scenario: Scenario) -> None:
    """Raises BadStatement for a scenario whose table does not exist yet.

    A transaction is a handle on an existing table.
    """
    if scenario.table.absent:
        raise BadStatement(
            "delta-rs replays need a table that exists", scenario=scenario.name, step="set-up"
        )


def _build(specs: Mapping[str, TableSpec], folder: Path) -> None:
    for name, spec in specs.items():
        table = with_places(declared_table(name, spec), spec.setup, (), {})
        path = folder / name
        path.mkdir(parents=True)
        step = f"creation of {name}"
        try:
            create(path, table, spec)
            reader = LogReader(path)
            definitions = Definitions(table, reader)
            for step in spec.setup:
                _set_up(path, definitions.at(reader.version()), step)
        except InvalidScenario as error:
            raise BadStatement(str(error), step=f"set-up: {step}") from error
        except EngineError as error:
            raise type(error)(error.message, step=f"set-up: {step}") from error
        except Exception as error:
            if outcome_of(error) is None:
                raise
            raise BadStatement(f"{error}", step=f"set-up: {step}") from error


def _set_up(path: Path, table: Table, text: str) -> None:
    from deltalake import DeltaTable

    handle = DeltaTable(str(path))
    statement = parse_statement(text, table.name, {table.name: table})
    write(statement, handle, {table.name: needed_rows(statement, handle, table)})
