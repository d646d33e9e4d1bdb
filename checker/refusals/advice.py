"""The advice on each conflict: the rule that gives it, remedies, retries, claims.

Claims are those of ``docs/claims.md``. Every remedy is something that the model or a document says
avoids the conflict, or makes it rarer; none promises that a retry succeeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from model.outcomes import ConflictName

Retry = Literal["safe", "unsafe", "unknown"]


@dataclass(frozen=True, slots=True)
class Advice:
    """The advice on one conflict. ``retry`` says whether running the whole job again is safe.

    It is safe where the statement is executed anew on a new snapshot, since a refused commit left
    nothing in the table; unsafe where the same work may be there already.
    """

    rule: str
    remedies: Sequence[str]
    retry: Retry
    why_retry: str
    claims: Sequence[str]


_ANEW = (
    "the refused commit left nothing in the table (N25, N30); run the whole job again, with the "
    "reads that it was computed from"
)

ADVICE: Mapping[ConflictName, Advice] = {
    "ConcurrentAppend": Advice(
        "a winner added files to a partition that the commit had read, or anywhere if the table "
        "has no partitions",
        (
            "name the partition in the condition of the statement as a literal, in a MERGE in ON: "
            "t.p = 1 rather than t.p = s.p (N89)",
            "lay the table out so that jobs that run together write other partitions (N61, N62)",
            "where the winner is a blind append and its rows may be ordered after this commit, "
            "WriteSerializable lets both through (N87)",
            "row-level concurrency, where the engine has it (N66), lets commits through that "
            "touch other rows",
        ),
        "safe",
        _ANEW,
        ("N86", "N87", "N89"),
    ),
    "ConcurrentDeleteRead": Advice(
        "a winner removed a file that the commit had read",
        (
            "narrow what the statement reads with a literal condition on partitions (N61, N89)",
            "run compactions (OPTIMIZE) when no job that changes rows runs, or in other "
            "partitions (N91)",
            "deletion vectors and row-level concurrency, where the engine has them, keep "
            "compactions and changes of other rows apart (N66, N71)",
        ),
        "safe",
        _ANEW,
        ("N90", "N61"),
    ),
    "ConcurrentDeleteDelete": Advice(
        "a winner removed a file that the commit removes too",
        (
            "let jobs that change rows write other partitions (N61, N62)",
            "run one compaction at a time, and none beside jobs that change the same files (N91)",
            "row-level concurrency, where the engine has it, lets changes of other rows in the "
            "same file through (N66)",
        ),
        "safe",
        _ANEW,
        ("N91", "N61"),
    ),
    "MetadataChanged": Advice(
        "a winner changed the table's metadata: schema, properties, partitioning, or an identity "
        "column's mark",
        (
            "make schema and property changes in a job of their own, before the writers start "
            "(N92, N97)",
            "turn off automatic schema evolution in jobs that run together, and set no "
            "properties in jobs that write rows (N98)",
            "let one writer at a time write to a table with an identity column (N58)",
        ),
        "safe",
        _ANEW + "; a streaming read has to be started again (N99)",
        ("N92", "N97", "N98"),
    ),
    "ProtocolChanged": Advice(
        "a winner upgraded the table's protocol, or created the table",
        (
            "upgrade the protocol in a job of its own (N94)",
            "create the table before the first writers start (N95, N96)",
        ),
        "safe",
        _ANEW,
        ("N94", "N95", "N96", "N60"),
    ),
    "ConcurrentTransaction": Advice(
        "a winner recorded a transaction of the same application: the same streaming query, or "
        "the same txnAppId",
        (
            "run each streaming query once at a time, with a checkpoint of its own (N93)",
            "give each job its own txnAppId, and set it per write, not for the session",
        ),
        "unsafe",
        "the other instance may have written the same rows: look at the application's version in "
        "the table before running again",
        ("N93",),
    ),
    "ConcurrentWrite": Advice(
        "another writer took the version, and the writer does not check whether the two conflict",
        (
            "retry; the snapshot is taken anew",
            "on storage without an exclusive create, use a log store or catalog that orders the "
            "commits, or commits get lost (N15, N31)",
            "create the table before the first writers start (N96)",
        ),
        "unknown",
        "some writers give this error after the commit went through: look for the rows or the "
        "commit first",
        ("N96", "N31"),
    ),
}
"""The advice for every conflict."""
