"""The tables of a store: their columns with types and meanings, and how they are laid out.

This is the documentation as well: the meanings are the comments of the columns in the tables, and
``docs/campaigns.md`` is checked against them. Columns are only ever added, at the end, and
``VERSION`` then grows: an older store gets the new columns, empty, when it is next opened.
"""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 1
"""The version of these schemas; a store's tables have it as the property ``VERSION_PROPERTY``."""

VERSION_PROPERTY = "isodelta.schemaVersion"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type in Spark's SQL, and its meaning."""

    name: str
    type: str
    meaning: str

    @property
    def ddl(self) -> str:
        """The column as CREATE TABLE has it."""
        meaning = self.meaning.replace("'", "\\'")
        return f"`{self.name}` {self.type} COMMENT '{meaning}'"


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table: what a row is, its columns, and its layout."""

    name: str
    row: str
    columns: tuple[Column, ...]
    partition_by: tuple[str, ...] = ()
    cluster_by: tuple[str, ...] = ()

    @property
    def ddl(self) -> str:
        """All columns as CREATE TABLE has them."""
        return ", ".join(column.ddl for column in self.columns)

    @property
    def schema(self) -> str:
        """Names and types alone, as DataFrames take them."""
        return ", ".join(f"`{column.name}` {column.type}" for column in self.columns)


_RUN = (
    Column("run", "int", "the run that wrote the row"),
    Column("batch", "int", "the batch of the run, from 0"),
)
_HISTORY = (
    *_RUN,
    Column("history", "string", "the name of the history: seed-position-number"),
)
_PROFILE = Column("profile", "string", "whose conflict rules were followed")

TABLE_TYPE = (
    "struct<columns: map<string, string>, partition_by: array<string>, cluster_by: array<string>, "
    "properties: map<string, string>, setup: array<string>>"
)
TRANSACTION_TYPE = "struct<name: string, statement: string, sql: string>"
ENDING_TYPE = (
    "struct<name: string, statement: string, outcome: string, read_version: int, "
    "commit_version: int, rule: string, winner: string>"
)

HISTORIES = StoredTable(
    "histories",
    "a class of schedules of two or three transactions on one table",
    (
        *_HISTORY,
        Column("seed", "bigint", "the seed of the random stream"),
        Column("position", "bigint", "the position of the stream: one table and one pool of jobs"),
        Column("number", "int", "the number of the history in the tree of its position"),
        Column("source", "string", "where the jobs come from: alphabet or random"),
        Column("layout", "string", "partitioned, unpartitioned or clustered"),
        Column("level", "string", "the isolation level that the table declares"),
        Column("schedules", "bigint", "the number of schedules that the history stands for"),
        Column("statements", "array<string>", "the kinds of the statements, as they commit"),
        Column("transactions", f"array<{TRANSACTION_TYPE}>", "writers by commit, then readers"),
        Column("schedule", "array<string>", "the steps of the schedule that stands for the class"),
        Column("table", TABLE_TYPE, "the table, as a scenario file defines it"),
        Column("scenario", "string", "the scenario file: isodelta check and replay run it"),
    ),
    partition_by=("run",),
)

PREDICTIONS = StoredTable(
    "predictions",
    "what a profile predicts for a history; none where it does not have one of the statements",
    (
        *_HISTORY,
        _PROFILE,
        Column("transactions", f"array<{ENDING_TYPE}>", "how each transaction ends"),
        Column("aborts", "int", "the number of transactions that end in a conflict"),
        Column("overlaps", "int", "pairs of a writer and a commit that its snapshot does not show"),
        Column("rows", "int", "the number of rows of the table at the end"),
    ),
    partition_by=("profile",),
)

VERDICTS = StoredTable(
    "verdicts",
    "the verdict on a predicted history at one level",
    (
        *_HISTORY,
        _PROFILE,
        Column("level", "string", "the level that the history is judged at"),
        Column("verdict", "string", "holds or violated, in the conflict reading"),
        Column("anomaly", "string", "the name of the shortest forbidden cycle"),
        Column("cycle", "array<string>", "the kinds of its edges, from a first anti-dependency on"),
        Column("promised", "boolean", "whether a table of the declared level promises this level"),
        Column("cause", "string", "statements and edges of the cycle; NULL where another has it"),
    ),
    partition_by=("profile", "level"),
)

REPLAYS = StoredTable(
    "replays",
    "a history that was replayed on an engine, and what was observed",
    (
        *_HISTORY,
        Column("engine", "string", "the engine"),
        _PROFILE,
        Column("place", "int", "the place of the history in the choice of its batch, from 0"),
        Column("lessons", "array<string>", "what the history shows of the rules, by the model"),
        Column("transactions", f"array<{ENDING_TYPE}>", "how each transaction ended on the engine"),
        Column("levels", "map<string, string>", "the verdicts on what was observed"),
        Column("rows", "int", "the number of rows of the table at the end"),
        Column("differences", "int", "the number of differences from the prediction"),
        Column("error", "string", "why the engine gave no result; NULL if it gave one"),
        Column("seconds", "double", "the duration of the replay"),
    ),
    partition_by=("engine",),
)

DIFFERENCES = StoredTable(
    "differences",
    "a difference between the prediction for a history and its replay",
    (
        *_HISTORY,
        Column("engine", "string", "the engine"),
        _PROFILE,
        Column("transaction", "string", "the transaction concerned, or the table"),
        Column("what", "string", "what differs: outcome, commit version, final rows and so on"),
        Column("predicted", "string", "what the profile predicts"),
        Column("observed", "string", "what the engine did"),
        Column("class", "string", "what the difference means, from the verdict on the replay"),
        Column("cause", "string", "the cause, as findings name it"),
    ),
    cluster_by=("cause",),
)

FINDINGS = StoredTable(
    "findings",
    "a cause of violations or differences, in the simplest history that shows it",
    (
        *_HISTORY,
        Column("kind", "string", "level-violation, documented or difference"),
        Column("cause", "string", "its name: rule, shape of the cycle, statement kinds"),
        _PROFILE,
        Column("engine", "string", "the engine; NULL for what the model alone shows"),
        Column("level", "string", "the level that is violated"),
        Column("table_level", "string", "the level that the table declares"),
        Column("anomaly", "string", "the name of the cycle"),
        Column("cycle", "array<string>", "the kinds of the edges of the cycle"),
        Column("rule", "string", "the rule that decided, or that let the history through"),
        Column("statements", "array<string>", "the kinds of the statements, sorted"),
        Column("count", "bigint", "how many histories of the batch have the cause"),
        Column("title", "string", "the finding in one line"),
        Column("minimal", "boolean", "whether the scenario was made as small as it gets"),
        Column("scenario", "string", "the scenario file"),
    ),
    cluster_by=("cause",),
)

COVERAGE = StoredTable(
    "coverage",
    "something that a campaign can reach, and how often a batch did; 0 where it never has",
    (
        *_RUN,
        _PROFILE,
        Column(
            "kind",
            "string",
            "what is counted: rule, pair, branch, anomaly and so on",
        ),
        Column("what", "string", "its name"),
        Column("count", "bigint", "how many predicted histories of the batch reached it"),
    ),
    cluster_by=("kind", "what"),
)

RUNS = StoredTable(
    "runs",
    "the start of a run (batch -1) or the end of one of its batches",
    (
        *_RUN,
        Column("definition", "string", "a digest of everything that decides what the run does"),
        Column("version", "string", "the version of isodelta"),
        Column("seed", "bigint", "the seed of the random stream"),
        Column("position", "bigint", "the first position of the batch in the stream"),
        Column("positions", "int", "the number of positions of the batch"),
        _PROFILE,
        Column("profiles", "array<string>", "all profiles that predict, the run's own first"),
        Column("engine", "string", "the engine; NULL without one"),
        Column("wanted", "bigint", "the schedules to predict in all; NULL for no bound"),
        Column("schedules", "bigint", "the schedules of the batch"),
        Column("histories", "bigint", "the histories of the batch"),
        Column("replays", "bigint", "the replays of the batch"),
        Column("differences", "bigint", "the replays of the batch that differ"),
        Column("violations", "bigint", "histories of the batch that break a promised level"),
        Column("complete", "boolean", "whether the run ends with this batch"),
        Column("started", "timestamp", "when the batch began"),
        Column("seconds", "double", "the duration of the batch"),
    ),
)

TABLES = {
    table.name: table
    for table in (
        HISTORIES,
        PREDICTIONS,
        VERDICTS,
        REPLAYS,
        DIFFERENCES,
        FINDINGS,
        COVERAGE,
        RUNS,
    )
}
