"""N1 to N14: the two levels."""

from __future__ import annotations

from dataclasses import replace

from isodelta.commands.claims.bench import CONFLICT, VECTORS, Bench, story
from isodelta.commands.claims.evidence import Evidence, Result, conclude, decided
from isodelta.commands.claims.registry import decides
from model.levels import (
    READ_COMMITTED,
    SERIALIZABLE,
    SNAPSHOT_ISOLATION,
    WRITE_SERIALIZABLE,
    implies,
)
from model.profiles import PROFILES, Profile
from model.scenario import Scenario

S, WS = SERIALIZABLE, WRITE_SERIALIZABLE
LEVELS = (S, WS)
LAYOUTS = ("partitioned", "unpartitioned")
ENGINE_RULES = "delta-spark-4.4"


def long_delete(level: str, reader: bool = False) -> Scenario:
    """The documents' own example: txn1 is a long DELETE, txn2 inserts what it would delete."""
    texts = {"txn1": "DELETE FROM t WHERE p = 1", "txn2": "INSERT INTO t VALUES (9, 1, 90)"}
    if reader:
        texts["R"] = "SELECT k, p, v FROM t WHERE p = 1"
    schedule = "begin txn1, txn2, R, commit txn1" if reader else "begin txn1, txn2, commit txn1"
    who = ", a reader between the commits" if reader else ""
    return story(f"a long DELETE against a late INSERT at {level}{who}", schedule, texts,
                 level=level)  # fmt: skip


def subquery(level: str) -> Scenario:
    """Two UPDATEs that read each other's rows in a subquery of SET."""
    return story(
        f"two UPDATEs, each with a subquery in SET over the other's rows, at {level}",
        "begin A, begin B, commit A, commit B",
        {
            "A": "UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 2) WHERE p = 1",
            "B": "UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 1) WHERE p = 2",
        },
        partition_by=("p",),
        level=level,
    )


def subquery_against_insert() -> Scenario:
    """One UPDATE whose subquery in SET misses an append."""
    return story(
        "an UPDATE with a subquery in SET, and an INSERT that it misses, at Serializable",
        "begin A, B, commit A",
        {
            "A": "UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 2) WHERE p = 1",
            "B": "INSERT INTO t VALUES (9, 2, 90)",
        },
        partition_by=("p",),
        level=S,
    )


def hole() -> Scenario:
    """A cycle of three writers through a blind append."""
    return story(
        "a DELETE, a blind append into its partition, and an INSERT SELECT that has seen it, "
        "at WriteSerializable",
        "begin purge, append, archive, commit purge",
        {
            "purge": "DELETE FROM t WHERE p = 1",
            "append": "INSERT INTO t VALUES (9, 1, 90)",
            "archive": "INSERT INTO t SELECT k, 9, v FROM t WHERE p = 1",
        },
        partition_by=("p",),
        level=WS,
    )


def skew(level: str) -> Scenario:
    """Write skew: each copies what the other one is about to move."""
    return story(
        f"two INSERT SELECTs, each into what the other one read, at {level}",
        "begin A, begin B, commit A, commit B",
        {
            "A": "INSERT INTO t SELECT k, 2, v FROM t WHERE p = 1",
            "B": "INSERT INTO t SELECT k, 1, v FROM t WHERE p = 2",
        },
        partition_by=("p",),
        level=level,
    )


def searched(bench: Bench, level: str, judged: str, rules: str = ENGINE_RULES) -> list[Evidence]:
    """A search of every pair of statements on each layout: none may violate ``judged``."""
    found = []
    for layout in LAYOUTS:
        result = bench.search(rules, layout, level)
        broken = result.violations[judged]
        text = (
            f"{result.schedules:,} schedules of up to 2 transactions on {layout} tables at "
            f"{level}: {broken or 'no'} history violates {judged}"
        )
        found.append(Evidence(text, not broken, f"search, {rules}"))
    return found


def alter_level(bench: Bench, level: str) -> Evidence:
    """Whether ALTER TABLE accepts a level."""
    scenario = story(
        f"ALTER TABLE sets the level {level}",
        "A",
        {"A": f"ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = '{level}')"},
    )
    with bench.opened(scenario) as table:
        table.begin("A")
        ended = table.commit("A")
    told = ended.error_class or ended.outcome
    return bench.fact(f"ALTER TABLE to {level}: {told}", ended.outcome == "committed", scenario)


@decides("N1")
def two_levels(bench: Bench) -> Result:
    """Both names are accepted, others are not."""
    documents = [p for name, p in PROFILES.items() if name.startswith("databricks-")]
    modelled = [Evidence(f"{p.name} has the levels {', '.join(p.levels)}",
                         set(p.levels) == set(LEVELS), p.name) for p in documents]  # fmt: skip
    if not bench.real:
        return conclude(modelled)
    found = [alter_level(bench, level) for level in LEVELS]
    for other in (SNAPSHOT_ISOLATION, READ_COMMITTED):
        refused = alter_level(bench, other)
        found.append(bench.fact(f"{refused.text} (no level of a table)", not refused.holds))
    return conclude(found)


@decides("N2")
def serializable(bench: Bench) -> Result:
    """A search where the engine notes what is read, and replays where it does not."""
    return conclude([*searched(bench, S, S), bench.expect(subquery(S), {}, {S: "holds"})])


@decides("N3")
def allowed_when_serial(bench: Bench) -> Result:
    """Only if: as N2. If: a pair that a serial order explains must be let through."""
    pair = story(
        "two DELETEs of different rows of one file at Serializable",
        "begin A, begin B, commit A, commit B",
        {"A": "DELETE FROM t WHERE k = 1", "B": "DELETE FROM t WHERE k = 2"},
        level=S,
    )
    vectors = replace(pair.table, properties={**pair.table.properties, **VECTORS})
    by_row = bench.model(replace(pair, table=vectors), "databricks-14.2")
    serial = by_row.shows(
        f"resolved by rows both commit ({by_row.ends}), and Serializable {by_row.verdicts[S]}: "
        "a serial order has this outcome",
        by_row.verdicts[S] == "holds",
    )
    allowed = bench.expect(pair, {"A": "committed", "B": "committed"})
    return conclude([serial, allowed, bench.expect(subquery(S), {}, {S: "holds"})])


@decides("N4")
def log_order(bench: Bench) -> Result:
    """Serializable as judged includes the order of the log."""
    ordered = bench.expect(long_delete(S), {}, {S: "holds"})
    missed = bench.expect(subquery_against_insert(), {}, {S: "holds"})
    return conclude([*searched(bench, S, S), ordered, missed])


@decides("N5")
def default_level(bench: Bench) -> Result:
    """What a commit says of its level on a table that names none."""
    if not bench.real:
        return conclude(
            Evidence(f"the default level of {name} is {p.default_level}",
                     p.default_level == WS, name)
            for name, p in PROFILES.items() if name.startswith("databricks-")
        )  # fmt: skip
    plain = story("a DELETE on a table that names no level", "A", {"A": "DELETE FROM t"})
    with bench.opened(plain) as table:
        table.begin("A")
        table.commit("A")
        level = table.log()[-1].isolation_level
    return conclude([bench.fact(f"the commit says {level}", level == WS, plain)])


@decides("N6")
def write_serializable(bench: Bench) -> Result:
    """Pairs hold; three writers and a blind append do not; unrecorded reads neither."""
    return conclude(
        [
            *searched(bench, WS, WS),
            bench.expect(hole(), {}, {WS: "holds"}),
            bench.expect(subquery(WS), {}, {WS: "holds"}),
        ]
    )


@decides("N7")
def stronger_than_snapshots(bench: Bench) -> Result:
    """Every history admitted has snapshot isolation; write skew, which SI allows, is refused."""
    lawless = Profile("no rules at all", "", WS, LEVELS, ())
    allowed = bench.model(skew(WS), lawless)
    from checker.judging.verdict import judge
    from model.preparation import run_scenario

    verdict = judge(run_scenario(skew(WS), lawless).history, (SNAPSHOT_ISOLATION,))
    snapshots = verdict[SNAPSHOT_ISOLATION].verdict
    return decided(
        [
            *searched(bench, WS, SNAPSHOT_ISOLATION),
            allowed.shows(f"write skew under no rules: SnapshotIsolation {snapshots}, "
                          f"WriteSerializable {allowed.verdicts[WS]}",
                          snapshots == "holds" and allowed.verdicts[WS] == "violated"),
            bench.expect(skew(WS), {"A": "committed", "B": CONFLICT}),
            Evidence("in the lattice SnapshotIsolation does not imply WriteSerializable",
                     not implies(SNAPSHOT_ISOLATION, WS), "definitions"),
        ]
    )  # fmt: skip


@decides("N8")
def reordered(bench: Bench) -> Result:
    """The delete commits last and acts as if it were first."""
    seen = bench.play(long_delete(WS))
    left = (9, 1, 90) in seen.rows
    return conclude(
        [
            bench.expect(long_delete(WS), {"txn1": "committed", "txn2": "committed"},
                         {S: "violated", WS: "holds"}),
            seen.shows("the row that txn2 inserted is " + ("left" if left else "gone"), left),
        ]
    )  # fmt: skip


@decides("N9")
def serializable_refuses(bench: Bench) -> Result:
    """The same two at Serializable."""
    return conclude([bench.expect(long_delete(S), {"txn1": CONFLICT, "txn2": "committed"},
                                  {S: "holds"})])  # fmt: skip


@decides("N10")
def reads_have_snapshots(bench: Bench) -> Result:
    """A reader between two commits returns the rows of its snapshot, at either level."""
    found = []
    for level in LEVELS:
        scenario = story(
            f"a reader while others write, at {level}",
            "begin R, A, B, commit R",
            {
                "R": "SELECT k, p, v FROM t",
                "A": "DELETE FROM t WHERE k = 1",
                "B": "INSERT INTO t VALUES (9, 9, 9)",
            },
            level=level,
        )
        seen = bench.play(scenario)
        rows = sorted(seen.read["R"])
        found.append(seen.shows(f"at {level} it read {rows}", rows == [(1, 1, 10), (2, 2, 20)]))
    found += searched(bench, S, SNAPSHOT_ISOLATION) + searched(bench, WS, SNAPSHOT_ISOLATION)
    return conclude(found)


@decides("N11")
def states_that_never_were(bench: Bench) -> Result:
    """A reader between the two commits of the documents' example."""
    return conclude(
        [
            bench.expect(long_delete(WS, reader=True), {"txn1": "committed"},
                         {S: "violated", WS: "holds"}),
            bench.expect(long_delete(S, reader=True), {"txn1": CONFLICT}, {S: "holds"}),
        ]
    )  # fmt: skip


@decides("N12")
def reader_of_inserted_rows(bench: Bench) -> Result:
    """The words "never" at Serializable, taken at their word."""
    seen = bench.play(long_delete(WS, reader=True))
    found = (9, 1, 90) in seen.read["R"]
    serial = story(
        "INSERT, a reader, then the DELETE, one after the other, at Serializable",
        "txn2, R, txn1",
        {
            "txn1": "DELETE FROM t WHERE p = 1",
            "txn2": "INSERT INTO t VALUES (9, 1, 90)",
            "R": "SELECT k, p, v FROM t WHERE p = 1",
        },
        level=S,
    )
    alone = bench.play(serial)
    never = (9, 1, 90) not in alone.read["R"]
    return conclude(
        [
            seen.shows("at WriteSerializable the reader " + ("sees" if found else "misses")
                       + " the inserted row", found),
            bench.expect(long_delete(S), {"txn1": CONFLICT}),
            alone.shows(
                "at Serializable a reader between the two commits sees the inserted row as well, "
                "as it must: the history has that version",
                never,
            ),
        ]
    )  # fmt: skip


@decides("N13")
def alter_table_sets_the_level(bench: Bench) -> Result:
    """Both names, and what the next commit says."""
    scenario = story(
        "a DELETE after ALTER TABLE has set Serializable",
        "A, B",
        {
            "A": "ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')",
            "B": "DELETE FROM t",
        },
        level=WS,
    )
    with bench.opened(scenario) as table:
        for name in ("A", "B"):
            table.begin(name)
            table.commit(name)
        level = table.log()[-1].isolation_level
    after = bench.fact(f"after ALTER TABLE to Serializable the next commit says {level}",
                       level == S, scenario)  # fmt: skip
    return conclude([after, *(alter_level(bench, name) for name in LEVELS)])


@decides("N14")
def level_decides(bench: Bench) -> Result:
    """One schedule, two levels, two outcomes."""
    return conclude(
        [
            bench.expect(long_delete(WS), {"txn1": "committed"}),
            bench.expect(long_delete(S), {"txn1": CONFLICT}),
        ]
    )
