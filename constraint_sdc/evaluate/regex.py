"""matches(): the part of XPath's regular expressions for which RE2 gives the same answer, on ASCII text.

Patterns are rewritten, never passed on unchanged: `\\w` excludes `_` in XPath, `$` never matches before a final
newline, `.` stops at carriage returns too. What is not in the grammar below is refused. Saxon judges records with
other than ASCII text.
"""

from __future__ import annotations

import re
from enum import IntEnum
from string import ascii_letters, digits, printable
from typing import Any

import numpy as np
import re2

from constraint_sdc.evaluate.expression import Expression, Literal
from constraint_sdc.evaluate.strings import string_argument
from constraint_sdc.evaluate.value import NotMine, Value, either, some, truth

# The ASCII members of XPath's classes; \w is everything but punctuation, separators and control characters.
_CLASSES = {
    "d": r"0-9",
    "s": r" \t\n\r",
    "w": r"0-9A-Za-z$+<=>^`|~",
    "p{L}": "A-Za-z",
    "p{Lu}": "A-Z",
    "p{Ll}": "a-z",
    "p{N}": "0-9",
    "p{Nd}": "0-9",
}
_SINGLES = {"n": r"\n", "r": r"\r", "t": r"\t"} | {c: re.escape(c) for c in r"\|.-^?*+{}()[]$"}
_LITERALS = frozenset(printable) - frozenset("\\|.^?*+{}()[]$\x0b\x0c")
# No reluctant forms: Saxon gets `(1*|b)??b.` wrong.
_QUANTIFIER = re.compile(r"(?:[?*+]|\{(\d{1,3})(,(\d{1,3})?)?\})(?!\?)")
_MOST_REPEATS = 9
_ESCAPE = re.compile(r"\\(?:[pP]\{(?:L|Lu|Ll|N|Nd)\}|.)", re.DOTALL)


_QUIET = re2.Options()
_QUIET.log_errors = False


class Extent(IntEnum):
    """How much text a part of a pattern may match: a fixed length, a bounded one, or any."""

    FIXED = 0
    BOUNDED = 1
    ENDLESS = 2


def matches(subject: Value, pattern: tuple[Expression, ...], *, xpath1: bool) -> Value:
    """Return whether the subject, a string or node, matches a constant pattern without flags."""
    match pattern:
        case (Literal(str() as source),) | (Literal(str() as source), Literal("")):
            compiled = compiled_regex(source)
        case _:
            raise NotMine("matches() with flags, or with a pattern that is not a literal")
    reading, doubt = string_argument(subject, "matches()", xpath1=xpath1)
    answers = reading.text.test(lambda string: compiled.search(string) is not None)
    return Value((truth(answers),), either(doubt, some(np.logical_not(reading.text.is_ascii))))


def compiled_regex(source: str) -> Any:
    """Return the matcher of a pattern. RE2 takes time linear in the text, whatever a rule file asks for."""
    try:
        return re2.compile(translated(source), _QUIET)
    except re2.error as problem:
        raise NotMine(f"matches() with a pattern beyond RE2's limits: {source!r}") from problem


def translated(source: str) -> str:
    r"""Return the RE2 form of an XPath regular expression.

    >>> translated(r"^[A-Z]{2}\d+$")
    '\\A(?:[A-Z]){2}(?:[0-9])+\\z'
    """
    return _Translator(source).whole()


class _Translator:
    """A recursive descent over one pattern."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0

    def whole(self) -> str:
        result, _ = self._alternatives(is_whole=True)
        if self._at < len(self._source):
            raise self._refusal()
        return result

    def _refusal(self) -> NotMine:
        return NotMine(f"matches() with a pattern that is not plain at character {self._at + 1}: {self._source!r}")

    def _next(self) -> str:
        return self._source[self._at : self._at + 1]

    def _take(self, text: str) -> bool:
        if self._source.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _alternatives(self, *, is_whole: bool = False) -> tuple[str, Extent]:
        """Return the Python form, and how much text it may match."""
        branches = [self._branch(is_whole)]
        while self._take("|"):
            branches.append(self._branch(is_whole))
        extent = max(extent for _, extent in branches)
        if len(branches) > 1:
            extent = max(extent, Extent.BOUNDED)
        return "|".join(branch for branch, _ in branches), extent

    def _branch(self, is_whole: bool) -> tuple[str, Extent]:
        # Anchors only at the ends of the whole pattern: Saxon gets `a?^` wrong.
        parts, extent = [r"\A"] if is_whole and self._take("^") else [], Extent.FIXED
        while self._next() not in ("", "|", ")"):
            if is_whole and self._source[self._at : self._at + 2] in ("$", "$|"):
                self._at += 1
                parts.append(r"\z")
            else:
                part, own = self._piece()
                parts.append(part)
                extent = max(extent, own)
        return "".join(parts), extent

    def _piece(self) -> tuple[str, Extent]:
        atom, inner = self._atom()
        quantifier = _QUANTIFIER.match(self._source, self._at)
        if quantifier is None:
            return atom, inner
        extent = _repeated(inner, quantifier)
        # Saxon does not terminate on some repeats of an empty part, such as `a*?(){2}`.
        if extent is None or re.fullmatch(atom, ""):
            raise self._refusal()
        self._at = quantifier.end()
        return f"(?:{atom}){quantifier[0]}", extent

    def _atom(self) -> tuple[str, Extent]:
        if self._take("("):
            if self._next() == "?" and not self._take("?:"):
                raise self._refusal()
            inner, extent = self._alternatives()
            if not self._take(")"):
                raise self._refusal()
            return f"(?:{inner})", extent
        if self._take("["):
            return self._class(), Extent.FIXED
        if self._take("."):
            return r"[^\n\r]", Extent.FIXED
        return f"[{self._escape()}]" if self._next() == "\\" else self._literal(), Extent.FIXED

    def _literal(self) -> str:
        character = self._next()
        if character not in _LITERALS:
            raise self._refusal()
        self._at += 1
        return re.escape(character)

    def _escape(self) -> str:
        """Return an escape as the inside of a Python character class."""
        escape = _ESCAPE.match(self._source, self._at)
        if escape is None:
            raise self._refusal()
        name = escape[0][1:]
        if name in _CLASSES or name in _SINGLES:
            self._at = escape.end()
            return _CLASSES.get(name) or _SINGLES[name]
        inverse = name[0].lower() + name[1:]
        if inverse not in _CLASSES:
            raise self._refusal()
        self._at = escape.end()
        return _complement(_CLASSES[inverse])

    def _class(self) -> str:
        negated = "^" if self._take("^") else ""
        parts: list[str] = []
        while not self._take("]"):
            if self._next() == "\\":
                parts.append(self._escape())
            else:
                parts.append(self._range(is_first=not parts))
        if not parts:
            raise self._refusal()
        return f"[{negated}{''.join(parts)}]"

    def _range(self, *, is_first: bool) -> str:
        """Return one character or a range of letters or digits; a hyphen only first or last."""
        here = self._source[self._at : self._at + 3]
        if len(here) == 3 and here[1] == "-" and here[2] != "]":
            if not any(here[0] in run and here[2] in run for run in (ascii_letters[:26], ascii_letters[26:], digits)):
                raise self._refusal()
            if here[0] > here[2]:
                raise self._refusal()
            self._at += 3
            return here
        if here[:1] == "-" and not ((is_first and here[1:2] != "-") or here[1:2] == "]"):
            raise self._refusal()
        if here[:1] not in _LITERALS | frozenset(".?*+{}()$|"):
            raise self._refusal()
        self._at += 1
        return re.escape(here[0])


def _repeated(inner: Extent, quantifier: re.Match[str]) -> Extent | None:
    """Return the extent of a repetition, None where Saxon, which backtracks, could take exponential time."""
    low, comma, high = quantifier.groups()
    if quantifier[0][0] == "?":
        return max(inner, Extent.BOUNDED)
    if quantifier[0][0] in "*+" or (comma and high is None):
        return Extent.ENDLESS if inner is Extent.FIXED else None
    most = int(high or low)
    if most < int(low) or inner is Extent.ENDLESS or (inner is Extent.BOUNDED and most > _MOST_REPEATS):
        return None
    return max(inner, Extent.BOUNDED if comma else Extent.FIXED)


def _complement(inside: str) -> str:
    keep = re.compile(f"[{inside}]")
    return "".join(f"\\x{code:02x}" for code in range(1, 128) if not keep.match(chr(code)))
