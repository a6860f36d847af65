"""Membership of a long list as one look-up in a map, instead of a search through the list for each record.

`exists(index-of($original//Record/V1, V1))` makes Saxon compare every record with every value: quadratic. Where the
list is a plain path from a variable of schema or pattern (or a document), it is the same for every node, its items are
untyped nodes, and `index-of` compares untyped values as strings by code point. So a map from the strings of the list
gives the same answer; an item that is not exactly one is the same type error in both. A whole test
`V1 = $original//Record/V1` also compares untyped values as strings, and holds if any of the items occurs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from constraint_sdc.schematron.xslt import JUDGE
from constraint_sdc.xpath.tokens import Token, tokenize


@dataclass(frozen=True, slots=True)
class Lookup:
    """Part of a test that asks whether `item` occurs in `values`; `one` when the item must be exactly one."""

    start: int
    end: int
    values: str
    item: str
    one: bool


# A test that binds variables itself is left unchanged: one of them could have the name of a global one.
_BINDERS = frozenset({"for", "let", "some", "every", "function"})


def find_lookups(test: str, steady: Collection[str], *, is_xpath1: bool) -> tuple[Lookup, ...]:
    """Return the look-ups in a test; `steady` are the variables that are the same for every node.

    XPath 1.0 compatibility turns an item that is not exactly one into one, so `index-of` is left unchanged there.

    >>> [(l.values, l.item) for l in find_lookups("not(exists(index-of($o//V1, V1)))", {"o"}, is_xpath1=False)]
    [('$o//V1', 'V1')]
    """
    tokens = [token for token in _placed(test) if token.token.kind != "space"]
    if any(token.text in _BINDERS for token in tokens):
        return ()
    whole = _whole_comparison(test, tokens, steady)
    if whole is not None:
        return (whole,)
    return () if is_xpath1 else tuple(_memberships(test, tokens, steady))


@dataclass(frozen=True, slots=True)
class _Placed:
    token: Token
    start: int

    @property
    def text(self) -> str:
        return self.token.text

    @property
    def end(self) -> int:
        return self.start + len(self.token.text)


def _placed(test: str) -> Iterator[_Placed]:
    place = 0
    for token in tokenize(test):
        yield _Placed(token, place)
        place += len(token.text)


def _memberships(test: str, tokens: list[_Placed], steady: Collection[str]) -> Iterator[Lookup]:
    opening = ["exists", "(", "index-of", "("]
    for index in range(len(tokens)):
        if [t.text for t in tokens[index : index + 4]] != opening or (
            index and tokens[index - 1].text in ("$", "@", "::")
        ):
            continue
        values_end = _values(tokens, index + 4, steady)
        if values_end is None or values_end >= len(tokens) or tokens[values_end].text != ",":
            continue
        item_end = _item(tokens, values_end + 1)
        if item_end is None or [t.text for t in tokens[item_end : item_end + 2]] != [")", ")"]:
            continue
        values = test[tokens[index + 4].start : tokens[values_end - 1].end]
        item = test[tokens[values_end + 1].start : tokens[item_end - 1].end]
        yield Lookup(tokens[index].start, tokens[item_end + 1].end, values, item, one=True)


def _whole_comparison(test: str, tokens: list[_Placed], steady: Collection[str]) -> Lookup | None:
    middle = next((index for index, t in enumerate(tokens) if t.text == "=" and t.token.kind == "symbol"), None)
    if middle is None:
        return None
    left, right = test[: tokens[middle].start], test[tokens[middle].end :]
    if _item(tokens, 0) == middle and _values(tokens, middle + 1, steady) == len(tokens):
        return Lookup(0, len(test), right.strip(), left.strip(), one=False)
    if _values(tokens, 0, steady) == middle and _item(tokens, middle + 1) == len(tokens):
        return Lookup(0, len(test), left.strip(), right.strip(), one=False)
    return None


def _item(tokens: list[_Placed], start: int) -> int | None:
    """Return where a child name, an attribute name or `.` ends."""
    at = start + 1 if start < len(tokens) and tokens[start].text == "@" else start
    if at >= len(tokens):
        return None
    return at + 1 if tokens[at].token.kind == "name" or (at == start and tokens[at].text == ".") else None


def _values(tokens: list[_Placed], start: int, steady: Collection[str]) -> int | None:
    """Return where a path from a variable or a literal document, of plain names only, ends."""
    at = _origin(tokens, start, steady)
    if at is None or at >= len(tokens) or tokens[at].text not in ("/", "//"):
        return None
    while at < len(tokens) and tokens[at].text in ("/", "//"):
        step = _item(tokens, at + 1)
        if step is None or tokens[at + 1].text == "." or (step < len(tokens) and tokens[step].text in ("(", "::", "[")):
            return None
        at = step
    return at


def _origin(tokens: list[_Placed], start: int, steady: Collection[str]) -> int | None:
    texts = [t.text for t in tokens[start : start + 4]]
    if len(texts) > 1 and texts[0] == "$" and tokens[start + 1].token.kind == "name":
        return start + 2 if texts[1] in steady else None
    is_call = len(texts) == 4 and texts[0] in ("doc", "document") and texts[1] == "(" and texts[3] == ")"
    return start + 4 if is_call and tokens[start + 2].token.kind == "string" else None


VALUE_SETS = """
<xsl:function name="c:values" as="map(*)" SCOPE>
<xsl:param name="items" as="xs:anyAtomicType*"/>
<xsl:sequence select="map:merge(distinct-values($items) ! map:entry(string(.), true()))"/>
</xsl:function>
<xsl:function name="c:occurs" as="xs:boolean" SCOPE>
<xsl:param name="values" as="map(*)"/>
<xsl:param name="item" as="xs:anyAtomicType"/>
<xsl:sequence select="map:contains($values, string($item))"/>
</xsl:function>
<xsl:function name="c:any-occurs" as="xs:boolean" SCOPE>
<xsl:param name="values" as="map(*)"/>
<xsl:param name="items" as="xs:anyAtomicType*"/>
<xsl:sequence select="some $item in $items satisfies map:contains($values, string($item))"/>
</xsl:function>
""".strip().replace(
    "SCOPE",
    f'xmlns:c="{JUDGE}" xmlns:xs="http://www.w3.org/2001/XMLSchema" '
    'xmlns:map="http://www.w3.org/2005/xpath-functions/map"',
)
