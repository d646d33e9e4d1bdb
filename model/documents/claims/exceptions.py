"""Claims on the exceptions that a conflict raises, and on changes of metadata."""

from model.documents.claims.claim import Claim, Kind

CLAIMS = (
    Claim(
        86,
        "A",
        "ConcurrentAppendException: a concurrent operation added files to a partition that is "
        "read, or anywhere in a table without partitions.",
        Kind.REPLAY,
    ),
    Claim(
        87,
        "A",
        "At WriteSerializable a blind INSERT never causes it; at Serializable it may.",
        Kind.SEARCH,
    ),
    Claim(
        88,
        "D",
        "At WriteSerializable (2020) it comes only from files that were rewritten in a partition "
        "that is read.",
        Kind.REPLAY,
    ),
    Claim(
        89,
        "AD",
        "A MERGE that leaves the partition to its join conflicts with writers of other "
        "partitions; one that names the partition's values does not.",
        Kind.REPLAY,
    ),
    Claim(
        90,
        "AD",
        "ConcurrentDeleteReadException: a concurrent operation removed a file that was read.",
        Kind.REPLAY,
    ),
    Claim(
        91,
        "AD",
        "ConcurrentDeleteDeleteException: both remove one file, as two compactions may.",
        Kind.REPLAY,
    ),
    Claim(
        92,
        "AD",
        "MetadataChangedException: a concurrent transaction changed the metadata, by ALTER TABLE "
        "or by a write that changes the schema.",
        Kind.EXPERIMENT,
    ),
    Claim(
        93,
        "AD",
        "ConcurrentTransactionException: two writers share one checkpoint.",
        Kind.EXPERIMENT,
    ),
    Claim(
        94,
        "AD",
        "ProtocolChangedException can come when the table's protocol is upgraded.",
        Kind.EXPERIMENT,
    ),
    Claim(
        95,
        "A",
        "It can come when several writers create or replace a table at a time.",
        Kind.REPLAY,
    ),
    Claim(
        96,
        "A",
        "It can come when several writers write to an empty path at a time.",
        Kind.REPLAY,
    ),
    Claim(
        97,
        "B",
        "Changes of the protocol, of table properties and of the schema make all concurrent "
        "writes fail.",
        Kind.EXPERIMENT,
    ),
    Claim(
        98,
        "B",
        "Setting a property, enabling deletion vectors, dropping a feature, a REORG to UniForm "
        "and adding columns change the metadata.",
        Kind.EXPERIMENT,
    ),
    Claim(
        99,
        "B",
        "A streaming read fails at a commit that changes the metadata, and goes on once it is "
        "restarted.",
        Kind.EXPERIMENT,
    ),
    Claim(
        100,
        "AD",
        "Partitioning by a column of many values costs performance, through the number of "
        "directories.",
        Kind.NONE,
        beyond="A statement about speed without a number; nothing here measures cloud storage.",
    ),
)
