"""Claims on atomicity, consistency, isolation of single tables, and durability."""

from model.documents.claims.claim import Claim, Kind

CLAIMS = (
    Claim(
        15,
        "AB",
        "Several writers on several clusters may change one partition at a time; each sees a "
        "consistent snapshot, and the writes get a serial order.",
        Kind.REPLAY,
    ),
    Claim(
        16,
        "AB",
        "A reader keeps the snapshot that its job began with, whatever is written meanwhile.",
        Kind.REPLAY,
    ),
    Claim(17, "C", "A transaction succeeds as a whole or fails as a whole.", Kind.EXPERIMENT),
    Claim(18, "C", "A transaction applies to one table.", Kind.EXPERIMENT),
    Claim(19, "C", "Reads and writes take no locks, so there are no deadlocks.", Kind.EXPERIMENT),
    Claim(
        20,
        "C",
        "A read of several tables takes the newest version of each at the time of access, and "
        "holds up no transaction that changes them.",
        Kind.EXPERIMENT,
    ),
    Claim(
        21,
        "C",
        "There is no BEGIN/END that makes one transaction of several operations; an application "
        "commits to one table after the other.",
        Kind.EXPERIMENT,
    ),
    Claim(
        22, "C", "MERGE puts inserts, updates and deletes into one transaction.", Kind.EXPERIMENT
    ),
    Claim(
        23,
        "C",
        "A transaction writes its data files first, then one entry to the log, which makes the "
        "version one higher and the files visible.",
        Kind.EXPERIMENT,
    ),
    Claim(
        24,
        "C",
        "The table is what the log says: the files that are valid there, and no others.",
        Kind.EXPERIMENT,
    ),
    Claim(
        25,
        "C",
        "Files of a transaction that failed after writing them neither harm the table nor become "
        "a part of it.",
        Kind.EXPERIMENT,
    ),
    Claim(
        26,
        "C",
        "VACUUM removes files that the log does not track, leftovers of failed transactions too.",
        Kind.EXPERIMENT,
    ),
    Claim(
        27,
        "C",
        "A table is as durable and as available as the cloud storage below it.",
        Kind.NONE,
        beyond="A property of a cloud provider's object store; local files say nothing about it.",
    ),
    Claim(
        28,
        "C",
        "A write goes through three stages: it reads, it writes files, it validates and commits.",
        Kind.EXPERIMENT,
    ),
    Claim(
        29,
        "C",
        "An append does not read the table's state; its schema is checked against the metadata "
        "in the log.",
        Kind.EXPERIMENT,
    ),
    Claim(
        30,
        "C",
        "Without a conflict the changes become a new version; with one the write fails with an "
        "exception on concurrent modification.",
        Kind.REPLAY,
    ),
    Claim(
        31,
        "C",
        "Writes of several clusters may conflict and never corrupt the table.",
        Kind.EXPERIMENT,
    ),
    Claim(32, "C", "There are no transactions over several tables.", Kind.EXPERIMENT),
    Claim(33, "C", "Primary and foreign keys inform and are not enforced.", Kind.EXPERIMENT),
    Claim(
        34,
        "C",
        "One table may be changed from several workspaces at a time, and readers elsewhere keep a "
        "consistent view.",
        Kind.EXPERIMENT,
    ),
    Claim(35, "C", "A write may begin at any time.", Kind.EXPERIMENT),
    Claim(
        36,
        "C",
        "Writes to cloud storage put files with the prefixes _started_ and _committed_ beside "
        "the data.",
        Kind.NONE,
        beyond="The service's own commit protocol for files in cloud storage; neither its code "
        "nor a cloud store is at hand.",
    ),
    Claim(
        37,
        "C",
        "Other data formats may not have these guarantees.",
        Kind.EXPERIMENT,
    ),
)
