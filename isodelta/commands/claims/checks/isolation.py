"""The two levels: claims and checks."""

from __future__ import annotations

from dataclasses import replace

from checker.judging.verdict import judge
from isodelta.commands.claims.bench import CONFLICT, VECTORS, Bench, story
from isodelta.commands.claims.claim import Claim, Kind, decides
from isodelta.commands.claims.results import Evidence, Result, conclude, decided
from isodelta.files.collection import collected
from model.levels import (
    READ_COMMITTED,
    SERIALIZABLE,
    SNAPSHOT_ISOLATION,
    WRITE_SERIALIZABLE,
    implies,
)
from model.preparation import run_scenario, steps
from model.profiles import PROFILES, Profile
from model.scenario import Expectation, Scenario

S, WS = SERIALIZABLE, WRITE_SERIALIZABLE
LEVELS = (S, WS)
LAYOUTS = ("partitioned", "unpartitioned")
ENGINE_RULES = "delta-spark-4.4"


def taken(name: str, level: str | None = None) -> Scenario:
    """A scenario of the collection, without its expectations; on a table of ``level``, if given."""
    scenario = replace(collected(name), expect=Expectation())
    if level is None:
        return scenario
    return replace(scenario, name=f"{name}, at {level}", table=scenario.table.at_level(level))


def long_delete(level: str) -> Scenario:
    """The documents' own example: a long DELETE, an INSERT of what it would delete, readers."""
    return taken(f"long delete against a late insert at {level}")


def subquery(level: str) -> Scenario:
    """Two UPDATEs that read each other's rows in a subquery of SET."""
    return taken("write skew through a subquery in SET", level)


def searched(bench: Bench, level: str, judged: str, rules: str = ENGINE_RULES) -> list[Evidence]:
    """A search of every pair of statements on each layout: none may violate ``judged``."""
    evidence = []
    for layout in LAYOUTS:
        result = bench.search(rules, layout, level)
        broken = result.violations[judged]
        text = (
            f"{result.schedules:,} schedules of up to 2 transactions on {layout} tables at "
            f"{level}: {broken or 'no'} history violates {judged}"
        )
        evidence.append(Evidence(text, not broken, f"search, {rules}"))
    return evidence


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
    result = ended.error_class or ended.outcome
    return bench.fact(f"ALTER TABLE to {level}: {result}", ended.outcome == "committed", scenario)


@decides(
    Claim(
        1,
        "AD",
        "A table has one of two isolation levels, Serializable and WriteSerializable, "
        "and no other.",
        Kind.EXPERIMENT,
    ),
)
def two_levels(bench: Bench) -> Result:
    """Both names are accepted, others are not."""
    documents = [p for name, p in PROFILES.items() if name.startswith("databricks-")]
    modelled = [Evidence(f"{p.name} has the levels {', '.join(p.levels)}",
                         set(p.levels) == set(LEVELS), p.name) for p in documents]  # fmt: skip
    if not bench.real:
        return conclude(modelled)
    evidence = [alter_level(bench, level) for level in LEVELS]
    for other in (SNAPSHOT_ISOLATION, READ_COMMITTED):
        refused = alter_level(bench, other)
        evidence.append(bench.fact(f"{refused.text} (no level of a table)", not refused.holds))
    return conclude(evidence)


@decides(
    Claim(
        2,
        "AD",
        "On a Serializable table all committed writes and all reads are serializable.",
        Kind.SEARCH,
    ),
)
def serializable(bench: Bench) -> Result:
    """A search where the engine records reads, and replays where it does not."""
    return conclude([*searched(bench, S, S), bench.expect(subquery(S), {}, {S: "holds"})])


@decides(
    Claim(
        3,
        "AD",
        "Operations are allowed as long as some order of running them one at a time has the same "
        "outcome.",
        Kind.REPLAY,
    ),
)
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


@decides(
    Claim(
        4,
        "AD",
        "At Serializable the serial order of the writes is the order of the table's history.",
        Kind.SEARCH,
    ),
)
def log_order(bench: Bench) -> Result:
    """Serializable as judged includes the order of the log."""
    ordered = bench.expect(long_delete(S), {}, {S: "holds"})
    missed = bench.expect(taken("a subquery in SET misses an append", S), {}, {S: "holds"})
    return conclude([*searched(bench, S, S), ordered, missed])


@decides(
    Claim(5, "ACD", "WriteSerializable is the level of a table that names none.", Kind.EXPERIMENT),
)
def default_level(bench: Bench) -> Result:
    """The level that a commit records on a table that declares none."""
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


@decides(
    Claim(
        6,
        "AD",
        "WriteSerializable makes sure that the writes, though not the reads, are serializable.",
        Kind.SEARCH,
    ),
)
def write_serializable(bench: Bench) -> Result:
    """Pairs hold; three writers and a blind append do not; unrecorded reads neither."""
    return conclude(
        [
            *searched(bench, WS, WS),
            bench.expect(taken("a blind append breaks WriteSerializable"), {}, {WS: "holds"}),
            bench.expect(subquery(WS), {}, {WS: "holds"}),
        ]
    )


@decides(
    Claim(7, "ACD", "WriteSerializable is stronger than snapshot isolation.", Kind.SEARCH),
)
def stronger_than_snapshots(bench: Bench) -> Result:
    """Every history admitted has snapshot isolation; write skew, which SI allows, is refused."""
    lawless = Profile("no rules at all", "", WS, LEVELS, ())
    skew = taken("write skew, black and white marbles in partitions")
    allowed = bench.model(skew, lawless)
    verdict = judge(run_scenario(skew, lawless).history, (SNAPSHOT_ISOLATION,))
    snapshots = verdict[SNAPSHOT_ISOLATION].verdict
    return decided(
        [
            *searched(bench, WS, SNAPSHOT_ISOLATION),
            allowed.shows(f"write skew under no rules: SnapshotIsolation {snapshots}, "
                          f"WriteSerializable {allowed.verdicts[WS]}",
                          snapshots == "holds" and allowed.verdicts[WS] == "violated"),
            bench.expect(skew, {"whiten": "committed", "blacken": CONFLICT}),
            Evidence("in the lattice SnapshotIsolation does not imply WriteSerializable",
                     not implies(SNAPSHOT_ISOLATION, WS), "definitions"),
        ]
    )  # fmt: skip


@decides(
    Claim(
        8,
        "AD",
        "At WriteSerializable a write that the history shows last may act as if it came first, so "
        "that the content of the table is not what the history leads to.",
        Kind.REPLAY,
    ),
)
def reordered(bench: Bench) -> Result:
    """The delete commits last and acts as if it were first."""
    seen = bench.play(long_delete(WS))
    left = (3, "new") in seen.rows
    return conclude(
        [
            bench.expect(long_delete(WS), {"delete": "committed", "insert": "committed"},
                         {S: "violated", WS: "holds"}),
            seen.shows("the row that was inserted is " + ("left" if left else "gone"), left),
        ]
    )  # fmt: skip


@decides(
    Claim(9, "AD", "Serializable makes one of two such writes fail.", Kind.REPLAY),
)
def serializable_refuses(bench: Bench) -> Result:
    """The same two at Serializable."""
    return conclude([bench.expect(long_delete(S), {"delete": CONFLICT, "insert": "committed"},
                                  {S: "holds"})])  # fmt: skip


@decides(
    Claim(10, "AC", "A read always has snapshot isolation, whatever the level.", Kind.REPLAY),
)
def reads_have_snapshots(bench: Bench) -> Result:
    """A reader between two commits returns the rows of its snapshot, at either level."""
    evidence = []
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
        evidence.append(seen.shows(f"at {level} it read {rows}", rows == [(1, 1, 10), (2, 2, 20)]))
    evidence += searched(bench, S, SNAPSHOT_ISOLATION) + searched(bench, WS, SNAPSHOT_ISOLATION)
    return conclude(evidence)


@decides(
    Claim(
        11,
        "A",
        "Whether a reader can see a state that never was, going by the history, depends on the "
        "level: yes at WriteSerializable, no at Serializable.",
        Kind.REPLAY,
    ),
)
def states_that_never_were(bench: Bench) -> Result:
    """A reader between the two commits of the documents' example."""
    return conclude(
        [
            bench.expect(long_delete(WS), {"delete": "committed"},
                         {S: "violated", WS: "holds"}),
            bench.expect(long_delete(S), {"delete": CONFLICT}, {S: "holds"}),
        ]
    )  # fmt: skip


@decides(
    Claim(
        12,
        "A",
        "A long DELETE is recorded after an INSERT of rows that it should have deleted: a reader "
        "may see those rows at WriteSerializable, and never sees them at Serializable.",
        Kind.REPLAY,
    ),
)
def reader_of_inserted_rows(bench: Bench) -> Result:
    """The word "never" at Serializable, taken literally."""
    seen = bench.play(long_delete(WS))
    sees = (3,) in seen.read["before"]
    overlapping, order = long_delete(S), ("insert", "before", "delete")
    serial = replace(
        overlapping,
        name="INSERT, a reader, then the DELETE, one after the other, at Serializable",
        transactions={name: overlapping.transactions[name] for name in order},
        schedule=tuple(step for name in order for step in steps(name)),
    )
    alone = bench.play(serial)
    never = (3,) not in alone.read["before"]
    return conclude(
        [
            seen.shows("at WriteSerializable the reader " + ("sees" if sees else "misses")
                       + " the inserted row", sees),
            bench.expect(long_delete(S), {"delete": CONFLICT}),
            alone.shows(
                "at Serializable a reader between the two commits sees the inserted row as well, "
                "as it must: the history has that version",
                never,
            ),
        ]
    )  # fmt: skip


@decides(
    Claim(13, "AD", "ALTER TABLE sets the level, to either of the two names.", Kind.EXPERIMENT),
)
def alter_table_sets_the_level(bench: Bench) -> Result:
    """Both names, and the level that the next commit records."""
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


@decides(
    Claim(
        14, "AB", "Which writes conflict depends on the isolation level of the table.", Kind.REPLAY
    ),
)
def level_decides(bench: Bench) -> Result:
    """One schedule, two levels, two outcomes."""
    return conclude(
        [
            bench.expect(long_delete(WS), {"delete": "committed"}),
            bench.expect(long_delete(S), {"delete": CONFLICT}),
        ]
    )
