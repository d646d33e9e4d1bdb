"""The opaque parts that a history rests on: other values there give it a serial order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from checker.judging.verdict import judge
from checker.robustness.histories import SERIAL, Found
from checker.robustness.jobs.domain import values
from checker.robustness.jobs.widening import Opaque
from checker.robustness.jobs.workload import Instance, Jobs
from model.errors import InvalidScenario, StatementFailure
from model.history import Value
from model.preparation import run_scenario
from model.scenario import Scenario


def uncertain(jobs: Jobs, name: str) -> bool:
    """Whether a job has an opaque part whose values depend on rows in an unknown way."""
    parts = jobs.widening.parts
    return any(
        parameter.name in parts and not parts[parameter.name].anything
        for parameter in jobs.templates[name].parameters
    )


def rests_on(jobs: Jobs, witness: Found) -> dict[Opaque, Value]:
    """The opaque parts that the history depends on, each with the value that it has there."""
    parts = jobs.widening.parts
    resting: dict[Opaque, Value] = {}
    names = list(witness.scenario.transactions)
    for name, instance in zip(names, witness.instances, strict=True):
        for parameter, value in instance.values.items():
            part = parts.get(parameter)
            if part is None or part.anything or part in resting:
                continue
            for other in _others(jobs, instance, parameter):
                if not _violates(jobs, _with(jobs, witness, name, other)):
                    resting[part] = value
                    break
    return resting


def _others(jobs: Jobs, instance: Instance, parameter: str) -> Iterator[Instance]:
    """The same instance with other values of one parameter."""
    template = jobs.templates[instance.job]
    about = next(candidate for candidate in template.parameters if candidate.name == parameter)
    for value in values(jobs, about):
        if value != instance.values[parameter]:
            given: Mapping[str, Value] = {**instance.values, parameter: value}
            yield Instance(instance.job, given, template.filled(given))


def _with(jobs: Jobs, witness: Found, name: str, instance: Instance) -> Scenario:
    transactions = {**witness.scenario.transactions, name: instance.sql}
    return replace(witness.scenario, transactions=transactions)


def _violates(jobs: Jobs, scenario: Scenario) -> bool:
    try:
        done = run_scenario(scenario, jobs.profile, jobs.level)
    except (InvalidScenario, StatementFailure):
        return False
    return judge(done.history, (SERIAL,))[SERIAL].verdict == "violated"
