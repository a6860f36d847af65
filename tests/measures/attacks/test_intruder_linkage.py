"""Linkage of an intruder's own file: the definition record by record, strangers, blanks and unknown values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.intruder import NOBODY, IntruderFile
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.attacks.intruder_linkage import IntruderLinkage
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, group_means, pair_of


def slow(pair: Pair, file: IntruderFile) -> tuple[float, float, int]:
    """Right links, false links and records not linked, by all pairs of records."""
    right, false, idle = 0.0, 0.0, 0
    for i in range(len(file)):
        apart = []
        for y in range(len(pair)):
            total = 0.0
            for name, values in file.values.items():
                if np.isnan(values[i]):
                    continue
                masked = pair[name].masked
                if pair[name].scale is Scale.NOMINAL:
                    total += pair[name].masked_code[y] != values[i]
                    continue
                is_blank = np.isnan(masked[y])  # at the mean, and one unit away
                there = np.nanmean(masked) if is_blank else masked[y]
                total += ((there - values[i]) / (np.nanstd(masked) or 1.0)) ** 2 + is_blank
            apart.append(math.sqrt(total))
        if all(np.isnan(values[i]) for values in file.values.values()):
            idle += 1
            continue
        tied = [y for y, each in enumerate(apart) if each <= min(apart) * (1 + 1e-9)]
        share = (file.own[i] in tied) / len(tied) if file.own[i] != NOBODY else 0.0
        right, false = right + share, false + 1 - share
    return right, false, idle


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 3), st.floats(0, 0.6), st.booleans())
def test_links_are_those_of_all_pairs(seed: int, records: int, width: int, blank: float, has_ties: bool) -> None:
    draw = np.random.default_rng(seed)
    values = draw.integers(1, 6, (18, width)).astype(float) if has_ties else draw.lognormal(0, 1, (18, width))
    pair = pair_of(values, group_means(values, np.arange(18) // 3))
    own = draw.integers(NOBODY, 18, records)
    theirs = values[own] * draw.choice([1.0, 1.02], (records, width))
    theirs[draw.random((records, width)) < blank] = np.nan
    file = IntruderFile({f"V{j + 1}": theirs[:, j] for j in range(width)}, own)
    found = IntruderLinkage(file).measure(pair)
    if np.isnan(theirs).all():
        assert found.figures[0].value is None
        return
    right, false, idle = slow(pair, file)
    assert [found.value("right"), found.value("false")] == pytest.approx([right, false])
    assert found.value("not-linked") == idle
    assert found.value("linked") == pytest.approx(100 * right / records)
    present = int((own != NOBODY).sum())
    assert found.value("found") == (pytest.approx(100 * right / present) if present else None)


def test_categories_and_blanks_of_the_release() -> None:
    variables = (
        compared("Town", [0, 1, 2, 0], [0, 1, 1, 2], scale=Scale.NOMINAL),
        compared("Pay", [1, 2, 3, 4], [1.5, 1.5, 3.5, np.nan]),
    )
    pair = Pair(variables, ("Town", "Pay"))
    town, pay = np.array([1.0, 9.0, np.nan, 1.0]), np.array([1.4, 3.6, 3.5, np.nan])
    file = IntruderFile({"Town": town, "Pay": pay}, np.array([1, 2, 3, NOBODY]))
    right, false, idle = slow(pair, file)
    found = IntruderLinkage(file).measure(pair)
    assert [found.value("right"), found.value("false"), idle] == pytest.approx([right, false, 0])
    assert found.value("unique") == 3  # the stranger knows a town that two have


def test_strangers_alone_are_false_links_not_missing_ones() -> None:
    pair = pair_of(np.arange(6.0)[:, None], np.arange(6.0)[:, None])
    found = IntruderLinkage(IntruderFile({"V1": np.array([1.0, 2.0])}, np.full(2, NOBODY))).measure(pair)
    assert (found.value("linked"), found.value("false"), found.value("found")) == (0.0, 2.0, None)
    assert "No record of the intruder's file is in the release: every link is false." in sentences(found.notes)
    assert "not in the release, hence linked falsely: 2." in worded(found.says)


@pytest.mark.parametrize("file", [None, IntruderFile({"V1": np.array([np.nan])}, np.array([0]))])
def test_what_cannot_be_run_is_not_nought(file: IntruderFile | None) -> None:
    found = IntruderLinkage(file).measure(pair_of(np.arange(6.0)[:, None], np.arange(6.0)[:, None]))
    assert found.figures[0].value is None
    assert worded(found.says).startswith("Not measured")


def test_an_exact_copy_of_an_unmasked_file_is_found_whole() -> None:
    values = np.random.default_rng(1).lognormal(0, 1, (20, 2))
    file = IntruderFile({"V1": values[::2, 0], "V2": values[::2, 1]}, np.arange(0, 20, 2))
    found = IntruderLinkage(file).measure(pair_of(values, values))
    assert (found.value("linked"), found.value("found"), found.value("sure")) == (100, 100, 100)
    assert found.value("chance") == pytest.approx(5)
