"""Cut XPath into tokens: enough to rename variables and to find the functions that are called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

TokenKind: TypeAlias = OneOf["space", "string", "number", "name", "symbol"]

_NAME = r"(?:Q\{[^{}]*\}|[^\W\d][\w.\-\u00b7]*:(?=[^\W\d]))?[^\W\d][\w.\-\u00b7]*"
_TOKEN = re.compile(
    rf"""(?P<string>"(?:[^"]|"")*"|'(?:[^']|'')*')
    | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+\-]?\d+)?)
    | (?P<name>{_NAME})
    | (?P<space>\s+)
    | (?P<symbol>::|:=|=>|//|\.\.|!=|<=|>=|<<|>>|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_STEP = rf"(?:{_NAME} : \*|\* : {_NAME}|{_NAME}|\*)"
_ELEMENT_PATH = re.compile(rf"(?://? )?(?:{_STEP} //? )*(?P<last>{_STEP})")


@dataclass(frozen=True, slots=True)
class Token:
    """One token; comments are "space"."""

    kind: TokenKind
    text: str


def tokenize(expression: str) -> list[Token]:
    """Cut an expression into tokens whose joined texts are the expression.

    This holds for a malformed expression too (an open string or comment): the XPath compiler reports it.

    >>> [t.text for t in tokenize("a-b(: doc(') :)+'x'") if t.kind != "space"]
    ['a-b', '+', "'x'"]
    """
    tokens: list[Token] = []
    place = 0
    while place < len(expression):
        if expression.startswith("(:", place):
            end = _comment_end(expression, place)
            tokens.append(Token("space", expression[place:end]))
            place = end
            continue
        found = _TOKEN.match(expression, place)
        assert found is not None  # the last alternative takes any character
        kind: TokenKind = found.lastgroup  # type: ignore[assignment]
        tokens.append(Token(kind, found.group()))
        place = found.end()
    return tokens


def _comment_end(expression: str, start: int) -> int:
    depth = 0
    place = start
    while place < len(expression):
        two = expression[place : place + 2]
        if two == "(:":
            depth, place = depth + 1, place + 2
        elif two == ":)":
            depth, place = depth - 1, place + 2
            if depth == 0:
                return place
        else:
            place += 1
    return place


def neighbour(tokens: list[Token], index: int, step: int) -> int | None:
    """Return the index of the next (step 1) or previous (-1) token that is not white space, or None."""
    index += step
    while 0 <= index < len(tokens):
        if tokens[index].kind != "space":
            return index
        index += step
    return None


def text_at(tokens: list[Token], index: int | None) -> str:
    """Return the text of a token, or the empty string at either end."""
    return "" if index is None else tokens[index].text


def rename_variables(expression: str, names: Mapping[str, str]) -> str:
    """Rename variables throughout an expression, bindings inside it included, without a change of meaning.

    >>> rename_variables("$x + $y/x", {"x": "Q{urn:a}x"})
    '$Q{urn:a}x + $y/x'
    """
    if not names:
        return expression
    tokens = tokenize(expression)
    return "".join(
        names.get(token.text, token.text)
        if token.kind == "name" and text_at(tokens, neighbour(tokens, index, -1)) == "$"
        else token.text
        for index, token in enumerate(tokens)
    )


def target_names(context: str) -> frozenset[str] | None:
    """Return the names of the elements that a match pattern can match, `*` for all; None when it may match other nodes.

    >>> sorted(target_names("a/b[@x] | //c") or ())
    ['b', 'c']
    >>> target_names("a/@x") is None
    True
    """
    names: set[str] = set()
    for path in _alternatives(context):
        found = _ELEMENT_PATH.fullmatch(" ".join(path))
        if found is None:
            return None
        names.add(found["last"] if re.fullmatch(_NAME, found["last"]) else "*")
    return frozenset(names)


def _alternatives(context: str) -> list[list[str]]:
    """Split at `|` outside brackets, predicates left out."""
    alternatives: list[list[str]] = [[]]
    depth = 0
    for token in tokenize(context):
        if token.text == "[" and token.kind == "symbol":
            depth += 1
        elif token.text == "]" and token.kind == "symbol":
            depth -= 1
        elif depth == 0 and token.text == "|" and token.kind == "symbol":
            alternatives.append([])
        elif depth == 0 and token.kind != "space":
            alternatives[-1].append(token.text)
    return alternatives
