"""The comparison of checkpoints and checksum files with the log that they sum up.

Where they contradict it, one of the two was not made from the commits that are there now: a
commit was overwritten, or a file of the log was damaged. Sources: the Delta transaction log
protocol, "Checkpoints" and "Version Checksum File".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from checker.logs.actions import LoggedCommit, TableState
from checker.logs.findings import Finding

_METADATA = ("id", "schemaString", "partitionColumns", "configuration")
_PROTOCOL = ("minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures")


def against_checkpoint(replayed: TableState, checkpoint: TableState) -> Iterator[Finding]:
    """The contradictions between a checkpoint and the log up to its version."""
    version = checkpoint.version
    for words, one, other in (
        ("has", checkpoint, replayed),
        ("lacks", replayed, checkpoint),
    ):
        paths = sorted({key[0] for key in one.live.keys() - other.live.keys()})
        if paths:
            yield Finding(
                "contradicting-checkpoint",
                (version,),
                f"the checkpoint of version {version} {words} {_some(paths)}, "
                f"the log up to there does {'not' if words == 'has' else 'have it'}",
                files=tuple(paths),
            )
    reasons = [
        *_differences("metaData", checkpoint.metadata, replayed.metadata, _METADATA),
        *_differences("protocol", checkpoint.protocol, replayed.protocol, _PROTOCOL),
        *_transactions(checkpoint.transactions, replayed.transactions),
    ]
    for reason in reasons:
        yield Finding(
            "contradicting-checkpoint",
            (version,),
            f"the checkpoint of version {version} contradicts the log: {reason}",
        )


def against_checksum(
    replayed: TableState, commit: LoggedCommit, checksum: Mapping[str, Any]
) -> Iterator[Finding]:
    """The contradictions between a ``.crc`` file and the log up to its version."""
    for reason in _checksum(replayed, commit, checksum):
        yield Finding(
            "contradicting-checksum",
            (commit.version,),
            f"the checksum of version {commit.version} contradicts the log: {reason}",
        )


def _checksum(
    replayed: TableState, commit: LoggedCommit, checksum: Mapping[str, Any]
) -> Iterator[str]:
    written, said = checksum.get("txnId"), commit.info.get("txnId")
    if isinstance(written, str) and isinstance(said, str) and written != said:
        yield (
            f"it is of the commit {written}, the log has the commit {said} there: "
            "one of them was overwritten"
        )
    if not replayed.complete:
        return
    count = checksum.get("numFiles")
    if isinstance(count, int) and count != len(replayed.live):
        yield f"it counts {count} files, the log {len(replayed.live)}"
    size = checksum.get("tableSizeBytes")
    sizes = [file.size for file in replayed.live.values()]
    if isinstance(size, int) and None not in sizes:
        total = sum(file_size or 0 for file_size in sizes)
        if size != total:
            yield f"it counts {size} bytes, the log {total}"
    listed = checksum.get("allFiles")
    if isinstance(listed, list):
        named = {str(file.get("path")) for file in listed if isinstance(file, dict)}
        live = {path for path, _ in replayed.live}
        for path in sorted(named ^ live)[:1]:
            words = "it names {}, the log does not" if path in named else "it lacks {}"
            yield words.format(path)
    for name, kinds in (("metadata", _METADATA), ("protocol", _PROTOCOL)):
        ours = replayed.metadata if name == "metadata" else replayed.protocol
        theirs = checksum.get(name)
        if isinstance(theirs, dict):
            yield from _differences(name, theirs, ours, kinds)
    listed = checksum.get("setTransactions")
    if isinstance(listed, list):
        theirs = {
            entry["appId"]: entry["version"]
            for entry in listed
            if isinstance(entry, dict)
            and isinstance(entry.get("appId"), str)
            and "version" in entry
        }
        yield from _transactions(theirs, replayed.transactions)


def _differences(
    what: str,
    written: Mapping[str, Any] | None,
    replayed: Mapping[str, Any] | None,
    names: tuple[str, ...],
) -> Iterator[str]:
    if written is None or replayed is None:
        return
    for name in names:
        ours, theirs = _plain(replayed.get(name)), _plain(written.get(name))
        if ours != theirs:
            yield f"{what}.{name} is another"


def _plain(value: Any) -> Any:
    """A value without what may be left out or stand in any order."""
    if isinstance(value, list):
        return sorted(map(str, value))
    return value or None


def _transactions(written: Mapping[str, Any], replayed: Mapping[str, int]) -> Iterator[str]:
    """Old transactions may have expired in either, so only those in both count."""
    for application in sorted(written.keys() & replayed.keys()):
        if written[application] != replayed[application]:
            yield (
                f"application {application} is at {written[application]}, "
                f"in the log at {replayed[application]}"
            )


def _some(paths: list[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more files" if len(paths) > 3 else "")
