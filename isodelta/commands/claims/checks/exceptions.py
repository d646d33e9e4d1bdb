"""The exception that a conflict raises: claims and checks."""

from __future__ import annotations

from isodelta.commands.claims.bench import CONFLICT, NO_CONFLICT, Bench, story
from isodelta.commands.claims.checks.files_and_log import run
from isodelta.commands.claims.checks.isolation import ENGINE_RULES, LAYOUTS, WS, S
from isodelta.commands.claims.claim import Claim, Kind, decides
from isodelta.commands.claims.results import Evidence, Result, conclude
from model.scenario import Scenario

APPEND = "ConcurrentAppend"


def _crossing(
    name: str, current: str, winner: str, level: str = WS, partitioned: bool = True,
    setup: tuple[str, ...] = ("INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)",),
) -> Scenario:  # fmt: skip
    return story(
        f"{name}, at {level}",
        "begin current, winner, commit current",
        {"current": current, "winner": winner},
        partition_by=("p",) if partitioned else (),
        level=level,
        setup=setup,
    )


@decides(
    Claim(
        86,
        "A",
        "ConcurrentAppendException: a concurrent operation added files to a partition that is "
        "read, or anywhere in a table without partitions.",
        Kind.REPLAY,
    ),
)
def concurrent_append(bench: Bench) -> Result:
    """Files added in the partition that is read, in another one, and without partitions."""
    current = "UPDATE t SET v = 0 WHERE p = 1 AND v = 20"
    by = {
        "an INSERT": ("INSERT INTO t VALUES (9, 1, 0)", S),
        "a DELETE": ("DELETE FROM t WHERE p = 1 AND v = 10", WS),
        "an UPDATE": ("UPDATE t SET v = 1 WHERE p = 1 AND v = 10", WS),
    }
    two = ("INSERT INTO t VALUES (1, 1, 10), (2, 1, 20)", "INSERT INTO t VALUES (3, 2, 30)")
    evidence = [
        bench.expect(_crossing(f"an UPDATE, and {name} in its partition", current, winner, level,
                               setup=two), {"current": APPEND})
        for name, (winner, level) in by.items()
    ]  # fmt: skip
    elsewhere = "UPDATE t SET v = 1 WHERE p = 2"
    apart = _crossing("an UPDATE, and one of another partition", current, elsewhere, setup=two)
    whole = _crossing(
        "an UPDATE, and one of other rows without partitions",
        current,
        elsewhere,
        partitioned=False,
        setup=two,
    )
    evidence.append(bench.expect(apart, {"current": NO_CONFLICT}))
    evidence.append(bench.expect(whole, {"current": APPEND}))
    return conclude(evidence)


@decides(
    Claim(
        87,
        "A",
        "At WriteSerializable a blind INSERT never causes it; at Serializable it may.",
        Kind.SEARCH,
    ),
)
def blind_inserts(bench: Bench) -> Result:
    """All overlaps with a blind INSERT as winner; then a MERGE that changes the schema as well."""
    evidence = []
    for layout in LAYOUTS:
        coverage = bench.search(ENGINE_RULES, layout, WS).coverage
        hit = sum(n for (name, _, winner), n in coverage.conflicts.items() if winner == "INSERT")
        tried = sum(n for (_, winner), n in coverage.pairs.items() if winner == "INSERT")
        text = f"{layout}: {hit} conflicts in {tried} overlaps with a blind INSERT"
        evidence.append(Evidence(text, hit == 0, f"search, {ENGINE_RULES}"))
    for name, current in {
        "a DELETE": "DELETE FROM t WHERE p = 1",
        "an UPDATE": "UPDATE t SET v = 0",
        "an INSERT that reads": "INSERT INTO t SELECT k, 3, v FROM t WHERE p = 1",
    }.items():
        winner = "INSERT INTO t VALUES (9, 1, 90)"
        for level, wanted in ((WS, NO_CONFLICT), (S, APPEND)):
            scenario = _crossing(f"{name} against a blind INSERT", current, winner, level)
            evidence.append(bench.expect(scenario, {"current": wanted}))
    if bench.real:
        evolving = _crossing(
            "a MERGE that adds a column against a blind INSERT",
            "MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 AS k, 1 AS p, 5 AS v, 7 AS w) s "
            "ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            "INSERT INTO t VALUES (9, 1, 90)",
            partitioned=False,
        )
        evidence.append(bench.expect(evolving, {"current": NO_CONFLICT}))
    return conclude(evidence)


@decides(
    Claim(
        88,
        "D",
        "At WriteSerializable (2020) it comes only from files that were rewritten in a partition "
        "that is read.",
        Kind.REPLAY,
    ),
)
def rewritten_files_only(bench: Bench) -> Result:
    """At WriteSerializable: a winner that rewrote files, and one that read and appended."""
    current = "UPDATE t SET v = 0 WHERE p = 1"
    return conclude(
        [
            bench.expect(_crossing("an UPDATE against one of other rows of its partition",
                                   f"{current} AND v > 50",
                                   "UPDATE t SET v = 1 WHERE p = 1 AND v = 10"),
                         {"current": CONFLICT}),
            bench.expect(_crossing("an UPDATE against a blind INSERT into its partition", current,
                                   "INSERT INTO t VALUES (9, 1, 0)"), {"current": NO_CONFLICT}),
            bench.expect(_crossing("an UPDATE against an INSERT into its partition that reads, "
                                   "and rewrites nothing", current,
                                   "INSERT INTO t SELECT k, 1, v FROM t WHERE p = 2"),
                         {"current": NO_CONFLICT}),
        ]
    )  # fmt: skip


@decides(
    Claim(
        89,
        "AD",
        "A MERGE that leaves the partition to its join conflicts with writers of other "
        "partitions; one that names the partition's values does not.",
        Kind.REPLAY,
    ),
)
def partitions_of_merge(bench: Bench) -> Result:
    """The documents' MERGE for one date and country, while another date is written."""
    evidence = []
    source = "(SELECT 1 AS user_id, DATE'2020-01-01' AS date, 'DE' AS country, 5 AS v)"
    clauses = "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
    joined = "s.user_id = t.user_id AND s.date = t.date AND s.country = t.country"
    named = f"{joined} AND t.date = DATE'2020-01-01' AND t.country = 'DE'"
    for name, on, wanted in (
        ("a MERGE that joins on date and country", joined, CONFLICT),
        ("a MERGE that names its date and country", named, NO_CONFLICT),
    ):
        scenario = story(
            f"{name}, while another date is updated",
            "begin current, winner, commit current",
            {
                "current": f"MERGE INTO t USING {source} s ON {on} {clauses}",
                "winner": "UPDATE t SET v = 0 WHERE date = DATE'2020-02-02' AND country = 'FR'",
            },
            columns={"user_id": "int", "date": "date", "country": "string", "v": "int"},
            partition_by=("date", "country"),
            setup=("INSERT INTO t VALUES (1, DATE'2020-01-01', 'DE', 1), "
                   "(2, DATE'2020-02-02', 'FR', 2)",),
            level=WS,
        )  # fmt: skip
        evidence.append(bench.expect(scenario, {"current": wanted}))
    return conclude(evidence)


@decides(
    Claim(
        90,
        "AD",
        "ConcurrentDeleteReadException: a concurrent operation removed a file that was read.",
        Kind.REPLAY,
    ),
)
def delete_read(bench: Bench) -> Result:
    """A winner that removes the file which was read, and adds none."""
    current = "INSERT INTO t SELECT k, 3, v FROM t WHERE p = 1"
    return conclude(
        [bench.expect(_crossing("an INSERT that read a partition that a DELETE removes", current,
                                "DELETE FROM t WHERE p = 1", level),
                      {"current": "ConcurrentDeleteRead"}) for level in (S, WS)]
    )  # fmt: skip


@decides(
    Claim(
        91,
        "AD",
        "ConcurrentDeleteDeleteException: both remove one file, as two compactions may.",
        Kind.REPLAY,
    ),
)
def delete_delete(bench: Bench) -> Result:
    """The documents' own example of it: two compactions of the same files."""
    files = ("INSERT INTO t VALUES (1, 1, 10)", "INSERT INTO t VALUES (2, 1, 20)")
    return conclude(
        [bench.expect(_crossing("two compactions of the same files", "OPTIMIZE t", "OPTIMIZE t",
                                level, setup=files), {"current": "ConcurrentDeleteDelete"})
         for level in (S, WS)]
    )  # fmt: skip


@decides(
    Claim(
        93,
        "AD",
        "ConcurrentTransactionException: two writers share one checkpoint.",
        Kind.EXPERIMENT,
    ),
)
def one_checkpoint(bench: Bench) -> Result:
    """Two writers under one application id, which is what a stream's checkpoint gives them."""
    write = (
        "SET spark.databricks.delta.write.txnAppId = {app}; "
        "SET spark.databricks.delta.write.txnVersion = {version}; INSERT INTO t VALUES (9, 9, 9)"
    )
    evidence = []
    for name, apps, wanted in (
        ("one application", ("one", "one"), "ConcurrentTransaction"),
        ("two applications", ("one", "two"), "committed"),
    ):
        scenario = story(
            f"two writers of {name}",
            "begin current, begin winner, commit winner, commit current",
            {
                "current": write.format(app=apps[0], version=1),
                "winner": write.format(app=apps[1], version=2),
            },
        )
        if not bench.real:
            evidence.append(bench.expect(scenario, {"current": wanted}))
            continue
        with bench.opened(scenario) as table:
            table.begin("current")
            run(table, "winner")
            ended = table.commit("current").outcome
        evidence.append(bench.fact(f"{scenario.name}: {ended}", ended == wanted, scenario))
    return conclude(evidence)
