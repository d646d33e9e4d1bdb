"""`prove` reads the code of the rules: every mutant of it is noticed, or proved to say the same."""

from __future__ import annotations

import ast
import copy
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from checker.proofs.lemma import check, follows
from checker.proofs.rule_formulas.concrete import ConcreteFacts
from checker.proofs.rule_formulas.facts import RULES
from checker.proofs.theorems.running_code import repair as running_repair
from checker.proofs.theorems.running_code import rules as running_rules
from checker.proofs.theorems.running_code.rules import CODE, Transactions
from checker.solving import Limits
from isodelta.cli import run
from model.levels import SERIALIZABLE
from model.physical.footprint import Footprint, MetadataChange, ProtocolChange
from model.physical.log import Commit
from model.profiles import DEFAULT
from model.rules import delta_spark, read_through_append
from model.rules.base import Attempt
from model.tables.protocol import ENABLING
from tests.model.rules.footprints import TABLES, random_attempts

pytestmark = pytest.mark.slow

QUICKLY = Limits(resources=20_000_000, wall_ms=60_000)
LEMMA = {lemma.name: lemma for lemma in running_rules.LEMMAS}
MODULES = {rule: Path(code.__globals__["__file__"]) for rule, code in CODE.items()}
OTHER_FIELD = {
    "adds": "removes",
    "removes": "adds",
    "read_files": "removes",
    "read_whole_table": "restates",
    "properties": "turned_off",
    "turned_off": "properties",
    "dropped": "added",
    "schema_changed": "properties_removed",
    "properties_removed": "schema_changed",
    "identity_only": "schema_changed",
    "restates": "read_whole_table",
    "metadata": "protocol",
    "protocol": "metadata",
    "blind_append": "restates",
    "next_version_only": "restates",
    "data_changed": "restates",
}
OPPOSITE = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.BitAnd: ast.Sub,
    ast.Sub: ast.BitAnd,
    ast.BitOr: ast.Sub,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    """What may stand in the place of a part of a rule; None where a statement goes."""
    match node:
        case ast.If():
            yield (
                "a condition the other way round",
                ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse),
            )
            yield "a condition left out", None
            yield (
                "a condition that always holds",
                ast.If(ast.Constant(True), node.body, node.orelse),
            )
        case ast.For():
            yield "a loop left out", None
        case ast.Return(value=ast.Constant(value=None)):
            yield "a refusal where there was none", ast.Return(ast.Constant("refused"))
        case ast.Return(value=ast.JoinedStr()):
            yield "a refusal left out", ast.Return(ast.Constant(None))
        case ast.Return(value=ast.Constant(value=bool() as value)):
            yield "the other answer", ast.Return(ast.Constant(not value))
        case ast.BoolOp(op=operator, values=values):
            yield "and for or", ast.BoolOp(OPPOSITE[type(operator)](), values)
            for place in range(len(values)):
                rest = values[:place] + values[place + 1 :]
                yield (
                    f"part {place + 1} left out",
                    (rest[0] if len(rest) == 1 else ast.BoolOp(operator, rest)),
                )
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not left out", operand
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            if type(operator) in OPPOSITE:
                yield "the opposite", ast.Compare(left, [OPPOSITE[type(operator)]()], [right])
            else:
                yield "the other way round", ast.Compare(right, [operator], [left])
            for element in right.elts if isinstance(right, ast.Tuple) else ():
                kept = [each for each in right.elts if each is not element]
                without = ast.Tuple(kept, ast.Load())
                yield f"without {element.id}", ast.Compare(left, [operator], [without])
        case ast.BinOp(left=left, op=operator, right=right):
            yield "another operation", ast.BinOp(left, OPPOSITE[type(operator)](), right)
            yield "the left side alone", left
        case ast.Attribute(value=owner, attr=name) if name in OTHER_FIELD:
            yield f"{OTHER_FIELD[name]} for {name}", ast.Attribute(owner, OTHER_FIELD[name])
        case ast.Call(func=ast.Name(id="frozenset"), args=[ast.Set(elts=elements)]):
            for element in elements:
                kept = [each for each in elements if each is not element]
                without = ast.Call(node.func, [ast.Set(kept)], [])
                yield f"without {ast.unparse(element)}", without
            more = ast.Constant("delta.appendOnly")
            yield "with one more", ast.Call(node.func, [ast.Set([*elements, more])], [])


class _Replace(ast.NodeTransformer):
    """Puts one change in the place of one node."""

    def __init__(self, place: int, change: ast.AST | None) -> None:
        self.place, self.change, self.number = place, change, -1

    def visit(self, node: ast.AST) -> ast.AST | None:
        self.number += 1
        if self.number == self.place:
            return self.change if self.change is not None else ast.Pass()
        return self.generic_visit(node)


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """All nodes in the order in which ``_Replace`` meets them."""
    seen: list[ast.AST] = []

    class Visit(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            seen.append(node)
            return self.generic_visit(node)

    Visit().visit(tree)
    return seen


def _own(tree: ast.Module, names: set[str]) -> set[int]:
    """The nodes of the functions and tables of data with some names, but not words and types."""
    wanted: set[int] = set()
    for statement in tree.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement
        name = getattr(target, "name", getattr(target, "id", None))
        if name in names:
            parts = statement.body if isinstance(statement, ast.FunctionDef) else [statement]
            wanted |= {id(node) for part in parts for node in ast.walk(part)}
    words = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    return wanted - {id(node) for each in words for node in ast.walk(each) if node is not each}


def _helpers(module: Path, start: str) -> set[str]:
    """The names that a function uses in its module, and those that these use."""
    tree = ast.parse(module.read_text())
    found, left = set(), [start]
    while left:
        found.add(left.pop())
        for statement in tree.body:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement
            if getattr(target, "name", getattr(target, "id", None)) in found:
                names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
                left += [name for name in names - found if name not in left]
    return found - {"_partition"}


def mutants(path: Path, names: set[str]) -> Iterator[tuple[str, str]]:
    """Every mutant of a module: what was changed, with the line, and its source."""
    tree = ast.parse(path.read_text())
    own = _own(tree, names)
    for place, node in enumerate(_nodes(tree)):
        if id(node) not in own:
            continue
        for how, change in _changes(node):
            if isinstance(node, ast.If | ast.For) and change is None:
                change = ast.Expr(ast.Constant("left out"))
            again = _Replace(place, copy.deepcopy(change)).visit(ast.parse(path.read_text()))
            ast.fix_missing_locations(again)
            text = ast.unparse(node).splitlines()[0]
            yield f"{text}: {how}", ast.unparse(again)


def _module(folder: Path, source: str) -> ModuleType:
    path = folder / f"mutant_{abs(hash(source))}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _surviving(folder: Path, monkeypatch: pytest.MonkeyPatch, rule: str) -> tuple[int, set[str]]:
    """How many mutants of a rule there are, and those that are proved to refuse the same."""
    function = CODE[rule].__name__
    lemmas = [LEMMA[name] for name in LEMMA if name.startswith(f"as it runs: {rule}")]
    count, same = 0, set()
    for name, source in mutants(MODULES[rule], _helpers(MODULES[rule], function)):
        monkeypatch.setitem(CODE, rule, getattr(_module(folder, source), function))
        results = [check(lemma, mutants=False) for lemma in lemmas]
        # Unknown is a mutant that reads what is not there; the solver decides the others.
        assert all(each.verdict != "unknown" or each.failure for each in results), name
        count += 1
        if all(each.verdict == "proved" for each in results):
            same.add(name)
    return count, same


def _mutants_of_the_repair() -> list[tuple[str, str]]:
    """All but those of the search for a way back: ``test_repair.py`` holds it against networkx."""
    names = {"check", "may_depend", "_shows", "_follows", "_misses", "_covers", "_leads_back"}
    return list(mutants(Path(read_through_append.__file__), names))


def _still_proved(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> bool:
    """Not where it is refuted; nor where z3 gives up, which is a failure of ``prove`` as well."""
    mutant = _module(folder, source)
    for function in ("way_back", "_snapshot"):  # The translation knows these by themselves.
        setattr(mutant, function, getattr(read_through_append, function))
    monkeypatch.setattr(running_repair, "read_through_append", mutant)
    return all(
        check(lemma, mutants=False, limits=QUICKLY).verdict == "proved"
        for lemma in running_repair.LEMMAS
    )


def test_mutants_of_the_repair_are_noticed(tmp_path, monkeypatch):
    """Every eighth; the long form has all of them."""
    sample = _mutants_of_the_repair()[::8]
    assert len(sample) > 8
    same = {name for name, source in sample if _still_proved(tmp_path, monkeypatch, source)}
    assert same <= EQUIVALENT_REPAIRS


@pytest.mark.nightly
def test_every_mutant_of_the_repair_is_noticed(tmp_path, monkeypatch):
    same = {
        name
        for name, source in _mutants_of_the_repair()
        if _still_proved(tmp_path, monkeypatch, source)
    }
    assert same == EQUIVALENT_REPAIRS


EQUIVALENT_REPAIRS: set[str] = set()

EQUIVALENT = {
    "feature in use": {
        "mine is None or theirs is None or (not mine.dropped): part 3 left out": "where no feature "
        "is dropped, none is found later either",
    },
    "delete delete": {
        "if not removed:: a condition left out": "where nothing is removed, nothing is found later "
        "either",
    },
    "level in force": {
        "table_level == WRITE_SERIALIZABLE and footprint.operation in REARRANGING_OPERATIONS: "
        "part 1 left out": "a table that is not Serializable is WriteSerializable",
    },
}
"""The mutants that are proved to refuse what the rule refuses, and why they do."""


@pytest.mark.parametrize("rule", CODE)
def test_every_mutant_of_a_rule_is_noticed_or_proved_equal(rule, tmp_path, monkeypatch):
    count, same = _surviving(tmp_path, monkeypatch, rule)
    assert same == set(EQUIVALENT.get(rule, {}))
    assert count >= 3


def test_what_is_proved_equal_is_equal_on_random_footprints(tmp_path):
    for rule in ("feature in use", "delete delete"):
        reasons = EQUIVALENT[rule]
        for name, source in mutants(MODULES[rule], _helpers(MODULES[rule], CODE[rule].__name__)):
            if name in reasons:
                mutant = getattr(_module(tmp_path, source), CODE[rule].__name__)
                for attempt, winner in random_attempts(5, 2_000):
                    said = mutant(attempt, winner) is None
                    assert said == (CODE[rule](attempt, winner) is None)


@pytest.mark.parametrize("feature", ENABLING)
def test_a_property_that_enables_a_feature_is_part_of_the_proof(feature, monkeypatch):
    other = {**ENABLING, feature: ("delta.another", "true")}
    monkeypatch.setattr(delta_spark, "ENABLING", other)
    assert check(LEMMA["as it runs: feature in use"]).verdict == "refuted"


def _a_large_commit_may_be_blind(self):
    return not self.removes and not self.read_predicates and not self.read_files


def _predicates_do_not_count(self):
    return not self.next_version_only and not self.removes and not self.read_files


@pytest.mark.parametrize("mutant", [_a_large_commit_may_be_blind, _predicates_do_not_count])
def test_what_a_blind_append_is_is_part_of_the_proof(mutant, monkeypatch):
    monkeypatch.setattr(Footprint, "blind_append", property(mutant))
    assert check(LEMMA["as it runs: added files"]).verdict == "refuted"


def test_prove_fails_where_the_code_of_a_rule_says_less(tmp_path, monkeypatch, capsys):
    source = MODULES["delete delete"].read_text().replace("in mine for", "not in mine for")
    monkeypatch.setitem(CODE, "delete delete", _module(tmp_path, source).delete_delete)
    assert run(["prove", "--json", "--profile", "delta-spark-4.4-repaired"]) == 1
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    (wrong,) = (each for each in first["lemmas"] if each["verdict"] != "proved")
    assert (wrong["lemma"], wrong["verdict"]) == ("as it runs: delete delete", "refuted")


def _counts(attempt, winner):
    count = 0
    for _ in winner.footprint.adds:
        count += 1
    return "many" if count > 2 else None


def _two_answers(attempt, winner):
    for file in winner.footprint.adds:
        if file.path in attempt.footprint.domains:
            return "one"
        return None
    return None


def _unknown_field(attempt, winner):
    return "old" if winner.began else None


@pytest.mark.parametrize("code", [_counts, _two_answers, _unknown_field])
def test_code_that_cannot_be_translated_is_never_passed_over(code, monkeypatch):
    monkeypatch.setitem(CODE, "delete delete", code)
    result = check(LEMMA["as it runs: delete delete"])
    assert result.verdict == "unknown"
    assert code.__name__ in result.because


def _forgets_that_there_may_be_none(attempt, winner):
    return "changed" if winner.footprint.metadata.schema_changed else None


def test_code_that_would_fail_is_refuted(monkeypatch):
    """Even where it refuses the right attempts whenever it does not fail."""
    s = Transactions()
    translation = s.translation()
    translation.call(_forgets_that_there_may_be_none, s.attempt(), s.commit(s.w))
    (obligation,) = translation.obligations
    assert follows([], obligation).verdict == "refuted"
    assert follows([s.truth("metadata", s.w)], obligation).verdict == "proved"


def test_a_feature_dropped_beside_a_winner_that_enables_it_is_refused_by_rule_and_formula():
    enabling = MetadataChange(frozenset({"delta.enableInCommitTimestamps"}))
    dropping = ProtocolChange(dropped=frozenset({"inCommitTimestamp"}))
    winner = Commit(1, "W", Footprint("SET TBLPROPERTIES", metadata=enabling), 0, SERIALIZABLE)
    footprint = Footprint("DROP FEATURE", protocol=dropping)
    attempt = Attempt("T", footprint, SERIALIZABLE, TABLES["partitioned"], (winner,))
    assert DEFAULT.conflict(attempt, [winner]).rule == "feature in use"
    assert RULES["feature in use"](ConcreteFacts(attempt, winner))
