"""The domain is a set of texts: same members as Python's, whatever the texts look like."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.table import column_of
from constraint_sdc.evaluate.domain import Domain

DIGITS = st.text("0123456789.-+eE", max_size=17)
TEXTS = st.one_of(
    st.integers(0, 30).map(str),
    DIGITS,
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6),
    st.integers(0, 40).map(lambda n: "x" * n),
)
COLUMNS = st.lists(st.lists(st.none() | TEXTS, max_size=30), max_size=4)


@settings(deadline=None)
@given(columns=COLUMNS, asked=st.lists(st.none() | TEXTS, max_size=40))
def test_a_domain_has_the_members_of_a_set(columns: list[list[str | None]], asked: list[str | None]) -> None:
    domain = Domain.of(column_of("V1", values) for values in columns)
    members = {value for values in columns for value in values if value is not None}
    questions = [*asked, *members]
    assert domain.contains(column_of("V1", questions)).tolist() == [value in members for value in questions]
    assert len(domain) == len(members)
    assert sorted(domain.texts()) == sorted(members)


def test_texts_that_are_equal_as_numbers_stay_apart() -> None:
    domain = Domain.of([column_of("V1", ["1", "1234567890.50"])])
    asked = ["1", "1.0", "01", " 1", "1234567890.50", "1234567890.5", "1234567890.500"]
    assert domain.contains(column_of("V1", asked)).tolist() == [True, False, False, False, True, False, False]


def test_an_empty_value_is_a_member_and_an_absent_one_is_not() -> None:
    domain = Domain.of([column_of("V1", ["", None])])
    assert domain.contains(column_of("V1", ["", None])).tolist() == [True, False]
    assert len(domain) == 1


def test_many_chunks_merge_into_one_domain() -> None:
    chunks = [
        column_of("V1", [f"{n * 7919 % 1000003}" for n in range(k, k + 50_000)]) for k in range(0, 200_000, 50_000)
    ]
    domain = Domain.of(chunks)
    assert len(domain) == 200_000
    assert all(domain.contains(chunk).all() for chunk in chunks)
    assert not domain.contains(column_of("V1", ["1000003", "-1", "x"])).any()


def test_a_domain_may_grow_after_it_was_asked() -> None:
    domain = Domain()
    asked = column_of("V1", ["a", "b"])
    assert domain.contains(asked).tolist() == [False, False]
    domain.add(column_of("V1", ["b"]))
    assert domain.contains(asked).tolist() == [False, True]
