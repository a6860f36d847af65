"""Two files side by side: which records correspond, what was masked, and what an intruder is taken to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from constraint_sdc.commands.measuring.pairing import Paired, pair_tables
from constraint_sdc.data.pair import Pair
from constraint_sdc.data.table import Table, column_of
from constraint_sdc.errors import UsageError
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.recipe import AssessWish, Recipe
from constraint_sdc.settings.words import Role, Scale, VariableWish


def file(columns: Mapping[str, Sequence[object]]) -> Table:
    texts = {name: [None if v is None else str(v) for v in values] for name, values in columns.items()}
    return Table({n: column_of(n, t) for n, t in texts.items()}, len(next(iter(texts.values()))))


INCOME = (10, 20, 30, 40)
MEANS = (15, 15, 35, 35)
REGION = ("north", "south", "north", "south")


def side_by_side(
    original: Mapping[str, Sequence[object]], masked: Mapping[str, Sequence[object]], recipe: Recipe | None = None
) -> Paired:
    return pair_tables(file(original), file(masked), recipe or Recipe())


def test_a_variable_that_differs_somewhere_was_masked_and_an_intruder_knows_it() -> None:
    pair = side_by_side({"Income": INCOME, "Region": REGION}, {"Income": MEANS, "Region": REGION}).pair
    assert [v.name for v in pair.variables if v.is_masked] == ["Income"]
    assert pair.known == ("Income", "Region"), "what is published as it was can be known too"
    assert pair.numeric == ("Income",)
    assert pair["Region"].scale is Scale.NOMINAL
    assert pair["Income"].masked.tolist() == list(MEANS)


def test_in_an_unmasked_file_all_numbers_are_measured() -> None:
    pair = side_by_side({"Income": INCOME, "Region": REGION}, {"Income": INCOME, "Region": REGION}).pair
    assert pair.numeric == ("Income",)
    assert pair["Income"].unchanged.all()


def test_records_correspond_by_the_key_however_they_are_ordered() -> None:
    masked = {"Person": (4, 3, 2, 1), "Income": MEANS[::-1]}
    pair = side_by_side({"Person": (1, 2, 3, 4), "Income": INCOME}, masked, Recipe(key="Person")).pair
    assert pair["Income"].masked.tolist() == list(MEANS)
    assert not pair["Person"].is_masked


@pytest.mark.parametrize("keys", [(4, 3, 2, 2), (4, 3, 2, 9), (4, 3, 2, None)])
def test_a_key_that_does_not_tell_the_records_apart_is_refused(keys: Sequence[object]) -> None:
    with pytest.raises(UsageError, match="cannot be told apart by Person"):
        side_by_side(
            {"Person": (1, 2, 3, 4), "Income": INCOME}, {"Person": keys, "Income": MEANS}, Recipe(key="Person")
        )


def test_files_of_different_length_are_refused_with_both_counts() -> None:
    with pytest.raises(UsageError, match="original has 4 records, the masked file 3"):
        side_by_side({"Income": INCOME}, {"Income": MEANS[:3]})


def test_files_without_a_common_variable_are_refused() -> None:
    with pytest.raises(UsageError, match="no variable in common"):
        side_by_side({"Income": INCOME}, {"Wealth": MEANS})


def test_files_without_a_record_are_refused() -> None:
    with pytest.raises(UsageError, match="no record"):
        side_by_side({"Income": ()}, {"Income": ()})


def test_what_was_taken_out_or_added_is_said() -> None:
    notes = sentences(side_by_side({"Name": REGION, "Income": INCOME}, {"Income": MEANS, "Weight": MEANS}).notes)
    assert notes == ["Name: not in the masked file: taken out", "Weight: only in the masked file: not compared"]


def test_numbers_that_became_texts_are_compared_as_categories_and_it_is_said() -> None:
    paired = side_by_side({"Age": INCOME}, {"Age": ("10-20", "10-20", "30-40", "30-40")})
    assert paired.pair["Age"].scale is Scale.NOMINAL
    assert tuple(sentences(paired.notes)) == (
        "Age is no longer a number in every masked record: compared as categories",
        "Age: no numbers, so their utility is measured by unchanged cells, tables and entropy",
    )


def test_quasi_identifiers_are_what_an_intruder_knows() -> None:
    recipe = Recipe(variables={"Age": VariableWish(role=Role.QUASI_IDENTIFIER)})
    pair = side_by_side({"Age": INCOME, "Debt": INCOME}, {"Age": MEANS, "Debt": MEANS}, recipe).pair
    assert pair.known == ("Age",)


def test_what_the_recipe_says_he_knows_goes_before_the_roles() -> None:
    wish = {"Age": VariableWish(role=Role.QUASI_IDENTIFIER)}
    recipe = Recipe(variables=wish, assess=AssessWish(known=("Debt",)))
    pair = side_by_side({"Age": INCOME, "Debt": INCOME}, {"Age": MEANS, "Debt": MEANS}, recipe).pair
    assert pair.known == ("Debt",)


def test_he_cannot_know_what_is_not_there() -> None:
    with pytest.raises(UsageError, match="cannot know 'Wealth'"):
        pair_tables(file({"Income": INCOME}), file({"Income": MEANS}), Recipe(), None, ("Wealth",))


def test_the_same_number_however_spelt_is_the_same_value() -> None:
    pair = side_by_side({"Rate": ("1", "2.50", "1e2")}, {"Rate": ("1.0", "2.5", "100")}).pair
    assert pair["Rate"].unchanged.all()


def test_whole_numbers_beyond_doubles_are_told_apart_by_their_digits() -> None:
    pair = side_by_side({"Code": (2**53, 2**53 + 1, 5)}, {"Code": (2**53, 2**53, 5)}).pair
    assert pair["Code"].unchanged.tolist() == [True, False, True]


def test_missing_codes_and_absent_values_are_blanks_and_alike() -> None:
    recipe = Recipe(missing={"Age": ("-9",)})
    pair = side_by_side({"Age": (30, -9, None, "")}, {"Age": (30, None, "", 40)}, recipe).pair
    assert np.isnan(pair["Age"].original).tolist() == [False, True, True, True]
    assert pair["Age"].unchanged.tolist() == [True, True, True, False]


def test_without_a_plan_the_recipes_groups_are_the_blocks() -> None:
    files = {"A": INCOME, "B": INCOME, "C": INCOME}, {"A": MEANS, "B": MEANS, "C": MEANS}
    assert _blocks(side_by_side(*files).pair) == [("A", "B", "C")]
    assert _blocks(side_by_side(*files, Recipe(groups=(("A", "C"),))).pair) == [("A", "C"), ("B",)]


def _blocks(pair: Pair) -> list[tuple[str, ...]]:
    return [block.names for block in pair.blocks]
