"""Write conditions as XPath 2.0: three-valued logic in a language that has two values.

A term without a value becomes the empty sequence: `xs:decimal(V9[normalize-space()])` is no item where V9 is absent,
empty or blank; arithmetic on no item gives no item; a comparison with no item is false. So `$V9 + $V10 = $V14` is true
where the condition is surely true, and `not($V9 + $V10 != $V14)` where it is true or unknown. A text that is not a
number stops the rule with an error: it neither holds nor fails.

Numbers are exact decimals. Division by anything but a constant with a finite decimal inverse, roots, powers and
logarithms are computed in double, as the languages do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from constraint_sdc.languages.formula import (
    OPPOSITE_OP,
    AllConditions,
    AmongValues,
    AnyCondition,
    ChoiceTerm,
    ColumnTerm,
    ComparedTerms,
    ComputedTerm,
    ConstantTruth,
    DoubleTerm,
    EachRecord,
    FirstKnownTerm,
    FunctionTerm,
    HasForm,
    HasNoValue,
    IsSure,
    LengthTerm,
    NegativeTerm,
    NumberTerm,
    Opposite,
    OverRecordsTerm,
    RuleCondition,
    RuleTerm,
    TextTerm,
    UniqueRecord,
    columns_of,
    opposite,
    own_columns,
    parts_of,
    settled,
)

# How tightly an expression binds; a looser one inside a tighter one is put in brackets.
_OR, _AND, _COMPARISON, _SUM, _PRODUCT, _UNARY, _WHOLE = range(7)
_MOST_LISTED = 40
_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_OPERATORS = {"+": ("+", _SUM), "-": ("-", _SUM), "*": ("*", _PRODUCT), "/": ("div", _PRODUCT)}


@dataclass(frozen=True, slots=True)
class XPathPiece:
    """A piece of XPath and how tightly it binds."""

    text: str
    binds: int = _WHOLE

    def within(self, binds: int) -> str:
        """Return the text for a place that binds so tightly."""
        return self.text if self.binds >= binds else f"({self.text})"


@dataclass(frozen=True, slots=True)
class RuleSubject:
    """What rules are about: the record element, the prefix of all its names, and texts that stand for no value."""

    record: str = "Record"
    prefix: str = ""
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def records(self) -> str:
        """Return the path of all records."""
        return f"//{self.prefix}{self.record}"

    def step(self, name: str) -> str:
        """Return the path of a variable from its record."""
        return f"{self.prefix}{name}"

    def filled(self, name: str) -> str:
        """Return the path of a variable that selects it only where it has a value."""
        if name in self.codes:
            return f"{self.step(name)}[not(normalize-space() = {self._no_value(name)})]"
        return f"{self.step(name)}[normalize-space()]"

    def filled_number(self, name: str) -> str:
        """Return the same for a variable that is read as a number.

        A missing code that is a number stands for every way of writing it. The constraint then says `V1 = -9`, which
        masking understands, and not that a text has a form.
        """
        numbers, texts = self._codes_by_kind(name)
        if not numbers:
            return self.filled(name)
        listed = numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"
        filled = f"not(normalize-space() = ('', {', '.join(texts)}))" if texts else "normalize-space()"
        return f"{self.step(name)}[{filled} and not(number() = {listed})]"

    def _codes_by_kind(self, name: str) -> tuple[list[str], list[str]]:
        codes = self.codes.get(name, ())
        numbers = [code for code in codes if _PLAIN_NUMBER.fullmatch(code)]
        return numbers, [quoted_text(code) for code in codes if code not in numbers]

    def missing(self, name: str) -> str:
        """Return the condition that a variable has no value."""
        return f"normalize-space({self.step(name)}) = {self._no_value(name)}"

    def present(self, name: str) -> str:
        """Return the condition that a variable has a value."""
        return f"not({self.missing(name)})" if name in self.codes else f"normalize-space({self.step(name)}) != ''"

    def is_value(self, name: str, text: str) -> bool:
        """Tell whether a text is a value of a variable, and not one of those that stand for none."""
        normal = " ".join(text.split())
        return normal != "" and normal not in self.codes.get(name, ())

    def _no_value(self, name: str) -> str:
        texts = ("", *self.codes.get(name, ()))
        return quoted_text(texts[0]) if len(texts) == 1 else f"({', '.join(map(quoted_text, texts))})"


@dataclass(slots=True)
class SharedParts:
    """What the rules of one schema share: values over all records, and keys, by name."""

    lets: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    needs_xpath3: bool = False

    def name_let(self, wished: str, value: str) -> str:
        """Return the name under which a value stands in the schema; equal values share one."""
        return _named(self.lets, wished, value)

    def name_key(self, wished: str, use: str) -> str:
        """Return the name of a key; equal keys share one."""
        return _named(self.keys, wished, use)


def _named(known: dict[str, str], wished: str, value: str) -> str:
    for name, other in known.items():
        if other == value:
            return name
    name, number = wished, 2
    while name in known:
        name, number = f"{wished}.{number}", number + 1
    known[name] = value
    return name


@dataclass(slots=True)
class XPathWriter:
    """Writes the conditions of one rule; `lets` are the variables that the rule declares, unless it is `inline`."""

    subject: RuleSubject
    shared: SharedParts
    inline: bool = False
    lets: dict[str, str] = field(default_factory=dict)

    def test(self, condition: RuleCondition, *, is_unknown_true: bool) -> str:
        """Return the condition as a test that is true, or false, where the condition is unknown."""
        return self._truth(settled(condition), is_unknown_true).text

    def _truth(self, condition: RuleCondition, wide: bool) -> XPathPiece:
        """Return where a condition is true, and if `wide` also where it is unknown."""
        match condition:
            case AllConditions(items):
                return self._joined(items, wide, "and", _AND, "true()")
            case AnyCondition(items):
                return self._joined(items, wide, "or", _OR, "false()")
            case Opposite(item):
                return _not(self._truth(item, not wide))
            case ConstantTruth(value):
                return XPathPiece("true()" if value or (value is None and wide) else "false()")
            case IsSure(inner):
                return self._truth(settled(inner), False)
            case ComparedTerms():
                return self._compared(condition, wide)
            case AmongValues(term, values):
                return self._known_or(term, wide, self._among(term, values))
            case HasForm(text, regex, flags, false_if_missing):
                arguments = ", ".join((quoted_text(regex), *([quoted_text(flags)] if flags else ())))
                return self._of_text(
                    text, wide and not false_if_missing, lambda asked: f"matches({asked}, {arguments})"
                )
            case HasNoValue(term):
                return self._no_value(term)
            case EachRecord(inner):
                return self._each_record(inner, wide)
            case UniqueRecord(names):
                return self._unique(names)

    def _joined(self, items: tuple[RuleCondition, ...], wide: bool, word: str, binds: int, nothing: str) -> XPathPiece:
        pieces = [self._truth(item, wide) for item in items]
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
        is_double = any(map(_needs_double, (compared.left, compared.right)))
        left, right = (self._number(side, is_double).within(_SUM) for side in (compared.left, compared.right))
        if not wide or not columns_of(compared):
            return self._sure(left, compared.op, right, is_double)
        return _not(self._sure(left, OPPOSITE_OP[compared.op], right, is_double))

    def _sure(self, left: str, op: str, right: str, is_double: bool) -> XPathPiece:
        # NaN, as of 0 div 0, differs from every number for XPath, and is unknown to the languages.
        if is_double and op == "!=":
            return XPathPiece(f"{left} < {right} or {left} > {right}", _OR)
        return XPathPiece(f"{left} {op} {right}", _COMPARISON)

    def _compared_texts(self, compared: ComparedTerms, wide: bool) -> XPathPiece:
        match compared:
            case ComparedTerms(op, ColumnTerm(name), TextTerm(text)) if self.subject.is_value(name, text):
                return self._compared_value(op, name, text, wide)
        left, right = self._text(compared.left).text, self._text(compared.right).text
        if wide:
            return _not(XPathPiece(f"{left} {OPPOSITE_OP[compared.op]} {right}"))
        return XPathPiece(f"{left} {compared.op} {right}", _COMPARISON)

    def _compared_value(self, op: str, name: str, text: str, wide: bool) -> XPathPiece:
        """Return the comparison with a text that no missing value equals, so that most forms need no guard."""
        equal = XPathPiece(f"{self.subject.step(name)} = {quoted_text(text)}", _COMPARISON)
        if op == "=":
            return self._known_or(ColumnTerm(name), wide, equal)
        if wide:
            return _not(equal)
        return XPathPiece(f"{self.subject.filled(name)} != {quoted_text(text)}", _COMPARISON)

    def _among(self, term: RuleTerm, values: tuple[Decimal, ...] | tuple[str, ...]) -> XPathPiece:
        texts = [value for value in values if isinstance(value, str)]
        if not texts:
            left = self._number(term, _needs_double(term)).within(_SUM)
        elif isinstance(term, ColumnTerm) and all(self.subject.is_value(term.name, text) for text in texts):
            left = self.subject.step(term.name)
        else:
            left = self._text(term).text
        listed = list(map(quoted_text, texts)) or _runs([value for value in values if isinstance(value, Decimal)])
        # Processors read a list from left to right, one level of nesting for each item.
        parts = [listed[at : at + _MOST_LISTED] for at in range(0, len(listed), _MOST_LISTED)]
        pieces = [f"{left} = ({', '.join(part)})" if len(part) > 1 else f"{left} = {part[0]}" for part in parts]
        return XPathPiece(" or ".join(pieces), _COMPARISON if len(pieces) == 1 else _OR)

    def _known_or(self, term: RuleTerm, wide: bool, known: XPathPiece) -> XPathPiece:
        """Return a piece that is false where the term has no value; if `wide`, it is made true there."""
        if not wide:
            return known
        return XPathPiece(f"{known.within(_OR)} or {self._no_value(term).within(_OR)}", _OR)

    def _of_text(self, text: RuleTerm, wide: bool, question: Callable[[str], str]) -> XPathPiece:
        """Return a question about a text."""
        if not isinstance(text, ColumnTerm):
            inner = self._text(text, question).text
            return _not(XPathPiece(f"{inner} = false()")) if wide else XPathPiece(f"{inner} = true()", _COMPARISON)
        asked, name = question(self.subject.step(text.name)), text.name
        if wide:
            return XPathPiece(f"{self.subject.missing(name)} or {asked}", _OR)
        return XPathPiece(f"{self.subject.present(name)} and {asked}", _AND)

    def _no_value(self, term: RuleTerm) -> XPathPiece:
        if isinstance(term, ColumnTerm):
            return XPathPiece(self.subject.missing(term.name), _COMPARISON)
        is_text = isinstance(term, TextTerm | FunctionTerm) and _is_text(term)
        inner = self._text(term) if is_text else self._number(term, _needs_double(term))
        return XPathPiece(f"empty({inner.text})")

    # Over all records

    def _each_record(self, condition: RuleCondition, wide: bool) -> XPathPiece:
        inner = replace(self, inline=True)._truth(opposite(settled(condition)), not wide)
        return XPathPiece(f"empty({self.subject.records}[{inner.text}])")

    def _unique(self, names: tuple[str, ...]) -> XPathPiece:
        steps = [self.subject.filled(name) for name in names]
        # A length before every text keeps ('a', 'bc') and ('ab', 'c') apart.
        parts = ", ".join(f"string-length({step}), ':', {step}" for step in steps)
        use = f"string({steps[0]})" if len(steps) == 1 else f"concat({parts})"
        key = self.shared.name_key("by-" + "-".join(names), use)
        return XPathPiece(f"count(key({quoted_text(key)}, {use})) = 1", _COMPARISON)

    def _over_records(self, term: OverRecordsTerm) -> XPathPiece:
        records = self.subject.records
        if term.function == "count":
            return XPathPiece("$" + self.shared.name_let("records", f"count({records})"))
        inline = replace(self, inline=True)
        inner = [inline._number(one, _needs_double(one)).text for one in term.terms]
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
                return XPathPiece(number_text(value), _UNARY if value < 0 else _WHOLE)
            case ColumnTerm(name):
                return self._column(name, is_double)
            case DoubleTerm(inner):
                return self._number(inner, True)
            case NegativeTerm(inner):
                return XPathPiece(f"-{self._number(inner, is_double).within(_WHOLE)}", _UNARY)
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
        self.lets[name] = value
        return XPathPiece(f"${name}")

    def _arithmetic(self, term: ComputedTerm, is_double: bool) -> XPathPiece:
        left, right = (self._number(side, is_double) for side in (term.left, term.right))
        if term.op == "quotient":
            return XPathPiece(f"floor({left.within(_PRODUCT)} div {right.within(_UNARY)})")
        if term.op in ("modulo", "remainder"):
            inner = f"{left.within(_PRODUCT)} mod {right.within(_UNARY)}"
            divisor = right.within(_UNARY)
            wrapped = f"({inner} + {divisor}) mod {divisor}" if term.op == "modulo" else inner
            return XPathPiece(wrapped, _PRODUCT)
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
        test = self._truth(settled(term.condition), False).text
        if otherwise == unknown:
            return XPathPiece(f"(if ({test}) then {then} else {otherwise})")
        against = self._truth(opposite(settled(term.condition)), False).text
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


def _is_text(term: RuleTerm) -> bool:
    return isinstance(term, TextTerm) or (isinstance(term, FunctionTerm) and term.name in TEXT_FUNCTIONS)


def is_text_term(term: RuleTerm) -> bool:
    """Tell whether a term is surely a text."""
    return _is_text(term)


def _needs_double(term: RuleTerm) -> bool:
    """Tell whether a term cannot be computed exactly, or is asked for in double."""
    for part in parts_of(term):
        match part:
            case OverRecordsTerm() if part is term:
                return False
            case DoubleTerm() | ComputedTerm("quotient"):
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


def _runs(values: list[Decimal]) -> list[str]:
    """Return numbers as XPath items; whole numbers that follow each other are written as a range.

    >>> _runs([Decimal(1), Decimal(2), Decimal(3), Decimal(7)])
    ['1 to 3', '7']
    """
    found: list[tuple[Decimal, Decimal]] = []
    for value in values:
        if found and value == found[-1][1] + 1 and value % 1 == 0:
            found[-1] = (found[-1][0], value)
        else:
            found.append((value, value))
    return [item for first, last in found for item in _run(first, last)]


def _run(first: Decimal, last: Decimal) -> list[str]:
    ends = [number_text(first), number_text(last)]
    return ends[:1] if first == last else ends if last == first + 1 else [" to ".join(ends)]


def _not(piece: XPathPiece) -> XPathPiece:
    return XPathPiece(f"not({piece.text})")


def quoted_text(text: str) -> str:
    """Return a text as an XPath string.

    >>> quoted_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def number_text(value: Decimal) -> str:
    """Return a number as an XPath literal without an exponent.

    >>> number_text(Decimal("1E+3")), number_text(Decimal("1E-3"))
    ('1000', '0.001')
    """
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
