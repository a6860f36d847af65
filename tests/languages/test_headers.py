"""Headers of a table that are no XML names: rules, recipes and options take them as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import constraint_sdc as cs
from constraint_sdc.cli import program
from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.files.rows_file import element_name, xml_name
from tests.languages.judged import failures

TOTAL, OTHER, YEAR = "Total income (EUR)", "Other, €", "2024"
DATA = f'id;{TOTAL};Wages;"{OTHER}";{YEAR};Größe\n1;30;20;10;5;a\n2;31;20;10;0;b\n3;;20;10;7;ĳ\n'
RULES = {
    "rules.txt": f"adds: `{TOTAL}` = Wages + `{OTHER}`\nyear: `{YEAR}` >= 1\ncodes: Größe in {{'a', 'b'}}",
    "rules.R": (
        f'validator(adds = `{TOTAL}` == Wages + `{OTHER}`, year = `{YEAR}` >= 1, codes = Größe %in% c("a", "b"))'
    ),
    "rules.sql": (
        f'CREATE TABLE r ("{TOTAL}" INT, Wages INT, "{OTHER}" INT, "{YEAR}" INT, Größe TEXT, '
        f'CONSTRAINT "adds" CHECK ("{TOTAL}" = Wages + "{OTHER}"), CONSTRAINT "year" CHECK ("{YEAR}" >= 1), '
        "CONSTRAINT \"codes\" CHECK (Größe IN ('a', 'b')));"
    ),
    "rules.vtl": (
        f"define datapoint ruleset r (variable '{TOTAL}' as T, Wages as W, '{OTHER}' as O, '{YEAR}' as Y, 'Größe' as G)"
        ' is adds: T = W + O; year: Y >= 1; codes: G in {"a", "b"} end datapoint ruleset;'
    ),
}
RECIPE = f"""\
key: id
groups: [[{TOTAL}, Wages, "{OTHER}"]]
missing: {{{YEAR}: [-9]}}
variables:
  id: {{role: identifier, remove: true}}
  {TOTAL}: {{role: confidential}}
  Wages: {{role: confidential}}
  {OTHER}: {{role: confidential}}
  {YEAR}: {{role: quasi-identifier, type: numeric}}
  Größe: {{role: untouched}}
assess: {{subdomains: ["`{YEAR}` >= 2"], regressions: ["`{TOTAL}` ~ Wages"]}}
"""


def _write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", RULES)
def test_rules_name_headers_as_they_are_written(tmp_path: Path, name: str) -> None:
    data, rules = _write(tmp_path, "data.csv", DATA), _write(tmp_path, name, RULES[name])
    assert failures(data, rules) == {"adds": {2}, "year": {2}, "codes": {3}}


def test_json_schema_names_headers(tmp_path: Path) -> None:
    rules = _write(tmp_path, "rules.json", f'{{"properties": {{"{YEAR}": {{"minimum": 1}}}}, "required": ["{TOTAL}"]}}')
    assert set(failures(_write(tmp_path, "data.csv", DATA), rules).values()) == {frozenset({2}), frozenset({3})}


def test_the_escaped_name_means_the_same(tmp_path: Path) -> None:
    rules = _write(tmp_path, "rules.txt", f"adds: {xml_name(TOTAL)} = Wages + `{OTHER}`")
    assert failures(_write(tmp_path, "data.csv", DATA), rules) == {"adds": {2}}


def test_a_recipe_names_headers(tmp_path: Path) -> None:
    recipe = read_recipe(_write(tmp_path, "recipe.yml", RECIPE))
    total, other, year = map(xml_name, (TOTAL, OTHER, YEAR))
    assert list(recipe.variables) == ["id", total, "Wages", other, year, "Größe"]
    assert recipe.groups == ((total, "Wages", other),)
    assert recipe.missing == {year: ("-9",)}
    assert recipe.assess.subdomains == (f"`{year}` >= 2",)
    assert recipe.assess.regressions == (f"`{total}` ~ Wages",)


def test_two_entries_about_one_column_are_refused_with_line(tmp_path: Path) -> None:
    recipe = f"variables:\n  {TOTAL}: {{}}\n  {xml_name(TOTAL)}: {{}}\n"
    with pytest.raises(UsageError, match=r":3: .*'Total income \(EUR\)' and 'Total_x0020.* are the same variable"):
        read_recipe(_write(tmp_path, "recipe.yml", recipe))


def test_a_mistake_in_an_entry_names_the_header_and_its_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r":2: .*\(at variables\.Total income \(EUR\)\.rolle\)"):
        read_recipe(_write(tmp_path, "recipe.yml", f"variables:\n  {TOTAL}: {{rolle: confidential}}\n"))


def test_masked_by_rules_and_recipe_that_name_headers(tmp_path: Path) -> None:
    rows = "".join(f"{i};{30 * i + 7};{29 * i};{i + 7};{i % 4 + 1};a\n" for i in range(1, 13))
    data = _write(tmp_path, "data.csv", DATA.partition("\n")[0] + "\n" + rows)
    rules = _write(tmp_path, "rules.txt", RULES["rules.txt"])
    recipe = _write(tmp_path, "recipe.yml", RECIPE.partition("assess")[0])
    masked = tmp_path / "masked.csv"
    cs.mask_file(data, rules, masked, k=3, recipe=recipe, partition="mdav")
    lines = masked.read_text(encoding="utf-8").splitlines()
    assert lines[0] == DATA.partition("\n")[0].partition(";")[2]
    assert len({tuple(line.split(";")[:3]) for line in lines[1:]}) == 4


def test_options_take_headers(tmp_path: Path) -> None:
    data = _write(tmp_path, "data.csv", DATA)
    written = CliRunner().invoke(program, ["domain", str(data), "-v", f"{YEAR},{TOTAL}", "-o", str(tmp_path / "d.xml")])
    assert written.exit_code == 0, written.output
    assert f"<{element_name(YEAR)}>" in (tmp_path / "d.xml").read_text()
