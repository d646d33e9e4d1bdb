"""Claims that nothing here can decide, each with the reason."""

from isodelta.commands.claims.claim import Claim, Kind

OUT_OF_SCOPE = (
    Claim(
        27,
        "C",
        "A table is as durable and as available as the cloud storage below it.",
        Kind.NONE,
        beyond="A property of a cloud provider's object store; local files say nothing about it.",
    ),
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
        67,
        "AB",
        "It is generally available from Runtime 14.2 on.",
        Kind.NONE,
        beyond="A release date of a product that is not at hand. The profiles take it as given.",
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
    Claim(
        100,
        "AD",
        "Partitioning by a column of many values costs performance, through the number of "
        "directories.",
        Kind.NONE,
        beyond="A statement about speed without a number; nothing here measures cloud storage.",
    ),
)
