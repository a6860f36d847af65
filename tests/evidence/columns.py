"""Random columns of a known kind, in the order of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Floats, Integers

Rng: TypeAlias = np.random.Generator
Drawn: TypeAlias = tuple[str, list[str]]
"""A name that says nothing, unless the kind needs one, and the texts."""


def whole(numbers: Floats | Integers) -> list[str]:
    return [str(int(number)) for number in np.rint(numbers)]


def fixed(numbers: Floats, decimals: int) -> list[str]:
    return [f"{number:.{decimals}f}" for number in numbers]


def size(rng: Rng) -> int:
    return int(rng.integers(60, 1500))


# Measurements without anything strange: amounts, rates, ages.


def amounts(rng: Rng) -> Drawn:
    drawn = rng.lognormal(rng.uniform(7, 11), rng.uniform(0.7, 1.8), size(rng))
    return "V1", whole(drawn)


def rounded_amounts(rng: Rng) -> Drawn:
    drawn = rng.lognormal(rng.uniform(8, 11), rng.uniform(0.6, 1.2), size(rng))
    return "V1", whole(np.where(rng.random(len(drawn)) < 0.5, np.round(drawn, -2), drawn))


def amounts_with_zeros(rng: Rng) -> Drawn:
    drawn = rng.lognormal(rng.uniform(6, 9), 1.2, size(rng))
    return "V1", whole(np.where(rng.random(len(drawn)) < rng.uniform(0.1, 0.6), 0, drawn))


def mostly_rounded_amounts(rng: Rng) -> Drawn:
    """Amounts of which many are rounded, some of them to thousands."""
    drawn = rng.lognormal(rng.uniform(9, 11), rng.uniform(0.5, 1.0), 2 * size(rng))
    coarse = np.where(rng.random(len(drawn)) < 0.3, np.round(drawn, -3), np.round(drawn, -2))
    return "V1", whole(np.where(rng.random(len(drawn)) < 0.6, coarse, drawn))


def money(rng: Rng) -> Drawn:
    return "V1", fixed(rng.lognormal(rng.uniform(2, 9), rng.uniform(0.3, 1.5), size(rng)), 2)


def profits(rng: Rng) -> Drawn:
    return "V1", whole(rng.normal(0, 10 ** rng.uniform(3, 6), size(rng)))


def rates(rng: Rng) -> Drawn:
    return "V1", fixed(rng.beta(2, 5, size(rng)), int(rng.integers(3, 7)))


def doubles(rng: Rng) -> Drawn:
    return "V1", [repr(float(number)) for number in rng.gamma(2, 1000, size(rng))]


def quotients(rng: Rng) -> Drawn:
    return "V1", [repr(float(number)) for number in 1 / rng.integers(300, 900, size(rng) + 1500)]


def ages(rng: Rng) -> Drawn:
    return "V1", whole(rng.integers(0, 98, size(rng) + 200))


MEASUREMENTS: tuple[Callable[[Rng], Drawn], ...] = (
    amounts,
    rounded_amounts,
    mostly_rounded_amounts,
    amounts_with_zeros,
    money,
    profits,
    rates,
    doubles,
    quotients,
    ages,
)


# What is never certain.


def running_numbers(rng: Rng) -> Drawn:
    n = size(rng)
    numbers = np.arange(n) + int(rng.integers(0, 100_000))
    return "V1", whole(rng.permutation(numbers) if rng.random() < 0.5 else numbers)


def rising_numbers(rng: Rng) -> Drawn:
    return "V1", whole(np.cumsum(rng.integers(1, 50, size(rng))))


def long_numbers(rng: Rng) -> Drawn:
    digits = int(rng.integers(6, 13))
    return "V1", whole(rng.integers(10 ** (digits - 1), 10**digits, size(rng)))


def named_numbers(rng: Rng) -> Drawn:
    name = str(rng.choice(["person_id", "PersonNr", "Laufnummer", "caseid", "idno", "numero", "utility_id"]))
    return name, whole(rng.lognormal(8, 1, size(rng)))


def key_texts(rng: Rng) -> Drawn:
    return "V1", [f"{letter}{number}" for letter, number in zip("ABCDE" * 400, range(size(rng)), strict=False)]


def zero_texts(rng: Rng) -> Drawn:
    return "V1", [f"{number:07d}" for number in rng.integers(0, 10**6, size(rng))]


def household_numbers(rng: Rng) -> Drawn:
    members = rng.integers(1, 6, size(rng))
    numbers = (
        np.cumsum(rng.integers(1, 4, len(members))) if rng.random() < 0.5 else rng.permutation(9999)[: len(members)]
    )
    return "V1", whole(np.repeat(numbers, members))


def scattered_households(rng: Rng) -> Drawn:
    """Household numbers whose records are not side by side."""
    members = rng.choice([1, 2, 3, 4, 5], size(rng), p=[0.35, 0.3, 0.15, 0.15, 0.05])
    return "V1", whole(rng.permutation(np.repeat(rng.permutation(99_999)[: len(members)], members)))


def panel_units(rng: Rng) -> Drawn:
    units = rng.choice(60_000, int(rng.integers(40, 120)), replace=False)
    return "V1", whole(rng.permutation(np.repeat(units, 12)))


def small_codes(rng: Rng) -> Drawn:
    codes = rng.choice(100, int(rng.integers(2, 30)), replace=False)
    return "V1", whole(rng.choice(codes, size(rng) + 60))


def ordered_codes(rng: Rng) -> Drawn:
    return "V1", whole(rng.integers(int(rng.integers(0, 2)), int(rng.integers(3, 12)), size(rng)))


def classifications(rng: Rng) -> Drawn:
    codes = rng.choice(np.arange(1000, 9999), int(rng.integers(30, 150)), replace=False)
    share = rng.dirichlet(np.full(len(codes), 1.0))
    return "V1", whole(rng.choice(codes, size(rng) + 500, p=share))


def county_codes(rng: Rng) -> Drawn:
    """Codes of different lengths, some of them rare."""
    codes = rng.choice(np.arange(101, 56_045), int(rng.integers(40, 150)), replace=False)
    share = rng.dirichlet(np.full(len(codes), 1.0))
    return "V1", whole(rng.choice(codes, size(rng) + 500, p=share))


def codes_with_points(rng: Rng) -> Drawn:
    codes = rng.choice(np.arange(100, 9999), int(rng.integers(31, 120)), replace=False)
    return "V1", fixed(rng.choice(codes, size(rng) + 500) / 100, 2)


def years(rng: Rng) -> Drawn:
    return "V1", whole(rng.integers(1900, 2026, size(rng)))


def months(rng: Rng) -> Drawn:
    return "month", whole(rng.integers(1, 13, size(rng)))


def compact_days(rng: Rng) -> Drawn:
    days = np.datetime64("1930-01-01") + rng.integers(0, 30_000, size(rng))
    written = [str(day).replace("-", "") for day in days]
    return "V1", [text[6:] + text[4:6] + text[:4] for text in written] if rng.random() < 0.5 else written


def weights(rng: Rng) -> Drawn:
    name = str(rng.choice(["weight", "pweight", "Hochrechnungsfaktor", "peso", "sample_wt", "poids"]))
    return name, fixed(1 + rng.gamma(3, 50, size(rng)), 3)


def missing_texts(rng: Rng) -> Drawn:
    return _with(rng, str(rng.choice(["NA", "n/a", ".", "N.A.", "missing", "k.A.", "-", "?", ".a", "not asked"])))


def missing_numbers(rng: Rng) -> Drawn:
    return _with(rng, str(rng.choice(["-9", "-1", "-99", "-9999"])), amounts)


def missing_nines(rng: Rng) -> Drawn:
    return "V1", _scattered(
        rng, whole(rng.integers(0, 600, size(rng) + 100)), str(rng.choice(["999", "9999", "99998"]))
    )


def decimal_commas(rng: Rng) -> Drawn:
    name, texts = money(rng)
    share = rng.choice([0.02, 0.5, 1.0])
    return name, [text.replace(".", ",") if i == 0 or rng.random() < share else text for i, text in enumerate(texts)]


def _with(rng: Rng, code: str, drawing: Callable[[Rng], Drawn] | None = None) -> Drawn:
    draw = drawing or MEASUREMENTS[int(rng.integers(len(MEASUREMENTS)))]
    name, texts = draw(rng)
    return name, _scattered(rng, texts, code)


def _scattered(rng: Rng, texts: list[str], code: str) -> list[str]:
    count = max(3, int(len(texts) * rng.uniform(0, 0.2)))
    places = set(rng.choice(len(texts), count, replace=False).tolist())
    return [code if i in places else text for i, text in enumerate(texts)]


def unknown_texts(rng: Rng) -> Drawn:
    name, texts = MEASUREMENTS[int(rng.integers(len(MEASUREMENTS)))](rng)
    return name, ["about ten", *texts[1:]]


NOT_CERTAIN: tuple[Callable[[Rng], Drawn], ...] = (
    running_numbers,
    rising_numbers,
    long_numbers,
    named_numbers,
    key_texts,
    zero_texts,
    household_numbers,
    scattered_households,
    panel_units,
    small_codes,
    ordered_codes,
    classifications,
    county_codes,
    codes_with_points,
    years,
    months,
    compact_days,
    weights,
    missing_texts,
    missing_numbers,
    missing_nines,
    decimal_commas,
    unknown_texts,
)
