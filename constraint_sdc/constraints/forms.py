"""Arithmetic in normal form: sums of products of variables with exact coefficients.

A form is a Laurent polynomial over symbols. A symbol is a variable, or a part that is not arithmetic on reals (an
absolute value, a rounding, a remainder, an extreme) which only a comparison can resolve.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.calendar import DateNotation
from constraint_sdc.constraints.constraint import Exponent, Number


class NotArithmeticError(Exception):
    """The expression is not a form; the message gives the reason in words for a statistician."""


_MOST_TERMS = 2000


@dataclass(frozen=True, slots=True)
class Special:
    """A part that a comparison must resolve: `abs`, `round` (any rounding), `mod` (by `size`), `max`, `min`, `divisor`.

    A `divisor` is a sum of variables that divides; its exponent is -1. `size` is the grid of a rounding (1 for whole
    numbers) or the modulus of a remainder.
    """

    kind: OneOf["abs", "round", "mod", "max", "min", "divisor"]
    inner: tuple[Form, ...]
    size: Fraction = Fraction(1)


Symbol: TypeAlias = str | Special
Monomial: TypeAlias = tuple[tuple[Symbol, Exponent], ...]
FormKind: TypeAlias = OneOf["number", "date", "days"]
Missing: TypeAlias = OneOf["none", "empty", "nan", "mixed"]


@dataclass(frozen=True, slots=True)
class Form:
    """A sum of `coefficient * monomial`, and what is needed to compare it.

    `mentioned` are all variables in the text, also those that cancel. `missing` tells what a missing variable makes of
    the value: no item, or NaN. `integers` are variables that the text casts to a whole number. `quotients` counts the
    divisions by a variable in the sum: infinities of two of them may cancel to NaN. `kind` tells a number from a date
    and a number of days; `dates` are the variables that the text reads as dates, with their notation.
    """

    terms: tuple[tuple[Monomial, Fraction], ...]
    number: Number
    mentioned: tuple[str, ...] = ()
    missing: Missing = "none"
    integers: frozenset[str] = frozenset()
    quotients: int = 0
    kind: FormKind = "number"
    dates: frozenset[tuple[str, DateNotation]] = frozenset()

    @property
    def constant(self) -> Fraction | None:
        """Return the value when the form has no variable, else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == () else None

    def coefficient(self, monomial: Monomial) -> Fraction:
        """Return a monomial's coefficient."""
        return dict(self.terms).get(monomial, Fraction(0))

    @property
    def specials(self) -> tuple[Special, ...]:
        """Return the parts that only a comparison can resolve."""
        found = (symbol for monomial, _ in self.terms for symbol, _ in monomial if isinstance(symbol, Special))
        return tuple(dict.fromkeys(found))


def constant_form(value: Fraction, number: Number) -> Form:
    """Return a form without variables."""
    return Form((((), value),) if value else (), number)


def variable_form(name: str, number: Number, missing: Missing, *, is_integer: bool = False) -> Form:
    """Return the form of one variable."""
    integers = frozenset({name}) if is_integer else frozenset()
    return Form(((((name, 1),), Fraction(1)),), number, (name,), missing, integers)


def special_form(special: Special, number: Number) -> Form:
    """Return the form of a part that a comparison must resolve."""
    whole = Form(((((special, 1),), Fraction(1)),), number)
    for inner in special.inner:
        whole = _described(whole.terms, whole, inner, number)
    return whole


def add(left: Form, right: Form, sign: int = 1) -> Form:
    """Return `left + sign * right`."""
    terms = dict(left.terms)
    for monomial, value in right.terms:
        terms[monomial] = terms.get(monomial, Fraction(0)) + sign * value
    return _described(_nonzero(terms), left, right, join(left.number, right.number))


def multiply(left: Form, right: Form) -> Form:
    """Return `left * right`, multiplied out."""
    if len(left.terms) * len(right.terms) > _MOST_TERMS:
        raise NotArithmeticError("multiplies sums of many variables")
    terms: dict[Monomial, Fraction] = {}
    for m1, v1 in left.terms:
        for m2, v2 in right.terms:
            monomial = _times(m1, m2)
            terms[monomial] = terms.get(monomial, Fraction(0)) + v1 * v2
    product = _described(_nonzero(terms), left, right, join(left.number, right.number))
    return replace(product, quotients=max(left.quotients, right.quotients))


def divide(left: Form, right: Form) -> Form:
    """Return `left / right`; a sum as divisor is a part that a comparison must resolve."""
    if not right.terms:
        raise NotArithmeticError("divides by zero")
    if len(right.terms) != 1 and not right.specials:
        return _divide_by_sum(left, right)
    (monomial, value) = right.terms[0]
    if right.specials:
        raise NotArithmeticError("divides by something that is not a product of variables")
    inverse = Form(((tuple((symbol, -power) for symbol, power in monomial), 1 / value),), right.number)
    result = multiply(left, inverse)
    number = Number.DECIMAL if join(left.number, right.number) is Number.INTEGER else result.number
    quotients = max(left.quotients, right.quotients, 1 if monomial else 0)
    return replace(_described(result.terms, left, right, number), quotients=quotients)


def _divide_by_sum(left: Form, right: Form) -> Form:
    inverse = Form(((((Special("divisor", (right,)), -1),), Fraction(1)),), right.number)
    number = Number.DECIMAL if join(left.number, right.number) is Number.INTEGER else join(left.number, right.number)
    return replace(_described(multiply(left, inverse).terms, left, right, number), quotients=1)


def root(base: Form, exponent: Fraction, number: Number) -> Form:
    """Return one product of variables raised to a positive power that is not whole."""
    if len(base.terms) != 1 or base.terms[0][1] != 1 or base.specials:
        raise NotArithmeticError("takes a root of something other than a product of variables")
    monomial = base.terms[0][0]
    if not monomial or any(power < 0 for _, power in monomial):
        raise NotArithmeticError("takes a root of something other than a product of variables")
    if len(monomial) > 1 or monomial[0][1] != 1:
        # The root of a product of two negative numbers is one, the product of their roots is not.
        raise NotArithmeticError("takes a root of several factors; write a root of each")
    raised = tuple((symbol, power * exponent) for symbol, power in monomial)
    return _described(((raised, Fraction(1)),), base, base, number)


def power(base: Form, exponent: int, number: Number) -> Form:
    """Return the form raised to a whole power; negative powers as a division."""
    result = constant_form(Fraction(1), number)
    for _ in range(abs(exponent)):
        result = multiply(result, base)
    if exponent < 0:
        result = divide(constant_form(Fraction(1), number), result)
    return replace(_described(result.terms, base, base, number), quotients=result.quotients)


def join(left: Number, right: Number) -> Number:
    """Return the common number type of two operands."""
    for kind in (Number.DOUBLE, Number.DECIMAL):
        if kind in (left, right):
            return kind
    return Number.INTEGER


def join_missing(left: Missing, right: Missing) -> Missing:
    """Return what a missing variable makes of a value computed from two operands."""
    if left == right or right == "none":
        return left
    return right if left == "none" else "mixed"


def _described(terms: tuple[tuple[Monomial, Fraction], ...], left: Form, right: Form, number: Number) -> Form:
    for name in set(left.mentioned).intersection(right.mentioned):
        if dict(left.dates).get(name) != dict(right.dates).get(name):
            raise NotArithmeticError(f"reads {name} in two ways: as a date, and otherwise")
    return Form(
        terms,
        number,
        tuple(dict.fromkeys(left.mentioned + right.mentioned)),
        join_missing(left.missing, right.missing),
        left.integers | right.integers,
        left.quotients + right.quotients,
        dates=left.dates | right.dates,
    )


def _times(left: Monomial, right: Monomial) -> Monomial:
    powers: dict[Symbol, Exponent] = dict(left)
    for symbol, exponent in right:
        if symbol in powers and not (is_whole(powers[symbol]) and is_whole(exponent)):
            raise NotArithmeticError("multiplies a root by the same variable, which hides that it is not negative")
        powers[symbol] = powers.get(symbol, 0) + exponent
    # A canonical order makes equal products equal; the order of writing is kept in `mentioned`.
    return tuple(sorted(((s, p) for s, p in powers.items() if p), key=lambda pair: repr(pair[0])))


def is_whole(exponent: Exponent) -> bool:
    """Tell a power from a root."""
    return exponent == int(exponent)


def _nonzero(terms: dict[Monomial, Fraction]) -> tuple[tuple[Monomial, Fraction], ...]:
    return tuple((monomial, value) for monomial, value in terms.items() if value)
