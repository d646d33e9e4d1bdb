"""Histories from the solver: the model confirms each, and a search finds the same."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path

import pytest

from checker.proofs.shapes import missed_appends_on_a_cycle
from checker.synthesis.footprints import Footprints
from checker.synthesis.search import (
    PROFILES,
    Bounds,
    as_finding,
    exists,
    minimal,
    smallest,
    solutions,
)
from checker.synthesis.sql import kind, scenario
from isodelta.cli import run
from isodelta.commands.explore.symbolic import Synthesis
from isodelta.files.scenarios import read_files
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.preparation import run_scenario
from model.profiles import DEFAULT, NO_RULES, profile
from model.profiles import PROFILES as ALL_PROFILES
from model.profiles.base import Profile
from tests.checker.synthesis.universe import universe

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[3] / "scenarios"
REPAIRED = profile("delta-spark-4.4-repaired")


def test_solver_and_search_find_the_same_violations():
    """All of three statements over two partitions, statement by statement and begin by begin."""
    every = universe(3, 2, 1)
    assert len(every.changes) == 17
    _, violating = every.searched(DEFAULT, WRITE_SERIALIZABLE)
    assert every.solved(DEFAULT, WRITE_SERIALIZABLE, violating=True) == violating
    assert len(violating) == 48


VIOLATIONS = [
    ("delta-spark-4.4", WRITE_SERIALIZABLE, universe(3, 2, 2, sample=14), 20),
    ("delta-spark-4.4", WRITE_SERIALIZABLE, universe(3, 2, 2, together=False, sample=13), 7),
    ("delta-rs-1.6", SERIALIZABLE, universe(2, 2, 1), 38),
    ("delta-rs-1.6", WRITE_SERIALIZABLE, universe(2, 2, 1), 16),
    ("databricks-2020", WRITE_SERIALIZABLE, universe(2, 2, 1), 42),
    ("databricks-2020:weakest", SERIALIZABLE, universe(2, 1, 2), 38),
]


@pytest.mark.parametrize(("name", "level", "some", "count"), VIOLATIONS)
def test_of_every_profile_and_with_files_that_are_skipped(name, level, some, count):
    _, violating = some.searched(profile(name), level)
    assert some.solved(profile(name), level, violating=True) == violating
    assert len(violating) == count


ADMITTED = [
    ("delta-spark-4.4", True, 382),
    ("delta-spark-4.4", False, 392),
    ("databricks-14.3", False, 362),
    ("databricks-14.3:weakest", False, 372),
    ("delta-rs-1.6", False, 386),
]


@pytest.mark.parametrize(("name", "together", "count"), ADMITTED)
def test_solver_and_search_admit_the_same_histories(name, together, count):
    """All of two statements over the two values of one partition: what skipping is about."""
    some = universe(2, 1, 2, together=together)
    admitted, violating = some.searched(profile(name), WRITE_SERIALIZABLE)
    assert some.solved(profile(name), WRITE_SERIALIZABLE, violating=False) == admitted
    assert some.solved(profile(name), WRITE_SERIALIZABLE, violating=True) == violating
    assert len(admitted) == count


EVERY_KIND = [
    (universe(2, 2, 1, every_kind=True), 1404, 0),
    (universe(2, 1, 2, every_kind=True, together=False), 780, 0),
    (universe(3, 2, 1, every_kind=True, sample=10), 2858, 15),
]


@pytest.mark.parametrize(("some", "count", "broken"), EVERY_KIND)
def test_solver_and_search_agree_on_merge_and_replace_where(some, count, broken):
    """What is read, taken out and added are chosen apart from one another."""
    admitted, violating = some.searched(DEFAULT, WRITE_SERIALIZABLE)
    assert some.solved(DEFAULT, WRITE_SERIALIZABLE, violating=False) == admitted
    assert some.solved(DEFAULT, WRITE_SERIALIZABLE, violating=True) == violating
    assert (len(admitted), len(violating)) == (count, broken)
    assert any("REPLACE WHERE" in text for texts, _ in admitted for text in texts)


def test_solver_and_search_agree_on_the_repaired_rules():
    some = universe(3, 2, 1, sample=5)
    own, violating = some.searched(DEFAULT, WRITE_SERIALIZABLE)
    admitted, _ = some.searched(REPAIRED, WRITE_SERIALIZABLE)
    assert some.solved(REPAIRED, WRITE_SERIALIZABLE, violating=False) == admitted
    assert own - admitted == violating


VECTORS = {"delta.enableDeletionVectors": "true"}


@pytest.mark.parametrize("level", [SERIALIZABLE, WRITE_SERIALIZABLE])
def test_deletion_vectors_make_no_difference(level):
    """A file with another deletion vector is one that was rewritten, to every rule."""
    some = universe(2, 1, 2)
    marked, _ = replace(some, properties=VECTORS).searched(DEFAULT, level)
    assert some.solved(DEFAULT, level, violating=False) == marked


@pytest.mark.parametrize("level", [SERIALIZABLE, WRITE_SERIALIZABLE])
def test_a_table_without_partitions_is_like_one_with_one(level):
    some = universe(2, 1, 2)
    plain, _ = replace(some, partitioned=False).searched(DEFAULT, level)
    assert some.solved(DEFAULT, level, violating=False) == plain


def _files(found: Footprints, level: str, rules: Profile) -> int:
    """The files of a history: those at the beginning and those that its writers add."""
    run = run_scenario(scenario(found, level, "files"), rules)
    added = (ended.footprint.adds for ended in run.ended.values() if ended.footprint)
    return len(run.workload.base.files) + sum(map(len, added))


@pytest.mark.parametrize(
    ("name", "level", "n", "partitions"),
    [
        ("delta-rs-1.6", SERIALIZABLE, 2, 2),
        ("databricks-2020", WRITE_SERIALIZABLE, 2, 2),
        ("delta-spark-4.4", WRITE_SERIALIZABLE, 3, 1),
    ],
)
def test_the_smallest_of_each_kind_are_all_there_are(name, level, n, partitions):
    """Held against every history of the search, over every way to fill the table."""
    rules = profile(name)
    some = universe(n, partitions, 1)
    best: dict[object, tuple[int, int]] = {}
    sizes: dict[Footprints, tuple[object, tuple[int, int]]] = {}
    for filled in chain.from_iterable(
        combinations(range(partitions), size) for size in range(partitions + 1)
    ):
        for found in replace(some, filled=frozenset(filled)).violations(rules, level):
            of_kind = (tuple(kind(found, i) for i in range(n)), found.begins)
            size = (found.steps, _files(found, level, rules))
            best[of_kind] = min(size, best.get(of_kind, size))
            sizes[found.canonical] = (of_kind, size)
    expected = {found for found, (of_kind, size) in sizes.items() if best[of_kind] == size}
    groups = list(minimal(n, level, rules, Bounds(partitions)))
    listed = [found for group in groups for found in group]
    assert set(listed) == expected
    assert len(listed) == len(set(listed)) > len(groups) - 1
    steps_and_files = [sizes[group[0]][1] for group in groups]
    assert steps_and_files == sorted(steps_and_files)
    assert list(smallest(n, level, rules, Bounds(partitions))) == [group[0] for group in groups]


def test_the_model_confirms_every_smallest_violation():
    found = [as_finding(f, WRITE_SERIALIZABLE) for f in smallest(3, WRITE_SERIALIZABLE, DEFAULT)]
    assert len(found) == 10
    assert all(each.kind == "level-violation" and each.cycle for each in found)
    for each in found:
        assert missed_appends_on_a_cycle(run_scenario(each.scenario, DEFAULT).history)
    kinds = {each.statement_kinds[0] for each in found}
    assert kinds == {"INSERT"}


def test_the_smallest_of_four_are_confirmed_too():
    for number, found in enumerate(solutions(4, WRITE_SERIALIZABLE, DEFAULT, Bounds(2))):
        history = run_scenario(scenario(found, WRITE_SERIALIZABLE, "four"), DEFAULT).history
        assert missed_appends_on_a_cycle(history)
        if number == 20:
            break


@pytest.mark.parametrize(
    ("rules", "level", "answers"),
    [
        (DEFAULT, SERIALIZABLE, ["none", "none", "none", "none"]),
        (DEFAULT, WRITE_SERIALIZABLE, ["none", "none", "some", "some"]),
        (REPAIRED, WRITE_SERIALIZABLE, ["none", "none", "none", "none"]),
    ],
    ids=["Serializable", "WriteSerializable", "repaired"],
)
def test_which_sizes_have_a_violation(rules, level, answers):
    assert [exists(n, level, rules).answer for n in (1, 2, 3, 4)] == answers


def test_a_time_out_is_unknown_and_other_profiles_are_refused():
    assert exists(6, SERIALIZABLE, DEFAULT, Bounds(5), timeout_ms=1).answer == "unknown"
    with pytest.raises(ValueError, match="not encoded"):
        exists(2, SERIALIZABLE, NO_RULES)
    with pytest.raises(ValueError, match="not encoded"):
        exists(2, "SnapshotIsolation", profile("delta-rs-1.6"))
    with pytest.raises(ValueError, match="at most 2 values"):
        exists(2, SERIALIZABLE, DEFAULT, Bounds(values=3))
    documented = {name for name in ALL_PROFILES if name.startswith("databricks-")}
    assert set(PROFILES) == {DEFAULT.name, REPAIRED.name, "delta-rs-1.6"} | documented


def test_the_smallest_come_in_order_of_steps_and_are_confirmed_with_skipped_files():
    found = list(smallest(3, WRITE_SERIALIZABLE, DEFAULT, Bounds(values=2)))
    assert len(found) == 10
    assert [each.steps for each in found] == sorted(each.steps for each in found)
    for each in found:
        assert as_finding(each, WRITE_SERIALIZABLE).kind == "level-violation"


@pytest.mark.parametrize("name", ["delta-rs-1.6", "databricks-2020", "databricks-2020:weakest"])
def test_the_model_confirms_the_smallest_violations_of_other_profiles(name):
    found = list(smallest(2, WRITE_SERIALIZABLE, profile(name), Bounds(values=2)))
    assert found
    for each in found:
        assert as_finding(each, WRITE_SERIALIZABLE, profile(name)).cycle


def test_two_writers_of_delta_rs_break_serializable():
    assert [exists(n, SERIALIZABLE, profile("delta-rs-1.6")).answer for n in (1, 2)] == [
        "none",
        "some",
    ]


def test_explore_symbolic_prints_findings_and_a_summary(capsys):
    arguments = ["explore", "--symbolic", "--transactions", "3", "--level", WRITE_SERIALIZABLE]
    assert run([*arguments, "--json"]) == 1
    *found, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(each["levels"][WRITE_SERIALIZABLE]["verdict"] == "violated" for each in found)
    assert last["summary"]["violations"] == len(found) == 10
    answers = [size["answer"] for size in last["summary"]["sizes"]]
    assert (answers, last["summary"]["complete"]) == (["none", "none", "some"], True)


def test_explore_symbolic_lists_all_up_to_names(capsys):
    arguments = ["explore", "--symbolic", "--level", WRITE_SERIALIZABLE, "--partitions", "2"]
    assert run([*arguments, "--json"]) == 1
    few = capsys.readouterr().out.splitlines()
    assert run([*arguments, "--all", "--json"]) == 1
    *found, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(found) > len(few) - 1
    assert (last["summary"]["partitions"], last["summary"]["complete"]) == (2, True)


def test_explore_symbolic_over_every_kind_finds_merge(capsys):
    arguments = ["explore", "--symbolic", "--every-kind", "--partitions", "2", "--json"]
    assert run([*arguments, "--level", WRITE_SERIALIZABLE]) == 1
    *found, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "MERGE INTO" in json.dumps(found)
    assert "REPLACE WHERE" in json.dumps(found)
    assert last["summary"]["every_kind"]
    assert run([*arguments, "--profile", "delta-rs-1.6"]) == 2


def test_explore_takes_more_transactions_with_the_solver_only(capsys):
    large = ["explore", "--transactions", "7"]
    assert run(large) == 2
    assert run([*large, "--symbolic", "--level", SERIALIZABLE, "--partitions", "1"]) == 0
    assert "7 writers over 1 partition: has none" in capsys.readouterr().out


def test_explore_symbolic_says_that_there_is_none(capsys):
    arguments = ["explore", "--symbolic", "--transactions", "2", "--profile", REPAIRED.name]
    assert run(arguments) == 0
    assert "WriteSerializable, 2 writers over 3 partitions: has none" in capsys.readouterr().out


def test_explore_symbolic_refuses_what_it_does_not_encode(capsys):
    assert run(["explore", "--symbolic", "--profile", "no-rules"]) == 2
    assert run(["explore", "--data-values", "2"]) == 2
    assert "options of --symbolic" in capsys.readouterr().err
    rs = ["explore", "--symbolic", "--profile", "delta-rs-1.6", "--level", "SnapshotIsolation"]
    assert run(rs) == 2
    assert "not encoded" in capsys.readouterr().err


def test_explore_symbolic_writes_a_report_with_the_smallest_violations(capsys, tmp_path):
    arguments = ["explore", "--symbolic", "--level", WRITE_SERIALIZABLE, "--report", str(tmp_path)]
    assert run(arguments) == 1
    report = json.loads((tmp_path / "report.json").read_text())
    assert len(report["findings"]) == 10
    assert [part["message"] for part in report["parts"]] == [
        f"violations: {answer}" for answer in ("none", "none", "some")
    ]
    assert len(list((tmp_path / "findings").iterdir())) == 10


@pytest.mark.spark
def test_delta_admits_the_smallest_violations(spark_engine):
    synthesis = Synthesis(DEFAULT, (WRITE_SERIALIZABLE,), 3, 60, lambda _: None)
    assert len(list(synthesis.run())) == 10
    replayed = list(synthesis.replay(spark_engine))
    assert (len(replayed), synthesis.differences) == (10, [])


def test_the_collection_has_the_smallest_violations():
    """The scenario file is what the solver finds, whatever it was asked before."""
    exists(3, SERIALIZABLE, DEFAULT)
    solved = [scenario(f, WRITE_SERIALIZABLE, "") for f in smallest(3, WRITE_SERIALIZABLE, DEFAULT)]
    kept = [loaded.scenario for loaded in read_files([FOLDER / "smallest_violations.yaml"])]

    def plain(scenarios):
        return sorted(str((s.table, s.transactions, s.schedule)) for s in scenarios)

    assert plain(solved) == plain(kept)
