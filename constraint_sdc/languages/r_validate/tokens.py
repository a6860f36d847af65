"""Cut R text into tokens that know their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal as OneOf

from constraint_sdc.languages.rule_book import Place, UntranslatedPartError
from constraint_sdc.limits import NUMBER_EXPONENT

_TOKEN = re.compile(
    r"""(?P<space>[ \t\f\u00a0]+)
    |(?P<comment>\#[^\n]*)
    |(?P<newline>\n)
    |(?P<number>0[xX][0-9a-fA-F]+L?|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?L?)
    |(?P<raw>[rR]["'][-]*[(\[{])
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<quoted>`[^`\n]+`)
    |(?P<name>(?:[^\W\d]|\.(?![0-9]))[\w.]*)
    |(?P<operator>%[^%\n]*%|:::?|:=|<<-|<-|->>?|\|>|==|!=|<=|>=|&&|\|\||\[\[|[-+*/^<>=!&|~:$@(){}\[\],;?\\])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", "'": "'", '"': '"', "`": "`"}

TokenKind = OneOf["number", "text", "name", "operator", "newline", "end"]


@dataclass(frozen=True, slots=True)
class RToken:
    """One token; `text` is its meaning for a text or a quoted name, `start` and `stop` where it stands."""

    kind: TokenKind
    text: str
    place: Place
    start: int
    stop: int


def tokens_of(text: str, first: Place) -> Iterator[RToken]:
    """Yield the tokens of R text, the last of kind "end"; `first` is the place of its first character."""
    at, line, line_start = 0, first.line, 1 - first.column
    while at < len(text):
        place = Place(line, at - line_start + 1)
        found = _TOKEN.match(text, at)
        if found is None:
            raise UntranslatedPartError(*_unknown(text, at, place))
        kind, piece = str(found.lastgroup), found.group()
        if kind == "raw":
            raise UntranslatedPartError('a raw text r"(...)"', place, "write it as an ordinary text with escapes")
        if kind not in ("space", "comment"):
            yield _token(kind, piece, place, at, found.end())
        at = found.end()
        if "\n" in piece:
            line += piece.count("\n")
            line_start = at - (len(piece) - piece.rindex("\n") - 1)
    yield RToken("end", "", Place(line, at - line_start + 1), at, at)


def _unknown(text: str, at: int, place: Place) -> tuple[str, Place, str]:
    if text[at] in "\"'`":
        return "a text that does not end", place, f"close it with {text[at]}"
    return f"{text[at]!r} is not R", place, "remove it"


def _token(kind: str, piece: str, place: Place, start: int, stop: int) -> RToken:
    match kind:
        case "text":
            return RToken("text", _unescaped(piece[1:-1], place), place, start, stop)
        case "quoted":
            return RToken("name", piece[1:-1], place, start, stop)
        case "number" | "name" | "operator" | "newline":
            return RToken(kind, piece, place, start, stop)
        case _:
            raise AssertionError(kind)


def _unescaped(text: str, place: Place) -> str:
    def character(found: re.Match[str]) -> str:
        code, short = found.group(1) or found.group(2), found.group(3)
        if code:
            return chr(int(code, 16))
        if short not in _ESCAPES or short == "0":
            raise UntranslatedPartError(f"the escape \\{short} in a text", place, "write the character itself")
        return _ESCAPES[short]

    return re.sub(r"\\(?:x([0-9a-fA-F]{1,2})|u\{?([0-9a-fA-F]{1,4})\}?|(.))", character, text, flags=re.DOTALL)


def number_of(text: str, place: Place) -> Decimal:
    """Return the exact value of a number as R writes it."""
    digits = text.removesuffix("L")
    if digits[:2].lower() == "0x":
        return Decimal(int(digits, 16))
    value = Decimal(digits)
    if (value and not -NUMBER_EXPONENT <= value.adjusted() <= NUMBER_EXPONENT) or len(digits) > NUMBER_EXPONENT:
        raise UntranslatedPartError(
            "a number beyond all measure", place, f"write one of at most {NUMBER_EXPONENT} digits"
        )
    return value
