"""Parse a rule of plain text: conditions with `if`, `and`, `or`, `not`, comparisons, intervals, sets and arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from typing import cast

from constraint_sdc.data.nearest_name import nearest_name
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.languages.arithmetic_text.tokens import TextToken, plain_number
from constraint_sdc.languages.formula import (
    AllConditions,
    AmongValues,
    AnyCondition,
    ColumnTerm,
    ComparedTerms,
    ComputedTerm,
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
    implies,
)
from constraint_sdc.languages.rule_book import UntranslatedPartError
from constraint_sdc.limits import RULE_NESTING

_COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">="})
_FUNCTIONS = {
    "abs": ("abs", 1, 1),
    "floor": ("floor", 1, 1),
    "ceiling": ("ceiling", 1, 1),
    "round": ("round-half-to-even", 1, 2),
    "sqrt": ("math:sqrt", 1, 1),
    "exp": ("math:exp", 1, 1),
    "log": ("math:log", 1, 1),
    "log10": ("math:log10", 1, 1),
    "min": ("min", 1, 100),
    "max": ("max", 1, 100),
    "length": ("length", 1, 1),
}
_HIGHEST_POWER, _LARGEST_RANGE = 12, 1000
_QUESTION_WORDS = frozenset({"and", "or", "not", "xor", "in", "is", "if", "matches", "implies"})


@dataclass(slots=True)
class TextParser:
    """Reads one condition from tokens; `texts` are variables that some rule compares with a text."""

    tokens: list[TextToken]
    texts: frozenset[str] = frozenset()
    at: int = 0
    depth: int = 0

    def whole_rule(self) -> RuleCondition:
        """Return the condition that all tokens are."""
        condition = self._condition()
        if self._peek().kind != "end":
            raise self._unexpected("'and', 'or' or the end of the rule")
        return condition

    # Tokens

    def _peek(self) -> TextToken:
        return self.tokens[self.at]

    def _next(self) -> TextToken:
        token = self.tokens[self.at]
        self.at += token.kind != "end"
        return token

    def _is(self, *texts: str) -> bool:
        return self._peek().kind in ("word", "sign") and self._peek().text in texts

    def _took(self, *texts: str) -> bool:
        if self._is(*texts):
            self.at += 1
            return True
        return False

    def _take(self, text: str, why: str = "") -> None:
        if not self._took(text):
            raise self._unexpected(f"{text!r}{why}")

    def _unexpected(self, expected: str) -> UntranslatedPartError:
        token = self._peek()
        found = "the end of the rule" if token.kind == "end" else repr(token.text)
        return UntranslatedPartError(f"found {found}", token.place, f"expected {expected}")

    # Conditions

    def _condition(self) -> RuleCondition:
        return self._deeper(self._conditional if self._took("if") else self._implication)

    def _deeper(self, inner: Callable[[], RuleCondition]) -> RuleCondition:
        self.depth += 1
        if self.depth > RULE_NESTING:
            what = f"conditions are nested more than {RULE_NESTING} deep"
            raise UntranslatedPartError(what, self._peek().place, "divide the rule")
        found = inner()
        self.depth -= 1
        return found

    def _conditional(self) -> RuleCondition:
        condition = self._condition()
        self._take("then", " behind the condition")
        then = self._condition()
        if not self._took("else"):
            return implies(condition, then)
        return AllConditions((implies(condition, then), AnyCondition((condition, self._condition()))))

    def _implication(self) -> RuleCondition:
        left = self._any()
        return implies(left, self._condition()) if self._took("=>", "implies") else left

    def _any(self) -> RuleCondition:
        items = [self._all()]
        while self._is("or", "xor"):
            if self._next().text == "or":
                items.append(self._all())
            else:
                left, right = _one_of_them(items, AnyCondition), self._all()
                items = [AllConditions((AnyCondition((left, right)), Opposite(AllConditions((left, right)))))]
        return _one_of_them(items, AnyCondition)

    def _all(self) -> RuleCondition:
        items = [self._negated()]
        while self._took("and"):
            items.append(self._negated())
        return _one_of_them(items, AllConditions)

    def _negated(self) -> RuleCondition:
        if self._took("not"):
            return Opposite(self._deeper(self._negated))
        if self._is("(") and self._is_condition_in_brackets():
            self._next()
            inner = self._condition()
            self._take(")")
            return inner
        if self._is("if"):
            return self._condition()
        return self._question()

    def _is_condition_in_brackets(self) -> bool:
        """Tell a bracket around a condition from one around a sum, by what stands directly inside."""
        depth = 0
        for token in self.tokens[self.at :]:
            depth += (token.kind == "sign" and token.text in "([{") - (token.kind == "sign" and token.text in ")]}")
            if depth == 0:
                return False
            if depth == 1 and token.kind in ("sign", "word") and token.text in (*_COMPARISONS, *_QUESTION_WORDS):
                return True
            if depth > 1 and token.kind == "word" and token.text in _QUESTION_WORDS:
                return True
        return False

    def _question(self) -> RuleCondition:
        start = self._peek()
        term = self._term()
        if self._took("is"):
            return self._is_missing(term)
        is_negated = self._took("not")
        if self._took("in"):
            found = self._among(term, start)
        elif self._took("matches"):
            token = self._next()
            if token.kind != "text":
                raise UntranslatedPartError("'matches' needs a pattern", token.place, "write it in quotes")
            found = HasForm(self._text(term, start), token.text)
        elif is_negated or not self._is(*_COMPARISONS):
            raise self._unexpected("a comparison such as '=' or '<=', 'in', 'is missing' or 'matches'")
        else:
            return self._comparisons(term, start)
        return Opposite(found) if is_negated else found

    def _is_missing(self, term: RuleTerm) -> RuleCondition:
        is_negated = self._took("not")
        self._take("missing", " behind 'is'")
        found = HasNoValue(term)
        return Opposite(found) if is_negated else found

    def _comparisons(self, left: RuleTerm, start: TextToken) -> RuleCondition:
        """Return one comparison, or several in a row: 0 <= V3 <= 7500."""
        found: list[RuleCondition] = []
        while self._is(*_COMPARISONS):
            sign, next_start = self._next(), self._peek()
            right = self._term()
            found.append(self._compared(cast(CompareOp, sign.text), (left, start), (right, next_start)))
            left, start = right, next_start
        return _one_of_them(found, AllConditions)

    def _compared(
        self, op: CompareOp, left: tuple[RuleTerm, TextToken], right: tuple[RuleTerm, TextToken]
    ) -> RuleCondition:
        sides = (left, right)
        is_of_texts = any(
            isinstance(term, TextTerm) or (isinstance(term, ColumnTerm) and term.name in self.texts)
            for term, _ in sides
        )
        if not is_of_texts:
            return ComparedTerms(op, left[0], right[0])
        if op not in ("=", "!="):
            raise UntranslatedPartError("orders texts", left[1].place, "compare numbers, or use '=' and 'in'")
        first, second = (self._text(*side) for side in sides)
        first, second = (second, first) if isinstance(first, TextTerm) else (first, second)
        return ComparedTerms(op, first, second, is_of_texts=True)

    def _text(self, term: RuleTerm, start: TextToken) -> RuleTerm:
        if not isinstance(term, ColumnTerm | TextTerm):
            raise UntranslatedPartError("a number where a text is meant", start.place, "write a text in quotes")
        return term

    # Intervals and sets

    def _among(self, term: RuleTerm, start: TextToken) -> RuleCondition:
        if self._is("{"):
            return self._set(term, start)
        if not self._is("[", "("):
            raise self._unexpected("an interval such as [0, 10] or a set such as {1, 2}")
        lower = ">=" if self._next().text == "[" else ">"
        low = self._bound()
        self._take(",", " between the bounds")
        high = self._bound()
        if not self._is("]", ")"):
            raise self._unexpected("']' or ')' behind the interval; the values of a set stand in braces, {1, 2, 3}")
        upper = "<=" if self._next().text == "]" else "<"
        found = [
            ComparedTerms(cast(CompareOp, op), term, bound)
            for op, bound in ((lower, low), (upper, high))
            if bound is not None
        ]
        if not found:
            raise UntranslatedPartError("an interval without a bound", start.place, "write at least one number")
        return _one_of_them(list(found), AllConditions)

    def _bound(self) -> RuleTerm | None:
        """Return a bound of an interval; None for infinity."""
        at = self.at
        self._took("-", "+")
        if self._took("inf"):
            return None
        self.at = at
        return self._term()

    def _set(self, term: RuleTerm, start: TextToken) -> RuleCondition:
        self._take("{")
        values: list[Decimal | str] = [*self._values()]
        while self._took(",", ";"):
            values += self._values()
        self._take("}", " behind the set")
        texts = [value for value in values if isinstance(value, str)]
        if not texts:
            return AmongValues(term, tuple(value for value in values if isinstance(value, Decimal)))
        if len(texts) != len(values):
            raise UntranslatedPartError("a set of texts and numbers", start.place, "write all of them as texts")
        return AmongValues(self._text(term, start), tuple(texts))

    def _values(self) -> list[Decimal | str]:
        if self._peek().kind == "text":
            return [self._next().text]
        place, first = self._peek().place, self._constant()
        if not self._took(".."):
            return [first]
        last = self._constant()
        if first % 1 or last < first or last - first > _LARGEST_RANGE:
            raise UntranslatedPartError("a range of values", place, "write an interval [a, b], or list the values")
        return [first + step for step in range(int(last - first) + 1)]

    def _constant(self) -> Decimal:
        sign = -1 if self._took("-") else 1
        token = self._next()
        if token.kind != "number":
            hint = f'write "{token.text}" if it is a text' if token.kind == "name" else "write a number or a text"
            raise UntranslatedPartError(f"found {token.text!r} in a set", token.place, hint)
        return sign * plain_number(token.text, token.place)

    # Terms

    def _term(self) -> RuleTerm:
        self.depth += 1
        if self.depth > RULE_NESTING:
            what = f"an expression is nested more than {RULE_NESTING} deep"
            raise UntranslatedPartError(what, self._peek().place, "divide the rule")
        found = self._chain(self._product, "+", "-")
        self.depth -= 1
        return found

    def _product(self) -> RuleTerm:
        return self._chain(self._signed, "*", "/", "mod")

    def _chain(self, part: Callable[[], RuleTerm], *signs: str) -> RuleTerm:
        left, length = part(), 1
        while self._is(*signs):
            sign = self._next()
            length += 1
            if length > RULE_NESTING:
                what = f"a sum or product of more than {RULE_NESTING} terms"
                raise UntranslatedPartError(what, sign.place, "put some of them in brackets")
            right = part()
            for term in (left, right):
                if isinstance(term, TextTerm):
                    raise UntranslatedPartError("computes with a text", sign.place, "write a number")
            op = "remainder" if sign.text == "mod" else sign.text
            left = ComputedTerm(op, left, right)  # type: ignore[arg-type]
        return left

    def _signed(self) -> RuleTerm:
        if self._took("-"):
            inner = self._signed()
            return NumberTerm(-inner.value) if isinstance(inner, NumberTerm) else NegativeTerm(inner)
        self._took("+")
        base = self._primary()
        if not self._took("^"):
            return base
        power = self._signed()
        if isinstance(power, NumberTerm) and power.value in range(1, _HIGHEST_POWER + 1):
            return reduce(lambda product, one: ComputedTerm("*", product, one), [base] * int(power.value))
        return FunctionTerm("math:pow", (base, power))

    def _primary(self) -> RuleTerm:
        token = self._peek()
        if token.kind == "number":
            self._next()
            return NumberTerm(plain_number(token.text, token.place))
        if token.kind == "text":
            self._next()
            return TextTerm(token.text)
        if token.kind == "name":
            self._next()
            return self._function(token) if self._is("(") else ColumnTerm(token.text)
        if self._took("("):
            inner = self._term()
            self._take(")")
            return inner
        raise self._unexpected("a variable, a number, a text or '('")

    def _function(self, token: TextToken) -> RuleTerm:
        known = _FUNCTIONS.get(token.text.lower())
        if known is None:
            near = nearest_name(token.text, tuple(_FUNCTIONS))
            hint = f"did you mean {near}()?" if near else f"use one of: {', '.join(_FUNCTIONS)}"
            raise UntranslatedPartError(f"unknown function {token.text}()", token.place, hint)
        self._take("(")
        arguments = [self._term()]
        while self._took(","):
            arguments.append(self._term())
        self._take(")", " behind the arguments")
        name, fewest, most = known
        if not fewest <= len(arguments) <= most:
            raise UntranslatedPartError(f"{token.text}() of {len(arguments)} values", token.place, f"give it {fewest}")
        return LengthTerm(self._text(arguments[0], token)) if name == "length" else FunctionTerm(name, tuple(arguments))


def _one_of_them(items: list[RuleCondition], join: type[AllConditions] | type[AnyCondition]) -> RuleCondition:
    return items[0] if len(items) == 1 else join(tuple(items))


def text_names(tokens: list[TextToken]) -> frozenset[str]:
    """Return the names that stand beside a text with `=`, `!=` or `in {` between them."""
    found: set[str] = set()
    for left, sign, right in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if sign.kind == "sign" and sign.text in ("=", "!="):
            for one, other in ((left, right), (right, left)):
                if one.kind == "name" and other.kind == "text":
                    found.add(one.text)
    for name, word, _, value in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        if name.kind == "name" and word.text == "in" and value.kind == "text":
            found.add(name.text)
    return frozenset(found)
