"""Meetings: a transaction that wants to commit, and a commit that its snapshot does not show.

Each meeting is asked what every rule makes of it, at every level, not only the rule that speaks
first. From that come the lessons of a history: short texts, equal where two histories show the
same. The more of them a replay is the first to show, the more it can teach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from checker.search.job_tree import Edge
from model.expressions import syntax as expressions
from model.physical.footprint import Footprint
from model.physical.log import Commit
from model.physical.skipping import scan
from model.profiles.base import Profile
from model.rules.base import Attempt, Rule
from pipeline.lessons.branches import Branches

PROBE = "probe"
"""The name of the rule that watches the others; it never refuses anything."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """One meeting: the winner's name, the rules that refuse, and the traits of both sides."""

    winner: str
    refusing: tuple[str, ...]
    flips: tuple[str, ...]
    traits: str
    branches: tuple[str, ...]


class Watch:
    """Watches the commits of a tree under a profile, on a table of ``level``.

    ``profile`` is the profile watched, with the probe as its first rule: it decides as the plain
    one does. ``lessons_of`` and ``overlaps`` are by edge, once ``observe`` was called with it.
    """

    def __init__(self, profile: Profile, level: str, kinds: Sequence[str]) -> None:
        self.plain = profile
        self.level = level
        self.kinds = tuple(kinds)
        self._branches = Branches(profile.rules)
        self._meetings: list[Meeting] = []
        rule = Rule(PROBE, "ConcurrentWrite", self._look, "it watches, and refuses nothing")
        self.profile = replace(profile, rules=(rule, *profile.rules))
        self.lessons: list[tuple[str, ...]] = []
        self.reached: list[tuple[tuple[str, str], ...]] = []
        self.overlaps: list[int] = []

    def observe(self, edge: Edge, before: tuple[Edge, ...]) -> None:
        """Notes what came of one transaction."""
        meetings, self._meetings = self._meetings, []
        kinds = {e.name: self.kinds[e.statement] for e in before}
        mine, level = self.kinds[edge.statement], self.level
        conflict = edge.ended.conflict
        reached: list[tuple[str, str]] = []
        lessons: list[str] = []
        if conflict is not None:
            theirs = kinds[conflict.winner]
            pair = f"{mine} after {theirs}"
            reached.append(("rule", conflict.rule))
            reached.append(("rule and pair", f"{conflict.rule}: {pair}"))
            reached.append(("conflict", conflict.name))
            lessons.append(f"{conflict.rule}: {pair}")
        for meeting in meetings:
            pair = f"{mine} after {kinds[meeting.winner]}"
            reached.append(("pair", pair))
            if not meeting.refusing:
                reached.append(("passed", pair))
                lessons.append(f"passed: {pair} at {level}")
            elif len(meeting.refusing) == 1:
                lessons.append(f"only {meeting.refusing[0]}: {mine} at {level}")
            lessons.extend(meeting.flips)
            lessons.append(meeting.traits)
            reached.extend(("branch", branch) for branch in meeting.branches)
        refusing = {rule for meeting in meetings for rule in meeting.refusing}
        if len(refusing) == 1:
            lessons.append(f"alone: {next(iter(refusing))} at {level}")
        self.lessons.append(tuple(dict.fromkeys(lessons)))
        self.reached.append(tuple(dict.fromkeys(reached)))
        self.overlaps.append(len(meetings))

    def _look(self, attempt: Attempt, winner: Commit) -> None:
        refusing = _refusing(self.plain, attempt, winner)
        flips = []
        for level in self.plain.levels:
            if level != attempt.level:
                other = _refusing(self.plain, replace(attempt, level=level), winner)
                flips += [
                    f"edge: {rule} at {level} against {attempt.level}"
                    for rule in set(refusing) ^ set(other)
                ]
        traits = f"{_attempt(attempt)} / {_winner(winner)} / {_between(attempt, winner)}"
        branches = self._branches.reached(traits, attempt, winner)
        shown = f"{traits} / {', '.join(refusing) or 'passed'}"
        self._meetings.append(
            Meeting(winner.transaction, refusing, tuple(sorted(flips)), shown, branches)
        )


def _refusing(profile: Profile, attempt: Attempt, winner: Commit) -> tuple[str, ...]:
    """The rules that refuse an attempt because of a winner, in their order.

    Behind a change of the definition only the first is asked: the others may look at files of the
    new definition as if they were of the old one, which they never meet.
    """
    if winner.footprint.table is not None:
        rules = (rule.name for rule in profile.rules if rule.check(attempt, winner) is not None)
        first = next(rules, None)
        return () if first is None else (first,)
    return tuple(rule.name for rule in profile.rules if rule.check(attempt, winner) is not None)


def _attempt(attempt: Attempt) -> str:
    """The traits of the side that wants to commit, in a few words."""
    footprint = attempt.footprint
    words = [attempt.level, "partitioned" if attempt.table.partitions else "whole"]
    if footprint.read_whole_table:
        words.append("reads all")
    for predicate in footprint.read_predicates:
        if predicate.partition != expressions.TRUE:
            words.append("reads a partition")
        if predicate.data != expressions.TRUE:
            words.append("reads data")
    if footprint.read_predicates and not footprint.read_files:
        words.append("reads nothing")
    return " ".join(dict.fromkeys((*words, *_written(footprint))))


def _winner(winner: Commit) -> str:
    """The traits of the commit that was first."""
    words = [winner.level, "blind" if winner.blind else "reading"]
    if any(None in file.partition for file in winner.footprint.adds):
        words.append("NULL partition")
    return " ".join((*words, *_written(winner.footprint)))


def _written(footprint: Footprint) -> list[str]:
    facts: Mapping[str, bool] = {
        "adds": bool(footprint.adds),
        "removes": bool(footprint.removes),
        "rearranges": not footprint.data_changed,
        "schema": footprint.metadata is not None and footprint.metadata.schema_changed,
        "properties": footprint.metadata is not None and bool(footprint.metadata.properties),
        "identity": footprint.metadata is not None and footprint.metadata.identity_only,
        "drops": footprint.protocol is not None and bool(footprint.protocol.dropped),
        "protocol": footprint.protocol is not None,
        "application": bool(footprint.applications_written),
        "domains": bool(footprint.domains),
        "restates": footprint.restates,
        "next only": footprint.next_version_only,
        "vectors": any(file.vector is not None for file in footprint.adds),
    }
    return [word for word, holds in facts.items() if holds]


def _between(attempt: Attempt, winner: Commit) -> str:
    """What the two have to do with each other: files and partitions that both touch."""
    mine, theirs = attempt.footprint, winner.footprint
    read = {file.path for file in mine.read_files}
    removed = {file.path for file in mine.removes}
    partitions = {file.partition for file in (*mine.adds, *mine.removes, *mine.read_files)}
    words = []
    if any(file.path in read for file in theirs.removes):
        words.append("removed what is read")
    if any(file.path in removed for file in theirs.removes):
        words.append("both remove")
    if theirs.adds and any(file.partition in partitions for file in theirs.adds):
        words.append("same partition")
    same = theirs.table is None  # Files of another definition have other columns.
    if (
        same
        and theirs.adds
        and any(scan(p, theirs.adds, attempt.table) for p in mine.read_predicates)
    ):
        words.append("added a match by statistics")
    return ", ".join(words) or "nothing"
