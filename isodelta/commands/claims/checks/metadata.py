"""REORG, changes of metadata and protocol, tables that are created: claims and checks."""

from __future__ import annotations

from typing import Any

from isodelta.commands.claims.bench import VECTORS, Bench, story
from isodelta.commands.claims.checks.files_and_log import INSERT, UPDATE, run
from isodelta.commands.claims.claim import Claim, Kind, decides
from isodelta.commands.claims.results import CannotRun, Evidence, Result, conclude
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.outcomes import CONFLICT_NAMES
from model.scenario import Scenario

PROPERTY = "ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 60 days')"
COLUMN = "ALTER TABLE t ADD COLUMNS (w STRING)"
TWO_FILES = ("INSERT INTO t VALUES (1, 1, 10)", "INSERT INTO t VALUES (2, 2, 20)")
ENABLE_VECTORS = "ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = true)"
PROTOCOL_RACE = {"winner": "committed", "current": "ProtocolChanged"}
"""The second of two transactions that make a table fails with ProtocolChanged."""
UNIFORM = "REORG TABLE t APPLY (UPGRADE UNIFORM(ICEBERG_COMPAT_VERSION=2))"
UPGRADES = {
    "deletion vectors are enabled": ENABLE_VECTORS,
    "the writer version is raised": "ALTER TABLE t SET TBLPROPERTIES "
    "('delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '4')",
    "clustering is added": "ALTER TABLE t CLUSTER BY (k)",
    "the feature of identity columns is added": "ALTER TABLE t SET TBLPROPERTIES "
    "('delta.feature.identityColumns' = 'supported')",
}


def in_flight(bench: Bench, name: str, current: str, winner: str, **table: Any) -> tuple[str, str]:
    """Runs ``winner`` while ``current`` is held before its commit; returns both outcomes."""
    scenario = story(name, "", {"current": current, "winner": winner}, **table)
    with bench.opened(scenario) as opened:
        opened.begin("current")
        first = run(opened, "winner")
        ended = opened.commit("current")
    return ended.error_class if ended.outcome == "failed" and ended.error_class else (
        ended.outcome
    ), first


def _crossing(current: str, winner: str, vectors: bool = True) -> Scenario:
    """Two statements on a table of two files, one of which has lost a row to a vector."""
    return story(
        f"{current} while {winner} commits",
        "",
        {"current": current, "winner": winner},
        setup=(
            "INSERT INTO t VALUES (1, 1, 10), (2, 1, 20)",
            "INSERT INTO t VALUES (3, 1, 30), (4, 1, 40)",
            "DELETE FROM t WHERE k = 1",
            "DELETE FROM t WHERE k = 3",
        ),
        properties=VECTORS if vectors else None,
    )


@decides(
    Claim(
        59,
        "B",
        "REORG that applies deletion vectors has the isolation semantics of OPTIMIZE.",
        Kind.EXPERIMENT,
    ),
)
def reorg_like_optimize(bench: Bench) -> Result:
    """REORG PURGE and OPTIMIZE in each other's place, against the same statements."""
    evidence = []
    reorg, optimize = "REORG TABLE t APPLY (PURGE)", "OPTIMIZE t"
    others = (INSERT, "DELETE FROM t WHERE k = 2", "UPDATE t SET v = 0 WHERE k = 2",
              "INSERT INTO t SELECT k, 2, v FROM t")  # fmt: skip
    for other in others:
        for current_place in (True, False):
            ends = []
            for compaction in (reorg, optimize):
                pair = (compaction, other) if current_place else (other, compaction)
                with bench.opened(_crossing(*pair)) as table:
                    table.begin("current")
                    run(table, "winner")
                    ends.append(table.commit("current").outcome)
            place = "current" if current_place else "winner"
            evidence.append(
                bench.fact(
                    f"as {place} with `{other}`: REORG gives {ends[0]}, OPTIMIZE {ends[1]}",
                    ends[0] == ends[1],
                )
            )
    return conclude(evidence)


@decides(
    Claim(
        60,
        "B",
        "REORG that upgrades changes the protocol, and conflicts with every operation in flight.",
        Kind.EXPERIMENT,
    ),
)
def reorg_upgrade(bench: Bench) -> Result:
    """REORG to UniForm against writers in flight, if the engine can do it."""
    evidence = []
    for current in (INSERT, UPDATE, "OPTIMIZE t"):
        scenario = story(f"{current} while REORG upgrades the table", "", {"current": current},
                         setup=TWO_FILES)  # fmt: skip
        with bench.opened(scenario) as table:
            before = len(table.log())
            table.begin("current")
            # It writes several versions, which a replay's steps would report as an error.
            session = bench.spark.process.session.newSession()
            try:
                session.sql(UNIFORM.replace("TABLE t", f"TABLE delta.`{table.folder / 't'}`"))
            except Exception as error:  # noqa: BLE001 - the engine may lack the Iceberg part
                return _upgrade_in_the_model(bench, type(error).__name__)
            new = len(table.log()) - before
            ended = table.commit("current").outcome
        text = f"`{current}` in flight, while REORG wrote {new} versions, ended in {ended}"
        evidence.append(bench.fact(text, ended in CONFLICT_NAMES and new > 0))
    return conclude(evidence)


def _upgrade_in_the_model(bench: Bench, error: str) -> Result:
    from model.physical.footprint import Footprint, ProtocolChange
    from model.physical.log import Commit
    from model.profiles import profile
    from model.rules.base import Attempt
    from model.tables.table import table_from_spec

    rules = profile("databricks-14.3")
    scenario = story("a write in flight", "", {"A": INSERT})
    table = table_from_spec("t", scenario.table)
    upgrade = Footprint("REORG", protocol=ProtocolChange(frozenset({"icebergCompatV2"})))
    winner = Commit(2, "reorg", upgrade, 1, SERIALIZABLE)
    attempt = Attempt("A", Footprint("WRITE"), WRITE_SERIALIZABLE, table)
    conflict = rules.conflict(attempt, [winner])
    result = conflict.name if conflict else "no conflict"
    return conclude(
        [Evidence(f"a blind append in flight ends in {result}", conflict is not None,
                  f"model, {rules.name}")],
        lacks=f"REORG ... UPGRADE UNIFORM ({error})",
    )  # fmt: skip


@decides(
    Claim(
        92,
        "AD",
        "MetadataChangedException: a concurrent transaction changed the metadata, by ALTER TABLE "
        "or by a write that changes the schema.",
        Kind.EXPERIMENT,
    ),
)
def metadata_changed(bench: Bench) -> Result:
    """ALTER TABLE, and a write that adds a column, as winners."""
    evolving = (
        "MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 7 AS k, 1 AS p, 5 AS v, 7 AS w) s "
        "ON t.k = s.k WHEN NOT MATCHED THEN INSERT *"
    )
    evidence = []
    for name, winner in (("a property is set", PROPERTY), ("a column is added", COLUMN),
                         ("a MERGE changes the schema", evolving)):  # fmt: skip
        for current in (INSERT, UPDATE):
            ended, first = in_flight(bench, name, current, winner)
            evidence.append(
                bench.fact(
                    f"`{current}` while {name} ({first}): {ended}", ended == "MetadataChanged"
                )
            )
    return conclude(evidence)


@decides(
    Claim(
        94,
        "AD",
        "ProtocolChangedException can come when the table's protocol is upgraded.",
        Kind.EXPERIMENT,
    ),
)
def protocol_changed(bench: Bench) -> Result:
    """Upgrades of several kinds as winners: one that raises the exception is enough for "can"."""
    ends = {
        f"an INSERT while {name}": in_flight(bench, name, INSERT, winner)
        for name, winner in UPGRADES.items()
    }
    added = UPGRADES["clustering is added"]
    ends["an ALTER TABLE that upgrades while clustering is added"] = in_flight(
        bench, "two upgrades", ENABLE_VECTORS, added
    )
    text = "; ".join(
        f"{name}: {ended}" if first == "committed" else f"{name}: refused ({first})"
        for name, (ended, first) in ends.items()
    )
    raised = any(ended == "ProtocolChanged" for ended, _ in ends.values())
    return conclude([bench.fact(text, raised)])


@decides(
    Claim(
        95,
        "A",
        "It can come when several writers create or replace a table at a time.",
        Kind.REPLAY,
    ),
)
def created_at_once(bench: Bench) -> Result:
    """Two creations where there is no table raise it; where there is one, another is raised."""
    create, replace = "CREATE TABLE t (k int) USING delta", "CREATE OR REPLACE {} USING delta"
    evidence = [
        bench.expect(_race("two CREATE TABLE, no table yet", create), PROTOCOL_RACE),
        bench.expect(
            _race("two CREATE OR REPLACE TABLE, no table yet", replace.format("TABLE t (k int)")),
            PROTOCOL_RACE,
        ),
    ]
    there = "TABLE t (k int, p int, v int)"
    seen = bench.play(_race("two CREATE OR REPLACE TABLE", replace.format(there), absent=False))
    result = f"of a table that is there: {seen.ends}"
    return conclude([*evidence, seen.shows(result, seen.outcomes["current"] in CONFLICT_NAMES)])


@decides(
    Claim(
        96,
        "A",
        "It can come when several writers write to an empty path at a time.",
        Kind.REPLAY,
    ),
)
def empty_path(bench: Bench) -> Result:
    """Two writers whose first write makes the table, with rows."""
    write = "CREATE TABLE t USING delta AS SELECT * FROM VALUES (1, 1), (2, 2) AS x(k, p)"
    return conclude([bench.expect(_race("two first writes, no table yet", write), PROTOCOL_RACE)])


def _race(name: str, text: str, absent: bool = True) -> Scenario:
    """The same statement twice at once."""
    texts = {"current": text, "winner": text}
    schedule = "begin current, winner, commit current"
    if absent:
        return story(name, schedule, texts, columns={}, setup=())
    return story(name, schedule, texts)


@decides(
    Claim(
        97,
        "B",
        "Changes of the protocol, of table properties and of the schema make all concurrent "
        "writes fail.",
        Kind.EXPERIMENT,
    ),
)
def fails_all_writes(bench: Bench) -> Result:
    """Each kind of change against each kind of write in flight."""
    evidence = []
    changes = {"a property is set": PROPERTY, "a column is added": COLUMN,
               "deletion vectors are enabled": ENABLE_VECTORS}  # fmt: skip
    for name, winner in changes.items():
        ends = {
            word: in_flight(bench, name, text, winner, setup=TWO_FILES)[0]
            for word, text in (("INSERT", INSERT), ("UPDATE", UPDATE), ("OPTIMIZE", "OPTIMIZE t"))
        }
        result = ", ".join(f"{word} {ended}" for word, ended in ends.items())
        evidence.append(
            bench.fact(
                f"while {name}: {result}", all(ended in CONFLICT_NAMES for ended in ends.values())
            )
        )
    return conclude(evidence)


@decides(
    Claim(
        98,
        "B",
        "Setting a property, enabling deletion vectors, dropping a feature, a REORG to UniForm "
        "and adding columns change the metadata.",
        Kind.EXPERIMENT,
    ),
)
def examples(bench: Bench) -> Result:
    """The five commands, with the metadata actions that they put into the log."""
    drop = "ALTER TABLE t DROP FEATURE deletionVectors"
    commands = {
        "SET TBLPROPERTIES": PROPERTY,
        "deletion vectors enabled": ENABLE_VECTORS,
        "DROP FEATURE": drop,
        "REORG to UniForm": UNIFORM,
        "ADD COLUMNS": COLUMN,
    }
    evidence, lacking = [], []
    for name, text in commands.items():
        properties = VECTORS if text == drop else None
        scenario = story(name, "", {"A": text}, properties=properties)
        with bench.opened(scenario) as table:
            before = len(table.log())
            try:
                outcome = run(table, "A")
            except Exception as error:  # noqa: BLE001 - several versions at once: look at them
                outcome = "committed" if len(table.log()) > before else type(error).__name__
            new = table.log()[before:]
        if outcome != "committed":
            lacking.append(f"{name} ({outcome})")
            continue
        changed = any(r.metadata is not None or r.protocol is not None for r in new)
        action = f"{'a' if changed else 'no'} metadata or protocol action"
        evidence.append(bench.fact(f"{name}: {action}", changed))
    because = f"the engine does not run: {', '.join(lacking)}" if lacking else ""
    return conclude(evidence, because=because)


@decides(
    Claim(
        99,
        "B",
        "A streaming read fails at a commit that changes the metadata, and goes on once it is "
        "restarted.",
        Kind.EXPERIMENT,
    ),
)
def streams(bench: Bench) -> Result:
    """A stream that reads a table while a column is added, and the same one restarted."""
    session = bench.spark.process.session.newSession()
    scenario = story("a table that a stream reads", "", {"A": COLUMN, "B": UPDATE})
    with bench.opened(scenario) as table:
        source = str(table.folder / "t")
        checkpoint = str(bench.spark.process.folder / "stream-checkpoint")

        def start() -> Any:
            stream = session.readStream.format("delta").load(source)
            into = stream.writeStream.format("noop").option("checkpointLocation", checkpoint)
            return into.start()

        query = start()
        query.processAllAvailable()
        run(table, "A")
        try:
            query.processAllAvailable()
            failed = ""
        except Exception as error:  # noqa: BLE001 - the failure is expected
            failed = type(error).__name__
        query.stop()
        again = start()
        again.processAllAvailable()
        alive = again.isActive and again.exception() is None
        again.stop()
    if not failed and not alive:
        raise CannotRun("the stream ended for another reason")
    return conclude(
        [
            bench.fact(f"after ADD COLUMNS the stream {'failed' if failed else 'went on'} "
                       f"({failed or 'no error'})", bool(failed)),
            bench.fact(f"restarted, it {'goes on' if alive else 'fails'}", alive),
        ]
    )  # fmt: skip
