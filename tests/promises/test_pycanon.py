"""The key, diversity and closeness of 50 random files, as pycanon finds them in the written file.

pycanon pins other versions of numpy and pandas than ours, so that it is no dependency of the tests:
`pip install --no-deps pycanon==1.3.6 beartype` adds it, and without it these tests are skipped.
"""

from __future__ import annotations

import random

import pandas as pd
import pytest

from constraint_sdc.data.table import Table, column_of
from constraint_sdc.promises.closeness import count_closeness
from constraint_sdc.promises.diversity import count_diversity
from constraint_sdc.promises.key import count_key
from constraint_sdc.promises.release import Release
from constraint_sdc.settings.protect import ClosenessPromise, DiversityPromise, KeyPromise

pycanon = pytest.importorskip("pycanon.anonymity", reason="pycanon is not installed: see the head of this file")

KEY = ("Age", "Region")


def drawn(seed: int) -> dict[str, list[str]]:
    """Draw the columns of a written file: classes of the key of different sizes, a category and a number.

    Both have at least two values, because pycanon divides by their number less one.
    """
    rng = random.Random(seed)
    classes = [(str(rng.randint(20, 60)), rng.choice("NSEW")) for _ in range(rng.randint(2, 9))]
    rows = [one for one in classes for _ in range(rng.randint(1, 9))]
    rng.shuffle(rows)
    illnesses, incomes = "abcdef"[: rng.randint(2, 6)], [str(n) for n in rng.sample(range(30), rng.randint(2, 12))]
    return {
        "Age": [age for age, _ in rows],
        "Region": [region for _, region in rows],
        "Illness": [*illnesses[:2], *(rng.choice(illnesses) for _ in rows[2:])],
        "Income": [*incomes[:2], *(rng.choice(incomes) for _ in rows[2:])],
    }


@pytest.mark.parametrize("seed", range(50))
def test_pycanon_counts_the_same(seed: int) -> None:
    columns = drawn(seed)
    records = len(columns["Age"])
    table = Table({name: column_of(name, texts) for name, texts in columns.items()}, records)
    release = Release(table, table, 2)
    frame = pd.DataFrame({**columns, "Income": [int(text) for text in columns["Income"]]})

    def diversity(kind: str) -> float | int | str | None:
        return count_diversity(release, DiversityPromise("Illness", 2, kind), KEY).found["l"]  # type: ignore[arg-type]

    def closeness(of: str) -> float | int | str | None:
        return count_closeness(release, ClosenessPromise(of, 0.5), KEY).found["t"]

    assert count_key(release, KeyPromise(KEY, 2)).found["smallest"] == pycanon.k_anonymity(frame, list(KEY))
    assert diversity("distinct") == pycanon.l_diversity(frame, list(KEY), ["Illness"])
    entropy = diversity("entropy")
    assert isinstance(entropy, float)
    whole = pycanon.entropy_l_diversity(frame, list(KEY), ["Illness"])  # rounded down, 1 for 1.9999999999999998
    assert whole in (int(entropy - 1e-9), int(entropy + 1e-9))
    for of in ("Illness", "Income"):
        assert closeness(of) == pytest.approx(pycanon.t_closeness(frame, list(KEY), [of]), abs=1e-9)
