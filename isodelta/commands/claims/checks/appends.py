"""Appends that read nothing, appends that do, identity columns: claims and checks."""

from __future__ import annotations

from isodelta.commands.claims.bench import CONFLICT, NO_CONFLICT, Bench, story
from isodelta.commands.claims.checks.files_and_log import run
from isodelta.commands.claims.claim import Claim, Kind, decides
from isodelta.commands.claims.results import Evidence, Result, conclude
from model.levels import DELTA_LEVELS
from model.scenario import Scenario, TableSpec

BLIND = "INSERT INTO t VALUES (9, 1, 90)"
READS = "INSERT INTO t SELECT k, 3, v FROM t WHERE p = 1"
MERGE = (
    "MERGE INTO t USING (SELECT 9 AS k) s ON t.k = s.k AND t.p = 1 "
    "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, 3, 0)"
)
WINNERS = {
    "a DELETE in the partition": "DELETE FROM t WHERE p = 1",
    "an UPDATE in the partition": "UPDATE t SET v = 0 WHERE p = 1",
    "a blind INSERT into the partition": BLIND,
    "a DELETE in another partition": "DELETE FROM t WHERE p = 2",
}


def _crossing(current: str, winner: str, level: str, name: str) -> Scenario:
    return story(
        f"{name}, at {level}",
        "begin current, winner, commit current",
        {"current": current, "winner": winner},
        partition_by=("p",),
        level=level,
    )


@decides(
    Claim(
        56,
        "AB",
        "INSERT in the matrices means an append that reads nothing of the table before it commits.",
        Kind.REPLAY,
    ),
)
def inserts_that_read(bench: Bench) -> Result:
    """Where a matrix says "cannot" of INSERT, an INSERT that reads can."""
    evidence = []
    for level in DELTA_LEVELS:
        winner = WINNERS["a DELETE in the partition"]
        evidence += [
            bench.expect(_crossing(BLIND, winner, level, "an INSERT of VALUES against a DELETE"),
                         {"current": NO_CONFLICT}),
            bench.expect(_crossing(READS, winner, level, "an INSERT that reads against a DELETE"),
                         {"current": CONFLICT}),
        ]  # fmt: skip
    return conclude(evidence)


@decides(
    Claim(
        57,
        "AB",
        "An INSERT with a subquery over the same table conflicts as MERGE does.",
        Kind.REPLAY,
    ),
    Claim(
        65,
        "A",
        "An INSERT with a condition on a column of the target has the limits of MERGE.",
        Kind.REPLAY,
    ),
)
def like_merge(bench: Bench) -> Result:
    """An INSERT that reads and a MERGE with the same reads against the same winners."""
    evidence: list[Evidence] = []
    for level in DELTA_LEVELS:
        for name, winner in WINNERS.items():
            ends = {}
            for kind, current in (("INSERT SELECT", READS), ("MERGE", MERGE)):
                scenario = _crossing(current, winner, level, f"{kind} against {name}")
                seen = bench.play(scenario)
                ends[kind] = seen.outcomes["current"]
            refused = {kind: end not in ("committed", "no commit") for kind, end in ends.items()}
            evidence.append(
                seen.shows(
                    f"{level}, against {name}: INSERT SELECT {ends['INSERT SELECT']}, MERGE "
                    f"{ends['MERGE']}",
                    len(set(refused.values())) == 1,
                )
            )
    return conclude(evidence)


@decides(
    Claim(
        58,
        "AB",
        "A table with identity columns supports no concurrent transactions.",
        Kind.EXPERIMENT,
    ),
)
def identity_columns(bench: Bench) -> Result:
    """Pairs on a table with an identity column; one that commits is a counterexample."""
    pairs = {
        "two INSERTs": ("INSERT INTO t (p, v) VALUES (1, 0)", "INSERT INTO t (p, v) VALUES (2, 0)"),
        "two DELETEs in two partitions": ("DELETE FROM t WHERE p = 1", "DELETE FROM t WHERE p = 2"),
    }
    evidence = []
    for name, (current, winner) in pairs.items():
        scenario = story(
            f"{name} on a table with an identity column",
            "begin current, winner, commit current",
            {"current": current, "winner": winner},
            columns={"k": "bigint GENERATED ALWAYS AS IDENTITY", "p": "int", "v": "int"},
            setup=("INSERT INTO t (p, v) VALUES (1, 1), (2, 2)",),
            partition_by=("p",),
        )
        evidence.append(bench.expect(scenario, {"current": CONFLICT}, rules="databricks-14.2"))
        if bench.real:
            evidence.append(bench.expect(scenario, {"current": CONFLICT}))
    return conclude(evidence)


@decides(
    Claim(
        63,
        "A",
        "An INSERT or append that names the target in no subquery and no condition does not read "
        "the table's state.",
        Kind.EXPERIMENT,
    ),
)
def blind(bench: Bench) -> Result:
    """The isBlindAppend flag of each kind of INSERT: "no reads" in the log."""
    texts = {
        "VALUES": (BLIND, True),
        "another table": ("INSERT INTO t SELECT k, p, v FROM s", True),
        "the target": (READS, False),
        "the target in a subquery": (
            "INSERT INTO t SELECT k, p, v FROM s WHERE k > (SELECT max(k) FROM t)", False),
    }  # fmt: skip
    scenario = story(
        "INSERTs by what they name",
        "",
        {name: text for name, (text, _) in texts.items()},
        tables={"s": TableSpec({"k": "int", "p": "int", "v": "int"},
                               setup=("INSERT INTO s VALUES (5, 5, 5)",))},
    )  # fmt: skip
    evidence = []
    with bench.opened(scenario) as table:
        for name, (_, wanted) in texts.items():
            run(table, name)
            said = table.log()[-1].is_blind_append
            evidence.append(bench.fact(f"INSERT from {name}: isBlindAppend {said}", said is wanted))
    return conclude(evidence)


@decides(
    Claim(
        64,
        "A",
        "Such an append is still validated against the versions in the log, by metadata.",
        Kind.EXPERIMENT,
    ),
)
def still_validated(bench: Bench) -> Result:
    """A blind INSERT in flight while the schema changes."""
    scenario = story(
        "a blind INSERT while a column is added",
        "",
        {"A": BLIND, "B": "ALTER TABLE t ADD COLUMNS (w INT)"},
    )
    with bench.opened(scenario) as table:
        begun = table.begin("A")
        run(table, "B")
        ended = table.commit("A").outcome
    reads = len(begun.footprint.files) if begun.footprint else 0
    return conclude(
        [bench.fact(f"an INSERT that noted {reads} files read ended in {ended} after another one "
                    "added a column", reads == 0 and ended == "MetadataChanged")]
    )  # fmt: skip
