"""The estimate of aborts per day that belongs to an answer, with the rates that the call gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from checker.robustness.answer import Answer
from checker.robustness.rates import Estimate, Rates, estimate
from isodelta.commands.robust.sources.statements import Name
from isodelta.commands.robust.sources.tables import LoadedTable
from isodelta.exits import BadInput
from isodelta.files.rates import rates_in_history, read_rates
from isodelta.files.workloads import LoadedWorkload

HISTORY = "history"


class Estimator:
    """Estimates for the tables of one call. ``given`` is the value of ``--rates``."""

    def __init__(self, given: str | None, logs: Sequence[str], seed: int) -> None:
        self._given = given
        self._logs = logs
        self._seed = seed
        self._rates = None if given in (None, HISTORY) else read_rates(str(given))
        self._used: set[str] = set()

    def of(
        self, loaded: LoadedWorkload | LoadedTable, answer: Answer, progress: Callable[[str], None]
    ) -> Estimate | None:
        """The estimate for a table; None if no rate of its jobs is given. Raises BadInput."""
        rates = self._of(loaded, answer)
        if rates is None or not rates.jobs:
            return None
        progress("simulating days of runs")
        return estimate(answer.jobs, rates, answer.remedies, self._seed)

    def check_used(self) -> None:
        """Raises BadInput for rates of a job that no table has."""
        if self._rates is None:
            return
        for name in self._rates.jobs:
            if name not in self._used:
                raise BadInput(f"--rates {self._given}: there is no job {name!r}")

    def _of(self, loaded: LoadedWorkload | LoadedTable, answer: Answer) -> Rates | None:
        if self._given == HISTORY:
            path = self._log_of(loaded)
            return None if path is None else rates_in_history(path, answer.jobs)
        if self._rates is None:
            return loaded.rates if isinstance(loaded, LoadedWorkload) else None
        jobs = answer.jobs
        names = {*jobs.templates, *jobs.widening.outlines, *jobs.parts.values()}
        own = {name: rate for name, rate in self._rates.jobs.items() if name in names}
        self._used |= own.keys()
        return replace(self._rates, jobs=own)

    def _log_of(self, loaded: LoadedWorkload | LoadedTable) -> str | None:
        if not isinstance(loaded, LoadedTable):
            return None
        mine = Name(tuple(part.lower() for part in loaded.table.split(".")))
        for text in self._logs:
            name, _, path = text.partition("=")
            if Name(tuple(part.lower() for part in name.split("."))).means(mine):
                return path
        return None
