"""The page in a real browser: quiet, alone, legible on a phone, in the dark and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reports.assessments import FULL_ASSESSMENT, NAMES, page_of
from tests.reports.browser import Browser, find_browser

PHONE, A4_BETWEEN_MARGINS = 375, 680  # pixels; 180 mm at 96 to the inch
# Visible elements that stick out of the page to the right, outside a box of their own that scrolls.
STICKING_OUT = """[...document.querySelectorAll('body *')].filter(e => {
  const box = e.getBoundingClientRect();
  return box.width && box.right > document.documentElement.clientWidth + 1 && !e.closest('.wide') && !e.closest('svg');
}).map(e => e.outerHTML.slice(0, 80))"""
# The least contrast of a text with the background behind it, by the W3C's formula, over the text of the page.
LEAST_CONTRAST = """(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const rgba = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const part = v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = c.map(v => part(v / 255));
    return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor);
    if (c[3] > 250) return c; } return [255, 255, 255, 255]; };
  let least = [99, ''];
  for (const e of document.querySelectorAll('p, li, dt, dd, th, td, h1, h2, h3, a, summary, span, figcaption, text')) {
    if (!e.textContent.trim() || !e.getClientRects().length) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(rgba(e.tagName === 'text' ? style.fill : style.color)), light(behind(e))];
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < least[0]) least = [contrast, e.outerHTML.slice(0, 100)];
  }
  return least;
})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    browser = Browser(find_browser())
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name in ("full", "broken", "bare"):
        (folder / f"{name}.html").write_text(page_of(name), "utf-8")
    return {file.stem: file for file in folder.iterdir()}


@pytest.mark.parametrize("name", ["full", "broken", "bare"])
@pytest.mark.parametrize("width", [PHONE, 1280])
def test_the_page_is_quiet_alone_and_within_its_width(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    browser.open(pages[name], width=width)
    assert browser.complaints == []
    assert browser.requests == [pages[name].as_uri()]
    assert browser.ask("innerWidth") == width
    assert browser.ask("document.documentElement.scrollWidth") == width
    assert browser.ask(STICKING_OUT) == []


def test_the_browser_hears_complaints_and_sees_requests_and_overflow(browser: Browser, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!doctype html><meta name=viewport content='width=device-width'>"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src *\">"
        "<p style='color: red'>red</p><img src=missing.png alt=''><table width=900><tr><td>wide</table>"
    )
    browser.open(bad, width=PHONE)
    assert any("style" in complaint for complaint in browser.complaints)
    assert (tmp_path / "missing.png").as_uri() in browser.requests
    assert browser.ask("document.documentElement.scrollWidth") > PHONE
    assert browser.ask(STICKING_OUT)


def test_the_key_numbers_can_be_seen(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["full"])
    seen = browser.ask("document.body.innerText")
    for number in ("0 of 4", "35.45", "18.43%", "46.93%", "27 of 1,080", "k=10"):
        assert number in seen
    first_screen = browser.ask("document.querySelector('.figures').getBoundingClientRect().bottom")
    assert first_screen < 800


def test_every_picture_is_drawn_and_as_wide_as_its_place(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["full"], width=PHONE)
    boxes = (
        "[...document.querySelectorAll('svg')].filter(e => !e.closest('.drawing')).map(e => e.getBoundingClientRect())"
    )
    sizes = browser.ask(f"{boxes}.map(box => [box.width, box.height])")
    assert len(sizes) == len(FULL_ASSESSMENT.pair.variables)
    assert all(200 < width <= PHONE and height > 100 for width, height in sizes)
    stroke = browser.ask("getComputedStyle(document.querySelector('.stroke-after')).stroke")
    assert stroke == "rgb(10, 92, 170)"


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_stands_out_from_what_is_behind_it(browser: Browser, pages: dict[str, Path], dark: bool) -> None:
    for page in (pages["full"], pages["broken"]):
        browser.open(page, dark=dark)
        contrast, where = browser.ask(LEAST_CONTRAST)
        assert contrast >= 4.5, where
    background = browser.ask("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(20, 24, 30)" if dark else "rgb(255, 255, 255)")
    paper = browser.ask("getComputedStyle(document.querySelector('svg .fill-paper')).fill")
    assert paper == background


def test_a_long_table_opens_at_a_click_and_is_open_on_paper(browser: Browser, pages: dict[str, Path]) -> None:
    rows = "[...document.querySelectorAll('#utility details details tbody tr')]"
    visible = f"{rows}.filter(e => e.checkVisibility()).length"
    browser.open(pages["full"])
    assert browser.ask(visible) == 0
    browser.ask("document.querySelectorAll('#utility summary').forEach(e => e.click())")
    assert browser.ask(visible) == len(NAMES) * (len(NAMES) - 1) // 2
    assert "85.53%" in browser.ask("document.body.innerText")
    browser.open(pages["full"], width=A4_BETWEEN_MARGINS, paper=True)
    assert browser.ask(visible) == len(NAMES) * (len(NAMES) - 1) // 2


def test_on_paper_no_table_is_cut_and_every_text_is_dark(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["full"], width=A4_BETWEEN_MARGINS, paper=True, dark=True)
    cut = "[...document.querySelectorAll('table, svg')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
    assert browser.ask(f"{cut}.map(e => e.textContent.slice(0, 60))") == []
    assert browser.ask("getComputedStyle(document.querySelector('nav')).display") == "none"
    contrast, where = browser.ask(LEAST_CONTRAST)
    assert contrast >= 4.5, where


def test_it_prints_on_a4(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["full"])
    printed = browser.pdf()
    boxes = {tuple(float(n) for n in box.split()) for box in re.findall(rb"/MediaBox \[([^\]]*)\]", printed)}
    assert boxes
    assert all(box[2] == pytest.approx(595, abs=2) and box[3] == pytest.approx(842, abs=2) for box in boxes)
    assert 3 <= len(re.findall(rb"/Type /Page\b(?!s)", printed)) <= 15


def test_every_name_is_read_by_a_reader_of_the_screen(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["full"])
    labels = browser.ask("[...document.querySelectorAll('svg[role=img]')].map(e => e.getAttribute('aria-label'))")
    assert f"{NAMES[-1]} before and after masking" in labels
    assert all(labels)
    nameless = "[...document.querySelectorAll('[role=region]')].filter(e => !e.getAttribute('aria-label')).length"
    assert browser.ask(nameless) == 0


def test_without_a_browser_the_tests_say_so_and_where_one_is_required_they_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CONSTRAINT_SDC_BROWSER", "no-such-browser")
    monkeypatch.delenv("CONSTRAINT_SDC_REQUIRE_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no browser: CONSTRAINT_SDC_BROWSER names 'no-such-browser'"):
        find_browser()
    monkeypatch.setenv("CONSTRAINT_SDC_REQUIRE_BROWSER", "1")
    with pytest.raises(pytest.fail.Exception, match="no browser"):
        find_browser()
    monkeypatch.delenv("CONSTRAINT_SDC_BROWSER")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(pytest.fail.Exception, match="chromium, chromium-browser"):
        find_browser()
