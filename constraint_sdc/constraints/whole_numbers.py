"""Roundings and remainders of one variable, compared: the variable is on a grid, or has a remainder."""

from __future__ import annotations

from fractions import Fraction

from constraint_sdc.constraints.constraint import AllOf, AnyOf, Formula, IntegerAtom, LinearAtom
from constraint_sdc.constraints.forms import Form, NotArithmeticError, Special, add
from constraint_sdc.evaluate.expression import CompareOp


def _one_variable(form: Form) -> tuple[str, Fraction, Fraction]:
    """Return name, slope and offset of a form `slope * variable + offset`."""
    if form.dates:
        raise NotArithmeticError("rounds or takes a remainder of a difference of dates")
    monomials = [monomial for monomial, _ in form.terms if monomial]
    if len(monomials) != 1 or len(monomials[0]) != 1 or monomials[0][0][1] != 1 or len(form.mentioned) != 1:
        raise NotArithmeticError("rounds or takes a remainder of more than one variable")
    return form.mentioned[0], form.coefficient(monomials[0]), form.coefficient(())


def rounded(special: Special, op: CompareOp, bound: Form, if_missing: bool) -> Formula:
    """Return a rounding that leaves its operand as it is: the operand is on the grid."""
    inner = special.inner[0]
    if op not in ("=", "!=") or add(inner, bound, -1).terms or set(inner.mentioned) != set(bound.mentioned):
        raise NotArithmeticError("compares a rounded value with something other than itself")
    name, slope, offset = _one_variable(inner)
    modulus = special.size / abs(slope)
    return IntegerAtom(name, modulus, (-offset / slope) % modulus, op == "!=", if_missing)


def remainder(special: Special, op: CompareOp, bound: Form, if_missing: bool) -> Formula:
    """Return a remainder that equals, or differs from, a constant."""
    wanted = bound.constant
    if wanted is None or bound.mentioned or op not in ("=", "!="):
        raise NotArithmeticError("compares a remainder with something other than a constant")
    name, slope, offset = _one_variable(special.inner[0])
    modulus = special.size / abs(slope)
    negated = op == "!="
    if wanted == 0:
        return IntegerAtom(name, modulus, (-offset / slope) % modulus, negated, if_missing)
    if abs(wanted) >= special.size:
        raise NotArithmeticError("a remainder never reaches that value")
    if slope != 1 or offset != 0:
        raise NotArithmeticError("takes a remainder of more than a plain variable")
    # The remainder has the sign of the value, so a positive remainder implies a positive value.
    side: CompareOp = ">" if wanted > 0 else "<"
    atom = IntegerAtom(name, modulus, wanted % modulus, negated, if_missing)
    if negated:
        opposite: CompareOp = "<=" if wanted > 0 else ">="
        limit = LinearAtom(((name, Fraction(1)),), opposite, Fraction(0), bound.number, if_missing)
        return AnyOf((atom, limit))
    return AllOf((atom, LinearAtom(((name, Fraction(1)),), side, Fraction(0), bound.number, if_missing)))
