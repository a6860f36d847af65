"""Linkage inside the transparency sets: the definition pair by pair, and knowing more never links less."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.pair import MaskedTogether, Pair
from constraint_sdc.measures.attacks import transparency_linkage
from constraint_sdc.measures.attacks.transparency import KNOWLEDGE, Transparency
from constraint_sdc.measures.attacks.transparency_linkage import TransparencyLinkage
from constraint_sdc.measures.attacks.transparency_reach import Knowledge, uses_of
from constraint_sdc.measures.points import place
from constraint_sdc.measures.risk.distance_linkage import DistanceLinkage
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, group_means, pair_of

MEAN = ArithmeticMean.name


def slow(pair: Pair, knowledge: Knowledge | None) -> float:
    """The expected share of right links: candidates pair by pair, the nearest of them, ties shared."""
    uses = [] if knowledge is None else list(uses_of(pair, knowledge))
    reaches = [use.reach for use in uses if use.reach is not None]
    places = [place(pair[name]) for name in pair.known]
    total = 0.0
    for x in range(len(pair)):
        apart = {
            y: math.sqrt(sum(((p.original[x] - p.masked[y]) ** 2).sum() for p in places))
            for y in range(len(pair))
            if all(r.low_y[y] <= r.high_x[x] and r.low_x[x] <= r.high_y[y] for r in reaches)
        }
        tied = [y for y, each in apart.items() if each <= min(apart.values()) * (1 + 1e-9)]
        total += (x in tied) / len(tied)
    return 100.0 * total / len(pair)


def ranked(values: np.ndarray, k: int) -> np.ndarray:
    """Every variable masked alone, in groups of k consecutive values."""
    masked = np.empty_like(values)
    for j, column in enumerate(values.T):
        label = np.empty(len(column), np.int64)
        label[np.argsort(column, kind="stable")] = np.minimum(np.arange(len(column)) // k, len(column) // k - 1)
        masked[:, j] = group_means(column[:, None], label)[:, 0]
    return masked


def pair_masked_alone(values: np.ndarray, k: int) -> Pair:
    names = [f"V{j + 1}" for j in range(values.shape[1])]
    blocks = [MaskedTogether((name,), "individual-ranking", {name: MEAN}) for name in names]
    return pair_of(values, ranked(values, k), names, blocks=blocks, k=k)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 3), st.booleans())
def test_it_is_the_definition_and_knowing_more_never_links_less(seed: int, k: int, width: int, has_ties: bool) -> None:
    draw = np.random.default_rng(seed)
    values = draw.integers(1, 9, (20, width)).astype(float) if has_ties else draw.lognormal(0, 2, (20, width))
    pair = pair_masked_alone(values, k)
    found = TransparencyLinkage().measure(pair)
    published, rerun, alone = (found.value(name) or 0.0 for name in ("linked", "linked-rerun", "unrestricted"))
    assert [published, rerun, alone] == pytest.approx([slow(pair, each) for each in (*KNOWLEDGE, None)])
    assert alone - 1e-9 <= published <= rerun + 1e-9
    assert published >= (Transparency("published").measure(pair).value("certain-links-published") or 0.0) - 1e-9


def test_blocks_categories_and_blanks_are_linked_as_defined() -> None:
    draw = np.random.default_rng(3)
    values = draw.lognormal(0, 1, (18, 2))
    masked = group_means(values, np.arange(18) // 3)
    blanks = np.where(np.arange(18) % 6 == 0, np.nan, values[:, 0])
    variables = (
        compared("V1", values[:, 0], masked[:, 0]),
        compared("V2", values[:, 1], masked[:, 1]),
        compared("Town", np.arange(18) % 3, draw.integers(0, 3, 18), scale=Scale.NOMINAL),
        compared("Kind", np.arange(18) % 2, np.arange(18) % 2, scale=Scale.NOMINAL, is_masked=False),
        compared("Part", blanks, np.where(np.isnan(blanks), np.nan, 1.0)),
    )
    names = tuple(v.name for v in variables)
    pair = Pair(variables, names, (MaskedTogether(("V1", "V2"), "mdav", {"V1": MEAN, "V2": MEAN}),), 3)
    found = TransparencyLinkage().measure(pair)
    for name, knowledge in (("linked", "published"), ("linked-rerun", "rerun"), ("unrestricted", None)):
        assert found.value(name) == pytest.approx(slow(pair, knowledge))  # type: ignore[arg-type]
    assert found.value("unrestricted") == pytest.approx(DistanceLinkage().measure(pair).value("reverse"))


def test_the_size_of_the_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = pair_masked_alone(np.random.default_rng(5).lognormal(0, 1, (40, 2)), 3)
    whole = TransparencyLinkage().measure(pair)
    monkeypatch.setattr(transparency_linkage, "_PAIRS", 90)
    assert TransparencyLinkage().measure(pair) == whole


def test_the_method_helps_where_distances_mislead() -> None:
    values = np.random.default_rng(6).lognormal(0, 1, (200, 4))
    found = TransparencyLinkage().measure(pair_masked_alone(values, 25))
    assert (found.value("linked") or 0) > (found.value("unrestricted") or 0) + 5
    assert f"{found.value('linked'):.2f}% of 200 records" in worded(found.says)


def test_a_sample_is_drawn_by_the_seed_and_linked_to_every_masked_record() -> None:
    pair = pair_masked_alone(np.random.default_rng(7).lognormal(0, 1, (60, 2)), 3)
    found = TransparencyLinkage(records=20, seed=2).measure(pair)
    assert found == TransparencyLinkage(records=20, seed=2).measure(pair)
    assert found.value("records") == 20
    assert "20 of 60 originals were drawn" in " ".join(sentences(found.notes))
    whole = [TransparencyLinkage(records=20, seed=s).measure(pair).value("linked") or 0 for s in range(30)]
    assert np.mean(whole) == pytest.approx(slow(pair, "published"), abs=6)


def test_without_knowledge_or_records_nothing_is_measured() -> None:
    empty = Pair((compared("V1", [1.0], [1.0]),), ())
    assert TransparencyLinkage().measure(empty).figures[0].value is None
    none = Pair((compared("V1", [], []),), ("V1",))
    assert TransparencyLinkage().measure(none).figures[0].value is None
