"""The claims ledger: complete, checked by running, and the page as it was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.spark.engine import SparkEngine
from isodelta.cli import run
from isodelta.commands.claims.bench import Bench, story
from isodelta.commands.claims.checks import CHECKS, CLAIMS
from isodelta.commands.claims.checks.files_and_log import killed_writer, log_says_what_counts
from isodelta.commands.claims.claim import SOURCES, Check, Claim, Kind
from isodelta.commands.claims.ledger import ledger
from isodelta.commands.claims.markdown import markdown, read_table, written
from isodelta.commands.claims.page import add_claims, claim_line
from isodelta.commands.claims.results import CannotRun, Evidence, Status, conclude, decided
from isodelta.report.data import Report
from isodelta.report.html import report_html

PAGE = Path(__file__).parents[3] / "docs" / "claims.md"
MODEL = Bench(None)


def checked(*names: str) -> dict[str, Status]:
    return {row.claim.name: row.result.status for row in ledger(MODEL, names)}


def test_there_are_a_hundred_claims_in_order() -> None:
    assert list(CLAIMS) == [f"N{number}" for number in range(1, 101)]
    assert all(set(claim.sources) <= set(SOURCES) for claim in CLAIMS.values())
    assert len({claim.statement for claim in CLAIMS.values()}) > 90


def test_every_claim_has_a_check_or_a_reason() -> None:
    without = {name for name, claim in CLAIMS.items() if claim.kind is Kind.NONE}
    assert set(CHECKS) == set(CLAIMS) - without


def test_a_reason_goes_with_a_claim_that_nothing_decides() -> None:
    with pytest.raises(ValueError, match="a reason goes with"):
        Claim(1, "A", "words", Kind.NONE)
    with pytest.raises(ValueError, match="a reason goes with"):
        Claim(1, "A", "words", Kind.REPLAY, beyond="none")


def test_status_follows_from_evidence() -> None:
    seen = Evidence("seen", True, "engine", real=True)
    against = Evidence("otherwise", False, "engine", real=True)
    foretold = Evidence("foretold", True, "model")
    assert conclude([seen, foretold]).status is Status.CONFIRMED
    assert conclude([seen, against]).status is Status.REFUTED
    assert conclude([seen, against]).because == "otherwise"
    assert conclude([foretold]).status is Status.MODELLED
    assert "row-level" in conclude([foretold], lacks="row-level concurrency").because
    assert decided([foretold]).status is Status.CONFIRMED
    # What an engine did counts, whatever the model makes of it.
    assert conclude([seen, Evidence("no", False, "model")]).status is Status.CONFIRMED
    with pytest.raises(CannotRun):
        conclude([])


def test_without_an_engine_nothing_is_confirmed_by_one() -> None:
    found = checked("N7", "N8", "N12", "N17", "N66", "N69", "N84", "N27")
    assert found == {
        "N7": Status.CONFIRMED,  # a matter of definitions and of a search
        "N8": Status.MODELLED,
        "N12": Status.REFUTED,  # a counterexample in the model is one
        "N17": Status.UNKNOWN,  # files on a disk
        "N66": Status.MODELLED,
        "N69": Status.MODELLED,
        "N84": Status.MODELLED,
        "N27": Status.BEYOND,
    }


@pytest.mark.slow
def test_every_claim_on_row_level_concurrency_is_modelled_as_the_document_says() -> None:
    rows = [claim.name for claim in CLAIMS.values() if claim.kind is Kind.MODEL]
    assert len(rows) == 19
    assert set(checked(*rows).values()) == {Status.MODELLED}


def test_one_check_that_fails_leaves_the_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(bench: Bench) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setitem(CHECKS, "N8", Check((CLAIMS["N8"],), broken))
    first, second = ledger(MODEL, ["N8", "N66"])
    assert first.result.status is Status.UNKNOWN
    assert "out of order" in first.result.because
    assert second.result.status is Status.MODELLED


def test_the_page_holds_what_the_ledger_gives() -> None:
    rows = list(ledger(MODEL, ["N1", "N12", "N66"]))
    page = markdown(rows, "model")
    assert read_table(page) == [written(row) for row in rows]
    (other,) = ledger(MODEL, ["N8"])
    again = read_table(markdown([other], "model", page))
    assert [line[0] for line in again] == ["N1", "N8", "N12", "N66"]
    assert again[2] == written(rows[1])


def test_the_page_in_the_documentation_is_that_of_the_data() -> None:
    """Wording, sources and kinds are the data's; statuses are those of a run that was written."""
    table = read_table(PAGE.read_text(encoding="utf-8"))
    assert [line[0] for line in table] == list(CLAIMS)
    for name, sources, statement, kind, status, because in table:
        claim = CLAIMS[name]
        assert (sources, statement) == (", ".join(claim.sources), claim.statement.replace("|", ""))
        assert kind == claim.kind.value
        assert status in set(Status)
        assert (status == Status.BEYOND) == (claim.kind is Kind.NONE)
        assert because


def test_the_command_prints_one_object_for_each_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["claims", "--engine", "model", "--json", "n66", "N79"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["claim"] for line in lines] == ["N66", "N79"]
    assert [line["status"] for line in lines] == ["modelled only", "out of scope"]
    assert {"claim", "status", "evidence", "because"} <= set(lines[0])
    assert lines[0]["evidence"][0]["scenario"]["transactions"]


def test_the_command_refuses_what_is_no_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["claims", "--engine", "model", "N101"]) == 2
    assert "there is no claim 'N101'" in capsys.readouterr().err


def test_the_report_has_a_section_of_claims() -> None:
    report = Report("words", "isodelta claims", "delta-spark-4.4", "model", 0)
    add_claims(report, map(claim_line, ledger(MODEL, ["N12", "N66"])))
    page = report_html(report)
    assert '<h2 id="claims">Claims of the documents</h2>' in page
    assert 'id="claim-N66"' in page
    assert "modelled only" in page
    assert all(title in page for title in SOURCES.values())


def test_check_all_profiles_prints_one_object_for_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from isodelta.files.scenario_writer import scenario_yaml
    from model.profiles import PROFILES

    scenario = story("a pair", "begin A, B, commit A", {"A": "DELETE FROM t", "B": "OPTIMIZE t"})
    file = tmp_path / "pair.yaml"
    file.write_text(scenario_yaml(scenario), encoding="utf-8")
    assert run(["check", str(file), "--profile", "all", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["profile"] for line in lines] == list(PROFILES)
    assert run(["explore", "--profile", "all"]) == 2


@pytest.mark.spark
def test_spark_killed_writers_leave_no_trace(spark_engine: SparkEngine) -> None:
    bench = Bench(lambda: spark_engine)
    result = killed_writer.run(bench)
    assert result.status is Status.CONFIRMED
    assert len(result.evidence) == 4


@pytest.mark.spark
def test_spark_reads_what_the_log_says(spark_engine: SparkEngine) -> None:
    assert log_says_what_counts.run(Bench(lambda: spark_engine)).status is Status.CONFIRMED
