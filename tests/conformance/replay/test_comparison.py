"""The class of a difference follows from what was observed, for engines with known bugs."""

from __future__ import annotations

from dataclasses import replace

from checker.search.alphabet import named, scenario
from conformance.matrix.table import SCHEDULE
from conformance.model_engine import ModelEngine, ModelReplay
from conformance.replay.campaign import Job, replay
from conformance.replay.comparison import Comparison, DifferenceClass, _note_rows
from conformance.replay.observation import observe
from conformance.replay.observed_history import observed_history
from model.history import Row
from model.physical.log import Commit
from model.preparation import prepare
from model.profiles import DEFAULT, Profile
from model.rules import delta_spark
from model.rules.base import Attempt
from model.scenario import Scenario
from model.values.unknown import Unknown


def pair(current: str, winner: str, level: str = "Serializable") -> Scenario:
    texts = {"A": named(current).sql, "B": named(winner).sql}
    return scenario("partitioned", level, texts, SCHEDULE, f"{current} / {winner}")


def compared(case: Scenario, engine: ModelEngine) -> Comparison:
    assert case.level is not None
    return replay(engine, Job(case, case.level), DEFAULT).comparison


def classes(comparison: Comparison) -> set[DifferenceClass]:
    return {difference.classified for difference in comparison.differences}


def always(attempt: Attempt, winner: Commit) -> str | None:
    return "stricter than it has to be"


STRICT: Profile = DEFAULT.with_rule(replace(delta_spark.ADDED_FILES, check=always))


def test_the_same_rules_give_no_difference() -> None:
    comparison = compared(pair("delete 1", "append to 1"), ModelEngine())
    assert comparison.agrees


def test_an_engine_that_commits_what_the_level_forbids_breaks_its_level() -> None:
    engine = ModelEngine(DEFAULT.without("added files"))
    comparison = compared(pair("delete 1", "append to 1"), engine)
    assert classes(comparison) == {DifferenceClass.ENGINE_BREAKS_LEVEL}


def test_an_engine_that_refuses_what_the_level_allows_is_stricter_than_it_needs() -> None:
    comparison = compared(pair("delete 1", "append to 2"), ModelEngine(STRICT))
    assert classes(comparison) == {DifferenceClass.FALSE_CONFLICT}


def test_another_conflict_than_predicted_is_an_error_of_the_model() -> None:
    engine = ModelEngine(DEFAULT.without("added files"))
    comparison = compared(pair("delete 1", "raise 1"), engine)
    assert classes(comparison) == {DifferenceClass.MODEL_IS_WRONG}


class ForgetfulReplay(ModelReplay):
    """Loses a row of every file of more than one."""

    def file_rows(self, path: str, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        rows = super().file_rows(path, version)
        return rows[1:] if path.startswith("A-") and len(rows) > 1 else rows

    def rows(self, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        rows = super().rows(version, table)
        return tuple(row for row in rows if row != (4, 2, None))


class ForgetfulEngine(ModelEngine):
    """An engine whose compaction loses rows."""

    def open(self, scenario: Scenario, level: str | None = None) -> ModelReplay:
        return ForgetfulReplay(scenario, self.profile, level)


def test_lost_rows_are_never_taken_for_a_level_that_holds() -> None:
    case = pair("compact", "append to 1")
    workload = prepare(case, DEFAULT)
    history = observed_history(workload, observe(ForgetfulEngine(), case, "Serializable"))
    assert history.unknown
    comparison = compared(case, ForgetfulEngine())
    assert comparison.verdicts["Serializable"].verdict != "holds"
    assert not comparison.agrees


def test_an_observed_history_of_the_model_is_the_predicted_one() -> None:
    for winner in ("append to both", "raise one row", "move 1 to 2", "delete large", "compact"):
        for current in ("copy 1 to 2", "cap large", "delete one row", "compact 1"):
            case = pair(current, winner, "WriteSerializable")
            comparison = compared(case, ModelEngine())
            assert comparison.history.unknown == ()
            changes = {
                (t.name, len(t.changes), t.commit_version) for t in comparison.history.transactions
            }
            predicted = comparison.predicted.history.transactions
            assert changes == {(t.name, len(t.changes), t.commit_version) for t in predicted}


def test_values_that_are_not_predicted_are_not_compared() -> None:
    open_ = Unknown("hash(v)", "a test")
    raw: list[object] = []
    _note_rows(raw, "A", "rows", ((1, open_), (2, 5)), ((2, 7), (1, 3)))  # type: ignore[arg-type]
    assert raw == []
    _note_rows(raw, "A", "rows", ((1, open_), (2, 5)), ((2, 7), (3, 3)))  # type: ignore[arg-type]
    assert len(raw) == 1
