"""Numbers as XPath 1.0 defines them, where Saxon's compatibility mode differs.

As text a number is `3000000`, never `3.0E6`: where XPath 1.0 turns a number into text (in arguments of its string
functions, in keys and in messages), our own function converts it first. Rounding always takes a double: Saxon infers
another type for `round(count(a))`, and then stops when a variable holds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from constraint_sdc.schematron.xslt import JUDGE
from constraint_sdc.xpath.tokens import Token, neighbour, text_at, tokenize

TEXT = f"Q{{{JUDGE}}}text"
_STRING_FUNCTIONS = (
    *("string", "concat", "starts-with", "contains", "substring", "substring-before", "substring-after"),
    *("string-length", "normalize-space", "translate", "key"),
)
_WRAPPERS = dict.fromkeys(_STRING_FUNCTIONS, TEXT) | dict.fromkeys(("round", "floor", "ceiling"), "number")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")

_FUNCTIONS = """
<xsl:function name="c:text" as="item()*" SCOPE>
<xsl:param name="value" as="item()*"/>
<xsl:sequence select="if (head($value) instance of xs:double) then c:number(head($value)) else $value"/>
</xsl:function>
<xsl:function name="c:number" as="xs:string" SCOPE>
<xsl:param name="number" as="xs:double"/>
<xsl:variable name="written" select="string($number)"/>
<xsl:choose>
<xsl:when test="contains($written, 'E')">
<xsl:variable name="power" select="xs:integer(substring-after($written, 'E'))"/>
<xsl:variable name="zeros" select="string-join((2 to abs($power)) ! '0')"/>
<xsl:variable name="factor" select="if ($power gt 0) then '1' || $zeros || '0' else '0.' || $zeros || '1'"/>
<xsl:sequence select="string(xs:decimal(substring-before($written, 'E')) * xs:decimal($factor))"/>
</xsl:when>
<xsl:otherwise>
<xsl:sequence select="if ($number eq 0) then '0' else replace($written, 'INF', 'Infinity')"/>
</xsl:otherwise>
</xsl:choose>
</xsl:function>
"""


def number_functions() -> str:
    """Return the functions of the stylesheet that write a number as XPath 1.0 does."""
    scope = f'xmlns:c="{JUDGE}" xmlns:xs="http://www.w3.org/2001/XMLSchema" version="3.0"'
    return _FUNCTIONS.strip().replace("SCOPE", scope)


def with_xpath1_numbers(expression: str) -> str:
    """Wrap the arguments of string and rounding functions so that they become text or numbers as in XPath 1.0.

    >>> with_xpath1_numbers("concat(sum(a), ../@b, round(2))").replace(TEXT, "T")
    'concat(T(sum(a)), ../@b,T( round(number(2))))'
    """
    tokens = tokenize(expression)
    before, after = [""] * len(tokens), [""] * len(tokens)
    for index in range(len(tokens)):
        wrapper = _wrapper(tokens, index)
        places = list(_separators(tokens, index)) if wrapper else []
        if not places or tokens[places[-1]].text != ")":
            continue  # nothing to do, or a bracket is not closed: the XPath compiler reports it
        for start, end in pairwise(places):
            words = [token for token in tokens[start + 1 : end] if token.kind != "space"]
            if wrapper == TEXT and (_is_no_number(words) or (tokens[index].text == "key" and _is_variable(words))):
                continue
            after[start] += f"{wrapper}("
            before[end] += ")"
    return "".join(f"{before[n]}{token.text}{after[n]}" for n, token in enumerate(tokens))


def _wrapper(tokens: list[Token], index: int) -> str | None:
    """Return the function that must wrap the arguments, if a function of the table is called here with arguments."""
    bracket = neighbour(tokens, index, 1)
    if tokens[index].kind != "name" or bracket is None or tokens[bracket].text != "(":
        return None
    is_a_step = text_at(tokens, neighbour(tokens, index, -1)) in ("$", "@", "::")
    if is_a_step or text_at(tokens, neighbour(tokens, bracket, 1)) == ")":
        return None
    return _WRAPPERS.get(tokens[index].text.removeprefix("fn:"))


def _is_variable(words: list[Token]) -> bool:
    """Tell whether an argument is a variable; it stays, because a match pattern may begin with such a call of key()."""
    return len(words) == 2 and words[0].text == "$"


def _is_no_number(words: list[Token]) -> bool:
    """Tell whether an argument is a quoted text or a path of plain steps, the most frequent cases."""
    if len(words) == 1 and words[0].kind == "string":
        return True
    steps = [word.kind == "name" or word.text == ".." for word in words if word.text != "@"]
    slashes = [word.text in ("/", "//") for word in words if word.text != "@"]
    return len(steps) % 2 == 1 and all(steps[::2]) and all(slashes[1::2])


def _separators(tokens: list[Token], index: int) -> Iterator[int]:
    """Yield the positions of a call's opening bracket, its commas and its closing bracket."""
    depth = 0
    for place in range(index + 1, len(tokens)):
        token = tokens[place]
        if token.kind != "symbol":
            continue
        if token.text in _OPENING:
            depth += 1
            if depth == 1:
                yield place
        elif token.text in _CLOSING:
            depth -= 1
            if depth == 0:
                yield place
                return
        elif token.text == "," and depth == 1:
            yield place
