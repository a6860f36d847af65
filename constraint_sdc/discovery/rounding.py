"""Round numbers in place of values of records: a rule that states a value of a record would publish it."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def rounded_outwards(low: float, high: float) -> tuple[Decimal, Decimal]:
    """Return an interval wider by a tenth, with ends of one significant digit; one that is not negative starts at 0.

    The extremes of a part of the records are seldom those of all.

    >>> [str(end) for end in rounded_outwards(1115, 45554)], [str(end) for end in rounded_outwards(-37, 0.042)]
    (['0', '50000'], ['-50', '4'])
    """
    margin = (high - low) / 10
    lower, upper = _one_digit(low - margin, ROUND_FLOOR), _one_digit(high + margin, ROUND_CEILING)
    return lower if low < 0 else Decimal(0), upper if high > 0 else Decimal(0)


def _one_digit(value: float, way: str) -> Decimal:
    exact = Decimal(repr(value))
    if not exact:
        return Decimal(0)
    rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted()), rounding=way)
    return Decimal(format(rounded, "f"))


def roundest_between(below: float, above: float) -> Decimal:
    """Return the number with the fewest digits that is more than `below` and at most `above`.

    >>> str(roundest_between(1098, 1115)), str(roundest_between(0.5, 0.52))
    ('1100', '0.52')
    """
    low, high = Decimal(repr(below)), Decimal(repr(above))
    for place in range(high.adjusted() if high else 0, -20, -1):
        rounded = high.quantize(Decimal(1).scaleb(place), rounding=ROUND_FLOOR)
        if low < rounded <= high:
            return Decimal(format(rounded, "f"))
    return high
