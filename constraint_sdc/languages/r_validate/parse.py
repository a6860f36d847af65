"""Parse R expressions with R's own order of operators."""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.languages.r_validate.syntax import RCall, RExpression, RLogical, RName, RNumber, RString, r_call
from constraint_sdc.languages.r_validate.tokens import RToken, number_of, tokens_of
from constraint_sdc.languages.rule_book import Place, UntranslatedPartError
from constraint_sdc.limits import RULE_NESTING

# Binary operators from the loosest to the tightest, and which of them group from the right.
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("=",),
    ("<-", "<<-", ":="),
    ("->", "->>"),
    ("~",),
    ("||", "|"),
    ("&&", "&"),
    ("!",),
    ("==", "!=", "<", ">", "<=", ">="),
    ("+", "-"),
    ("*", "/"),
    ("%", "|>"),
    (":",),
    ("unary",),
    ("^",),
)
_LEVEL = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
_RIGHT = frozenset({"=", "<-", "<<-", ":=", "^"})
_CONSTANTS: dict[str, bool | None] = {"TRUE": True, "FALSE": False, "T": True, "F": False, "NA": None}


@dataclass(frozen=True, slots=True)
class RStatement:
    """One expression of a file, and the text that it was written as."""

    expression: RExpression
    text: str
    place: Place


def parse_r(text: str, first: Place | None = None) -> tuple[RStatement, ...]:
    """Return the expressions of R text, one after the other.

    >>> [one.text for one in parse_r("x > 0  # positive\\nif (y == 1) x <\\n 5; z")]
    ['x > 0', 'if (y == 1) x <\\n 5', 'z']
    """
    return _RParser(text, tuple(tokens_of(text, first or Place(1)))).statements()


@dataclass(slots=True)
class _RParser:
    text: str
    tokens: tuple[RToken, ...]
    at: int = 0
    brackets: int = 0
    depth: int = 0

    def statements(self) -> tuple[RStatement, ...]:
        found: list[RStatement] = []
        while True:
            self._skip_ends()
            if self._peek().kind == "end":
                return tuple(found)
            first = self._peek()
            expression = self._expression(0)
            last = self.tokens[self.at - 1]
            found.append(RStatement(expression, self.text[first.start : last.stop], first.place))
            if not self._is_end(self._peek()):
                raise self._unexpected("a new line or ';' before the next rule")

    def _peek(self) -> RToken:
        if self.brackets:
            while self.tokens[self.at].kind == "newline":
                self.at += 1
        return self.tokens[self.at]

    def _next(self) -> RToken:
        token = self._peek()
        self.at += token.kind != "end"
        return token

    def _is(self, operator: str) -> bool:
        token = self._peek()
        return token.kind == "operator" and token.text == operator

    def _take(self, operator: str, why: str) -> RToken:
        if not self._is(operator):
            raise self._unexpected(f"{operator!r} {why}")
        return self._next()

    def _is_end(self, token: RToken) -> bool:
        return token.kind in ("newline", "end") or (token.kind == "operator" and token.text == ";")

    def _skip_ends(self) -> None:
        while self._peek().kind != "end" and self._is_end(self._peek()):
            self.at += 1

    def _skip_newlines(self) -> None:
        while self.tokens[self.at].kind == "newline":
            self.at += 1

    def _unexpected(self, expected: str) -> UntranslatedPartError:
        token = self._peek()
        found = {"end": "the end of the rules", "newline": "the end of the line"}.get(token.kind, repr(token.text))
        return UntranslatedPartError(f"found {found} where R does not have it", token.place, f"expected {expected}")

    def _expression(self, level: int) -> RExpression:
        self.depth += 1
        if self.depth > RULE_NESTING:
            hint = "divide the rule"
            raise UntranslatedPartError(f"brackets are nested more than {RULE_NESTING} deep", self._peek().place, hint)
        left = self._prefixed()
        while (operator := self._binary(level)) is not None:
            own, token = operator
            self._next()
            self._skip_newlines()
            right = self._expression(own if token.text in _RIGHT else own + 1)
            left = r_call(token.text, (left, right), token.place)
            if own == _LEVEL["=="] and self._is_comparison():
                raise self._unexpected("'&' between two comparisons")
        self.depth -= 1
        return left

    def _is_comparison(self) -> bool:
        return self._peek().kind == "operator" and self._peek().text in _LEVELS[_LEVEL["=="]]

    def _binary(self, level: int) -> tuple[int, RToken] | None:
        token = self._peek()
        if token.kind != "operator" or token.text == "!":
            return None
        own = _LEVEL.get("%" if token.text.startswith("%") else token.text)
        return (own, token) if own is not None and own >= level else None

    def _prefixed(self) -> RExpression:
        token = self._peek()
        if token.kind == "operator" and token.text in ("-", "+", "!", "~"):
            self._next()
            own = _LEVEL["!"] if token.text == "!" else _LEVEL["~"] if token.text == "~" else _LEVEL["unary"]
            return r_call(token.text, (self._expression(own),), token.place)
        return self._suffixed(self._primary())

    def _suffixed(self, value: RExpression) -> RExpression:
        while True:
            token = self._peek()
            if token.kind != "operator" or token.text not in ("(", "[", "[[", "$", "@", "::", ":::"):
                return value
            if token.text == "(" and isinstance(value, RName):
                value = self._call(value)
            elif token.text in ("::", ":::") and isinstance(value, RName) and value.name in ("validate", "base"):
                self._next()
                value = self._primary()
            else:
                what = {"$": "a column of a data frame by '$'", "(": "a call of something that has no name"}
                raise UntranslatedPartError(
                    what.get(token.text, f"{token.text!r}"), token.place, "name the variable alone"
                )

    def _call(self, function: RName) -> RCall:
        arguments, names = self._arguments()
        return r_call(function.name, tuple(arguments), function.place, tuple(names))

    def _arguments(self) -> tuple[list[RExpression], list[str]]:
        self._take("(", "before the arguments")
        self.brackets += 1
        arguments: list[RExpression] = []
        names: list[str] = []
        while not self._is(")"):
            name = ""
            token, after = self._peek(), self.tokens[self.at + 1 :][:1]
            if token.kind in ("name", "text") and after and after[0].kind == "operator" and after[0].text == "=":
                name = token.text
                self.at += 2
            arguments.append(self._expression(1))
            names.append(name)
            if not self._is(")"):
                self._take(",", "between arguments, or ')' after the last")
        self.brackets -= 1
        self._take_closing()
        return arguments, names

    def _take_closing(self) -> None:
        """Take a closing bracket, behind which a new line counts again."""
        while self.tokens[self.at].kind == "newline":
            self.at += 1
        self.at += 1

    def _primary(self) -> RExpression:
        token = self._next()
        match token.kind, token.text:
            case "number", text:
                return RNumber(number_of(text, token.place), token.place)
            case "text", text:
                return RString(text, token.place)
            case "name", "if":
                return self._condition(token)
            case "name", ("function" | "for" | "while" | "repeat" | "next" | "break") as word:
                raise UntranslatedPartError(f"{word!r} is a programme, not a rule", token.place, "write a condition")
            case "name", name if name in _CONSTANTS and self.text[token.start] != "`":
                return RLogical(_CONSTANTS[name], token.place)
            case "name", name:
                return RName(name, token.place)
            case "operator", ("(" | "{") as opening:
                return self._bracketed(token, ")" if opening == "(" else "}")
            case _:
                self.at -= token.kind != "end"
                raise self._unexpected("a variable, a number, a text or '('")

    def _bracketed(self, token: RToken, closing: str) -> RExpression:
        self.brackets += 1
        inner = self._expression(0)
        if not self._is(closing):
            raise self._unexpected(repr(closing))
        self.brackets -= 1
        self._take_closing()
        return r_call("(", (inner,), token.place)

    def _condition(self, token: RToken) -> RCall:
        self._take("(", "behind 'if'")
        self.brackets += 1
        test = self._expression(0)
        if not self._is(")"):
            raise self._unexpected("')' behind the condition")
        self.brackets -= 1
        self._take_closing()
        self._skip_newlines()
        parts = [test, self._expression(1)]
        if self._peek().kind == "name" and self._peek().text == "else":
            self._next()
            self._skip_newlines()
            parts.append(self._expression(1))
        return r_call("if", tuple(parts), token.place)
