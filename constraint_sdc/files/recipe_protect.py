"""The section `protect` of a recipe: promises that mean nothing, or that no file can keep, are refused.

A promise that every file keeps is refused too. It would stand in the certificate as kept, and in place of the default.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from constraint_sdc.settings.protect import ClosenessPromise, DiversityPromise, DominancePromise, Protect

if TYPE_CHECKING:
    from constraint_sdc.files.recipe_yaml import RecipeText

_LEAST_SHARED = 2  # records
_PERCENT = 100.0


def refuse_strange_promises(protect: Protect, text: RecipeText) -> None:
    """Refuse promises that mean nothing, that every file keeps, or that none can keep."""
    if protect.key is not None and protect.key.k is not None and protect.key.k < _LEAST_SHARED:
        raise text.mistake("k of the key must be at least 2: one record alone hides nothing", ["protect", "key", "k"])
    for one in protect.diversity:
        _refuse_strange_diversity(one, text)
    _refuse_idle_c(text)
    for near in protect.closeness:
        _refuse_strange_closeness(near, text)
    if protect.dominance is not None:
        _refuse_strange_dominance(protect.dominance, text)
    if protect.linkage is not None and not 0 <= protect.linkage.at_most <= _PERCENT:
        raise text.mistake("linkage must be from 0 to 100 percent", ["protect", "linkage", "at most"])


def _refuse_strange_diversity(one: DiversityPromise, text: RecipeText) -> None:
    place, l_of = ["protect", "diversity"], f"l of the diversity of {one.of}"
    if one.l < 1 or (one.kind != "entropy" and one.l != int(one.l)):
        raise text.mistake(f"{l_of} is no number of values", place)
    if one.l == 1:
        raise text.mistake(f"{l_of} must be above 1: every class has a value", place)
    if not 0 < one.c < math.inf:
        raise text.mistake(f"c of the diversity of {one.of} must be positive", place)


def _refuse_idle_c(text: RecipeText) -> None:
    """Refuse a `c` that the kind of diversity does not take."""
    said = (text.content or {}).get("protect", {}).get("diversity", [])
    entries: Sequence[Mapping[str, Any]] = said if isinstance(said, list) else [said]
    for entry in entries:
        if "c" in entry and entry.get("kind") != "recursive":
            what = f"c of the diversity of {entry['of']} has no meaning without `kind: recursive`"
            raise text.mistake(what, ["protect", "diversity"])


def _refuse_strange_closeness(near: ClosenessPromise, text: RecipeText) -> None:
    place, t_of = ["protect", "closeness"], f"t of the closeness of {near.of}"
    if not 0 <= near.t <= 1:
        raise text.mistake(f"{t_of} must be from 0 to 1", place)
    if near.t == 1:
        raise text.mistake(f"{t_of} must be below 1: no class is farther from the file than that", place)


def _refuse_strange_dominance(dominance: DominancePromise, text: RecipeText) -> None:
    place = ["protect", "dominance"]
    if (dominance.n is None) != (dominance.share is None):
        raise text.mistake("the n largest and their share belong together", place)
    if dominance.share is not None and not 0 < dominance.share <= _PERCENT:
        raise text.mistake("the share must be above 0 and at most 100 percent", [*place, "share"])
    if dominance.share == _PERCENT:
        raise text.mistake("the share must be below 100 percent: nobody has more than the sum", [*place, "share"])
    if dominance.p == 0:
        raise text.mistake("p must be above 0: an error of 0 percent is no protection", [*place, "p"])
