"""The estimate of aborts per day, at each level, with row-level concurrency, with each remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from checker.robustness.jobs.workload import Jobs, jobs
from checker.robustness.rates.given import JobRate, Rates
from checker.robustness.rates.pairs import Pair, pairs
from checker.robustness.rates.simulation import Outcome, simulated
from checker.robustness.remedies import Remedy
from model.errors import InvalidScenario, StatementFailure
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.profiles import Profile, profile
from model.scenario import LEVEL_PROPERTY, TableSpec

ROW_LEVEL = "databricks-2026"
"""The documents whose rules have row-level concurrency; the open-source engine does not have it."""

DELETION_VECTORS = "delta.enableDeletionVectors"


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run the jobs: its name, the figures, and the conflicts that they rest on.

    ``outcome`` is None, with a reason in ``because``, if the rules cannot run the jobs that way.
    """

    name: str
    outcome: Outcome | None = None
    conflicts: Mapping[tuple[str, str], float] | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimates of all variants, the first of which is the table as it is."""

    variants: tuple[Variant, ...]
    assumptions: tuple[str, ...]
    rates: Rates
    seed: int


def estimate(given: Jobs, rates: Rates, cures: Iterable[Remedy], seed: int) -> Estimate:
    """Simulates the jobs as they are, at both levels, with row-level concurrency, and cured.

    Raises InvalidScenario for rates of a job that does not exist.
    """
    known = _by_statement(given, rates)
    made: dict[str, Variant] = {}
    for name, variant in _variants(given, cures):
        if name not in made:
            made[name] = _simulated(name, variant, known, seed)
    for remedy in cures:
        if not remedy.properties and not remedy.changed:
            made.setdefault(remedy.words, _alone(remedy, given, known, seed))
    columns = sorted(_columns(given) - rates.same.keys())
    return Estimate(tuple(made.values()), _assumptions(given, known, columns), known, seed)


def _variants(given: Jobs, cures: Iterable[Remedy]) -> Iterator[tuple[str, Jobs | str]]:
    """The jobs under other conditions, or the reason why they cannot run like that."""
    for level in (WRITE_SERIALIZABLE, SERIALIZABLE):
        if level == given.level:
            yield level, given
        elif level in given.profile.levels:
            yield level, _made(given, table=given.table.at_level(level))
    yield "row-level concurrency", _row_level(given)
    for remedy in cures:
        if remedy.properties.get(LEVEL_PROPERTY) == SERIALIZABLE and not remedy.changed:
            continue  # It is one of the levels.
        if remedy.properties or remedy.changed:
            properties = {**given.table.properties, **remedy.properties}
            table = replace(given.table, properties=properties)
            yield remedy.words, _made(given, table=table, changed=remedy.changed)


def _row_level(given: Jobs) -> Jobs | str:
    """The jobs on a table with deletion vectors; partitions become clustering columns."""
    table = given.table
    spec = replace(
        table,
        partition_by=(),
        cluster_by=table.cluster_by or table.partition_by[:4],
        properties={
            **table.properties,
            DELETION_VECTORS: "true",
            LEVEL_PROPERTY: WRITE_SERIALIZABLE,
        },
    )
    return _made(given, table=spec, rules=profile(ROW_LEVEL))


def _made(
    given: Jobs,
    *,
    table: TableSpec,
    changed: Mapping[str, str] | None = None,
    rules: Profile | None = None,
) -> Jobs | str:
    sql = {name: (changed or {}).get(name, one.text) for name, one in given.templates.items()}
    rules = rules or given.profile
    try:
        made = jobs(given.name, table, given.tables, sql, rules, given.types, given.widening)
    except (InvalidScenario, StatementFailure) as error:
        return str(error)
    return replace(made, parts=given.parts)


def _simulated(name: str, given: Jobs | str, rates: Rates, seed: int) -> Variant:
    if isinstance(given, str):
        return Variant(name, because=given)
    try:
        table = pairs(given)
    except (InvalidScenario, StatementFailure) as error:
        return Variant(name, because=str(error))
    return _variant(name, table, rates, seed)


def _variant(name: str, table: Mapping[tuple[str, str], Pair], rates: Rates, seed: int) -> Variant:
    chances = {pair: one.probability(rates.same) for pair, one in table.items()}
    chances = {pair: chance for pair, chance in chances.items() if chance > 0}
    return Variant(name, simulated(rates, chances, seed), chances)


def _alone(remedy: Remedy, given: Jobs, rates: Rates, seed: int) -> Variant:
    """A job that runs only while no other does: it takes part in no conflict."""
    variant = _simulated(given.level, given, rates, seed)
    name = next((job for job in given.templates if f"Run {job} only" in remedy.words), None)
    if variant.conflicts is None or name is None:
        return Variant(remedy.words, because="the waiting that it takes is not simulated")
    chances = {pair: c for pair, c in variant.conflicts.items() if name not in pair}
    return Variant(remedy.words, simulated(rates, chances, seed), chances)


def _by_statement(given: Jobs, rates: Rates) -> Rates:
    """The rates of each statement: a job of several has them run one after the other."""
    names = [*given.templates, *given.widening.outlines]
    parts: dict[str, list[str]] = {}
    for name in names:
        parts.setdefault(given.parts.get(name, name), []).append(name)
    found: dict[str, JobRate] = {}
    for job, rate in rates.jobs.items():
        if job in names:
            found[job] = rate
        elif job in parts:
            share = replace(rate, seconds=rate.seconds / len(parts[job]))
            found |= {name: found.get(name, share) for name in parts[job]}
        else:
            known = ", ".join(parts)
            raise InvalidScenario(f"there is no job {job!r} (known: {known})", ("rates", job))
    return replace(rates, jobs=found)


def _columns(given: Jobs) -> set[str]:
    return {c for one in given.templates.values() for p in one.parameters for c in p.columns}


def _assumptions(given: Jobs, rates: Rates, unknown: list[str]) -> tuple[str, ...]:
    lines = [
        "runs of different jobs begin independently; a run that fails begins again at once",
        "two jobs conflict if any of the model's runs of them does, on the table of the set-up and "
        "on tables with more rows: an upper estimate",
        "the parameters of each two runs are equal or not independently of other runs",
    ]
    if unknown:
        lines.append(f"parameters for {', '.join(unknown)} are equal in each two runs")
    missing = [n for n in (*given.templates, *given.widening.outlines) if n not in rates.jobs]
    if missing:
        lines.append(f"no rate is given for {', '.join(missing)}: left out")
    if given.widening.outlines:
        named = ", ".join(given.widening.outlines)
        lines.append(f"{named}: not evaluated, and taken to conflict whenever its form allows it")
    lines.append(f"row-level concurrency: the rules of {ROW_LEVEL}, with deletion vectors")
    return (*lines, *rates.notes)
