"""Tables under names of the author's choice: a scenario as the model has it, and back in words.

In the model the target is called ``t`` and every other table has a name of one word. A scenario
file may call them anything; the target's name is the one that its statements write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from model.errors import InvalidScenario
from model.scenario import Scenario, TableSpec
from model.sql.names import Name, name_of, renamed, written_table
from model.workload import TARGET

Place = tuple[str | int, ...]


def in_the_models_names(scenario: Scenario) -> Scenario:
    """The scenario with its tables renamed in all of its statements.

    Raises InvalidScenario, with the place, if statements write several tables that are not
    declared under ``tables``.
    """
    declared = {name_of(key): key for key in scenario.tables}
    target = _target(scenario, frozenset(declared))
    if target is None and all(key.isidentifier() for key in scenario.tables):
        return scenario
    names: dict[Name, str] = {(TARGET,) if target is None else target: TARGET}
    own: dict[str, str] = {}
    for name, key in declared.items():
        clash = target is None and name == (TARGET,)  # Said of it where it is prepared.
        own[key] = key if clash else _one_word(name[-1], {*names.values(), *own.values()})
        names[name] = own[key]
    return replace(
        scenario,
        table=_set_up(scenario.table, names),
        tables={own[key]: _set_up(spec, names) for key, spec in scenario.tables.items()},
        transactions={n: renamed(sql, names) for n, sql in scenario.transactions.items()},
    )


def _set_up(spec: TableSpec, names: Mapping[Name, str]) -> TableSpec:
    return replace(spec, setup=tuple(renamed(sql, names) for sql in spec.setup))


def _one_word(name: str, taken: set[str]) -> str:
    """A name of one word that is not taken, as much like the given one as can be."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    word = word if word.isidentifier() else f"table_{word}"
    number = 2
    free = word
    while free.lower() in map(str.lower, taken) or free.lower() == TARGET:
        free, number = f"{word}_{number}", number + 1
    return free


def _target(scenario: Scenario, declared: frozenset[Name]) -> Name | None:
    """The name of the target if it is not ``t``."""
    places: dict[Name, Place] = {}
    for place, sql in _statements(scenario):
        name = written_table(sql)
        if name is not None and name not in declared:
            places.setdefault(name, place)
    if len(places) > 1:
        (one, _), (other, place), *_ = places.items()
        raise InvalidScenario(
            f"this writes {'.'.join(other)}, and others write {'.'.join(one)}: a scenario has one "
            "written table, and declares the others under tables",
            place,
        )
    return next((name for name in places if name != (TARGET,)), None)


def _statements(scenario: Scenario) -> Iterator[tuple[Place, str]]:
    """The statements that can write the target, with their places."""
    for index, sql in enumerate(scenario.table.setup):
        yield ("table", "setup", index), sql
    for name, sql in scenario.transactions.items():
        yield ("transactions", name), sql
