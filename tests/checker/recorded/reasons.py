"""An independent check of printed explanations, against the operations of the history alone.

It parses every sentence, looks up the reads and writes that the sentence states, and then checks
that the derivations and the cycle follow from them. It shares no code with the decider.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from checker.judging.witness import Edge
from checker.recorded.explanation.witness import Case, ExplainedCycle, Step
from checker.recorded.history import Operation, RecordedHistory

T = r"(?:T\d+)"
READ = re.compile(
    rf"(?P<reader>{T}) read (?:the initial version of key (?P<initial>\S+?)"
    rf"|(?P<value>\S+) of key (?P<key>\S+), which (?P<writer>{T}) wrote"
    rf"|key (?P<list>\S+) up to (?P<element>\S+), which (?P<appender>{T}) appended)"
    r"(?:, and (?P<rest>.*))?"
)
SHOWN = re.compile(
    rf"(?P<reader>{T}) read key (?P<key>\S+) with (?P<e1>\S+) of (?P<first>{T}) "
    rf"(?P<how>before|and without) (?P<e2>\S+) of (?P<second>{T})"
)
SESSION = re.compile(rf"(?P<a>{T}) came before (?P<b>{T}) in session (?P<s>-?\d+)")
LOST = re.compile(
    rf"(?P<a>{T}) and (?P<b>{T}) both read (?:(?P<value>\S+) of key (?P<key>\S+), which "
    rf"(?P<writer>{T}) wrote,|the initial version of key (?P<initial>\S+)) and both replaced it: "
    "whichever was first, the other one missed that"
)
ORDER = re.compile(rf"(?P<a>{T}) wrote key (?P<key>\S+) before (?P<b>{T}) did(?P<rest>.*)")
ENDED = re.compile(rf"(?P<a>{T}) ended at (?P<end>\S+), before (?P<b>{T}) began at (?P<begin>\S+)")

Order = tuple[str, str, object]


class Seen(NamedTuple):
    """A read that a sentence states: which key, and whose version (None for the initial one)."""

    reader: str
    key: object
    writer: str | None


def value_of(text: str) -> object:
    return ast.literal_eval(text)


class Verifier:
    """The explanations of one history. ``level`` and ``sessions`` say which edges may be used."""

    def __init__(self, history: RecordedHistory, level: str, sessions: bool) -> None:
        self.kind = history.kind
        self.by_name = {t.name: t for t in history.transactions}
        self.order = {t.name: place for place, t in enumerate(history.transactions)}
        self.level, self.sessions = level, sessions
        self.transcripts: dict[str, tuple[Operation, ...]] = {}

    def check(self, cycle: ExplainedCycle) -> None:
        """Raises AssertionError for the first claim that the history does not bear out."""
        for transcript in cycle.transcripts:
            transaction = self.by_name[transcript.transaction]
            assert transcript.session == transaction.session
            assert set(transcript.operations) <= set(transaction.operations)
            assert transcript.of == len(transaction.operations)
            self.transcripts[transcript.transaction] = transcript.operations
        known = self.derived(cycle.steps, set())
        if cycle.cases:
            self.splits(cycle.cases, known)
        else:
            self.cycle(cycle.edges, known)

    def derived(self, steps: Sequence[Step], known: set[Order]) -> set[Order]:
        known = set(known)
        for step in steps:
            known.add(self.step(step, known))
        return known

    def splits(self, cases: Sequence[Case], known: set[Order]) -> None:
        """The cases assume the two orders of one pair, and each leads to a cycle."""
        one, other = cases
        assert (one.first, one.second) == (other.second, other.first)
        assert one.key == other.key
        for case in cases:
            self.wrote(case.first, case.key)
            self.wrote(case.second, case.key)
            assumed = known | {(case.first, case.second, case.key)}
            if case.cases:
                self.splits(case.cases, assumed)
            else:
                self.cycle(case.edges, assumed)

    def cycle(self, edges: Sequence[Edge], known: set[Order]) -> None:
        kinds = [self.edge(edge, known) for edge in edges]
        ends = [(edge.source, edge.target) for edge in edges]
        assert all(a[1] == b[0] for a, b in zip(ends, ends[1:] + ends[:1], strict=True)), ends
        self.shape([*kinds, kinds[0]])
        if self.level == "ReadCommitted" and not self.sessions:
            assert "rw" not in kinds

    def shape(self, kinds: Sequence[str]) -> None:
        """Which edges may follow each other where transactions have a snapshot."""
        for before, kind in itertools.pairwise(kinds):
            if kind == "rw" and self.level == "SnapshotIsolation":
                assert before != "rw", kinds
            if kind == "rw" and self.level == "Prefix":
                assert before in ("so", "wr"), kinds
        assert self.level == "StrictSerializable" or "rt" not in kinds

    def step(self, step: Step, known: set[Order]) -> Order:
        match = ORDER.fullmatch(step.because)
        assert match, step.because
        first, second, key = match["a"], match["b"], value_of(match["key"])
        for writer in (first, second):
            assert any(o.kind != "r" and o.key == key for o in self.by_name[writer].operations)
        came = re.search(rf"(?P<a>{T}) came before (?P<b>{T})$", match["rest"])
        assert came
        assert came["a"] == first
        end = came["b"]
        kinds = [self.edge(edge, known) for edge in step.edges]
        at = first
        for edge in step.edges:
            assert edge.source == at, step
            at = edge.target
        assert at == end
        assert kinds
        self.shape(kinds)
        if self.level == "Prefix":
            assert kinds[0] != "rw"
        clause = match["rest"].removeprefix(": ")[: -len(came[0])].removesuffix(", and ")
        if clause:
            seen, rest = self.read(clause)
            assert rest is None
            assert (seen.reader, seen.key, seen.writer) == (end, key, second)
            assert first != end
            if self.level in ("SnapshotIsolation", "Prefix"):
                assert "rw" not in (kinds[0], kinds[-1])
            if self.level == "Prefix":
                assert kinds[-1] != "ww"
            if self.level in ("ReadCommitted", "ReadAtomic"):
                assert len(kinds) == 1
            if self.level == "ReadCommitted":
                self.in_program_order(step.edges[0], end, key, second)
        else:
            assert end == second
            if self.level in ("ReadCommitted", "ReadAtomic", "Causal"):
                assert "rw" not in kinds
        return first, second, key

    def in_program_order(self, edge: Edge, reader: str, key: object, writer: str) -> None:
        """Read committed relates what was read first to what was read later."""
        seen, _ = self.read(edge.because)
        operations = self.by_name[reader].operations
        first, last = [
            [place for place, o in enumerate(operations) if self.saw(reader, o, *version)]
            for version in ((seen.key, seen.writer), (key, writer))
        ]
        assert min(first) < max(last)

    def edge(self, edge: Edge, known: set[Order]) -> str:
        """Checks the sentence of an edge, and that it says what the edge says."""
        words = edge.because
        assert edge.source in self.by_name
        assert edge.target in self.by_name
        if edge.kind in ("so", "rt"):
            self.outside(edge)
            return edge.kind
        lost = LOST.fullmatch(words)
        if lost:
            key = value_of(lost["key"] or lost["initial"])
            for name in (lost["a"], lost["b"]):
                assert self.reads(name, key, lost["writer"])
                self.wrote(name, key)
            assert {lost["a"], lost["b"]} == {edge.source, edge.target}
            assert edge.kind == "ww"
            return edge.kind
        shown = SHOWN.fullmatch(words)
        if shown:
            first, second, _ = self.shown(words)
            assert (first, second, edge.kind) == (edge.source, edge.target, "ww")
            return edge.kind
        order = ORDER.fullmatch(words)
        if order:
            key = value_of(order["key"])
            assert order["rest"] in (" (derived)", " (assumed)"), words
            assert (order["a"], order["b"], key) in known, words
            assert (order["a"], order["b"], edge.kind) == (edge.source, edge.target, "ww")
            return edge.kind
        seen, rest = self.read(words)
        if edge.kind == "wr":
            assert rest is None
            assert (seen.writer, seen.reader) == (edge.source, edge.target)
        elif edge.kind == "ww":
            assert rest
            assert (seen.writer, seen.reader) == (edge.source, edge.target)
            self.replaced(rest, seen.reader, seen.key)
        else:
            assert edge.kind == "rw"
            assert rest
            assert seen.reader == edge.source
            self.anti(seen, rest, edge.target, known)
        return edge.kind

    def anti(self, seen: Seen, rest: str, target: str, known: set[Order]) -> None:
        if SHOWN.fullmatch(rest):
            assert self.shown(rest) == (seen.writer, target, seen.key)
            return
        too = re.fullmatch(rf"({T}) read it too and (.*)", rest)
        if too:
            assert too[1] == target
            assert self.reads(target, seen.key, seen.writer)
            self.replaced(f"{target} {too[2]}", target, seen.key)
            return
        later = re.fullmatch(r"(.*) later \((derived|assumed)\)", rest)
        if later:
            self.replaced(later[1], target, seen.key)
            assert seen.writer is not None
            assert (seen.writer, target, seen.key) in known
            return
        assert seen.writer is None, rest
        self.replaced(rest, target, seen.key)

    def replaced(self, words: str, name: str, key: object) -> None:
        match = re.fullmatch(rf"({T}) (wrote|appended) (\S+)", words)
        assert match, words
        assert match[1] == name
        kind = "w" if match[2] == "wrote" else "a"
        wanted = Operation(kind, key, value_of(match[3]))  # type: ignore[arg-type]
        assert wanted in self.transcript(name)

    def outside(self, edge: Edge) -> None:
        if edge.kind == "so":
            match = SESSION.fullmatch(edge.because)
            assert match
            assert self.sessions
            one, other = self.by_name[match["a"]], self.by_name[match["b"]]
            assert one.session == other.session == int(match["s"])
            assert self.order[one.name] < self.order[other.name]
        else:
            match = ENDED.fullmatch(edge.because)
            assert match
            one, other = self.by_name[match["a"]], self.by_name[match["b"]]
            assert one.end is not None
            assert other.begin is not None
            assert one.end < other.begin
            assert (str(one.end), str(other.begin)) == (match["end"], match["begin"])
        assert (match["a"], match["b"]) == (edge.source, edge.target)

    def shown(self, words: str) -> Order:
        match = SHOWN.fullmatch(words)
        assert match
        key, before, after = (value_of(match[name]) for name in ("key", "e1", "e2"))
        assert Operation("a", key, before) in self.transcript(match["first"])
        assert Operation("a", key, after) in self.transcript(match["second"])
        lists = [
            o.value
            for o in self.transcript(match["reader"])
            if o.kind == "r" and o.key == key and isinstance(o.value, tuple)
        ]
        assert any(
            before in line
            and (
                after not in line
                if match["how"] == "and without"
                else after in line[line.index(before) :]
            )
            for line in lists
        )
        return match["first"], match["second"], key

    def read(self, words: str) -> tuple[Seen, str | None]:
        match = READ.fullmatch(words)
        assert match, words
        reader = match["reader"]
        if match["initial"] is not None:
            seen = Seen(reader, value_of(match["initial"]), None)
        elif match["list"] is not None:
            seen = Seen(reader, value_of(match["list"]), match["appender"])
            element = Operation("a", seen.key, value_of(match["element"]))
            assert element in self.transcript(match["appender"])
            assert any(self.ends_with(reader, o, element) for o in self.transcript(reader))
        else:
            seen = Seen(reader, value_of(match["key"]), match["writer"])
            value = value_of(match["value"])
            assert Operation("w", seen.key, value) in self.transcript(match["writer"])
            assert Operation("r", seen.key, value) in self.transcript(reader)
        assert self.reads(reader, seen.key, seen.writer), words
        return seen, match["rest"]

    def reads(self, reader: str, key: object, writer: str | None) -> bool:
        return any(self.saw(reader, o, key, writer) for o in self.transcript(reader))

    def saw(self, reader: str, operation: Operation, key: object, writer: str | None) -> bool:
        """Whether an operation is a read that saw the version of a writer."""
        if operation.kind != "r" or operation.key != key:
            return False
        own = {o.value for o in self.by_name[reader].operations if o.kind == "a" and o.key == key}
        value = operation.value
        if isinstance(value, tuple):
            others = [element for element in value if element not in own]
            value = others[-1] if others else None
        if writer is None:
            return value is None
        writes = self.by_name[writer].operations
        return any(o.kind != "r" and o.key == key and o.value == value for o in writes)

    def ends_with(self, reader: str, operation: Operation, element: Operation) -> bool:
        own = {o.value for o in self.by_name[reader].operations if o.kind == "a"}
        if operation.kind != "r" or operation.key != element.key:
            return False
        assert isinstance(operation.value, tuple)
        others = [e for e in operation.value if e not in own]
        return others[-1:] == [element.value]

    def wrote(self, name: str, key: object) -> None:
        assert any(o.kind != "r" and o.key == key for o in self.transcript(name))

    def transcript(self, name: str) -> tuple[Operation, ...]:
        """The operations that the explanation shows of a transaction."""
        assert name in self.transcripts, f"{name} is mentioned, and its operations are not shown"
        return self.transcripts[name]
