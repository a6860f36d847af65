"""Tables of categories and their entropy, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from scipy.stats import entropy as scipy_entropy

from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.utility.entropy import CategoryEntropy, entropy, entropy_loss, mutual_information
from constraint_sdc.measures.utility.tables import MOST_PAIRS, TableLoss, table_distance
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared


def drawn(seed: int, records: int = 300, variables: int = 3) -> Pair:
    """Return categories of which some records took another value; the last variable is kept."""
    random = np.random.default_rng(seed)
    found = []
    for j in range(variables):
        before = random.integers(0, 3 + j, records).astype(float)
        after = np.where(random.random(records) < 0.2, random.integers(0, 3 + j, records), before)
        is_kept = j == variables - 1
        found.append(
            compared(f"C{j}", before, before if is_kept else after, scale=Scale.NOMINAL, is_masked=not is_kept)
        )
    return Pair(tuple(found), ())


@pytest.mark.parametrize("seed", range(20))
def test_the_chi_square_distance_is_that_of_scipy(seed: int) -> None:
    random = np.random.default_rng(seed)
    before = random.multinomial(500, random.dirichlet(np.ones(6)))
    after = random.multinomial(500, random.dirichlet(np.ones(6)))
    filled = before + after > 0
    statistic = chi2_contingency([before[filled], after[filled]], correction=False).statistic
    found = table_distance(("C",), before, after)
    assert found.chi_square == pytest.approx(100 * np.sqrt(statistic / 1000))
    assert found.moved == pytest.approx(100 * (1 - np.minimum(before, after).sum() / 500))


def test_margins_that_agree_hide_cells_that_moved() -> None:
    """Every one-way table is the same; in the two-way table every record left its cell."""
    a, b = np.array([0.0, 0, 1, 1]), np.array([0.0, 0, 1, 1])
    pair = Pair((compared("A", a, a, scale=Scale.NOMINAL), compared("B", b, 1 - b, scale=Scale.NOMINAL)), ())
    found = TableLoss().measure(pair)
    assert (found.value("one-way"), found.value("two-way")) == (0.0, 100.0)
    assert found.value("two-way-chi-square") == pytest.approx(100.0)


def test_tables_are_of_masked_categories_and_their_pairs() -> None:
    found = TableLoss().measure(drawn(1))
    assert [row[0] for row in found.tables[0].rows] == ["C0", "C1", "C0 x C1", "C0 x C2", "C1 x C2"]
    many = TableLoss().measure(drawn(2, 30, 14))
    assert many.value("tables") == 13 + MOST_PAIRS
    assert [note.code for note in many.notes] == ["first-pairs-only"]


def test_numbers_have_no_tables() -> None:
    pair = Pair((compared("V", [1.0, 2.0], [1.5, 1.5]),), ())
    for measure in (TableLoss(), CategoryEntropy()):
        found = measure.measure(pair)
        assert found.figures[0].value is None
        assert str(found.says) == "not-defined(why=no-masked-category)"


@pytest.mark.parametrize("seed", range(20))
def test_entropies_are_those_of_scipy(seed: int) -> None:
    pair = drawn(seed)
    for variable in pair.variables:
        counts = np.bincount(variable.original_code)
        assert entropy(counts) == pytest.approx(scipy_entropy(counts, base=2))
    joint = np.zeros((9, 9))
    one, other = pair["C0"].original_code, pair["C1"].original_code
    np.add.at(joint, (one, other), 1)
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    told = scipy_entropy(joint.reshape(-1), apart.reshape(-1), base=2)
    assert mutual_information(one, other) == pytest.approx(told, abs=1e-12)


def test_the_loss_is_what_the_masked_category_does_not_tell() -> None:
    before = np.array([0.0, 1, 2, 3] * 10)
    renamed = entropy_loss(compared("C", before, 3 - before, scale=Scale.NOMINAL))
    assert renamed.lost == pytest.approx(0.0, abs=1e-9)  # another name for the same category loses nothing
    halved = entropy_loss(compared("C", before, before // 2, scale=Scale.NOMINAL))
    assert (halved.before, halved.after, halved.lost) == (2.0, 1.0, 50.0)
    gone = entropy_loss(compared("C", before, np.zeros(40), scale=Scale.NOMINAL))
    assert gone.lost == 100.0


def test_a_constant_category_has_nothing_to_lose() -> None:
    found = CategoryEntropy().measure(Pair((compared("C", np.ones(5), np.ones(5), scale=Scale.NOMINAL),), ()))
    assert str(found.says) == "not-defined(why=categories-constant)"
