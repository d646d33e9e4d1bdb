"""The conflict table: what documents, model and level say of pairs of statement kinds."""

from __future__ import annotations

import pytest

from checker.search.alphabet import LAYOUTS, scenario
from checker.search.statement_kinds import CELL_KINDS, KINDS, statements
from conformance.matrix.documents import GENERATIONS, NOT_SAID
from conformance.matrix.table import Entry, matrix
from isodelta.commands.matrix.page import matrix_cell
from isodelta.commands.matrix.results import Cell
from isodelta.commands.matrix.words import markdown
from model.preparation import prepare, run_scenario
from model.profiles import DEFAULT
from model.scenario import Step

LEVELS = ("Serializable", "WriteSerializable")


@pytest.fixture(scope="module")
def entries() -> dict[tuple[str, str, str, str], Entry]:
    found = matrix(DEFAULT, LEVELS, kinds=CELL_KINDS)
    return {(e.layout, e.level, e.current, e.winner): e for e in found}


def test_every_ordered_pair_has_an_entry(entries: dict[tuple[str, ...], Entry]) -> None:
    assert len(entries) == len(CELL_KINDS) ** 2 * 2 * 2


@pytest.mark.parametrize(
    ("current", "winner", "level", "model", "needed"),
    [
        ("INSERT", "DELETE", "Serializable", "cannot", False),
        ("DELETE", "INSERT", "Serializable", "can", True),
        ("DELETE", "INSERT", "WriteSerializable", "cannot", False),
        ("DELETE", "UPDATE", "WriteSerializable", "can", True),
        # Without the rules the compaction would bring back what was deleted.
        ("OPTIMIZE", "DELETE", "WriteSerializable", "can", True),
        # A compaction leaves the rows that were read as they are.
        ("INSERT SELECT", "OPTIMIZE", "Serializable", "can", False),
    ],
)
def test_what_the_rules_do_and_what_the_level_needs(
    entries: dict[tuple[str, ...], Entry],
    current: str,
    winner: str,
    level: str,
    model: str,
    needed: bool,
) -> None:
    entry = entries["partitioned", level, current, winner]
    assert entry.model == model
    assert (entry.needed_by is not None) == needed


def test_a_witness_conflicts(entries: dict[tuple[str, ...], Entry]) -> None:
    for entry in entries.values():
        if entry.witness is not None:
            assert run_scenario(entry.witness, DEFAULT).ended["A"].conflict is not None


def test_the_rules_stop_all_that_a_level_needs(entries: dict[tuple[str, ...], Entry]) -> None:
    assert [e for e in entries.values() if e.needed_by is not None and e.model == "cannot"] == []


def test_a_dropped_rule_shows_as_unsound() -> None:
    mutant = DEFAULT.without("delete read").without("delete delete")
    found = matrix(mutant, ("Serializable",), kinds=CELL_KINDS)
    assert any("rules unsound" in entry.remarks for entry in found)


def test_generations_differ_where_their_words_do() -> None:
    by_name = {generation.name: generation for generation in GENERATIONS}
    pair = ("OPTIMIZE", "DELETE", "Serializable")
    assert by_name["2020"].says(*pair) == "can"
    assert by_name["14.2"].says(*pair, vectors=True) == "cannot"
    assert by_name["2026 row-level"].says("OPTIMIZE ZORDER", *pair[1:]) == "can"
    assert by_name["14.3"].says(*pair) == NOT_SAID
    assert by_name["14.3"].says("DELETE", "ALTER TABLE", "Serializable") == "can"
    assert by_name["14.3"].says("ALTER TABLE", "DELETE", "Serializable") == NOT_SAID


def test_markdown_has_a_line_for_every_entry(entries: dict[tuple[str, ...], Entry]) -> None:
    text = markdown([Cell(entry) for entry in entries.values()])
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(lines) == len(entries) + 2 * 4  # a heading and its rule for each table
    assert len({line.count("|") for line in lines}) == 1


def test_json_and_report_say_the_same(entries: dict[tuple[str, ...], Entry]) -> None:
    for entry in entries.values():
        result, cell = Cell(entry).to_json(), matrix_cell(entry)
        for key in ("current", "winner", "layout", "level", "document", "model", "needed"):
            assert result[key] == getattr(cell, key)


def test_statement_names_are_unique() -> None:
    named = [statement.name for kind in KINDS for statement in kind.statements]
    assert len(set(named)) == len(named)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_statements_are_of_their_kind(layout: str) -> None:
    named = {f"S{i}": pair for i, pair in enumerate(statements(layout))}
    steps = [Step(action, name) for name in named for action in ("begin", "commit")]
    texts = {name: statement.sql for name, (_, statement) in named.items()}
    case = scenario(layout, "Serializable", texts, steps, "every kind")
    for name, statement in prepare(case, DEFAULT).statements.items():
        reads = {read.table for read in statement.predicate_reads}
        kind = statement.kind
        if kind == "INSERT SELECT" and "t" not in reads:
            kind = "INSERT"
        if "ZORDER" in statement.text:
            kind = "OPTIMIZE ZORDER"
        assert kind == named[name][0], named[name][1].sql
