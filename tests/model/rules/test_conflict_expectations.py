"""What the conflict suites of Delta and delta-rs expect of the rules themselves.

Those suites commit single log actions after chosen reads. Here the same reads and actions are
footprints, checked by the rules of the profile; what can be said in SQL stands in
``scenarios/suites`` besides. The names of the cases are this project's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from model.expressions import syntax as expressions
from model.expressions.syntax import Column, Comparison, Expression, InList, Literal, Or
from model.history import Value
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.physical.files import DataFile, StoredRow, data_file
from model.physical.footprint import Footprint, MetadataChange, ProtocolChange, ReadPredicate
from model.physical.log import Commit
from model.profiles import DEFAULT, profile
from model.profiles.base import Profile
from model.rules.base import Attempt, Conflict
from model.tables.table import Table
from model.values.types import INT

FLAT = Table("t", ("x",), (INT,))
BY_X = Table("t", ("k", "x"), (INT, INT), (1,))
NESTED = Table("t", ("k", "a", "b"), (INT, INT, INT), (1, 2))
X, A, B = Column(1, "x", INT), Column(1, "a", INT), Column(2, "b", INT)


def number(value: int) -> Literal:
    return Literal(value, INT)


def equal(column: Column, value: int) -> Expression:
    return Comparison("=", column, number(value))


def file(path: str, *values: Value, table: Table = BY_X) -> DataFile:
    """A file of one row; ``values`` are its partition values."""
    row = (0,) * (len(table.names) - len(values)) + values
    return data_file(path, table, (StoredRow((path, 0), "setup", row),))


def reading(*conditions: Expression, files: tuple[DataFile, ...] = ()) -> Footprint:
    """A transaction that has read by conditions over partition columns, and found the files."""
    predicates = tuple(ReadPredicate(condition) for condition in conditions)
    return Footprint("TRUNCATE", read_predicates=predicates, read_files=files)


NOTHING_READ = Footprint("TRUNCATE")
ALL = expressions.TRUE


@dataclass(frozen=True)
class Case:
    """One case: what the current transaction read and writes, and what each winner wrote."""

    name: str
    current: Footprint
    winners: tuple[Footprint, ...]
    expected: str | None
    table: Table = BY_X
    level: str = SERIALIZABLE


def wrote(
    adds: tuple[DataFile, ...] = (),
    removes: tuple[DataFile, ...] = (),
    read: Footprint = NOTHING_READ,
) -> Footprint:
    """``read``, with what the transaction writes."""
    return replace(read, adds=adds, removes=removes)


A1, B1, C1 = file("a", 1), file("b", 1), file("c", 1)
C2, D2, E3, F3, G4 = file("c", 2), file("d", 2), file("e", 3), file("f", 3), file("g", 4)
PLAIN_A, PLAIN_B, PLAIN_C = (file(path, table=FLAT) for path in "abc")
AA11 = file("a", 1, 1, table=NESTED)
BB12 = file("b", 1, 2, table=NESTED)
CC21 = file("c", 2, 1, table=NESTED)
DD31 = file("d", 3, 1, table=NESTED)
APPLICATION = Footprint("STREAMING UPDATE", applications_read=frozenset({"t1"}))
EVERYTHING = replace(reading(ALL), read_whole_table=True)

CASES = (
    # OptimisticTransactionSuite
    Case("two appends", wrote((PLAIN_B,)), (wrote((PLAIN_A,)),), None, FLAT),
    Case(
        "two applications",
        APPLICATION,
        (Footprint("x", applications_written=(("t2", 0),)),),
        None,
        FLAT,
    ),
    Case("removal elsewhere", reading(equal(X, 1)), (wrote(removes=(file("a", 2),)),), None),
    Case("addition elsewhere", reading(equal(X, 1)), (wrote((file("a", 2),)),), None),
    Case(
        "two removals",
        wrote(removes=(PLAIN_A,)),
        (wrote(removes=(PLAIN_A,)),),
        "ConcurrentDeleteDelete",
        FLAT,
    ),
    Case(
        "addition where it read, and it writes",
        wrote((B1,), read=reading(equal(X, 1))),
        (wrote((A1,)),),
        "ConcurrentAppend",
    ),
    Case("addition where it read, no write", reading(equal(X, 1)), (wrote((A1,)),), None),
    Case(
        "addition in one of two partitions read",
        wrote((file("b", 2),), read=reading(equal(X, 1), equal(X, 2))),
        (wrote((A1,)),),
        "ConcurrentAppend",
    ),
    Case(
        "removal of what it read, no write",
        reading(equal(X, 1), files=(A1,)),
        (wrote(removes=(A1,)),),
        "ConcurrentDeleteRead",
    ),
    Case(
        "new schema",
        NOTHING_READ,
        (Footprint("x", metadata=MetadataChange(schema_changed=True)),),
        "MetadataChanged",
        FLAT,
    ),
    Case(
        "one application",
        APPLICATION,
        (Footprint("x", applications_written=(("t1", 0),)),),
        "ConcurrentTransaction",
        FLAT,
    ),
    Case(
        "two upgrades",
        Footprint("x", protocol=ProtocolChange()),
        (Footprint("x", protocol=ProtocolChange()),),
        "ProtocolChanged",
        FLAT,
    ),
    Case(
        "addition to a table that was tainted",
        wrote((G4,), read=replace(reading(equal(X, 1)), read_whole_table=True)),
        (wrote((F3,)),),
        "ConcurrentAppend",
    ),
    Case(
        "removal from a table that was tainted",
        wrote((PLAIN_B,), read=EVERYTHING),
        (wrote(removes=(PLAIN_A,)),),
        "ConcurrentDeleteRead",
        FLAT,
    ),
    # OptimisticTransactionLegacyTests
    Case(
        "read and append against append",
        wrote((PLAIN_B,), read=reading(ALL)),
        (wrote((PLAIN_A,)),),
        "ConcurrentAppend",
        FLAT,
    ),
    Case(
        "the same at WriteSerializable",
        wrote((PLAIN_B,), read=reading(ALL)),
        (wrote((PLAIN_A,)),),
        None,
        FLAT,
        WRITE_SERIALIZABLE,
    ),
    Case(
        "blind append against a rewrite",
        wrote((PLAIN_C,)),
        (wrote((PLAIN_B,), (PLAIN_A,)),),
        None,
        FLAT,
    ),
    Case(
        "rewrite against a commit of nothing",
        wrote((PLAIN_B,), (PLAIN_A,), reading(ALL, files=(PLAIN_A,))),
        (NOTHING_READ,),
        None,
        FLAT,
    ),
    Case(
        "disjoint partitions",
        wrote((C2,), (E3,), reading(equal(X, 3), files=(E3,))),
        (wrote((B1,), read=reading(ALL, files=(A1, E3))),),
        None,
    ),
    Case(
        "disjoint partitions, the winner has read all",
        wrote((E3, F3), read=reading(InList(X, (number(1),)), files=(A1,))),
        (wrote((C2,), (D2,), reading(ALL, files=(A1, D2))),),
        None,
    ),
    Case(
        "addition to the partition read",
        wrote((C2, E3), read=reading(equal(X, 1), files=(A1,))),
        (wrote((B1,), read=reading(ALL, files=(A1, D2, E3))),),
        "ConcurrentAppend",
    ),
    Case(
        "full scan",
        wrote((E3, F3), read=reading(ALL, equal(X, 1), files=(A1, D2))),
        (wrote((C2,), (D2,), reading(ALL, files=(A1, D2))),),
        "ConcurrentAppend",
    ),
    Case(
        "nested partitions, one condition over both columns",
        wrote(
            (CC21,),
            read=reading(expressions.And(equal(A, 1), equal(B, 1)), files=(AA11,)),
        ),
        (wrote((BB12,), read=reading(ALL, files=(AA11,))),),
        None,
        NESTED,
    ),
    Case(
        "outer partition read, another written",
        wrote((DD31,), read=reading(equal(A, 1), files=(AA11, BB12))),
        (wrote((CC21,), read=reading(ALL, files=(AA11, BB12))),),
        None,
        NESTED,
    ),
    Case(
        "outer partition read, a file of it removed",
        wrote((DD31,), read=reading(equal(A, 1), files=(AA11, BB12))),
        (wrote(removes=(AA11,), read=reading(ALL, files=(AA11, BB12))),),
        "ConcurrentDeleteRead",
        NESTED,
    ),
    Case(
        "full read of nested partitions",
        wrote((CC21,), read=reading(ALL, files=(AA11,))),
        (wrote((BB12,), read=reading(ALL, files=(AA11,))),),
        "ConcurrentAppend",
        NESTED,
    ),
    Case(
        "range over nested partitions",
        wrote(
            (DD31,),
            read=reading(
                Or(Comparison(">=", A, number(1)), Comparison(">", B, number(1))), files=(AA11,)
            ),
        ),
        (wrote((BB12,), read=reading(ALL, files=(AA11,))),),
        "ConcurrentAppend",
        NESTED,
    ),
    Case(
        "one file removed twice, neither has read it",
        wrote(removes=(BB12,), read=reading(equal(A, 2))),
        (wrote(removes=(BB12,), read=reading(ALL, files=(BB12,))),),
        "ConcurrentDeleteDelete",
        NESTED,
    ),
    Case(
        "full read against addition and removal",
        wrote((D2,), read=reading(ALL, files=(A1, C2))),
        (wrote((B1,), (C2,), reading(ALL, files=(A1, C2))),),
        "ConcurrentAppend",
    ),
    Case(
        "full read against removal",
        wrote(removes=(B1,), read=reading(ALL, files=(A1, C2))),
        (wrote(removes=(A1,), read=reading(ALL, files=(A1, C2))),),
        "ConcurrentDeleteRead",
    ),
    Case(
        "two replacements of nothing in one range",
        wrote((C2,), read=reading(Comparison(">=", X, number(2)))),
        (wrote((E3,), read=reading(Comparison(">=", X, number(2)))),),
        "ConcurrentAppend",
    ),
    Case(
        "two replacements of disjoint ranges",
        wrote((G4,), read=reading(Comparison(">", X, number(3)))),
        (wrote((C2,), read=reading(Comparison("<=", X, number(3)))),),
        None,
    ),
    Case(
        "two replacements that share a partition emptied by the first",
        wrote(
            (D2,),
            (C2, E3),
            reading(Or(equal(X, 3), equal(X, 2)), files=(C2, E3)),
        ),
        (wrote((B1,), (A1, E3), reading(Or(equal(X, 3), equal(X, 1)), files=(A1, E3))),),
        "ConcurrentDeleteRead",
    ),
    Case(
        "condition on a partition or data",
        wrote(
            removes=(A1,),
            read=Footprint("x", read_predicates=(ReadPredicate(),), read_files=(A1, E3)),
        ),
        (wrote((C2,), read=reading(ALL, files=(A1, E3))),),
        "ConcurrentAppend",
    ),
    Case(
        "files rearranged while others are added",
        replace(wrote((C1,), (A1, B1), reading(ALL, files=(A1, B1))), data_changed=False),
        (wrote((E3,), read=reading(ALL, files=(A1, B1))),),
        None,
    ),
    Case(
        "files rearranged while one is removed",
        replace(wrote((C1,), (A1, B1), reading(ALL, files=(A1, B1))), data_changed=False),
        (wrote(removes=(A1,), read=reading(ALL, files=(A1, B1))),),
        "ConcurrentDeleteRead",
    ),
    # ConflictCheckerReadFilePathLookupSuite
    Case(
        "the last of three winners removed what was read",
        wrote((D2,), (B1,), reading(equal(X, 1), files=(A1, B1))),
        (wrote((E3,)), wrote(removes=(C2,)), wrote(removes=(A1,))),
        "ConcurrentDeleteRead",
    ),
    Case(
        "three winners and none removed what was read",
        wrote(removes=(A1,), read=reading(equal(X, 1), files=(A1, B1))),
        (wrote((E3,)), wrote(removes=(C2,)), wrote((D2,))),
        None,
    ),
    Case(
        "the last of three winners removed what it removes",
        wrote(removes=(A1,), read=reading(equal(X, 4))),
        (wrote((E3,)), wrote(removes=(C2,)), wrote(removes=(A1,))),
        "ConcurrentDeleteDelete",
    ),
    # ConflictDataSkippingSuite
    Case(
        "removal of what it never read",
        wrote((PLAIN_B,), (PLAIN_C,)),
        (wrote((PLAIN_A,)),),
        "ConcurrentAppend",
        FLAT,
    ),
    Case(
        "append to a table that was tainted",
        wrote((PLAIN_B,), read=EVERYTHING),
        (wrote((PLAIN_A,)),),
        "ConcurrentAppend",
        FLAT,
    ),
)


def ranging(path: str, low: int, high: int) -> DataFile:
    """A file of a table without partitions, with two rows as its bounds."""
    rows = tuple(StoredRow((path, n), "setup", (x,)) for n, x in enumerate((low, high)))
    return data_file(path, FLAT, rows)


def where(operator: str, value: int, *files: DataFile) -> Footprint:
    """A transaction of delta-rs that has read by one condition on a data column."""
    condition = Comparison(operator, Column(0, "x", INT), number(value))
    return Footprint("DELETE", read_predicates=(ReadPredicate(ALL, condition),), read_files=files)


LOW, MIDDLE, HIGH = ranging("low", 1, 10), ranging("middle", 11, 100), ranging("high", 100, 10000)

DELTA_RS_CASES = (
    # The tests in crates/core/src/kernel/transaction/conflict_checker.rs.
    Case("two appends", wrote((LOW,)), (wrote((MIDDLE,)),), None, FLAT),
    Case(
        "removal of what it did not read",
        where(">", 10, HIGH),
        (wrote(removes=(LOW,)),),
        None,
        FLAT,
    ),
    Case("addition of what it would not have read", where(">", 10), (wrote((LOW,)),), None, FLAT),
    Case(
        "two removals",
        wrote(removes=(LOW,)),
        (wrote(removes=(LOW,)),),
        "ConcurrentDeleteDelete",
        FLAT,
    ),
    Case(
        "addition of what it should have read",
        wrote((MIDDLE,), read=where("<=", 10)),
        (wrote((LOW,)),),
        "ConcurrentAppend",
        FLAT,
    ),
    Case(
        "removal of what it read",
        where("<=", 10, LOW),
        (wrote(removes=(LOW,)),),
        "ConcurrentDeleteRead",
        FLAT,
    ),
    Case(
        "new metadata",
        NOTHING_READ,
        (Footprint("x", metadata=MetadataChange()),),
        "MetadataChanged",
        FLAT,
    ),
    Case(
        "two protocols",
        Footprint("x", protocol=ProtocolChange()),
        (Footprint("x", protocol=ProtocolChange()),),
        "ProtocolChanged",
        FLAT,
    ),
    Case(
        "addition to a table that was tainted",
        wrote((HIGH,), read=replace(where("<", 0), read_whole_table=True)),
        (wrote((MIDDLE,)),),
        "ConcurrentAppend",
        FLAT,
    ),
    Case(
        "removal from a table that was tainted",
        wrote((MIDDLE,), read=EVERYTHING),
        (wrote(removes=(LOW,)),),
        "ConcurrentDeleteRead",
        FLAT,
    ),
)


def conflict(case: Case, rules: Profile) -> Conflict | None:
    level = rules.level_in_force(case.level, case.current)
    winners = tuple(
        Commit(version, f"B{version}", winner, 1, case.level, winner.blind_append)
        for version, winner in enumerate(case.winners, start=2)
    )
    return rules.conflict(Attempt("A", case.current, level, case.table, winners), winners)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_rules_decide_as_delta_s_suites_expect(case: Case) -> None:
    found = conflict(case, DEFAULT)
    assert (found.name if found else None) == case.expected
    assert found is None or found.version == len(case.winners) + 1


@pytest.mark.parametrize("case", DELTA_RS_CASES, ids=lambda case: case.name)
def test_the_rules_decide_as_delta_rs_s_tests_expect(case: Case) -> None:
    found = conflict(case, profile("delta-rs-1.6"))
    assert (found.name if found else None) == case.expected
