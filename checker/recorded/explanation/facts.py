"""Sentences about a recorded history that anybody can check in its file.

Each sentence names the transactions, the keys and the values that are in the file. A sentence
about an order of two versions that no read shows ends in "(derived)" or "(assumed)": the
derivation, or the assumption of a case, is printed before it. It ends in "(inferred)" where the
derivation would have taken too long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from checker.recorded.dependency import Dependency
from checker.recorded.explanation.names import lost_update
from checker.recorded.history import Operation, Value
from checker.recorded.observations import INIT, Observations

Choice = tuple[int, int, int]
"""(first writer, second writer, key): the first one's version precedes the second one's."""


class Facts:
    """The sentences about one history; ``mentioned`` has the keys that they name, by transaction.

    ``derived`` are orders of versions whose derivation is printed, ``assumed`` those that hold in
    the case that is being explained.
    """

    def __init__(
        self,
        seen: Observations,
        derived: Collection[Choice] = (),
        assumed: Collection[Choice] = (),
    ) -> None:
        self.seen, self.derived, self.assumed = seen, derived, assumed
        self.mentioned: defaultdict[int, set[int]] = defaultdict(set)

    def name(self, transaction: int) -> str:
        """The transaction's name, which is noted as mentioned."""
        if transaction != INIT:
            self.mentioned.setdefault(transaction, set())
        return self.seen.name(transaction)

    def sentence(self, edge: Dependency) -> str:
        """Why the source of an edge comes before its target."""
        if edge.key is None:
            return self._outside_of_keys(edge)
        self.mentioned[edge.source].add(edge.key)
        self.mentioned[edge.target].add(edge.key)
        if edge.kind == "wr":
            return self.read(edge.target, edge.key, edge.source)
        if edge.kind == "rw":
            return self._anti_dependency(edge.source, edge.target, edge.key)
        return self._write_dependency(edge.source, edge.target, edge.key)

    def read(self, reader: int, key: int, writer: int) -> str:
        """The sentence about a read, the version that it saw, and the writer of that version."""
        self.mentioned[reader].add(key)
        if writer == INIT:
            return f"{self.name(reader)} read the initial version of {self.key(key)}"
        self.mentioned[writer].add(key)
        value = self._value_read(reader, key, writer)
        if self.seen.lists:
            saw, verb = f"{self.key(key)} up to {value!r}", "appended"
        else:
            saw, verb = f"{value!r} of {self.key(key)}", "wrote"
        return f"{self.name(reader)} read {saw}, which {self.name(writer)} {verb}"

    def key(self, key: int) -> str:
        """A key in words."""
        return f"key {self.seen.keys[key]!r}"

    def order(self, first: int, second: int, key: int) -> str:
        """The claim that one transaction wrote its version of a key before another did."""
        self.mentioned[first].add(key)
        self.mentioned[second].add(key)
        return f"{self.name(first)} wrote {self.key(key)} before {self.name(second)} did"

    def _outside_of_keys(self, edge: Dependency) -> str:
        source, target = self.name(edge.source), self.name(edge.target)
        if edge.kind == "rt":
            end = self.seen.transactions[edge.source].end
            begin = self.seen.transactions[edge.target].begin
            return f"{source} ended at {end}, before {target} began at {begin}"
        session = self.seen.session[edge.source]
        return f"{source} came before {target} in session {session}"

    def _anti_dependency(self, reader: int, replacer: int, key: int) -> str:
        version = self._version_before(reader, replacer, key)
        new = self._wrote(replacer, key)
        sentence = f"{self.read(reader, key, version)}, and "
        if version == INIT:
            return f"{sentence}{self.name(replacer)} {new}"
        if self._replaced(version, replacer, key):
            return f"{sentence}{self.name(replacer)} read it too and {new}"
        shown = self._shown(version, replacer, key)
        if shown is not None:
            return sentence + shown
        return (
            f"{sentence}{self.name(replacer)} {new} later ({self._source(version, replacer, key)})"
        )

    def _version_before(self, reader: int, replacer: int, key: int) -> int:
        """The version that a reader read and another transaction replaced."""
        writers = [w for k, w in self.seen.every_read[reader] if k == key and w != replacer]
        for writer in writers:
            if writer == INIT or self._replaced(writer, replacer, key):
                return writer
        orders = {*self.derived, *self.assumed}
        return next((w for w in writers if (w, replacer, key) in orders), writers[0])

    def _write_dependency(self, first: int, second: int, key: int) -> str:
        if self._replaced(first, second, key):
            read = self.read(second, key, first)
            return f"{read}, and {self.name(second)} {self._wrote(second, key)}"
        shown = self._shown(first, second, key)
        if shown is not None:
            return shown
        if lost_update(self.seen, first, second, key):
            return (
                f"{self.name(first)} and {self.name(second)} both read {self._same(first, key)} "
                f"and both replaced it: whichever was first, the other one missed that"
            )
        return f"{self.order(first, second, key)} ({self._source(first, second, key)})"

    def _same(self, reader: int, key: int) -> str:
        writer = next(w for k, w in self.seen.reads[reader] if k == key)
        if writer == INIT:
            return f"the initial version of {self.key(key)}"
        value = self._value_read(reader, key, writer)
        return f"{value!r} of {self.key(key)}, which {self.name(writer)} wrote,"

    def _source(self, first: int, second: int, key: int) -> str:
        if (first, second, key) in self.assumed:
            return "assumed"
        return "derived" if (first, second, key) in self.derived else "inferred"

    def _replaced(self, first: int, second: int, key: int) -> bool:
        """Whether a transaction wrote a key of which it had read another one's version."""
        return key in self.seen.writes[second] and (key, first) in self.seen.reads[second]

    def _shown(self, first: int, second: int, key: int) -> str | None:
        """The read of a list that shows the order of two appends; None for any other order."""
        reader = self.seen.shown_by.get(key)
        if reader is None:
            return None
        wrote = {
            operation.value: transaction
            for transaction in (first, second)
            for operation in self._writes(transaction, key)
        }
        elements = [v for v in self.seen.longest[key] if v in wrote]
        line = [wrote[element] for element in elements]
        self.mentioned[reader].add(key)
        start = f"{self.name(reader)} read {self.key(key)} with "
        for at in range(len(line) - 1):
            if line[at : at + 2] == [first, second]:
                before, after = elements[at : at + 2]
                return (
                    f"{start}{before!r} of {self.name(first)} before {after!r} of "
                    f"{self.name(second)}"
                )
        if first not in line or second in line:
            return None
        last, missing = elements[-1], self._writes(second, key)[-1].value
        return (
            f"{start}{last!r} of {self.name(first)} and without {missing!r} of {self.name(second)}"
        )

    def _wrote(self, writer: int, key: int) -> str:
        writes = self._writes(writer, key)
        return f"{'appended' if writes[-1].kind == 'a' else 'wrote'} {writes[-1].value!r}"

    def _writes(self, writer: int, key: int) -> list[Operation]:
        name = self.seen.keys[key]
        operations = self.seen.transactions[writer].operations
        return [o for o in operations if o.kind != "r" and o.key == name]

    def _value_read(self, reader: int, key: int, writer: int) -> Value:
        """The value, or the element of a list, that shows whose version a read saw."""
        written = {operation.value for operation in self._writes(writer, key)}
        name = self.seen.keys[key]
        for operation in self.seen.transactions[reader].operations:
            if operation.kind != "r" or operation.key != name:
                continue
            value = operation.value
            if not self.seen.lists:
                if value in written:
                    return value
            elif isinstance(value, tuple):
                own = {o.value for o in self._writes(reader, key)}
                others: list[Value] = [element for element in value if element not in own]
                if others and others[-1] in written:
                    return others[-1]
        raise AssertionError(f"{self.seen.name(reader)} read nothing of {self.seen.name(writer)}")
