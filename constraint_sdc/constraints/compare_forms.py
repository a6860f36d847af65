"""A comparison of two forms as a formula: linear and product atoms, sets, integrality, absolute values, quotients."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import chain

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    Formula,
    IntegerAtom,
    LinearAtom,
    Number,
    PatternAtom,
    PolynomialAtom,
    Powers,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.constraints.forms import (
    Form,
    Monomial,
    NotArithmeticError,
    Special,
    add,
    constant_form,
    is_whole,
    multiply,
)
from constraint_sdc.constraints.whole_numbers import remainder, rounded
from constraint_sdc.evaluate.expression import CompareOp

TRUE, FALSE = AllOf(()), AnyOf(())
NUMBER_TEXT = r"^\s*([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF)\s*$"
FLIPPED: dict[CompareOp, CompareOp] = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_STRICT: dict[CompareOp, CompareOp] = {"<": "<", "<=": "<", ">": ">", ">=": ">"}


def compare_forms(left: Form, op: CompareOp, right: Form) -> Formula:
    """Return `left op right` over exact numbers, or raise `NotArithmeticError`."""
    if left.kind != right.kind:
        raise NotArithmeticError("compares a date with something that is not a date")
    difference = add(left, right, -1)
    if difference.missing == "mixed" and op == "!=":
        raise NotArithmeticError("mixes number() and bare values in !=, which differ on missing values")
    return _against_zero(difference, op, op == "!=" and difference.missing == "nan")


def _against_zero(form: Form, op: CompareOp, if_missing: bool) -> Formula:
    if any(special.kind == "divisor" for special in form.specials):
        return _divided_by_sum(form, op, if_missing)
    if form.specials:
        return _resolve_special(form, op, if_missing)
    kept = dict.fromkeys(name for monomial, _ in form.terms for name, _ in monomial)
    lost = [name for name in form.mentioned if name not in kept]
    if lost:
        return _cancelled(form, op, lost)
    if form.constant is not None:
        return TRUE if _holds(form.constant, op) else FALSE
    divisors = sorted({name for monomial, _ in form.terms for name, exponent in monomial if exponent < 0}, key=str)
    if divisors:
        return _quotient(form, op, if_missing, [str(name) for name in divisors])
    return _atom(form, op, if_missing)


def _holds(value: Fraction, op: CompareOp) -> bool:
    return {
        "=": value == 0,
        "!=": value != 0,
        "<": value < 0,
        "<=": value <= 0,
        ">": value > 0,
        ">=": value >= 0,
    }[op]


def _cancelled(form: Form, op: CompareOp, lost: list[str]) -> Formula:
    """Handle `number(V1) = number(V1)` (is a number) and `number(V1) = xs:integer(V1)` (is a whole number)."""
    if len(form.mentioned) == 1 and not form.terms and op == "=":
        name = form.mentioned[0]
        return IntegerAtom(name) if name in form.integers else PatternAtom(name, NUMBER_TEXT)
    raise NotArithmeticError(f"{', '.join(lost)} cancels out, but must be present")


def _atom(form: Form, op: CompareOp, if_missing: bool) -> Formula:
    if all(len(monomial) == 0 or (len(monomial) == 1 and monomial[0][1] == 1) for monomial, _ in form.terms):
        return _linear(form, op, if_missing)
    if form.dates:
        raise NotArithmeticError("multiplies by a difference of dates")
    if len(form.terms) <= 2:
        return _product(form, op, if_missing)
    return _polynomial(form, op, if_missing)


def _linear(form: Form, op: CompareOp, if_missing: bool) -> Formula:
    coefficients = {str(monomial[0][0]): value for monomial, value in form.terms if monomial}
    terms = [(name, coefficients[name]) for name in form.mentioned]
    constant = -form.coefficient(())
    first = terms[0][1]
    dates = tuple(sorted((pair for pair in form.dates if pair[0] in coefficients), key=lambda pair: pair[0]))
    if len(terms) == 1:
        name, limit = terms[0][0], constant / first
        if op in ("=", "!=") and not dates:
            return SetAtom(name, (limit,), op == "!=", if_missing)
        op = op if first > 0 else FLIPPED[op]
        return LinearAtom(((name, Fraction(1)),), op, limit, form.number, if_missing, dates)
    if first < 0:
        terms, constant, op = [(name, -value) for name, value in terms], -constant, FLIPPED[op]
    return LinearAtom(tuple(terms), op, constant, form.number, if_missing, dates)


def _product(form: Form, op: CompareOp, if_missing: bool) -> Formula:
    sides = sorted(form.terms, key=lambda term: term[0] == ())
    (left, left_factor) = sides[0]
    (right, right_value) = sides[1] if len(sides) == 2 else ((), Fraction(0))
    if left_factor < 0:
        left_factor, right_value, op = -left_factor, -right_value, FLIPPED[op]
    return ProductAtom(
        _ordered(left, form), left_factor, op, _ordered(right, form), -right_value, form.number, if_missing
    )


def _polynomial(form: Form, op: CompareOp, if_missing: bool) -> Formula:
    terms = tuple((_ordered(monomial, form), value) for monomial, value in form.terms if monomial)
    constant = -form.coefficient(())
    if terms[0][1] < 0:
        terms, constant, op = tuple((powers, -value) for powers, value in terms), -constant, FLIPPED[op]
    return PolynomialAtom(terms, op, constant, form.number, if_missing)


def _ordered(monomial: Monomial, form: Form) -> Powers:
    powers = {str(name): exponent for name, exponent in monomial}
    return tuple((name, powers[name]) for name in form.mentioned if name in powers)


def _quotient(form: Form, op: CompareOp, if_missing: bool, divisors: list[str]) -> Formula:
    """Multiply by the divisors: exact where they are not zero; a zero divisor gives an infinity, a NaN or an error."""
    if form.dates:
        raise NotArithmeticError("divides by a variable beside dates")
    if any(not is_whole(exponent) for monomial, _ in form.terms for _, exponent in monomial):
        raise NotArithmeticError("divides by a variable beside a root")
    if form.quotients > 1:
        raise NotArithmeticError("adds or compares several quotients, whose infinities may cancel")
    lowest = {name: min(dict(monomial).get(name, 0) for monomial, _ in form.terms) for name in divisors}
    cleared = form
    for name, exponent in lowest.items():
        factor = Form(((((name, -exponent),), Fraction(1)),), form.number)
        cleared = multiply(cleared, factor)
    cleared = Form(cleared.terms, form.number, form.mentioned, form.missing, form.integers)
    nonzero = tuple(SetAtom(name, (Fraction(0),), True, if_missing) for name in divisors)
    if op == "=":
        return AllOf((_against_zero(cleared, "=", if_missing), *nonzero))
    if op == "!=":
        zero = (SetAtom(name, (Fraction(0),), False, if_missing) for name in divisors)
        cases = (_with_numbers(atom, form.mentioned, if_missing) for atom in zero)
        return AnyOf((_against_zero(cleared, "!=", if_missing), *cases))
    if len(divisors) > 1:
        raise NotArithmeticError("divides by several variables in an inequality")
    return _ordered_quotient(cleared, op, divisors[0], lowest[divisors[0]] % 2 == 0)


def _ordered_quotient(cleared: Form, op: CompareOp, divisor: str, is_even: bool) -> Formula:
    def sign(op: CompareOp) -> Formula:
        return LinearAtom(((divisor, Fraction(1)),), op, Fraction(0), cleared.number)

    negative = _against_zero(cleared, op if is_even else FLIPPED[op], False)
    cases = [AllOf((sign(">"), _against_zero(cleared, op, False))), AllOf((sign("<"), negative))]
    if cleared.number is Number.DOUBLE:
        cases.append(AllOf((SetAtom(divisor, (Fraction(0),)), *_at_zero(cleared, op, divisor))))
    return AnyOf(tuple(cases))


def _at_zero(cleared: Form, op: CompareOp, divisor: str) -> tuple[Formula, ...]:
    """Return the condition for a zero divisor: the quotient is an infinity with the sign of the remaining terms."""
    terms = tuple((monomial, value) for monomial, value in cleared.terms if divisor not in dict(monomial))
    names = _names(terms)
    left = Form(terms, cleared.number, tuple(n for n in cleared.mentioned if n in names), cleared.missing)
    # A variable that cancels with the divisor must still be a number, or the comparison is false.
    vanished = tuple(PatternAtom(n, NUMBER_TEXT) for n in cleared.mentioned if n not in names and n != divisor)
    return (_against_zero(left, _STRICT[op], False), *vanished)


def _divided_by_sum(form: Form, op: CompareOp, if_missing: bool) -> Formula:
    """Multiply by a divisor that is a sum: exact where it is not zero; its sign decides the direction of an order."""
    (divisor, *others) = form.specials
    is_plain = all(
        is_whole(power) and (power > 0 or symbol == divisor) and (symbol != divisor or power == -1)
        for monomial, _ in form.terms
        for symbol, power in monomial
    )
    if others or not is_plain or form.dates or form.quotients > 1:
        raise NotArithmeticError("divides by a sum of variables beside other quotients, roots or dates")
    above = tuple((tuple(p for p in m if p[0] != divisor), v) for m, v in form.terms if (divisor, -1) in m)
    rest = tuple((m, v) for m, v in form.terms if (divisor, -1) not in m)
    (below,) = divisor.inner
    numerator, others_sum = (_of_terms(terms, form) for terms in (above, rest))
    cleared = replace(add(multiply(others_sum, below), numerator), mentioned=form.mentioned, missing=form.missing)
    nonzero = _against_zero(below, "!=", if_missing)
    if op == "=":
        return AllOf((_against_zero(cleared, "=", if_missing), nonzero))
    if op == "!=":
        zero = _with_numbers(_against_zero(below, "=", if_missing), form.mentioned, if_missing)
        return AnyOf((_against_zero(cleared, "!=", if_missing), zero))
    cases: list[Formula] = [
        AllOf((_against_zero(below, ">", False), _against_zero(cleared, op, False))),
        AllOf((_against_zero(below, "<", False), _against_zero(cleared, FLIPPED[op], False))),
    ]
    if form.number is Number.DOUBLE:
        # A zero divisor makes an infinity with the sign of the dividend; all other variables must be numbers.
        known = {*numerator.mentioned, *below.mentioned}
        numbers = tuple(PatternAtom(n, NUMBER_TEXT) for n in form.mentioned if n not in known)
        sign = _against_zero(numerator, _STRICT[op], False)
        cases.append(AllOf((_against_zero(below, "=", False), sign, *numbers)))
    return AnyOf(tuple(cases))


def _of_terms(terms: tuple[tuple[Monomial, Fraction], ...], form: Form) -> Form:
    names = _names(terms)
    return Form(terms, form.number, tuple(name for name in form.mentioned if name in names), form.missing)


def _resolve_special(form: Form, op: CompareOp, if_missing: bool) -> Formula:
    """Solve `factor * special + rest op 0` for the one special part."""
    if len(form.specials) > 1:
        raise NotArithmeticError("has several absolute values, roundings or extremes in one comparison")
    special = form.specials[0]
    factor = form.coefficient(((special, 1),))
    rest_terms = tuple((m, v) for m, v in form.terms if m != ((special, 1),))
    if not factor or any(special in dict(monomial) for monomial, _ in rest_terms):
        raise NotArithmeticError(f"multiplies by {special.kind}(...)")
    inside = {name for inner in special.inner for name in inner.mentioned}
    needed = _names(rest_terms) | {name for name in form.mentioned if name not in inside}
    mentioned = tuple(n for n in form.mentioned if n in needed)
    rest = Form(rest_terms, form.number, mentioned, form.missing, dates=form.dates)
    bound = multiply(constant_form(-1 / factor, form.number), rest)
    op = op if factor > 0 else FLIPPED[op]
    match special.kind:
        case "abs":
            return _absolute(special.inner[0], op, bound, if_missing)
        case "max" | "min":
            formula = _extreme(special, op, bound, if_missing)
            is_conjunction = isinstance(formula, AllOf) and op not in ("=", "!=")
            return formula if is_conjunction else _all_numbers(special, formula, if_missing)
        case "round":
            return rounded(special, op, bound, if_missing)
        case "mod":
            return remainder(special, op, bound, if_missing)
        case "divisor":
            raise NotArithmeticError("divides by a sum of variables")


def _names(terms: tuple[tuple[Monomial, Fraction], ...]) -> frozenset[str]:
    return frozenset(str(name) for name in chain.from_iterable((n for n, _ in m) for m, _ in terms))


def _versus(left: Form, op: CompareOp, right: Form, if_missing: bool) -> Formula:
    return _against_zero(add(left, right, -1), op, if_missing)


def _absolute(inner: Form, op: CompareOp, bound: Form, if_missing: bool) -> Formula:
    mirrored = multiply(constant_form(Fraction(-1), inner.number), inner)
    one, other = (_versus(side, op, bound, if_missing) for side in (inner, mirrored))
    match op:
        case "<" | "<=":
            return AllOf((one, other))
        case ">" | ">=":
            return AnyOf((one, other))
        case "=":
            zero = constant_form(Fraction(0), Number.INTEGER)
            return AllOf((_versus(bound, ">=", zero, if_missing), AnyOf((one, other))))
        case "!=":
            zero = constant_form(Fraction(0), Number.INTEGER)
            below = _versus(bound, "<", zero, if_missing)
            return AnyOf((_with_numbers(below, inner.mentioned, if_missing), AllOf((one, other))))


def _extreme(special: Special, op: CompareOp, bound: Form, if_missing: bool) -> Formula:
    towards: CompareOp = "<=" if special.kind == "max" else ">="
    beyond: CompareOp = ">" if special.kind == "max" else "<"
    every = op in (("<", "<=") if special.kind == "max" else (">", ">="))
    if op == "=":
        within = tuple(_versus(item, towards, bound, if_missing) for item in special.inner)
        return AllOf((*within, AnyOf(tuple(_versus(item, "=", bound, if_missing) for item in special.inner))))
    if op == "!=":
        past = tuple(_versus(item, beyond, bound, if_missing) for item in special.inner)
        return AnyOf((*past, AllOf(tuple(_versus(item, "!=", bound, if_missing) for item in special.inner))))
    parts = tuple(_versus(item, op, bound, if_missing) for item in special.inner)
    return AllOf(parts) if every else AnyOf(parts)


def _all_numbers(special: Special, formula: Formula, if_missing: bool) -> Formula:
    """Require that all values of a minimum or maximum are numbers: a single NaN makes the result NaN."""
    names = [n for item in special.inner if item.missing in ("nan", "mixed") for n in item.mentioned]
    numbers = tuple(PatternAtom(n, NUMBER_TEXT, "", if_missing) for n in dict.fromkeys(names))
    return AnyOf((formula, *numbers)) if if_missing else AllOf((formula, *numbers))


def _with_numbers(formula: Formula, names: tuple[str, ...], if_missing: bool) -> Formula:
    """Require numbers for variables that an atom does not read itself, unless a missing one makes it true."""
    if if_missing or formula == FALSE:
        return formula
    read = () if isinstance(formula, AllOf | AnyOf) else atom_variables(formula)
    return AllOf((formula, *(PatternAtom(n, NUMBER_TEXT) for n in dict.fromkeys(names) if n not in read)))
