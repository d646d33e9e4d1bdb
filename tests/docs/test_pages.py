"""The documentation says what the project does: its examples run, its pictures are drawn anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from isodelta.report.views.validity import THREATS
from tests.setup.test_setup import load

ROOT = Path(__file__).resolve().parents[2]

PAGES = (
    "README.md",
    "docs/tutorial.md",
    "docs/how_to/jobs.md",
    "docs/how_to/exception.md",
    "docs/how_to/scenario.md",
    "docs/findings/subquery_in_set.md",
    "docs/findings/blind_append.md",
    "docs/findings/duplicated_rows.md",
    "docs/reference/python.md",
)
"""The pages whose examples are run; another page that shows output belongs here."""

BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<kind>sh|text|python)(?P<mark> \w+)?\n(?P<text>.*?)^ *```$", re.M | re.S
)
NOT_RUN = ("pip ", "make ", "git ")


def blocks(page: str) -> Iterator[re.Match[str]]:
    return BLOCK.finditer((ROOT / page).read_text(encoding="utf-8"))


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_print_what_it_shows(page: str, tmp_path: Path) -> None:
    """Shell blocks run one after the other; each line of a text block is in the output before it.

    A block marked ``repository`` runs in the repository, one marked ``skip`` not at all.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    isodelta = f'isodelta() {{ "{sys.executable}" -m isodelta "$@"; }}\n'
    printed, compared = "", 0
    for block in blocks(page):
        text, mark = dedent(block["text"]), (block["mark"] or "").strip()
        folder = ROOT if mark == "repository" or page == "README.md" else tmp_path
        if block["kind"] == "text":
            for line in filter(None, map(words, text.splitlines())):
                assert line in words(printed), f"{page} shows {line!r}, which is not printed"
                compared += 1
        elif block["kind"] == "sh" and mark != "skip":
            lines = [line for line in text.splitlines() if not line.startswith(NOT_RUN)]
            script = isodelta + "\n".join(lines)
            if page == "README.md":
                script = f'cd "{tmp_path}"\n{script}'
            ended = subprocess.run(
                ["bash", "-c", script],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert ended.returncode in (0, 1), ended.stderr
            printed = ended.stdout
        elif block["kind"] == "python":
            ended = subprocess.run(
                [sys.executable, "-c", text],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert ended.returncode == 0, ended.stderr
            printed = ended.stdout
    assert compared > 0


def test_the_pictures_are_those_that_the_model_draws() -> None:
    drawn = load("setup/doc_pictures.py").pictures()
    folder = ROOT / "docs" / "pictures"
    for name, picture in drawn.items():
        assert (folder / name).read_text(encoding="utf-8") == picture, f"run {name} anew"


def test_the_readme_fits_and_names_every_threat() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 120
    for title, _ in THREATS:
        assert f"**{title}.**" in text
        page = (ROOT / "docs/explanation/validity.md").read_text(encoding="utf-8")
        assert f"## {title}\n" in page


def test_a_link_out_of_the_site_becomes_a_path_and_must_exist(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class File:
        abs_src_path = str(ROOT / "docs" / "x.md")
        src_path = "x.md"

    class Page:
        file = File()

    hook = load("setup/site_links.py").on_page_markdown
    assert hook("[the rules](../CONTRIBUTING.md)", page=Page()) == "the rules (`CONTRIBUTING.md`)"
    assert hook("[levels](levels.md)", page=Page()) == "[levels](levels.md)"
    assert not caplog.records
    hook("[gone](../no_such_file.md)", page=Page())
    assert "there is no file ../no_such_file.md" in caplog.text
