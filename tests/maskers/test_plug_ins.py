"""Maskers behind one protocol: what each says of itself, and that nobody is taken at their word."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from constraint_sdc.errors import NotPublishedError, PlanRefusedError, UsageError
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.files.recipe import read_recipe, recipe_from_json, recipe_to_json
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.maskers.registry import DEFAULT, MASKERS, default_masker
from constraint_sdc.plan.plan_json import plan_from_json, plan_to_json
from constraint_sdc.plugins import PluginError
from constraint_sdc.reports.sentences import sentence, sentences
from constraint_sdc.settings.masker import MaskerTraits, UnknownMasker, make_masker, parameters
from constraint_sdc.settings.reason import Reason
from constraint_sdc.settings.words import Treatment
from tests.maskers.extract import Extract, columns, extract
from tests.maskers.toys import Toy, install

BUILT_IN = MASKERS.own_names
GOALS = [{"parameter": "Town", "vital": "A > 1", "change": [{"move": {"from": "a", "to": "b"}}]}]
TOLD: dict[str, dict[str, Any]] = {"group-anonymity": {"goals": GOALS}}
RULES = {"total": "number(A) + number(B) = number(C)"}
PAGES = Path(__file__).resolve().parents[2] / "docs" / "maskers"


def masker(name: str) -> Masker:
    return make_masker(MASKERS[name], TOLD.get(name, {}))


def household(folder: Path, recipe: str | None = None) -> Extract:
    a = [17 * i % 60 for i in range(60)]
    b = [7 * i % 31 for i in range(60)]
    rows = columns(A=a, B=b, C=[x + y for x, y in zip(a, b, strict=True)], Id=[f"r{i}" for i in range(60)])
    return extract(folder, rows, RULES, recipe)


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    classes = ("Toy", "RuleBreaker", "Lonely", "Rewriter", "Meddler", "Forgetful")
    names = ("toy", "rule-breaker", "lonely", "rewriter", "meddler", "forgetful")
    entries = (f"{name} = tests.maskers.toys:{one}" for name, one in zip(names, classes, strict=True))
    install(tmp_path / "site", monkeypatch, *entries)


TRAITS = {
    #                     draws  divides own    k      weights unit  shares
    "microaggregation": (False, False, False, True, True, True, True),
    "microhybrid": (True, False, True, True, False, True, True),
    "fuzzy-c-means": (True, True, False, True, False, True, False),
    "group-anonymity": (False, True, False, False, False, False, False),
}


class TestTraits:
    """Every masker answers every question."""

    @pytest.mark.parametrize("name", BUILT_IN)
    def test_they_are_those_of_the_literature(self, name: str) -> None:
        one = masker(name)
        said = (one.draws_at_random, one.divides_itself, one.gives_own_values, one.takes_k, one.takes_weights)
        assert (*said, one.takes_standardise, one.shares_values) == TRAITS[name]

    def test_fuzzy_centres_are_shared_when_k_is_ensured(self) -> None:
        assert make_masker(MASKERS["fuzzy-c-means"], {"ensure_k": True}).shares_values

    @pytest.mark.parametrize("name", BUILT_IN)
    def test_every_question_has_an_answer(self, name: str) -> None:
        one = masker(name)
        assert one.name == name
        assert one.guarantee.endswith(".")
        assert one.least_k in (1, 2)
        assert {type(getattr(one, trait)) for trait in ("has_geometric_mean", "names_variables", "recounts")} == {bool}
        assert all(isinstance(why, Reason) for why in one.kept_variables.values())
        assert isinstance(one.treats_records(("A", "B"), "mdav"), bool)
        assert {one.own_treatment(is_average=is_average) for is_average in (True, False)} <= set(Treatment)
        assert isinstance(one.microaggregates([Treatment.AGGREGATED]), bool)
        assert all(isinstance(warning, Reason) for warning in one.warnings(3, "mdav"))
        assert sentence(one.own_partition([3, 4], 3))

    @pytest.mark.parametrize("name", BUILT_IN)
    def test_each_has_a_page(self, name: str) -> None:
        pages = {DEFAULT: "README"}
        assert (PAGES / f"{pages.get(name, name)}.md").exists()

    def test_the_default_is_the_first_of_the_list(self) -> None:
        assert default_masker() == masker(MASKERS.names[0])


class TestParameters:
    """Declared as fields; recipes, plans and certificates need no code of their own."""

    @pytest.mark.parametrize("name", BUILT_IN)
    def test_every_field_is_one_and_comes_back_from_json(self, name: str) -> None:
        one = masker(name)
        assert [each.name for each in parameters(type(one))] == list(vars(one))
        told = json.loads(json.dumps(one.told()))
        assert make_masker(type(one), told) == one
        for each in parameters(type(one)):
            if each.name in told:
                jsonschema.validate(told[each.name], dict(each.schema))

    def test_the_shipped_schema_of_recipes_has_those_of_the_built_in_maskers(self) -> None:
        schema = json.loads(shipped_file("schemas", "recipe.schema.json").read_text("utf-8"))
        shipped = schema["properties"]["mask"]["properties"]
        declared = {
            each.name: {**each.schema, "description": f"{name}: {each.schema['description']}"}
            for name in BUILT_IN
            for each in parameters(MASKERS[name])
        }
        assert {name: entry for name, entry in shipped.items() if name in declared} == declared
        assert set(shipped) - set(declared) == {"masker", "method", "partition"}

    def test_a_masker_that_must_be_told_something_says_so(self) -> None:
        with pytest.raises(UsageError, match="group-anonymity needs its parameter goals"):
            make_masker(MASKERS["group-anonymity"], {})


@pytest.mark.usefixtures("toys")
class TestOfOthers:
    """Maskers of another distribution are planned, masked and certified like the built-in ones."""

    def test_it_is_found_by_its_name(self) -> None:
        assert MASKERS.names == (*BUILT_IN, "forgetful", "lonely", "meddler", "rewriter", "rule-breaker", "toy")
        assert MASKERS["toy"] is Toy

    def test_it_masks_as_its_recipe_says(self, tmp_path: Path) -> None:
        given = household(tmp_path, "k: 4\nmask: {masker: toy, partition: mdav, strength: 2.5, is_loud: true}\n")
        result = given.mask(4)
        given.requires_all_rules()
        assert given.smallest_group("A", "B", "C") >= 4
        assert result.plan.masker == Toy(2.5, is_loud=True)
        assert sentences(result.plan.warnings)[:1] == ["toy in groups of 4 by mdav"]

    def test_the_same_bytes_as_by_the_masker_that_it_copies(self, tmp_path: Path) -> None:
        ours, theirs = household(tmp_path / "a"), household(tmp_path / "b")
        ours.mask(4, partition="mdav")
        theirs.mask(4, masker="toy", partition="mdav")
        assert theirs.output.read_bytes() == ours.output.read_bytes()

    def test_its_parameters_survive_in_recipe_and_plan(self, tmp_path: Path) -> None:
        given = household(tmp_path, "mask: {masker: toy, strength: 2.5}\n")
        recipe = read_recipe(tmp_path / "recipe.yml")
        assert recipe_from_json(json.loads(json.dumps(recipe_to_json(recipe)))) == recipe
        plan = given.plan(4)
        assert plan_to_json(plan_from_json(json.loads(json.dumps(plan_to_json(plan))))) == plan_to_json(plan)

    @pytest.mark.parametrize(
        ("told", "line", "says"),
        [
            ("strength: 10", 2, "strength must be at most 9"),
            ("strength: much", 2, "'much' does not match"),
            ("is_loud: 3", 2, "3 is not of type 'boolean'"),
            ("m1: 2", 2, "m1 is a parameter of fuzzy-c-means, not of toy"),
            ("volume: 2", 2, "volume is not a parameter of toy"),
        ],
    )
    def test_a_mistake_in_its_recipe_is_named(self, tmp_path: Path, told: str, line: int, says: str) -> None:
        path = tmp_path / "recipe.yml"
        path.write_text(f"k: 3\nmask: {{masker: toy, {told}}}\n", encoding="utf-8")
        with pytest.raises(UsageError, match=says) as error:
            read_recipe(path)
        assert error.value.line == line


@pytest.mark.usefixtures("toys")
class TestLies:
    """What a masker says is not believed; what it does is judged on the written file."""

    def not_published(self, folder: Path, name: str) -> NotPublishedError:
        given = household(folder)
        with pytest.raises(NotPublishedError) as error:
            given.mask(4, masker=name, partition="mdav")
        assert sorted(path.name for path in folder.iterdir() if path.name != "site") == ["data.xml", "rules.sch"]
        return error.value

    def test_values_that_break_a_rule(self, tmp_path: Path) -> None:
        assert "total" in str(self.not_published(tmp_path, "rule-breaker").details)

    def test_values_that_fewer_than_k_share(self, tmp_path: Path) -> None:
        """Its values are those of actual records too, which is told first."""
        with pytest.raises(PlanRefusedError, match="60 records would have the values of an actual record"):
            household(tmp_path).mask(4, masker="lonely", partition="mdav")
        given = household(tmp_path, "protect: {verbatim: allowed}")
        with pytest.raises(NotPublishedError, match="fewer than 4 records would share their values"):
            given.mask(4, masker="lonely", partition="mdav")

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("rewriter", "its plan was changed"),
            ("meddler", "its variables are not those of the plan"),
            ("forgetful", "1 blocks were planned, but 0 were returned"),
        ],
    )
    def test_something_else_than_was_planned(self, tmp_path: Path, name: str, says: str) -> None:
        error = self.not_published(tmp_path, name)
        assert f"the masker {name} did not carry out its plan" in str(error)
        assert says in str(error.details)


def test_only_the_masker_of_the_run_is_imported() -> None:
    """Listing imports none of them; using one imports neither the others nor the libraries of its work."""
    code = (
        "import sys\nfrom constraint_sdc.maskers.registry import MASKERS\n"
        "modules = lambda: [name for name in sys.modules if name.endswith('.masker')]\n"
        "print(*MASKERS.names)\nprint(*modules())\nMASKERS['microhybrid']()\nprint(*modules())\n"
        "print([name for name in ('scipy', 'numba', 'pywt', 'highspy') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    base = "constraint_sdc.settings.masker constraint_sdc.maskers.masker"
    names, listed, used, libraries = done.stdout.splitlines()
    assert names == " ".join(BUILT_IN)
    assert (listed, used) == (base, f"{base} constraint_sdc.maskers.microhybrid.masker")
    assert libraries == "[]"


class TestBrokenEntries:
    """An entry that cannot be used names its distribution, and what to do."""

    def test_nobody_has_the_name(self) -> None:
        with pytest.raises(UsageError, match=r"unknown masker 'nobody' \(use one of: microaggregation, "):
            MASKERS["nobody"]

    @pytest.mark.parametrize(
        ("entry", "says"),
        [
            ("toy = tests.maskers.nowhere:Toy", "cannot be loaded: ModuleNotFoundError: No module named"),
            ("toy = tests.maskers.toys:Nothing", "cannot be loaded: AttributeError"),
            ("toy = tests.maskers.toys:NoMasker", "is not a subclass of constraint_sdc.maskers.masker.Masker"),
            ("toy = tests.maskers.toys:Lonely", "calls itself 'lonely'"),
        ],
    )
    def test_it_is_broken(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, says: str) -> None:
        install(tmp_path, monkeypatch, entry)
        with pytest.raises(PluginError) as caught:
            MASKERS["toy"]
        assert str(caught.value).startswith("the masker 'toy' of toy-maskers 1.0 (tests.maskers.")
        assert says in str(caught.value)
        assert MASKERS[DEFAULT].name == DEFAULT, "what is not asked for does not matter"

    def test_a_built_in_name_cannot_be_replaced(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        install(tmp_path, monkeypatch, "microhybrid = tests.maskers.toys:Toy")
        with pytest.raises(
            PluginError, match=r"toy-maskers 1.0 offers a masker 'microhybrid', and constraint-sdc has one"
        ):
            MASKERS.names  # noqa: B018  (the property refuses)
        assert MASKERS["microhybrid"].name == "microhybrid", "built-in names do not depend on what is installed"

    def test_two_distributions_with_one_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        install(tmp_path / "a", monkeypatch, "toy = tests.maskers.toys:Toy")
        install(tmp_path / "b", monkeypatch, "toy = tests.maskers.toys:Toy", name="other-toys")
        with pytest.raises(UsageError, match=r"toy-maskers 1.0 offers a masker 'toy', and other-toys 1.0 has one"):
            MASKERS["toy"]

    def test_a_plan_of_a_masker_that_is_gone_can_still_be_read(self, tmp_path: Path) -> None:
        content = plan_to_json(household(tmp_path).plan(4))
        content["masker"] = {"masker": "toy", "strength": "2.5"}
        plan = plan_from_json(content)
        assert plan.masker == UnknownMasker("toy", {"strength": "2.5"})
        assert plan_to_json(plan) == content

    def test_the_traits_of_an_unknown_masker_promise_nothing(self) -> None:
        unknown: MaskerTraits = UnknownMasker("toy", {})
        assert (unknown.recounts, unknown.goal_count, unknown.microaggregates([])) == (False, 0, False)
