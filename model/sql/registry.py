"""The registry of statements: one entry for each form, by which everything else finds it.

A new statement is a module of :mod:`model.statements`, one of :mod:`model.sql.statements`, and an
entry of ``FORMS``. The parser takes words and settings from here, the search for definitions what
may change one, and the conflict table its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from model.sql.source import Source, Written
from model.sql.statements import evolution, overwrite
from model.sql.statements.alter.statement import alter, comment_on
from model.sql.statements.create import create
from model.sql.statements.delete import delete
from model.sql.statements.maintenance import RETENTION_CHECK, optimize, reorg, restore, vacuum
from model.sql.statements.merge import merge
from model.sql.statements.overwrite import insert_or_overwrite, truncate
from model.sql.statements.select import select, with_names
from model.sql.statements.update import update
from model.statements import (
    AddConstraint,
    AlterTable,
    CreateTable,
    Delete,
    DynamicOverwrite,
    InsertSelect,
    InsertValues,
    Merge,
    Optimize,
    Overwrite,
    Refused,
    Reorg,
    ReplaceTable,
    Restore,
    Select,
    Statement,
    SyncIdentity,
    Truncate,
    Update,
    Vacuum,
)
from model.statements.idempotent import Skipped
from model.statements.several import SeveralCommits


@dataclass(frozen=True, slots=True)
class Example:
    """A statement that stands for its kind in the conflict table, with a name in a few words.

    It is over ``t (k int, p int, v int)``, and ``s`` like it to read from. ``partitioned``
    restricts it to where ``t`` is partitioned by ``p``.
    """

    name: str
    sql: str
    partitioned: bool = False


def _never(written: Written) -> bool:
    return False


def _always(written: Written) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Form:
    """One form of statement.

    ``words`` are those that it begins with, one alternative each; of all forms the longest match
    wins. ``parse`` makes a statement of it, of one of ``classes``. ``settings`` of the session,
    in lower case, decide what it does. ``redefines`` tells from the text alone whether it may
    change the definition of the table; ``without_table`` that it can stand where there is no
    table yet. ``examples`` are rows of the conflict table besides those that the documents have
    (:mod:`checker.search.statement_kinds`), by the name of the row.
    """

    words: tuple[str, ...]
    parse: Callable[[Source], Statement]
    classes: tuple[type[Statement], ...]
    settings: frozenset[str] = frozenset()
    redefines: Callable[[Written], bool] = _never
    without_table: bool = False
    examples: Mapping[str, tuple[Example, ...]] = field(default_factory=dict)


_INSERTS = (InsertValues, InsertSelect, Overwrite, DynamicOverwrite, Refused)
_DYNAMIC = "SET spark.sql.sources.partitionOverwriteMode=dynamic;"

FORMS = (
    Form(("SELECT", "VALUES"), select, (Select,), without_table=True),
    Form(
        ("WITH",),
        with_names,
        (Select, Merge, *_INSERTS),
        evolution.SETTINGS,
        redefines=evolution.asked_for,
        without_table=True,
    ),
    Form(("DELETE",), delete, (Delete,)),
    Form(("UPDATE",), update, (Update,)),
    Form(("MERGE",), merge, (Merge,), evolution.SETTINGS, evolution.asked_for),
    Form(
        ("OPTIMIZE",),
        optimize,
        (Optimize,),
        examples={
            "OPTIMIZE ZORDER": (
                Example("z-order", "OPTIMIZE t ZORDER BY (v)"),
                Example("z-order 1", "OPTIMIZE t WHERE p = 1 ZORDER BY (v)", partitioned=True),
            )
        },
    ),
    Form(
        ("REORG TABLE",),
        reorg,
        (Reorg,),
        examples={"REORG": (Example("purge", "REORG TABLE t APPLY (PURGE)"),)},
    ),
    Form(
        ("INSERT",),
        insert_or_overwrite,
        _INSERTS,
        evolution.SETTINGS | overwrite.SETTINGS,
        evolution.asked_for,
        examples={
            "INSERT OVERWRITE": (
                Example("overwrite everything", "INSERT OVERWRITE t VALUES (5, 1, 50)"),
                Example(
                    "overwrite with a copy of 1",
                    "INSERT OVERWRITE t SELECT k, p, v FROM t WHERE p = 1",
                ),
                Example(
                    "overwrite partition 1", f"{_DYNAMIC} INSERT OVERWRITE t VALUES (5, 1, 50)"
                ),
                Example(
                    "overwrite what another table lists",
                    f"{_DYNAMIC} INSERT OVERWRITE t SELECT k, p, v FROM s",
                ),
            ),
            "REPLACE WHERE": (
                Example("replace 1", "INSERT INTO t REPLACE WHERE p = 1 VALUES (5, 1, 50)"),
                Example("replace large", "INSERT INTO t REPLACE WHERE v > 25 VALUES (5, 1, 50)"),
                Example(
                    "replace 2 with a copy of 1",
                    "INSERT INTO t REPLACE WHERE p = 2 SELECT k, 2, v FROM t WHERE p = 1",
                ),
            ),
        },
    ),
    Form(
        ("TRUNCATE",),
        truncate,
        (Truncate,),
        examples={"TRUNCATE": (Example("truncate", "TRUNCATE TABLE t"),)},
    ),
    Form(
        ("RESTORE",),
        restore,
        (Restore, Refused),
        examples={
            "RESTORE": (
                Example("restore version 1", "RESTORE TABLE t TO VERSION AS OF 1"),
                Example("restore version 2", "RESTORE TABLE t TO VERSION AS OF 2"),
            )
        },
    ),
    Form(
        ("VACUUM",),
        vacuum,
        (Vacuum,),
        frozenset({RETENTION_CHECK}),
        examples={"VACUUM": (Example("vacuum", "VACUUM t"),)},
    ),
    Form(
        ("ALTER TABLE",),
        alter,
        (AlterTable, AddConstraint, SyncIdentity, SeveralCommits, Refused),
        redefines=_always,
        examples={
            "ALTER TABLE": (
                Example("add a column", "ALTER TABLE t ADD COLUMN w int"),
                Example("add a constraint", "ALTER TABLE t ADD CONSTRAINT c CHECK (v < 100)"),
                Example(
                    "set a property",
                    "ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'false')",
                ),
                Example(
                    "enable deletion vectors",
                    "ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
                ),
            )
        },
    ),
    Form(("COMMENT ON TABLE",), comment_on, (AlterTable,), redefines=_always),
    Form(
        ("CREATE TABLE", "CREATE OR REPLACE TABLE", "REPLACE TABLE"),
        create,
        (CreateTable, ReplaceTable, Refused, Skipped),
        redefines=_always,
        without_table=True,
        examples={
            "REPLACE TABLE": (
                Example(
                    "replace the table",
                    "CREATE OR REPLACE TABLE t (k int, p int, v int) USING delta",
                ),
            )
        },
    ),
)
"""Every statement, by its form."""
