"""The key, diversity and closeness of 50 random tables and the key of 50 published files, as pycanon finds them.

pycanon pins other versions of numpy and pandas than ours; `make setup` installs it without its dependencies
(`oracles.txt`), and what it imports of them is ours.

Two differences are its own. It divides by the number of different values less one, so that a number with one value is
an error: every variable has at least two here. And it rounds the entropy down: two equally frequent values, of which
the entropy is exactly log 2, are 1 to it, because exp(log 2) is 1.9999999999999998 in double arithmetic.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas as pd
import pytest
from pycanon import anonymity as pycanon

from constraint_sdc.data.table import Table, column_of
from constraint_sdc.promises.closeness import count_closeness
from constraint_sdc.promises.diversity import count_diversity
from constraint_sdc.promises.key import count_key
from constraint_sdc.promises.release import Release
from constraint_sdc.settings.protect import ClosenessPromise, DiversityPromise, KeyPromise
from tests.maskers.extract import columns as rows_of
from tests.maskers.extract import extract

KEY = ("Age", "Region")


def drawn(seed: int) -> dict[str, list[str]]:
    """Draw the columns of a written file: classes of the key of different sizes, a category and a number.

    Both have at least two values.
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


@pytest.mark.parametrize("seed", range(50))
def test_pycanon_counts_the_key_of_a_published_file(seed: int, tmp_path: Path) -> None:
    """A number and two categories of the key, one of them kept, beside a number in a block of its own."""
    rng = random.Random(seed)
    k, records = rng.randint(2, 5), rng.randint(24, 40)
    rows = rows_of(
        Age=[rng.randint(20, 60) for _ in range(records)],
        Sex=["f", "m"] * k + [rng.choice("fm") for _ in range(records - 2 * k)],
        Region=[rng.choice("NSEW") for _ in range(records)],
        Income=[rng.randint(100, 90_000) for _ in range(records)],
    )
    key = ["Age", "Region", "Sex"]
    roles = {"Age": "quasi-identifier", "Region": "quasi-identifier", "Sex": "untouched"}
    recipe = {"protect": {"key": {"variables": key}}, "variables": {name: {"role": roles[name]} for name in key}}
    given = extract(tmp_path, rows, None, json.dumps(recipe))
    said = next(one for one in given.mask(k).people if one.promise == "key")
    found = pycanon.k_anonymity(pd.read_xml(given.output, xpath="//Record", dtype=str), key)
    assert found >= k
    assert said.found["smallest"] == found
