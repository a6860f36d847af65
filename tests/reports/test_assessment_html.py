"""The page of an assessment: what it says, what it hides, and that no name in it is obeyed."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from constraint_sdc.data.pair import MaskedTogether, Pair
from constraint_sdc.maskers.masked import RuleOutcome
from constraint_sdc.measures.assessment import Assessment, Figure, ResultTable, Unit
from constraint_sdc.reports.assessment.figures_text import shown_figure
from constraint_sdc.reports.assessment.html import render_assessment_html
from constraint_sdc.reports.assessment.sections import key_figures
from constraint_sdc.reports.charts.charts import INKS
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.reason import Reason, because
from tests.measures.pairs import compared, group_means, pair_of
from tests.reports.assessments import (
    ACCEPTED_ASSESSMENT,
    ACHIEVED,
    BARE_ASSESSMENT,
    BROKEN_ASSESSMENT,
    FULL_ASSESSMENT,
    HOSTILE,
    PIL,
    RECORDS,
    SCORE,
    TRANSPARENCY,
    page_of,
    sweep_points,
)
from tests.reports.test_hostile_text import CONTROL, any_text

VOID = {"meta", "br"}
STYLE = (Path(__file__).parents[2] / "constraint_sdc/reports/templates/assessment.css").read_text("utf-8")
NO_PICTURES = Pair((), (), (), 10)
WORDS = replace(FULL_ASSESSMENT, pair=NO_PICTURES)
"""Without pictures, which take their time."""


ACCEPTED = replace(ACCEPTED_ASSESSMENT, pair=NO_PICTURES)


class Page(HTMLParser):
    """Text, tags and attributes of a page; fails on tags that do not close in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []
        self.text = re.sub(r" ([:.,;])(?= |$)", r"\1", " ".join(" ".join(self.words).split()))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)


def noted(text: str) -> Reason:
    return because("certificate-differs", quotes={"how": text})


@pytest.fixture(scope="module")
def full() -> str:
    return page_of("full")


def words(assessment: Assessment, **options: bool) -> str:
    return Page(render_assessment_html(assessment, **options)).text


def test_the_sections_stand_in_the_agreed_order(full: str) -> None:
    assert re.findall(r"<h2>(.*?)</h2>", full) == [
        "Criteria of the verdict",
        "Risk: what could be linked",
        "Attacks: what an intruder finds out",
        "Utility: what masking cost",
        "Utility by subdomain",
        "Risk and utility",
        "Rules before and after masking",
        "Distributions before and after masking",
        "Plan, and why each rule survives",
        "Codebook",
        "Certificate",
    ]
    assert full.index('class="verdict fail"') < full.index('class="figures"') < full.index("<h2>")
    targets = re.findall(r'<a href="#([^"]+)">', full)
    assert targets == re.findall(r'<section id="([^"]+)">', full)


def test_the_policy_allows_the_own_style_sheet_by_its_hash_and_nothing_else(full: str) -> None:
    style = full.split("<style>", 1)[1].split("</style>", 1)[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', full)
    assert policy is not None
    assert policy[1] == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def test_the_page_needs_nothing_from_outside_and_obeys_no_name(full: str) -> None:
    for text in (full, page_of("broken")):
        page = Page(text)
        assert page.tags.isdisjoint(
            {"script", "link", "img", "image", "iframe", "object", "embed", "form", "base", "b"}
        )
        assert not any(name in ("style", "src") or name.startswith("on") for _, name, _ in page.attributes)
        assert all((value or "").startswith("#") for _, name, value in page.attributes if name == "href")
        assert HOSTILE in page.text
        assert "out/masked & <b>.xml" in page.text
        assert "Größe_統計" in page.text


def test_no_id_occurs_twice(full: str) -> None:
    ids = [value for _, name, value in Page(full).attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_the_verdict_is_one_sentence_with_the_key_figures() -> None:
    text = words(WORDS)
    assert "NOT ACCEPTED 1,080 records; 4 rules, none newly broken, 1 as before masking. Speaks against it:" in text
    assert "smallest class over all known variables 1 (at least 3)" in text
    for figure in (
        "Rules newly broken 0 of 4", "Blocks with groups of at least k = 10 2 of 2",
        "Smallest group over all known variables 1", "SCORE (50: not masked) 35.45", "Records linked (DBRL) 18.43%",
        "Certain re-identifications, at worst 27 of 1,080",
    ):  # fmt: skip
        assert figure in text


def test_the_key_figures_are_found_in_what_the_measures_say() -> None:
    from constraint_sdc.measures.attacks.transparency import Transparency
    from constraint_sdc.measures.risk.achieved_k import AchievedKRisk
    from constraint_sdc.measures.score import score_measured

    # Groups of three in each block, and no two records share both of theirs.
    numbers, place = np.random.default_rng(1).normal(size=(12, 4)), np.arange(12)
    masked = np.hstack((group_means(numbers[:, :2], place // 3), group_means(numbers[:, 2:], place % 4)))
    blocks = [MaskedTogether(("V1", "V2"), "mdav"), MaskedTogether(("V3", "V4"), "mdav")]
    pair = pair_of(numbers, masked, blocks=blocks, k=3)
    assessment = replace(
        WORDS, pair=pair, records=12, risk=(AchievedKRisk().measure(pair),), attacks=(Transparency().measure(pair),),
        score=score_measured(40.0, 20.0, 30.0),
    )  # fmt: skip
    found = {label: text for label, text, _ in key_figures(assessment)}
    assert found["Blocks with groups of at least k = 3"] == "2 of 2"
    assert found["Smallest group over all known variables"] == "1"
    assert found["SCORE (50: not masked)"] == "32.50"
    assert found["Records linked (DBRL)"] == "20.00%"
    assert found["Certain re-identifications, at worst"] == "12 of 12"


def test_what_speaks_against_a_file_stands_out() -> None:
    short = replace(ACHIEVED, figures=(*ACHIEVED.figures[:2], Figure("blocks", "blocks", 3, Unit.COUNT)))
    page = render_assessment_html(replace(BROKEN_ASSESSMENT, pair=NO_PICTURES, risk=(short,)))
    assert 'class="verdict fail"' in page
    assert '<dt>Rules newly broken</dt><dd class="fail">1 of 4</dd>' in page
    assert '<dt>Blocks with groups of at least k = 10</dt><dd class="fail">2 of 3</dd>' in page
    assert '<dt>Certain re-identifications, at worst</dt><dd class="fail">27 of 1,080</dd>' in page
    good = render_assessment_html(ACCEPTED)
    assert '<dd class="fail">' not in good
    assert 'class="verdict pass"' in good
    assert 'class="verdict warn"' in render_assessment_html(replace(ACCEPTED, attacks=ACCEPTED.attacks[:1]))
    assert 'class="verdict fail"' in render_assessment_html(WORDS)
    useless = replace(SCORE, figures=(Figure("score", "SCORE", 50.0), *SCORE.figures[1:]))
    assert '<dd class="fail">50.00</dd>' in render_assessment_html(replace(WORDS, score=useless))


def test_a_certificate_that_disagrees_is_told_in_the_verdict_and_in_its_section() -> None:
    text = words(replace(BROKEN_ASSESSMENT, pair=NO_PICTURES))
    assert text.count("its SHA-256 differs") == 2
    assert "The certificate and the file disagree" in text
    assert "Exit code 1 " in text
    assert "agree in everything that was compared" in words(WORDS)


def test_the_rules_before_and_after_have_a_state_each() -> None:
    outcomes = (*BROKEN_ASSESSMENT.outcomes[:1], *FULL_ASSESSMENT.outcomes)  # type: ignore[index,misc]
    page = render_assessment_html(replace(WORDS, outcomes=outcomes))
    states = re.findall(r'<span class="chip (\w+)">([^<]*)</span></td>\n<th', page)
    assert states == [
        ("fail", "newly broken"), ("warn", "broken as before"), ("pass", "holds"), ("pass", "holds"),
        ("idle", "not applicable"),
    ]  # fmt: skip
    assert "EC-LC error 1,080 3 3 0 42" in Page(page).text


def test_without_rules_certificate_and_measures_the_page_says_so() -> None:
    text = words(BARE_ASSESSMENT)
    for said in (
        "No rules were given, so none was judged.", "The masked file has no certificate, so it is not known",
        "No utility was measured.", "No attack was run.", "There is no variable to draw.",
        "PIL or DR is not defined for this file, so it has no place on the map.",
        "its plan, rules and program version are not known",
        "Rules newly broken no rules given", "Certain re-identifications, at worst not run",
        "Blocks that keep k no k promised", "Smallest group over all known variables not run",
        "SCORE (50: not masked) not defined",
    ):  # fmt: skip
        assert said in text
    assert "nan" not in text.lower().split()
    assert 'class="verdict warn"' in render_assessment_html(BARE_ASSESSMENT)


def test_the_plan_tells_blocks_operators_strata_and_why_each_rule_survives() -> None:
    text = words(WORDS)
    for said in (
        "6 variables of 1,080 records masked in 2 blocks, at least 10 records to a group; ",
        "partition auto at high effort",
        "Block 1: V9, V10, V14", "Together rules tie them", "V12 confidential numeric free arithmetic mean 2.5",
        "2 10 topped up V8 missing; V13 <= V12 (EC-GV)", "V14 computed by EC-LC",
        "EC-GV checked if V8 < 1115 then V13 <= V12 (governs)",
        "the solutions of a linear condition are convex", "unique judged", "Id identifier taken out of the file",
        "Broken before masking: EC-LC by 3 records", "every representative is checked; those that fail are repaired",
        "derived 104, nudged 4",
    ):  # fmt: skip
        assert said in text


def test_every_measure_shows_its_sentence_figures_tables_and_notes() -> None:
    text = words(WORDS)
    for measured in (*WORDS.utility, WORDS.score, *WORDS.risk, *WORDS.attacks):
        assert f"{measured.title} {shown_figure(measured.figures[0])} {worded(measured.says)}" in text
        assert all(figure.label in text for figure in measured.figures)
        assert all(note in text for note in sentences(measured.notes))
    assert "covariances not defined" in text
    assert "V8 12.50% 1,235 < 0.01%" in text
    assert "V12 50.00% 1,234,568 -" in text


def test_a_long_table_is_closed_until_it_is_opened() -> None:
    page = render_assessment_html(WORDS)
    assert "<details>\n<summary><bdi>By pair of variables</bdi>" in page
    assert "<caption><bdi>By variable</bdi></caption>" in page
    assert "28 rows" in page


@pytest.mark.parametrize(("length", "is_closed"), [(12, False), (13, True)])
def test_a_table_of_a_dozen_rows_is_open(length: int, is_closed: bool) -> None:
    rows = tuple((f"V{i}", float(i)) for i in range(length))
    table = ResultTable("t", "A dozen", ("name", "value"), (None, Unit.PLAIN), rows)
    page = render_assessment_html(replace(WORDS, utility=(replace(PIL, tables=(table,)),), subdomains=()))
    assert ("<summary><bdi>A dozen</bdi>" in page) is is_closed


def test_a_huge_table_is_cut_and_says_so() -> None:
    rows = tuple((f"V{i}", float(i)) for i in range(2500))
    table = ResultTable("t", "Huge", ("name", "value"), (None, Unit.PLAIN), rows)
    text = words(replace(WORDS, utility=(replace(PIL, tables=(table,)),), subdomains=()))
    assert "V999 999" in text
    assert "V1000 1,000" not in text
    assert "and 1,500 more rows, all of them in the JSON form" in text


def test_tables_of_single_records_are_left_out_unless_asked_for() -> None:
    hidden, shown = words(WORDS), words(WORDS, show_values=True)
    assert "987,654,321" not in hidden
    assert "Records an intruder finds: this table reveals single records and is left out." in hidden
    assert "Values of single records are hidden." in hidden
    assert "987,654,321" in shown
    assert "is left out" not in shown
    assert "This page shows values of single records." in shown


def test_measures_of_a_handful_of_records_are_left_out_unless_asked_for() -> None:
    hidden, shown = words(WORDS), words(WORDS, show_values=True)
    assert f"Town = {HOSTILE} fewer than 10, or all but so few hidden hidden" in hidden
    assert "Secret: a rare value fewer than 10, or all but so few hidden hidden" in hidden
    assert "987654.32" not in hidden
    assert "Region = 'North' 612 9.09% 46.93%" in hidden
    assert f"Town = {HOSTILE} 2 9.09% 46.93%" in shown
    assert len(re.findall("moved the records", hidden)) == 2
    assert len(re.findall("moved the records", shown)) == 4


def test_the_outlier_leaves_no_trace_in_the_page(full: str) -> None:
    assert not re.search("987[,.]?654", full)
    variable = FULL_ASSESSMENT.pair["V8"]
    further = variable.original.copy()
    further[17] *= 1000
    pair = replace(FULL_ASSESSMENT.pair, variables=(replace(variable, original=further),))
    usual = replace(FULL_ASSESSMENT.pair, variables=(variable,))
    pages = [render_assessment_html(replace(FULL_ASSESSMENT, pair=each)) for each in (usual, pair)]
    assert pages[0] == pages[1]


def test_every_masked_variable_has_its_picture_and_the_page_says_how_it_was_drawn(full: str) -> None:
    assert full.count("<figure>") == len(FULL_ASSESSMENT.pair.variables) - 1
    text = Page(full).text
    assert "V10 blank: 40 before, 40 after" in text
    assert "Every bin holds none or at least 10 original records" in text
    assert "the smallest and the largest value are not drawn where they are" in text
    assert "so not drawn: 1 variable." in text


def test_a_variable_of_too_few_values_and_those_beyond_the_page_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraint_sdc.reports.assessment.sections._MOST_PICTURES", 3)
    some = np.full(RECORDS, np.nan)
    some[:5] = 1.0
    flat = np.ones(RECORDS)
    many = tuple(compared(f"W{i}", flat, flat) for i in range(5))
    text = words(replace(FULL_ASSESSMENT, pair=Pair((compared("Rare", some, some), *many), (), (), 10)))
    assert "Not drawn, since fewer than 10 records have a value: Rare." in text
    assert "Not drawn, to keep the page short: W2, W3, W4." in text


@pytest.mark.parametrize(
    ("before", "after", "says"), [(0, 0, None), (20, 20, "20 before, 20"), (20, 0, "20 before, 0")]
)
def test_blanks_are_told_of_a_variable_that_has_some(before: int, after: int, says: str | None) -> None:
    original, masked = np.arange(50.0), np.arange(50.0) + 0.5
    original[:before], masked[:after] = np.nan, np.nan
    text = words(replace(FULL_ASSESSMENT, pair=Pair((compared("V", original, masked),), (), (), 10)))
    assert ("blank:" in text) is (says is not None)
    assert says is None or f"blank: {says} after" in text


def test_a_handful_of_blanks_is_not_counted_out() -> None:
    values = np.arange(50.0)
    values[3] = np.nan
    text = words(replace(FULL_ASSESSMENT, pair=Pair((compared("V", values, np.arange(50.0)),), (), (), 5)))
    assert "blank: fewer than 5 before, 0 after" in text


def test_a_variable_that_changed_though_it_should_not_is_drawn() -> None:
    values = np.arange(50.0)
    pair = Pair((compared("V", values, values[::-1], is_masked=False),), (), (), 3)
    assert "<figure>" in render_assessment_html(replace(FULL_ASSESSMENT, pair=pair))


def test_the_map_shows_this_file_and_the_sweep(full: str) -> None:
    text = Page(full).text
    assert "This file loses 46.93% (PIL) and leaves 23.96% at risk (DR). The other 198 points" in text
    assert "with rules, mdav" in text
    undefined = replace(sweep_points()[0], pil=None)
    text = Page(render_assessment_html(WORDS, sweep=[*sweep_points()[:3], undefined])).text
    assert "1 points without PIL or DR are not drawn." in text
    alone = render_assessment_html(replace(WORDS, score=BARE_ASSESSMENT.score), sweep=sweep_points()[:3])
    assert "PIL or DR is not defined for this file; the 3 points are maskings of the same data." in alone


def test_the_certificate_tells_digests_versions_and_options() -> None:
    text = words(WORDS)
    digests = f"data census.xml {'a' * 64} rules {'b' * 64} masked file masked.xml {'c' * 64} plan {'d' * 64}"
    for said in (digests, "k 10", "seed 0", "weights not given", "numpy 2.3.4"):
        assert said in text


def test_an_absolute_path_tells_nothing_about_the_machine() -> None:
    page = render_assessment_html(replace(WORDS, original=Path("/home/someone/census.xml")))
    assert "someone" not in page
    assert "census.xml" in page


def test_the_same_assessment_makes_the_same_page(full: str) -> None:
    assert render_assessment_html(FULL_ASSESSMENT, sweep=sweep_points()) == full


def test_the_style_sheet_knows_every_colour_of_the_charts() -> None:
    light = STYLE.split("@media", 1)[0]
    for name, colour in INKS.items():
        assert f"--{name}: {colour};" in light
        assert f".fill-{name} {{ fill: var(--{name}); }}" in STYLE
        assert f".stroke-{name} {{ stroke: var(--{name}); }}" in STYLE
    for medium in ("prefers-color-scheme: dark", "@media print"):
        part = STYLE.split(medium, 1)[1].split("}", 1)[0]
        assert all(f"--{name}:" in part for name in INKS)


@settings(max_examples=15)
@given(any_text, any_text, any_text)
def test_the_page_is_well_formed_and_quiet_whatever_the_text(name: str, said: str, title: str) -> None:
    table = ResultTable("t", title, (name, said), (None, None), ((said, name),))
    measured = replace(
        TRANSPARENCY,
        title=title,
        says=said,
        tables=(table,),
        notes=(noted(name),),
    )
    rules = (RuleOutcome(name, "error", 1, 0, 0, 0, 0),)
    variable = compared(name, np.arange(20.0), np.arange(20.0))
    hostile = replace(
        BARE_ASSESSMENT, masked=Path(f"m{said}"), utility=(measured,), notes=(noted(title),), outcomes=rules,
        known=(name,), pair=Pair((variable,), (), (), 3),
    )  # fmt: skip
    page = render_assessment_html(hostile)
    page.encode("utf-8")
    assert not CONTROL.search(page)
    assert "<script" not in page
    assert Page(page).tags.isdisjoint({"script", "img"})
