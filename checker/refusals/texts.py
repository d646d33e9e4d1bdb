"""The reader of exceptions: which writer refused a commit, with which conflict, because of what.

It takes whatever people have: a message, a stack trace, a log file with other lines around it.
The texts are those of Delta on Spark and Databricks, old and new (by class, by error class, by
wording), delta-rs (``CommitConflictError``), Delta Kernel for Java and Trino. If a text has several
conflicts, the last is taken: a log ends with the exception that ended the job.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from model.outcomes import ConflictName

Engine = Literal["delta-spark", "databricks", "delta-rs", "delta-kernel", "trino"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A conflict as its exception describes it; parts that are not in the text are None or empty.

    ``error_class`` is the error class or the exception's class. ``winner`` has the text's details
    of the commit that won: ``operation``, ``isolationLevel``, ``isBlindAppend``, ``readVersion``,
    ``txnId``, ``engineInfo``, ``timestamp``, ``mode``, ``predicate``. ``version`` is its version.
    ``place`` is the partition or the predicate that the text names, ``file`` a file.
    """

    conflict: ConflictName
    engine: Engine
    error_class: str
    winner: Mapping[str, str] = field(default_factory=dict)
    version: int | None = None
    place: str | None = None
    file: str | None = None
    table: str | None = None

    @property
    def operation(self) -> str | None:
        """The operation of the winner."""
        return self.winner.get("operation")

    @property
    def blind(self) -> bool | None:
        """True if the winner was a blind append; None if the text does not say."""
        said = self.winner.get("isBlindAppend")
        return None if said is None else said == "true"

    @property
    def unpartitioned(self) -> bool:
        """True if the text says that the whole table is the unit of conflict."""
        return self.place == "the root of the table"


_CLASSES: dict[str, ConflictName] = {
    "ConcurrentAppendException": "ConcurrentAppend",
    "ConcurrentDeleteReadException": "ConcurrentDeleteRead",
    "ConcurrentDeleteDeleteException": "ConcurrentDeleteDelete",
    "MetadataChangedException": "MetadataChanged",
    "ProtocolChangedException": "ProtocolChanged",
    "ConcurrentTransactionException": "ConcurrentTransaction",
    "ConcurrentWriteException": "ConcurrentWrite",
}

_ERROR_CLASSES: dict[str, ConflictName] = {
    "DELTA_CONCURRENT_APPEND": "ConcurrentAppend",
    "DELTA_CONCURRENT_DELETE_READ": "ConcurrentDeleteRead",
    "DELTA_CONCURRENT_DELETE_DELETE": "ConcurrentDeleteDelete",
    "DELTA_METADATA_CHANGED": "MetadataChanged",
    "DELTA_PROTOCOL_CHANGED": "ProtocolChanged",
    "DELTA_CONCURRENT_TRANSACTION": "ConcurrentTransaction",
    "DELTA_CONCURRENT_WRITE": "ConcurrentWrite",
}

_WORDINGS: tuple[tuple[str, ConflictName, Engine], ...] = (
    ("a concurrent transactions? added new data", "ConcurrentAppend", "delta-rs"),
    (
        "a concurrent transaction deleted data this operation read",
        "ConcurrentDeleteRead",
        "delta-rs",
    ),
    (
        "a concurrent transaction deleted the same data",
        "ConcurrentDeleteDelete",
        "delta-rs",
    ),
    ("Metadata changed since last commit", "MetadataChanged", "delta-rs"),
    ("Protocol changed since last commit", "ProtocolChanged", "delta-rs"),
    (r"Concurrent transaction failed\.", "ConcurrentTransaction", "delta-rs"),
    (r"Failed to commit transaction: \d+", "ConcurrentWrite", "delta-rs"),
    (r"Delta transaction failed, version \d+ already exists", "ConcurrentWrite", "delta-rs"),
    ("using the same transaction identifier", "ConcurrentTransaction", "delta-kernel"),
    (
        "Transaction has encountered a conflict and can ?not be committed",
        "ConcurrentWrite",
        "delta-kernel",
    ),
    ("Conflicting concurrent writes found. Data files added", "ConcurrentAppend", "trino"),
    (
        "Conflicting concurrent writes found. Data files removed",
        "ConcurrentDeleteRead",
        "trino",
    ),
    ("Conflicting concurrent writes found. Metadata changed", "MetadataChanged", "trino"),
    ("Conflicting concurrent writes found. Protocol changed", "ProtocolChanged", "trino"),
    ("Conflicting concurrent writes found", "ConcurrentWrite", "trino"),
    ("Files were added to .{1,400}? by a concurrent update", "ConcurrentAppend", "delta-spark"),
    ("attempted to read one or more files that", "ConcurrentDeleteRead", "delta-spark"),
    ("attempted to delete one or more files that", "ConcurrentDeleteDelete", "delta-spark"),
    (
        "metadata of (?:your|the) Delta table (?:.{1,400}? )?has been changed by a concurrent",
        "MetadataChanged",
        "delta-spark",
    ),
    (
        "protocol version of the Delta table (?:.{1,400}? )?has been changed by a concurrent",
        "ProtocolChanged",
        "delta-spark",
    ),
    ("multiple streaming queries are using the same", "ConcurrentTransaction", "delta-spark"),
    ("concurrent transaction has written new data since", "ConcurrentWrite", "delta-spark"),
)  # fmt: skip

_NAMED = re.compile(
    r"(?P<package>(?:[a-z][\w]*\.)*)(?P<name>" + "|".join(_CLASSES) + r")\b"
    r"|(?P<code>" + "|".join(_ERROR_CLASSES) + r")(?P<detail>\.[A-Z_]+)?\b"
)
_WORDED = re.compile(
    "|".join(f"(?P<w{index}>{words})" for index, (words, _, _) in enumerate(_WORDINGS))
)
_WINNER_KEYS = ("operation", "isolationLevel", "engineInfo", "txnId", "userName", "clusterId")
_WINNER_BARE = ("readVersion", "isBlindAppend", "timestamp")
_PARENT: ConflictName = "ConcurrentWrite"
_CLASS_OF_WORDS: dict[Engine, str] = {
    "delta-rs": "CommitFailedError",
    "trino": "TransactionConflictException",
}
_REACH = 20_000
"""Characters in which the parts of one exception's text are looked for."""


def read_refusal(text: str) -> Refusal | None:
    """The last conflict that a text describes; None if there is none in it."""
    mentions = sorted((*_NAMED.finditer(text), *_WORDED.finditer(text)), key=_start)
    if not mentions:
        return None
    # The names and the wording of one exception stand close together, in either order.
    last = mentions[-1].start()
    near = [mention for mention in mentions if last - mention.start() < _REACH]
    conflict = _conflict(_exact(near))
    near = [mention for mention in near if _conflict(mention) in (conflict, _PARENT)]
    exact = _exact(near)
    message = _message(text, near)
    around = text[max(0, near[0].start() - 200) : last + _REACH]
    return Refusal(
        conflict,
        _engine(around, near),
        exact[0] if "code" in exact.groupdict() else _CLASS_OF_WORDS.get(_worded(exact)[2], ""),
        _winner(message),
        _version(message),
        _place(message),
        _group(r"\(for example (?P<it>[^\s)]+?)(?: in partition .*?)?\)", message),
        _group(r"(?:to|from) table (?P<it>\S+?)(?: partition|[,.]? |$)", message),
    )


def _start(mention: re.Match[str]) -> int:
    return mention.start()


def _worded(mention: re.Match[str]) -> tuple[str, ConflictName, Engine]:
    return _WORDINGS[int(str(mention.lastgroup)[1:])]


def _conflict(mention: re.Match[str]) -> ConflictName:
    """The conflict that a name or a wording stands for."""
    names = mention.groupdict()
    if "code" not in names:
        return _worded(mention)[1]
    return _ERROR_CLASSES[names["code"]] if names["code"] else _CLASSES[names["name"]]


def _exact(mentions: list[re.Match[str]]) -> re.Match[str]:
    """The last mention of those that say most: an error class, a class, a wording.

    ``ConcurrentWriteException`` says least, for it is the parent of Kernel's other classes.
    """

    def says(mention: re.Match[str]) -> int:
        names = mention.groupdict()
        if names.get("code"):
            return 3
        if _conflict(mention) == _PARENT:
            return 0
        return 2 if "name" in names else 1

    most = max(map(says, mentions))
    return [mention for mention in mentions if says(mention) == most][-1]


def _message(text: str, mentions: list[re.Match[str]]) -> str:
    """The message of the exception, from the last mention on that details follow."""
    for mention in reversed(mentions):
        message = text[mention.start() : mention.start() + _REACH]
        if _winner(message) or _version(message) is not None or _place(message):
            return message
    start = mentions[0].start()
    return text[start : start + _REACH]


def _engine(text: str, mentions: list[re.Match[str]]) -> Engine:
    """The writer, by packages, by what its messages have, and by their wording."""
    if "com.databricks" in text or "Databricks-Runtime" in text or "2D521" in text:
        return "databricks"
    if "io.delta.kernel" in text:
        return "delta-kernel"
    for mention in mentions:
        if "code" not in mention.groupdict() and _worded(mention)[2] != "delta-spark":
            return _worded(mention)[2]
    return "delta-spark"


def _winner(message: str) -> dict[str, str]:
    """The details of the winning commit that are in the text.

    Its JSON is not always JSON (old releases leave out quotes), so its parts are looked up.
    """
    start = message.find("onflicting commit:")
    if start < 0:
        operation = _group(r"[Aa] concurrent (?P<it>[A-Z][A-Z ]+[A-Z])\b", message)
        return {"operation": operation} if operation else {}
    part = message[start : start + _REACH].replace('\\"', '"')
    details: dict[str, str] = {}
    for key in _WINNER_KEYS:
        if (value := _group(rf'"{key}"\s*:\s*"(?P<it>[^"]*)"', part)) is not None:
            details[key] = value
    for key in _WINNER_BARE:
        if (value := _group(rf'"{key}"\s*:\s*"?(?P<it>-?\w+)', part)) is not None:
            details[key] = value
    if (mode := _group(r'"mode"\s*:\s*"?(?P<it>\w+)', part)) is not None:
        details["mode"] = mode
    predicate = _group(r'"predicate"\s*:\s*(?P<it>"?\[.*?\]"?)\s*[,}]', part)
    if predicate is not None:
        details["predicate"] = predicate.strip('"')
    return details


def _version(message: str) -> int | None:
    number = _group(r"(?:committed )?at version (?P<it>\d+)", message)
    return None if number is None else int(number)


def _place(message: str) -> str | None:
    for pattern in (
        r"Files were added to (?:partition )?(?P<it>.{1,400}?) by a concurrent update",
        r"partition\(?s?\)? (?P<it>\[[^\]]{1,400}\])",
        r"data in partition (?P<it>.{1,200}?) that would have been read",
        r"in partition (?P<it>\[?[^\s\])]+=[^\])]*\]?)",
    ):
        place = _group(pattern, message)
        if place is not None:
            return place
    return None


def _group(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text, re.DOTALL)
    return None if match is None else match["it"]
