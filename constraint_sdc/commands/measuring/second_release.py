"""A second release of the same original, paired with it, its categories in the codes of the first release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from constraint_sdc.arrays import Codes
from constraint_sdc.commands.measuring.pairing import Paired, pair_tables
from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.data.table import Table
from constraint_sdc.plan.plan import Plan
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import AssessWish, Recipe
from constraint_sdc.settings.words import Scale


@dataclass(frozen=True, slots=True)
class SecondRelease:
    """The second release as a pair with the original, and what is to be said about how it was made."""

    pair: Pair
    notes: tuple[Reason, ...]


def second_release(original: Table, first: Paired, table: Table, recipe: Recipe, plan: Plan | None) -> SecondRelease:
    """Pair another release with the original; what the intruder knows is a matter of the first pair."""
    found = pair_tables(original, table, replace(recipe, assess=AssessWish()), plan)
    there = {v.name: v for v in first.pair.variables}
    variables = tuple(
        _recoded(v, there[v.name], original, first.released, found.released)
        if v.name in there and Scale.NUMERIC not in (v.scale, there[v.name].scale)
        else v
        for v in found.pair.variables
    )
    notes = tuple(because("of-other-release", why=note) for note in found.notes)
    return SecondRelease(replace(found.pair, variables=variables), notes)


def _recoded(variable: Compared, first: Compared, original: Table, released: Table, second: Table) -> Compared:
    """Return a category with the codes of the first pair; texts that it does not have get codes of their own."""
    name = variable.name
    code = dict(zip(_texts(original, name), first.original_code.tolist(), strict=True))
    code |= dict(zip(_texts(released, name), first.masked_code.tolist(), strict=True))
    texts, above = _texts(second, name), max(code.values(), default=-1) + 1
    new = dict.fromkeys(text for text in texts if text not in code)
    code |= {text: above + place for place, text in enumerate(new)}
    return replace(variable, original_code=first.original_code, masked_code=_codes(texts, code))


def _codes(texts: Sequence[str], code: dict[str, int]) -> Codes:
    return np.array([code[text] for text in texts], np.int64)


def _texts(table: Table, name: str) -> list[str]:
    """Return the values as texts, blanks as the empty text."""
    return [(text or "").strip(" \t\r\n") for text in table.columns[name].texts()]
