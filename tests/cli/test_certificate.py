"""A certificate says what was verified; `check --certificate` believes none of it and looks for itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from constraint_sdc.commands.certificate.certificate import certificate_of, certificate_text, shown_name
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import check_file
from constraint_sdc.commands.masking.settings import settle
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.settings.recipe import Recipe
from tests.cli.conftest import Run
from tests.cli.masking import MASKED, ORIGINAL, SECRET, HandMade, make_by_hand, without_rules, write_rows

CHECK = ("check", "masked.xml", "--rules", "rules.sch", "--certificate", "masked.xml.certificate.json")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HandMade:
    monkeypatch.chdir(tmp_path)
    return make_by_hand()


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    schemas = [
        json.loads(shipped_file("schemas", f"{part}.schema.json").read_text("utf-8"))
        for part in ("plan", "recipe", "certificate", "mask", "check")
    ]
    registry: Registry[Any] = Registry().with_resources((s["$id"], Resource.from_contents(s)) for s in schemas)
    chosen = next(schema for schema in schemas if name in schema["$id"])
    jsonschema.Draft202012Validator.check_schema(chosen)
    return jsonschema.Draft202012Validator(chosen, registry=registry)


def under_schema(content: Any, name: str) -> None:
    validator(name).validate(content)


def test_a_certificate_follows_its_schema(made: HandMade) -> None:
    under_schema(json.loads(made.certificate.read_text("utf-8")), "certificate")


def test_a_certificate_holds_no_value_of_the_data(made: HandMade) -> None:
    text = made.certificate.read_text("utf-8")
    assert SECRET not in text
    for row in (*ORIGINAL, *MASKED):
        assert not [value for value in row if len(value) > 3 and value in text]


def test_the_same_masking_makes_the_same_bytes(made: HandMade) -> None:
    assert certificate_text(made.result, settle(made.options)) == made.certificate.read_text("utf-8")


def test_names_tell_nothing_about_the_machine(made: HandMade, tmp_path: Path) -> None:
    moved = replace(made.result, data=tmp_path / "data.xml", output=tmp_path / "masked.xml")
    options = MaskOptions(k=2, recipe_file=tmp_path / "r.yml", recipe_sha256="0" * 64, original=tmp_path / "data.xml")
    digests = moved.digests | {"recipe": "0" * 64}
    text = certificate_text(replace(moved, digests=digests), settle(options))
    assert str(tmp_path) not in text
    assert {entry["file"] for entry in json.loads(text)["inputs"]} == {"data.xml", "rules.sch", "more.sch", "r.yml"}
    assert shown_name(Path("../in/data.xml")) == "../in/data.xml"


def test_the_recipe_is_inside(made: HandMade) -> None:
    content = certificate_of(made.result, settle(MaskOptions(recipe=Recipe(k=2, groups=(("A", "B"),)))))
    assert content["recipe"] == {"k": 2, "groups": [["A", "B"]]}
    under_schema(json.loads(json.dumps(content)), "certificate")


@pytest.mark.usefixtures("made")
def test_a_true_certificate_is_confirmed(run: Run) -> None:
    ran = run(*CHECK)
    assert ran.code == 0
    assert "certificate agrees" in ran.out
    assert "MISMATCH" not in ran.out
    for said in (
        "the file is the one that was certified",
        "the rules are the certified ones, file by file",
        "the verdicts on 2 rules are the certified ones",
        "at least 2 records share the values of each of 1 block (k = 2)",
    ):
        assert f"confirmed  {said}" in ran.out


def edit(made: HandMade, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(made.certificate.read_text("utf-8"))
    change(content)
    made.certificate.write_text(json.dumps(content), encoding="utf-8")


def test_a_changed_file_is_told_by_digest_verdict_and_groups(run: Run, made: HandMade) -> None:
    write_rows(made.result.output, [*MASKED[:3], ("d", "8", "493828", "493835")])
    ran = run(*CHECK)
    assert ran.code == 1
    assert "MISMATCH   output: the SHA-256 of masked.xml is " in ran.out
    assert "MISMATCH   rule total: 1 of 4 checks broken now, certified 0 of 4 checks broken" in ran.out
    assert "MISMATCH   block 1 (A, B, C): values shared by 1 record, fewer than k = 2" in ran.out
    assert "MISMATCH   block 1 (A, B, C): the smallest group has 1 record, certified 2" in ran.out


def test_a_lost_record_is_told(run: Run, made: HandMade) -> None:
    write_rows(made.result.output, MASKED[:2])
    assert "masked.xml has 2 records, the certificate is for 4 records" in run(*CHECK).out


def test_white_space_alone_changes_the_digest_alone(run: Run, made: HandMade) -> None:
    with made.result.output.open("a", encoding="utf-8") as file:
        file.write("\n")
    ran = run(*CHECK)
    assert ran.code == 1
    assert ran.out.count("MISMATCH") == 1
    assert "the file is the one that was certified" not in ran.out, "what is refuted is not confirmed as well"


@pytest.mark.parametrize(("name", "key"), [("rules.sch", "rules"), ("more.sch", "rules: more.sch")])
def test_changed_rules_are_told_by_file(run: Run, made: HandMade, name: str, key: str) -> None:
    rules = Path(name)
    rules.write_text(rules.read_text("utf-8") + "<!-- edited -->", encoding="utf-8")
    ran = run(*CHECK)
    assert ran.code == 1
    assert (
        f"MISMATCH   rules: {name} of the certificate (SHA-256 {made.plan.inputs[key]}) is not among the rules given"
        in ran.out
    )
    assert "is not among the certified files" in ran.out
    assert ran.out.count("MISMATCH") == 2


@pytest.mark.usefixtures("made")
def test_another_rule_set_is_told_rule_by_rule(run: Run) -> None:
    rules = Path("rules.sch")
    rules.write_text(rules.read_text("utf-8").replace('id="total"', 'id="sum"'), encoding="utf-8")
    ran = run(*CHECK)
    assert "MISMATCH   rule total: certified, but not among the rules given" in ran.out
    assert "MISMATCH   rule sum: judged now, but not certified" in ran.out
    assert "not each once, in the order of the schema" not in ran.out


def test_groups_are_counted_without_the_whole_file_in_memory(
    run: Run, made: HandMade, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("constraint_sdc.commands.certificate.verify.read_dataset", pytest.fail)
    assert run(*CHECK).code == 0
    edit(made, lambda c: c["options"].update(k=3))
    assert "fewer than k = 3" in run(*CHECK).out


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: c["blocks"][0].update(smallest=3), "the smallest group has 2 records, certified 3"),
        (lambda c: c["options"].update(k=3), "values shared by 2 records, fewer than k = 3"),
        (lambda c: c.update(blocks=[]), "are not those of its own plan"),
        (lambda c: c["blocks"][0].update(variables=["Id"]), "are not those of its own plan"),
        (lambda c: c["rules"][0].update(failed=1), "rule total: 0 of 4 checks broken now, certified 1 of 4"),
        (lambda c: c["rules"].pop(), "rule positive: judged now, but not certified"),
        (lambda c: c["output"].update(sha256="0" * 64), "the certificate is for 0000"),
        (lambda c: c.update(plan_sha256="0" * 64), "plan: its SHA-256 is not the one that the certificate gives"),
        (lambda c: c["plan"].update(records=999), "plan: made for 999 records"),
        (lambda c: c["inputs"][0].update(sha256="0" * 64), "inputs: their SHA-256 are not those in the plan"),
        (lambda c: c["blocks"][0].update(groups=9), "do not add up to its 9 groups"),
        (lambda c: c["rules"][0].update(broken_before=55), "do not add up to broken before"),
        (lambda c: c["options"].update(seed=7), "options: not those of the plan"),
        (lambda c: c["options"].update(partition="rim"), "options: not those of the plan"),
        (lambda c: c["options"].update(effort="best"), "options: not those of the plan"),
        (lambda c: c["options"].update(standardise="none"), "options: not those of the plan"),
        (lambda c: c["options"].update(weights="A"), "options: not those of the plan"),
    ],
)
def test_a_forged_claim_is_found(run: Run, made: HandMade, change: Callable[[dict[str, Any]], None], says: str) -> None:
    edit(made, change)
    ran = run(*CHECK)
    assert ran.code == 1
    assert says in ran.out


def test_a_hostile_certificate_cannot_steer_the_terminal(run: Run, made: HandMade) -> None:
    edit(made, lambda c: c["rules"][0].update(rule="\x1b[31mred\x07"))
    ran = run(*CHECK)
    assert ran.code == 1
    assert "rule red" in ran.out
    assert "\x1b" not in ran.out


def test_a_phase_that_the_rules_do_not_have_is_a_users_mistake(run: Run, made: HandMade) -> None:
    edit(made, lambda c: c["options"].update(phase="other"))
    ran = run(*CHECK)
    assert ran.code == 2
    assert "certified in phase other, and the rules run in phase #ALL" in ran.err
    ran = run(*CHECK, "--phase", "other")
    assert ran.code == 2
    assert "unknown phase 'other'" in ran.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "masked.xml.certificate.json:1: not a certificate: it is not JSON"),
        ("[]", "not a certificate: [] is not of type 'object'"),
        ("[" * 100_000, "not a certificate: it is not JSON"),
        ('{"schema": "constraint-sdc/plan"}', "not a certificate"),
    ],
)
def test_what_is_no_certificate_is_a_users_mistake(run: Run, made: HandMade, text: str, says: str) -> None:
    made.certificate.write_text(text, encoding="utf-8")
    ran = run(*CHECK)
    assert ran.code == 2
    assert says in ran.err


def test_a_missing_certificate_is_named(run: Run, made: HandMade) -> None:
    made.certificate.unlink()
    assert run(*CHECK).code == 2


def test_a_unit_that_does_not_exist_is_no_certificate(run: Run, made: HandMade) -> None:
    edit(made, lambda c: c["options"].update(standardise="inches"))
    ran = run(*CHECK)
    assert ran.code == 2
    assert "at options.standardise" in ran.err


def test_an_entry_with_the_wrong_shape_names_its_place(run: Run, made: HandMade) -> None:
    edit(made, lambda c: c["blocks"][0].update(groups="many"))
    ran = run(*CHECK)
    assert ran.code == 2
    assert "at blocks.0.groups" in ran.err


def test_plain_microaggregation_is_said(run: Run, made: HandMade) -> None:
    made.certificate.write_text(certificate_text(without_rules(made), settle(made.options)), encoding="utf-8")
    ran = run(*CHECK)
    assert ran.code == 0
    assert "the certificate names no rules (plain microaggregation): it vouches for the groups alone" in ran.out


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("more", [("--format", "json"), ("--output", "report.txt")])
def test_a_report_for_machines_stays_clean(run: Run, more: tuple[str, ...]) -> None:
    ran = run(*CHECK, *more)
    assert "certificate agrees" in ran.err
    assert "certificate agrees\n" not in ran.out
    if more[1] == "json":
        report = json.loads(ran.out)
        assert report["verdict"] == "pass"
        assert report["certificate"]["agrees"] is True
        assert "options.seed" in report["certificate"]["stated"]
        under_schema(report, "check")


@pytest.mark.usefixtures("made")
def test_a_certificate_is_for_one_file(run: Run) -> None:
    ran = run("check", "masked.xml", "data.xml", *CHECK[2:])
    assert ran.code == 2
    assert "a certificate is for one file" in ran.err


def test_a_rule_that_stops_confirms_nothing(made: HandMade) -> None:
    result = check_file(made.result.output, Path("rules.sch"))
    first, *others = result.results
    stopped = replace(result, results=(replace(first, error="FORG0001"), *others))
    content = json.loads(made.certificate.read_text("utf-8"))
    found = check_certificate(content, made.result.output, Path("rules.sch"), stopped)
    assert found.mismatches == ("rule total: could not be evaluated now",)
    assert found.exit_code == 1


# With the original, the masking is repeated.


def publish(run: Run, *more: str) -> tuple[str, ...]:
    """Mask a small file with a recipe, and return the words that verify it."""
    rows = [(f"p{n}", str(n), str(2 * n), str(3 * n)) for n in range(1, 25)]
    write_rows(Path("data.xml"), rows)
    Path("recipe.yml").write_text("k: 3\nseed: 4\nassess: {known: [A]}\n", encoding="utf-8")
    made = run("mask", "data.xml", "--rules", "rules.sch", "--recipe", "recipe.yml", "-o", "out.xml", *more)
    assert made.code == 0, made.err
    return ("check", "out.xml", "--rules", "rules.sch", "--certificate", "out.xml.certificate.json")


def forge(change: Callable[[dict[str, Any]], None], name: str = "out.xml.certificate.json") -> None:
    content = json.loads(Path(name).read_text("utf-8"))
    change(content)
    Path(name).write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.usefixtures("made")
def test_with_original_and_recipe_only_names_and_versions_are_stated(run: Run) -> None:
    ran = run(*publish(run), "--original", "data.xml", "--recipe", "recipe.yml")
    assert ran.code == 0
    assert "confirmed  masked again from the original: the same bytes, and every number of the certificate" in ran.out
    assert "confirmed  the recipe is the certified one, digest and content" in ran.out
    assert (
        "  stated, not checked here:\n"
        "    versions, inputs[].file, output.file, options.allow_idle, options.record, options.original\n"
    ) in ran.out


@pytest.mark.usefixtures("made")
def test_without_them_it_says_what_would_check_more(run: Run) -> None:
    ran = run(*publish(run))
    assert ran.code == 0
    assert "blocks[].loss" in ran.out
    assert "  --original DATA and --recipe FILE would check all of these but versions" in ran.out


def _prices(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [content["blocks"][0], content["plan"]["blocks"][0]["price"]]


@pytest.mark.usefixtures("made")
def test_a_forged_loss_that_stands_everywhere_is_found_by_masking_again(run: Run) -> None:
    words = publish(run)
    forge(lambda c: [price.update(loss=0.125) for price in _prices(c)])
    assert run(*words).code == 0
    ran = run(*words, "--original", "data.xml")
    assert ran.code == 1
    assert "MISMATCH   masked again: blocks[0].loss: " in ran.out


@pytest.mark.usefixtures("made")
def test_another_original_is_told_by_its_digest(run: Run) -> None:
    words = publish(run)
    Path("other.xml").write_bytes(Path("data.xml").read_bytes().replace(b"<A>1<", b"<A>2<"))
    ran = run(*words, "--original", "other.xml")
    assert ran.code == 1
    assert "MISMATCH   inputs: the SHA-256 of other.xml is " in ran.out


@pytest.mark.usefixtures("made")
def test_another_recipe_is_told_by_digest_and_content(run: Run) -> None:
    words = publish(run)
    Path("other.yml").write_text("k: 3\nseed: 4\nassess: {known: [B]}\n", encoding="utf-8")
    ran = run(*words, "--recipe", "other.yml")
    assert ran.code == 1
    assert "MISMATCH   recipe: the SHA-256 of other.yml is " in ran.out
    assert "MISMATCH   recipe.assess.known[0]: 'B' now, certified 'A'" in ran.out


@pytest.mark.usefixtures("made")
def test_a_reason_without_its_parameters_is_no_certificate(run: Run) -> None:
    words = publish(run)
    forge(lambda c: c["plan"]["blocks"][0]["strategy_reason"]["params"].clear())
    ran = run(*words)
    assert ran.code == 2
    assert "its plan or recipe cannot be understood" in ran.err


@pytest.mark.usefixtures("made")
def test_versions_of_another_machine_are_named_where_the_result_differs(run: Run) -> None:
    words = publish(run)
    forge(lambda c: (c["versions"].update(numpy="0.1"), [price.update(loss=0.125) for price in _prices(c)]))
    ran = run(*words, "--original", "data.xml")
    assert ran.code == 1
    assert "MISMATCH   versions: numpy is " in ran.out


@pytest.mark.usefixtures("made")
def test_a_separate_file_for_the_variable_original_is_found_beside_the_certificate(run: Run) -> None:
    rules = Path("rules.sch").read_text("utf-8").replace(
        "<pattern>", "<let name=\"original\" value=\"document('none.xml')\"/><pattern>", 1
    ).replace("</rule>", "<assert id='known' test='Id = $original//Id'>unknown</assert></rule>", 1)  # fmt: skip
    Path("rules.sch").write_text(rules, encoding="utf-8")
    write_rows(Path("ids.xml"), [(f"p{n}", "1", "1", "2") for n in range(1, 25)])
    words = publish(run, "--original", "ids.xml")
    ran = run(*words, "--original", "data.xml")
    assert ran.code == 0, ran.out + ran.err
    assert "masked again from the original" in ran.out
    ran = run(*words, "--original", "ids.xml")
    assert ran.code == 0, ran.out + ran.err
    assert "masked again from the original" not in ran.out


@pytest.mark.usefixtures("made")
def test_a_forged_sentence_is_named_as_stated(run: Run) -> None:
    words = publish(run)
    forge(lambda c: c["plan"]["blocks"][0].update(because="the statistical office guarantees it"))
    ran = run(*words, "--original", "data.xml", "--recipe", "recipe.yml")
    assert ran.code == 0
    said = "this version words 1 sentence otherwise than the certificate, the first at plan.blocks[0].because"
    assert said in ran.out
    assert "options.original, sentences" in " ".join(ran.out.split())
