"""Method, effort, unit and weights as a user meets them: printed in the plan, kept in the certificate, or refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.cli.test_certificate import under_schema
from tests.maskers.extract import columns, extract, read_records

INPUTS = ("data.xml", "--rules", "rules.sch", "-k", "4")
OPTIONS = ("--effort", "fast", "--standardise", "robust", "--weights", "W")
CERTIFICATE = ("--certificate", "masked.xml.certificate.json")


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two amounts and their total, a rate that no rule reads, and what each record counts."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 900, (2, 48))
    rate, weight = rng.integers(10, 99, 48), rng.integers(1, 20, 48)
    rules = {"total": "number(A) + number(B) = number(C)"}
    cells = {"A": a, "B": b, "C": a + b, "Rate": rate, "W": weight}
    recipe = "k: 4\nvariables:\n  A: {weight: 2.5}\n  Rate: {weight: 3}\n"
    extract(tmp_path, columns(**{name: column.tolist() for name, column in cells.items()}), rules, recipe)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_plan_shows_effort_unit_weights_and_what_auto_chose(run: Run) -> None:
    out = run("plan", *INPUTS, "--recipe", "recipe.yml", *OPTIONS).out
    assert (
        "\npartition auto at fast effort, standardised: robust, records weighted by W, seed 0, 1 rule: 1 exact\n" in out
    )
    assert "\n  partition    auto: mdav+refine (48 records: MDAV is a quick start); at least 4 records to a" in out
    assert "\n  variable  role          type     grid     operator         weight\n  A " in out
    assert re.search(r"\n  A +confidential +numeric +integer +arithmetic mean +2\.5\n", out)
    assert re.search(r"\n  B +confidential +numeric +integer +arithmetic mean +1\n", out)
    assert re.search(r"\n  W +untouched +it is the weight of the records\n", out)


def test_a_plan_that_nobody_steered_says_only_the_default(run: Run) -> None:
    out = run("plan", *INPUTS).out
    assert "\npartition auto at default effort, seed 0, 1 rule: 1 exact\n" in out
    assert "standardised" not in out
    assert "weight" not in out


def test_a_variable_alone_is_divided_by_its_optimum_unless_records_weigh(run: Run, workplace: Path) -> None:
    (workplace / "keep.yml").write_text("variables: {W: {role: untouched}}\n", encoding="utf-8")
    alike = run("plan", *INPUTS, "--recipe", "keep.yml", "--effort", "fast").out
    weighed = run("plan", *INPUTS, "--weights", "W", "--effort", "fast").out
    chosen = [re.search(r"block 2: Rate\n(?:  .*\n)*?  partition    (.*?) \(", out) for out in (alike, weighed)]
    assert [found[1] for found in chosen if found] == ["auto: optimal-univariate", "auto: mdav+refine"]


def test_a_masking_with_all_options_goes_round(run: Run, workplace: Path) -> None:
    steered = ("--recipe", "recipe.yml", *OPTIONS)
    assert run("plan", *INPUTS, *steered, "--out", "plan.json").code == 0
    recipe = ("data.xml", "--rules", "rules.sch", "--recipe", "recipe.yml")
    assert run("mask", *recipe, "--plan", "plan.json", "-o", "masked.xml").code == 0
    certificate = json.loads((workplace / "masked.xml.certificate.json").read_text("utf-8"))
    under_schema(certificate, "certificate")
    options = certificate["options"]
    assert (options["partition"], options["effort"]) == ("auto", "fast")
    assert (options["standardise"], options["weights"]) == ("robust", "W")
    assert certificate["recipe"]["variables"] == {"A": {"weight": "2.5"}, "Rate": {"weight": "3.0"}}

    checked = run("check", "masked.xml", "--rules", "rules.sch", *CERTIFICATE)
    assert checked.code == 0
    assert "certificate agrees" in checked.out
    masked = read_records(workplace / "masked.xml")
    explained = run("explain", "--record", "11", *CERTIFICATE)
    assert explained.code == 0, "the certified masking can be repeated"
    shown = dict(re.findall(r"^  (A|B|C|Rate) +.* (\S+)$", explained.out, re.MULTILINE))
    assert shown == {name: masked[10][name] for name in ("A", "B", "C", "Rate")}

    published = (workplace / "masked.xml").read_bytes()
    assert run("mask", *recipe, *OPTIONS, "-o", "masked.xml", "--overwrite").code == 0
    assert (workplace / "masked.xml").read_bytes() == published, "with or without the saved plan"
    assert run("mask", *recipe, "--effort", "fast", "-o", "other.xml").code == 0
    assert read_records(workplace / "other.xml") != masked


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--partition mdav", "--partition mdav contradicts the saved plan, which has auto"),
        ("--effort high", "--effort high contradicts the saved plan, which has fast"),
        ("--standardise none", "--standardise none contradicts the saved plan, which has robust"),
        ("--weights A", "--weights A contradicts the saved plan, which has W"),
    ],
)
def test_a_saved_plan_is_not_contradicted(run: Run, workplace: Path, option: str, says: str) -> None:
    assert run("plan", *INPUTS, *OPTIONS, "--out", "plan.json").code == 0
    ran = run("mask", *INPUTS, "--plan", "plan.json", *option.split(), "-o", "masked.xml")
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert not list(workplace.glob("masked*"))


REFUSED = {
    "--partition mdva": "unknown partition method 'mdva' (use auto, or one of mdav, ",
    "--effort hard": "unknown effort 'hard' (use fast, default, high, best, or a number of seconds such as 30s)",
    "--effort -3s": "unknown effort '-3s'",
    "--partition mdav --effort fast": "mdav does not search, so it has no effort (use auto or mdav+refine)",
    "--partition mdav --weights W": (
        "mdav takes no weights of records (use a method that takes weights, such as auto, or leave the weights out)"
    ),
    "--partition v-mdav --weights W": "v-mdav takes no weights of records",
    "--weights Weight": "the weights are to be 'Weight', which no record has (the file has: A, B, C, Rate, W)",
    "--weights A --recipe roles.yml": "A weighs the records and cannot be masked too (make A untouched, or leave the",
    "--masker microhybrid --weights W": "microhybrid takes no weights of records (leave the weights out)",
    "--masker fuzzy-c-means --partition mdav": "--partition has no meaning with fuzzy-c-means",
    "--masker fuzzy-c-means --effort high": "--effort has no meaning with fuzzy-c-means",
    "--masker nonsense": "unknown masker 'nonsense' (use one of: microaggregation, microhybrid,",
    "--masker group-anonymity": "group-anonymity needs its parameter goals (in a recipe: `mask:",
    "--partition nonsense": "unknown partition method 'nonsense' (use auto, or one of",
    "--partition k-modes": "k-modes takes no numeric or ordinal variables: A is numeric",
    "--recipe wrong.yml": "wrong.yml:2: rim does not search, so it has no effort; use auto or rim+refine",
}


@pytest.mark.parametrize("command", [("plan",), ("mask", "-o", "masked.xml")], ids=["plan", "mask"])
@pytest.mark.parametrize("options", REFUSED)
def test_what_cannot_be_obeyed_is_one_message_and_no_file(
    run: Run, workplace: Path, options: str, command: tuple[str, ...]
) -> None:
    (workplace / "roles.yml").write_text("variables: {A: {role: confidential}}\n", encoding="utf-8")
    (workplace / "wrong.yml").write_text("mask: {partition: rim}\neffort: best\n", encoding="utf-8")
    before = sorted(workplace.iterdir())
    ran = run(command[0], *INPUTS, *command[1:], *options.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"constraint-sdc: {REFUSED[options]}")
    assert ran.err.count("\n") == 1
    assert sorted(workplace.iterdir()) == before


def test_options_go_before_the_recipe(run: Run, workplace: Path) -> None:
    text = "k: 9\nmask: {partition: rim}\nstandardise: none\nweights: Rate\n"
    (workplace / "other.yml").write_text(text, encoding="utf-8")
    ran = run("plan", *INPUTS, "--recipe", "other.yml", "--partition", "auto", *OPTIONS, "--json")
    assert ran.code == 0
    plan = json.loads(ran.out)
    assert [plan[name] for name in ("k", "partition", "effort", "standardise", "weights")] == [
        4, "auto", "fast", "robust", "W",
    ]  # fmt: skip
    under_schema(plan, "plan")
