"""The result of ``isodelta explain``, and its JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from checker.refusals.advice import ADVICE, Advice
from checker.refusals.necessity import CURRENT, Need, Tried, examples, together, tried
from checker.refusals.texts import Refusal, read_refusal
from isodelta.commands.explain.given import (
    Given,
    Job,
    files_read,
    read_job,
    read_table,
    scenario_of,
)
from isodelta.exits import BadInput
from isodelta.files.scenario_writer import scenario_mapping
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS, SERIALIZABLE, WRITE_SERIALIZABLE
from model.outcomes import COMMITTED
from model.preparation import run_scenario
from model.profiles import DEFAULT, Profile, profile
from model.scenario import Scenario

_PROFILES = {"delta-rs": "delta-rs-1.6"}
"""Profiles of writers that have conflict rules of their own."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A conflict explained.

    ``reasons`` say why each level needed it or not, ``assumed`` what was taken for granted.
    ``scenario`` shows the conflict; None if the model has none like it. ``helped`` are remedies
    that were tried on it.
    """

    refusal: Refusal
    winner: int | None
    necessary: Mapping[str, Need]
    reasons: Mapping[str, str]
    assumed: Sequence[str]
    scenario: Scenario | None
    helped: Sequence[str] = ()

    @property
    def remedies(self) -> list[str]:
        """The remedies that were tried and helped, then those that help in general."""
        return [*self.helped, *self.advice.remedies]

    @property
    def advice(self) -> Advice:
        """The advice on the conflict."""
        return ADVICE[self.refusal.conflict]

    @property
    def because(self) -> str:
        """The conflict, and whether the levels needed it, in sentences."""
        return " ".join(
            (
                self.happened,
                *(f"{level}: {self.reasons[level]}." for level in self.necessary),
                *(f"Assumed: {line}." for line in self.assumed),
            )
        )

    @property
    def happened(self) -> str:
        """The conflict in one sentence."""
        operation = self.refusal.operation
        winner = f"a concurrent {operation}" if operation else "a concurrent commit"
        if self.winner is not None:
            winner += f" (version {self.winner})"
        where = f" ({self.refusal.place})" if self.refusal.place else ""
        file = f", such as {self.refusal.file}" if self.refusal.file else ""
        return f"The commit was refused because of {winner}: {self.advice.rule}{where}{file}."

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta explain --json`` prints."""
        return {
            "conflict": self.refusal.conflict,
            "engine": self.refusal.engine,
            "error": self.refusal.error_class,
            "rule": self.advice.rule,
            "winner": self.winner,
            "commit": dict(self.refusal.winner),
            "place": self.refusal.place,
            "file": self.refusal.file,
            "necessary": dict(self.necessary),
            "because": self.because,
            "assumed": list(self.assumed),
            "remedies": self.remedies,
            "retry": self.advice.retry,
            "retry_because": self.advice.why_retry,
            "claims": list(self.advice.claims),
            "scenario": None if self.scenario is None else scenario_mapping(self.scenario),
        }


def explain(
    text: str, name: str, delta: str | None, sql: str | None, rules: Profile | None
) -> Explained:
    """Explains the last conflict in a text. Raises BadInput if there is none in it."""
    refusal = read_refusal(text)
    if refusal is None:
        raise BadInput(f"{name}: this text does not describe a conflict of a Delta writer")
    job = read_job(sql) if sql is not None else None
    given = read_table(delta, refusal) if delta is not None else None
    rules = rules or profile(_PROFILES.get(refusal.engine, DEFAULT.name))
    level = _level(refusal, given)
    winner = refusal.version
    if winner is None and given is not None and given.commit is not None:
        winner = given.commit.version
    if given is not None and job is not None:
        decided = _on_the_table(refusal, given, job, rules, level, winner)
        if decided is not None:
            return decided
    return _by_examples(refusal, given, job, rules, level, winner)


def _level(refusal: Refusal, given: Given | None) -> str:
    """The level in force: the table's, else the winner's, else the writer's default."""
    if given is not None and given.level in DELTA_LEVELS:
        return str(given.level)
    said = refusal.winner.get("isolationLevel")
    if said in DELTA_LEVELS:
        return str(said)
    return WRITE_SERIALIZABLE if refusal.engine == "databricks" else SERIALIZABLE


def _on_the_table(
    refusal: Refusal, given: Given, job: Job, rules: Profile, level: str, winner: int | None
) -> Explained | None:
    """The answer from the table's own rows, or from its files; None if neither decides it."""
    assumed = ["the job began right before the winner committed"]
    made = scenario_of(given, job)
    if made is not None:
        try:
            trial = tried(made, refusal.conflict, rules, level)
        except InvalidScenario as error:
            given.notes.append(f"the job is not one that the model can run: {error}")
            trial = None
        else:
            if trial is None:
                given.notes.append(
                    f"on the table's rows {rules.name} does not refuse the job with this conflict"
                )
        if trial is not None:
            shown = made.at_level(level)
            helped = _other_level(made, rules, level, trial.needed)
            return Explained(refusal, winner, trial.needed, trial.because, assumed, shown, helped)
    files = files_read(given, job)
    if files is None or refusal.conflict != "ConcurrentAppend":
        return None
    answer, because = files
    example = _by_examples(refusal, given, job, rules, level, winner)
    blind = given.commit is not None and given.commit.blind_append
    needed: dict[str, Need] = dict(example.necessary)
    reasons = dict(example.reasons)
    needed[SERIALIZABLE] = "yes" if answer == "yes" else "no"
    reasons[SERIALIZABLE] = because
    if answer == "no" or blind:
        needed[WRITE_SERIALIZABLE] = "no"
        reasons[WRITE_SERIALIZABLE] = (
            because if answer == "no" else "a blind append can be ordered after the job"
        )
    return Explained(refusal, winner, needed, reasons, assumed, example.scenario)


def _other_level(
    scenario: Scenario, rules: Profile, level: str, needed: Mapping[str, Need]
) -> list[str]:
    """The other level as a remedy, if both transactions commit there and it still holds."""
    other = WRITE_SERIALIZABLE if level == SERIALIZABLE else SERIALIZABLE
    if needed[other] != "no":
        return []
    ended = run_scenario(scenario, rules, other).ended[CURRENT].outcome
    if ended != COMMITTED:
        return []
    return [f"at {other} both commit, and the level holds (tried in the model on these rows)"]


def _by_examples(
    refusal: Refusal,
    given: Given | None,
    job: Job | None,
    rules: Profile,
    level: str,
    winner: int | None,
) -> Explained:
    """The answer from small scenarios that end in the same conflict."""
    similar = list(
        examples(
            refusal,
            rules,
            level,
            statement=None if job is None else job.sql,
            partitioned=None if given is None else given.partitioned,
        )
    )
    assumed = list(given.notes) if given is not None else []
    assumed.append(f"conflict rules of {rules.name}, at {level}")
    if not similar:
        nothing = "the model has no scenario that ends in this conflict"
        unknown: dict[str, Need] = dict.fromkeys(DELTA_LEVELS, "unknown")
        return Explained(
            refusal, winner, unknown, dict.fromkeys(DELTA_LEVELS, nothing), assumed, None
        )
    if job is None:
        kinds = sorted({example.scenario.transactions[CURRENT].split()[0] for example in similar})
        assumed.append(f"the refused statement was one of {', '.join(kinds)}")
    needed = together(similar)
    reasons = {name: _reason(name, needed[name], similar) for name in DELTA_LEVELS}
    if refusal.conflict == "ConcurrentTransaction":
        reasons = {
            name: f"{reason}; what it protects is that a batch is written once"
            for name, reason in reasons.items()
        }
    return Explained(refusal, winner, needed, reasons, assumed, similar[0].scenario)


def _reason(level: str, need: Need, similar: Sequence[Tried]) -> str:
    count = f"{len(similar)} small scenarios that end in this conflict"
    if need != "unknown":
        words = "it was needed" if need == "yes" else "it was not needed"
        return f"{words} in any of {count}; {similar[0].because[level]}"
    some = {
        answer: [example for example in similar if example.needed[level] == answer]
        for answer in ("yes", "no")
    }
    if not some["yes"] or not some["no"]:
        return f"of {count}, not all can be decided"
    yes, no = some["yes"][0], some["no"][0]
    return (
        f"it depends on the rows: of {count}, {len(some['yes'])} needed it "
        f"(such as {yes.scenario.name}) and {len(some['no'])} did not "
        f"(such as {no.scenario.name})"
    )
