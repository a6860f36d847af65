"""Results in a notebook: one line, an HTML table, data frames; and never a value of the microdata."""

from __future__ import annotations

import dataclasses
import inspect
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

import constraint_sdc as cs
from constraint_sdc.reports.notebook import DISPLAYS, Display, html, line
from constraint_sdc.reports.rendering import RENDERERS
from constraint_sdc.reports.result_tables import ShownTable
from constraint_sdc.shown import Shown, Tabled
from tests.census_folder import fill_census_folder

PLAIN = {
    "RuleOutcome": "a row of counts: its own repr is one short line",
    "SweepPoint": "a row of figures: its own repr is one short line",
    "VariableDescription": "a row of counts: its own repr is one short line",
    "Tls": "three paths that a user gives, and no result",
    "Reason": "a code with parameters, and no result: sentence() words it",
    "ExamAnswer": "one line of an exam, whose table has it",
    "Recipe": "what the user wrote, and no result",
    "Standardise": "a word, and no result",
    "Conflict": "part of a refusal, whose message words it: names of rules and variables, and counts",
    "WayOut": "part of a refusal, whose message words it: k, names of rules and variables, and roles",
}
"""Public classes without a display of their own, and why."""
SECRET = "987654.25"


def public_classes() -> list[type[Any]]:
    found = (getattr(cs, name) for name in cs.__all__)
    return [one for one in found if inspect.isclass(one) and not issubclass(one, Exception)]


def results() -> list[type[Any]]:
    return [one for one in public_classes() if not one.__name__.endswith("Options") and one.__name__ not in PLAIN]


# Nothing is forgotten.


@pytest.mark.parametrize("result", results(), ids=lambda result: result.__name__)
def test_every_public_result_has_a_display(result: type[Any]) -> None:
    assert issubclass(result, Shown)
    assert result in DISPLAYS, "add an entry to DISPLAYS in reports/notebook.py"
    assert result.__repr__ is Shown.__repr__, "declare the dataclass with repr=False"
    assert issubclass(result, Tabled) == bool(DISPLAYS[result].tables), "a result has to_frame() if it has tables"


def test_every_display_is_of_a_public_result() -> None:
    assert set(DISPLAYS) == set(results())


def test_every_result_of_a_verb_can_be_rendered() -> None:
    parts = {
        cs.RuleResult,
        cs.Violation,
        cs.RuleRow,
        cs.LintFinding,
        cs.Proposal,
        cs.RulePlan,
        cs.BlockPlan,
        cs.Written,
    }
    assert set(RENDERERS) == set(DISPLAYS) - parts


# What they show, on real results.


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[type[Any], Any]:
    """One result of every kind, of a file in which one record has an unmistakable value."""
    folder = tmp_path_factory.mktemp("notebook")
    fill_census_folder(folder)
    data, rules, masked = folder / "census.xml", folder / "census.sch", folder / "masked.xml"
    text = data.read_text("utf-8")
    data.write_text(re.sub("<V7>[^<]*</V7>", f"<V7>{SECRET}</V7>", text, count=1), encoding="utf-8")
    options = cs.MaskOptions(k=5, partition="mdav")
    result = cs.mask_file(data, rules, masked, options)
    check = cs.check_file(folder / "damaged.xml", rules, original=data, show_values=True, key="V7")
    plan, listed = result.plan, cs.list_rules(rules)
    linted = cs.lint_rules(rules, data)
    discovered = cs.discover_rules(data)
    found = [
        result,
        check,
        check.results[0],
        check.results[0].violations[0],
        plan,
        plan.blocks[0],
        plan.all_rules()[0],
        listed,
        listed.rows[0],
        linted,
        linted.findings[0],
        discovered,
        discovered.proposals[0],
        cs.explain_rule(plan, "EC-PV"),
        cs.explain_record(data, rules, 1, options),
        cs.verify_certificate(masked, rules, original=data),
        cs.reproduce(result.certificate, data, rules),
        cs.partition_file(data, k=5, partition="mdav"),
        cs.attack_files(data, masked, "transparency"),
        cs.assess_files(data, masked, rules=rules, attacks=[]),
        cs.sweep_file(data, ks=[3], partitions=["mdav"], jobs=1),
        cs.describe_file(data),
        cs.init_recipe(data, rules),
        cs.convert_file(data, folder / "census.csv"),
        cs.examine_object("unchanged", cases=1),
        demo_of(result, check, folder),
        cs.mask(pd.read_xml(data), rules, options),
        cs.check(pd.read_xml(folder / "damaged.xml"), rules, original=data, show_values=True, key="V7"),
    ]
    return {type(one): one for one in found}


def demo_of(result: cs.MaskResult, check: cs.CheckResult, folder: Path) -> cs.DemoResult:
    """The result of a demo, without its run: its parts come from other verbs."""
    found = cs.verify_certificate(result.output, folder / "census.sch", original=folder / "census.xml")
    sweep = cs.sweep_file(folder / "census.xml", ks=[3], partitions=["mdav"], jobs=1)
    assessment = cs.assess_files(folder / "census.xml", result.output, attacks=[])
    files = (("masked extract", result.output), ("its certificate", result.certificate))
    return cs.DemoResult(
        folder, files, check, result.plan, result, check, found, sweep, assessment, check, check, check
    )


@pytest.mark.parametrize("kind", results(), ids=lambda result: result.__name__)
def test_the_line_is_short_and_names_the_result(kind: type[Any], made: dict[type[Any], Any]) -> None:
    said = repr(made[kind])
    assert said.startswith(f"<{kind.__name__}")
    assert said.endswith(">")
    assert "\n" not in said
    assert len(said) <= 200


@pytest.mark.parametrize("kind", results(), ids=lambda result: result.__name__)
def test_neither_line_nor_html_shows_a_value(kind: type[Any], made: dict[type[Any], Any]) -> None:
    result = made[kind]
    for said in (repr(result), result._repr_html_()):
        assert SECRET not in said
    if kind in (cs.CheckResult, cs.RuleResult, cs.Violation):
        values = [v.message for rule in made[cs.CheckResult].results for v in rule.violations]
        assert values
        assert not any(value in result._repr_html_() for value in values if value)


def test_what_a_result_holds_shows_no_value_either(made: dict[type[Any], Any]) -> None:
    assert SECRET not in repr(made[cs.MaskResult].masked)
    assert SECRET not in repr(made[cs.MaskResult].masked.blocks)
    assert SECRET not in repr(made[cs.Assessment].pair)


class Page(HTMLParser):
    """Collects tags, checks that they are closed in order, and counts the cells of each row."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs == []
        self.tags.append(tag)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def close(self) -> None:
        super().close()
        assert self._open == []


@pytest.mark.parametrize("kind", results(), ids=lambda result: result.__name__)
def test_the_html_is_a_closed_table_without_script_or_attributes(kind: type[Any], made: dict[type[Any], Any]) -> None:
    page = Page()
    said, pictures, _ = made[kind]._repr_html_().partition("<div")
    page.feed(said)
    page.close()
    assert bool(pictures) == (kind in (cs.Assessment, cs.Sweep))
    assert set(page.tags) <= {"p", "code", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.tags.count("tr") <= 21
    assert ("table" in page.tags) == issubclass(kind, Tabled)


@pytest.mark.parametrize(("kind", "drawn"), [(cs.Assessment, 9), (cs.Sweep, 1)])
def test_pictures_stand_by_themselves(kind: type[Any], drawn: int, made: dict[type[Any], Any]) -> None:
    """The distributions of eight variables and the risk-utility map: no script, nothing from elsewhere, ids once."""
    _, start, rest = made[kind]._repr_html_().partition("<div")
    grid, more = (start + rest).split("</div>")
    tree = ElementTree.fromstring(grid + "</div>")
    assert len(tree.findall("figure/{*}svg")) == drawn
    tags = {element.tag.rpartition("}")[2] for element in tree.iter()}
    assert not tags & {"script", "style", "image", "foreignObject"}
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    asked = {value[1:] for element in tree.iter() for key, value in element.items() if key == "href"}
    assert asked <= set(ids)
    assert ("8 more variables" in more) == (kind is cs.Assessment)


@pytest.mark.parametrize(
    "kind", [kind for kind in results() if issubclass(kind, Tabled)], ids=lambda kind: kind.__name__
)
def test_every_table_becomes_a_frame(kind: type[Any], made: dict[type[Any], Any]) -> None:
    result = made[kind]
    for name, make in DISPLAYS[kind].tables.items():
        sheet, frame = make(result), result.to_frame(name)
        assert frame.columns.to_list() == list(sheet.head)
        assert len(frame) == len(sheet.rows)
        assert {len(row) for row in sheet.rows} <= {len(sheet.head)}
    assert result.to_frame().equals(result.to_frame(next(iter(DISPLAYS[kind].tables))))
    with pytest.raises(cs.UsageError, match=f"{kind.__name__} has no table 'x'"):
        result.to_frame("x")


def test_frames_hold_what_the_results_hold(made: dict[type[Any], Any]) -> None:
    check: cs.CheckResult = made[cs.CheckResult]
    assert check.to_frame()["failed"].to_list() == [rule.failed for rule in check.results]
    assert len(check.to_frame("violations")) == sum(len(rule.violations) for rule in check.results)
    plan: cs.Plan = made[cs.Plan]
    assert plan.to_frame()["rule"].to_list() == [rule.rule for rule in plan.all_rules()]
    assert plan.to_frame("variables")["variable"].nunique() == 16
    masked: cs.MaskResult = made[cs.MaskResult]
    assert masked.to_frame()["newly_broken"].sum() == 0
    assert masked.to_frame("blocks")["smallest"].to_list() == list(masked.smallest)
    partitioned: cs.Partitioned = made[cs.Partitioned]
    assert partitioned.to_frame()["records"].sum() == partitioned.records == len(partitioned.to_frame("records"))
    assessment: cs.Assessment = made[cs.Assessment]
    score = assessment.to_frame().query("section == 'score' and figure == 'score'")["value"].item()
    assert score == assessment.score.value("score")
    attack: cs.Measured = made[cs.Measured]
    assert attack.to_frame(attack.tables[0].name).columns.to_list() == list(attack.tables[0].head)


def test_values_stay_out_of_a_frame_unless_the_check_shows_them(tmp_path: Path) -> None:
    fill_census_folder(tmp_path)
    data, rules, original = tmp_path / "damaged.xml", tmp_path / "census.sch", tmp_path / "census.xml"
    hidden = cs.check_file(data, rules, original=original)
    assert hidden.to_frame("violations")["message"].isna().all()
    shown = cs.check_file(data, rules, original=original, show_values=True)
    assert shown.to_frame("violations")["message"].notna().all()


# Hostile text.


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Hostile(Tabled):
    text: str


def test_text_from_files_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = Hostile("<script>alert(1)</script>\x1b[31m\n&")
    rows = tuple((hostile.text, 1) for _ in range(30))
    display = Display(lambda one: f": {one.text}", {"rows": lambda _: ShownTable((hostile.text, "n"), rows)})
    monkeypatch.setattr("constraint_sdc.reports.notebook.DISPLAYS", {Hostile: display})
    said = html(hostile)
    assert "<script" not in said
    assert "\x1b" not in said + line(hostile)
    assert "\n" not in line(hostile)
    assert said.count("&lt;script&gt;") == 22
    assert "10 more rows: to_frame() has all" in said
