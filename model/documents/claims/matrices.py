"""Claims on which pairs of writes can conflict, and on appends that read nothing."""

from model.documents.claims.claim import Claim, Kind

DML = "UPDATE, DELETE, MERGE"


def _cell(number: int, pair: str, says: str, kind: Kind, sources: str, where: str) -> Claim:
    return Claim(number, sources, f"{where}: {pair} {says}.", kind)


_ROWS, _FILES = "With row-level concurrency", "Without row-level concurrency"
_OLD = "Matrix of 2020"
_BY_VECTORS = "cannot conflict on tables with deletion vectors, and can on others"

CLAIMS = (
    _cell(38, "INSERT and INSERT", "cannot conflict", Kind.MODEL, "A", _ROWS),
    _cell(
        39,
        f"{DML} and INSERT",
        "cannot conflict at WriteSerializable, and can at Serializable on the same row",
        Kind.MODEL,
        "A",
        _ROWS,
    ),
    _cell(
        40,
        f"two of {DML}",
        "can conflict when they change the same row",
        Kind.MODEL,
        "A",
        _ROWS,
    ),
    _cell(41, "OPTIMIZE and INSERT", "cannot conflict", Kind.MODEL, "A", _ROWS),
    _cell(42, f"OPTIMIZE and {DML}", "cannot conflict", Kind.MODEL, "A", _ROWS),
    _cell(43, "OPTIMIZE and OPTIMIZE", "cannot conflict", Kind.MODEL, "A", _ROWS),
    _cell(44, "INSERT and INSERT", "cannot conflict", Kind.SEARCH, "A", _FILES),
    _cell(
        45,
        f"{DML} and INSERT",
        "cannot conflict at WriteSerializable, and can at Serializable",
        Kind.SEARCH,
        "A",
        _FILES,
    ),
    _cell(46, f"two of {DML}", "can conflict at both levels", Kind.SEARCH, "A", _FILES),
    _cell(47, "OPTIMIZE and INSERT", "cannot conflict", Kind.SEARCH, "A", _FILES),
    _cell(48, f"OPTIMIZE and {DML}", _BY_VECTORS, Kind.SEARCH, "A", _FILES),
    _cell(49, "OPTIMIZE and OPTIMIZE", _BY_VECTORS, Kind.SEARCH, "A", _FILES),
    _cell(50, "INSERT and INSERT", "cannot conflict", Kind.SEARCH, "D", _OLD),
    _cell(
        51,
        f"{DML} and INSERT",
        "can conflict at Serializable, and cannot at WriteSerializable",
        Kind.SEARCH,
        "D",
        _OLD,
    ),
    _cell(52, f"two of {DML}", "can conflict at both levels", Kind.SEARCH, "D", _OLD),
    _cell(53, "OPTIMIZE and INSERT", "cannot conflict", Kind.SEARCH, "D", _OLD),
    _cell(54, f"OPTIMIZE and {DML}", "can conflict at both levels", Kind.SEARCH, "D", _OLD),
    _cell(55, "OPTIMIZE and OPTIMIZE", "can conflict at both levels", Kind.SEARCH, "D", _OLD),
    Claim(
        56,
        "AB",
        "INSERT in the matrices means an append that reads nothing of the table before it commits.",
        Kind.REPLAY,
    ),
    Claim(
        57,
        "AB",
        "An INSERT with a subquery over the same table conflicts as MERGE does.",
        Kind.REPLAY,
    ),
    Claim(
        58,
        "AB",
        "A table with identity columns supports no concurrent transactions.",
        Kind.EXPERIMENT,
    ),
    Claim(
        59,
        "B",
        "REORG that applies deletion vectors has the isolation semantics of OPTIMIZE.",
        Kind.EXPERIMENT,
    ),
    Claim(
        60,
        "B",
        "REORG that upgrades changes the protocol, and conflicts with every operation in flight.",
        Kind.EXPERIMENT,
    ),
    Claim(
        61,
        "AD",
        "Whether two operations that can conflict do so depends on whether they work on the same "
        "set of files.",
        Kind.REPLAY,
    ),
    Claim(
        62,
        "AD",
        "An UPDATE of later dates and a DELETE of earlier ones conflict on a table that is not "
        "partitioned by date, and do not on one that is.",
        Kind.REPLAY,
    ),
    Claim(
        63,
        "A",
        "An INSERT or append that names the target in no subquery and no condition does not read "
        "the table's state.",
        Kind.EXPERIMENT,
    ),
    Claim(
        64,
        "A",
        "Such an append is still validated against the versions in the log, by metadata.",
        Kind.EXPERIMENT,
    ),
    Claim(
        65,
        "A",
        "An INSERT with a condition on a column of the target has the limits of MERGE.",
        Kind.REPLAY,
    ),
)
