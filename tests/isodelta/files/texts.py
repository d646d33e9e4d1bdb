"""A scenario as people write it, for the tests of what reads and writes it."""

GOOD = """\
name: a delete meets an append
table:
  columns: {k: int, p: int, v: int}
  partition_by: [p]
  setup:
    - INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)
transactions:
  A: DELETE FROM t WHERE p = 1
  B: INSERT INTO t VALUES (7, 1, 0)
  R: SELECT count(*) FROM t
schedule: [begin A, begin R, B, commit A, commit R]
expect:
  outcomes: {A: ConcurrentAppend, B: committed}
  rows: [[1, 1, 10], [2, 2, 20], [7, 1, 0]]
  levels: {Serializable: holds}
"""
