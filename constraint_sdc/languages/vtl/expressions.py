"""Parse expressions over the components of a data point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from constraint_sdc.data.nearest_name import nearest_name
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.languages.arithmetic_text.tokens import TextToken, plain_number
from constraint_sdc.languages.formula import (
    AllConditions,
    AmongValues,
    AnyCondition,
    ChoiceTerm,
    ColumnTerm,
    ComparedTerms,
    ComputedTerm,
    ConstantTruth,
    IsSure,
    NegativeTerm,
    NumberTerm,
    Opposite,
    RuleCondition,
    RuleTerm,
    TextTerm,
)
from constraint_sdc.languages.rule_book import UntranslatedPartError
from constraint_sdc.languages.vtl.functions import FUNCTIONS, VtlValue, function_value
from constraint_sdc.languages.vtl.reader import TokenReader
from constraint_sdc.languages.xpath_terms import is_text_term
from constraint_sdc.limits import RULE_NESTING

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(slots=True)
class VtlExpressions(TokenReader):
    """Reads expressions; `texts` are variables that some rule compares with a text.

    `names` are the components that may be named, with the variables that they are; None if every name is a variable.
    """

    texts: frozenset[str] = frozenset()
    names: dict[str, str] | None = None
    datasets: dict[str, TextToken] = field(default_factory=dict)

    def condition(self) -> RuleCondition:
        """Return an expression that must be a condition."""
        start = self.peek()
        return self._as_condition(self.expression(), start)

    def expression(self) -> VtlValue:
        """Return an expression."""
        self.go_deeper()
        if self.took("if"):
            found = self._conditional()
        elif self.took("case"):
            found = self._case()
        else:
            found = self._any()
        self.depth -= 1
        return found

    def _as_condition(self, value: VtlValue, start: TextToken) -> RuleCondition:
        if isinstance(value, RuleCondition):
            return value
        raise UntranslatedPartError(
            f"{start.text!r} begins what is neither true nor false", start.place, "compare it with something"
        )

    def _as_term(self, value: VtlValue, start: TextToken) -> RuleTerm:
        if not isinstance(value, RuleCondition):
            return value
        hint = "put the comparison in brackets: not (a = b), (a = b) and c > 0"
        raise UntranslatedPartError("a condition where a number or a text is meant", start.place, hint)

    # Conditions

    def _conditional(self) -> VtlValue:
        condition = self.condition()
        self.take("then", " behind the condition")
        then = self.expression()
        self.take("else", " behind the value")
        return self._chosen(condition, then, self.expression())

    def _case(self) -> VtlValue:
        cases: list[tuple[RuleCondition, VtlValue]] = []
        if not self.is_next("when"):
            raise self.unexpected("'when' behind 'case'")
        while self.took("when"):
            condition = self.condition()
            self.take("then", " behind the condition")
            cases.append((condition, self.expression()))
        self.take("else", " behind the values")
        found = self.expression()
        for condition, value in reversed(cases):
            found = self._chosen(condition, value, found)
        return found

    def _chosen(self, condition: RuleCondition, then: VtlValue, otherwise: VtlValue) -> VtlValue:
        """Return one of two values; where the condition is null, it is the second."""
        if isinstance(then, RuleCondition) and isinstance(otherwise, RuleCondition):
            sure = IsSure(condition)
            return AnyCondition((AllConditions((sure, then)), AllConditions((Opposite(sure), otherwise))))
        start = self.peek()
        terms = (self._as_term(then, start), self._as_term(otherwise, start))
        if any(map(is_text_term, terms)):
            raise UntranslatedPartError("chooses between texts", start.place, "choose between conditions or numbers")
        return ChoiceTerm(condition, *terms, unknown=terms[1])

    def _any(self) -> VtlValue:
        start = self.peek()
        left = self._all()
        while self.is_next("or", "xor"):
            word = self.next().text
            right_start = self.peek()
            items = (self._as_condition(left, start), self._as_condition(self._all(), right_start))
            left = AnyCondition(items)
            if word == "xor":
                left = AllConditions((left, Opposite(AllConditions(items))))
        return left

    def _all(self) -> VtlValue:
        start = self.peek()
        left = self._member()
        while self.took("and"):
            right_start = self.peek()
            left = AllConditions((self._as_condition(left, start), self._as_condition(self._member(), right_start)))
        return left

    def _member(self) -> VtlValue:
        start = self.peek()
        left = self._comparison()
        if not self.is_next("in", "not_in"):
            return left
        is_negated = self.next().text == "not_in"
        found = self._among(self._as_term(left, start), start)
        return Opposite(found) if is_negated else found

    def _comparison(self) -> VtlValue:
        start = self.peek()
        left = self._sum()
        while self.is_next(*_COMPARISONS):
            op = cast(CompareOp, self.next().text)
            right_start = self.peek()
            right = self._as_term(self._sum(), right_start)
            left = self._compared(op, (self._as_term(left, start), start), (right, right_start))
        return left

    def _compared(
        self, op: CompareOp, left: tuple[RuleTerm, TextToken], right: tuple[RuleTerm, TextToken]
    ) -> RuleCondition:
        sides = (left[0], right[0])
        is_of_texts = any(
            is_text_term(term) or (isinstance(term, ColumnTerm) and term.name in self.texts) for term in sides
        )
        if not is_of_texts:
            return ComparedTerms(op, *sides)
        if op not in ("=", "!="):
            raise UntranslatedPartError("orders texts", left[1].place, "compare numbers, or use '=' and 'in'")
        for term, start in (left, right):
            if not (is_text_term(term) or isinstance(term, ColumnTerm)):
                raise UntranslatedPartError("compares a text with a number", start.place, "write the number in quotes")
        first, second = (sides[1], sides[0]) if isinstance(sides[0], TextTerm) else sides
        return ComparedTerms(op, first, second, is_of_texts=True)

    def _among(self, term: RuleTerm, start: TextToken) -> RuleCondition:
        if not self.took("{"):
            raise self.unexpected("a set such as {1, 2}; value domains have no translation")
        values = [self._constant()]
        while self.took(","):
            values.append(self._constant())
        self.take("}", " behind the set")
        texts = tuple(one.value for one in values if isinstance(one, TextTerm))
        numbers = tuple(one.value for one in values if isinstance(one, NumberTerm))
        if texts and numbers:
            raise UntranslatedPartError("a set of texts and numbers", start.place, "write all of them as texts")
        if texts and not (is_text_term(term) or isinstance(term, ColumnTerm)):
            raise UntranslatedPartError("a number in a set of texts", start.place, "write numbers")
        if numbers and (is_text_term(term) or (isinstance(term, ColumnTerm) and term.name in self.texts)):
            raise UntranslatedPartError("a text in a set of numbers", start.place, "write texts in double quotes")
        return AmongValues(term, texts or numbers)

    def _constant(self) -> NumberTerm | TextTerm:
        start = self.peek()
        found = self._unary()
        if not isinstance(found, NumberTerm | TextTerm):
            raise UntranslatedPartError("a set has constants", start.place, "write numbers or texts in double quotes")
        return found

    # Terms

    def _sum(self) -> VtlValue:
        start, length = self.peek(), 1
        left = self._product()
        while self.is_next("+", "-", "||"):
            left = self._computed(left, start, self._product)
            length = self._longer(length)
        return left

    def _product(self) -> VtlValue:
        start, length = self.peek(), 1
        left = self._unary()
        while self.is_next("*", "/"):
            left = self._computed(left, start, self._unary)
            length = self._longer(length)
        return left

    def _longer(self, length: int) -> int:
        if length > RULE_NESTING:
            what = f"a sum or product of more than {RULE_NESTING} terms"
            raise UntranslatedPartError(what, self.peek().place, "put some of them in brackets")
        return length + 1

    def _computed(self, left: VtlValue, start: TextToken, part: object) -> RuleTerm:
        sign = self.next()
        if sign.text == "||":
            raise UntranslatedPartError("joins texts", sign.place, "compare each of them by itself")
        right_start = self.peek()
        sides = (self._as_term(left, start), self._as_term(part(), right_start))  # type: ignore[operator]
        if any(is_text_term(one) or (isinstance(one, ColumnTerm) and one.name in self.texts) for one in sides):
            raise UntranslatedPartError("computes with a text", sign.place, "write a number")
        return ComputedTerm(sign.text, *sides)  # type: ignore[arg-type]

    def _unary(self) -> VtlValue:
        start = self.peek()
        if self.took("not"):
            self.go_deeper()
            inner_start = self.peek()
            found = Opposite(self._negatable(self._unary(), inner_start))
            self.depth -= 1
            return found
        if self.took("-"):
            self.go_deeper()
            inner = self._as_term(self._unary(), start)
            self.depth -= 1
            if is_text_term(inner):
                raise UntranslatedPartError("the negative of a text", start.place, "write a number")
            return NumberTerm(-inner.value) if isinstance(inner, NumberTerm) else NegativeTerm(inner)
        self.took("+")
        return self._primary()

    def _negatable(self, value: VtlValue, start: TextToken) -> RuleCondition:
        if isinstance(value, RuleCondition):
            return value
        what = "'not' binds more tightly than a comparison"
        raise UntranslatedPartError(what, start.place, "put the comparison in brackets: not (a = b)")

    def _primary(self) -> VtlValue:
        token = self.next()
        match token.kind:
            case "number":
                return NumberTerm(plain_number(token.text, token.place))
            case "text":
                return TextTerm(token.text)
            case "name":
                return self._name(token)
            case "word" if token.text in ("true", "false"):
                return ConstantTruth(token.text == "true")
            case "word" if token.text in FUNCTIONS:
                return self._function(token)
            case "sign" if token.text == "(":
                inner = self.expression()
                self.take(")")
                return inner
        self.at -= token.kind != "end"
        if token.kind == "word" and token.text == "null":
            raise UntranslatedPartError("compares with null", token.place, "write isnull(...)")
        if token.kind == "word" and self.tokens[self.at + 1].text == "(":
            hint = f"use one of: {', '.join(FUNCTIONS)}"
            raise UntranslatedPartError(f"{token.text}() has no translation", token.place, hint)
        raise self.unexpected("a component, a constant, a function or '('")

    def _name(self, token: TextToken) -> RuleTerm:
        if self.is_next("("):
            near = nearest_name(token.text, FUNCTIONS)
            hint = f"did you mean {near}()?" if near else f"use one of: {', '.join(FUNCTIONS)}"
            raise UntranslatedPartError(f"unknown function {token.text}()", token.place, hint)
        if self.took("#"):
            self.datasets.setdefault(token.text, token)
            return ColumnTerm(self.take_name("a component behind '#'").text)
        if self.names is None:
            return ColumnTerm(token.text)
        if token.text not in self.names:
            near = nearest_name(token.text, tuple(self.names))
            hint = f"did you mean {near!r}?" if near else "add it to 'variable' of the ruleset"
            raise UntranslatedPartError(f"{token.text!r} is not a variable of the ruleset", token.place, hint)
        return ColumnTerm(self.names[token.text])

    def _function(self, token: TextToken) -> VtlValue:
        self.take("(", f" behind {token.text}")
        arguments = [self.expression()]
        while self.took(","):
            arguments.append(self.expression())
        self.take(")", " behind the values")
        return function_value(token, arguments)
