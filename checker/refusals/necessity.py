"""The question whether a conflict was needed: the same two transactions without conflict rules.

If both commit and the level still holds, the conflict was false: some serial order (at Serializable
the log's) explains both. If the level is violated, something had to stop one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from checker.judging.verdict import judge
from checker.refusals.texts import Refusal
from checker.search.alphabet import NamedStatement, scenario
from checker.search.statement_kinds import KINDS
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS, SERIALIZABLE
from model.outcomes import COMMITTED
from model.preparation import run_scenario
from model.profiles import NO_RULES
from model.profiles.base import Profile
from model.scenario import Scenario, Step

Need = Literal["yes", "no", "unknown"]

CURRENT, WINNER = "job", "winner"
"""The names of the two transactions: the one that was refused, and the one that committed."""

SCHEDULE = (
    Step("begin", CURRENT),
    Step("begin", WINNER),
    Step("commit", WINNER),
    Step("commit", CURRENT),
)


@dataclass(frozen=True, slots=True)
class Tried:
    """One scenario that ends in the conflict, and whether each level needed it."""

    scenario: Scenario
    needed: Mapping[str, Need]
    because: Mapping[str, str]


def tried(scenario: Scenario, conflict: str, profile: Profile, level: str) -> Tried | None:
    """A scenario of two transactions; None if it does not end in the conflict.

    Raises InvalidScenario.
    """
    checked = run_scenario(scenario, profile, level)
    if checked.ended[CURRENT].outcome != conflict:
        return None
    return Tried(scenario, *_needed(scenario))


def _needed(scenario: Scenario) -> tuple[dict[str, Need], dict[str, str]]:
    run = run_scenario(scenario, NO_RULES, SERIALIZABLE)
    if run.ended[CURRENT].outcome != COMMITTED:
        return _everywhere("unknown", "without conflict rules it does not commit either")
    if scenario.transactions[CURRENT].upper().startswith(("OPTIMIZE", "REORG")):
        return _everywhere("no", "a compaction changes no row, so it can be left out as well")
    needed: dict[str, Need] = {}
    because: dict[str, str] = {}
    for level, verdict in judge(run.history).items():
        match verdict.verdict:
            case "violated":
                needed[level] = "yes"
                words = verdict.why or "; ".join(edge.because for edge in verdict.cycle)
                because[level] = f"had both committed, {words}"
            case "holds":
                needed[level] = "no"
                order = ", ".join(verdict.serial_order or ())
                because[level] = f"the serial order {order} explains both"
            case _:
                needed[level], because[level] = "unknown", verdict.why or ""
    return needed, because


def _everywhere(need: Need, words: str) -> tuple[dict[str, Need], dict[str, str]]:
    return dict.fromkeys(DELTA_LEVELS, need), dict.fromkeys(DELTA_LEVELS, words)


_OPERATIONS: Mapping[str, str] = {
    "COPY INTO": "INSERT",
    "CREATE OR REPLACE TABLE": "REPLACE TABLE",
    "CREATE OR REPLACE TABLE AS SELECT": "REPLACE TABLE",
    "DELETE": "DELETE",
    "MERGE": "MERGE",
    "OPTIMIZE": "OPTIMIZE",
    "REORG": "REORG",
    "REPLACE TABLE": "REPLACE TABLE",
    "REPLACE TABLE AS SELECT": "REPLACE TABLE",
    "RESTORE": "RESTORE",
    "STREAMING UPDATE": "INSERT",
    "TRUNCATE": "TRUNCATE",
    "UPDATE": "UPDATE",
}
"""The kind of statement behind each operation that a log records, where there is one."""


def winner_kinds(refusal: Refusal) -> tuple[str, ...]:
    """The kinds of statements that the winner can have been."""
    operation = refusal.operation
    if operation is None:
        match refusal.conflict:
            case "MetadataChanged" | "ProtocolChanged":
                return ("ALTER TABLE",)
            case "ConcurrentAppend":
                return ("INSERT", "UPDATE", "DELETE", "MERGE", "OPTIMIZE")
        return ("DELETE", "UPDATE", "MERGE", "OPTIMIZE")
    if operation == "WRITE":
        if refusal.winner.get("mode") == "Overwrite":
            return ("INSERT OVERWRITE", "REPLACE WHERE")
        if refusal.blind is None:
            return ("INSERT", "INSERT SELECT")
        return ("INSERT",) if refusal.blind else ("INSERT SELECT",)
    if operation in _OPERATIONS:
        return (_OPERATIONS[operation],)
    return ("ALTER TABLE",)


def current_kinds(refusal: Refusal, statement: str | None) -> tuple[str, ...]:
    """The kinds of statements that the refused transaction can have been."""
    if statement is not None:
        words = statement.upper().split()
        if words[:1] == ["INSERT"]:
            overwrites = words[1:2] == ["OVERWRITE"]
            return ("INSERT OVERWRITE",) if overwrites else ("INSERT SELECT", "INSERT")
        return tuple(kind.name for kind in KINDS if words[:1] == [kind.name.split()[0]])
    match refusal.conflict:
        case "MetadataChanged":
            return ("DELETE", "INSERT", "MERGE")
        case "ProtocolChanged":
            return ("ALTER TABLE", "DELETE", "INSERT")
        case "ConcurrentTransaction":
            return ("INSERT",)
    return ("DELETE", "UPDATE", "MERGE")


def examples(
    refusal: Refusal,
    profile: Profile,
    level: str,
    *,
    statement: str | None = None,
    partitioned: bool | None = None,
    most: int = 400,
) -> Iterator[Tried]:
    """The small scenarios of the model that end in a refusal like this one, simplest first."""
    if refusal.conflict == "ConcurrentTransaction":
        yield from _two_instances(refusal, profile, level)
        return
    layouts: tuple[str, ...] = ("partitioned", "unpartitioned")
    if partitioned is not None or refusal.unpartitioned:
        layouts = ("partitioned",) if partitioned else ("unpartitioned",)
    elif refusal.place is not None:
        layouts = ("partitioned",)
    count = 0
    for layout in layouts:
        for current in _statements(current_kinds(refusal, statement), layout):
            for winner in _statements(winner_kinds(refusal), layout):
                count += 1
                if count > most:
                    return
                name = f"{current.name}, while {winner.name} commits"
                made = scenario(
                    layout, level, {CURRENT: current.sql, WINNER: winner.sql}, SCHEDULE, name
                )
                try:
                    example = tried(made, refusal.conflict, profile, level)
                except InvalidScenario:
                    continue  # Not every profile has every statement.
                if example is not None:
                    yield example


def _two_instances(refusal: Refusal, profile: Profile, level: str) -> Iterator[Tried]:
    setting = "spark.databricks.delta.write.txn"
    load = f"SET {setting}AppId = loader; SET {setting}Version = 1; INSERT INTO t VALUES (5, 1, 50)"
    made = scenario(
        "partitioned", level, {CURRENT: load, WINNER: load}, SCHEDULE, "one load, started twice"
    )
    example = tried(made, refusal.conflict, profile, level)
    if example is not None:
        yield example


def _statements(kinds: Sequence[str], layout: str) -> Iterator[NamedStatement]:
    for name in kinds:
        for kind in KINDS:
            if kind.name == name:
                yield from kind.on(layout)


def together(all_tried: Sequence[Tried]) -> dict[str, Need]:
    """The answer that all examples agree on, at each level."""
    result: dict[str, Need] = {}
    for level in DELTA_LEVELS:
        answers = {example.needed[level] for example in all_tried}
        result[level] = answers.pop() if len(answers) == 1 else "unknown"
    return result
