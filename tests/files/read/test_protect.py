"""The section `protect` of a recipe: what is promised about people."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import read_recipe, recipe_from_json, recipe_to_json
from constraint_sdc.settings.protect import (
    ClosenessPromise,
    DiversityPromise,
    DominancePromise,
    KeyPromise,
    LinkagePromise,
    Protect,
)

ALL = """
protect:
  key: {variables: [Age, Sex, Region, Income], k: 5}
  diversity: {of: Diagnosis, l: 3}
  closeness: {of: Income, t: 0.2}
  dominance: {p: 10}
  verbatim: 0
  linkage: {at most: 5%, known: [Age, Income]}
"""


def protect_of(tmp_path: Path, text: str) -> Protect:
    path = tmp_path / "recipe.yml"
    path.write_text(text, encoding="utf-8")
    recipe = read_recipe(path)
    assert recipe_from_json(recipe_to_json(recipe)) == recipe
    return recipe.protect


def test_every_promise_is_read_and_survives_json(tmp_path: Path) -> None:
    assert protect_of(tmp_path, ALL) == Protect(
        key=KeyPromise(("Age", "Sex", "Region", "Income"), 5),
        diversity=(DiversityPromise("Diagnosis", 3.0),),
        closeness=(ClosenessPromise("Income", 0.2),),
        dominance=DominancePromise(p=10.0),
        verbatim=0,
        linkage=LinkagePromise(5.0, ("Age", "Income")),
    )


def test_several_variables_can_be_diverse_and_the_kinds_differ(tmp_path: Path) -> None:
    text = "protect: {diversity: [{of: A, l: 2.5, kind: entropy}, {of: B, l: 3, kind: recursive, c: 1.5}]}"
    assert protect_of(tmp_path, text).diversity == (
        DiversityPromise("A", 2.5, "entropy"),
        DiversityPromise("B", 3.0, "recursive", 1.5),
    )


def test_nothing_is_promised_where_nothing_is_said(tmp_path: Path) -> None:
    assert protect_of(tmp_path, "k: 5\n") == Protect()
    assert protect_of(tmp_path, "protect: {verbatim: allowed}").verbatim == "allowed"
    assert protect_of(tmp_path, "protect: {dominance: {n: 2, share: 85}}").dominance == DominancePromise(None, 2, 85.0)


@pytest.mark.parametrize(
    ("protect", "message"),
    [
        ("{key: {k: 1}}", "k of the key must be at least 2"),
        ("{diversity: {of: A, l: 2.5}}", "l of the diversity of A"),
        ("{diversity: {of: A, l: 0}}", "l of the diversity of A"),
        ("{diversity: {of: A, l: 1}}", "must be above 1: every class has a value"),
        ("{diversity: {of: A, l: 1.0, kind: entropy}}", "must be above 1: every class has a value"),
        ("{diversity: {of: A, l: 2, c: 3}}", "c of the diversity of A has no meaning without `kind: recursive`"),
        ("{diversity: [{of: A, l: 2, kind: entropy, c: 3}]}", "has no meaning without"),
        ("{diversity: {of: A, l: 2, kind: recursve}}", "'recursve' is not one of"),
        ("{diversity: [{of: A, l: 2}, {of: A}]}", "'l' is a required property"),
        ("{closeness: {of: A, t: -1}}", "-1 is less than the minimum"),
        ("{closeness: {of: A, t: 1}}", "must be below 1"),
        ("{dominance: {p: 0}}", "p must be above 0"),
        ("{dominance: {p: 10, n: 2, share: 100}}", "share must be below 100 percent"),
        ("{closeness: {of: A, t: 1.5}}", "t of the closeness of A must be from 0 to 1"),
        ("{dominance: {n: 2}}", "belong together"),
        ("{dominance: {n: 2, share: 120}}", "share must be above 0"),
        ("{linkage: {at most: 120%}}", "linkage must be from 0 to 100 percent"),
        ("{linkage: {at most: few}}", "few"),
        ("{verbatim: -1}", "-1"),
        ("{verbatim: some}", "some"),
        ("{keys: {k: 5}}", "keys"),
        ("{}", "non-empty"),
    ],
)
def test_what_means_nothing_is_refused_with_its_line(tmp_path: Path, protect: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        protect_of(tmp_path, f"k: 5\nprotect: {protect}\n")
    assert refused.value.line == 2
