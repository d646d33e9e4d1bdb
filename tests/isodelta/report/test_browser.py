"""The page in a real browser: headless Chromium, narrow and wide, light and dark."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from isodelta.report import write_report
from tests.isodelta.report.sample import hostile_report, sample_report

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium found (apt-get install chromium)"),
]

Scheme = Literal["light", "dark"]
LOOKS: list[tuple[int, Scheme]] = [(w, s) for w in (390, 1400) for s in ("light", "dark")]
ALL_OPEN = """
  document.querySelectorAll('.page').forEach(page => page.hidden = false);
  document.querySelectorAll('details').forEach(details => details.open = true);
"""

CONTRAST = """() => {
  const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const parse = (css) => (css.match(/[\\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) =>
    0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const background = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const worst = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, title, desc, option")) continue;
    if (element.closest(".visually-hidden")) continue;
    if (!element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const ink = parse(element.closest("svg") ? style.fill : style.color);
    const [a, b] = [luminance(ink), luminance(background(element))].sort((x, y) => y - x);
    worst.push([(a + 0.05) / (b + 0.05), element.tagName, node.data.trim().slice(0, 40)]);
  }
  worst.sort((x, y) => x[0] - y[0]);
  return {count: worst.length, least: worst.slice(0, 5)};
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("report"), sample_report())


class Visit:
    """A page with everything that went wrong on it, or that it asked the network for."""

    def __init__(self, browser: Browser, width: int, scheme: Scheme, scripts: bool = True) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            java_script_enabled=scripts,
        )
        self.page: Page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_page_is_quiet_fits_and_can_be_read(
    browser: Browser, index: Path, width: int, scheme: Scheme
) -> None:
    with Visit(browser, width, scheme) as visit:
        visit.page.goto(index.as_uri())
        visit.page.evaluate(ALL_OPEN)
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        sticking_out = visit.page.evaluate(
            """width => [...document.querySelectorAll('body *')].filter(e =>
              e.getBoundingClientRect().right > width + 1
              && !e.closest('.scroll > *, nav.tabs ul > *')
            ).map(e => e.outerHTML.slice(0, 80))""",
            width,
        )
        assert sticking_out == []
        contrast = visit.page.evaluate(CONTRAST)
        assert contrast["count"] > 300
        assert contrast["least"][0][0] >= 4.5, contrast["least"]
        assert visit.complaints == []
        assert visit.requests == [index.as_uri()]


def test_the_schemes_really_differ(browser: Browser, index: Path) -> None:
    colours = []
    for scheme in ("light", "dark"):
        with Visit(browser, 800, scheme) as visit:
            visit.page.goto(index.as_uri())
            colours.append(visit.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(247, 247, 245)", "rgb(19, 22, 25)"]


def test_headings_form_an_outline(browser: Browser, index: Path) -> None:
    with Visit(browser, 1280, "light") as visit:
        visit.page.goto(index.as_uri())
        levels = visit.page.evaluate(
            "[...document.querySelectorAll('h1,h2,h3,h4,h5')].map(h => Number(h.tagName[1]))"
        )
        assert levels.count(1) == 1
        assert levels[0] == 1
        for above, below in pairwise(levels):
            assert below <= above + 1
        names = visit.page.locator("h2").all_text_contents()
        assert {"Overview", "Causes", "Conflict table", "How to read a verdict"} <= set(names)
        unscoped = visit.page.locator("th:not([scope])").count()
        assert unscoped == 0
        assert visit.page.locator("svg:not([aria-labelledby])").count() == 0


def test_one_page_is_shown_and_its_tab_is_marked(browser: Browser, index: Path) -> None:
    with Visit(browser, 1400, "light") as visit:
        page = visit.page
        page.goto(index.as_uri())
        for name, heading in (("Overview", "summary"), ("Scenarios", "scenarios")):
            page.locator("nav.tabs a", has_text=name).click()
            assert page.locator(".page:visible").count() == 1
            assert page.locator(f".page:visible #{heading}").count() == 1
            marked = page.locator("nav.tabs a[aria-current=page]")
            assert name in (marked.text_content() or "")


def test_the_first_screen_answers_what_a_reader_asks(browser: Browser, index: Path) -> None:
    with Visit(browser, 1400, "light") as visit:
        page = visit.page
        page.goto(index.as_uri())
        questions = page.locator(".answer h3")
        assert questions.all_text_contents() == [
            "What is claimed",
            "What holds",
            "What breaks",
            "Since when",
            "How bad it is",
            "What to do",
        ]
        last = questions.last.bounding_box()
        assert last is not None
        assert last["y"] < 800, "all six begin on the first screen"
        assert page.locator("#threats").is_visible()
        for link in page.locator(".answer a").all():
            target = link.get_attribute("href") or ""
            assert page.locator(target).count() == 1, target


def test_findings_open_by_keyboard(browser: Browser, index: Path) -> None:
    with Visit(browser, 800, "light") as visit:
        visit.page.goto(index.as_uri() + "#findings")
        first = visit.page.locator("article.finding > details").first
        assert first.get_attribute("open") is not None, "the first history of a cause is open"
        first.locator("summary").first.focus()
        visit.page.keyboard.press("Enter")
        assert first.get_attribute("open") is None
        visit.page.keyboard.press("Space")
        assert first.get_attribute("open") is not None
        assert first.locator("svg").first.is_visible()


def test_the_first_stop_of_the_keyboard_skips_to_the_content(browser: Browser, index: Path) -> None:
    with Visit(browser, 390, "dark") as visit:
        visit.page.goto(index.as_uri())
        visit.page.keyboard.press("Tab")
        skip = visit.page.locator("a.skip")
        box = skip.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        visit.page.keyboard.press("Enter")
        assert visit.page.evaluate("document.activeElement.id") == "content"


def test_the_scenario_table_is_searched_filtered_and_sorted(browser: Browser, index: Path) -> None:
    with Visit(browser, 1400, "light") as visit:
        page = visit.page
        page.goto(index.as_uri() + "#scenarios")
        rows = page.locator("#scenario-table tbody tr:visible")
        assert rows.count() == 14
        first = rows.first.text_content() or ""
        assert "a delete meets an append" in first or "replay hung" in first, "failures come first"
        page.fill("#scenario-search", "lost update")
        assert rows.count() == 2
        page.fill("#scenario-search", "")
        page.select_option("#scenario-agreement", "differ")
        assert rows.count() == 1
        assert page.locator("#scenarios-shown").text_content() == "Showing 1 of 1 (14 in all)"
        page.select_option("#scenario-agreement", "")
        page.locator("#scenario-table thead button", has_text="Scenario").click()
        names = page.locator("#scenario-table tbody th").all_text_contents()
        assert names == sorted(names)


def test_a_cell_of_the_conflict_table_says_what_each_source_says(
    browser: Browser, index: Path
) -> None:
    with Visit(browser, 390, "light") as visit:
        page = visit.page
        page.goto(index.as_uri() + "#matrix")
        figure = page.locator("figure.grid").first
        figure.locator("tbody td").nth(1).click()
        words = figure.locator("output")
        assert "documents: can" in (words.text_content() or "")
        before = words.text_content()
        page.keyboard.press("ArrowDown")
        assert words.text_content() != before


def test_commands_can_be_copied(browser: Browser, index: Path) -> None:
    with Visit(browser, 1400, "light") as visit:
        visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = visit.page
        page.goto(index.as_uri() + "#findings")
        frame = page.locator(".with-copy:visible", has_text="isodelta replay").first
        frame.locator("button.copy").click()
        frame.locator("button.copy", has_text="Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == frame.locator("pre").text_content()


def test_a_link_to_a_finding_opens_it(browser: Browser, index: Path) -> None:
    with Visit(browser, 1280, "light") as visit:
        page = visit.page
        name = "reader-sees-a-state-that-never-was"
        page.goto(f"{index.as_uri()}#finding-{name}")
        page.wait_for_selector(f"#finding-{name} > details[open]")
        assert page.locator(f"#finding-{name} svg").first.is_visible()
        page.locator("nav.tabs a", has_text="Overview").click()
        page.evaluate(f"location.hash = 'finding-{name}'")
        page.wait_for_selector(f"#finding-{name} > details[open]")


def test_without_scripts_everything_is_still_there(browser: Browser, index: Path) -> None:
    with Visit(browser, 800, "light", scripts=False) as visit:
        page = visit.page
        page.goto(index.as_uri())
        assert not page.locator("#scenario-filters").is_visible()
        assert page.locator(".page:visible").count() == page.locator(".page").count()
        assert page.locator("article.finding:visible").count() == 8
        assert page.locator("article.finding svg").first.is_visible()


def test_paper_has_every_page_but_the_long_tables(browser: Browser, index: Path) -> None:
    with Visit(browser, 800, "dark") as visit:
        visit.page.goto(index.as_uri())
        pages = re.findall(rb"/Type\s*/Page[^s]", visit.page.pdf())
        assert 3 <= len(pages) <= 18
        visit.page.emulate_media(media="print")
        for shown in ("#findings", "#matrix", "#coverage", "#threats"):
            assert visit.page.locator(shown).is_visible(), shown
        for left_out in ("nav.tabs", "#scenario-table"):
            assert not visit.page.locator(left_out).is_visible(), left_out


@pytest.mark.parametrize("width", [390, 1400])
def test_hostile_text_does_nothing(browser: Browser, tmp_path: Path, width: int) -> None:
    index = write_report(tmp_path, hostile_report())
    with Visit(browser, width, "light") as visit:
        visit.page.goto(index.as_uri())
        visit.page.evaluate(ALL_OPEN)
        assert visit.page.title() == "isodelta report (incomplete)"
        assert visit.complaints == []
        assert visit.requests == [index.as_uri()]
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
