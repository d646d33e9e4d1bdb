"""Which transactions are committed on a copy, and which are run again from their begin."""

from __future__ import annotations

import pytest

from conformance.spark.forks import why_not

PLAIN: dict[str, object] = {"minReaderVersion": 1, "minWriterVersion": 2}


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (1)",
        "INSERT OVERWRITE t SELECT k FROM t",
        "DELETE FROM t",
        "UPDATE t SET k = 1",
        "MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN DELETE",
    ],
)
def test_one_commit_of_one_transaction_is_copied(text: str) -> None:
    assert why_not(text, PLAIN) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("OPTIMIZE t", "more than one transaction's commit"),  # It tries again by itself.
        ("RESTORE TABLE t TO VERSION AS OF 1", "more than one transaction's commit"),
        ("ALTER TABLE t ADD COLUMN v int", "more than one transaction's commit"),
        ("SELECT count(*) FROM t", "more than one transaction's commit"),
        ("SET a.b = c; DELETE FROM t", "settings"),
        ("DELETE (FROM", "not read"),
    ],
)
def test_other_statements_are_run_again(text: str, why: str) -> None:
    assert why in (why_not(text, PLAIN) or "")


@pytest.mark.parametrize(
    ("writer", "features", "why"),
    [
        (7, ["appendOnly", "deletionVectors"], None),
        (7, ["appendOnly", "rowTracking", "domainMetadata"], "domainMetadata, rowTracking"),
        (7, ["inCommitTimestamp"], "inCommitTimestamp"),
        (6, None, "writer version 6"),  # Identity columns came with it.
        (5, None, None),
    ],
)
def test_a_table_that_keeps_more_is_run_again(
    writer: int, features: list[str] | None, why: str | None
) -> None:
    protocol = {"minWriterVersion": writer, "writerFeatures": features}
    told = why_not("DELETE FROM t", protocol)
    assert told is None if why is None else why in (told or "")
