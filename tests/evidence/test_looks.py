"""What columns of real surveys look like: identifiers, codes, years, weights, missing codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.table import column_of
from constraint_sdc.evidence.kinds import ColumnKind
from constraint_sdc.evidence.looks import Looks, looks
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Role, Scale

RNG = np.random.default_rng(2024)
N = 600
TURNOVER = [str(int(amount)) for amount in RNG.lognormal(11, 1.5, N)]
MONEY = [f"{amount:.2f}" for amount in RNG.lognormal(6, 1, N)]
HOURS = [str(hours) for hours in RNG.integers(0, 70, N)]
MEMBERS = RNG.integers(1, 6, 200)


def found(name: str, texts: Sequence[object], *missing: str, is_computed: bool = False) -> Looks:
    column = column_of(name, [None if text is None else str(text) for text in texts])
    return looks(column, missing, is_computed=is_computed)


def codes(*values: object) -> list[object]:
    return [values[i] for i in RNG.integers(0, len(values), N)]


IDENTIFIERS = {
    "person_id": [*range(1, N + 1)],
    "name": [f"Anna-{i} Meyer" for i in range(60)],
    "PersonNr": [f"P{i * 37 % 1000:04d}" for i in range(60)],
    "V1": [f"{i:05d}" for i in RNG.permutation(60)],
    "V2": RNG.permutation(np.arange(5001, 5061)).tolist(),
    "V3": RNG.integers(10**8, 10**9, 60).tolist(),
    "utility_id": np.repeat(RNG.choice(60_000, 50, replace=False), 12).tolist(),
    "e-mail": [f"a{i}@example.org" for i in range(60)],
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_identifiers(name: str) -> None:
    seen = found(name, IDENTIFIERS[name])
    assert (seen.kind, seen.is_certain, seen.role) == (ColumnKind.IDENTIFIER, False, Role.IDENTIFIER)


KINDS = {
    "sex": (codes(1, 2), ColumnKind.CODE, Scale.NOMINAL),
    "relat": (codes(*range(1, 14)), ColumnKind.CODE, Scale.NOMINAL),
    "V4": (codes(1, 2, 3, 4, 5), ColumnKind.ORDINAL_CODE, Scale.ORDINAL),
    "V5": (codes(10, 20, 35, 70), ColumnKind.CODE, Scale.NOMINAL),
    "isco": (codes(*RNG.choice(np.arange(1000, 9999), 100, replace=False)), ColumnKind.CODE, Scale.NOMINAL),
    "year": (codes(*range(1990, 2021)), ColumnKind.YEAR, Scale.NUMERIC),
    "wave": (codes(2020, 2021), ColumnKind.YEAR, Scale.ORDINAL),
    "month": (codes(*range(1, 13)), ColumnKind.MONTH, Scale.ORDINAL),
    "Mois": (codes(1, 4, 7, 10), ColumnKind.MONTH, Scale.ORDINAL),
    "weight": ([f"{w:.2f}" for w in 1 + RNG.gamma(3, 100, N)], ColumnKind.WEIGHT, None),
    "household": (np.repeat(np.arange(200), MEMBERS).tolist(), ColumnKind.HOUSEHOLD_NUMBER, None),
    "hh_no": (np.repeat(np.arange(200), MEMBERS).tolist(), ColumnKind.HOUSEHOLD_NUMBER, None),
    "region": (codes("North", "South"), ColumnKind.CATEGORY, Scale.NOMINAL),
    "zip": (codes("01067", "01069", "04109"), ColumnKind.CATEGORY, Scale.NOMINAL),
    "remarks": ([f"said that number {i} was not at home" for i in range(40)], ColumnKind.FREE_TEXT, None),
    "country": (["DE"] * 20, ColumnKind.CONSTANT, None),
    "V6": (["", None, " "], ColumnKind.EMPTY, None),
    "V7": (["NA"] * 20, ColumnKind.EMPTY, None),
    "ratio": (codes("0.5", "1.0", "1.5"), ColumnKind.MEASUREMENT, Scale.NUMERIC),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_that_are_never_certain(name: str) -> None:
    texts, kind, scale = KINDS[name]
    seen = found(name, texts)
    assert (seen.kind, seen.is_certain, seen.scale) == (kind, False, scale)


@pytest.mark.parametrize(("name", "texts"), [("turnover", TURNOVER), ("V8", MONEY), ("hours", HOURS)])
def test_measurements_are_certain(name: str, texts: list[str]) -> None:
    seen = found(name, texts)
    assert (seen.kind, seen.is_certain) == (ColumnKind.MEASUREMENT, True)
    assert (seen.role, seen.scale, seen.missing) == (Role.CONFIDENTIAL, Scale.NUMERIC, ())


def test_sixty_incomes_that_all_differ_are_no_identifiers() -> None:
    incomes = [str(int(amount)) for amount in np.random.default_rng(1).lognormal(9, 1, 60)]
    assert len(set(incomes)) == 60
    assert found("income", incomes).is_certain


@pytest.mark.parametrize("code", ["n/a", "NA", ".", "N.A.", "k.A.", ".b", "-", "unbekannt", "<NA>"])
@pytest.mark.parametrize("texts", [TURNOVER, MONEY, HOURS])
def test_a_missing_code_in_one_record_takes_the_certainty(texts: list[str], code: str) -> None:
    seen = found("turnover", [*texts[:-1], code])
    assert (seen.kind, seen.is_certain) == (ColumnKind.NUMBERS_WITH_MISSING_CODES, False)
    assert (seen.role, seen.scale, seen.missing) == (Role.CONFIDENTIAL, Scale.NUMERIC, ((code, 1),))


@pytest.mark.parametrize("code", ["-9", "-1", "-99", "99999998", "999999999"])
def test_numbers_apart_from_all_others_may_be_missing_codes(code: str) -> None:
    seen = found("turnover", [*TURNOVER, code, code])
    assert (seen.kind, seen.is_certain) == (ColumnKind.NUMBERS_WITH_MISSING_CODES, False)
    assert seen.missing == ((code, 2),)


def test_a_frequent_number_of_nines_among_others_may_be_a_missing_code() -> None:
    assert max(map(int, TURNOVER)) > 99998
    assert found("turnover", [*TURNOVER, *["99998"] * 20]).missing == (("99998", 20),)
    assert found("turnover", [*TURNOVER, "99998"]).is_certain


def test_a_loss_is_no_missing_code() -> None:
    profits = [str(int(amount)) for amount in RNG.normal(0, 50, N)]
    assert "-9" in profits
    assert found("profit", profits).is_certain


def test_codes_may_have_a_missing_code_too() -> None:
    seen = found("V4", codes(1, 2, 3, 4, 5, 9))
    assert (seen.kind, seen.missing_codes) == (ColumnKind.ORDINAL_CODE, ("9",))
    assert found("region", codes("North", "South", "NA")).missing_codes == ("NA",)


def test_known_missing_codes_are_not_suspicious() -> None:
    assert found("turnover", [*TURNOVER, "n/a", "-9"], "n/a", "-9").is_certain


@pytest.mark.parametrize("strange", ["about 10", "Smith", "12 000 EUR", "007"])
def test_a_text_of_one_record_is_counted_and_not_named(strange: str) -> None:
    seen = found("turnover", [*TURNOVER, strange])
    assert (seen.kind, seen.is_certain, seen.missing) == (ColumnKind.NUMBERS_WITH_MISSING_CODES, False, ())
    assert because("looks-strange-texts", records=1) in seen.evidence


@pytest.mark.parametrize(("text", "records"), [("12,5", 1), ("1.234.567", 2), ("1 234 567,89", 3)])
def test_numbers_in_another_spelling_are_not_missing_codes(text: str, records: int) -> None:
    seen = found("turnover", [*TURNOVER, *[text] * records])
    assert (seen.is_certain, seen.missing) == (False, ())
    assert because("looks-decimal-commas", records=records) in seen.evidence


def test_a_column_of_decimal_commas_is_no_text() -> None:
    seen = found("price", [text.replace(".", ",") for text in MONEY])
    assert (seen.kind, seen.scale, seen.is_certain) == (ColumnKind.NUMBERS_WITH_MISSING_CODES, Scale.NUMERIC, False)


DAYS = [str(np.datetime64("1950-01-01") + int(day)) for day in RNG.integers(0, 20_000, N)]


def test_iso_dates_are_certain_and_other_dates_are_not() -> None:
    written = {
        DateNotation.ISO_DAY: DAYS,
        DateNotation.DAY: [day.replace("-", "") for day in DAYS],
        DateNotation.DAY_FIRST: [day[8:] + day[5:7] + day[:4] for day in DAYS],
        DateNotation.ISO_MONTH: [day[:7] for day in DAYS],
        DateNotation.MONTH: [day[:7].replace("-", "") for day in DAYS],
    }
    for notation, texts in written.items():
        seen = found("V9", texts)
        assert (seen.kind, seen.grid) == (ColumnKind.DATE, notation)
        assert seen.is_certain == (notation is DateNotation.ISO_DAY)


def test_a_date_that_the_calendar_does_not_have_or_a_missing_code_makes_it_uncertain() -> None:
    assert not found("V9", [*DAYS, "2023-02-30"]).is_certain
    coded = found("V9", [*DAYS, "NA"])
    assert (coded.kind, coded.is_certain, coded.missing) == (ColumnKind.DATE, False, (("NA", 1),))


def test_what_rules_compute_with_is_certain_unless_it_is_named_an_identifier_or_has_missing_codes() -> None:
    few = codes(1, 2, 3)
    assert found("V1", few, is_computed=True).is_certain
    assert found("V1", few, is_computed=True).kind is ColumnKind.MEASUREMENT
    assert not found("person_id", few, is_computed=True).is_certain
    assert not found("V1", [*few, "NA"], is_computed=True).is_certain
    assert not found("V1", [*few, "-9"], is_computed=True).is_certain
    assert not found("V1", codes("a", "b"), is_computed=True).is_certain


def test_a_name_takes_certainty_and_never_gives_it() -> None:
    for name in ("industry_code", "Gewicht", "annee", "ISCO", "Kundennummer_id"):
        assert not found(name, MONEY).is_certain
    for name in ("income", "Einkommen", "turnover"):
        assert not found(name, codes(1, 2)).is_certain


def test_others_may_know_an_age() -> None:
    seen = found("Age", [str(age) for age in RNG.integers(0, 98, N)])
    assert (seen.is_certain, seen.role) == (True, Role.CONFIDENTIAL)
    assert because("looks-known-to-others") in seen.evidence


def test_grids() -> None:
    assert found("V8", MONEY).grid == 2
    assert found("turnover", TURNOVER).grid == 0
    assert found("V8", [*MONEY, "3.1415"]).grid is None


def test_the_largest_numbers_cause_no_warning() -> None:
    huge = ["1.7e308", "1e308", *(f"{i}e30{i % 9}" for i in range(1, 80))]
    for name in ("V1", "weight", "person_id"):
        for texts in (huge, ["1" * 300, *huge], [f"-{text}" for text in huge], ["9" * 18, *map(str, range(100))]):
            assert found(name, texts).missing_codes in ((), ("9" * 18,))


def test_two_equal_amounts_side_by_side_are_a_coincidence() -> None:
    amounts = list(dict.fromkeys(TURNOVER))[:120]
    assert found("turnover", [*amounts, amounts[-1]]).is_certain


def test_values_that_rise_with_the_file_are_not_certain() -> None:
    rising = sorted(set(MONEY), key=float)
    assert not found("V8", rising).is_certain
    assert not found("V8", rising[::-1]).is_certain
