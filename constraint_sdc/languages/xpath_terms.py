"""Write terms as XPath: exact decimals, doubles where exactness has an end, texts, and numbers over all records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from constraint_sdc.languages.formula import (
    ChoiceTerm,
    ColumnTerm,
    ComputedTerm,
    DoubleTerm,
    FirstKnownTerm,
    FunctionTerm,
    LengthTerm,
    NegativeTerm,
    NumberTerm,
    OverRecordsTerm,
    ReadNumberTerm,
    RuleCondition,
    RuleTerm,
    TextTerm,
    columns_of,
    opposite,
    own_columns,
    parts_of,
    settled,
)
from constraint_sdc.languages.subject import RuleSubject, SharedParts, named_value
from constraint_sdc.languages.xpath_piece import PRODUCT, SUM, UNARY, WHOLE, XPathPiece, number_text, quoted_text

_OPERATORS = {"+": ("+", SUM), "-": ("-", SUM), "*": ("*", PRODUCT), "/": ("div", PRODUCT)}


@dataclass(slots=True)
class XPathTerms:
    """Writes the terms of one rule; `lets` are the variables that the rule declares, unless it is `inline`."""

    subject: RuleSubject
    shared: SharedParts
    inline: bool = False
    lets: dict[str, str] = field(default_factory=dict)

    def truth(self, condition: RuleCondition, wide: bool) -> XPathPiece:
        """Return where a condition is true, and if `wide` also where it is unknown."""
        raise NotImplementedError

    def _over_records(self, term: OverRecordsTerm) -> XPathPiece:
        records = self.subject.records
        if term.function == "count":
            return XPathPiece("$" + self.shared.name_let("records", f"count({records})"))
        inline = replace(self, inline=True)
        inner = [inline._number(one, needs_double(one)).text for one in term.terms]
        listed = ", ".join(f"{records}/({one})" for one in inner)
        value = f"{term.function}({listed})" if len(inner) == 1 else f"{term.function}(({listed}))"
        if not term.skips_missing:
            gaps = " or ".join(f"exists({records}[empty({one})])" for one in inner)
            value = f"if ({gaps}) then () else {value}"
        names = [columns_of(one) for one in term.terms]
        wished = "-".join((term.function, *dict.fromkeys(name for some in names for name in some)))
        return XPathPiece("$" + self.shared.name_let(wished, value))

    # Numbers

    def _number(self, term: RuleTerm, is_double: bool) -> XPathPiece:
        match term:
            case NumberTerm(value):
                return XPathPiece(number_text(value), UNARY if value < 0 else WHOLE)
            case ColumnTerm(name):
                return self._column(name, is_double)
            case DoubleTerm(inner):
                return self._number(inner, True)
            case ReadNumberTerm(ColumnTerm(name), is_exact):
                step = self.subject.step(name)
                return XPathPiece(f"xs:decimal({step}[. castable as xs:decimal])" if is_exact else f"number({step})")
            case NegativeTerm(inner):
                return XPathPiece(f"-{self._number(inner, is_double).within(WHOLE)}", UNARY)
            case ComputedTerm():
                return self._arithmetic(term, is_double)
            case FunctionTerm("min" | "max" as name, arguments):
                return self._extreme(name, arguments, is_double)
            case FunctionTerm(name, arguments):
                self.shared.needs_xpath3 |= name.startswith("math:")
                return XPathPiece(f"{name}({', '.join(self._number(one, is_double).text for one in arguments)})")
            case LengthTerm(text):
                return self._text(text, lambda inner: f"string-length({inner})")
            case OverRecordsTerm():
                return self._over_records(term)
            case ChoiceTerm():
                return self._choice(term, is_double)
            case FirstKnownTerm(terms):
                return XPathPiece(f"({', '.join(self._number(one, is_double).text for one in terms)})[1]")
            case TextTerm():
                raise AssertionError("a text where a number is meant")

    def _column(self, name: str, is_double: bool) -> XPathPiece:
        if is_double:
            return XPathPiece(f"xs:double({self.subject.filled_number(name)})")
        value = f"xs:decimal({self.subject.filled_number(name)})"
        if self.inline:
            return XPathPiece(value)
        return XPathPiece(f"${named_value(self.lets, name, value)}")

    def _arithmetic(self, term: ComputedTerm, is_double: bool) -> XPathPiece:
        left, right = (self._number(side, is_double) for side in (term.left, term.right))
        if term.op == "quotient":
            return XPathPiece(f"floor({left.within(PRODUCT)} div {right.within(UNARY)})")
        if term.op in ("modulo", "remainder"):
            inner = f"{left.within(PRODUCT)} mod {right.within(UNARY)}"
            divisor = right.within(UNARY)
            wrapped = f"({inner} + {divisor}) mod {divisor}" if term.op == "modulo" else inner
            return XPathPiece(wrapped, PRODUCT)
        sign, binds = _OPERATORS[term.op]
        return XPathPiece(f"{left.within(binds)} {sign} {right.within(binds + 1)}", binds)

    def _extreme(self, name: str, arguments: tuple[RuleTerm, ...], is_double: bool) -> XPathPiece:
        inner = [self._number(one, is_double).text for one in arguments]
        known = " and ".join(f"exists({one})" for one in inner)
        return XPathPiece(f"(if ({known}) then {name}(({', '.join(inner)})) else ())")

    def _choice(self, term: ChoiceTerm, is_double: bool) -> XPathPiece:
        then, otherwise, unknown = (
            "()" if one is None else self._number(one, is_double).text
            for one in (term.then, term.otherwise, term.unknown)
        )
        test = self.truth(settled(term.condition), False).text
        if otherwise == unknown:
            return XPathPiece(f"(if ({test}) then {then} else {otherwise})")
        against = self.truth(opposite(settled(term.condition)), False).text
        return XPathPiece(f"(if ({test}) then {then} else if ({against}) then {otherwise} else {unknown})")

    # Texts

    def _text(self, term: RuleTerm, around: Callable[[str], str] = lambda text: text) -> XPathPiece:
        """Return a text that has at most one variable, or a function of it."""
        if isinstance(term, TextTerm):
            return XPathPiece(around(quoted_text(term.value)))
        names = own_columns(term)
        assert len(names) == 1
        filled = self.subject.filled(names[0])
        computed = around(_text_function(term))
        return XPathPiece(filled if computed == "." else f"{filled}/{computed}")


def _text_function(term: RuleTerm) -> str:
    match term:
        case ColumnTerm():
            return "."
        case TextTerm(value):
            return quoted_text(value)
        case NumberTerm(value):
            return number_text(value)
        case FunctionTerm(name, arguments):
            return f"{name}({', '.join(map(_text_function, arguments))})"
        case _:
            raise AssertionError("a number where a text is meant")


TEXT_FUNCTIONS = frozenset({"upper-case", "lower-case", "normalize-space", "substring", "concat", "replace"})


def is_text_term(term: RuleTerm) -> bool:
    """Tell whether a term is surely a text."""
    return isinstance(term, TextTerm) or (isinstance(term, FunctionTerm) and term.name in TEXT_FUNCTIONS)


def needs_double(term: RuleTerm) -> bool:
    """Tell whether a term cannot be computed exactly, or is asked for in double."""
    for part in parts_of(term):
        match part:
            case OverRecordsTerm() if part is term:
                return False
            case DoubleTerm() | ComputedTerm("quotient") | ReadNumberTerm(_, False):
                return True
            case FunctionTerm(name) if name.startswith("math:"):
                return True
            case ComputedTerm("/" | "modulo" | "remainder" as op, _, right):
                is_exact = _has_inverse if op == "/" else bool
                if not (isinstance(right, NumberTerm) and is_exact(right.value)):
                    return True
    return False


def _has_inverse(value: Decimal) -> bool:
    """Tell whether one divided by a number is a finite decimal."""
    numerator = abs(value.as_integer_ratio()[0])
    for factor in (2, 5):
        while numerator and numerator % factor == 0:
            numerator //= factor
    return numerator == 1
