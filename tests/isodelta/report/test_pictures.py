"""The pictures of a report, and the schedule that they show."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from isodelta.report.pictures.graph import graph_arrows, graph_nodes, graph_svg
from isodelta.report.pictures.schedule import schedule_steps, schedule_words
from isodelta.report.pictures.timeline import timeline_svg
from model.scenario import Scenario, TableSpec
from tests.isodelta.report.sample import (
    READER_RESULT,
    REFUSED_RESULT,
    four_way,
    steps,
    write_skew,
)


def test_a_bare_name_begins_and_commits() -> None:
    steps = schedule_steps(write_skew("Serializable"))
    assert [(s.number, s.action, s.transaction) for s in steps] == [
        (1, "begin", "A"),
        (2, "begin", "B"),
        (3, "commit", "B"),
        (4, "begin", "R"),
        (5, "commit", "R"),
        (6, "commit", "A"),
    ]


def test_the_schedule_in_words() -> None:
    words = schedule_words(write_skew("Serializable"), REFUSED_RESULT)
    assert words[0] == "A begins and takes version 1 as its snapshot."
    assert words[4] == "R returns 1 row as of version 2."
    assert words[5] == (
        "A is refused with ConcurrentAppend against B: "
        "B added a file to partition p = 1, which it reads (partitions where p = 1)."
    )


def test_the_timeline_shows_outcomes_versions_and_the_models_other_opinion() -> None:
    scenario = write_skew("Serializable")
    root = ElementTree.fromstring(timeline_svg(scenario, READER_RESULT, REFUSED_RESULT, "t"))
    texts = [element.text for element in root.iter("text")]
    assert {"A", "B", "R", "log", "v1", "v2", "v3", "read 1 row", "begin, sees v2"} <= set(texts)
    assert "commit v3" in texts
    assert "model: ConcurrentAppend" in texts
    title, description = root[0], root[1]
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert "A commits and writes version 3." in (description.text or "")


def test_each_outcome_has_a_shape_of_its_own() -> None:
    scenario, done = four_way()
    root = ElementTree.fromstring(timeline_svg(scenario, done, None, "t"))
    classes = [element.get("class") for element in root.iter()]
    assert classes.count("mark cross") == 2
    assert classes.count("mark committed") == 1
    assert [e.tag for e in root.iter() if e.get("class") == "mark hole"].count("rect") == 1


@pytest.mark.parametrize("number", [0, 1])
def test_a_schedule_that_never_ran_can_be_drawn(number: int) -> None:
    texts = {"A": "DELETE FROM t"}
    scenario = Scenario("never run", TableSpec(), texts, steps("begin A")[:number])
    ElementTree.fromstring(timeline_svg(scenario, None, None, "t"))


def test_the_cycle_is_told_apart_from_other_arrows() -> None:
    edges = [("A", "B", "rw"), ("B", "R", "wr"), ("R", "A", "rw"), ("B", "A", "log")]
    arrows = graph_arrows(edges, ["A", "B", "R", "A"])
    assert {(a.source, a.target): (a.label, a.in_cycle) for a in arrows} == {
        ("A", "B"): ("rw", True),
        ("B", "R"): ("wr", True),
        ("R", "A"): ("rw", True),
        ("B", "A"): ("log", False),
    }
    root = ElementTree.fromstring(
        graph_svg(graph_nodes(READER_RESULT), arrows, "Serializable", "g")
    )
    classes = [element.get("class") for element in root.iter()]
    assert classes.count("edge cycle") == 3
    assert classes.count("edge log-only") == 1
    assert "B to A: log." in (root[1].text or "")


def test_dependencies_between_the_same_transactions_share_an_arrow() -> None:
    edges = [("A", "B", kind) for kind in ("log", "rw", "ww")]
    (arrow,) = graph_arrows(edges, [])
    assert arrow.label == "ww + rw + log"


@pytest.mark.parametrize("number", range(1, 8))
def test_nodes_lie_apart_and_inside_the_picture(number: int) -> None:
    names = [f"T{i}" for i in range(number)]
    edges = [(a, b, "rw") for a in names for b in names if a != b]
    nodes = dict.fromkeys(names, "v2")
    root = ElementTree.fromstring(graph_svg(nodes, graph_arrows(edges, names), "S", "g"))
    width, height = (float(root.get(key, "0")) for key in ("width", "height"))
    places = [
        (float(e.get("cx", "0")), float(e.get("cy", "0")))
        for e in root.iter("ellipse")
        if e.get("class") == "node"
    ]
    assert len(places) == number
    for i, (x, y) in enumerate(places):
        assert 30 <= x <= width - 30
        assert 30 <= y <= height - 30
        for other_x, other_y in places[:i]:
            assert abs(complex(x - other_x, y - other_y)) > 60


def test_refused_transactions_are_no_nodes() -> None:
    nodes = graph_nodes(REFUSED_RESULT)
    root = ElementTree.fromstring(graph_svg(nodes, (), "Serializable", "g"))
    assert [e.text for e in root.iter("text") if e.get("class") == "node-name"] == ["B", "R"]
