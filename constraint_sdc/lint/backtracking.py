"""Regular expressions on which a backtracking engine takes exponential time.

The positions of an expression are the states of its position automaton (Glushkov 1961). A backtracking engine tries
every path through it. The number of paths grows exponentially exactly if a state can return to itself on one word in
two ways (Weber and Seidl 1991, "exponential degree of ambiguity"): by two different cycles, or by a cycle with a double
edge, as in `(a+)+`. A repetition of ten times or more counts as unbounded.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from string import printable

_ALPHABET = frozenset(printable) | {"é", "Ω"}
_MANY = 10
_MOST_POSITIONS = 120
_QUANTIFIER = re.compile(r"(\*|\+|\?|\{(\d+)(,(\d*))?\})\??")
_ESCAPE = re.compile(r"\\(?:[pP]\{(\^?[A-Za-z]+)\}|(.))", re.DOTALL)
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_KNOWN = {
    "d": frozenset(c for c in _ALPHABET if c.isdigit()),
    "s": frozenset(" \t\n\r"),
    "w": frozenset(c for c in _ALPHABET if c.isalnum() or c in "$+<=>^`|~"),
    "n": frozenset("\n"),
    "r": frozenset("\r"),
    "t": frozenset("\t"),
}
_PROPERTIES = {
    "L": frozenset(c for c in _ALPHABET if c.isalpha()),
    "Lu": frozenset(c for c in _ALPHABET if c.isupper()),
    "Ll": frozenset(c for c in _ALPHABET if c.islower()),
    "N": frozenset(c for c in _ALPHABET if c.isdigit()),
    "Nd": frozenset(c for c in _ALPHABET if c.isdigit()),
}


class NotReadError(Exception):
    """The expression uses a construct that is not looked into."""


@dataclass(slots=True)
class _Piece:
    """A part of an expression: whether it matches the empty text, and the positions where it may begin and end."""

    is_nullable: bool
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)


def explosive_word(regex: str) -> tuple[str, str] | None:
    r"""Return a text and a word; every repetition of the word after the text doubles the ways that an engine tries.

    None if the expression cannot explode, or uses constructs that are not looked into.

    >>> explosive_word(r"^([a-z]+)+$"), explosive_word(r"^[a-z]+$")
    (('', 'a'), None)
    """
    try:
        return _Automaton(regex).explosion()
    except NotReadError:
        return None


class _Automaton:
    def __init__(self, regex: str) -> None:
        self._regex = regex
        self._at = 0
        self._letters: list[frozenset[str]] = []
        self._follow: Counter[tuple[int, int]] = Counter()
        self._whole = self._choice()
        if self._at != len(regex):
            raise NotReadError
        self._next: dict[int, list[int]] = {}
        for one, other in self._follow:
            self._next.setdefault(one, []).append(other)

    def explosion(self) -> tuple[str, str] | None:
        """Return a text that leads to a state and a word that returns to it in two ways."""
        for state, word in self._doubled():
            if self._can_fail_after(state):
                return self._way_to(state), word
        return None

    # Reading the expression.

    def _choice(self) -> _Piece:
        pieces = [self._chain()]
        while self._peek() == "|":
            self._at += 1
            pieces.append(self._chain())
        return _Piece(
            any(piece.is_nullable for piece in pieces),
            [place for piece in pieces for place in piece.first],
            [place for piece in pieces for place in piece.last],
        )

    def _chain(self) -> _Piece:
        whole = _Piece(True)
        while self._peek() not in ("", "|", ")"):
            whole = self._joined(whole, self._repeated())
        return whole

    def _repeated(self) -> _Piece:
        start = self._at
        piece = self._single()
        quantifier = _QUANTIFIER.match(self._regex, self._at)
        if quantifier is None:
            return piece
        after = quantifier.end()
        low, high = _counts(quantifier)
        whole = _Piece(True)
        for number in range(max(low, 1 if high is None else high)):
            if number:
                self._at = start
                piece = self._single()
            copy = _Piece(piece.is_nullable or number >= low, piece.first, piece.last)
            whole = self._joined(whole, copy)
        if high is None:
            self._connect(piece.last, piece.first)
        self._at = after
        return whole

    def _single(self) -> _Piece:
        letter = self._peek()
        if letter in ("^", "$"):
            self._at += 1
            return _Piece(True)
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._position(self._class())
        if letter == "\\":
            return self._position(self._escape())
        if letter in ("*", "+", "?", "{", "}", ")", "]"):
            raise NotReadError
        self._at += 1
        return self._position(_ALPHABET - {"\n", "\r"} if letter == "." else frozenset(letter))

    def _group(self) -> _Piece:
        self._at += 3 if self._regex.startswith("(?:", self._at) else 1
        if self._peek() == "?":
            raise NotReadError
        inner = self._choice()
        if self._peek() != ")":
            raise NotReadError
        self._at += 1
        return inner

    def _class(self) -> frozenset[str]:
        found = _CLASS.match(self._regex, self._at)
        if found is None or "-[" in found[0] or re.search(r"\\[pPicIC]", found[0]):
            raise NotReadError
        self._at = found.end()
        try:
            pattern = re.compile(found[0].replace("[", "\\[").replace("\\[", "[", 1))
        except re.error:
            raise NotReadError from None
        return frozenset(letter for letter in _ALPHABET if pattern.fullmatch(letter))

    def _escape(self) -> frozenset[str]:
        found = _ESCAPE.match(self._regex, self._at)
        if found is None:
            raise NotReadError
        self._at = found.end()
        if found[2] is None:
            if found[1] not in _PROPERTIES:
                raise NotReadError
            known = _PROPERTIES[found[1]]
            return known if found[0].startswith("\\p") else _ALPHABET - known
        if found[2].lower() in "dsw":
            known = _KNOWN[found[2].lower()]
            return known if found[2].islower() else _ALPHABET - known
        if found[2] in _KNOWN:
            return _KNOWN[found[2]]
        if found[2].isalnum():
            raise NotReadError
        return frozenset(found[2])

    def _position(self, letters: frozenset[str]) -> _Piece:
        if len(self._letters) >= _MOST_POSITIONS:
            raise NotReadError
        self._letters.append(letters)
        place = len(self._letters) - 1
        return _Piece(False, [place], [place])

    def _joined(self, left: _Piece, right: _Piece) -> _Piece:
        self._connect(left.last, right.first)
        return _Piece(
            left.is_nullable and right.is_nullable,
            left.first + (right.first if left.is_nullable else []),
            right.last + (left.last if right.is_nullable else []),
        )

    def _connect(self, ends: Iterable[int], starts: Iterable[int]) -> None:
        begun = list(starts)
        self._follow.update((end, start) for end in ends for start in begun)

    def _peek(self) -> str:
        return self._regex[self._at : self._at + 1]

    # Looking for two ways back.

    def _doubled(self) -> Iterator[tuple[int, str]]:
        for (one, other), ways in sorted(self._follow.items()):
            back = self._path((other, other), (one, one)) if ways > 1 else None
            if back is not None:
                yield one, min(self._letters[other], key=_plainness) + back
        for state in range(len(self._letters)):
            word = self._two_ways_back(state)
            if word is not None:
                yield state, word

    def _two_ways_back(self, state: int) -> str | None:
        for apart, there in self._reached((state, state)).items():
            if apart[0] != apart[1]:
                back = self._path(apart, (state, state))
                if back is not None:
                    return there + back
        return None

    def _path(self, start: tuple[int, int], goal: tuple[int, int]) -> str | None:
        if start == goal:
            return ""
        return self._reached(start).get(goal)

    def _reached(self, start: tuple[int, int]) -> dict[tuple[int, int], str]:
        """Return the pairs of states that one word leads to from a pair, with that word."""
        found: dict[tuple[int, int], str] = {}
        queue = deque([(start, "")])
        while queue:
            (one, other), word = queue.popleft()
            for left in self._next.get(one, ()):
                for right in self._next.get(other, ()):
                    shared = self._letters[left] & self._letters[right]
                    if shared and (left, right) not in found:
                        found[left, right] = word + min(shared, key=_plainness)
                        queue.append(((left, right), found[left, right]))
        return found

    def _can_fail_after(self, state: int) -> bool:
        """Tell whether a text can fail after the state: the end is anchored, or more must follow."""
        return self._regex.endswith("$") or state not in self._whole.last

    def _way_to(self, state: int) -> str:
        for first in self._whole.first:
            letter = min(self._letters[first], key=_plainness)
            if first == state:
                return ""
            rest = self._reached((first, first)).get((state, state))
            if rest is not None:
                return letter + rest
        return ""


def _counts(quantifier: re.Match[str]) -> tuple[int, int | None]:
    sign = quantifier[1]
    if sign in "*+?":
        return (1 if sign == "+" else 0), (1 if sign == "?" else None)
    low = int(quantifier[2])
    high = low if quantifier[3] is None else int(quantifier[4]) if quantifier[4] else None
    return min(low, _MANY), None if high is not None and high >= _MANY else high


def _plainness(letter: str) -> tuple[bool, bool, str]:
    """Order letters so that a witness reads well: letters, digits, then the rest."""
    return not (letter.isalpha() and letter.isascii()), not letter.isdigit(), letter.swapcase()
