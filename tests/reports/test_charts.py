"""Charts: what a picture may show of a record, that a strict page can hold it, and that it is the same everywhere."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import pairwise
from xml.etree import ElementTree as Tree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.series import Grid
from constraint_sdc.measures.sweep_points import SweepPoint
from constraint_sdc.reports.charts.before_after import distribution_svg
from constraint_sdc.reports.charts.bins import LEVELS, Bars, Bins, barred, binned, least_records, quantile
from constraint_sdc.reports.charts.charts import INKS, Caption, drawn, tidy_svg
from constraint_sdc.reports.charts.sweep import render_curves_svg, render_map_svg
from constraint_sdc.settings.words import Scale
from tests.draws import draws
from tests.measures.pairs import compared
from tests.reports.assessments import HOSTILE, sweep_points

SVG = "{http://www.w3.org/2000/svg}"
sizes = st.floats(-1e300, 1e300) | st.integers(-9, 9).map(float) | st.just(math.nan)
columns = st.lists(sizes, min_size=1, max_size=60)
leasts = st.integers(3, 12)
SCENARIOS = ("with rules", "without rules")


def bins_of(values: list[float], least: int = 3, **others: object) -> Bins | None:
    return binned(compared("V", values, values, **others), least)  # type: ignore[arg-type]


def held(values: list[float], bins: Bins) -> list[int]:
    """Count by hand how many values each bin holds; the first and the last are open outwards."""
    inner = [edge * bins.unit for edge in bins.edges[1:-1]]
    edges = [-math.inf, *inner, math.inf]
    return [sum(left <= value < right for value in values) for left, right in pairwise(edges)]


@settings(max_examples=draws(100))
@given(columns, leasts)
def test_no_bin_holds_fewer_original_records_than_it_must(values: list[float], least: int) -> None:
    bins = bins_of(values, least)
    known = [value for value in values if not math.isnan(value)]
    if bins is None:
        assert len(known) < least
        return
    shares = [count / len(known) for count in held(known, bins)]
    counts = [round(share * len(known)) for share in bins.before]
    assert all(count == 0 or count >= least for count in counts)
    assert sum(counts) == len(known)
    if bins.unit == 1.0:
        assert list(bins.before) == pytest.approx(shares)
    assert all(map(math.isfinite, (*bins.edges, *bins.quantiles_before, *bins.quantiles_after)))
    assert all(left < right for left, right in pairwise(bins.edges))


@settings(max_examples=draws(100))
@given(columns, leasts, st.floats(1.5, 1e6))
def test_how_far_out_the_largest_value_lies_changes_nothing(values: list[float], least: int, factor: float) -> None:
    bins = bins_of(values, least)
    place = max(range(len(values)), key=lambda i: (not math.isnan(values[i]), values[i]))
    if bins is None or not values[place] / bins.unit >= bins.edges[-1]:
        return
    further = [*values[:place], min(values[place] + abs(values[place]) * factor, 1e308), *values[place + 1 :]]
    assert bins_of(further, least) == bins


def test_an_outlier_is_in_the_last_bin_and_nowhere_else() -> None:
    ordinary = [float(n) for n in range(100)]
    bins = bins_of([*ordinary, 987_654_321.0])
    assert bins is not None
    assert bins.edges[-1] <= 110
    assert max(bins.quantiles_before) <= 110
    assert "987" not in str(distribution_svg(compared("V", [*ordinary, 987_654_321.0], [*ordinary, 50.0]), 3, "v"))


@settings(max_examples=draws(100))
@given(st.lists(st.floats(-1e6, 1e6), min_size=12, max_size=40), leasts, st.sampled_from(LEVELS))
def test_a_quantile_is_the_mean_of_neighbours_about_it(values: list[float], least: int, level: float) -> None:
    ordered = sorted(values)
    windows = [sum(ordered[i : i + least]) / least for i in range(len(ordered) - least + 1)]
    found = quantile(np.array(ordered), level, least)
    assert min(abs(found - window) for window in windows) <= 1e-6
    place = level * (len(ordered) - 1)
    low, high = ordered[max(0, math.floor(place - least))], ordered[min(len(ordered) - 1, math.ceil(place + least))]
    assert low - 1e-6 <= found <= high + 1e-6


def test_edges_are_round_and_integers_are_not_split() -> None:
    dice = [float(n % 6 + 1) for n in range(600)]
    bins = bins_of(dice, grid=Grid(0))
    assert bins is not None
    assert bins.edges == (1, 2, 3, 4, 5, 6, 7)
    assert bins.before == pytest.approx([1 / 6] * 6)
    wide = bins_of([n * 1.2345 for n in range(1000)])
    assert wide is not None
    assert all((edge / wide.step) == pytest.approx(round(edge / wide.step)) for edge in wide.edges)


def test_the_picture_of_a_date_shows_dates() -> None:
    days = [float(day) for day in range(18262, 18262 + 366)]  # the days of 2020
    svg = distribution_svg(compared("V", days, days, grid=Grid(0, notation=DateNotation.ISO_DAY)), 3, "v")
    assert svg is not None
    assert "median about 2020-07-02 before" in svg
    assert ">2021-01-13<" in svg, "the last edge"


@pytest.mark.parametrize("value", [0.0, 5.0, -1e-300, 1e15, 1e300, -1e308, 5e-324])
def test_a_constant_has_a_picture(value: float) -> None:
    bins = bins_of([value] * 20)
    assert bins is not None
    assert sorted(bins.before) == [0, 0, 1]
    assert distribution_svg(compared("V", [value] * 20, [value] * 20), 3, "v") is not None


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], [math.nan] * 50, [1.0, 2.0, *[math.nan] * 50]])
@pytest.mark.parametrize("scale", Scale)
def test_of_one_or_two_records_there_is_no_picture(values: list[float], scale: Scale) -> None:
    assert distribution_svg(compared("V", values, values, scale=scale), 3, "v") is None


def test_three_is_the_least_whatever_k() -> None:
    assert [least_records(k) for k in (None, 1, 3, 10)] == [3, 3, 3, 10]


@settings(max_examples=draws(100))
@given(st.lists(st.integers(0, 15), min_size=1, max_size=80), leasts, st.sampled_from((Scale.ORDINAL, Scale.NOMINAL)))
def test_no_bar_stands_for_fewer_records_than_it_must(codes: list[int], least: int, scale: Scale) -> None:
    bars = barred(compared("V", codes, codes[::-1], scale=scale), least)
    if bars is None:
        assert len(codes) < least
        return
    counts = [round(share * len(codes)) for share in bars.before]
    assert all(count >= least for count in counts)
    assert sum(counts) == len(codes)
    assert sorted(bars.before) == pytest.approx(sorted(bars.after))


def test_ordinal_categories_stand_in_order_and_nominal_ones_by_frequency() -> None:
    codes = [0.0] * 10 + [1.0] * 30 + [2.0] * 20 + [3.0] * 1
    masked = [1.0] * 61
    ordinal = barred(compared("V", codes, masked, scale=Scale.ORDINAL), 3)
    nominal = barred(compared("V", codes, masked, scale=Scale.NOMINAL), 3)
    # The fourth category is one record: it joins the least of the others, so that both hide behind eleven.
    assert ordinal == Bars((30 / 61, 20 / 61, pytest.approx(11 / 61)), (1.0, 0.0, 0.0), True)
    assert nominal == Bars((30 / 61, 20 / 61, pytest.approx(11 / 61)), (1.0, 0.0, 0.0), True)
    assert barred(compared("V", codes[:60], codes[:60], scale=Scale.ORDINAL), 3) == Bars(
        (10 / 60, 30 / 60, 20 / 60), (10 / 60, 30 / 60, 20 / 60), False
    )


@cache
def charts() -> dict[str, str]:
    numbers = compared(HOSTILE, np.arange(200.0) ** 2, np.arange(200.0) * 190)
    town = compared("統計$x^2$", np.arange(200) % 7, np.arange(200) % 5, scale=Scale.NOMINAL)
    odd = [replace(point, partition=f"$\\frac$ {HOSTILE} 統") for point in sweep_points()[:30]]
    return {
        "numbers": str(distribution_svg(numbers, 5, "numbers")),
        "town": str(distribution_svg(town, 5, "town")),
        "map": render_map_svg(sweep_points(), this_file=(40.0, 20.0)),
        "odd": render_map_svg(odd, name="odd", is_inline=True),
        "curves": render_curves_svg(sweep_points()),
        "odd-curves": render_curves_svg(odd, name="odd-curves"),
    }


def test_a_chart_needs_no_style_no_script_and_nothing_from_outside() -> None:
    for svg in charts().values():
        root = Tree.fromstring(svg)
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            "svg", "title", "desc", "g", "path", "use", "defs", "clipPath", "rect", "text",
        }  # fmt: skip
        names = {name for element in root.iter() for name in element.attrib}
        assert not any(name == "style" or name.startswith("on") or ":" in name for name in names)
        links = [value for e in root.iter() for name, value in e.attrib.items() if name == "href" or "url(" in value]
        assert all(re.fullmatch(r"#[\w-]+|url\(#[\w-]+\)", link) for link in links)


def test_ids_are_the_charts_own_and_every_reference_is_answered() -> None:
    seen: set[str] = set()
    for name, svg in charts().items():
        ids = re.findall(r' id="([^"]+)"', svg)
        assert len(set(ids)) == len(ids)
        assert all(id_.startswith(f"{name}-") for id_ in ids)
        assert set(re.findall(r"#([a-z]+[\w-]*-\d+)", svg)) == set(ids)
        assert seen.isdisjoint(ids)
        seen.update(ids)


def test_a_chart_says_what_it_shows() -> None:
    for svg in charts().values():
        root = Tree.fromstring(svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == root[0].text
        assert [root[0].tag, root[1].tag] == [f"{SVG}title", f"{SVG}desc"]
        assert root[1].text
    assert "PIL 40.00, DR 20.00 of this file" in charts()["map"]


def test_names_are_shown_as_they_are_and_never_read_as_mathematics_or_markup() -> None:
    drawn = charts()
    assert "<script" not in "".join(drawn.values())
    for name in ("odd", "odd-curves"):
        texts = [element.text or "" for element in Tree.fromstring(drawn[name]).iter(f"{SVG}text")]
        assert any(text.startswith("with rules, $\\frac$ <script>") for text in texts)
    assert Tree.fromstring(drawn["town"])[0].text == "統計$x^2$ before and after masking"


def test_a_control_character_in_a_name_leaves_the_chart_well_formed() -> None:
    numbers = compared("V\x00\x1b\ud800", np.arange(50.0), np.arange(50.0))
    Tree.fromstring(str(distribution_svg(numbers, 3, "v")))
    Tree.fromstring(render_map_svg([replace(sweep_points()[5], partition="\x00\ufffe")]))


def test_the_colours_of_a_chart_are_those_a_page_can_change() -> None:
    for svg in charts().values():
        for element in Tree.fromstring(svg).iter():
            classes = (element.get("class") or "").split()
            for use in ("fill", "stroke"):
                colour = element.get(use)
                if colour not in (None, "none"):
                    assert any(name.startswith(f"{use}-") and INKS[name[len(use) + 1 :]] == colour for name in classes)


def test_the_same_chart_has_the_same_bytes_in_another_process() -> None:
    code = (
        "from tests.reports.assessments import sweep_points as p\n"
        "from constraint_sdc.reports.charts.sweep import render_map_svg as m, render_curves_svg as c\n"
        "import sys; sys.stdout.buffer.write((m(p(), this_file=(40.0, 20.0)) + c(p())).encode())"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.decode()
    assert printed == render_map_svg(sweep_points(), this_file=(40.0, 20.0)) + render_curves_svg(sweep_points())


def test_drawing_leaves_the_users_settings_alone_and_is_not_changed_by_them() -> None:
    import matplotlib

    usual = render_map_svg(sweep_points())
    with matplotlib.rc_context({"font.size": 33, "axes.facecolor": "red", "svg.fonttype": "path"}):
        assert render_map_svg(sweep_points()) == usual
        assert matplotlib.rcParams["font.size"] == 33
    assert "matplotlib.pyplot" not in sys.modules


def test_inline_a_chart_has_no_size_and_alone_it_has() -> None:
    alone, inline = (Tree.fromstring(render_map_svg(sweep_points(), is_inline=is_in)) for is_in in (False, True))
    assert alone.get("width")
    assert inline.get("width") is None
    assert alone.get("viewBox") == inline.get("viewBox")


def test_style_attributes_become_presentation_attributes() -> None:
    drawn = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9pt" height="9pt">'
        '<defs><style type="text/css">*{fill:red}</style></defs><g id="figure_1"><defs><path id="m1" d="M 0 0.123456"'
        ' style="stroke: #1d2430; stroke-width: 0.8"/></defs><use xlink:href="#m1" style="fill: #ffffff"/>'
        '<text style="font-size: 10px; font-family: \'DejaVu Sans\'" transform="rotate(-0 1 2)">token</text></g></svg>'
    )
    root = Tree.fromstring(tidy_svg(drawn, "c", Caption("T", "D", {"token": "<b>"}), is_inline=True))
    path, use, text = (next(root.iter(f"{SVG}{tag}")) for tag in ("path", "use", "text"))
    assert path.attrib == {
        "id": "c-1", "d": "M 0 0.12", "stroke": "#1d2430", "stroke-width": "0.8", "class": "stroke-ink",
    }  # fmt: skip
    assert use.attrib == {"href": "#c-1", "fill": "#ffffff", "class": "fill-paper"}
    assert (text.attrib, text.text) == ({"font-size": "10px"}, "<b>")


def test_the_curves_mark_the_least_score_of_each_scenario() -> None:
    best = {s: min((p for p in sweep_points() if p.scenario == s), key=lambda p: p.score or 0) for s in SCENARIOS}
    texts = [element.text for element in Tree.fromstring(render_curves_svg(sweep_points())).iter(f"{SVG}text")]
    for point in best.values():
        assert f"least SCORE {point.score:.2f} at k = {point.k}" in texts
    assert {"PIL", "DR", "SCORE", "with rules, mdav", "without rules, mdav"} <= set(texts)


def test_the_map_names_every_series_and_some_k() -> None:
    texts = [element.text for element in Tree.fromstring(render_map_svg(sweep_points())).iter(f"{SVG}text")]
    assert {"with rules, mdav", "without rules, mdav", "k=1", "k=10", "SCORE 50, as if not masked"} <= set(texts)
    assert "this file" not in texts


def test_a_point_that_is_not_defined_is_said_not_drawn() -> None:
    none = SweepPoint("with rules", "microaggregation", "mdav", 3, None, 1.0, 1.0, None, None, None, 0, 3, 0.1)
    drawn = render_map_svg([none, sweep_points()[4]])
    assert "1 masking in 1 series; 1 without PIL or DR not drawn." in drawn
    assert "SCORE is not defined for any of them." in render_curves_svg([none])
    for empty in (render_map_svg([]), render_curves_svg([]), render_map_svg([none]), render_curves_svg([none])):
        Tree.fromstring(empty)


@pytest.mark.parametrize("measure", ["pil", "dr"])
def test_a_point_with_one_of_both_coordinates_is_not_drawn(measure: str) -> None:
    half = replace(sweep_points()[4], **{measure: None})  # type: ignore[arg-type]
    assert "1 masking in 1 series; 1 without PIL or DR not drawn." in render_map_svg([half, sweep_points()[5]])


def test_more_series_than_colours_still_differ() -> None:
    points = [replace(point, partition=f"m{i}") for i in range(9) for point in sweep_points()[:3]]
    root = Tree.fromstring(render_map_svg(points))
    marks = {
        (path.get("d"), use.get("fill"))
        for path in root.iter(f"{SVG}path")
        if (id_ := path.get("id"))
        for use in root.iter(f"{SVG}use")
        if use.get("href") == f"#{id_}" and use.get("fill") in INKS.values()
    }
    assert len(marks) >= 9


def test_as_many_values_as_a_bin_must_hold_have_a_picture() -> None:
    assert bins_of([1.0, 2.0, 3.0], 3) is not None
    assert binned(compared("V", [1.0, 2.0, 3.0], [1.0, 2.0, math.nan]), 3) is None


def test_a_picture_has_the_size_that_it_was_drawn_for() -> None:
    root = Tree.fromstring(drawn(lambda _: None, (250.0, 150.0), "v", Caption("a", "b")))
    assert root.attrib["viewBox"] == "0 0 250 150"


def test_both_boxes_of_quantiles_stand_in_their_panel_before_above_after() -> None:
    drawn = str(distribution_svg(compared("V", np.arange(200.0) ** 2, np.arange(200.0) * 190), 3, "v"))
    top, height = map(float, re.findall(r'<rect x="6" y="(.+?)" width="238" height="(.+?)"', drawn)[-1])
    whiskers = re.findall(r'd="M \S+ (\S+) L \S+ \1"[^>]* class="stroke-(before|after)"', drawn)
    (before, first), (after, second) = ((float(y), file) for y, file in whiskers)
    assert (first, second) == ("before", "after")
    assert top + height / 4 < before < top + height / 2 < after < top + 3 * height / 4


def test_lines_of_equal_score_are_drawn_where_the_map_has_room_for_them() -> None:
    texts = [element.text for element in Tree.fromstring(render_map_svg(sweep_points()[3:9])).iter(f"{SVG}text")]
    assert [texts.count(f"{score}") for score in range(0, 80, 10)] == [2, 3, 3, 3, 3, 2, 2, 0], "both axes end at 60"


@pytest.mark.parametrize(
    ("first", "labels"),
    [(0.0, ["0", "50", "100"]), (-1234567890.0, ["-1,234,567,890", "-1,234,567,790"])],
)
def test_the_number_in_the_middle_is_written_where_there_is_room(first: float, labels: list[str]) -> None:
    values = [first + i for i in range(101)]
    root = Tree.fromstring(str(distribution_svg(compared("V", values, values), 3, "v")))
    assert [element.text for element in root.iter(f"{SVG}text")] == labels
