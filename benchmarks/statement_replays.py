"""Statements of SQL files, each replayed on Spark beside a second statement on the same table.

Run it with ``python benchmarks/statement_replays.py FILES...``: scripts, folders or notebooks, as
``isodelta robust`` takes them. Each statement that writes a Delta table is a transaction on tables
whose columns, types and rows are inferred as ``robust`` infers them; parameters get values. Beside
it runs a DELETE, an UPDATE or an INSERT of the same table, begun before it and committed after it,
and the other way round. Prediction and replay are compared; a difference is a finding.

A statement is *replayed* if both schedules ran; it *agrees* if the model predicted both without a
difference. Where the model does not predict the course, it is *not predicted*. The text of a
statement is printed with ``--show`` only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from checker.robustness.jobs.domain import instances
from checker.robustness.jobs.template import template
from checker.robustness.jobs.workload import Jobs
from checker.robustness.other_rows import with_other_rows
from conformance.engine import BadStatement, Engine, EngineError
from conformance.replay.campaign import Job, Unpredicted, replay
from isodelta.commands.robust.sources import Files, read_project
from isodelta.commands.robust.sources.normal_form import Names, normalised
from isodelta.commands.robust.sources.statements import Statement
from isodelta.commands.robust.sources.tables import LoadedTable
from isodelta.exits import BadInput
from isodelta.files.clock import Clock, with_clock
from model.errors import InvalidScenario
from model.history import Value
from model.preparation import prepare, steps
from model.profiles import DEFAULT
from model.scenario import Scenario
from model.sql.dialect import Delta
from model.values.types import sql_literal
from model.workload import TARGET

SCHEDULES = (("begin A", "B", "commit A"), ("begin B", "A", "commit B"))


@dataclass
class Fate:
    """What became of one statement: ``kind`` in a few words, and the reason, if there is one."""

    place: str
    word: str
    kind: str
    because: str = ""
    text: str = ""
    scenarios: list[Scenario] = field(default_factory=list)


def statements(files: Sequence[str]) -> Iterator[Statement]:
    """The statements of all files, each alone."""
    yield from read_project(Files(files)).statements


def fate(statement: Statement) -> Fate:
    """The scenarios of a statement, or the reason why it has none."""
    place = f"{Path(statement.file).name}:{statement.line}"
    word = " ".join(statement.text.split()[:2]).upper()
    made = Fate(place, word, "", text=" ".join(statement.text.split()))
    if statement.target is None or statement.skipped is not None:
        made.kind, made.because = "left alone", statement.skipped or "it only reads"
        return made
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "job.sql")
        file.write_text(statement.text)
        try:
            project = read_project(Files([str(file)]))
            ((name, shown), *_) = project.written
            loaded = project.table(name, shown, DEFAULT)
        except (BadInput, InvalidScenario) as error:
            made.kind, made.because = "not accepted", str(error)
            return made
    try:
        made.scenarios = list(scenarios(loaded, project.statements[0]))
        made.kind = "accepted"
    except InvalidScenario as error:
        made.kind, made.because = "not a scenario", str(error)
    return made


def scenarios(loaded: LoadedTable, statement: Statement) -> Iterator[Scenario]:
    """A statement beside a second one, in both schedules. Raises InvalidScenario."""
    jobs = loaded.jobs
    text = _as_written(jobs, statement)
    spec = next((other.table for other in with_other_rows(jobs)), jobs.table)
    read = {n: s for n, s in jobs.tables.items() if n in text}
    for number, order in enumerate(SCHEDULES):
        scenario = Scenario(
            name=f"{statement.line}",
            table=spec.at_level("WriteSerializable"),
            transactions={"A": text, "B": _beside(jobs, number + len(text))},
            schedule=tuple(step for entry in order for step in steps(entry)),
            tables=read,
        )
        scenario = with_clock(scenario, Clock())
        prepare(scenario, DEFAULT, opaque=True)
        yield scenario


def _as_written(jobs: Jobs, statement: Statement) -> str:
    """The statement with plain names of tables and values for its parameters."""
    if statement.tree is None or statement.target is None:
        raise InvalidScenario("it is not understood")
    tree = normalised(statement.tree, Names(statement.target), {})
    if not jobs.widening.parts and jobs.templates:
        (first, *_) = next(iter(instances(jobs).values()))
        return first.sql
    text = tree.sql(dialect=Delta, comments=False)
    columns = {
        name: {c.lower(): table.column(c).type for c in table.column_names}
        for name, table in jobs.definitions.items()
    }
    made = template(text, columns, jobs.types)
    values: dict[str, Value] = {}
    for parameter in made.parameters:
        samples = {"number": 1, "string": "a", "boolean": True}
        if parameter.type.family not in samples:
            raise InvalidScenario(f"no value for :{parameter.name}")
        values[parameter.name] = samples[parameter.type.family]
    return made.filled(values)


def _beside(jobs: Jobs, number: int) -> str:
    """A second statement of the same table: DELETE, UPDATE or INSERT in turn."""
    table = jobs.target
    extended = next((other for other in with_other_rows(jobs)), jobs)
    row = next(iter(extended.base.rows()), None)
    column = table.column_names[0]
    if row is None:
        return f"DELETE FROM {TARGET}"
    values = dict(zip(table.names, row, strict=True))
    literal = sql_literal(values[column])
    match number % 3:
        case 0:
            return f"DELETE FROM {TARGET} WHERE `{column}` = {literal}"
        case 1:
            last = table.column_names[-1]
            return f"UPDATE {TARGET} SET `{last}` = NULL WHERE `{column}` = {literal}"
    listed = ", ".join(f"`{name}`" for name in table.column_names)
    cells = ", ".join(sql_literal(values[name]) for name in table.column_names)
    return f"INSERT INTO {TARGET} ({listed}) VALUES ({cells})"


def replayed(engine: Engine, made: Fate) -> None:
    """Replays the scenarios of a statement, and says how they compare."""
    open_ = False
    for scenario in made.scenarios:
        try:
            done = replay(engine, Job(scenario, scenario.level or ""), DEFAULT)
        except Unpredicted as error:
            open_, made.because = True, str(error)
            continue
        except BadStatement as error:
            made.kind, made.because = "tables refused", str(error)
            return
        except EngineError as error:
            made.kind, made.because = "broke down", str(error)
            if not engine.usable():
                raise
            return
        differences = done.comparison.differences
        if differences:
            one = differences[0]
            made.kind = "difference"
            made.because = (
                f"{one.about}: {one.what} predicted {one.predicted}, observed {one.observed} "
                f"({', '.join(map(str, scenario.schedule))}; B: {scenario.transactions['B']})"
            )
            return
        ends = done.comparison.observation.outcomes
        made.because = ", ".join(f"{name} {end}" for name, end in ends.items())
    made.kind = "not predicted" if open_ else "agrees"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    options.add_argument("files", nargs="+")
    options.add_argument("--show", action="store_true", help="print the statements' text as well")
    options.add_argument("--dry", action="store_true", help="no engine: only what is accepted")
    given = options.parse_args()
    started = time.monotonic()
    fates = [fate(statement) for statement in statements(given.files)]
    if not given.dry:
        from isodelta.runs.replaying import started_engine

        with started_engine() as engine:
            for made in fates:
                if made.scenarios:
                    replayed(engine, made)
                    _say(made, given.show)
    for made in fates:
        if given.dry or not made.scenarios:
            _say(made, given.show)
    kinds = Counter(made.kind for made in fates)
    print(f"{len(fates)} statements: " + ", ".join(f"{n} {kind}" for kind, n in kinds.items()))
    print(f"{time.monotonic() - started:.0f} s")
    sys.exit(1 if kinds["difference"] or kinds["broke down"] else 0)


def _say(made: Fate, show: bool) -> None:
    text = f"\n    {made.text}" if show else ""
    print(f"{made.place} {made.word}: {made.kind}: {made.because[:300]}{text}", flush=True)


if __name__ == "__main__":
    main()
