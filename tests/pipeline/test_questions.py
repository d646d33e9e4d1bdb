"""The page about campaigns says what the store has, and what can be asked of it."""

import re

from pipeline.store.questions import markdown
from pipeline.store.schemas import TABLES
from tests.command_line import ROOT

PAGE = (ROOT / "docs" / "campaigns.md").read_text(encoding="utf-8")


def test_the_page_shows_the_questions_as_they_are_asked():
    assert PAGE.endswith(markdown())


def test_the_page_has_every_table_with_its_layout():
    for table in TABLES.values():
        (row,) = re.findall(rf"^\| `{table.name}` \|.*\| (.*)\|$", PAGE, re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == [*table.partition_by, *table.cluster_by]


def test_every_column_says_what_it_means():
    for table in TABLES.values():
        names = [column.name for column in table.columns]
        assert len(set(names)) == len(names)
        assert all(column.meaning for column in table.columns)
