"""Claims on row-level concurrency: when it is on, what it resolves, where it gives up."""

from model.documents.claims.claim import Claim, Kind

CLAIMS = (
    Claim(
        66,
        "AB",
        "Row-level concurrency resolves writes that update or delete different rows of one file.",
        Kind.MODEL,
    ),
    Claim(
        67,
        "AB",
        "It is generally available from Runtime 14.2 on.",
        Kind.NONE,
        beyond="A release date of a product that is not at hand. The profiles take it as given.",
    ),
    Claim(
        68,
        "AB",
        "It is on for tables with deletion vectors and without partitions.",
        Kind.MODEL,
    ),
    Claim(
        69,
        "AB",
        "It is on for tables with liquid clustering, unless deletion vectors are disabled.",
        Kind.MODEL,
    ),
    Claim(
        70,
        "AB",
        "Tables with partitions, and tables without deletion vectors, do not have it.",
        Kind.MODEL,
    ),
    Claim(
        71,
        "AB",
        "A partitioned table with deletion vectors still avoids conflicts of OPTIMIZE with all "
        "other writes.",
        Kind.MODEL,
    ),
    Claim(
        72,
        "AB",
        "MERGE needs Photon for it on Runtime 14.2, and no longer from 14.3 on.",
        Kind.MODEL,
    ),
    Claim(
        73,
        "A",
        "OPTIMIZE with ZORDER BY is not resolved by rows.",
        Kind.MODEL,
    ),
    Claim(
        74,
        "AB",
        "Commands with complex conditions are not resolved by rows.",
        Kind.MODEL,
    ),
    Claim(
        75,
        "A",
        "Conditions on structs, arrays and maps count as complex.",
        Kind.NONE,
        beyond="No open engine resolves conflicts by rows, and the model has no columns of these "
        "types.",
    ),
    Claim(
        76,
        "A",
        "Conditions with non-deterministic expressions and subqueries count as complex.",
        Kind.NONE,
        beyond="No open engine resolves conflicts by rows; the model's conditions have neither, "
        "and the engine refuses subqueries in conditions of DELETE and UPDATE.",
    ),
    Claim(
        77,
        "A",
        "Conditions with correlated subqueries count as complex.",
        Kind.NONE,
        beyond="No open engine resolves conflicts by rows, and the engine at hand refuses such "
        "conditions.",
    ),
    Claim(
        78,
        "A",
        "MERGE needs an explicit condition on the target, which then serves to find the rows that "
        "may conflict.",
        Kind.MODEL,
    ),
    Claim(
        79,
        "A",
        "Conflict detection by rows may make commands take longer.",
        Kind.NONE,
        beyond="A statement about the speed of an engine that is not at hand.",
    ),
    Claim(
        80,
        "A",
        "Under many concurrent transactions the writer prefers latency, and conflicts may occur.",
        Kind.NONE,
        beyond="A heuristic of an engine that is not at hand; the document names no threshold.",
    ),
    Claim(
        81,
        "A",
        "All limits of deletion vectors apply.",
        Kind.NONE,
        beyond="The limits are in another document, which is not among the sources.",
    ),
    Claim(82, "A", "Row-level concurrency always needs deletion vectors.", Kind.MODEL),
    Claim(
        83,
        "A",
        "From Runtime 13.3 on, tables with liquid clustering have it without being asked.",
        Kind.MODEL,
    ),
    Claim(
        84,
        "A",
        "On Runtimes 14.0 and 14.1 a setting of the session switches it on for tables with "
        "deletion vectors.",
        Kind.MODEL,
    ),
    Claim(
        85,
        "A",
        "Up to Runtime 14.1, without Photon, only DELETE has it.",
        Kind.MODEL,
    ),
)
