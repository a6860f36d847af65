"""Cut a rule of plain text into tokens that know their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal as OneOf

from constraint_sdc.languages.rule_book import Place, UntranslatedPartError
from constraint_sdc.limits import NUMBER_EXPONENT, RULE_PARTS

_TOKEN = re.compile(
    r"""(?P<space>[\s\u00a0]+)
    |(?P<number>[0-9]+(?:\.(?!\.)[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
    |(?P<text>"[^"\n]*"|'[^'\n]*')
    |(?P<quoted>`[^`\n]+`)
    |(?P<name>[^\W\d]\w*(?:\.\w+)*)
    |(?P<sign>\.\.|=>|⇒|<=|>=|==|!=|<>|[-+*/^=<>≤≥≠\u00d7·\u2212()\[\]{},:@;∞])
    """,
    re.VERBOSE,
)
_SAME = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">=", "\u00d7": "*", "·": "*", "\u2212": "-", "⇒": "=>"}
_LOGIC = {"if", "then", "else", "and", "or", "xor", "not", "implies"}
WORDS = frozenset({*_LOGIC, "in", "is", "missing", "matches", "inf", "mod"})

WordKind = OneOf["number", "text", "name", "word", "sign", "end"]


@dataclass(frozen=True, slots=True)
class TextToken:
    """One token; a word of the language is in small letters, a sign in its plain spelling."""

    kind: WordKind
    text: str
    place: Place


def text_tokens(text: str, first: Place) -> list[TextToken]:
    """Return the tokens of a rule, the last of kind "end"; `first` is the place of its first character."""
    found = list(_tokens(text, first))
    if len(found) > RULE_PARTS:
        raise UntranslatedPartError(f"a rule has more than {RULE_PARTS} parts", first, "divide the rule")
    return found


def _tokens(text: str, first: Place) -> Iterator[TextToken]:
    at, line, line_start = 0, first.line, 1 - first.column
    while at < len(text):
        found = _TOKEN.match(text, at)
        place = Place(line, at - line_start + 1)
        if found is None:
            hint = "close it" if text[at] in "\"'`" else "remove it"
            raise UntranslatedPartError(f"{text[at]!r} is not part of a rule", place, hint)
        if found.lastgroup != "space":
            yield _token(str(found.lastgroup), found.group(), place)
        at = found.end()
        if "\n" in found.group():
            line += found.group().count("\n")
            line_start = at - (len(found.group()) - found.group().rindex("\n") - 1)
    yield TextToken("end", "", Place(line, at - line_start + 1))


def _token(kind: str, piece: str, place: Place) -> TextToken:
    match kind:
        case "text":
            return TextToken("text", piece[1:-1], place)
        case "quoted":
            return TextToken("name", piece[1:-1], place)
        case "name" if piece.lower() in WORDS:
            return TextToken("word", piece.lower(), place)
        case "sign" if piece == "∞":
            return TextToken("word", "inf", place)
        case "sign":
            return TextToken("sign", _SAME.get(piece, piece), place)
        case "name":
            return TextToken("name", piece, place)
        case _:
            return TextToken("number", piece, place)


def plain_number(text: str, place: Place) -> Decimal:
    """Return the exact value of a number."""
    value = Decimal(text)
    if len(text) > NUMBER_EXPONENT or (value and not -NUMBER_EXPONENT <= value.adjusted() <= NUMBER_EXPONENT):
        hint = f"write one of at most {NUMBER_EXPONENT} digits"
        raise UntranslatedPartError("a number beyond all measure", place, hint)
    return value
