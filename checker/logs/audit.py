"""The audit of a table's log: findings, overlaps, and verdicts at Delta's levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from checker.judging.graph import VerdictName
from checker.logs.actions import LoggedCommit, TableState
from checker.logs.findings import Finding
from checker.logs.overlap.traces import Trace, backward, recorded, segments, trace, united
from checker.logs.overlap.verdicts import SegmentVerdict, judge
from checker.logs.overlap.what_if import WhatIf, what_if
from checker.logs.reads.file_facts import Columns
from checker.logs.source import Jump, LogSource, Rows
from checker.logs.structure.commits import Structure
from checker.logs.structure.contradictions import against_checkpoint, against_checksum
from checker.logs.structure.lost_rows import clash_findings
from checker.logs.structure.storage import on_storage
from model.levels import DELTA_LEVELS, SERIALIZABLE, WRITE_SERIALIZABLE

KNOWN_FEATURES = frozenset(
    {
        "allowColumnDefaults", "appendOnly", "changeDataFeed", "checkConstraints",
        "checkpointProtection", "clustering", "columnMapping", "deletionVectors",
        "domainMetadata", "generatedColumns", "icebergCompatV1", "icebergCompatV2",
        "identityColumns", "inCommitTimestamp", "invariants", "materializePartitionColumns",
        "rowTracking", "timestampNtz", "typeWidening", "typeWidening-preview", "v2Checkpoint",
        "vacuumProtocolCheck", "variantShredding-preview", "variantType", "variantType-preview",
    }
)  # fmt: skip
"""The table features that this audit understands, or that change nothing for it."""

_CATALOG = ("catalogManaged", "catalogOwned-preview")


@dataclass(frozen=True, slots=True)
class Window:
    """The versions that are asked about: from, to (both included), and a time in milliseconds."""

    first: int = 0
    last: int | None = None
    since: int | None = None

    def takes(self, commit: LoggedCommit) -> bool:
        """True if a commit is asked about."""
        if commit.version < self.first or (self.last is not None and commit.version > self.last):
            return False
        return self.since is None or commit.time is None or commit.time >= self.since


@dataclass
class Audit:
    """The result of an audit.

    ``segments`` are the verdicts on overlapping commits, two for each segment. ``levels`` is the
    verdict on the whole window, ``because`` its reasons. ``overlaps`` counts pairs of overlapping
    commits. ``asked`` are the versions asked about, ``unrecorded`` those of them whose commits
    may have read and do not say which version.
    ``retries`` is the number of further attempts that writers recorded; None if none records it.
    """

    location: str
    commits: int = 0
    overlaps: int = 0
    overlapping_segments: int = 0
    findings: list[Finding] = field(default_factory=list)
    verdicts: list[SegmentVerdict] = field(default_factory=list)
    levels: dict[str, VerdictName] = field(default_factory=dict)
    because: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    asked: set[int] = field(default_factory=set)
    unrecorded: list[int] = field(default_factory=list)
    writers: Counter[str] = field(default_factory=Counter)
    state: TableState = field(default_factory=TableState)
    what_if: WhatIf = field(default_factory=WhatIf)
    retries: int | None = None


def audit(
    source: LogSource,
    rows: Rows | None = None,
    window: Window = Window(),
    progress: Callable[[str], None] = lambda _: None,
) -> Audit:
    """Audits a table. ``rows`` reads data files, where they are to be looked into."""
    result = Audit(source.location)
    structure = Structure()
    unknown: list[str] = []
    state = TableState()
    named: set[str] = set()
    began = False
    whole = True
    for entry in source.entries(window.first):
        if isinstance(entry, Jump):
            if entry.summed is not None:
                state.apply(entry.summed)
            else:
                state = entry.state or TableState(entry.version, complete=False)
            structure.start(state)
            whole = False
            named.update(path for path, _ in state.live)
            if entry.because:
                unknown.append(entry.because)
            continue
        commit = entry
        if commit.version % 1000 == 0:
            progress(f"version {commit.version}")
        if window.last is not None and commit.version > window.last:
            break
        inside = began = window.takes(commit) or (began and window.since is not None)
        misfits = list(structure.check(commit, state))
        traced = _trace(commit, state)
        state.apply(commit)
        named.update(file.path for file in commit.adds)
        named.update(file.path for file in commit.removes)
        if inside:
            result.commits += 1
            result.asked.add(commit.version)
            result.findings += misfits
            _count_retries(result, commit)
            result.writers[commit.engine.partition("/")[0] or "unknown writer"] += 1
            result.findings += _beside(source, commit, state)
            unknown += [f"version {commit.version}: {problem}" for problem in commit.problems]
        result.traces.append(traced)
    result.state = state
    result.findings += source.listing_findings()
    features = _unknown_features(state)
    unknown += features
    result.notes = [*source.notes(), *features]
    if window.last is None:
        storage = source.storage()
        if storage is not None:
            result.findings += on_storage(state, named if whole else None, storage, rows)
    _overlaps(result)
    result.what_if = what_if(result.traces, result.asked)
    _verdicts(result, structure, rows, unknown)
    result.findings.sort(key=lambda finding: finding.versions)
    return result


def _count_retries(result: Audit, commit: LoggedCommit) -> None:
    """Adds the retries that delta-rs records for a commit."""
    metrics = commit.info.get("operationMetrics")
    count = metrics.get("num_retries") if isinstance(metrics, dict) else None
    if isinstance(count, int):
        result.retries = (result.retries or 0) + count


def _trace(commit: LoggedCommit, before: TableState) -> Trace:
    metadata = before.metadata if before.metadata is not None else commit.metadata
    new_schema = commit.metadata is not None and (
        before.metadata is None or _shape(commit.metadata) != _shape(before.metadata)
    )
    return trace(
        commit, before.live, _columns(metadata), new_schema=new_schema, level=_level(commit, before)
    )


_COLUMNS: dict[int, tuple[Any, Columns]] = {}


def _columns(metadata: Any) -> Columns:
    """The columns of a ``metaData`` action, made once for each action."""
    cached = _COLUMNS.get(id(metadata))
    if cached is None or cached[0] is not metadata:
        if len(_COLUMNS) > 256:
            _COLUMNS.clear()
        cached = _COLUMNS[id(metadata)] = metadata, Columns.of(metadata)
    return cached[1]


def _shape(metadata: Any) -> object:
    columns = _columns(metadata)
    return columns.types, columns.stored, columns.partition


def _level(commit: LoggedCommit, before: TableState) -> str:
    """The level that a commit was checked at: its own if recorded, else the one its table declares.

    delta-rs records none, and takes every spelling but its own for Serializable.
    """
    if commit.level is not None:
        return commit.level
    declared = str(before.configuration.get("delta.isolationLevel") or "")
    if declared:
        return declared[:1].upper() + declared[1:]
    return WRITE_SERIALIZABLE if "Databricks" in commit.engine else SERIALIZABLE


def _beside(source: LogSource, commit: LoggedCommit, state: TableState) -> list[Finding]:
    """The contradictions between the log and the checkpoint and checksum of a version."""
    findings: list[Finding] = []
    checkpoint = source.checkpoint(commit.version)
    if isinstance(checkpoint, Finding):
        findings.append(checkpoint)
    elif checkpoint is not None and state.complete:
        findings += against_checkpoint(state, checkpoint)
    checksum = source.checksum(commit.version)
    if isinstance(checksum, Finding):
        findings.append(checksum)
    elif checksum is not None:
        findings += against_checksum(state, commit, checksum)
    return findings


def _unknown_features(state: TableState) -> list[str]:
    protocol = state.protocol or {}
    needed = [*(protocol.get("readerFeatures") or ()), *(protocol.get("writerFeatures") or ())]
    notes = [
        f"the table feature {feature} is not known to this audit"
        for feature in dict.fromkeys(needed)
        if feature not in KNOWN_FEATURES and feature not in _CATALOG
    ]
    if any(feature in _CATALOG for feature in needed):
        notes.append(
            "the table is managed by a catalog: its last commits may be with the catalog alone"
        )
    return notes


def _overlaps(result: Audit) -> None:
    asked = [commit for commit in result.traces if commit.version in result.asked]
    result.overlaps = sum(commit.missed for commit in asked)
    result.overlapping_segments = sum(1 for _ in united(recorded(asked)))


def _verdicts(result: Audit, structure: Structure, rows: Rows | None, unknown: list[str]) -> None:
    traces = result.traces
    violated: dict[str, list[str]] = {level: [] for level in DELTA_LEVELS}
    unsure: dict[str, list[str]] = {level: list(unknown) for level in DELTA_LEVELS}
    asked = result.asked
    clashes = [clash for clash in structure.clashes if clash.second.version in asked]
    for clash in clashes:
        versions, finding = clash_findings(clash, result.traces, rows, result.state.metadata)
        result.findings = [
            versions if (f.kind == versions.kind and f.versions == versions.versions) else f
            for f in result.findings
        ]
        if finding is None:
            reason = f"version {clash.second.version} removed what was gone already"
            for level in DELTA_LEVELS:
                unsure[level].append(reason)
            continue
        result.findings.append(finding)
        for level in DELTA_LEVELS:
            violated[level].append(finding.because)
    intervals = [
        (earlier.version, later.version)
        for later, earlier in backward(traces)
        if later.version in asked
    ]
    for segment in segments(traces, intervals):
        decided = judge(segment)
        result.verdicts += decided
        by_version = {commit.version: commit for commit in segment.traces}
        broken = [v for v in decided if v.verdict == "violated"]
        for verdict in decided:
            if verdict.verdict == "violated":
                violated[verdict.level].append(verdict.because)
            elif verdict.verdict == "unknown":
                unsure[verdict.level].append(verdict.because)
        promised = [
            v for v in broken if _promised(v.level, [by_version[n].level for n in v.versions])
        ]
        if promised:
            levels = tuple(v.level for v in promised)
            result.findings.append(
                Finding(
                    "level-violation",
                    promised[-1].versions,
                    f"{' and '.join(levels)} {promised[-1].because}",
                    levels=levels,
                )
            )
    changed = False
    for commit in traces:
        silent = commit.read_version is None and commit.reads.most is not None
        if silent and changed and commit.version in asked:
            result.unrecorded.append(commit.version)
        changed = changed or commit.changes
    if result.unrecorded:
        count, first = len(result.unrecorded), result.unrecorded[0]
        reason = (
            f"{count} commits do not say which version they read, version {first} first"
            if count > 1
            else f"version {first} does not say which version it read"
        )
        for level in DELTA_LEVELS:
            unsure[level].append(f"{reason}: it depends on whether they read the table at all")
    for level in DELTA_LEVELS:
        if violated[level]:
            result.levels[level], result.because[level] = "violated", violated[level]
        elif unsure[level]:
            result.levels[level], result.because[level] = "unknown", unsure[level]
        else:
            result.levels[level], result.because[level] = "holds", []


def _promised(level: str, levels: Sequence[str]) -> bool:
    """True if the commits on a cycle were all checked at the level, or at a stronger one."""
    enough = {level, SERIALIZABLE} if level == WRITE_SERIALIZABLE else {SERIALIZABLE}
    return all(checked in enough for checked in levels)
