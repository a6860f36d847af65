from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from constraint_sdc import __version__
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.render import render

GOLDEN = Path(__file__).with_name("golden")
VOID = {"meta", "br"}


class Outline(HTMLParser):
    """An indented outline of tags and text, which fails on tags that do not close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.lines.append(f"{'  ' * len(self.open)}{'.'.join([tag, *self._classes(attrs)])}")
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    @staticmethod
    def _classes(attrs: list[tuple[str, str | None]]) -> list[str]:
        return (dict(attrs).get("class") or "").split()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip() and self.open[-1] != "style":
            self.lines.append(f"{'  ' * len(self.open)}| {' '.join(data.split())}")


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def test_the_page_has_the_agreed_skeleton(census: CheckResult) -> None:
    two = replace(census, results=census.results[2:4], broken_records=None)
    lines = "\n".join(outline(render(two, "html")).lines) + "\n"
    assert lines.replace(__version__, "VERSION") == (GOLDEN / "census-outline.txt").read_text("utf-8")


def test_the_policy_allows_the_own_style_sheet_by_its_hash_and_nothing_else(census: CheckResult) -> None:
    page = render(census, "html")
    style = page.split("<style>", 1)[1].split("</style>", 1)[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1] == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_the_page_needs_nothing_from_outside(census: CheckResult, invoice: CheckResult) -> None:
    for result in (census, invoice, replace(census, shows_values=True)):
        page = outline(render(result, "html"))
        used = {tag for tag, _, _ in page.attributes} | {line.strip().split(".")[0] for line in page.lines}
        assert used.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "form", "a", "base"})
        assert not any(name in ("style", "src", "href") or name.startswith("on") for _, name, _ in page.attributes)
    style = (Path(__file__).parents[2] / "constraint_sdc/reports/templates/check.css").read_text("utf-8")
    assert "url(" not in style
    assert "@import" not in style


def test_the_verdict_comes_before_the_rules(census: CheckResult) -> None:
    page = render(census, "html")
    assert page.index('class="verdict fail"') < page.index('<table class="rules">') < page.index("<details")


def test_markup_in_data_and_rules_is_shown_not_obeyed(census: CheckResult) -> None:
    rule = census.results[2]
    lure = replace(rule.violations[0], key='"><img src=x onerror=1>', summary="</style><script>1</script>{{ 7 * 7 }}")
    hostile = replace(
        census,
        title="</title><script>1</script>",
        data="<b>",
        results=(replace(rule, rule="<svg/onload=1>", test="a < b & c", violations=(lure,)),),
    )
    page = render(hostile, "html")
    assert "<script" not in page
    assert "<img" not in page
    assert "<svg" not in page
    assert "a &lt; b &amp; c" in page
    assert "{{ 7 * 7 }}" in page
    outline(page)


def test_the_page_says_whether_it_shows_values(census: CheckResult) -> None:
    assert "Microdata values are hidden" in render(census, "html")
    assert "This page shows microdata values." in render(replace(census, shows_values=True), "html")


def test_beyond_a_few_findings_the_rest_is_closed(census: CheckResult) -> None:
    many = tuple(replace(census.results[0], rule=f"total-{n}") for n in range(20))
    page = render(replace(census, results=many), "html")
    assert page.count("<details") == 20
    assert len(re.findall(r"<details[^>]* open>", page)) == 8


def test_a_tiny_share_never_reads_as_nought(census: CheckResult) -> None:
    rare = replace(census.results[0], fired=10_000_000, failed=3)
    assert "&lt; 0.01 %" in render(replace(census, results=(rare,)), "html")
