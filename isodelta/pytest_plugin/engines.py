"""The one engine of a pytest process: which one, started when first used, and stopped."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from conformance.engine import EngineError
from isodelta.options import ENGINES
from isodelta.runs.engines import start

if TYPE_CHECKING:
    from conformance.engine import Engine

NONE = "none"
"""The value of the option that skips what needs an engine."""


class SharedEngine:
    """An engine by its name; None stands for the one that is installed."""

    def __init__(self, name: str | None) -> None:
        self.name = name or ("delta-spark" if find_spec("pyspark") else "delta-rs")
        if self.name not in (*ENGINES, NONE):
            known = ", ".join((*ENGINES, NONE))
            raise pytest.UsageError(f"isodelta_engine: there is no {self.name!r} (known: {known})")
        self._engine: Engine | None = None
        self._failed: str | None = None

    def started(self) -> Engine:
        """The engine. Skips the test if there is to be none, fails it if it does not start."""
        if self.name == NONE:
            pytest.skip("it needs a real engine, and --isodelta-engine is none")
        if self._engine is not None and not self._engine.usable():
            self.close()
        if self._engine is None and self._failed is None:
            try:
                self._engine = start(self.name)
            except EngineError as error:
                self._failed = str(error)
        if self._engine is None:
            pytest.fail(f"{self.name}: {self._failed}", pytrace=False)
        return self._engine

    def close(self) -> None:
        """Stops the engine, if it was started."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()
