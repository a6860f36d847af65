"""Read tokens one by one: what comes next, what must come, and what was found instead."""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.languages.arithmetic_text.tokens import TextToken
from constraint_sdc.languages.rule_book import UntranslatedPartError
from constraint_sdc.limits import RULE_NESTING


@dataclass(slots=True)
class TokenReader:
    """Reads the tokens of VTL."""

    tokens: list[TextToken]
    at: int = 0
    depth: int = 0

    def peek(self) -> TextToken:
        """Return the next token."""
        return self.tokens[self.at]

    def next(self) -> TextToken:
        """Return the next token and go on."""
        token = self.tokens[self.at]
        self.at += token.kind != "end"
        return token

    def is_next(self, *texts: str) -> bool:
        """Tell whether one of these words or signs comes next."""
        return self.peek().kind in ("word", "sign") and self.peek().text in texts

    def took(self, *texts: str) -> bool:
        """Go on if one of these words or signs comes next."""
        if self.is_next(*texts):
            self.at += 1
            return True
        return False

    def take(self, text: str, why: str = "") -> None:
        """Go on behind a word or sign that must come next."""
        if not self.took(text):
            raise self.unexpected(f"{text!r}{why}")

    def take_name(self, what: str) -> TextToken:
        """Return a name that must come next."""
        token = self.peek()
        if token.kind != "name":
            quoted = f"; put the word {token.text} in single quotes if it is a name" if token.kind == "word" else ""
            raise self.unexpected(f"{what}{quoted}")
        return self.next()

    def unexpected(self, expected: str) -> UntranslatedPartError:
        """Return the error that something else comes next."""
        token = self.peek()
        found = "the end of the file" if token.kind == "end" else repr(token.text)
        return UntranslatedPartError(f"found {found}", token.place, f"expected {expected}")

    def go_deeper(self) -> None:
        """Count one more level of brackets or conditions."""
        self.depth += 1
        if self.depth > RULE_NESTING:
            what = f"an expression is nested more than {RULE_NESTING} deep"
            raise UntranslatedPartError(what, self.peek().place, "divide the rule")
