"""The page in a real browser: headless Chromium, narrow and wide, light and dark."""

from __future__ import annotations

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
LOOKS: list[tuple[int, Scheme]] = [(w, s) for w in (375, 1280) for s in ("light", "dark")]

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
        visit.page.click("#open-all")
        visit.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        sticking_out = visit.page.evaluate(
            """width => [...document.querySelectorAll('body *')].filter(e =>
              e.getBoundingClientRect().right > width + 1 && !e.closest('.scroll > *')
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
            "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
        )
        assert levels.count(1) == 1
        assert levels[0] == 1
        for above, below in pairwise(levels):
            assert below <= above + 1
        names = visit.page.locator("h2").all_text_contents()
        assert {"Summary", "Findings", "Conflict table", "How to read a verdict"} <= set(names)
        unscoped = visit.page.locator("th:not([scope])").count()
        assert unscoped == 0
        assert visit.page.locator("svg:not([aria-labelledby])").count() == 0


def test_findings_open_by_keyboard(browser: Browser, index: Path) -> None:
    with Visit(browser, 800, "light") as visit:
        visit.page.goto(index.as_uri())
        second = visit.page.locator("article.finding > details").nth(1)
        assert second.get_attribute("open") is None
        second.locator("summary").first.focus()
        visit.page.keyboard.press("Enter")
        assert second.get_attribute("open") is not None
        assert second.locator("svg").first.is_visible()
        visit.page.keyboard.press("Space")
        assert second.get_attribute("open") is None


def test_the_first_stop_of_the_keyboard_skips_to_the_content(browser: Browser, index: Path) -> None:
    with Visit(browser, 375, "dark") as visit:
        visit.page.goto(index.as_uri())
        visit.page.keyboard.press("Tab")
        skip = visit.page.locator("a.skip")
        box = skip.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        visit.page.keyboard.press("Enter")
        assert visit.page.evaluate("document.activeElement.id") == "content"


def test_the_filters_leave_what_was_asked_for(browser: Browser, index: Path) -> None:
    with Visit(browser, 1280, "light") as visit:
        page = visit.page
        page.goto(index.as_uri())
        shown = page.locator("article.finding:visible")
        assert shown.count() == 8
        page.select_option("#filter-level", "WriteSerializable")
        assert shown.count() == 2
        assert page.locator("#shown").text_content() == "Showing 2 of 8"
        page.select_option("#filter-class", "false conflict")
        assert shown.count() == 1
        page.select_option("#filter-level", "")
        page.select_option("#filter-class", "")
        assert shown.count() == 8


def test_a_link_to_a_finding_opens_it(browser: Browser, index: Path) -> None:
    with Visit(browser, 1280, "light") as visit:
        page = visit.page
        page.goto(index.as_uri())
        name = "reader-sees-a-state-that-never-was"
        details = page.locator(f"#finding-{name} > details")
        assert details.get_attribute("open") is None
        page.locator(f"a[href='#finding-{name}']").first.click()
        page.wait_for_selector(f"#finding-{name} > details[open]")


def test_without_scripts_everything_is_still_there(browser: Browser, index: Path) -> None:
    with Visit(browser, 800, "light", scripts=False) as visit:
        page = visit.page
        page.goto(index.as_uri())
        assert not page.locator("#filters").is_visible()
        assert page.locator("article.finding:visible").count() == 8
        second = page.locator("article.finding > details").nth(1)
        second.locator("summary").first.click()
        assert second.locator("svg").first.is_visible()


def test_paper_shows_what_is_folded_on_screen(browser: Browser, index: Path) -> None:
    with Visit(browser, 800, "dark") as visit:
        visit.page.goto(index.as_uri())
        assert len(visit.page.pdf()) > 20_000
        visit.page.emulate_media(media="print")
        body = visit.page.locator("article.finding").nth(1).locator(".body")
        box = body.bounding_box()
        assert box is not None
        assert box["height"] > 100
        assert not visit.page.locator("nav").is_visible()


@pytest.mark.parametrize("width", [375, 1280])
def test_hostile_text_does_nothing(browser: Browser, tmp_path: Path, width: int) -> None:
    index = write_report(tmp_path, hostile_report())
    with Visit(browser, width, "light") as visit:
        visit.page.goto(index.as_uri())
        visit.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert visit.page.title() == "isodelta report (incomplete)"
        assert visit.complaints == []
        assert visit.requests == [index.as_uri()]
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
