"""The trees of an engine, one for each set of prepared tables, and the schedules on them."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from conformance.delta_log.log_reader import UnreadableTable
from conformance.engine import BadStatement, Begun, Committed, EngineError
from conformance.replay.observation import Observation, ObservedStep, observe
from conformance.trees.eligible import why_plainly, why_schedule_plainly
from conformance.trees.runs import TreeEngine, WritesElsewhere, prepared
from conformance.trees.sites import Site, Sites, make_site
from conformance.trees.tables import Store, TableState, TransactionRun
from model.scenario import Scenario, Step

Schedule = tuple[Step, ...]

WORKERS = 3
"""Transactions run at once: two keep two cores busy, one more fills their idle times."""

LIMIT = 40
"""Trees kept; on Spark each holds one session or a few, besides some hundred small files."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One schedule on the engine.

    ``observation`` is what the plain replay observes of it, up to the names of files and the texts
    of errors that name them. ``plainly`` says why it was a plain replay, None if it is from a tree.
    ``refused`` is set, and ``observation`` is None, where the engine cannot run the scenario.
    """

    schedule: Schedule
    observation: Observation | None
    plainly: str | None = None
    refused: BadStatement | None = None


@dataclass
class _Tree:
    root: Future[TableState]
    folder: Path
    sites: Sites
    users: int = 0
    elsewhere: set[str] = field(default_factory=set)


class Forest:
    """Trees on one engine, kept until :meth:`close`. Thread-safe.

    Scenarios with equal tables, at one level, share a tree: what two of them have in common is run
    once. ``limit`` is the number of trees kept, ``sites`` that of transactions under way in one of
    them. ``runs`` counts the transactions that the engine has run.
    """

    def __init__(self, engine: TreeEngine, limit: int = LIMIT, sites: int = WORKERS):
        self._engine = engine
        self._most = sites
        self._limit = limit
        self._lock = threading.Lock()
        self._trees: OrderedDict[str, _Tree] = OrderedDict()
        self.runs = 0

    def __enter__(self) -> Forest:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Removes the files of all trees."""
        with self._lock:
            trees = list(self._trees.values())
            self._trees.clear()
        for tree in trees:
            _fell(tree)

    def observe(
        self,
        scenario: Scenario,
        level: str,
        schedules: Iterable[Schedule] | None = None,
        *,
        workers: int = WORKERS,
    ) -> Iterator[Seen]:
        """Every schedule on the engine, in the order given; by default the scenario's own.

        Raises BadStatement if the engine refuses the set-up, and EngineError if it fails.
        """
        chosen = [scenario.schedule] if schedules is None else list(schedules)
        with self._tree(scenario, level) as tree, ThreadPoolExecutor(workers, "tree") as pool:
            one = [pool.submit(self._see, tree, scenario, level, each) for each in chosen]
            try:
                for future in one:
                    yield future.result()
            finally:
                for future in one:
                    future.cancel()

    @contextmanager
    def _tree(self, scenario: Scenario, level: str) -> Iterator[_Tree]:
        tables = {**scenario.tables, scenario.target: scenario.table}
        specs = {name: spec.at_level(level) for name, spec in tables.items()}
        key = repr((scenario.target, specs))
        dropped: list[_Tree] = []
        with self._lock:
            tree = self._trees.get(key)
            if mine := tree is None:
                place = self._engine.folder / "trees"
                place.mkdir(exist_ok=True)
                folder = Path(tempfile.mkdtemp(dir=place))  # Another forest may be beside this one.
                store = Store(folder)

                def make() -> Site:
                    return make_site(self._engine, scenario, level, store)

                tree = self._trees[key] = _Tree(Future(), folder, Sites(make, self._most))
            tree.users += 1
            self._trees.move_to_end(key)
            for old in [k for k, t in self._trees.items() if not t.users]:
                if len(self._trees) > self._limit:
                    dropped.append(self._trees.pop(old))
        for each in dropped:
            _fell(each)
        try:
            if mine:
                try:
                    tree.root.set_result(prepared(self._engine, scenario, level))
                except BaseException as error:  # noqa: BLE001 - every waiting thread must see it
                    tree.root.set_exception(error)
            tree.root.result()
            yield tree
        finally:
            with self._lock:
                tree.users -= 1

    def _see(self, tree: _Tree, scenario: Scenario, level: str, schedule: Schedule) -> Seen:
        case = replace(scenario, schedule=schedule)
        texts = scenario.transactions.values()
        why = why_plainly(scenario) or why_schedule_plainly(schedule)
        if why is None and not tree.elsewhere.isdisjoint(texts):
            why = "a transaction writes to another table"
        try:
            if why is None:
                try:
                    return Seen(schedule, self._walk(tree, case, level))
                except WritesElsewhere as elsewhere:
                    why = str(elsewhere)
            return Seen(schedule, observe(self._engine, case, level), why)
        except BadStatement as refused:
            return Seen(schedule, None, why, refused)
        except UnreadableTable as error:
            raise EngineError(
                f"the table cannot be read: {error}", scenario=scenario.name
            ) from error

    def _walk(self, tree: _Tree, case: Scenario, level: str) -> Observation:
        root = now = tree.root.result()
        snapshots: dict[str, TableState] = {}
        done: dict[str, TransactionRun] = {}
        steps: list[ObservedStep] = []
        for step in case.schedule:
            name = step.transaction
            if step.action == "begin":
                snapshots[name] = now
            else:
                done[name] = self._run(tree, case, name, snapshots[name], now)
                now = done[name].after
            steps.append(ObservedStep(step, now.version, now.rows))
        begun: dict[str, Begun] = {name: done[name].begun for name in snapshots}
        ended: dict[str, Committed] = {name: run.ended for name, run in done.items()}
        contents = [each for state in now.path() for each in state.contents]
        files = {
            (each.record.version, path): rows for each in contents for path, rows in each.files
        }
        log = tuple(each.record for each in contents)
        return Observation(
            case,
            self._engine.name,
            level,
            root.version,
            begun,
            ended,
            tuple(steps),
            log,
            files,
            now.rows,
        )

    def _run(
        self,
        tree: _Tree,
        case: Scenario,
        name: str,
        snapshot: TableState,
        met: TableState,
    ) -> TransactionRun:
        text = case.transactions[name]

        def do() -> TransactionRun:
            with self._lock:
                self.runs += 1
            return tree.sites.run(case, name, snapshot, met)

        try:
            return met.run(text, snapshot, do)
        except WritesElsewhere:
            tree.elsewhere.add(text)
            raise


def _fell(tree: _Tree) -> None:
    tree.sites.close()
    shutil.rmtree(tree.folder, ignore_errors=True)
