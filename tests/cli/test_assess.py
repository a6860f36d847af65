"""`assess` as a user tries it: a masked file beside its original, with and without rules, and mistakes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from constraint_sdc.census import generate_file
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.maskers.masked import MaskOptions
from tests.cli.conftest import Run

RULES = shipped_file("rules", "census-paper.sch")
SCHEMA = json.loads(shipped_file("schemas", "assessment.schema.json").read_text("utf-8"))
RECIPE = """\
assess:
  known: [V2, V4, V7]
  regressions: [V12 ~ V8 + V7]
  subdomains: [V8 < 30000, not (V8 < 30000)]
"""


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an extract, masked with its rules and without."""
    folder = tmp_path_factory.mktemp("assess")
    generate_file(folder / "extract.xml", 150, 4)
    options = MaskOptions(k=4, partition="mdav")
    mask_file(folder / "extract.xml", RULES, folder / "masked.xml", options)
    mask_file(folder / "extract.xml", None, folder / "plain.xml", options)
    (folder / "extract.csv").write_text("A\n1\n2\n", "utf-8")
    (folder / "assess.yml").write_text(RECIPE, "utf-8")
    return folder


@pytest.fixture(autouse=True)
def folder(masked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(masked, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_verdict_comes_first_then_rules_utility_risk_and_attacks(run: Run) -> None:
    ran = run("assess", "extract.xml", "masked.xml", "--rules", RULES)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("NOT ACCEPTED: 150 records; 5 rules, none broken. Speaks against it: smallest class ")
    parts = ("standing", "rule  ", "SCORE        PIL", "Risk:", "Attacks:", "Utility:", "Not run")
    places = [ran.out.index(part) for part in parts]
    assert places == sorted(places)
    assert "Groups of 4 were promised: every block keeps the promise" in ran.out


def test_broken_rules_are_an_objection_and_exit_code_one(run: Run) -> None:
    ran = run("assess", "extract.xml", "plain.xml", "--rules", RULES, "--attacks", "none")
    assert ran.code == 1
    assert ran.out.startswith("OBJECTION: 150 records; 3 of 5 rules broken where it held. ")
    assert "Attacks:" not in ran.out


def test_json_follows_its_schema_and_says_the_same(run: Run) -> None:
    found = json.loads(
        run("assess", "extract.xml", "masked.xml", "--rules", RULES, "--recipe", "assess.yml", "--json").out
    )
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert found["known"] == ["V2", "V4", "V7"]
    assert found["k"] == 4
    assert [rule["newly_broken"] for rule in found["rules"]] == [0] * 5
    assert [measured["measure"] for measured in found["attacks"]] == [
        "transparency",
        "single-ranking",
        "rule-inference",
        "inconsistency",
        "dominance",
    ]
    low, high = found["subdomains"]
    assert low["records"] + high["records"] == 150
    score = found["score"]["figures"]
    assert score["score"]["value"] == pytest.approx((score["pil"]["value"] + score["dr"]["value"]) / 2)


def test_details_show_tables_but_nothing_of_single_records(run: Run) -> None:
    ran = run("assess", "extract.xml", "masked.xml", "--details", "--attacks", "none")
    assert "Probabilistic loss by variable" in ran.out
    assert ran.code == 0


def test_another_original_than_the_certified_one_is_an_objection(run: Run) -> None:
    generate_file(Path("other.xml"), 150, 9)
    ran = run("assess", "other.xml", "masked.xml", "--attacks", "none")
    assert ran.code == 1
    assert "masked from another original" in " ".join(ran.out.split())


def test_a_certificate_that_somebody_edited_is_an_objection(run: Run) -> None:
    path = Path("masked.xml.certificate.json")
    path.write_text(path.read_text("utf-8").replace('"operator": "arithmetic mean"', '"operator": "mode"'), "utf-8")
    ran = run("assess", "extract.xml", "masked.xml", "--attacks", "none")
    assert ran.code == 1
    assert "MISMATCH masked.xml.certificate.json: plan: its SHA-256" in ran.out


def _values(original: list[object], masked: list[object], name: str = "Income") -> None:
    for path, values in (("o.csv", original), ("m.csv", masked)):
        Path(path).write_text(
            "\n".join([f"{name},W", *(f"{value},{i % 7}" for i, value in enumerate(values))]), "utf-8"
        )


def test_a_rare_value_is_not_told_by_its_subdomain_nor_by_that_of_all_others(run: Run) -> None:
    values: list[object] = [10, 20] * 20 + [987654.32]
    _values(values, [15] * 40 + [987654.32])
    for wish in ("Income", '"Income < 500000"'):
        Path("r.yml").write_text(f"assess: {{subdomains: [{wish}]}}", "utf-8")
        given = ("assess", "o.csv", "m.csv", "--recipe", "r.yml", "--attacks", "none")
        for ran in (run(*given, "--details"), run(*given, "--json", "--report", "page.html")):
            assert ran.code == 0
            assert "987654.32" not in ran.out
            assert "987,654" not in ran.out
        assert "987654.32" not in Path("page.html").read_text("utf-8")
        hidden = json.loads(run(*given, "--json").out)["subdomains"][-1]
        assert (hidden["records"], hidden["utility"]) == (None, [])


def test_moments_of_a_handful_of_values_are_not_shown(run: Run) -> None:
    _values([77777.5, 88888.5, *[""] * 20], [77777.5, 80000.5, *[""] * 20])
    ran = run("assess", "o.csv", "m.csv", "--details", "--attacks", "none")
    assert "not shown where they would reveal the values: Income" in " ".join(ran.out.split())
    assert "83,333" not in ran.out


def test_a_variable_that_masking_lost_is_named_in_the_verdict(run: Run) -> None:
    _values([1, 2, 3, 4, 5], ["", "", "", "", ""])
    ran = run("assess", "o.csv", "m.csv", "--attacks", "none")
    assert "Lost altogether, and in none of these figures: Income." in " ".join(ran.out.split())
    assert "Income: 5 of 5 values are blank" in " ".join(ran.out.split())


def test_a_report_never_replaces_what_was_read(run: Run) -> None:
    before = Path("masked.xml.certificate.json").read_bytes()
    ran = run("assess", "extract.xml", "masked.xml", "--report", "masked.xml.certificate.json")
    assert (ran.code, "overwrite an input" in ran.err) == (2, True)
    assert Path("masked.xml.certificate.json").read_bytes() == before


def test_records_in_another_order_are_noticed(run: Run) -> None:
    header, *rows = ["Id,Income", "a,1", "b,2", "c,3", "d,4", "e,5"]
    Path("o.csv").write_text("\n".join([header, *rows]), "utf-8")
    Path("m.csv").write_text("\n".join([header, *reversed(rows)]), "utf-8")
    ran = run("assess", "o.csv", "m.csv", "--attacks", "none")
    assert "Id has the same values in another order" in ran.out
    Path("r.yml").write_text("key: Id", "utf-8")
    ran = run("assess", "o.csv", "m.csv", "--recipe", "r.yml", "--attacks", "none")
    assert "another order" not in ran.out
    assert "The SCORE is 50.00" in " ".join(ran.out.split())


def test_of_a_subdomain_of_few_records_nothing_is_told_but_by_request(run: Run) -> None:
    Path("few.yml").write_text("assess: {subdomains: [V8 < 0, V8 >= 0]}\n", "utf-8")
    given = ("assess", "extract.xml", "masked.xml", "--recipe", "few.yml", "--attacks", "none", "--json")
    none, everyone = json.loads(run(*given).out)["subdomains"]
    assert (none["records"], none["utility"]) == (None, [])
    assert everyone["records"] == 150
    none, _ = json.loads(run(*given, "--show-values").out)["subdomains"]
    assert none["records"] == 0
    assert "fewer than 4" in run(*given[:-1]).out


def test_the_page_is_written_whole(run: Run) -> None:
    ran = run("assess", "extract.xml", "masked.xml", "--rules", RULES, "--report", "report.html")
    page = Path("report.html").read_text("utf-8")
    assert page.rstrip().endswith("</html>")
    assert "report: report.html" in ran.err


def test_a_certificate_of_another_file_is_an_objection(run: Run) -> None:
    text = Path("masked.xml").read_text("utf-8")
    Path("masked.xml").write_text(text + "\n", "utf-8")
    ran = run("assess", "extract.xml", "masked.xml", "--attacks", "none")
    assert ran.code == 1
    assert "MISMATCH masked.xml.certificate.json is the certificate of another file" in ran.out


def test_without_a_certificate_the_blocks_are_guessed_and_it_is_said(run: Run) -> None:
    Path("masked.xml.certificate.json").unlink()
    ran = run("assess", "extract.xml", "masked.xml", "--attacks", "none")
    assert ran.code == 0
    assert "no certificate: by the recipe's groups, else all in one" in " ".join(ran.out.split())


def test_an_unmasked_file_has_score_fifty(run: Run) -> None:
    ran = run("assess", "extract.xml", "extract.xml", "--attacks", "none")
    assert "The SCORE is 50.00" in " ".join(ran.out.split())


def test_csv_files_are_assessed_and_judged_like_their_xml(run: Run) -> None:
    for name in ("extract", "masked"):
        assert run("convert", f"{name}.xml", f"{name}.csv", "--overwrite").code == 0
    options = ("--attacks", "none", "--rules", RULES, "--json")
    found = [json.loads(run("assess", f"extract.{end}", f"masked.{end}", *options).out) for end in ("xml", "csv")]
    assert found[0]["rules"] == found[1]["rules"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing.xml", "masked.xml"), "nothing.xml"),
        (("extract.xml", "masked.xml", "--known", "V99"), "cannot know 'V99'"),
        (("extract.xml", "masked.xml", "--known", " ,"), "--known names nothing"),
        (("extract.xml", "masked.xml", "--attacks", "rule-inference"), "needs rules"),
        (("extract.xml", "masked.xml", "--attacks", "brute-force"), "unknown attack 'brute-force'"),
        (("extract.xml", "masked.xml", "--phase", "x"), "it belongs to rules"),
        (("extract.xml", "masked.xml", "--sweep", "sweep"), "--sweep has no meaning here"),
        (("extract.csv", "extract.csv", "--record", "Foo"), "--record has no meaning here"),
        (("extract.xml", "masked.xml", "--report", "masked.xml"), "overwrite an input"),
        (("extract.xml", "masked.xml", "--report", "x.html", "--sweep", "nowhere"), "nowhere"),
        (("extract.xml", "masked.xml", "--certificate", "none.json"), "none.json"),
    ],
)
def test_mistakes_end_in_one_message(run: Run, arguments: tuple[str, ...], said: str) -> None:
    ran = run("assess", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        ("assess: {regressions: [V12 ~ V99]}", "names 'V99', which is not in both files"),
        ("assess: {regressions: [V12 V8]}", "the recipe's regression 'V12 V8'"),
        ("assess: {subdomains: [V8 <> 3]}", "the recipe's subdomain 'V8 <> 3'"),
        ("assess: {subdomains: [V1]}", "the recipe's subdomain 'V1'"),
        ("assess: {known: [V99]}", "cannot know 'V99'"),
        ("key: Nope", "names 'Nope', which no record has"),
        ("groups: [[V1, Nope]]", "names 'Nope', which no record has"),
        ("weights: Nope", "names 'Nope', which no record has"),
        ("assess: {knwon: [V1]}", "knwon"),
        ("assess: {known: []}", "r.yml:1"),
    ],
)
def test_mistakes_in_the_recipe_are_named(run: Run, recipe: str, said: str) -> None:
    Path("r.yml").write_text(recipe, "utf-8")
    ran = run("assess", "extract.xml", "masked.xml", "--recipe", "r.yml", "--attacks", "none")
    assert ran.code == 2
    assert said in ran.err


def test_a_bound_of_the_recipe_that_is_not_met_ends_with_one(run: Run) -> None:
    Path("gate.yml").write_text("accept: {distance-linkage.linked: {at most: 0.5%}}\n", "utf-8")
    ran = run("assess", "extract.xml", "masked.xml", "--recipe", "gate.yml", "--attacks", "none", "--json")
    assert ran.code == 1
    found = json.loads(ran.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    criteria = {one["name"]: one for one in found["verdict"]["criteria"]}
    assert found["verdict"]["word"] == "NOT ACCEPTED"
    assert (criteria["distance-linkage.linked"]["bound_by"], criteria["distance-linkage.linked"]["at_most"]) == (
        "recipe",
        0.5,
    )
    assert criteria["dominance.exposed"]["standing"] == "not run"
    assert criteria["dominance.exposed"]["why"] == "--attacks does not name it."
    Path("gate.yml").write_text("accept: {distance-linkage.linked: {at most: 100}}\n", "utf-8")
    assert run("assess", "extract.xml", "masked.xml", "--recipe", "gate.yml", "--attacks", "none").code == 0


@pytest.mark.parametrize(
    ("accept", "said"),
    [
        ("nonsense.linked: {at most: 1}", "which no measure is called"),
        ("distance-linkage.nonsense: {at most: 1}", "has no such figure"),
        ("achieved-k.k: {at least: 1}", "a record alone in its class is not hidden"),
        ("achieved-k.k: {at most: 9}", "a record alone in its class is not hidden"),
        ("distance-linkage: {at most: 1}", "does not match"),
        ("distance-linkage.linked: {at most: 1, at least: 0}", "too many properties"),
    ],
)
def test_a_bound_that_means_nothing_is_refused(run: Run, accept: str, said: str) -> None:
    Path("gate.yml").write_text(f"accept: {{{accept}}}\n", "utf-8")
    ran = run("assess", "extract.xml", "masked.xml", "--recipe", "gate.yml", "--attacks", "none")
    assert ran.code == 2
    assert said in " ".join(ran.err.split())


def test_everything_that_is_not_run_is_named_with_its_reason(run: Run) -> None:
    found = json.loads(run("assess", "extract.xml", "masked.xml", "--json").out)
    assert {one["measure"]: (one["why_reason"] or {}).get("code") for one in found["not_run"]} == {
        "tables": "not-defined",
        "entropy": "not-defined",
        "individual-risk": "not-measured",
        "regressions": "not-defined",
        "transparency-linkage": "attack-not-named",
        "rule-inference": "no-rules-given",
        "inconsistency": "no-rules-given",
        "intruder-linkage": "no-intruder-file",
        "differencing": "no-other-release",
    }


def test_the_codebook_has_ranges_on_request_only(run: Run) -> None:
    plain, shown = (
        json.loads(run("assess", "extract.xml", "masked.xml", "--attacks", "none", "--json", *more).out)["codebook"]
        for more in ((), ("--show-values",))
    )
    assert {entry["fate"] for entry in plain} == {"masked"}
    assert all("low" not in entry for entry in plain)
    assert all(entry["low"] <= entry["high"] for entry in shown)


def test_a_second_release_is_laid_over_the_first(run: Run) -> None:
    found = json.loads(run("assess", "extract.xml", "masked.xml", "--release", "plain.xml", "--json").out)
    (laid,) = (one for one in found["attacks"] if one["measure"] == "differencing")
    assert laid["figures"]["narrowed"]["value"] > 10
    ran = run("assess", "extract.xml", "masked.xml", "--release", "plain.xml", "--attacks", "dominance")
    assert (ran.code, "--release has no meaning here" in ran.err) == (2, True)
    Path("plain.xml").write_text(Path("masked.xml").read_text("utf-8"), "utf-8")
    ran = run("attack", "differencing", "extract.xml", "masked.xml", "--release", "plain.xml")
    assert (ran.code, "is the certificate of another file" in ran.err) == (2, True)


def test_sampling_weights_of_the_recipe_give_individual_risk(run: Run) -> None:
    rows = [f"{value},{value // 3 * 3},{10 + value}" for value in range(30)]
    Path("o.csv").write_text("\n".join(["Age,Old,W", *rows]), "utf-8")
    Path("m.csv").write_text(
        "\n".join(["Age,Old,W", *(f"{v // 3 * 3},{v // 3 * 3},{10 + v}" for v in range(30))]), "utf-8"
    )
    Path("r.yml").write_text("assess: {weights: W}\n", "utf-8")
    ran = json.loads(run("assess", "o.csv", "m.csv", "--recipe", "r.yml", "--json").out)
    (risk,) = (one for one in ran["risk"] if one["measure"] == "individual-risk")
    assert ran["known"] == ["Age", "Old"], "what is kept can be known; a weight cannot"
    assert 0 < risk["figures"]["global"]["value"] < risk["figures"]["global-before"]["value"]
    assert "individual-risk.highest" in [one["name"] for one in ran["verdict"]["criteria"]]


def test_an_identifier_that_is_published_is_accepted_only_with_a_reason(run: Run) -> None:
    for path, shift in (("o.csv", 0), ("m.csv", 1)):
        rows = [f"P{i:03},{i // 5 * 5 if shift else i}" for i in range(40)]
        Path(path).write_text("\n".join(["Id,Income", *rows]), "utf-8")

    def published(wish: str) -> float:
        Path("r.yml").write_text(f"variables: {{Id: {{role: identifier{wish}}}}}\n", "utf-8")
        found = json.loads(run("assess", "o.csv", "m.csv", "--recipe", "r.yml", "--attacks", "none", "--json").out)
        return next(one["value"] for one in found["verdict"]["criteria"] if one["name"] == "identifiers.published")

    assert (published(""), published(", keep: drawn at random")) == (1, 0)
