"""The random stream of a campaign, and the tree of a pool's interleavings."""

import pytest

from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.search.job_tree import JobTree
from isodelta.files.scenario_writer import scenario_yaml
from model.preparation import run_scenario
from model.profiles import profile
from model.scenario import Scenario
from pipeline.lessons.meetings import Watch
from pipeline.stages.histories import history_batch
from pipeline.stages.predictions import JUDGED
from pipeline.stream import Pool, history, pool
from tests.nightly import cases

POSITIONS = range(cases(4, 60))


@pytest.mark.parametrize("name", ["delta-spark-4.4", "delta-rs-1.6", "databricks-2026"])
def test_a_leaf_is_what_its_scenario_gives_when_it_is_run_alone(name):
    rules = profile(name)
    compared = 0
    for position in POSITIONS:
        chosen = pool(11, position)
        under = chosen.under(rules)
        if under is None:
            continue
        workload, supported = under
        watch = Watch(rules, chosen.level, chosen.kinds)
        jobs = chosen.jobs
        tree = JobTree(workload, chosen.keys, jobs, watch.profile, supported, watch.observe)
        leaves = list(tree.leaves())
        for leaf in leaves[:: max(1, len(leaves) // 12)]:
            alone = run_scenario(chosen.scenario_of(leaf.number, leaf.path), rules)
            for edge in leaf.edges:
                one = alone.ended[edge.name]
                assert edge.ended.ending == one.ending
            assert sorted(map(repr, leaf.final.shown())) == sorted(map(repr, alone.final.shown()))
            mine, theirs = dependencies(tree.history(leaf)), dependencies(alone.history)
            assert [graph.decide(mine, level).verdict for level in JUDGED] == [
                graph.decide(theirs, level).verdict for level in JUDGED
            ]
            compared += 1
    assert compared >= 10


def test_the_leaves_are_numbered_like_the_paths_whatever_the_profile_leaves_out():
    rules = profile("delta-rs-1.6")
    left_out = 0
    for position in POSITIONS:
        chosen = pool(11, position)
        paths = list(chosen.jobs.paths())
        assert len(paths) == sum(part.below(0) for part in chosen.jobs.passes())
        under = chosen.under(rules)
        if under is None:
            continue
        workload, supported = under
        leaves = list(JobTree(workload, chosen.keys, chosen.jobs, rules, supported).leaves())
        assert all(paths[leaf.number] == leaf.path for leaf in leaves)
        left_out += len(paths) - len(leaves)
    assert left_out


def test_the_classes_of_writers_stand_for_every_interleaving():
    """Named by commit, two writers have 3 schedules and three have 15, of 6 and 90."""
    chosen = _writers_alone()
    pairs = [path for path in chosen.jobs.paths() if len(path.writers) == 2]
    assert sum(chosen.size_of(path) for path in pairs) == 3 * len(chosen.keys) ** 2
    triples = [path for path in chosen.jobs.paths() if len(path.writers) == 3]
    assert sum(chosen.size_of(path) for path in triples) == 15 * len(chosen.keys) ** 3


def _writers_alone() -> Pool:
    for position in range(40):
        chosen = pool(11, position)
        kinds = {"SELECT", "VACUUM"}
        if not kinds & set(chosen.kinds):
            return chosen
    raise AssertionError("no pool of writers")


def test_a_scenario_file_put_together_is_the_one_that_the_writer_gives():
    for position in POSITIONS:
        chosen = pool(11, position)
        texts = history_batch(chosen, scenario_yaml).column("scenario").to_pylist()
        for number, path in list(enumerate(chosen.jobs.paths()))[::97]:
            assert texts[number] == scenario_yaml(chosen.scenario_of(number, path))


def test_a_history_comes_back_from_its_place_alone():
    again: Scenario = history(11, 2, 70)
    paths = list(pool(11, 2).jobs.paths())
    assert again == pool(11, 2).scenario_of(70, paths[70])
    assert again.name == "history 11-2-70"
    with pytest.raises(IndexError, match="position 2 of seed 11"):
        history(11, 2, 100_000)
