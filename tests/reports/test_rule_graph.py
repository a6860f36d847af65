"""The drawing of variables and rules: everything is on it, nothing from outside gets out of its text."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import constraint_sdc as cs
from constraint_sdc.cli import main
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.reports.rule_graph import GraphPanel, GraphRule, RuleGraph, graph_of_plan, render_graph_svg
from tests.census_folder import fill_census_folder
from tests.in_process import run_in_process

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("x")</script>&amp;]]>\x1b[31m'


def texts(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("graph")
    fill_census_folder(made)
    return made


def test_every_variable_and_rule_is_drawn_once(folder: Path) -> None:
    listed = cs.list_rules(folder / "census.sch")
    said = texts(cs.render(listed, "svg"))
    for row in listed.rows:
        assert sum(text.startswith(row.id) for text in said) == 1
        assert all(sum(text.startswith(name) and text == name * 2 for text in said) == 1 for name in row.variables)
    root = ElementTree.fromstring(cs.render(listed, "svg"))
    assert len(root.findall(f"{SVG}path")) == sum(len(row.variables) for row in listed.rows)


def test_names_and_rules_are_text_and_nothing_else() -> None:
    rule = GraphRule(HOSTILE, HOSTILE, (HOSTILE, "年齢"))
    svg = render_graph_svg(RuleGraph(HOSTILE, (GraphPanel(HOSTILE, (HOSTILE,), (rule,), ("年齢",)),)))
    root = ElementTree.fromstring(svg)
    allowed = {"svg", "title", "rect", "text", "tspan", "path", "circle"}
    assert {node.tag.removeprefix(SVG) for node in root.iter()} == allowed
    names = {name for node in root.iter() for name in node.attrib}
    assert not any(name.startswith("on") or name in ("style", "href", "class", "id") for name in names)
    assert "\x1b" not in svg
    assert "年齢" in svg


def test_long_names_are_clipped_and_shown_in_full_on_demand() -> None:
    name = "a" * 80
    svg = render_graph_svg(RuleGraph("t", (GraphPanel("b", (name,), (GraphRule("r", "s", (name,)),)),)))
    (shown,) = [node for node in ElementTree.fromstring(svg).iter(f"{SVG}text") if node.text and node.text[0] == "a"]
    assert len(shown.text or "") <= 24
    assert shown.findtext(f"{SVG}title") == name


def test_a_plan_is_drawn_block_by_block(folder: Path) -> None:
    plan = cs.plan_file(folder / "census.xml", folder / "census.sch", k=5, partition="mdav")
    graph = graph_of_plan(plan)
    assert [panel.variables for panel in graph.panels if panel.is_block] == [block.names for block in plan.blocks]
    drawn = {rule.id for panel in graph.panels for rule in panel.rules}
    assert drawn == {rule.rule for rule in plan.all_rules()}
    assert cs.render(plan, "svg") == render_graph_svg(graph)


def test_the_command_draws_rules_data_and_plans(folder: Path) -> None:
    def draw(*words: str) -> tuple[int, str, str]:
        return run_in_process(main, ["constraint-sdc", "rules", "graph", "census.sch", *words], folder)

    assert draw("-o", "rules.svg")[0] == 0
    assert "In no rule" not in (folder / "rules.svg").read_text("utf-8")
    assert "In no rule" in draw("--data", "census.xml")[1]
    assert "Blocks of the plan, k = 5" in draw("--data", "census.xml", "-k", "5")[1]
    assert "give --data too" in draw("-k", "5")[2]
    assert "give -k too" in draw("--recipe", "recipe.yml")[2]
    assert "overwrite an input" in draw("-o", "census.sch")[2]


def test_plan_saves_the_drawing(folder: Path) -> None:
    words = ["plan", "census.xml", "--rules", "census.sch", "-k", "5", "--partition", "mdav", "--graph", "plan.svg"]
    code, _, told = run_in_process(main, ["constraint-sdc", *words], folder)
    assert code == 0
    assert "drawing saved: plan.svg" in told
    assert (folder / "plan.svg").read_text("utf-8").startswith("<svg ")


def test_the_page_of_an_assessment_has_the_drawing(folder: Path) -> None:
    masked = folder / "masked.xml"
    cs.mask_file(folder / "census.xml", folder / "census.sch", masked, k=5, partition="mdav")
    found = cs.assess_files(folder / "census.xml", masked, attacks=[], certificate=f"{masked}.certificate.json")
    assert "Blocks of the plan, k = 5" in cs.render(found, "html")


def test_the_shipped_abstract_patterns_alone_draw_an_empty_sheet() -> None:
    listed = cs.list_rules(shipped_file("rules", "constraints.sch"))
    assert listed.rows == ()
    assert ElementTree.fromstring(cs.render(listed, "svg")).tag == f"{SVG}svg"
