"""The causes behind findings: the rule, or the missing rule, that one group of histories shares.

A cause is decided from the history itself. A transaction on the cycle whose footprint leaves out
part of its reads is found by the check of the proofs' first premise (footprint completeness); a
winner on the cycle that the rules did not look at is found by its own mark, the blind append.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from checker.proofs.premises.checks import broken_premises
from isodelta.report.data import Finding, FindingClass, differences_of
from model.errors import InvalidScenario
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.outcomes import READ
from model.preparation import prepare
from model.profiles import profile
from model.profiles.base import Profile
from model.simulator import Run, run

FOOTPRINT = "footprint completeness"
"""The beginning of the names of the premises about reads that a footprint has to cover."""


class Bearing(StrEnum):
    """The bearing of a cause on the promises; the value is the heading of its group."""

    BREAKS = "Breaks a promised level"
    DIFFERS = "Model and engine differ"
    DOCUMENTS = "The documents say otherwise"
    COSTS = "Refused without need"
    NOT_PROMISED = "Not promised, so nothing is broken"
    SEPARATES = "Tells levels apart"


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause. ``key`` names it in links; the other texts are sentences for the page.

    ``harm`` says what it does to a table, ``remedy`` what a user can do about it; both may be
    empty.
    """

    key: str
    bearing: Bearing
    title: str
    rule: str
    harm: str = ""
    remedy: str = ""


UNNOTED_SUBQUERY = Cause(
    "subquery-in-set",
    Bearing.BREAKS,
    "UPDATE ... SET (subquery) does not note what it read",
    "The scan of a scalar subquery in SET is in no footprint. A concurrent commit that changes "
    "what the subquery read is compared with nothing, so no conflict rule can refuse it. Both "
    "levels break, Serializable too.",
    "The UPDATE stores values computed from rows that another transaction has replaced: wrong "
    "data, without an error.",
    "Compute the value in the source of a MERGE (its scan is noted), or in an INSERT ... SELECT; "
    "or keep other writers away while such an UPDATE runs.",
)

UNNOTED_READ = Cause(
    "unnoted-read",
    Bearing.BREAKS,
    "A statement does not note all that it read",
    "Part of what a transaction on the cycle reads is in no footprint, so no conflict rule can "
    "compare a concurrent commit with it.",
    "The transaction works on rows that another transaction has replaced.",
    "Keep other writers away while the statement runs.",
)

BLIND_APPEND = Cause(
    "blind-append-seen-by-another",
    Bearing.BREAKS,
    "A blind append slips past a long writer, and another transaction has already seen it",
    "At WriteSerializable the rules skip winners that are blind appends. That is sound while "
    "nobody has seen the append: it can then be put after the long writer. Here another "
    "transaction has read the append and commits before or after the long writer in a way that "
    "fixes the order both ways round.",
    "The rows left behind, or the rows read, fit no serial order of the writers.",
    "Set delta.isolationLevel = Serializable on the table; or append with MERGE ... ON FALSE, "
    "which is not a blind append. `isodelta robust` says whether your jobs are affected at all.",
)

OTHER = Cause(
    "other",
    Bearing.BREAKS,
    "A cycle for which the report names no cause",
    "Every statement on the cycle notes what it reads, and no blind append is on it. The "
    "histories below show the cycle; no rule is named for it.",
)

LOG_ORDER = Cause(
    "order-of-the-log",
    Bearing.NOT_PROMISED,
    "WriteSerializable does not promise the order of the log",
    "A writer commits after a concurrent blind append that it has not seen. Some serial order "
    "explains both, but not the order of the versions. Only Serializable promises that one "
    "(claim N8).",
    "Whoever reads the log in order, such as a stream or time travel, sees a state that no "
    "serial order has.",
    "Set delta.isolationLevel = Serializable where the order of versions matters.",
)

READERS = Cause(
    "readers",
    Bearing.NOT_PROMISED,
    "WriteSerializable does not promise readers a place in the order",
    "A reader sees a snapshot of the log, which is promised, but no serial order of the writers "
    "passes through it (claim N11).",
    "A report can show a state that the table never had in the order that explains the writes.",
    "Set delta.isolationLevel = Serializable where such reads matter.",
)

DOCUMENTS = Cause(
    "documents",
    Bearing.DOCUMENTS,
    "The engine refuses a pair that the documents say cannot conflict",
    "The conflict tables of the documents rule the conflict out; the engine had it.",
    "Jobs fail that the documents promise to run.",
    "Retry the job that failed.",
)

SEPARATION = Cause(
    "separations",
    Bearing.SEPARATES,
    "Histories that hold one level and violate another",
    "These are about the levels alone, whatever an engine's conflict rules make of them.",
)

_BEARINGS: Mapping[FindingClass, Bearing] = {
    FindingClass.ENGINE_BREAKS_LEVEL: Bearing.BREAKS,
    FindingClass.ENGINE_DISOBEYS: Bearing.BREAKS,
    FindingClass.FALSE_CONFLICT: Bearing.COSTS,
}
"""The bearing of a difference between model and engine, by its class; else it only differs."""

_SUBQUERY_IN_SET = re.compile(r"\bUPDATE\b.*\bSET\b.*\(\s*SELECT\b", re.IGNORECASE | re.DOTALL)


def cause_of(finding: Finding, profile_name: str) -> Cause:
    """The cause of a finding; ``profile_name`` names the rules unless the finding does."""
    if finding.kind is FindingClass.LEVEL_VIOLATION:
        return _of_violation(finding, finding.profile or profile_name)
    if finding.kind is FindingClass.DOCUMENT_DIFFERS:
        return DOCUMENTS
    if finding.kind is FindingClass.SEPARATION:
        return SEPARATION
    return _of_difference(finding)


def _of_difference(finding: Finding) -> Cause:
    """One cause for all replays that differ in the same way, in the same class."""
    bearing = _BEARINGS.get(finding.kind, Bearing.DIFFERS)
    differences = differences_of(finding.observed)
    if not differences:
        return Cause(
            _key(finding.kind.value), bearing, _sentence(finding.kind.value), finding.kind.meaning
        )
    first = differences[0]
    if first.what == "outcome":
        what = f"predicted {first.predicted}, observed {first.observed}"
    else:
        what = f"{first.what} other than predicted"
    title = f"{_sentence(finding.kind.value)}: {what}"
    return Cause(_key(title), bearing, title, finding.kind.meaning)


def _of_violation(finding: Finding, profile_name: str) -> Cause:
    verdict = None if finding.judged is None else finding.judged.levels.get(finding.level)
    around = {edge.source for edge in verdict.cycle} if verdict is not None else set()
    if not finding.promised:
        readers = any(_reads_only(finding, name) for name in around)
        return READERS if readers else LOG_ORDER
    ran = _run(finding, profile_name)
    if ran is None:
        return OTHER
    unnoted = {
        broken.transaction
        for broken in broken_premises(ran)
        if broken.premise.startswith(FOOTPRINT)
    }
    if unnoted & around:
        texts = (finding.scenario.transactions[name] for name in unnoted & around)
        return UNNOTED_SUBQUERY if all(map(_SUBQUERY_IN_SET.search, texts)) else UNNOTED_READ
    appends = {
        name
        for name, ended in ran.ended.items()
        if ended.footprint is not None and ended.footprint.blind_append
    }
    if appends & around and finding.in_force in (None, WRITE_SERIALIZABLE):
        return BLIND_APPEND
    return OTHER


def _reads_only(finding: Finding, name: str) -> bool:
    ended = None if finding.judged is None else finding.judged.transactions.get(name)
    return ended is not None and ended.outcome == READ


def _run(finding: Finding, profile_name: str) -> Run | None:
    """The finding's history in the model; None if these rules cannot run it."""
    try:
        rules: Profile = profile(profile_name)
        scenario = finding.scenario.at_level(finding.in_force or SERIALIZABLE)
        return run(prepare(scenario, rules), scenario.schedule, rules)
    except (KeyError, InvalidScenario):
        return None


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _key(text: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:60].strip("-") or "cause"
