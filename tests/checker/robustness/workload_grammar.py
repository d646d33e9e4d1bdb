"""Random small workloads: jobs of every kind over one table, for the tests of robustness."""

from __future__ import annotations

from hypothesis import strategies as st

from checker.robustness.jobs.workload import Jobs, jobs
from model.profiles import DEFAULT
from model.scenario import TableSpec

POOL = (
    "INSERT INTO t VALUES (:k, :p, :v)",
    "INSERT INTO t VALUES (:k, 1, 0)",
    "INSERT INTO t SELECT k, p, v FROM s",
    "INSERT INTO t SELECT k, :p, v FROM s WHERE k = :k",
    "INSERT INTO t SELECT :k, :p, 5",
    "INSERT INTO t SELECT t.k, 3, s.v FROM t JOIN s ON t.k = s.k WHERE t.p = :p",
    "INSERT INTO t SELECT k, p, v + 1 FROM t WHERE p = :p",
    "INSERT INTO t SELECT :k, :q, count(*) FROM t WHERE p = :p",
    "INSERT INTO t SELECT 0, :p, sum(v) FROM t WHERE p = :p AND p = :q",
    "INSERT INTO t SELECT k, 3, v FROM t WHERE v > :v",
    "DELETE FROM t WHERE p = :p",
    "DELETE FROM t WHERE k = :k",
    "DELETE FROM t WHERE p = :p AND v > :v",
    "DELETE FROM t",
    "UPDATE t SET v = v + 1",
    "UPDATE t SET v = :v WHERE p = :p",
    "UPDATE t SET v = 0 WHERE k = :k",
    "UPDATE t SET p = :q WHERE p = :p",
    "UPDATE t SET p = 3 WHERE k = :k",
    "UPDATE t SET v = 1 WHERE p IN (:p, :q)",
    "UPDATE t SET v = 1 WHERE p BETWEEN :p AND 2",
    "MERGE INTO t USING (SELECT :k AS k, :p AS p) s ON t.k = s.k AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET v = 1 "
    "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, s.p, 0)",
    "MERGE INTO t USING (SELECT :k AS k, :p AS p) s ON t.k = s.k "
    "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, s.p, 0)",
    "MERGE INTO t USING (SELECT :k AS k) s ON t.k = s.k WHEN MATCHED THEN DELETE",
    "MERGE INTO t USING (SELECT :k AS k) s ON t.k = s.k "
    "WHEN MATCHED AND t.p = :p THEN UPDATE SET v = t.v + 1",
    "MERGE INTO t USING s ON t.k = s.k AND t.p = :p "
    "WHEN MATCHED THEN UPDATE SET p = :q WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, 1, 1)",
    "MERGE INTO t USING (SELECT :k AS k) s ON t.k = s.k "
    "WHEN NOT MATCHED BY SOURCE AND t.p = :p THEN DELETE",
    "INSERT INTO t REPLACE WHERE p = :p VALUES (:k, :p, :v)",
    "INSERT INTO t REPLACE WHERE p = :p SELECT k, p, v FROM s WHERE p = :p",
    "INSERT OVERWRITE t SELECT k, p, v FROM s WHERE k > :k",
    "SET spark.sql.sources.partitionOverwriteMode = dynamic; "
    "INSERT OVERWRITE t VALUES (:k, :p, :v)",
    "TRUNCATE TABLE t",
    "OPTIMIZE t",
    "RESTORE TABLE t TO VERSION AS OF 1",
    "SELECT * FROM t",
    "SELECT count(*) FROM t WHERE p = :p",
)
"""Jobs: appends blind and not, all kinds of changes, compaction, readers."""

LAYOUTS = ((), ("p",))


def workload(texts: list[str], partitions: tuple[str, ...], setup: tuple[str, ...]) -> Jobs:
    """The jobs on the table of this grammar, at WriteSerializable."""
    table = TableSpec({"k": "int", "p": "int", "v": "int"}, partitions, setup=setup)
    source = TableSpec(
        {"k": "int", "p": "int", "v": "int"}, setup=("INSERT INTO s VALUES (1, 1, 7), (4, 2, 8)",)
    )
    sql = {f"job{place}": text for place, text in enumerate(texts)}
    return jobs("a random workload", table, {"s": source}, sql, DEFAULT)


SETUPS = (
    (),
    ("INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)",),
    ("INSERT INTO t VALUES (1, 1, 10)", "INSERT INTO t VALUES (1, 2, 5)"),
)


@st.composite
def workloads(draw: st.DrawFn) -> Jobs:
    """Two or three jobs, one of them an append as a rule. Shrinks to the first of the pool."""
    texts = draw(st.lists(st.sampled_from(POOL), min_size=1, max_size=3, unique=True))
    if draw(st.booleans()) and POOL[0] not in texts:
        texts = [POOL[0], *texts[:2]]
    setup = draw(st.sampled_from(SETUPS))
    if any(text.startswith("RESTORE") for text in texts) and not setup:
        setup = SETUPS[1]
    return workload(texts, draw(st.sampled_from(LAYOUTS)), setup)
