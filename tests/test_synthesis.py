"""Histories from the solver: the model confirms each, and a search finds the same."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import pytest

from checker.alphabet import NamedStatement
from checker.exhaustive import Search
from checker.missed_append import on_a_cycle
from checker.synthesis.encoding import Footprints
from checker.synthesis.search import PROFILES, as_finding, exists, smallest, solutions
from checker.synthesis.sql import scenario, statement
from isodelta.cli import run
from isodelta.scenario_files import read_files
from isodelta.synthesis import Synthesis
from model.profiles import DEFAULT, profile
from model.rules.base import SERIALIZABLE, WRITE_SERIALIZABLE
from model.simulator import run_scenario

FOLDER = Path(__file__).parent.parent / "scenarios"
REPAIRED = profile("delta-spark-4.4-repaired")


def expressible(partitions: int) -> list[str]:
    """Every statement that the encoding knows, in SQL, for a writer whose place does not matter."""
    sets = [
        frozenset(chosen)
        for size in range(partitions + 1)
        for chosen in combinations(range(partitions), size)
    ]
    found = []
    for reads, adds, removes in product(sets, sets, (False, True)):
        if removes:
            apart = len(adds) == 1 and not reads & adds
            sound = bool(reads) and (not adds or adds == reads or apart)
        else:
            sound = len(adds) == 1 if reads else bool(adds)
        if sound:
            alone = Footprints((reads,), (adds,), (removes,), (0,), frozenset())
            found.append(statement(alone, 0))
    return found


def test_solver_and_search_find_the_same_violations(monkeypatch):
    """All of three statements over two partitions, statement by statement and begin by begin."""
    from checker import alphabet
    from model.scenario import TableSpec

    texts = expressible(2)
    assert len(texts) == len(set(texts)) == 17
    setup = ("INSERT INTO t VALUES (1, 1, 10), (2, 2, 10)",)
    spec = TableSpec({"k": "int", "p": "int", "v": "int"}, partition_by=("p",), setup=setup)
    layout = alphabet.Layout("partitioned", spec)
    monkeypatch.setitem(alphabet.LAYOUTS, "partitioned", layout)
    part = [NamedStatement(text, text) for text in texts]
    judged = set()

    def note(path, history, violated):
        if WRITE_SERIALIZABLE in violated:
            judged.add((tuple(texts[i] for i in path.writers), path.begins))

    search = Search("partitioned", statements=part)
    assert search.run(WRITE_SERIALIZABLE, 3, observer=note).complete
    solved = set()
    for found in solutions(3, WRITE_SERIALIZABLE, DEFAULT, 2, filled=True):
        plain = tuple(
            statement(
                Footprints(
                    (found.reads[i],), (found.adds[i],), (found.removes[i],), (0,), frozenset()
                ),
                0,
            )
            for i in range(3)
        )
        solved.add((plain, found.begins))
    assert solved == judged
    assert len(solved) == 48


def test_the_model_confirms_every_smallest_violation():
    found = [as_finding(f, WRITE_SERIALIZABLE) for f in smallest(3, WRITE_SERIALIZABLE, DEFAULT)]
    assert len(found) == 10
    assert all(each.kind == "level-violation" and each.cycle for each in found)
    for each in found:
        assert on_a_cycle(run_scenario(each.scenario, DEFAULT).history)
    kinds = {each.statement_kinds[0] for each in found}
    assert kinds == {"INSERT"}


def test_the_smallest_of_four_are_confirmed_too():
    for number, found in enumerate(solutions(4, WRITE_SERIALIZABLE, DEFAULT, 2)):
        history = run_scenario(scenario(found, WRITE_SERIALIZABLE, "four"), DEFAULT).history
        assert on_a_cycle(history)
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
    assert exists(6, SERIALIZABLE, DEFAULT, 5, timeout_ms=1).answer == "unknown"
    with pytest.raises(ValueError, match="not encoded"):
        exists(2, SERIALIZABLE, profile("delta-rs-1.6"))
    assert set(PROFILES) == {DEFAULT.name, REPAIRED.name}


def test_explore_symbolic_prints_findings_and_a_summary(capsys):
    arguments = ["explore", "--symbolic", "--transactions", "3", "--level", WRITE_SERIALIZABLE]
    assert run([*arguments, "--json"]) == 1
    *found, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(each["levels"][WRITE_SERIALIZABLE]["verdict"] == "violated" for each in found)
    assert last["summary"]["violations"] == len(found) == 10
    answers = [size["answer"] for size in last["summary"]["sizes"]]
    assert (answers, last["summary"]["complete"]) == (["none", "none", "some"], True)


def test_explore_symbolic_says_that_there_is_none(capsys):
    arguments = ["explore", "--symbolic", "--transactions", "2", "--profile", REPAIRED.name]
    assert run(arguments) == 0
    assert "WriteSerializable, 2 writers over 3 partitions: has none" in capsys.readouterr().out


def test_explore_symbolic_refuses_what_it_does_not_encode(capsys):
    assert run(["explore", "--symbolic", "--profile", "delta-rs-1.6"]) == 2
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
