"""Profiles: distinct texts and counts against Python's own, whatever the length of the texts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from constraint_sdc.data.table import column_of
from constraint_sdc.evidence.names import NameHint, name_hints
from constraint_sdc.evidence.profile import Profile, profile_of

RNG = np.random.default_rng(5)


def counted(profile: Profile) -> dict[str, int]:
    return dict(zip(profile.distinct.strings, profile.counts.tolist(), strict=True))


@pytest.mark.parametrize("longest", [1, 8, 9, 16, 40, 300])
def test_distinct_texts_and_their_counts(longest: int) -> None:
    letters = np.array(list("ab ü7"))
    texts = ["".join(RNG.choice(letters, int(RNG.integers(0, longest + 1)))) for _ in range(400)]
    profile = profile_of(column_of("V1", texts), ["a"])
    expected = Counter(text.strip(" ") for text in texts)
    assert counted(profile) == {text: n for text, n in expected.items() if text not in ("", "a")}
    strings = profile.distinct.strings
    in_order = [text.strip(" ") for text in texts if text.strip(" ") not in ("", "a")]
    assert [strings[code] for code in profile.codes] == in_order


def test_texts_that_differ_after_many_words_are_different() -> None:
    texts = ["x" * 500 + end for end in ("1", "2", "1")]
    assert counted(profile_of(column_of("V1", texts))) == dict(Counter(texts))


def test_records_without_a_value() -> None:
    profile = profile_of(column_of("V1", [None, "", " \t", "NaN", "INF", "3"]))
    assert (profile.values, counted(profile)) == (1, {"3": 1})


def test_without_some_texts() -> None:
    profile = profile_of(column_of("V1", ["1", "2", "3", "2", "1"]))
    rest = profile.without(np.isin(profile.numbers, [2.0]))
    assert (counted(rest), rest.in_order.tolist()) == ({"1": 2, "3": 1}, [1.0, 3.0, 1.0])


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("PERSON_ID", NameHint.IDENTIFIER),
        ("{urn:example}idNr", NameHint.IDENTIFIER),
        ("@key", NameHint.IDENTIFIER),
        ("nom_de_famille", NameHint.HOUSEHOLD),
        ("año", NameHint.YEAR),
        ("Geburtsjahr", NameHint.YEAR),
        ("codigoPostal", NameHint.CODE),
        ("fnlwgt", NameHint.WEIGHT),
    ],
)
def test_names_in_several_languages(name: str, hint: NameHint) -> None:
    assert hint in name_hints(name)


@pytest.mark.parametrize(
    "name", ["paid", "valid", "number_of_children", "account_balance", "land_value", "V1", "Idaho"]
)
def test_names_that_suggest_neither_an_identifier_nor_a_code(name: str) -> None:
    assert not name_hints(name) & {NameHint.IDENTIFIER, NameHint.CODE}
