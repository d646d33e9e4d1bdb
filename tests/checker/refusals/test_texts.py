"""The texts of conflicts, as each writer and release words them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.refusals.texts import Refusal, read_refusal

SPARK_3 = """\
24/10/11 10:49:40 ERROR Executor: Exception in task 0.0
io.delta.exceptions.ConcurrentAppendException: Files were added to the root of the table by a \
concurrent update. Please try the operation again.
Conflicting commit: {"timestamp":1728639379364,"operation":"WRITE","operationParameters":\
{"mode":Append},"readVersion":4,"isolationLevel":"Serializable","isBlindAppend":true,\
"operationMetrics":{"numFiles":"3"},"engineInfo":"Apache-Spark/3.5.0 Delta-Lake/3.1.0",\
"txnId":"27fd66c8-5027-4e2e-b5e7-5611887b2f73"}
Refer to https://docs.delta.io/latest/concurrency-control.html for more details.
\tat org.apache.spark.sql.delta.DeltaErrorsBase.concurrentAppendException(DeltaErrors.scala:2300)
\tat org.apache.spark.sql.delta.ConflictChecker.checkConflicts(ConflictChecker.scala:305)
"""

SPARK_4 = (
    "delta.exceptions.captured.ConcurrentDeleteReadException: "
    "[DELTA_CONCURRENT_DELETE_READ.WITH_PARTITION_HINT] Transaction conflict detected, a "
    "concurrent DELETE deleted data from table spark_catalog.shop.t (committed at version 12) "
    "that this transaction read. The concurrent operation deleted data in the partition [p=1] "
    "that was read by this operation. Please retry the operation."
)

SPARK_4_METADATA = (
    "[DELTA_METADATA_CHANGED] MetadataChangedException: The metadata of the Delta table "
    "spark_catalog.shop.t has been changed by a concurrent update. Please try the operation "
    'again.\nConflicting commit: {"timestamp":1795338971356,"operation":"SET TBLPROPERTIES",'
    '"operationParameters":{"properties":"{\\"a\\":\\"b\\"}"},"readVersion":1,'
    '"isolationLevel":"Serializable","isBlindAppend":true,"txnId":"84e2e775"}'
)

OLD_DATABRICKS = (
    "com.databricks.sql.transaction.tahoe.ConcurrentAppendException: Files were added to "
    "partition [day=2020-01-01] by a concurrent update. Please try the operation again.\n"
    'Conflicting commit: {"timestamp":1,"userName":"a@b.c","operation":"MERGE",'
    '"operationParameters":{"predicate":"[\\"(k = 1)\\"]"},"clusterId":"0101-1-a","readVersion":42,'
    '"isolationLevel":"WriteSerializable","isBlindAppend":false}'
)

NEW_DATABRICKS = (
    "[DELTA_CONCURRENT_DELETE_DELETE.ROW_LEVEL_CHANGES] Transaction conflict detected, a "
    "concurrent UPDATE deleted data from table main.shop.t (committed at version 7) that this "
    "transaction attempted to delete. SQLSTATE: 2D521"
)

RUST_APPEND = (
    "_internal.CommitFailedError: Transaction failed: Commit failed: a concurrent transactions "
    "added new data.\nHelp: This transaction's query must be rerun to include the new data."
)

KERNEL = (
    "io.delta.kernel.exceptions.{}: Transaction has encountered a conflict and can not be "
    "committed. Query needs to be re-executed using the latest version of the table."
)

TEXTS: dict[str, tuple[str, tuple[str, str, str | None, int | None, str | None]]] = {
    # conflict, engine, the winner's operation, its version, the place
    "Spark 3": (
        SPARK_3,
        ("ConcurrentAppend", "delta-spark", "WRITE", None, "the root of the table"),
    ),
    "Spark 4": (SPARK_4, ("ConcurrentDeleteRead", "delta-spark", "DELETE", 12, "[p=1]")),
    "Spark 4, metadata": (
        SPARK_4_METADATA,
        ("MetadataChanged", "delta-spark", "SET TBLPROPERTIES", None, None),
    ),
    "Spark 2, a file": (
        "ConcurrentDeleteDeleteException: This transaction attempted to delete one or more files "
        "that were deleted (for example p=1/part-0.parquet in partition [p=1]) by a concurrent "
        "update. Please try the operation again.",
        ("ConcurrentDeleteDelete", "delta-spark", None, None, "[p=1]"),
    ),
    "Spark, a stream": (
        "[DELTA_CONCURRENT_TRANSACTION] ConcurrentTransactionException: This error occurs when "
        "multiple streaming queries are using the same checkpoint to write into this table.",
        ("ConcurrentTransaction", "delta-spark", None, None, None),
    ),
    "Databricks, old": (
        OLD_DATABRICKS,
        ("ConcurrentAppend", "databricks", "MERGE", None, "[day=2020-01-01]"),
    ),
    "Databricks, new": (
        NEW_DATABRICKS,
        ("ConcurrentDeleteDelete", "databricks", "UPDATE", 7, None),
    ),
    "delta-rs": (RUST_APPEND, ("ConcurrentAppend", "delta-rs", None, None, None)),
    "Kernel, a write": (
        KERNEL.format("ConcurrentWriteException"),
        ("ConcurrentWrite", "delta-kernel", None, None, None),
    ),
    "Kernel, the protocol": (
        KERNEL.format("ProtocolChangedException"),
        ("ProtocolChanged", "delta-kernel", None, None, None),
    ),
    "Kernel, an application": (
        "io.delta.kernel.exceptions.ConcurrentTransactionException: This error occurs when "
        "multiple updates are using the same transaction identifier to write into this table.\n"
        "Application ID: a, Attempted version: 1, Latest version in table: 1",
        ("ConcurrentTransaction", "delta-kernel", None, None, None),
    ),
    "Trino": (
        "io.trino.spi.TrinoException: Failed to write Delta Lake transaction log entry\nCaused "
        "by: TransactionFailedException: Conflicting concurrent writes found. Data files added "
        "in the modified table by concurrent write operation.",
        ("ConcurrentAppend", "trino", None, None, None),
    ),
}


def facts(refusal: Refusal | None) -> tuple[str, str, str | None, int | None, str | None]:
    assert refusal is not None
    return (
        refusal.conflict,
        refusal.engine,
        refusal.operation,
        refusal.version,
        refusal.place,
    )


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_tells_its_conflict(name: str) -> None:
    text, expected = TEXTS[name]
    assert facts(read_refusal(text)) == expected


@pytest.mark.parametrize("name", TEXTS)
def test_the_lines_around_it_change_nothing(name: str) -> None:
    text, expected = TEXTS[name]
    around = "26/11/22 09:00:00 INFO Driver: started\n" * 50
    assert facts(read_refusal(f"{around}{text}\n{around}")) == expected


def test_the_last_conflict_of_a_log_is_taken() -> None:
    between = "\nretrying" * 20
    refusal = read_refusal(f"{SPARK_4}{between}\n{SPARK_4_METADATA}")
    assert refusal is not None
    assert (refusal.conflict, refusal.version) == ("MetadataChanged", None)
    refusal = read_refusal(f"{SPARK_4}\n{SPARK_4.replace('version 12', 'version 13')}")
    assert refusal is not None
    assert refusal.version == 13


def test_the_winner_is_read_although_its_json_is_none() -> None:
    refusal = read_refusal(SPARK_3)
    assert refusal is not None
    assert refusal.winner == {
        "operation": "WRITE",
        "isolationLevel": "Serializable",
        "engineInfo": "Apache-Spark/3.5.0 Delta-Lake/3.1.0",
        "txnId": "27fd66c8-5027-4e2e-b5e7-5611887b2f73",
        "readVersion": "4",
        "isBlindAppend": "true",
        "timestamp": "1728639379364",
        "mode": "Append",
    }
    assert refusal.blind
    assert refusal.unpartitioned


@pytest.mark.parametrize(
    "text", ["", "java.lang.OutOfMemoryError", "an unconcurrentAppendExceptional day", "{" * 9000]
)
def test_other_texts_tell_of_none(text: str) -> None:
    assert read_refusal(text) is None


@settings(deadline=None)
@given(st.text(), st.sampled_from([text for text, _ in TEXTS.values()]), st.integers(0, 600))
def test_no_text_makes_the_reader_fail(noise: str, text: str, cut: int) -> None:
    read_refusal(text[:cut] + noise + text[cut:])
