"""A recipe says what the user knows and wishes; a mistake in it is an error with its line, never a silent guess."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.errors import UsageError
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.files.recipe import read_recipe, recipe_from_json, recipe_to_json
from constraint_sdc.files.rows_file import xml_name
from constraint_sdc.maskers.registry import MASKERS
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.mode import Mode
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role, Scale, Standardise, VariableWish

MANUAL = Path(__file__).resolve().parents[3] / "docs" / "recipe.md"
SCHEMA = json.loads(shipped_file("schemas", "recipe.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

WHOLE = """
record: Person
key: '@id'
missing:
  V3: ['-9', -8]
k: 5
mask: {partition: mdav+refine}
effort: 30s
standardise: robust
weights: Wave
seed: 7
on_broken: keep
group_size: 4
groups:
  - [V1, V2]
  - [V3]
variables:
  Id: {role: identifier, remove: true}
  V1: {role: quasi-identifier, type: numeric, grid: integer}
  V2: {role: confidential, grid: 2, operator: geometric mean}
  V3: {grid: free, weight: 0.25}
  V4: {weight: 3}
  Town: {type: nominal, operator: mode}
  Size: {type: ordinal, order: [small, 010, 3]}
  Wave: {role: untouched}
"""


def recipe(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "recipe.yml"
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_in_a_recipe_arrives(tmp_path: Path) -> None:
    assert read_recipe(recipe(tmp_path, WHOLE)) == Recipe(
        record="Person",
        key="@id",
        missing={"V3": ("-9", "-8")},
        k=5,
        partition="mdav+refine",
        effort="30s",
        standardise=Standardise.ROBUST,
        weights="Wave",
        seed=7,
        on_broken="keep",
        group_size=4,
        groups=(("V1", "V2"), ("V3",)),
        variables={
            "Id": VariableWish(role=Role.IDENTIFIER, is_removed=True),
            "V1": VariableWish(Role.QUASI_IDENTIFIER, Scale.NUMERIC, 0),
            "V2": VariableWish(Role.CONFIDENTIAL, decimals=2, operator=GeometricMean.name),
            "V3": VariableWish(decimals="free", weight=0.25),
            "V4": VariableWish(weight=3.0),
            "Town": VariableWish(scale=Scale.NOMINAL, operator=Mode.name),
            "Size": VariableWish(scale=Scale.ORDINAL, order=("small", "010", "3")),
            "Wave": VariableWish(role=Role.UNTOUCHED),
        },
    )


def test_the_example_in_the_manual_is_a_recipe_with_every_entry(tmp_path: Path) -> None:
    whole, masks = re.findall(r"```yaml\n(.*?)```", MANUAL.read_text("utf-8"), re.DOTALL)
    said = recipe_to_json(read_recipe(recipe(tmp_path, whole)))
    assert set(said) == set(SCHEMA["properties"]) - {"method"}, "`method` is an old spelling"
    every = [recipe_to_json(read_recipe(recipe(tmp_path, f"mask:{one}"))) for one in masks.split("mask:")[1:]]
    assert every.pop() == {"mask": {"partition": "mdav"}}
    told = [one["mask"] for one in every]
    assert [one["masker"] for one in told] == list(MASKERS.own_names)
    assert {entry for one in told for entry in one} == set(SCHEMA["properties"]["mask"]["properties"]) - {"method"}


def test_an_empty_recipe_says_nothing(tmp_path: Path) -> None:
    assert read_recipe(recipe(tmp_path, "# nothing yet\n")) == Recipe()


def test_groups_of_two_are_the_smallest_that_a_recipe_may_ask_for(tmp_path: Path) -> None:
    assert read_recipe(recipe(tmp_path, "k: 2")).k == 2
    with pytest.raises(UsageError, match="a group of one record hides nothing"):
        read_recipe(recipe(tmp_path, "k: 1"))


def test_all_variables_in_one_block(tmp_path: Path) -> None:
    assert read_recipe(recipe(tmp_path, "groups: all\n")).groups == "all"


def test_names_and_codes_stay_as_written(tmp_path: Path) -> None:
    text = "missing:\n  NO: [010, 9.00, 1_0, on]\n  12: [-9]\ngroups: [[NO, y, off]]\n"
    read = read_recipe(recipe(tmp_path, text))
    assert read.missing == {"NO": ("010", "9.00", "1_0", "on"), xml_name("12"): ("-9",)}
    assert read.groups == (("NO", "y", "off"),)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("record: Person\nrecrod: x\n", 2, "recrod"),
        ("key: id\nmissing:\n  V3: -9\n", 3, "not of type 'array'"),
        ("record: [a\n", 2, "YAML"),
        ("- a\n- b\n", 1, "not a recipe"),
        ("record: !!python/object:os.system x\n", 1, "YAML"),
        ("seed: 1\nk: 1\n", 2, "k must be at least 2"),
        ("k: 2.5\n", 1, "not of type 'integer'"),
        ("seed: -1\n", 1, "less than the minimum of 0"),
        ("on_broken: ignore\n", 1, "not one of ['refuse', 'keep']"),
        ("group_size: 0\n", 1, "less than the minimum of 1"),
        ("groups: some\n", 1, "'all' was expected"),
        ("groups:\n- [V1]\n- []\n", 3, "non-empty"),
        ("groups:\n- [V1, V2]\n- [V3,\n   V1]\n", 4, "V1 is listed twice in `groups`"),
        ("groups: all\ngroup_size: 3\n", 2, "no meaning"),
        ("variables:\n  A: {type: nominal, order: [b, a]}\n", 2, "the order of A requires `type: ordinal`"),
        ("variables:\n  A:\n    order: [b, a]\n", 3, "the order of A requires `type: ordinal`"),
        ("variables:\n  A:\n    type: ordinal\n    order: []\n", 4, "non-empty"),
        (
            "variables:\n  A:\n    type: ordinal\n    order:\n    - b\n    - a\n    - b\n",
            7,
            "b is listed twice in the order of A",
        ),
        ("variables:\n  A:\n    type: ordinal\n    order: [1,\n      '1']\n", 5, "1 is listed twice in the order of A"),
        ("variables:\n  A:\n    type: ordinal\n    order: [a, ' ']\n", 4, "an empty text, which is not a value"),
        ("missing: {A: [9]}\nvariables:\n  A: {type: ordinal, order: [1, 9]}\n", 3, "9 is a missing code of A"),
        ("variables:\n  V1:\n    role: secret\n", 3, "not one of ['identifier'"),
        ("variables:\n  V1:\n    roles: untouched\n", 3, "unknown entry 'roles'; did you mean role?"),
        ("variable: {}\n", 1, "unknown entry 'variable'; did you mean variables?"),
        ("protect: {keys: {variables: [A], k: 3}}\n", 1, "unknown entry 'keys'; did you mean key?"),
        ("k: 3\nassess: {zzzz: 1}\n", 2, "unknown entry 'zzzz'; known entries: known"),
        ("variables:\n  V1: {grid: 16}\n", 2, "16 is not one of"),
        ("variables:\n  V1: {grid: true}\n", 2, "True is not one of"),
        ("variables:\n  V1:\n    role: confidential\n    remove: true\n", 4, "V1 is not an identifier"),
        ("variables:\n  V1:\n    remove: true\n", 3, "V1 is not an identifier"),
        ("variables:\n  V1:\n    role: untouched\n    operator: mode\n", 4, "operator has no effect"),
        (
            "variables:\n  V1: {type: nominal,\n    operator: arithmetic mean}\n",
            3,
            "is not defined for nominal variables",
        ),
        ("variables:\n  V1: {type: ordinal,\n    grid: 2}\n", 3, "have no grid"),
        ("variables:\n  V1: {grid: 2}\n  V1: {grid: 3}\n", 3, "'V1' is given twice"),
        ("record: &a x\nkey: *a\n", 2, "aliases are not allowed"),
        ('k: 3\nmask: {partition: "v-mdav:gamma=-1"}\n', 2, "v-mdav: gamma cannot be '-1'; use a number from 0"),
        ("k: 3\nmask: {partition: mdva}\n", 2, "unknown partition method 'mdva'; use auto, or one of mdav"),
        ("k: 3\neffort: lots\n", 2, "unknown effort 'lots'; use fast, default, high, best, or a number of seconds"),
        ("effort: 0s\n", 1, "unknown effort '0s'"),
        ("effort: 30\n", 1, "30 is not of type 'string'"),
        ("effort: ''\n", 1, "non-empty"),
        (
            "mask: {partition: mdav}\nk: 3\neffort: fast\n",
            3,
            "mdav does not search, so it has no effort; use auto or mdav+refine",
        ),
        ("standardise: zscore\n", 1, "'zscore' is not one of ['z-score', 'robust', 'none']"),
        ("weights: 3\n", 1, "3 is not of type 'string'"),
        ("weights: ''\n", 1, "non-empty"),
        ("variables:\n  V1: {role: confidential,\n    weight: 0}\n", 3, "weight of V1 must be a positive number"),
        ("variables:\n  V1: {weight: -2}\n", 2, "weight of V1 must be a positive number"),
        ("variables:\n  V1: {weight: 1e999}\n", 2, "weight of V1 must be a positive number"),
        ("variables:\n  V1: {weight: 0.0}\n", 2, "weight of V1 must be a positive number"),
        ("variables:\n  V1: {weight: heavy}\n", 2, "'heavy' does not match"),
        ("variables:\n  V1: {weight: -0.5}\n", 2, "'-0.5' does not match"),
        ("variables:\n  V1:\n    role: untouched\n    weight: 2\n", 4, "V1 is untouched, so weight has no effect"),
        ("weights: W\nvariables:\n  W:\n    type: numeric\n    role: confidential\n", 5, "W weighs the records and"),
        ("weights: W\nvariables:\n  W:\n    grid: 2\n", 4, "W weighs the records and cannot be masked too"),
        ("weights: W\nvariables:\n  W: {weight: 2}\n", 3, "W weighs the records and cannot be masked too"),
        ("missing:\n  W: [99]\nweights: W\n", 2, "W weighs the records, so that none of its values can be missing"),
        ("variables:\n  ? [V1]\n  : {grid: 2}\n", 2, "the name of an entry must be text"),
    ],
)
def test_a_mistake_names_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(UsageError) as error:
        read_recipe(recipe(tmp_path, text))
    assert error.value.line == line
    assert says in str(error.value)


def test_a_flood_of_brackets_is_a_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nested too deeply"):
        read_recipe(recipe(tmp_path, "[" * 100_000))


def test_a_long_mistake_is_quoted_in_part(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        read_recipe(recipe(tmp_path, f"record: [{'a, ' * 5_000}]\n"))
    assert len(str(error.value)) < 1_000


def test_a_missing_recipe_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing\.yml: cannot read the recipe"):
        read_recipe(tmp_path / "nothing.yml")


names = st.text("ABCxyz19._-", min_size=1, max_size=4)
wishes = st.builds(
    VariableWish,
    st.none() | st.sampled_from(Role),
    st.none() | st.sampled_from(Scale),
    st.none() | st.integers(0, 15) | st.just("free"),
    st.none() | st.sampled_from(OPERATORS.names),
    st.booleans(),
    st.none() | st.floats(min_value=0, exclude_min=True, allow_infinity=False),
    st.lists(names, max_size=3).map(tuple),
)
recipes = st.builds(
    Recipe,
    record=st.none() | names,
    key=st.none() | names,
    missing=st.dictionaries(names, st.lists(names, min_size=1).map(tuple)),
    k=st.none() | st.integers(2, 100),
    partition=st.none() | names,
    effort=st.none() | names,
    standardise=st.none() | st.sampled_from(Standardise),
    weights=st.none() | names,
    seed=st.none() | st.integers(0, 2**40),
    on_broken=st.none() | st.sampled_from(("refuse", "keep")),
    group_size=st.none() | st.integers(1, 9),
    groups=st.just("all") | st.lists(st.lists(names, min_size=1).map(tuple)).map(tuple),
    variables=st.dictionaries(names, wishes),
)


def test_the_schema_is_itself_valid() -> None:
    assert jsonschema.validators.validator_for(SCHEMA) is jsonschema.Draft202012Validator
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@given(recipes)
def test_a_recipe_survives_as_json_under_its_schema(said: Recipe) -> None:
    content = json.loads(json.dumps(recipe_to_json(said)))
    VALIDATOR.validate(content)
    assert recipe_from_json(content) == said
