"""`init`: what it proposes, what it hides, and that a corrected draft masks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import constraint_sdc as cs
from constraint_sdc.commands.masking import settings as masking_settings
from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.settings.words import Role
from tests.cli.conftest import Run

RNG = np.random.default_rng(3)
N = 120
AMOUNTS = [str(int(a)) for a in RNG.lognormal(9, 1, N)]
SURVEY: dict[str, Sequence[str]] = {
    "person_id": [str(i) for i in range(1, N + 1)],
    "name": [f"Anna{i} Secret{i}" for i in range(N)],
    "sex": [str(code) for code in RNG.integers(1, 3, N)],
    "turnover": [*AMOUNTS[:-3], "n/a", "n/a", "n/a"],
    "profit": [str(int(a)) for a in RNG.normal(0, 90_000, N)],
    "weight": [f"{w:.2f}" for w in 1 + RNG.gamma(3, 20, N)],
}


def document(columns: Mapping[str, Sequence[str]], metadata: str = "") -> str:
    rows = zip(*columns.values(), strict=True)
    cells = ("".join(f"<{n}>{t}</{n}>" for n, t in zip(columns, row, strict=True)) for row in rows)
    return f"<Microdata>{metadata}{''.join(f'<Record>{row}</Record>' for row in cells)}</Microdata>"


@pytest.fixture(autouse=True)
def _refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse what nobody decided on, as users get it."""
    monkeypatch.setattr(masking_settings, "DEFAULT_UNDECIDED", "refuse")


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.xml"
    path.write_text(document(SURVEY), "utf-8")
    return path


def decided(text: str) -> str:
    """Accept every proposal, as a person would."""
    text = re.sub(r"undecided +# decide: remove \(proposed\).*", "remove", text)
    return re.sub(r"role: undecided +# decide: ([a-z-]+) \(proposed\).*", r"role: \1", text)


def test_a_draft_is_refused_until_a_person_has_decided(run: Run, survey: Path, tmp_path: Path) -> None:
    recipe, masked = tmp_path / "recipe.yml", tmp_path / "masked.xml"
    ran = run("init", survey, "-o", recipe)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("decide on 5 things: person_id, name, sex, turnover and weight\n")
    ran = run("mask", survey, "--recipe", recipe, "-k", "3", "-o", masked)
    assert (ran.code, masked.exists()) == (2, False)
    lines = recipe.read_text("utf-8").splitlines()
    first = next(i for i, line in enumerate(lines, 1) if line.startswith("    role: undecided"))
    assert f"recipe.yml:{first}: person_id is undecided; so are 4 more (" in ran.err


def test_a_corrected_draft_masks(run: Run, survey: Path, tmp_path: Path) -> None:
    recipe, masked = tmp_path / "recipe.yml", tmp_path / "masked.xml"
    recipe.write_text(decided(run("init", survey).out), "utf-8")
    ran = run("mask", survey, "--recipe", recipe, "-k", "3", "-o", masked)
    assert (ran.code, ran.err) == (0, "")
    published = masked.read_text("utf-8")
    assert "Secret" not in published
    assert "person_id" not in published
    assert published.count("<turnover>n/a</turnover>") == 3
    assert not set(AMOUNTS) & set(re.findall("<turnover>(.*?)</turnover>", published))


def test_without_a_recipe_the_file_is_refused_and_init_is_named(run: Run, survey: Path, tmp_path: Path) -> None:
    ran = run("mask", survey, "-k", "3", "-o", tmp_path / "masked.xml")
    assert (ran.code, "constraint-sdc init survey.xml -o recipe.yml" in ran.err) == (3, True)
    assert all(name in ran.err for name in cs.init_recipe(survey).undecided)


def test_what_is_certain_needs_nobody(run: Run, tmp_path: Path) -> None:
    data, recipe = tmp_path / "data.xml", tmp_path / "recipe.yml"
    data.write_text(document({"turnover": AMOUNTS, "profit": SURVEY["profit"]}), "utf-8")
    assert run("init", data, "-o", recipe).code == 0
    assert {name: wish.role for name, wish in read_recipe(recipe).variables.items()} == {
        "turnover": Role.CONFIDENTIAL,
        "profit": Role.CONFIDENTIAL,
    }
    with_recipe, without = tmp_path / "with.xml", tmp_path / "without.xml"
    assert run("mask", data, "--recipe", recipe, "-k", "3", "-o", with_recipe).code == 0
    assert run("mask", data, "-k", "3", "-o", without).code == 0
    assert with_recipe.read_bytes() == without.read_bytes()


def test_where_nothing_looks_known_to_others_the_draft_asks_for_the_key(run: Run, tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    rows = "".join(f"<R><X>{x:.2f}</X><Y>{y:.2f}</Y></R>" for x, y in draw.normal(500, 90, (40, 2)))
    (tmp_path / "data.xml").write_text(f"<D>{rows}</D>", "utf-8")
    draft = run("init", str(tmp_path / "data.xml")).out
    assert "Nothing looks like a quasi-identifier. Decide what others may know" in draft
    assert "variables: []" not in draft


def test_rules_tell_what_is_a_number(run: Run, tmp_path: Path) -> None:
    few = [str(i % 4) for i in range(N)]
    data, rules = tmp_path / "data.xml", tmp_path / "rules.sch"
    data.write_text(document({"A": few, "B": few}), "utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">'
        '<assert id="R" test="number(A) &lt;= number(B)"/></rule></pattern></schema>',
        "utf-8",
    )
    assert cs.init_recipe(data).undecided == ("A", "B")
    assert cs.init_recipe(data, rules).undecided == ()
    assert "rules compute with it" in run("init", data, "--rules", rules).out


def test_no_value_of_a_record_is_shown_but_missing_codes(run: Run, survey: Path) -> None:
    text = run("init", survey).out
    values = {value for texts in SURVEY.values() for value in texts if len(value) > 3}
    assert not {value for value in values if value in text}
    assert 'turnover: ["n/a"]  # n/a: 3 records' in text
    shown = run("init", survey, "--show-values").out
    assert "# values: from 1 to 120; for example 1, " in shown
    assert "Secret" in shown


def test_shown_values_stay_comments(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "data.xml"
    data.write_text(document({"V": ["x\nvariables: {}", "# y", "- z"] * 4}), "utf-8")
    recipe = tmp_path / "recipe.yml"
    recipe.write_text(decided(run("init", data, "--show-values").out), "utf-8")
    assert list(read_recipe(recipe).variables) == ["V"]


def test_names_are_read_back_as_they_are(run: Run, tmp_path: Path) -> None:
    data, recipe = tmp_path / "data.xml", tmp_path / "recipe.yml"
    rows = "".join(
        f'<n:R no="{i}" xmlns:n="urn:n"><n:Año>{i * i % 7919}.5</n:Año><yes>1</yes></n:R>' for i in range(60)
    )
    data.write_text(f"<D>{rows}</D>", "utf-8")
    recipe.write_text(decided(run("init", data).out), "utf-8")
    read = read_recipe(recipe)
    assert (set(read.variables), read.record) == ({"@no", "{urn:n}Año", "yes"}, "{urn:n}R")
    assert run("plan", data, "--recipe", recipe, "-k", "3").code == 0


def test_declared_missing_codes_and_labels_are_used(run: Run, tmp_path: Path) -> None:
    variable = '<Variable name="A" type="integer" label="Net&#10;turnover"><Missing code="-7"/></Variable>'
    metadata = f"<Metadata>{variable}</Metadata>"
    data = tmp_path / "data.xml"
    data.write_text(document({"A": [*AMOUNTS, "-7"]}, metadata), "utf-8")
    text = run("init", data).out
    assert 'A: ["-7"]  # -7: declared in the file' in text
    assert "# Net turnover; measurement: " in text
    assert cs.init_recipe(data).undecided == ()


AROUND = """<Data created="Anna"><!-- by Anna --><Household><HHIncome>4711</HHIncome>{rows}</Household></Data>"""


def test_what_stands_around_the_variables_is_decided_too(run: Run, tmp_path: Path) -> None:
    data, recipe, masked = (tmp_path / name for name in ("data.xml", "recipe.yml", "masked.xml"))
    rows = "".join(f'<Person><!-- Anna --><A orig="raw{a}">{a}</A></Person>' for a in AMOUNTS)
    data.write_text(AROUND.format(rows=rows), "utf-8")
    text = run("init", data).out
    assert cs.init_recipe(data).undecided == ("/Data/@created", "/Data/Household/HHIncome", "comments")
    assert not [value for value in ("Anna", "4711", "raw") if value in text]
    recipe.write_text(text, "utf-8")
    assert (
        "/Data/@created is undecided; so are 2 more (replace `undecided` by remove"
        in run("plan", data, "--recipe", recipe).err
    )
    recipe.write_text(decided(text), "utf-8")
    assert run("mask", data, "--recipe", recipe, "-k", "3", "-o", masked).code == 0
    published = masked.read_text("utf-8")
    assert not [value for value in ("Anna", "4711", "raw") if value in published]


def test_an_existing_recipe_is_kept(run: Run, survey: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yml"
    recipe.write_text("k: 3\n", "utf-8")
    ran = run("init", survey, "-o", recipe)
    assert (ran.code, recipe.read_text("utf-8")) == (2, "k: 3\n")
    assert "the file exists already" in ran.err
    with pytest.raises(UsageError, match="the file exists already"):
        cs.init_recipe(survey, output=recipe)
    assert run("init", survey, "-o", recipe, "--overwrite").code == 0
    assert "undecided" in recipe.read_text("utf-8")
    assert run("init", survey, "-o", survey, "--overwrite").code == 2
    assert run("init", tmp_path / "none.xml").code == 2


def test_the_key_is_proposed(run: Run, survey: Path) -> None:
    assert "#   key: {variables: [sex], k: 5}" in run("init", survey).out


@pytest.mark.parametrize(
    ("names", "says"),
    [(["A"], "A is undecided ("), (["A", "B"], "A is undecided; so is B ("), (["A", "B", "C"], "2 more")],
)
def test_a_draft_says_who_is_undecided(tmp_path: Path, names: list[str], says: str) -> None:
    recipe = tmp_path / "recipe.yml"
    recipe.write_text("variables:\n" + "".join(f"  {name}: {{role: undecided}}\n" for name in names), "utf-8")
    with pytest.raises(UsageError) as refused:
        read_recipe(recipe)
    assert says in str(refused.value)
    assert refused.value.line == 2


def test_a_draft_for_a_table_names_headers_and_how_the_table_is_read(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{700 + 13 * i},5;{i};a\n" for i in range(30))
    (tmp_path / "data.csv").write_text("Total income;a_x0020_b;2024\n" + rows, "utf-8")
    text = run("init", str(tmp_path / "data.csv"), "--decimal", ",").out
    assert 'table: {decimal: ","}\n' in text
    assert "record:" not in text
    assert '\n  "Total income":\n' in text
    assert "\n  a_x005F_x0020_b:\n" in text, "the header is the name of another element"
    assert '\n  "2024":\n' in text
    (tmp_path / "recipe.yml").write_text(text.replace("undecided", "identifier"), "utf-8")
    names = ["Total_x0020_income", "a_x005F_x0020_b", "_x0032_024"]
    assert list(read_recipe(tmp_path / "recipe.yml").variables) == names
