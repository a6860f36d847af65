"""Codes of equal values against Python's own dictionary, on texts that are hard to tell apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data import codes as coding
from constraint_sdc.data.codes import code_integers, code_texts, code_values, join_codes
from constraint_sdc.data.table import Column, column_of
from constraint_sdc.data.text import Text
from constraint_sdc.data.windows import windows
from tests.draws import draws

ODD = [
    "",
    "0",
    "00",
    "1",
    "1.0",
    "1 ",
    " 1",
    "\u0661",
    "ü",
    "u\u0308",
    "12345678",
    "123456789",
    "12345678\t",
    "9" * 200,
]
# One byte more or less, at the ends of words and after the last word that is part of the key.
LONG = [letter * length for letter in "ab" for length in (7, 8, 9, 16, 17, 127, 128, 129, 136, 300)]
TEXTS = st.one_of(st.sampled_from(ODD + LONG), st.text("ab1.", max_size=20))


@pytest.fixture(params=["by order", "by table", "by sorting"], autouse=True, scope="module")
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Code few keys as many are coded, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "_MANY", 10**9 if request.param == "by order" else 0)
        patch.setattr(coding, "_HARDLY_REPEAT", -1.0 if request.param == "by sorting" else 2.0)
        yield


def by_dictionary(values: list[object]) -> tuple[list[int], list[int]]:
    """Return the codes in the order of appearance, and the first place of each: slow and obvious."""
    known: dict[object, int] = {}
    codes = [known.setdefault(value, len(known)) for value in values]
    return codes, [codes.index(code) for code in range(len(known))]


@settings(max_examples=draws(60))
@given(st.lists(TEXTS, max_size=40))
def test_texts_have_the_same_code_if_and_only_if_they_are_the_same(texts: list[str]) -> None:
    found = code_texts(Text.of_strings(texts))
    assert (found.codes.tolist(), found.first.tolist()) == by_dictionary(list(texts))


@settings(max_examples=draws(30))
@given(st.lists(TEXTS, min_size=1, max_size=40))
def test_keys_that_coincide_do_not_merge_texts(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "_FACTOR", np.uint64(0))
        found = code_texts(Text.of_strings(texts))
    assert found.codes.tolist() == by_dictionary(list(texts))[0]


@settings(max_examples=draws(60))
@given(st.lists(st.tuples(st.one_of(st.none(), TEXTS), st.booleans()), max_size=40))
def test_absent_empty_and_nil_are_values_of_their_own(cells: list[tuple[str | None, bool]]) -> None:
    column = column_of("V1", [text for text, _ in cells], [nil for _, nil in cells])
    found = code_values(column)
    seen: list[object] = list(zip(column.state.tolist(), column.texts(), strict=True))
    assert (found.codes.tolist(), found.first.tolist()) == by_dictionary(seen)


def test_a_value_without_text_is_not_an_empty_element() -> None:
    nowhere = np.zeros(2, np.int64)
    column = Column("V1", np.zeros(1, np.uint8), nowhere, nowhere, np.array([0, 2], np.uint8))
    assert code_values(column).codes.tolist() == [0, 1]


@settings(max_examples=draws(60))
@given(st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 2**20, 2**40, 2**62 - 1])] * 4), max_size=30))
def test_combinations_have_the_same_code_if_and_only_if_they_are_the_same(rows: list[tuple[int, ...]]) -> None:
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    compact = [np.unique(column, return_inverse=True)[1].astype(np.int64) for column in columns]
    assert join_codes(compact, len(rows)).tolist() == by_dictionary(list(rows))[0]
    if columns:
        assert code_integers(columns[0]).codes.tolist() == by_dictionary([row[0] for row in rows])[0]


@pytest.mark.parametrize("different", [50, 5_000, 10**15])
def test_sorting_and_the_hash_table_find_the_same_codes(different: int) -> None:
    keys = np.random.default_rng(different).integers(0, different, 60_000)
    found, count = coding.sorted_codes(keys)
    by_table, as_many = coding._table_codes(keys)
    assert (found.tolist(), count) == (by_table.tolist(), as_many)
    by_dictionary = {key: place for place, key in enumerate(dict.fromkeys(keys.tolist()))}
    assert found[:500].tolist() == [by_dictionary[key] for key in keys[:500].tolist()]


def test_long_texts_are_compared_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["123456789", "1234567890", "123456789", "x", "1234567890"]
    monkeypatch.setattr(coding, "_AT_A_TIME", 2)
    assert code_texts(Text.of_strings(texts)).codes.tolist() == [0, 1, 0, 2, 1]
    monkeypatch.setattr(coding, "text_keys", lambda given: np.zeros(len(given), np.uint64))
    assert code_texts(Text.of_strings(texts)).codes.tolist() == [0, 1, 0, 2, 1]


def test_many_columns_do_not_overflow() -> None:
    count = 1000
    columns = [np.random.default_rng(n).permutation(count).astype(np.int64) for n in range(12)]
    doubled = [np.concatenate([column, column]) for column in columns]
    assert join_codes(doubled, 2 * count).tolist() == [*range(count), *range(count)]


def test_without_a_column_all_records_are_alike() -> None:
    assert join_codes([], 3).tolist() == [0, 0, 0]


@pytest.mark.parametrize("repeats", [1, 4])
def test_combinations_of_many_columns_have_equal_keys_if_and_only_if_they_are_equal(
    repeats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The product of the columns' sizes does not fit into an integer, so combinations are numbered on the way."""
    rng = np.random.default_rng(7)
    rows = np.tile(rng.integers(0, 2**20, (60_000 // repeats, 5)), (repeats, 1))
    rows[100:200] = rows[:100]
    monkeypatch.setattr(coding, "windows", lambda count: windows(count, 1_000))
    keys = coding.join_keys(iter(rows.T), len(rows))
    expected = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    assert len(set(zip(keys.tolist(), expected.tolist(), strict=True))) == len(set(keys.tolist())) == expected.max() + 1
