"""isodelta: the isolation levels of Delta Lake, defined, searched and tested on real engines.

The public names are imported on first use, so that ``import isodelta`` costs nothing. An
experiment, here with a delete and a concurrent append::

    >>> import isodelta
    >>> (scenario,) = isodelta.parse_scenarios('''
    ... name: purge against append
    ... table: {columns: {k: int}, setup: [INSERT INTO t VALUES (1)]}
    ... transactions: {purge: DELETE FROM t, append: INSERT INTO t VALUES (2)}
    ... schedule: [begin purge, append, commit purge]
    ... ''')
    >>> for level in isodelta.DELTA_LEVELS:
    ...     run = isodelta.run(scenario, level=level)
    ...     verdict = isodelta.judge(run.history)["Serializable"]
    ...     print(level, run.ended["purge"].outcome, verdict.verdict, verdict.anomaly)
    Serializable ConcurrentAppend holds None
    WriteSerializable committed violated G-single-log
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checker.judging.verdict import Verdict, judge
    from checker.proofs import THEOREMS
    from checker.proofs.lemma import prove
    from checker.robustness.answer import Answer, robustness
    from checker.robustness.jobs.workload import Jobs
    from checker.search.exhaustive import Search, search_all
    from checker.search.finding import Finding
    from checker.search.search_result import SearchResult
    from checker.separation.lattice import Lattice, lattice
    from checker.separation.result import Separation, SeparationResult
    from checker.separation.snapshots import separate
    from conformance.engine import BadStatement, Engine, EngineError
    from conformance.replay.comparison import Comparison
    from isodelta import strategies
    from isodelta.building import scenario, table, workload
    from isodelta.exits import BadInput
    from isodelta.files.profiles import profile
    from isodelta.files.scenario_writer import scenario_mapping, scenario_yaml
    from isodelta.files.scenarios import BadScenarios, load_scenarios
    from isodelta.files.workloads import load_workload
    from isodelta.frames import to_arrow, to_pandas
    from isodelta.runs.replaying import replay, started_engine
    from isodelta.runs.running import parse_scenarios, run
    from isodelta.runs.stepping import SteppedTable, SteppedTransaction, stepped_table
    from model.errors import InvalidScenario, NotPredicted, UnsupportedSQL
    from model.history import (
        History,
        ItemRead,
        PredicateRead,
        RowChange,
        SerialResult,
        Transaction,
    )
    from model.levels import DELTA_LEVELS, LEVELS
    from model.profiles import PROFILES, Profile
    from model.scenario import Expectation, Scenario, Step, TableSpec
    from model.simulator import Run

_HOMES = {
    # Scenarios, and the files that hold them.
    "Scenario": "model.scenario",
    "TableSpec": "model.scenario",
    "Step": "model.scenario",
    "Expectation": "model.scenario",
    "load_scenarios": "isodelta.files.scenarios",
    "parse_scenarios": "isodelta.runs.running",
    "scenario_mapping": "isodelta.files.scenarios",
    "scenario_yaml": "isodelta.files.scenarios",
    "BadScenarios": "isodelta.files.scenarios",
    # Workloads: jobs that run concurrently.
    "load_workload": "isodelta.files.workloads",
    "robustness": "checker.robustness.answer",
    # The model.
    "run": "isodelta.runs.running",
    "Run": "model.simulator",
    "Profile": "model.profiles",
    "PROFILES": "model.profiles",
    "profile": "isodelta.files.profiles",
    # Histories and verdicts.
    "History": "model.history",
    "Transaction": "model.history",
    "RowChange": "model.history",
    "ItemRead": "model.history",
    "PredicateRead": "model.history",
    "SerialResult": "model.history",
    "LEVELS": "model.levels",
    "DELTA_LEVELS": "model.levels",
    "judge": "checker.judging.verdict",
    "Verdict": "checker.judging.verdict",
    # Searches; the module with Hypothesis strategies.
    "Search": "checker.search.exhaustive",
    "search_all": "checker.search.exhaustive",
    "strategies": "isodelta",
    # Separations of levels, and theorems.
    "separate": "checker.separation.snapshots",
    "Separation": "checker.separation.result",
    "SeparationResult": "checker.separation.result",
    "lattice": "checker.separation.lattice",
    "Lattice": "checker.separation.lattice",
    "THEOREMS": "checker.proofs",
    "prove": "checker.proofs.lemma",
    # The real engine.
    "started_engine": "isodelta.runs.replaying",
    "replay": "isodelta.runs.replaying",
    "stepped_table": "isodelta.runs.stepping",
    "SteppedTable": "isodelta.runs.stepping",
    "SteppedTransaction": "isodelta.runs.stepping",
    # Built in Python; tables of results; further types.
    "table": "isodelta.building",
    "scenario": "isodelta.building",
    "workload": "isodelta.building",
    "to_arrow": "isodelta.frames",
    "to_pandas": "isodelta.frames",
    "Comparison": "conformance.replay.comparison",
    "Engine": "conformance.engine",
    "SearchResult": "checker.search.search_result",
    "Finding": "checker.search.finding",
    "Jobs": "checker.robustness.jobs.workload",
    "Answer": "checker.robustness.answer",
    # Errors.
    "InvalidScenario": "model.errors",
    "UnsupportedSQL": "model.errors",
    "NotPredicted": "model.errors",
    "BadInput": "isodelta.exits",
    "EngineError": "conformance.engine",
    "BadStatement": "conformance.engine",
}

__all__ = [
    "DELTA_LEVELS",
    "LEVELS",
    "PROFILES",
    "THEOREMS",
    "Answer",
    "BadInput",
    "BadScenarios",
    "BadStatement",
    "Comparison",
    "Engine",
    "EngineError",
    "Expectation",
    "Finding",
    "History",
    "InvalidScenario",
    "ItemRead",
    "Jobs",
    "Lattice",
    "NotPredicted",
    "PredicateRead",
    "Profile",
    "RowChange",
    "Run",
    "Scenario",
    "Search",
    "SearchResult",
    "Separation",
    "SeparationResult",
    "SerialResult",
    "Step",
    "SteppedTable",
    "SteppedTransaction",
    "TableSpec",
    "Transaction",
    "UnsupportedSQL",
    "Verdict",
    "judge",
    "lattice",
    "load_scenarios",
    "load_workload",
    "parse_scenarios",
    "profile",
    "prove",
    "replay",
    "robustness",
    "run",
    "scenario",
    "scenario_mapping",
    "scenario_yaml",
    "search_all",
    "separate",
    "started_engine",
    "stepped_table",
    "strategies",
    "table",
    "to_arrow",
    "to_pandas",
    "workload",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if "IPython" in sys.modules and "isodelta.display" not in sys.modules:
        importlib.import_module("isodelta.display")
    home = _HOMES[name]
    if name == "strategies":
        value: Any = importlib.import_module(f"{home}.{name}")
    else:
        value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
