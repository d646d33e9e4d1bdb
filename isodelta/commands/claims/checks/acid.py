"""Several writers, several tables and several engines: claims and checks."""

from __future__ import annotations

import time

from isodelta.commands.claims.bench import CONFLICT, Bench, story
from isodelta.commands.claims.checks.files_and_log import INSERT, ROWS, UPDATE, read_by_spark, run
from isodelta.commands.claims.claim import Claim, Kind, decides
from isodelta.commands.claims.results import CannotRun, Result, conclude
from model.outcomes import CONFLICT_NAMES
from model.scenario import TableSpec

OTHER = {
    "s": TableSpec({"k": "int", "p": "int", "v": "int"}, setup=("INSERT INTO s VALUES (5, 5, 5)",))
}


@decides(
    Claim(
        15,
        "AB",
        "Several writers on several clusters may change one partition at a time; each sees a "
        "consistent snapshot, and the writes get a serial order.",
        Kind.REPLAY,
    ),
)
def one_partition(bench: Bench) -> Result:
    """Three writers of one partition on one snapshot; those that commit get versions in order."""
    scenario = story(
        "three writers of one partition",
        "begin A, begin B, begin C, commit A, commit B, commit C",
        {
            "A": "INSERT INTO t VALUES (7, 1, 70)",
            "B": "INSERT INTO t VALUES (8, 1, 80)",
            "C": "DELETE FROM t WHERE p = 1",
        },
        partition_by=("p",),
    )
    return conclude(
        [bench.expect(scenario, {"A": "committed", "B": "committed", "C": CONFLICT},
                      {"Serializable": "holds"})]
    )  # fmt: skip


@decides(
    Claim(
        16,
        "AB",
        "A reader keeps the snapshot that its job began with, whatever is written meanwhile.",
        Kind.REPLAY,
    ),
)
def readers_keep_snapshots(bench: Bench) -> Result:
    """A query that was planned before a DELETE and an INSERT, and ends after them."""
    scenario = story(
        "a reader that outlasts two writers",
        "begin R, A, B, commit R",
        {"R": "SELECT k, p, v FROM t", "A": "DELETE FROM t", "B": INSERT},
    )
    seen = bench.play(scenario)
    rows = sorted(seen.read["R"])
    return conclude([seen.shows(f"it returned {rows}, the rows it began with", rows == ROWS)])


@decides(
    Claim(18, "C", "A transaction applies to one table.", Kind.EXPERIMENT),
)
def one_table(bench: Bench) -> Result:
    """A statement that names two tables, and the logs that it writes to."""
    scenario = story(
        "an INSERT from one table into another",
        "",
        {"A": "INSERT INTO t SELECT k, p, v FROM s"},
        tables=OTHER,
    )
    with bench.opened(scenario) as table:
        before = {name: len(table.log(name)) for name in ("t", "s")}
        run(table, "A")
        new = {name: len(table.log(name)) - count for name, count in before.items()}
    return conclude([bench.fact(f"new log entries: {new}", new == {"t": 1, "s": 0}, scenario)])


@decides(
    Claim(19, "C", "Reads and writes take no locks, so there are no deadlocks.", Kind.EXPERIMENT),
)
def no_locks(bench: Bench) -> Result:
    """Two writers, each held after reading what the other writes, and a third that passes."""
    scenario = story(
        "writers that would wait for each other if there were locks",
        "",
        {
            "A": "INSERT INTO t SELECT k, p, v FROM s",
            "B": "INSERT INTO s SELECT k, p, v FROM t",
            "C": UPDATE,
            "R": "SELECT count(*) FROM t",
        },
        tables=OTHER,
    )
    with bench.opened(scenario) as table:
        table.begin("A")
        table.begin("B")
        started = time.monotonic()
        passed = {name: run(table, name) for name in ("C", "R")}
        seconds = time.monotonic() - started
        table.commit("B")
        grown = len(table.log("s"))
        ended = table.commit("A").outcome
    return conclude(
        [
            bench.fact(f"an UPDATE and a reader passed two held writers in {seconds:.1f} s: "
                       f"{', '.join(passed.values())}",
                       passed == {"C": "committed", "R": "read"}),
            bench.fact(f"each of the two had read the table that the other one wrote: one made "
                       f"version {grown - 1} of s, the other {ended}",
                       grown == 3 and ended == "committed"),
        ]
    )  # fmt: skip


@decides(
    Claim(
        20,
        "C",
        "A read of several tables takes the newest version of each at the time of access, and "
        "holds up no transaction that changes them.",
        Kind.EXPERIMENT,
    ),
)
def several_tables_read(bench: Bench) -> Result:
    """A query over two tables, begun at some moment; both change before it ends."""
    text = "SELECT 't', k FROM t UNION ALL SELECT 's', k FROM s"
    scenario = story(
        "a reader of two tables",
        "",
        {"before": "INSERT INTO s VALUES (6, 6, 6)", "R": text, "A": INSERT,
         "B": "DELETE FROM s"},
        tables=OTHER,
    )  # fmt: skip
    with bench.opened(scenario) as table:
        run(table, "before")
        table.begin("R")
        ended = [run(table, name) for name in ("A", "B")]
        left = len(table.rows(table="s"))
        rows = sorted(table.commit("R").rows or ())
    newest = [("s", 5), ("s", 6), ("t", 1), ("t", 2)]
    return conclude(
        [
            bench.fact(f"it read {rows}: the newest version of each at its begin", rows == newest),
            bench.fact(f"the writers beside it were not held up: {ended[0]}, and s has "
                       f"{left} rows", ended[0] == "committed" and left == 0),
        ]
    )  # fmt: skip


@decides(
    Claim(
        21,
        "C",
        "There is no BEGIN/END that makes one transaction of several operations; an application "
        "commits to one table after the other.",
        Kind.EXPERIMENT,
    ),
    Claim(32, "C", "There are no transactions over several tables.", Kind.EXPERIMENT),
)
def no_transaction_over_tables(bench: Bench) -> Result:
    """Transaction control is refused; a script of two statements commits one after the other."""
    script = (
        "BEGIN INSERT INTO t VALUES (9, 9, 90); INSERT INTO s VALUES (9, 9, 90); "
        "SELECT raise_error('stop'); END"
    )
    words = ("START TRANSACTION", "BEGIN TRANSACTION", "COMMIT")
    scenario = story(
        "transaction control, and a script that fails at its end",
        "",
        {**{f"W{i}": word for i, word in enumerate(words)}, "script": script},
        tables=OTHER,
    )
    evidence = []
    with bench.opened(scenario) as table:
        for i, word in enumerate(words):
            outcome = run(table, f"W{i}")
            evidence.append(
                bench.fact(f"{word}: {outcome}", outcome not in ("committed", "no commit", "read"))
            )
        session = bench.spark.process.session.newSession()
        place = table.folder
        error = ""
        try:
            session.sql(script.replace("INTO t", f"INTO delta.`{place / 't'}`")
                        .replace("INTO s", f"INTO delta.`{place / 's'}`")).collect()  # fmt: skip
        except Exception as raised:  # noqa: BLE001 - the script is meant to fail
            error = type(raised).__name__
        rows = {name: len(read_by_spark(bench, table, name)) for name in ("t", "s")}
    evidence.append(
        bench.fact(
            f"a BEGIN/END script of two INSERTs that fails at its end ({error}) leaves "
            f"{rows['t'] - 2} new row in t and {rows['s'] - 1} in s: nothing is taken back",
            bool(error) and rows == {"t": 3, "s": 2},
        )
    )
    return conclude(evidence)


@decides(
    Claim(
        30,
        "C",
        "Without a conflict the changes become a new version; with one the write fails with an "
        "exception on concurrent modification.",
        Kind.REPLAY,
    ),
)
def conflict_or_version(bench: Bench) -> Result:
    """The same current transaction after a conflicting winner, and after another one."""
    clear = story(
        "an UPDATE, and a writer of another partition",
        "begin A, B, commit A",
        {"A": "UPDATE t SET v = 0 WHERE p = 1", "B": "DELETE FROM t WHERE p = 2"},
        partition_by=("p",),
    )
    blocked = story(
        "an UPDATE, and a writer of the same partition",
        "begin A, B, commit A",
        {"A": "UPDATE t SET v = 0 WHERE p = 1", "B": "DELETE FROM t WHERE p = 1"},
        partition_by=("p",),
    )
    return conclude(
        [bench.expect(clear, {"A": "committed"}), bench.expect(blocked, {"A": CONFLICT})]
    )


@decides(
    Claim(33, "C", "Primary and foreign keys inform and are not enforced.", Kind.EXPERIMENT),
)
def keys_not_enforced(bench: Bench) -> Result:
    """Declares a primary key and inserts its value twice, if the engine allows it."""
    scenario = story(
        "a primary key",
        "",
        {"key": "ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (k)", "again": "INSERT INTO t "
         "VALUES (1, 1, 10)"},
    )  # fmt: skip
    with bench.opened(scenario) as table:
        declared = run(table, "key")
        twice = run(table, "again")
        rows = read_by_spark(bench, table)
    if declared not in ("committed", "no commit"):
        model = bench.model(story("a value twice", "again", {"again": scenario.transactions[
            "again"]}), bench.rules)  # fmt: skip
        return conclude(
            [model.shows("a table without keys takes a value twice", len(model.rows) == 3)],
            lacks=f"primary keys for Delta tables (ALTER TABLE: {declared})",
        )
    return conclude(
        [bench.fact(f"PRIMARY KEY {declared}, a second row with its value {twice}: {rows}",
                    twice == "committed")]
    )  # fmt: skip


@decides(
    Claim(
        34,
        "C",
        "One table may be changed from several workspaces at a time, and readers elsewhere keep a "
        "consistent view.",
        Kind.EXPERIMENT,
    ),
)
def two_engines(bench: Bench) -> Result:
    """A second implementation, in another process, writes and reads beside a held writer."""
    from deltalake import DeltaTable, write_deltalake

    scenario = story("a held INSERT, and another engine on the same table", "", {"A": INSERT})
    with bench.opened(scenario) as table:
        place = str(table.folder / "t")
        table.begin("A")
        shown = DeltaTable(place).to_pyarrow_table()
        write_deltalake(place, shown.slice(0, 1), mode="append")
        between = DeltaTable(place).to_pyarrow_table().num_rows
        ended = table.commit("A").outcome
        after = DeltaTable(place).to_pyarrow_table().num_rows
        rows = read_by_spark(bench, table)
    return conclude(
        [
            bench.fact(f"delta-rs saw {shown.num_rows} rows beside the held INSERT, and "
                       f"{between} after its own append", shown.num_rows == 2 and between == 3),
            bench.fact(f"the INSERT then {ended}; both engines read {after} and {len(rows)} rows",
                       ended == "committed" and after == len(rows) == 4),
        ]
    )  # fmt: skip


@decides(
    Claim(35, "C", "A write may begin at any time.", Kind.EXPERIMENT),
)
def begins_at_any_time(bench: Bench) -> Result:
    """Writers begin while others are held, one of them before a commit, one after it."""
    scenario = story(
        "writers that begin while another is held",
        "",
        {"A": UPDATE, "B": INSERT, "C": "INSERT INTO t VALUES (8, 8, 80)"},
    )
    with bench.opened(scenario) as table:
        table.begin("A")
        versions = [table.begin("B").read_version]
        ended = [table.commit("B").outcome]
        versions.append(table.begin("C").read_version)
        ended += [table.commit("C").outcome, table.commit("A").outcome]
    return conclude(
        [bench.fact(f"beside a held UPDATE two INSERTs began at versions {versions[0]} and "
                    f"{versions[1]} and {ended[0]}; the UPDATE ended in {ended[2]}",
                    ended[:2] == ["committed"] * 2 and ended[2] in (*CONFLICT_NAMES, "committed"))]
    )  # fmt: skip


@decides(
    Claim(
        37,
        "C",
        "Other data formats may not have these guarantees.",
        Kind.EXPERIMENT,
    ),
)
def parquet_has_no_snapshots(bench: Bench) -> Result:
    """A reader of a plain Parquet folder while it is overwritten."""
    session = bench.spark.process.session.newSession()
    place = bench.spark.process.folder / "plain-parquet"
    session.range(3).write.mode("overwrite").parquet(str(place))
    reader = session.read.parquet(str(place))
    reader._jdf.queryExecution().executedPlan()
    session.range(5).write.mode("overwrite").parquet(str(place))
    try:
        result = f"{len(reader.collect())} rows"
        isolated = result == "3 rows"
    except Exception as error:  # noqa: BLE001 - whatever it is, the reader lost its data
        result, isolated = f"an error ({type(error).__name__})", False
    if isolated:
        raise CannotRun("the reader of Parquet files kept its rows; this shows nothing")
    return conclude(
        [bench.fact(f"a reader of 3 rows in Parquet files, overwritten meanwhile, got {result}",
                    not isolated)]
    )  # fmt: skip
