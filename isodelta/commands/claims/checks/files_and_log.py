"""Data files, log entries, and writers that die between them: claims and checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from isodelta.commands.claims.bench import Bench, story
from isodelta.commands.claims.claim import Claim, Kind, decides
from isodelta.commands.claims.results import CannotRun, Result, conclude
from model.levels import SERIALIZABLE
from model.outcomes import CONFLICT_NAMES

if TYPE_CHECKING:
    from conformance.spark.replay import SparkReplay

ROWS = [(1, 1, 10), (2, 2, 20)]

INSERT = "INSERT INTO t VALUES (9, 9, 90)"
UPDATE = "UPDATE t SET v = v + 1"


def on_disk(table: SparkReplay) -> set[str]:
    """The data files in the folder of the table, tracked or not."""
    root = table.folder / "t"
    return {str(path.relative_to(root)) for path in root.rglob("*.parquet")
            if "_delta_log" not in path.parts}  # fmt: skip


def tracked(table: SparkReplay) -> set[str]:
    """The data files that are valid according to the log."""
    live: set[str] = set()
    for record in table.log():
        live -= {removed.path for removed in record.removes}
        live |= {added.path for added in record.adds}
    return live


def entries(table: SparkReplay) -> list[str]:
    """The names of the log's entries, in order."""
    return sorted(path.name for path in (table.folder / "t" / "_delta_log").glob("*.json"))


def read_by_spark(bench: Bench, table: SparkReplay, name: str = "t") -> list[tuple[object, ...]]:
    """The rows of a table as Spark itself reads them from its folder."""
    session = bench.spark.process.session
    frame = session.read.format("delta").load(str(table.folder / name))
    return sorted(tuple(row) for row in frame.collect())


def run(table: SparkReplay, name: str) -> str:
    """Runs one transaction from begin to end; returns its outcome."""
    table.begin(name)
    ended = table.commit(name)
    return ended.error_class or ended.outcome


@decides(
    Claim(17, "C", "A transaction succeeds as a whole or fails as a whole.", Kind.EXPERIMENT),
    Claim(
        25,
        "C",
        "Files of a transaction that failed after writing them neither harm the table nor become "
        "a part of it.",
        Kind.EXPERIMENT,
    ),
)
def killed_writer(bench: Bench) -> Result:
    """An INSERT, an UPDATE and a DELETE, each killed between its data files and its log entry."""
    scenario = story(
        "writers that die before their commit",
        "",
        {"insert": INSERT, "update": UPDATE, "delete": "DELETE FROM t WHERE k = 1",
         "later": "INSERT INTO t VALUES (5, 5, 50)"},
    )  # fmt: skip
    evidence = []
    with bench.opened(scenario) as table:
        for name in ("insert", "update", "delete"):
            files, log = on_disk(table), entries(table)
            table.begin(name)
            written = on_disk(table) - files
            table.abandon(name)
            left = on_disk(table) - files
            same = read_by_spark(bench, table) == ROWS and entries(table) == log
            evidence.append(
                bench.fact(
                    f"{name} of `{scenario.transactions[name]}` died after writing "
                    f"{len(written)} data files: {len(left)} of them are left, the log and all "
                    f"rows are {'as before' if same else 'changed'}",
                    same and bool(written) and not left & tracked(table),
                )
            )
        outcome = run(table, "later")
        rows = read_by_spark(bench, table)
        evidence.append(
            bench.fact(
                f"a later INSERT: {outcome}, and the table reads {len(rows)} rows",
                outcome == "committed" and rows == sorted([*ROWS, (5, 5, 50)]),
            )
        )
    return conclude(evidence)  # fmt: skip


@decides(
    Claim(
        22, "C", "MERGE puts inserts, updates and deletes into one transaction.", Kind.EXPERIMENT
    ),
)
def merge_is_one(bench: Bench) -> Result:
    """A MERGE that updates, deletes and inserts: how many versions it writes."""
    merge = (
        "MERGE INTO t USING (SELECT 1 AS k UNION ALL SELECT 2 UNION ALL SELECT 7) s ON t.k = s.k "
        "WHEN MATCHED AND t.k = 1 THEN UPDATE SET v = 0 WHEN MATCHED THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, 7, 70)"
    )
    scenario = story("a MERGE of three clauses", "", {"A": merge})
    with bench.opened(scenario) as table:
        before = len(entries(table))
        outcome = run(table, "A")
        new = len(entries(table)) - before
        rows = read_by_spark(bench, table)
    return conclude(
        [
            bench.fact(f"it {outcome} with {new} log entry", new == 1),
            bench.fact(f"the table has {rows} after it", rows == [(1, 1, 0), (7, 7, 70)]),
        ]
    )


@decides(
    Claim(
        23,
        "C",
        "A transaction writes its data files first, then one entry to the log, which makes the "
        "version one higher and the files visible.",
        Kind.EXPERIMENT,
    ),
    Claim(
        28,
        "C",
        "A write goes through three stages: it reads, it writes files, it validates and commits.",
        Kind.EXPERIMENT,
    ),
)
def files_then_log(bench: Bench) -> Result:
    """The files on disk while a writer is held before its commit, and after it."""
    scenario = story(
        "an UPDATE, looked at before and after its commit", "", {"A": UPDATE, "B": UPDATE}
    )
    with bench.opened(scenario) as table:
        files, log, version = on_disk(table), entries(table), table.log()[-1].version
        begun = table.begin("A")
        written = on_disk(table) - files
        held = entries(table) == log
        reads = len(begun.footprint.files) if begun.footprint else 0
        table.begin("B")
        outcome = table.commit("A").outcome
        record = table.log()[-1]
        new = len(entries(table)) - len(log)
        added = {add.path for add in record.adds}
        refused = table.commit("B").outcome
    return conclude(
        [
            bench.fact(f"read: {reads} file of version {begun.read_version}", reads == 1),
            bench.fact(f"write: {len(written)} data file on disk, "
                       f"{'no log entry yet' if held else 'a log entry already'}",
                       held and len(written) == 1),
            bench.fact(f"commit: {outcome}, {new} log entry, "
                       f"version {version} to {record.version}, naming the file written before",
                       record.version == version + 1 and new == 1 and added == written),
            bench.fact(f"validate: another UPDATE of that snapshot ends in {refused}",
                       refused in CONFLICT_NAMES),
        ]
    )  # fmt: skip


@decides(
    Claim(
        24,
        "C",
        "The table is what the log says: the files that are valid there, and no others.",
        Kind.EXPERIMENT,
    ),
)
def log_says_what_counts(bench: Bench) -> Result:
    """A data file copied into the folder, and one that a DELETE took out of the log."""
    scenario = story("files that the log does not name", "", {"A": "DELETE FROM t WHERE k = 1"})
    with bench.opened(scenario) as table:
        root = table.folder / "t"
        first = next(iter(tracked(table)))
        (root / "stray.parquet").write_bytes((root / first).read_bytes())
        before = read_by_spark(bench, table)
        run(table, "A")
        after = read_by_spark(bench, table)
        there = (root / first).exists()
    return conclude(
        [
            bench.fact(f"with a stray copy of a data file in the folder: {before}",
                       before == ROWS),
            bench.fact(f"after a DELETE whose old file is {'still there' if there else 'gone'}: "
                       f"{after}", after == ROWS[1:] and there),
        ]
    )  # fmt: skip


@decides(
    Claim(
        26,
        "C",
        "VACUUM removes files that the log does not track, leftovers of failed transactions too.",
        Kind.EXPERIMENT,
    ),
)
def vacuum(bench: Bench) -> Result:
    """VACUUM after a writer died and another one replaced a file."""
    scenario = story("files for VACUUM", "", {"dies": INSERT, "A": UPDATE})
    with bench.opened(scenario) as table:
        files = on_disk(table)
        table.begin("dies")
        table.abandon("dies")
        left = on_disk(table) - files
        run(table, "A")
        live = tracked(table)
        session = bench.spark.process.session.newSession()
        session.sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false")
        session.sql(f"VACUUM delta.`{table.folder / 't'}` RETAIN 0 HOURS").collect()
        remaining = on_disk(table)
        rows = read_by_spark(bench, table)
    return conclude(
        [
            bench.fact(f"the dead writer left {len(left)} file; after VACUUM "
                       f"{len(left & remaining)} of it is there",
                       bool(left) and not left & remaining),
            bench.fact(f"{len(remaining - live)} untracked files are left, "
                       f"{len(live - remaining)} tracked ones are missing", remaining == live),
            bench.fact(f"the table still reads {rows}", rows == [(1, 1, 11), (2, 2, 21)]),
        ]
    )  # fmt: skip


@decides(
    Claim(
        29,
        "C",
        "An append does not read the table's state; its schema is checked against the metadata "
        "in the log.",
        Kind.EXPERIMENT,
    ),
)
def appends_read_nothing(bench: Bench) -> Result:
    """The reads that an append records, and the outcome of an INSERT of another shape."""
    scenario = story(
        "an append, and two that do not fit the schema",
        "",
        {"A": INSERT, "wide": "INSERT INTO t VALUES (1, 2, 3, 4)",
         "wrong": "INSERT INTO t (k, nothing) VALUES (1, 2)"},
    )  # fmt: skip
    with bench.opened(scenario) as table:
        footprint = table.begin("A").footprint
        if footprint is None:
            raise CannotRun("the engine showed no footprint")
        read = len(footprint.predicates) + len(footprint.files)
        table.commit("A")
        blind = table.log()[-1].is_blind_append
        errors = {name: run(table, name) for name in ("wide", "wrong")}
        version = table.log()[-1].version
    refused = all(outcome != "committed" for outcome in errors.values())
    return conclude(
        [
            bench.fact(f"an INSERT of VALUES noted {read} reads; its commit says "
                       f"isBlindAppend {str(blind).lower()}", read == 0 and blind is True),
            bench.fact(f"INSERTs of another shape: {', '.join(errors.values())}",
                       refused and version == 2),
        ]
    )  # fmt: skip


@decides(
    Claim(
        31,
        "C",
        "Writes of several clusters may conflict and never corrupt the table.",
        Kind.EXPERIMENT,
    ),
)
def conflicts_corrupt_nothing(bench: Bench) -> Result:
    """Rounds of writers that overlap: the log stays whole, the rows are those of the winners."""
    texts = {f"{who}{turn}": text for turn in range(3) for who, text in
             (("A", UPDATE), ("B", "DELETE FROM t WHERE v > 1000"),
              ("C", f"INSERT INTO t VALUES ({turn + 5}, 0, 0)"), ("D", UPDATE))}  # fmt: skip
    scenario = story("overlapping writers, round after round", "", texts, level=SERIALIZABLE)
    failed, updates, inserts = 0, 0, 0
    with bench.opened(scenario) as table:
        for turn in range(3):
            names = [f"{who}{turn}" for who in "ABCD"]
            for name in names:
                table.begin(name)
            for name in names:
                outcome = table.commit(name).outcome
                failed += outcome in CONFLICT_NAMES
                updates += outcome == "committed" and name[0] in "AD"
                inserts += outcome == "committed" and name[0] == "C"
        versions = [record.version for record in table.log()]
        rows = read_by_spark(bench, table)
        missing = [p for p in tracked(table) if not (table.folder / "t" / p).exists()]
        other = _read_by_delta_rs(table.folder / "t")
    whole = versions == list(range(len(versions))) and not missing
    first = next(row for row in rows if row[0] == 1)
    return conclude(
        [
            bench.fact(f"{failed} of {len(texts)} writers failed with a conflict", failed > 0),
            bench.fact(f"versions {versions[0]} to {versions[-1]} without a gap, "
                       f"{len(missing)} data files missing", whole),
            bench.fact(f"row 1 was raised {updates} times and is at {first[2]}; "
                       f"{inserts} INSERTs left {len(rows) - 2} rows",
                       first[2] == 10 + updates and len(rows) == 2 + inserts),
            bench.fact("delta-rs reads the same rows", other == rows),
        ]
    )  # fmt: skip


def _read_by_delta_rs(folder: Path) -> list[tuple[object, ...]]:
    from deltalake import DeltaTable

    table = DeltaTable(str(folder)).to_pyarrow_table()
    return sorted(tuple(row.values()) for row in table.to_pylist())
