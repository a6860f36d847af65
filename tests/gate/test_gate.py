"""Everything in a file has a decided fate: what nobody decided on is refused, what is removed is gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

from constraint_sdc.cli import main
from constraint_sdc.commands.certificate.certificate import read_certificate
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import check_file
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.plan import plan_file
from constraint_sdc.errors import NotPublishedError, UsageError
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.plan.inventory import UndecidedError
from constraint_sdc.plan.plan import Fate, Plan
from constraint_sdc.plan.plan_json import plan_from_json, plan_to_json
from constraint_sdc.settings.recipe import Recipe
from tests.in_process import run_in_process

N = 60
DRAW = np.random.default_rng(7)
INCOME = [str(value) for value in DRAW.integers(700, 90_000, N)]
NAMES = [f"{first} {last}" for first in ("Anna", "Ben", "Cleo") for last in range(20)]


def rows(**columns: list[str]) -> str:
    cells = zip(*columns.values(), strict=True)
    return "".join(
        "<Person>" + "".join(f"<{n}>{v}</{n}>" for n, v in zip(columns, row, strict=True)) + "</Person>\n"
        for row in cells
    )


@pytest.fixture
def mask(tmp_path: Path) -> Callable[..., MaskResult]:
    """Mask a document by a recipe; both are texts."""

    def masked(document: str, recipe: str = "", **options: Any) -> MaskResult:
        data, told = tmp_path / "data.xml", tmp_path / "recipe.yml"
        data.write_text(document)
        told.write_text(recipe)
        given = MaskOptions(k=3, record="Person", recipe=read_recipe(told), **{"partition": "mdav", **options})
        return mask_file(data, None, tmp_path / "masked.xml", given, overwrite=True)

    return masked


def undecided(mask: Callable[..., MaskResult], document: str, recipe: str = "") -> list[str]:
    """Return what the refusal names."""
    with pytest.raises(UndecidedError) as refusal:
        mask(document, recipe)
    assert refusal.value.exit_code == 3
    assert "constraint-sdc init data.xml --record Person -o recipe.yml" in str(refusal.value)
    return [name for name, _ in refusal.value.things]


def fates(plan: Plan) -> dict[str, str]:
    return {one.what: one.fate.value for one in plan.inventory if one.kind != "names"}


# The findings of the order, one by one.


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("person_id", [str(1001 + i) for i in range(N)]),
        ("name", NAMES),
        ("PersonNr", [f"P{i:05}" for i in range(N)]),
        ("sex", ["1", "2"] * (N // 2)),
        ("relat", [str(1 + i % 7) for i in range(N)]),
        ("hhid", [str(1 + i // 3) for i in range(N)]),
        ("utility_id", [str(200 + i % 12) for i in range(N)]),
        ("year", [str(1990 + i % 20) for i in range(N)]),
        ("month", [str(1 + i % 12) for i in range(N)]),
        ("weight", [f"{20 + i * 7 % 90}.5" for i in range(N)]),
        ("turnover", [*INCOME[:-1], "n/a"]),
        ("profit", [*INCOME[:-3], "NA", "NA", "NA"]),
    ],
)
def test_what_leaves_a_doubt_is_refused_by_name(
    mask: Callable[..., MaskResult], tmp_path: Path, name: str, values: list[str]
) -> None:
    document = f"<Data>{rows(income=INCOME, **{name: values})}</Data>"
    assert undecided(mask, document) == [name]
    assert not (tmp_path / "masked.xml").exists()


def test_values_outside_the_record_and_attributes_are_decided_on(mask: Callable[..., MaskResult]) -> None:
    people = rows(X=INCOME).replace("<X>", '<X orig="raw0">', 1)
    document = f"<Data><Household><HHIncome>90000</HHIncome>{people}</Household><!-- by Bob --></Data>"
    assert undecided(mask, document) == ["/Data/Household/HHIncome", "comments"]
    result = mask(document, "surroundings: {Household/HHIncome: remove, comments: remove}")
    text = result.output.read_text()
    assert "HHIncome" not in text
    assert "raw0" not in text
    assert "Bob" not in text
    assert fates(result.plan) == {
        "X": "masked",
        "/Data/Household/HHIncome": "removed",
        "X/@orig": "removed",
        "comments": "removed",
    }


# Decisions.


def test_a_plain_measurement_needs_no_recipe(mask: Callable[..., MaskResult]) -> None:
    assert fates(mask(f"<Data>{rows(income=INCOME)}</Data>").plan) == {"income": "masked"}


def test_a_role_or_a_type_is_a_decision(mask: Callable[..., MaskResult]) -> None:
    document = f"<Data>{rows(income=INCOME, sex=['1', '2'] * 30, code=['a', 'b', 'c'] * 20)}</Data>"
    result = mask(document, "variables: {sex: {type: nominal}, code: {role: untouched}}")
    assert fates(result.plan) == {"income": "masked", "sex": "masked", "code": "kept"}


@pytest.mark.parametrize("recipe", ["variables: {nr: {role: identifier}}", "key: nr"])
def test_an_identifier_is_removed_or_kept_for_a_reason(mask: Callable[..., MaskResult], recipe: str) -> None:
    document = f"<Data>{rows(income=INCOME, nr=NAMES)}</Data>"
    assert undecided(mask, document, recipe) == ["nr"]
    result = mask(document, "variables: {nr: {role: identifier, remove: true}}")
    assert fates(result.plan)["nr"] == "removed"
    assert "Anna" not in result.output.read_text()
    result = mask(document, "variables: {nr: {role: identifier, keep: drawn at random}}")
    assert fates(result.plan)["nr"] == "kept"
    entry = next(one for one in result.plan.inventory if one.what == "nr")
    assert (entry.because.code, entry.because["why"]) == ("harmless", "drawn at random")


def test_what_looks_like_an_identifier_is_not_left_untouched_without_a_reason(mask: Callable[..., MaskResult]) -> None:
    document = f"<Data>{rows(income=INCOME, nr=NAMES)}</Data>"
    assert undecided(mask, document, "variables: {nr: {role: untouched}}") == ["nr"]
    result = mask(document, "variables: {nr: {role: untouched, keep: drawn at random}}")
    assert fates(result.plan)["nr"] == "kept"


def test_the_weights_are_decided_on(mask: Callable[..., MaskResult]) -> None:
    weights = [f"{20 + i * 7 % 90}.5" for i in range(N)]
    document = f"<Data>{rows(income=INCOME, weight=weights)}</Data>"
    assert fates(mask(document, weights="weight", partition="auto").plan) == {"income": "masked", "weight": "kept"}


def test_certain_values_decide_that_a_variable_is_masked_and_never_that_it_is_published(tmp_path: Path) -> None:
    data, told = tmp_path / "data.xml", tmp_path / "recipe.yml"
    data.write_text(f"<Data>{rows(region=['a', 'b', 'c'] * 20, income=INCOME)}</Data>")
    told.write_text(
        "mask: {masker: group-anonymity, goals: [{parameter: region, vital: income > 5000,"
        " change: [{move: {from: a, to: b}}]}]}"
    )
    with pytest.raises(UndecidedError) as refusal:
        plan_file(data, None, MaskOptions(recipe=read_recipe(told)))
    assert [name for name, _ in refusal.value.things] == ["income"]


DOCUMENT = (
    '<Data created="2020"><Office><Name>West</Name></Office>'
    + rows(X=INCOME, Y=["a", "b"] * 30).replace("<Y>", '<Y u="m">', 1).replace("</X>", "</X><!-- c -->", 1)
    + "</Data>"
)
KEPT = "variables: {Y: {role: untouched}}\n"


def test_the_end_of_a_path_or_an_element_above_it_is_enough(mask: Callable[..., MaskResult]) -> None:
    recipe = KEPT + "surroundings: {'@created': keep, Office: {keep: the office is public}, Y/@u: remove}"
    result = mask(DOCUMENT, recipe)
    assert fates(result.plan) == {
        "X": "masked",
        "Y": "kept",
        "/Data/@created": "kept",
        "/Data/Office/Name": "kept",
        "Y/@u": "removed",
        "comments in records": "removed",
    }
    root = etree.parse(result.output).getroot()
    assert root.get("created") == "2020"
    assert [element.get("u") for element in root.iter("Y")] == [None] * N
    assert not list(root.iter(etree.Comment))


def test_an_attribute_of_a_variable_that_stays_is_decided_on(mask: Callable[..., MaskResult]) -> None:
    assert undecided(mask, DOCUMENT, KEPT + "surroundings: {/Data: keep}") == ["Y/@u"]


def test_comments_in_records_stay_if_the_recipe_keeps_them(mask: Callable[..., MaskResult]) -> None:
    recipe = KEPT + "surroundings: {/Data: keep, Y/@u: keep, comments in records: keep}"
    assert "<!-- c -->" in mask(DOCUMENT, recipe).output.read_text()


def test_a_recipe_that_names_what_is_not_there_is_refused(mask: Callable[..., MaskResult]) -> None:
    with pytest.raises(UsageError, match="the file does not have"):
        mask(DOCUMENT, KEPT + "surroundings: {/Data: keep, Y/@u: keep, Phone: remove}")


def test_removing_a_variable_removes_it_everywhere(tmp_path: Path) -> None:
    described = '<Metadata><Variable name="X"/><Variable name="nr" label="number"/></Metadata>'
    people = rows(X=INCOME, nr=NAMES).replace("Person>", "Record>").replace("<nr>", '<nr src="reg">')
    data = tmp_path / "own.xml"
    data.write_text(f"<Microdata>{described}{people}</Microdata>")
    told = tmp_path / "recipe.yml"
    told.write_text("variables: {nr: {role: identifier, remove: true}}")
    output = tmp_path / "masked.xml"
    mask_file(data, None, output, MaskOptions(k=3, recipe=read_recipe(told)))
    assert "nr" not in output.read_text()
    code, _, _ = run_in_process(main, ["constraint-sdc", "convert", "masked.xml", "masked.csv"], tmp_path)
    assert (code, (tmp_path / "masked.csv").read_text().splitlines()[0]) == (0, "X")


# Guessing.


def test_guessing_publishes_and_says_that_nothing_is_promised(mask: Callable[..., MaskResult]) -> None:
    result = mask(DOCUMENT, "undecided: guess")
    assert fates(result.plan) == {
        "X": "masked",
        "Y": "undecided",
        "/Data/@created": "undecided",
        "/Data/Office/Name": "undecided",
        "Y/@u": "undecided",
        "comments in records": "undecided",
    }
    assert [one.code for one in result.plan.warnings] == ["nobody-decided"]
    certificate = json.loads(result.certificate.read_text())
    assert certificate["options"]["undecided"] == "guess"
    assert mask(DOCUMENT, undecided="guess").output.read_bytes() == result.output.read_bytes()


def test_the_command_line_words_the_refusal_and_guesses_on_request(tmp_path: Path) -> None:
    (tmp_path / "data.xml").write_text(DOCUMENT)
    words = ["constraint-sdc", "mask", "data.xml", "--record", "Person", "-k", "3", "-o", "masked.xml"]
    code, out, err = run_in_process(main, words, tmp_path)
    assert (code, out) == (3, "")
    assert "Y: looks like: category" in err
    assert "/Data/@created: stands around the variables" in err
    code, out, _ = run_in_process(main, [*words, "--undecided", "guess"], tmp_path)
    assert code == 0
    assert "nobody decided on Y, /Data/@created" in out


def test_a_sweep_refuses_before_any_point(tmp_path: Path) -> None:
    (tmp_path / "data.xml").write_text(DOCUMENT)
    words = ["constraint-sdc", "sweep", "data.xml", "--record", "Person", "--k", "3,5", "--partitions", "mdav"]
    code, _, err = run_in_process(main, [*words, "--jobs", "1"], tmp_path)
    assert (code, "nobody decided" in err) == (3, True)


# What is saved and certified.


def test_a_saved_plan_has_the_inventory(mask: Callable[..., MaskResult]) -> None:
    plan = mask(DOCUMENT, "undecided: guess").plan
    again = plan_from_json(json.loads(json.dumps(plan_to_json(plan))))
    assert (again.inventory, again.undecided) == (plan.inventory, "guess")


RECIPE = KEPT + "surroundings: {'@created': keep, Office: remove, Y/@u: keep}"
RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern>
<rule context="Person"><assert id="positive" test="number(X) > 0">.</assert></rule></pattern></schema>"""


@pytest.fixture
def certified(tmp_path: Path) -> MaskResult:
    for name, text in {"data.xml": DOCUMENT, "recipe.yml": RECIPE, "rules.sch": RULES}.items():
        (tmp_path / name).write_text(text)
    options = MaskOptions(k=3, record="Person", partition="mdav", recipe=read_recipe(tmp_path / "recipe.yml"))
    return mask_file(tmp_path / "data.xml", tmp_path / "rules.sch", tmp_path / "masked.xml", options)


def _mismatches(result: MaskResult, change: Callable[[dict[str, Any]], None] = lambda _: None) -> str:
    certificate = read_certificate(result.certificate)
    change(certificate)
    rules = result.output.with_name("rules.sch")
    verdict = check_file(result.output, rules)
    return "; ".join(check_certificate(certificate, result.output, rules, verdict, record="Person").mismatches)


def test_the_masked_file_alone_confirms_the_inventory(certified: MaskResult) -> None:
    assert _mismatches(certified) == ""


@pytest.mark.parametrize(
    ("place", "fate", "message"),
    [
        ("Y", "removed", "Y is in the file"),
        ("X", "kept", "not what the plan does"),
        ("/Data/@created", "removed", "was to be taken out"),
        ("/Data/Office/Name", "kept", "not there as often"),
    ],
)
def test_a_false_inventory_is_refuted(certified: MaskResult, place: str, fate: str, message: str) -> None:
    from constraint_sdc.plan.plan_json import plan_digest

    def change(certificate: dict[str, Any]) -> None:
        next(one for one in certificate["plan"]["inventory"] if one["what"] == place)["fate"] = fate
        certificate["plan_sha256"] = plan_digest(plan_from_json(certificate["plan"]))

    assert message in _mismatches(certified, change)


def test_what_is_left_out_of_an_inventory_is_noticed(certified: MaskResult) -> None:
    from constraint_sdc.plan.plan_json import plan_digest

    def change(certificate: dict[str, Any]) -> None:
        kept = [one for one in certificate["plan"]["inventory"] if one["what"] not in ("Y", "/Data/@created")]
        certificate["plan"]["inventory"] = kept
        certificate["plan_sha256"] = plan_digest(plan_from_json(certificate["plan"]))

    found = _mismatches(certified, change)
    assert "Y is in the file, but not in the inventory" in found
    assert "/Data/@created is new" in found


def test_a_rule_that_reads_what_is_removed_stops_the_publication(tmp_path: Path) -> None:
    reads = RULES.replace("number(X) &gt; 0", "Y").replace("number(X) > 0", "Y/@u or position() > 1 or ../Office/Name")
    for name, text in {"data.xml": DOCUMENT, "recipe.yml": RECIPE.replace("Y/@u: keep", "Y/@u: remove")}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "rules.sch").write_text(reads.replace("position() > 1 or ", ""))
    options = MaskOptions(k=3, record="Person", recipe=read_recipe(tmp_path / "recipe.yml"))
    with pytest.raises(NotPublishedError):
        mask_file(tmp_path / "data.xml", tmp_path / "rules.sch", tmp_path / "masked.xml", options)
    assert not (tmp_path / "masked.xml").exists()


def test_the_default_is_to_refuse() -> None:
    from constraint_sdc.commands.masking.settings import settle

    assert settle(MaskOptions(k=3)).undecided == "refuse"
    assert settle(MaskOptions(k=3, recipe=Recipe(undecided="guess"))).undecided == "guess"
    assert settle(MaskOptions(k=3, undecided="refuse", recipe=Recipe(undecided="guess"))).undecided == "refuse"
    assert Fate.UNDECIDED.value == "undecided"
