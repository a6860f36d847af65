"""Cut a line of a recipe into names, numbers, texts and symbols, each with the column where it stands."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a word is, as an error message calls it."""

    NAME = "a name"
    NUMBER = "a number"
    TEXT = "a text in quotes"
    SYMBOL = "a symbol"
    END = "the end"


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is the word without quotes; `column` counts from 1. A name in backquotes (`is_quoted`) is no keyword."""

    kind: Kind
    text: str
    column: int
    is_quoted: bool = False

    def is_plain(self, *texts: str) -> bool:
        """Tell whether it is one of these symbols or keywords."""
        return self.kind in (Kind.NAME, Kind.SYMBOL) and not self.is_quoted and self.text in texts

    def __str__(self) -> str:
        if self.kind is Kind.END:
            return "nothing"
        return f"'{self.text}'"


_NOT_NAME = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|'(?P<single>(?:[^']|'')*)'"
    r'|"(?P<double>(?:[^"]|"")*)"'
    r"|`(?P<back>(?:[^`]|``)+)`"
    r"|(?P<symbol>[<>!]=|[=<>(),~+])"
)


def mistake(column: int, what: str) -> ValueError:
    """Return the error for what stands at a column."""
    return ValueError(f"column {column}: {what}")


def cut(text: str) -> tuple[Word, ...]:
    """Return the words, closed by one of the kind END.

    A name begins with a letter, "_" or "@" and goes on with letters, digits, "_", "." and "-"; anything else needs
    backquotes. A quote inside quotes is doubled.

    >>> [word.text for word in cut("V8 >= -5 and `my name` = 'it''s'")]
    ['V8', '>=', '-5', 'and', 'my name', '=', "it's", '']
    """
    words: list[Word] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        word, at = _name(text, at) if _begins_name(text[at]) else _other(text, at)
        words.append(word)
    return (*words, Word(Kind.END, "", len(text) + 1))


def _begins_name(character: str) -> bool:
    return character in "_@" or unicodedata.category(character)[0] == "L"


def _goes_on(character: str) -> bool:
    return character in "_.-·" or unicodedata.category(character)[0] in "LMN"  # letters, their marks, and digits


def _name(text: str, start: int) -> tuple[Word, int]:
    stop = start + 1
    while stop < len(text) and _goes_on(text[stop]):
        stop += 1
    return Word(Kind.NAME, text[start:stop], start + 1), stop


def _other(text: str, start: int) -> tuple[Word, int]:
    found = _NOT_NAME.match(text, start)
    if found is None:
        if text[start] in "'\"`":
            raise mistake(start + 1, f"the quote {text[start]} is not closed, or has nothing inside")
        raise mistake(start + 1, f"'{text[start]}' has no meaning here; a name with such characters needs backquotes")
    kind = found.lastgroup or ""
    inside = found.group(kind)
    column, stop = start + 1, found.end()
    match kind:
        case "number":
            return Word(Kind.NUMBER, inside, column), stop
        case "symbol":
            return Word(Kind.SYMBOL, inside, column), stop
        case "back":
            return Word(Kind.NAME, inside.replace("``", "`"), column, is_quoted=True), stop
    quote = found.group()[0]
    return Word(Kind.TEXT, inside.replace(quote * 2, quote), column), stop
