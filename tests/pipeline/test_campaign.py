"""A campaign on Spark, into a store: undisturbed, cut short and resumed, and asked questions."""

import shutil
from dataclasses import replace

import pytest

from conformance.model_engine import ModelEngine
from conformance.spark.startup.java import find_java
from isodelta.files.scenario_writer import scenario_yaml
from isodelta.files.scenarios import read_files
from model.profiles import DEFAULT
from pipeline.campaign import Campaign, Definition
from pipeline.cluster.session import started
from pipeline.errors import PipelineFailed
from pipeline.store.questions import QUESTIONS, answers
from pipeline.store.schemas import REPLAYS, RUNS, TABLES, VERSION_PROPERTY
from pipeline.store.store import Store
from tests.nightly import NIGHTLY

pytestmark = [pytest.mark.spark, pytest.mark.slow]

DEFINITION = Definition(3, (DEFAULT,), "test", "mutant", 4000, (2,), 4)
TIMES = {RUNS.name: ("started", "seconds"), REPLAYS.name: ("seconds",)}


def mutant():
    """The engine under test: the model without one of its rules."""
    return ModelEngine(DEFAULT.without("added files"))


@pytest.fixture(scope="module")
def session():
    if find_java() is None:
        pytest.skip("no Java that Spark runs on was found")
    with started("local[2]") as session:
        yield session


@pytest.fixture(scope="module")
def store(session, tmp_path_factory):
    """The folder of a store with one undisturbed run."""
    folder = tmp_path_factory.mktemp("campaign") / "store"
    campaign = Campaign(session, folder, small(), scenario_yaml, start=mutant)
    for _ in campaign.batches():
        pass
    assert campaign.totals.complete
    return folder


def small():
    """Two batches of one position each."""
    return replace(DEFINITION, schedules=150)


def contents(session, folder):
    """Every row of every table, without what takes the time of day."""
    found = {}
    for name in TABLES:
        rows = session.read.format("delta").load(str(folder / name)).drop(*TIMES.get(name, ()))
        found[name] = sorted(str(row.asDict(recursive=True)) for row in rows.collect())
    return found


def test_a_run_that_was_cut_short_ends_with_the_tables_of_one_that_was_not(
    session, store, tmp_path
):
    cuts = ("batch 0: verdicts", "batch 0: coverage", "batch 1: replays", "batch 1: findings", "")
    for cut in cuts if NIGHTLY else cuts[3:]:

        def progress(text, cut=cut):
            if cut and cut in text:
                raise KeyboardInterrupt

        campaign = Campaign(
            session, tmp_path / "store", small(), scenario_yaml, start=mutant, progress=progress
        )
        assert campaign.run == 1
        try:
            for _ in campaign.batches():
                pass
        except KeyboardInterrupt:
            assert cut
    assert contents(session, tmp_path / "store") == contents(session, store)


def test_the_planted_mutant_is_found_and_the_scenario_of_a_finding_can_be_run(
    session, store, tmp_path
):
    findings = session.read.format("delta").load(str(store / "findings"))
    (first, *_) = findings.where("kind = 'difference'").collect()
    assert first.engine == "mutant"
    assert first.history.startswith("3-")
    file = tmp_path / "finding.yaml"
    file.write_text(first.scenario, encoding="utf-8")
    (loaded,) = read_files([file], DEFAULT)
    assert loaded.scenario.transactions


def test_every_history_leads_back_to_its_scenario(session, store, tmp_path):
    rows = session.read.format("delta").load(str(store / "histories")).limit(3).collect()
    for row in rows:
        assert row.history == f"{row.seed}-{row.position}-{row.number}"
        file = tmp_path / "history.yaml"
        file.write_text(row.scenario, encoding="utf-8")
        (loaded,) = read_files([file], DEFAULT)
        assert [t.sql for t in row.transactions] == list(loaded.scenario.transactions.values())
        assert [str(step) for step in loaded.scenario.schedule] == row.schedule


@pytest.mark.nightly
def test_an_older_store_gets_the_columns_that_it_lacks_and_a_damaged_one_is_refused(
    session, store, tmp_path
):
    old = tmp_path / "old"
    shutil.copytree(store, old)
    table = f"delta.`{old / 'runs'}`"
    session.sql(
        f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', "
        "'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')"
    )
    session.sql(f"ALTER TABLE {table} DROP COLUMN seconds")
    again = Campaign(session, old, small(), scenario_yaml, start=mutant)
    assert again.run == 2
    assert "seconds" in session.read.format("delta").load(str(old / "runs")).columns
    session.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('{VERSION_PROPERTY}' = '999')")
    with pytest.raises(PipelineFailed, match=r"newer isodelta \(schema 999"):
        Campaign(session, old, small(), scenario_yaml, start=mutant)
    for entry in (old / "histories" / "_delta_log").glob("*.json"):
        entry.write_text("damaged", encoding="utf-8")
    for entry in (old / "histories" / "_delta_log").glob("*.crc"):
        entry.unlink()
    with pytest.raises(PipelineFailed) as failure:
        Campaign(session, old, small(), scenario_yaml, start=mutant)
    assert "\n" not in str(failure.value)


@pytest.fixture(scope="module")
def answered(session, store):
    """The rows of each question, by its name, as dictionaries."""
    found = answers(Store(session, store))
    return {answer.question.name: answer.to_json()["rows"] for answer in found}


def test_every_question_is_answered(answered):
    assert answered.keys() == {question.name for question in QUESTIONS}
    empty = {name for name, rows in answered.items() if not rows}
    # One profile agrees with itself; this store has no violation of a promised level.
    assert empty <= {"disagreements of profiles", "anomalies by statement pair"}


def test_the_answers_agree_with_each_other_and_with_the_tables(session, store, answered):
    (run,) = answered["runs"]
    assert run["complete"]
    assert run["schedules"] >= small().schedules
    assert run["histories"] == session.read.format("delta").load(str(store / "histories")).count()
    differing = session.read.format("delta").load(str(store / "differences"))
    outcomes = differing.where("what = 'outcome'").count()
    assert sum(row["transactions"] for row in answered["outcomes that differ"]) == outcomes > 0
    assert sum(row["histories"] for row in answered["abort rates"]) == run["histories"]
    listed = [row for row in answered["causes"] if row["kind"] == "difference"]
    assert sum(row["histories"] for row in listed) == run["differences"]
