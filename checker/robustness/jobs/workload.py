"""A workload: a table and the jobs that run on it, each any number of times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from checker.robustness.jobs.template import Template, template
from checker.robustness.jobs.widening import EXACT, Widening
from model.errors import InvalidScenario
from model.history import Row, Value
from model.levels import WRITE_SERIALIZABLE
from model.listing import cut, listed
from model.physical.log import Snapshot
from model.preparation import prepare
from model.profiles.base import Profile
from model.scenario import Scenario, Step, TableSpec
from model.sql import parse_statement
from model.statements import Statement
from model.statements.base import check_places
from model.tables.table import NoPlace, Table
from model.values.types import ColumnType
from model.workload import TARGET, Workload

DEFINING = frozenset({"ALTER TABLE", "COMMENT", "CREATE", "REPLACE"})
"""Leading words of statements that change the definition, which cannot be jobs."""

CHANGES_DEFINITION = "a statement that changes the table's definition cannot be a job"


@dataclass(frozen=True, slots=True)
class Instance:
    """One job with values for its parameters, as SQL."""

    job: str
    values: Mapping[str, Value]
    sql: str


@dataclass(frozen=True, eq=False)
class Jobs:
    """Jobs over one table at one isolation level, under the rules of one profile.

    ``base`` is the snapshot that the set-up leaves, ``others`` the rows of the tables that jobs
    only read, ``types`` those of parameters whose type no column gives. ``parts`` names the job
    that a statement belongs to if the job has several, ``widening`` describes the parts of jobs
    that are known only roughly. Make one with :func:`jobs`.
    """

    name: str
    table: TableSpec
    tables: Mapping[str, TableSpec]
    templates: Mapping[str, Template]
    level: str
    profile: Profile
    base: Snapshot
    definitions: Mapping[str, Table]
    others: Mapping[str, tuple[Row, ...]]
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    widening: Widening = EXACT
    cached: dict[str, Statement] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        names = listed([*self.templates, *self.widening.outlines])
        return f"<Jobs {cut(self.name)} at {self.level}, rules of {self.profile.name}: {names}>"

    @property
    def target(self) -> Table:
        """The definition of the table that the jobs are about."""
        return self.base.table

    def statement(self, sql: str) -> Statement:
        """An instance's SQL, parsed. Raises InvalidScenario."""
        if sql not in self.cached:
            try:
                statement = check_places(parse_statement(sql, TARGET, self.definitions))
            except NoPlace as error:
                raise InvalidScenario(f"{CHANGES_DEFINITION} ({error})") from error
            meaning = self.profile.meaning
            self.cached[sql] = statement if meaning is None else meaning(statement)
        return self.cached[sql]

    def scenario(
        self, name: str, transactions: Mapping[str, str], schedule: Iterable[Step]
    ) -> Scenario:
        """A history of instances as a scenario that can be replayed."""
        return Scenario(
            name,
            self.table.at_level(self.level),
            dict(transactions),
            tuple(schedule),
            dict(self.tables),
        )

    def prepared(self, instances: Sequence[Instance]) -> Workload:
        """The instances, ready to run in the model, each named by its SQL."""
        statements = {instance.sql: self.statement(instance.sql) for instance in instances}
        return Workload(
            self.target, self.base, statements, self.others, self.level, self.definitions
        )


def jobs(
    name: str,
    table: TableSpec,
    tables: Mapping[str, TableSpec],
    sql: Mapping[str, str],
    profile: Profile,
    types: Mapping[str, ColumnType] | None = None,
    widening: Widening = EXACT,
) -> Jobs:
    """Checks and prepares a workload.

    A table that declares no level is analysed at WriteSerializable, if the profile has it.
    ``types`` are those of parameters whose type no column gives. Raises InvalidScenario with the
    path of keys to the place that is wrong.
    """
    if not sql and not widening.outlines:
        raise InvalidScenario("a workload needs a job", ("jobs",))
    level = table.properties.get("delta.isolationLevel")
    if level is None:
        has = WRITE_SERIALIZABLE in profile.levels
        level = WRITE_SERIALIZABLE if has else profile.default_level
    # The profile's own checks of the level, the features and the set-up.
    first = Scenario(name, table.at_level(level), {"A": "SELECT * FROM t"}, _alone("A"), tables)
    ready = prepare(first, profile)
    definitions = {**ready.tables, TARGET: ready.table}
    columns = {
        TARGET: _columns(ready.table),
        **{other: _columns(definitions[other]) for other in ready.tables},
    }
    templates = {}
    for job, text in sql.items():
        try:
            templates[job] = template(text, columns, types)
        except InvalidScenario as error:
            raise InvalidScenario(str(error), ("jobs", job)) from error
        words = text.upper().split()
        if words and (words[0] in DEFINING or words[:2] == ["ALTER", "TABLE"]):
            raise InvalidScenario(CHANGES_DEFINITION, ("jobs", job))
    return Jobs(
        name,
        table.at_level(level),
        dict(tables),
        templates,
        level,
        profile,
        ready.base,
        definitions,
        ready.others,
        dict(types or {}),
        widening=widening,
    )


def _alone(name: str) -> tuple[Step, ...]:
    return Step("begin", name), Step("commit", name)


def _columns(table: Table) -> dict[str, ColumnType]:
    return {name.lower(): table.column(name).type for name in table.column_names}
