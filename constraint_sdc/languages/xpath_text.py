"""Write conditions as XPath 2.0: three-valued logic in a language that has two values.

A term without a value becomes the empty sequence: `xs:decimal(V9[normalize-space()])` is no item where V9 is absent,
empty or blank; arithmetic on no item gives no item; a comparison with no item is false. So `$V9 + $V10 = $V14` is true
where the condition is surely true, and `not($V9 + $V10 != $V14)` where it is true or unknown. A text that is not a
number stops the rule with an error: it neither holds nor fails.

Numbers are exact decimals. Division by anything but a constant with a finite decimal inverse, roots, powers and
logarithms are computed in double, as the languages do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from constraint_sdc.languages.formula import (
    OPPOSITE_OP,
    AllConditions,
    AmongValues,
    AnyCondition,
    ColumnTerm,
    ComparedTerms,
    ConstantTruth,
    EachRecord,
    HasForm,
    HasNoValue,
    IsDate,
    IsNumber,
    IsSure,
    LengthTerm,
    NoOtherVariables,
    NumberTerm,
    Opposite,
    ReadNumberTerm,
    RuleCondition,
    RuleTerm,
    TextTerm,
    UniqueRecord,
    columns_of,
    opposite,
    parts_of,
    settled,
)
from constraint_sdc.languages.xpath_piece import (
    AND,
    COMPARISON,
    OR,
    SUM,
    XPathPiece,
    negated,
    number_items,
    number_text,
    quoted_text,
)
from constraint_sdc.languages.xpath_terms import XPathTerms, is_text_term, needs_double

_MOST_LISTED = 40
_DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


@dataclass(slots=True)
class XPathWriter(XPathTerms):
    """Writes the conditions of one rule."""

    def test(self, condition: RuleCondition, *, is_unknown_true: bool) -> str:
        """Return the condition as a test that is true, or false, where the condition is unknown."""
        return self.truth(settled(condition), is_unknown_true).text

    def truth(self, condition: RuleCondition, wide: bool) -> XPathPiece:
        """Return where a condition is true, and if `wide` also where it is unknown."""
        match condition:
            case AllConditions(items):
                return self._joined(items, wide, "and", AND, "true()")
            case AnyCondition(items):
                return self._joined(items, wide, "or", OR, "false()")
            case Opposite(item):
                return negated(self.truth(item, not wide))
            case ConstantTruth(value):
                return XPathPiece("true()" if value or (value is None and wide) else "false()")
            case IsSure(inner):
                return self.truth(settled(inner), False)
            case ComparedTerms():
                return self._compared(condition, wide)
            case AmongValues(term, values):
                return self._known_or(term, wide, self._without_codes(condition, self._among(term, values)))
            case HasForm(text, regex, flags, false_if_missing):
                arguments = ", ".join((quoted_text(regex), *([quoted_text(flags)] if flags else ())))
                return self._of_text(
                    text, wide and not false_if_missing, lambda asked: f"matches({asked}, {arguments})"
                )
            case HasNoValue(term):
                return self._no_value(term)
            case IsNumber(ColumnTerm(name)):
                number = f"number({self.subject.step(name)})"
                return XPathPiece(f"{number} = {number}", COMPARISON)
            case IsDate(ColumnTerm(name)):
                step = self.subject.step(name)
                return XPathPiece(f"matches({step}, {quoted_text(_DAY)}) and {step} castable as xs:date", AND)
            case EachRecord(inner):
                return self._each_record(inner, wide)
            case UniqueRecord(names):
                return self._unique(names)
            case NoOtherVariables(allowed):
                elements = [quoted_text(name) for name in allowed if not name.startswith("@")]
                attributes = [quoted_text(name[1:]) for name in allowed if name.startswith("@")]
                return XPathPiece(f"{_no_other('*', elements)} and {_no_other('@*', attributes)}", AND)

    def _joined(self, items: tuple[RuleCondition, ...], wide: bool, word: str, binds: int, nothing: str) -> XPathPiece:
        pieces = [self.truth(item, wide) for item in items]
        if len(pieces) == 1:
            return pieces[0]
        texts = [piece.within(binds) for piece in pieces]
        return XPathPiece(f" {word} ".join(texts), binds) if texts else XPathPiece(nothing)

    # Comparisons

    def _compared(self, compared: ComparedTerms, wide: bool) -> XPathPiece:
        if compared.is_of_texts:
            return self._compared_texts(compared, wide)
        match compared:
            case ComparedTerms(op, LengthTerm(text), NumberTerm(limit)):
                return self._of_text(text, wide, lambda asked: f"string-length({asked}) {op} {number_text(limit)}")
        is_double = any(map(needs_double, (compared.left, compared.right)))
        left, right = (self._number(side, is_double).within(SUM) for side in (compared.left, compared.right))
        if not wide or not columns_of(compared):
            return self._without_codes(compared, self._sure(left, compared.op, right, is_double))
        return negated(self._without_codes(compared, self._sure(left, OPPOSITE_OP[compared.op], right, is_double)))

    def _without_codes(self, condition: RuleCondition, sure: XPathPiece) -> XPathPiece:
        """Return a piece that is false also where a number that was read is a missing code."""
        read = (part.column.name for part in parts_of(condition) if isinstance(part, ReadNumberTerm))
        codes = [code for code in map(self.subject.is_code, dict.fromkeys(read)) if code]
        if not codes:
            return sure
        return XPathPiece(" and ".join((sure.within(AND), *(f"not({code})" for code in codes))), AND)

    def _sure(self, left: str, op: str, right: str, is_double: bool) -> XPathPiece:
        # NaN, as of 0 div 0, differs from every number for XPath, and is unknown to the languages.
        if is_double and op == "!=":
            return XPathPiece(f"{left} < {right} or {left} > {right}", OR)
        return XPathPiece(f"{left} {op} {right}", COMPARISON)

    def _compared_texts(self, compared: ComparedTerms, wide: bool) -> XPathPiece:
        match compared:
            case ComparedTerms(op, ColumnTerm(name), TextTerm(text)) if self.subject.is_value(name, text):
                return self._compared_value(op, name, text, wide)
        left, right = self._text(compared.left).text, self._text(compared.right).text
        if wide:
            return negated(XPathPiece(f"{left} {OPPOSITE_OP[compared.op]} {right}"))
        return XPathPiece(f"{left} {compared.op} {right}", COMPARISON)

    def _compared_value(self, op: str, name: str, text: str, wide: bool) -> XPathPiece:
        """Return the comparison with a text that no missing value equals, so that most forms need no guard."""
        equal = XPathPiece(f"{self.subject.step(name)} = {quoted_text(text)}", COMPARISON)
        if op == "=":
            return self._known_or(ColumnTerm(name), wide, equal)
        if wide:
            return negated(equal)
        return XPathPiece(f"{self.subject.filled(name)} != {quoted_text(text)}", COMPARISON)

    def _among(self, term: RuleTerm, values: tuple[Decimal, ...] | tuple[str, ...]) -> XPathPiece:
        texts = [value for value in values if isinstance(value, str)]
        if not texts:
            left = self._number(term, needs_double(term)).within(SUM)
        elif isinstance(term, ColumnTerm) and all(self.subject.is_value(term.name, text) for text in texts):
            left = self.subject.step(term.name)
        else:
            left = self._text(term).text
        listed = list(map(quoted_text, texts)) or number_items(
            [value for value in values if isinstance(value, Decimal)]
        )
        # Processors read a list from left to right, one level of nesting for each item.
        parts = [listed[at : at + _MOST_LISTED] for at in range(0, len(listed), _MOST_LISTED)]
        pieces = [f"{left} = ({', '.join(part)})" if len(part) > 1 else f"{left} = {part[0]}" for part in parts]
        return XPathPiece(" or ".join(pieces), COMPARISON if len(pieces) == 1 else OR)

    def _known_or(self, term: RuleTerm, wide: bool, known: XPathPiece) -> XPathPiece:
        """Return a piece that is false where the term has no value; if `wide`, it is made true there."""
        if not wide:
            return known
        return XPathPiece(f"{known.within(OR)} or {self._no_value(term).within(OR)}", OR)

    def _of_text(self, text: RuleTerm, wide: bool, question: Callable[[str], str]) -> XPathPiece:
        """Return a question about a text."""
        if not isinstance(text, ColumnTerm):
            inner = self._text(text, question).text
            return negated(XPathPiece(f"{inner} = false()")) if wide else XPathPiece(f"{inner} = true()", COMPARISON)
        asked, name = question(self.subject.step(text.name)), text.name
        if wide:
            return XPathPiece(f"{self.subject.missing(name)} or {asked}", OR)
        return XPathPiece(f"{self.subject.present(name)} and {asked}", AND)

    def _no_value(self, term: RuleTerm) -> XPathPiece:
        if isinstance(term, ColumnTerm):
            return XPathPiece(self.subject.missing(term.name), COMPARISON)
        if isinstance(term, ReadNumberTerm):
            code = self.subject.is_code(term.column.name)
            number = negated(self.truth(IsNumber(term.column), False))
            return XPathPiece(f"{number.text} or {code}", OR) if code else number
        inner = self._text(term) if is_text_term(term) else self._number(term, needs_double(term))
        return XPathPiece(f"empty({inner.text})")

    # Over all records

    def _each_record(self, condition: RuleCondition, wide: bool) -> XPathPiece:
        inner = replace(self, inline=True).truth(opposite(settled(condition)), not wide)
        return XPathPiece(f"empty({self.subject.records}[{inner.text}])")

    def _unique(self, names: tuple[str, ...]) -> XPathPiece:
        steps = [self.subject.filled(name) for name in names]
        # A length before every text keeps ('a', 'bc') and ('ab', 'c') apart.
        parts = ", ".join(f"string-length({step}), ':', {step}" for step in steps)
        use = f"string({steps[0]})" if len(steps) == 1 else f"concat({parts})"
        key = self.shared.name_key("by-" + "-".join(names), use)
        return XPathPiece(f"count(key({quoted_text(key)}, {use})) = 1", COMPARISON)


def _no_other(step: str, allowed: list[str]) -> str:
    """Return that no child, or attribute, with another name has a value."""
    others = f"[not(local-name() = ({', '.join(allowed)}))]" if allowed else ""
    return f"empty({step}[normalize-space()]{others})"
