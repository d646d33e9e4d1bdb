"""Claims on the two isolation levels: what they are and what they promise."""

from model.documents.claims.claim import Claim, Kind

CLAIMS = (
    Claim(
        1,
        "AD",
        "A table has one of two isolation levels, Serializable and WriteSerializable, "
        "and no other.",
        Kind.EXPERIMENT,
    ),
    Claim(
        2,
        "AD",
        "On a Serializable table all committed writes and all reads are serializable.",
        Kind.SEARCH,
    ),
    Claim(
        3,
        "AD",
        "Operations are allowed as long as some order of running them one at a time has the same "
        "outcome.",
        Kind.REPLAY,
    ),
    Claim(
        4,
        "AD",
        "At Serializable the serial order of the writes is the order of the table's history.",
        Kind.SEARCH,
    ),
    Claim(5, "ACD", "WriteSerializable is the level of a table that names none.", Kind.EXPERIMENT),
    Claim(
        6,
        "AD",
        "WriteSerializable makes sure that the writes, though not the reads, are serializable.",
        Kind.SEARCH,
    ),
    Claim(7, "ACD", "WriteSerializable is stronger than snapshot isolation.", Kind.SEARCH),
    Claim(
        8,
        "AD",
        "At WriteSerializable a write that the history shows last may act as if it came first, so "
        "that the content of the table is not what the history leads to.",
        Kind.REPLAY,
    ),
    Claim(9, "AD", "Serializable makes one of two such writes fail.", Kind.REPLAY),
    Claim(10, "AC", "A read always has snapshot isolation, whatever the level.", Kind.REPLAY),
    Claim(
        11,
        "A",
        "Whether a reader can see a state that never was, going by the history, depends on the "
        "level: yes at WriteSerializable, no at Serializable.",
        Kind.REPLAY,
    ),
    Claim(
        12,
        "A",
        "A long DELETE is recorded after an INSERT of rows that it should have deleted: a reader "
        "may see those rows at WriteSerializable, and never sees them at Serializable.",
        Kind.REPLAY,
    ),
    Claim(13, "AD", "ALTER TABLE sets the level, to either of the two names.", Kind.EXPERIMENT),
    Claim(
        14, "AB", "Which writes conflict depends on the isolation level of the table.", Kind.REPLAY
    ),
)
