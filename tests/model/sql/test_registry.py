"""The registry of statements: complete, and true of what the parsers make."""

from __future__ import annotations

import sys

import pytest

from checker.search import alphabet
from checker.search.statement_kinds import KINDS
from model import statements
from model.scenario import TableSpec
from model.sql import declared_table, parse_statement, parsed
from model.sql.registry import FORMS
from model.statements import Idempotent, Refused, Statement
from model.statements.idempotent import Skipped
from model.statements.opaque import OpaqueStatement

TABLES = {
    name: declared_table(name, TableSpec(alphabet.COLUMNS, partition_by=("p",)))
    for name in ("t", "s")
}
TEXTS = {
    statement.name: statement.sql
    for statement in (*alphabet.STATEMENTS, *(s for kind in KINDS for s in kind.statements))
}

WITHOUT_A_ROW = {"SELECT", "CREATE TABLE", "SKIPPED"}
"""Kinds that the conflict table has no row for: they conflict with nobody, or make the table."""


def every_class() -> set[type[Statement]]:
    """Those that can be made, by the names of their modules: slots leave a twin of each behind."""
    found: set[type[Statement]] = set()
    waiting: list[type[Statement]] = [Statement]
    while waiting:
        waiting += (below := waiting.pop().__subclasses__())
        found.update(below)
    return {
        each
        for each in found
        if "kind" in vars(each) and each.__module__.startswith("model.")
        if getattr(sys.modules[each.__module__], each.__name__) is each
    }


def test_every_class_of_statements_is_registered() -> None:
    registered = {each for form in FORMS for each in form.classes}
    assert every_class() == registered | {Idempotent, OpaqueStatement}


def test_every_class_that_can_be_imported_from_statements_is_registered() -> None:
    registered = {each.__name__ for form in FORMS for each in form.classes} | {"Idempotent"}
    exported = set(statements.__all__) - {"Execution", "Statement"}
    assert exported <= registered


def test_no_two_forms_begin_alike() -> None:
    words = [each for form in FORMS for each in form.words]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("name", TEXTS)
def test_a_form_makes_statements_of_its_classes(name: str) -> None:
    statement = parse_statement(TEXTS[name], "t", TABLES)
    form = parsed(TEXTS[name]).form
    assert type(statement.inner) in form.classes
    assert not isinstance(statement, Refused)


@pytest.mark.parametrize("name", TEXTS)
def test_only_a_text_that_may_redefine_changes_the_definition(name: str) -> None:
    statement = parse_statement(TEXTS[name], "t", TABLES)
    assert parsed(TEXTS[name]).redefines >= statement.changes_definition


def test_every_kind_has_a_row_of_the_conflict_table_with_statements() -> None:
    rows = {kind.name: kind.statements for kind in KINDS}
    kinds = {parse_statement(text, "t", TABLES).kind for text in TEXTS.values()}
    assert all(rows.values())
    assert kinds - WITHOUT_A_ROW <= set(rows)


def test_each_statement_with_a_row_of_its_own_stands_under_its_kind() -> None:
    for form in FORMS:
        for row, examples in form.examples.items():
            kinds = {parse_statement(each.sql, "t", TABLES).kind for each in examples}
            assert all(row.startswith(kind) for kind in kinds)


def test_what_is_skipped_is_about_nothing() -> None:
    skipped = Skipped("", TABLES["t"])
    assert not skipped.changes_definition
    assert not skipped.conditions
