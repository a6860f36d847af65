"""Write conditions in a language with infix operators: R, plain text and SQL differ in words and signs alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from constraint_sdc.languages.formula import (
    AllConditions,
    AmongValues,
    AnyCondition,
    ColumnTerm,
    ComparedTerms,
    ComputedTerm,
    ConstantTruth,
    FunctionTerm,
    HasForm,
    HasNoValue,
    LengthTerm,
    NegativeTerm,
    NumberTerm,
    Opposite,
    RuleCondition,
    RuleTerm,
    TextTerm,
)
from constraint_sdc.languages.rule_book import UnwritableError
from constraint_sdc.languages.xpath_piece import WHOLE, XPathPiece, number_text

# As in XPath, with `not` as an operator of its own.
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _UNARY = range(WHOLE - 7, WHOLE)


@dataclass(frozen=True, slots=True)
class InfixWords:
    """The words of a language: `{}` in a pattern stands for an operand.

    `functions` are patterns by the name of the XPath function; `remainder` is None if only a comparison with zero can
    be written. `form` asks whether a text, first, matches a regular expression, second; `form_of` writes the latter.
    """

    name: Callable[[str], str]
    text: Callable[[str], str]
    signs: Mapping[str, str]
    all_of: str
    any_of: str
    opposite: str
    among: str
    missing: str
    length: str
    remainder: str
    functions: Mapping[str, str]
    form: str
    form_is_false_if_missing: bool = False
    form_of: Callable[[str], str] = str
    truths: Mapping[bool | None, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InfixWriter:
    """Writes conditions in one language."""

    words: InfixWords

    def condition(self, condition: RuleCondition) -> str:
        """Return a condition as text, or raise UnwritableError."""
        return self._condition(condition).text

    def _condition(self, condition: RuleCondition) -> XPathPiece:
        words = self.words
        match condition:
            case AllConditions(items):
                return self._joined(items, words.all_of, _AND)
            case AnyCondition(items):
                return self._joined(items, words.any_of, _OR)
            case Opposite(item):
                return XPathPiece(words.opposite.format(self._condition(item).within(WHOLE)), _NOT)
            case ComparedTerms(op, left, right):
                sides = [self._term(side).within(_SUM) for side in (left, right)]
                return XPathPiece(f"{sides[0]} {words.signs[op]} {sides[1]}", _COMPARISON)
            case AmongValues(term, values):
                listed = (words.text(one) if isinstance(one, str) else number_text(one) for one in values)
                return XPathPiece(words.among.format(self._term(term).within(_SUM), ", ".join(listed)), _COMPARISON)
            case HasNoValue(term):
                return XPathPiece(words.missing.format(self._term(term).within(_SUM)), _COMPARISON)
            case HasForm(text, regex, "", false_if_missing):
                if not words.form or false_if_missing != words.form_is_false_if_missing:
                    return self._form_with_guard(condition)
                return XPathPiece(
                    words.form.format(self._term(text).text, words.text(words.form_of(regex))), _COMPARISON
                )
            case ConstantTruth(value) if value in words.truths:
                return XPathPiece(words.truths[value])
            case _:
                raise UnwritableError(f"a question of the kind {type(condition).__name__}")

    def _form_with_guard(self, condition: HasForm) -> XPathPiece:
        """Return a question about a form in a language that takes a missing text otherwise."""
        if not self.words.form or not condition.false_if_missing:
            raise UnwritableError("the form of a text that may be missing")
        plain = HasForm(condition.text, condition.regex)
        return self._condition(AllConditions((Opposite(HasNoValue(condition.text)), plain)))

    def _joined(self, items: tuple[RuleCondition, ...], word: str, binds: int) -> XPathPiece:
        if len(items) == 1:
            return self._condition(items[0])
        if not items:
            raise UnwritableError("a condition that is always true or never")
        return XPathPiece(f" {word} ".join(self._condition(item).within(binds + 1) for item in items), binds)

    def _term(self, term: RuleTerm) -> XPathPiece:
        words = self.words
        match term:
            case NumberTerm(value):
                return XPathPiece(number_text(value), _UNARY if value < 0 else WHOLE)
            case TextTerm(value):
                return XPathPiece(words.text(value))
            case ColumnTerm(name):
                return XPathPiece(words.name(name))
            case NegativeTerm(inner):
                return XPathPiece(f"-{self._term(inner).within(WHOLE)}", _UNARY)
            case ComputedTerm("remainder", left, right):
                operands = [self._term(side).within(_UNARY) for side in (left, right)]
                return XPathPiece(words.remainder.format(*operands), _PRODUCT)
            case ComputedTerm("+" | "-" | "*" | "/" as op, left, right):
                binds = _SUM if op in "+-" else _PRODUCT
                sides = (self._term(left).within(binds), self._term(right).within(binds + 1))
                return XPathPiece(f"{sides[0]} {op} {sides[1]}", binds)
            case LengthTerm(text):
                return XPathPiece(words.length.format(self._term(text).text))
            case FunctionTerm(name, arguments) if name in words.functions:
                return XPathPiece(words.functions[name].format(*(self._term(one).within(_UNARY) for one in arguments)))
            case _:
                raise UnwritableError(f"a value of the kind {getattr(term, 'name', type(term).__name__)}")
