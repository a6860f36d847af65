"""Redirect every call that reads a file to our own functions, so that Python decides what may be read.

Saxon itself can open no file (see `saxon`). Here `doc('x.xml')` becomes `Q{...}doc('file:///rules/a.sch', 'x.xml')`, a
function of the prelude that looks up the absolute URI among the supplied documents. A function that finds others by a
name computed at run time is refused, because this rewriting could not see what it finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from constraint_sdc.errors import ResourceRefusedError
from constraint_sdc.judge.stylesheet.sheet import quoted
from constraint_sdc.schematron.schema import Origin
from constraint_sdc.schematron.xslt import JUDGE
from constraint_sdc.xpath.tokens import Token, neighbour, text_at, tokenize

_FUNCTIONS = "http://www.w3.org/2005/xpath-functions"
_READING = {
    "doc": (1,),
    "doc-available": (1,),
    "document": (1, 2),
    "unparsed-text": (1, 2),
    "unparsed-text-lines": (1, 2),
    "unparsed-text-available": (1, 2),
    "json-doc": (1, 2),
}
_LOOKING_AROUND = ("collection", "uri-collection", "environment-variable", "available-environment-variables")
_LOOKING_UP = ("function-lookup", "transform", "load-xquery-module")
_HINTS = dict.fromkeys(_LOOKING_AROUND, "name files with doc() instead") | dict.fromkeys(
    _LOOKING_UP, "call the function by its name"
)
_WORDS = ("doc", "text", "collection", "environment-variable", *_LOOKING_UP)
_FN = MappingProxyType({"fn": _FUNCTIONS})
# A document supplied as text has no document URI in Saxon.
_DOCUMENT_URI = "document-uri"
_DOCUMENTS = ("doc", "doc-available", "document")


class Wanted(NamedTuple):
    """A document that an expression names literally: loading it beforehand saves a second run."""

    href: str
    base: str


@dataclass(frozen=True, slots=True)
class Confined:
    """An expression whose file-reading calls are rewritten, and the documents that it certainly asks for."""

    text: str
    wanted: tuple[Wanted, ...] = ()
    reads: bool = False


def file_uri(path: str | Path) -> str:
    """Return the URI of a file, without resolving symbolic links."""
    return Path(path).absolute().as_uri()


def confine_expression(expression: str, origin: Origin, namespaces: Mapping[str, str] = _FN) -> Confined:
    """Rewrite the file-reading calls in one expression; relative URIs resolve against the file that contains it.

    `namespaces` are those of the prefixes in the expression.

    >>> confine_expression("doc('x.xml')/a", Origin("/r/a.sch", 1)).text
    "Q{urn:constraint-sdc:judge:internal}doc('file:///r/a.sch', 'x.xml')/a"
    """
    if not any(name in expression for name in _WORDS):
        return Confined(expression)
    tokens = tokenize(expression)
    base = file_uri(origin.file)
    texts = [token.text for token in tokens]
    wanted: list[Wanted] = []
    for index in range(len(tokens)):
        name = _function_name(tokens, index, namespaces)
        if name is None:
            continue
        if name in _HINTS:
            what = f"{name}() is not allowed in rules"
            raise ResourceRefusedError(what, file=origin.file, line=origin.line, hint=_HINTS[name])
        following = neighbour(tokens, index, 1)
        if name == _DOCUMENT_URI:
            _rewrite_document_uri(texts, tokens, index, following)
            continue
        assert following is not None  # a function name is followed by "(" or "#"
        if text_at(tokens, following) == "#":
            _rewrite_reference(texts, tokens, index, following, name, base)
        elif text_at(tokens, neighbour(tokens, index, -1)) == "=>":
            texts[index] = f"Q{{{JUDGE}}}arrow-{name}"
            texts[following] = f"({quoted(base)}{_comma(tokens, following)}"
        else:
            texts[index] = f"Q{{{JUDGE}}}{name}"
            texts[following] = f"({quoted(base)}{_comma(tokens, following)}"
            wanted += _literal_argument(tokens, following, name, base)
    text = "".join(texts)
    return Confined(text, tuple(wanted), text != expression)


def _function_name(tokens: list[Token], index: int, namespaces: Mapping[str, str]) -> str | None:
    """Return the local name when this token names a file-reading or forbidden function in the function namespace."""
    token = tokens[index]
    if token.kind != "name" or text_at(tokens, neighbour(tokens, index, 1)) not in ("(", "#"):
        return None
    name = _local_name(token.text, namespaces)
    if name not in _READING and name not in _HINTS and name != _DOCUMENT_URI:
        return None
    return None if text_at(tokens, neighbour(tokens, index, -1)) in ("$", "@", "::") else name


def _local_name(written: str, namespaces: Mapping[str, str]) -> str:
    """Return the local name of a function in the function namespace, any other name as it is written."""
    if written.startswith("Q{"):
        uri, _, name = written[2:].partition("}")
        return name if " ".join(uri.split()) == _FUNCTIONS else written
    prefix, colon, name = written.partition(":")
    return name if colon and namespaces.get(prefix) == _FUNCTIONS else written


def _rewrite_document_uri(texts: list[str], tokens: list[Token], index: int, bracket: int | None) -> None:
    texts[index] = f"Q{{{JUDGE}}}document-uri"
    if bracket is not None and text_at(tokens, bracket) == "(" and not _comma(tokens, bracket):
        texts[bracket] = "(."


def _comma(tokens: list[Token], bracket: int) -> str:
    return "" if text_at(tokens, neighbour(tokens, bracket, 1)) == ")" else ", "


def _rewrite_reference(texts: list[str], tokens: list[Token], index: int, hash_: int, name: str, base: str) -> None:
    arity_at = neighbour(tokens, hash_, 1)
    arity = text_at(tokens, arity_at)
    if arity_at is None or arity not in {str(n) for n in _READING[name]}:
        return
    parameters = ", ".join(f"$p{n}" for n in range(int(arity)))
    texts[index] = f"function({parameters}) {{ Q{{{JUDGE}}}{name}({quoted(base)}, {parameters}) }}"
    for gone in range(index + 1, arity_at + 1):
        texts[gone] = ""


def _literal_argument(tokens: list[Token], bracket: int, name: str, base: str) -> list[Wanted]:
    argument = neighbour(tokens, bracket, 1)
    if name not in _DOCUMENTS or argument is None or tokens[argument].kind != "string":
        return []
    if text_at(tokens, neighbour(tokens, argument, 1)) != ")":
        return []
    quote = tokens[argument].text[0]
    return [Wanted(tokens[argument].text[1:-1].replace(quote * 2, quote), base)]
