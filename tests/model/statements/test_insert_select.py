"""INSERT SELECT: the files that it notes as read, which its statistics decide and not its rows."""

from __future__ import annotations

import pytest

from model.preparation import run_scenario, steps
from model.profiles import DEFAULT
from model.scenario import Scenario, TableSpec

FROM_10_TO_30 = "INSERT INTO t VALUES (1, 10), (2, 30)"
FROM_40_TO_60 = "INSERT INTO t VALUES (3, 40), (4, 60)"
TABLE = TableSpec({"k": "int", "v": "int"}, setup=(FROM_10_TO_30, FROM_40_TO_60))


@pytest.mark.parametrize(
    ("condition", "noted"),
    [
        ("v = 20", [1]),
        ("v = 10", [1]),
        ("v = 35", []),
        ("v > 30 AND k < 4", [2]),
        ("v * 2 = 140", [1, 2]),
        ("TRUE", [1, 2]),
    ],
)
def test_files_are_noted_by_their_statistics_matching_rows_or_not(
    condition: str, noted: list[int]
) -> None:
    text = f"INSERT INTO t SELECT count(*), 0 FROM t WHERE {condition}"
    scenario = Scenario("x", TABLE, {"A": text}, steps("A"))
    footprint = run_scenario(scenario, DEFAULT).ended["A"].footprint
    lowest = {(1, 10): 1, (3, 40): 2}
    assert [lowest[min(row.values for row in f.rows)] for f in footprint.read_files] == noted
