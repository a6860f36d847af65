"""Distinct texts of a column against a dictionary of Python strings, and how long they are remembered."""

from __future__ import annotations

import gc
import random

import numpy as np

from constraint_sdc.data.codes import code_values
from constraint_sdc.data.table import column_of
from constraint_sdc.evaluate import distinct_texts as room
from constraint_sdc.evaluate.distinct_texts import codes_of_values, distinct_texts, takes_rows
from constraint_sdc.evaluate.lexical import as_double

TEXTS = (
    *("", " ", "5", "5 ", "\t5", "05", "5.0", "-0", "+7", ".5", "1e3", "NaN", "INF", "-INF", "I", "N", "x5", "é 5"),
    *("12345678901234567890", "0.1234567890123456789"),
)


def drawn(seed: int) -> list[str | None]:
    rng = random.Random(seed)
    return [rng.choice((*TEXTS, None)) for _ in range(rng.randint(0, 200))]


def numbered(texts: list[str]) -> tuple[list[str], list[int]]:
    places: dict[str, int] = {}
    codes = [places.setdefault(text, len(places)) for text in texts]
    return list(places), codes


def test_texts_and_codes_are_those_of_a_dictionary() -> None:
    for seed in range(60):
        values = drawn(seed)
        found = distinct_texts(column := column_of("V", values))
        assert (found.texts.strings, found.codes.tolist()) == numbered([text or "" for text in values])
        stripped = found.stripped
        assert (stripped.texts.strings, stripped.codes.tolist()) == numbered(
            [(text or "").strip(" \t\r\n") for text in values]
        )
        assert codes_of_values(column).tolist() == code_values(column).codes.tolist()


def test_numbers_are_those_that_xpath_reads_one_by_one() -> None:
    found = distinct_texts(column_of("V", TEXTS))
    expected = [as_double(text.encode()) for text in found.texts.strings]
    np.testing.assert_array_equal(found.numbers, [np.nan if one is None else one for one in expected])


def test_they_are_found_once_and_forgotten_with_the_column() -> None:
    column = column_of("V", ["1", "2"])
    before = len(room._KNOWN)
    assert distinct_texts(column) is distinct_texts(column)
    assert distinct_texts(column_of("V", ["1", "2"])) is not distinct_texts(column)
    del column
    gc.collect()
    assert len(room._KNOWN) <= before


def test_a_column_of_rows_has_the_texts_that_a_reading_of_it_finds() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        source = column_of("V", [*drawn(seed), "5"])
        rows = rng.integers(0, len(source), rng.integers(0, 50))
        known, read = source.take(rows), source.take(rows)
        takes_rows(known, source, rows)
        found, expected = distinct_texts(known), distinct_texts(read)
        assert (found.texts.strings, found.codes.tolist()) == (expected.texts.strings, expected.codes.tolist())
        assert found.stripped.texts.strings == expected.stripped.texts.strings
        assert np.array_equal(found.numbers, expected.numbers, equal_nan=True)


def test_a_column_of_rows_that_is_gone_is_forgotten() -> None:
    source = column_of("V", ["1", "2"])
    column = source.take(np.array([1, 1]))
    takes_rows(column, source, np.array([1, 1]))
    place = id(column)
    assert place in room._BY_ROWS
    del column
    gc.collect()
    assert place not in room._BY_ROWS
