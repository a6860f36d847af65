"""Partition methods by name: every one is registered, and what does not fit together is refused."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import constraint_sdc.partition
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.methods.auto import Auto
from constraint_sdc.partition.methods.v_mdav import VMdav
from constraint_sdc.partition.registry import METHODS, Refined, partitioner, settled, takes_one_variable
from constraint_sdc.settings.recipe import Division
from constraint_sdc.settings.words import Standardise

PAGES = Path(__file__).resolve().parents[2] / "docs" / "partition"
PLAIN = METHODS[1:]


def test_methods_are_found_by_their_names() -> None:
    assert METHODS[:2] == ("auto", "mdav")
    assert [partitioner(name).name for name in METHODS] == list(METHODS)
    assert [partitioner(f"{name}+refine").name for name in PLAIN] == [f"{name}+refine" for name in PLAIN]


def test_every_method_of_the_package_has_a_name_that_one_can_ask_for() -> None:
    """Writing a method and forgetting to register it fails here."""
    written = set()
    for module in pkgutil.walk_packages(constraint_sdc.partition.__path__, "constraint_sdc.partition."):
        if module.name.endswith(("partitioner", "kernels")):
            continue  # the protocol itself; compiled loops, which are loaded only when they run
        named = import_module(module.name)
        for _, kind in inspect.getmembers(named, inspect.isclass):
            if kind.__module__ == named.__name__ and inspect.isfunction(getattr(kind, "partition", None)):
                written.add(kind)
    assert {Auto, Refined} < written
    assert {kind.name for kind in written - {Auto, Refined}} == set(PLAIN)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_in_the_table_of_the_manual(name: str) -> None:
    assert f"\n| `{name}` | " in (PAGES / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["mdva", "", "MDAV", "auto+refine", "mdav+refine+refine", "+refine", "refine"])
def test_an_unknown_method_is_refused_with_the_choices(name: str) -> None:
    with pytest.raises(UsageError, match=r"unknown partition method .*\(use auto, or one of mdav, v-mdav, "):
        partitioner(name)


@pytest.mark.parametrize("name", PLAIN)
def test_an_effort_is_refused_where_nothing_is_searched(name: str) -> None:
    with pytest.raises(UsageError) as refusal:
        partitioner(name, "high")
    assert str(refusal.value) == f"{name} does not search, so it has no effort (use auto or {name}+refine)"


@pytest.mark.parametrize("name", ["auto", "mdav+refine", "random+refine"])
def test_an_effort_reaches_the_search(name: str) -> None:
    method = partitioner(name, "12s")
    assert isinstance(method, Auto | Refined)
    assert method.effort.name == "12s"
    with pytest.raises(UsageError, match="unknown effort 'lots'"):
        partitioner(name, "lots")


def test_a_settled_division_says_its_effort_only_where_there_is_one() -> None:
    assert settled(Division("auto")).effort == "default"
    assert settled(Division("rim+refine", "best")).effort == "best"
    assert settled(Division("mdav")).effort is None
    whole = Division("auto", "fast", Standardise.ROBUST, "W")
    assert settled(whole) == whole
    for wrong in (Division("mdav", "fast"), Division("mdva"), Division("auto", "lots")):
        with pytest.raises(UsageError):
            settled(wrong)


def test_parameters_follow_the_name_of_a_method() -> None:
    assert partitioner("v-mdav:gamma=1.1") == VMdav(1.1)
    assert partitioner("v-mdav") == VMdav(0.2)
    refined = partitioner("v-mdav:gamma=1.1+refine", "fast")
    assert isinstance(refined, Refined)
    assert refined.start == VMdav(1.1)


def test_a_settled_division_has_one_spelling_of_its_parameters() -> None:
    assert settled(Division("v-mdav:gamma=01.10")).partition == "v-mdav:gamma=1.1"
    assert settled(Division("v-mdav:gamma=2+refine", "fast")).partition == "v-mdav:gamma=2.0+refine"
    assert settled(settled(Division("v-mdav:gamma=2"))) == settled(Division("v-mdav:gamma=2.0"))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("v-mdav:gamma=-0.1", "v-mdav: gamma cannot be '-0.1' (use a number from 0)"),
        ("v-mdav:gamma=nan", "v-mdav: gamma cannot be 'nan' (use a number from 0)"),
        ("v-mdav:gamma=inf+refine", "v-mdav: gamma cannot be 'inf' (use a number from 0)"),
        ("v-mdav:gamma=much", "v-mdav: gamma cannot be 'much' (use a number from 0)"),
        ("v-mdav:gama=1", "v-mdav has no parameter 'gama' (its parameters: gamma)"),
        ("mdav:gamma=1", "mdav has no parameter 'gamma' (it declares none)"),
        ("auto:gamma=1", "auto has no parameter 'gamma' (it declares none)"),
        ("v-mdav:", "'v-mdav:' gives a parameter no value (write v-mdav:PARAMETER=VALUE)"),
        ("v-mdav:gamma", "'v-mdav:gamma' gives a parameter no value (write v-mdav:PARAMETER=VALUE)"),
        ("v-mdav:gamma=", "'v-mdav:gamma=' gives a parameter no value (write v-mdav:PARAMETER=VALUE)"),
        ("v-mdav:=1", "'v-mdav:=1' gives a parameter no value (write v-mdav:PARAMETER=VALUE)"),
        ("v-mdav:gamma=1:gamma=2", "'v-mdav:gamma=1:gamma=2' gives gamma twice (give it once)"),
    ],
)
def test_parameters_that_cannot_be_are_refused(name: str, says: str) -> None:
    with pytest.raises(UsageError) as refusal:
        settled(Division(name))
    assert str(refusal.value) == says


def test_methods_for_one_variable_are_known() -> None:
    single = {name for name in METHODS if takes_one_variable(name)}
    assert single == {"optimal-univariate", "individual-ranking"}
    assert takes_one_variable("individual-ranking+refine")
    assert not takes_one_variable("v-mdav:gamma=1")
