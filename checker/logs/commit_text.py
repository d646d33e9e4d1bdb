"""The reader of actions: JSON objects of a log, checked, as commits.

Parts that break the form that the Delta protocol asks for become problems of the commit, in
words. Nothing in a log makes this reader fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from checker.logs.actions import LoggedCommit, LoggedFile

LONGEST_LINE = 64 << 20
"""Bytes of the longest line that is read: no action that a writer makes comes near it."""

_KNOWN = frozenset({"add", "remove", "metaData", "protocol", "commitInfo", "txn", "domainMetadata"})
_VECTOR = {"storageType": str, "pathOrInlineDv": str, "sizeInBytes": int, "cardinality": int}


class BadAction(Exception):
    """An action does not have the form that the protocol asks for."""


def read_commit(version: int, text: bytes) -> LoggedCommit:
    """One commit file: one action on each line."""
    commit = LoggedCommit(version)
    if not text.strip():
        commit.problems.append("the commit file is empty")
    read_lines(commit, text.split(b"\n"))
    return commit


def read_lines(commit: LoggedCommit, lines: Iterable[bytes]) -> None:
    """Adds the actions of some lines to a commit."""
    for number, line in enumerate(lines, 1):
        if not line or line.isspace():
            continue
        if len(line) > LONGEST_LINE:
            commit.problems.append(f"line {number} is longer than {LONGEST_LINE >> 20} MiB")
            continue
        try:
            action = json.loads(line)
        except (ValueError, RecursionError) as error:
            commit.problems.append(f"line {number} is not JSON ({_short(error)})")
            continue
        if not encodable(line, action):
            commit.problems.append(f"line {number} has text that is not Unicode")
            continue
        read_action(commit, action, f"line {number}")


def encodable(line: bytes, content: object) -> bool:
    """True if the texts of some parsed JSON can be written: half a surrogate pair cannot."""
    if b"\\ud" not in line and b"\\uD" not in line:
        return True
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def read_action(commit: LoggedCommit, action: object, place: str) -> None:
    """Adds one action to a commit."""
    try:
        _read(commit, action)
    except BadAction as error:
        commit.problems.append(f"{place}: {error}")


def _read(commit: LoggedCommit, action: object) -> None:
    if not isinstance(action, dict):
        raise BadAction(f"an action is an object, not {_kind(action)}")
    for name, value in action.items():
        if value is None:
            continue
        if name not in _KNOWN:
            continue  # Writers may add actions; those that a reader must know are table features.
        if not isinstance(value, dict):
            raise BadAction(f"{name} is an object, not {_kind(value)}")
        match name:
            case "add":
                commit.adds.append(_file(value, name))
            case "remove":
                commit.removes.append(_file(value, name))
            case "metaData":
                commit.metadata = _metadata(value)
            case "protocol":
                commit.protocol = _protocol(value)
            case "commitInfo":
                commit.info = _info(value)
            case "txn":
                commit.transactions[_get(value, "appId", str)] = _get(value, "version", int)
            case "domainMetadata":
                commit.domains[_get(value, "domain", str)] = value


def _file(value: Mapping[str, Any], name: str) -> LoggedFile:
    vector = value.get("deletionVector")
    if vector is not None:
        if not isinstance(vector, dict):
            raise BadAction(f"{name}.deletionVector is an object, not {_kind(vector)}")
        for key, kind in _VECTOR.items():
            _get(vector, key, kind)
    partition = _optional(value, "partitionValues", dict) or {}
    if not all(text is None or isinstance(text, str) for text in partition.values()):
        raise BadAction(f"{name}.partitionValues has a value that is not text")
    change = value.get("dataChange", True)
    if not isinstance(change, bool):
        raise BadAction(f"{name}.dataChange is true or false, not {_kind(change)}")
    return LoggedFile(
        _get(value, "path", str),
        vector,
        partition,
        change,
        _optional(value, "size", int),
        _optional(value, "stats", str),
        _optional(value, "baseRowId", int),
    )


def _metadata(value: Mapping[str, Any]) -> Mapping[str, Any]:
    text = _get(value, "schemaString", str)
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadAction(f"metaData.schemaString is not JSON ({_short(error)})") from error
    fields = schema.get("fields") if isinstance(schema, dict) else None
    if not isinstance(fields, list) or not all(
        isinstance(field, dict) and isinstance(field.get("name"), str) for field in fields
    ):
        raise BadAction("metaData.schemaString is not a schema")
    columns = _optional(value, "partitionColumns", list) or []
    if not all(isinstance(column, str) for column in columns):
        raise BadAction("metaData.partitionColumns has a value that is not text")
    _optional(value, "configuration", dict)
    return value


def _protocol(value: Mapping[str, Any]) -> Mapping[str, Any]:
    _get(value, "minReaderVersion", int)
    _get(value, "minWriterVersion", int)
    for name in ("readerFeatures", "writerFeatures"):
        features = _optional(value, name, list) or []
        if not all(isinstance(feature, str) for feature in features):
            raise BadAction(f"protocol.{name} has a value that is not text")
    return value


def _info(value: Mapping[str, Any]) -> Mapping[str, Any]:
    _optional(value, "readVersion", int)
    _optional(value, "operation", str)
    return value


def _get(value: Mapping[str, Any], name: str, kind: type) -> Any:
    member = _optional(value, name, kind)
    if member is None:
        raise BadAction(f"{name} is missing")
    return member


def _optional(value: Mapping[str, Any], name: str, kind: type) -> Any:
    member = value.get(name)
    if member is None:
        return None
    if isinstance(member, kind) and not (kind is int and isinstance(member, bool)):
        return member
    raise BadAction(f"{name} is {_WORDS[kind]}, not {_kind(member)}")


_WORDS: dict[type, str] = {
    str: "text",
    int: "a whole number",
    dict: "an object",
    list: "a list",
    bool: "true or false",
    float: "a number",
}


def _kind(value: object) -> str:
    return "null" if value is None else _WORDS.get(type(value), "something else")


def _short(error: BaseException) -> str:
    return str(error).partition(" (char")[0][:80] or type(error).__name__
