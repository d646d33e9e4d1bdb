"""Threats to validity: the reasons why a result may not carry over to a reader's tables."""

from __future__ import annotations

THREATS: tuple[tuple[str, str], ...] = (
    (
        "The replayed level is written into the log",
        "Open-source Delta has WriteSerializable in its conflict checker, but refuses to set it in "
        "SQL: CREATE and ALTER TABLE accept Serializable only. A replay at WriteSerializable "
        "therefore writes the level into the table's log, and runs plain SQL from there.",
    ),
    (
        "Databricks is modelled from documents",
        "No history was replayed on Databricks. Its profiles state what its public documents say "
        "of conflicts, read at their strongest and at their weakest.",
    ),
    (
        "The proofs assume that a statement notes what it reads",
        "They are about histories of one table, one statement to a transaction, in which every "
        "footprint covers every read. UPDATE ... SET (subquery) is the known exception: its read "
        "is not noted, and both levels break. That the engine follows the proved rules is "
        "tested by replays, not proved.",
    ),
    (
        "A search and a replay are samples",
        "“No violation” is a result within the bounds that are named: so many transactions, these "
        "statements, one small table. Replays run on a local file system, one task to a write; "
        "crashes, object stores and catalogs are not exercised.",
    ),
)
"""Each threat: its title, and what follows from it."""
