"""Parse XPath text into our own syntax tree: the only module that imports elementpath.

elementpath does not know XSLT's `current`, `document` and `key`, so our own subclass of its parser adds their names.
Its static evaluation after parsing is left out: it would compute constants (and raise) before translation.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import ClassVar

from elementpath import ElementPathError
from elementpath.tdop import Parser as PrattParser
from elementpath.xpath31 import XPath31Parser
from elementpath.xpath_tokens import XPathFunction, XPathToken

from constraint_sdc.xpath.functions import words
from constraint_sdc.xpath.syntax import (
    Binary,
    Conditional,
    Constant,
    ContextItem,
    Filter,
    Foreign,
    FunctionCall,
    Listing,
    LoopBinding,
    NotUnderstood,
    Path,
    Reference,
    Root,
    Step,
    Syntax,
    TypeOperation,
    Unary,
    depth_of,
)

FN = "http://www.w3.org/2005/xpath-functions"
PREFIXES = {
    "xs": "http://www.w3.org/2001/XMLSchema",
    "math": "http://www.w3.org/2005/xpath-functions/math",
    "map": "http://www.w3.org/2005/xpath-functions/map",
    "array": "http://www.w3.org/2005/xpath-functions/array",
}
_PREFIX_OF = {uri: prefix for prefix, uri in PREFIXES.items()}
_OPERATORS = words(
    "or and = != < <= > >= eq ne lt le gt ge is << >> || to + - * div idiv mod union | intersect except !"
)
# Every later stage can recurse through a tree of this depth.
_DEEPEST = 120
_PLAIN_TESTS = {"node": "node()", "text": "text()"}


class _Parser(XPath31Parser):
    """The XPath 3.1 parser with XSLT's own function names and without evaluation at parse time."""

    DEFAULT_NAMESPACES: ClassVar[dict[str, str]] = {"xml": "http://www.w3.org/XML/1998/namespace"}
    element_namespace: str = ""

    def parse(self, source: str) -> XPathToken:
        if self.tokenizer is None:
            self.tokenizer = self.create_tokenizer(self.symbol_table)
        root = PrattParser.parse(self, source)
        if root.label in ("sequence type", "function test"):
            raise root.error("XPST0003", "not allowed in an XPath expression")
        return root


for _name, _count in (("current", 0), ("document", (1, 2)), ("key", (2, 3))):
    _Parser.function(_name, nargs=_count)


def parse_xpath(text: str, namespaces: Mapping[str, str]) -> Syntax | NotUnderstood:
    """Parse one expression; unprefixed element names are in the namespace of the empty prefix, or in none.

    >>> parse_xpath("V1 + 1", {}).op
    '+'
    """
    return _parse(text, tuple(sorted(namespaces.items())))


@lru_cache(maxsize=4096)
def _parse(text: str, namespaces: tuple[tuple[str, str], ...]) -> Syntax | NotUnderstood:
    try:
        tree = _convert(_parser(namespaces).parse(text))
    except RecursionError:
        return NotUnderstood("the expression is nested too deeply")
    except (ElementPathError, ValueError, TypeError, KeyError) as error:
        return NotUnderstood(f"the XPath parser stopped: {_message(error)}", " ".join(text.split()))
    return tree if depth_of(tree) <= _DEEPEST else NotUnderstood("the expression is nested too deeply")


@lru_cache(maxsize=64)
def _parser(namespaces: tuple[tuple[str, str], ...]) -> _Parser:
    declared = {prefix: uri for prefix, uri in namespaces if prefix}
    parser = _Parser(namespaces={**PREFIXES, "fn": FN, **declared}, strict=False)
    parser.element_namespace = dict(namespaces).get("", "")
    return parser


def _message(error: Exception) -> str:
    return str(error).rsplit("] ", 1)[-1]


def _convert(token: XPathToken) -> Syntax:
    if token.symbol in ("and", "or") and len(token) == 2:
        return _junction(token)
    symbol, label, text = token.symbol, str(token.label), _text(token)
    if symbol in ("(integer)", "(decimal)", "(float)", "(string)"):
        return Constant(_literal(token), text)
    if symbol == ".":
        return ContextItem(text)
    if symbol == "$":
        return Reference(_variable_name(token), text)
    if symbol in ("/", "//"):
        return _path(token, text)
    if symbol == "[" and label == "operator":
        return Filter(_convert(token[0]), _convert(token[1]), text)
    if symbol in ("(", ","):
        return _listing(token, text)
    if symbol == "=>":
        return _arrow(token, text)
    if symbol in ("+", "-") and len(token) == 1:
        return Unary(symbol, _convert(token[0]), text)
    if symbol in _OPERATORS and label == "operator" and len(token) == 2:
        return Binary(symbol, _convert(token[0]), _convert(token[1]), text)
    return _named(token, text)


def _junction(token: XPathToken) -> Syntax:
    """Return a chain of `or` as a balanced tree: a code list of hundreds of values is long, not deep."""
    operands = []
    rest = token
    while rest.symbol == token.symbol and len(rest) == 2:
        operands.append(rest[1])
        rest = rest[0]
    return _balanced(token.symbol, [_convert(operand) for operand in (rest, *reversed(operands))])


def _balanced(op: str, parts: list[Syntax]) -> Syntax:
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    text = f" {op} ".join(part.text for part in parts)
    return Binary(op, _balanced(op, parts[:middle]), _balanced(op, parts[middle:]), text)


def _named(token: XPathToken, text: str) -> Syntax:
    symbol, label = token.symbol, str(token.label)
    if symbol == "if" and label == "expression":
        return Conditional(_convert(token[0]), _convert(token[1]), _convert(token[2]), text)
    if symbol in ("every", "some", "for", "let") and label == "expression":
        pairs = tuple((_variable_name(token[i]), _convert(token[i + 1])) for i in range(0, len(token) - 1, 2))
        return LoopBinding(symbol, pairs, _convert(token[-1]), text)
    if symbol in ("cast", "castable", "instance", "treat") and label == "expression":
        return _type_operation(token, text)
    step = _step(token, text)
    if step is not None:
        return step
    function = token[1] if symbol in (":", "Q{") else token
    if isinstance(function, XPathFunction) and str(function.label).startswith(("function", "constructor function")):
        return FunctionCall(_function_name(token), tuple(_convert(argument) for argument in function), text)
    return Foreign(label if label != "symbol" else symbol, tuple(_convert(part) for part in token), text)


def _path(token: XPathToken, text: str) -> Syntax:
    if not len(token):
        return Root(text)
    left = Root("/") if len(token) == 1 else _convert(token[0])
    return Path(left, _convert(token[-1]), token.symbol == "//", text)


def _listing(token: XPathToken, text: str) -> Syntax:
    if token.symbol == "(" and len(token) == 1 and token[0].symbol != ",":
        return _convert(token[0])
    if token.symbol == "(" and len(token) > 1:
        return Foreign("a call of a function item", tuple(_convert(part) for part in token), text)
    items: list[Syntax] = []
    for part in token:
        converted = _convert(part)
        items.extend(converted.items if isinstance(converted, Listing) else (converted,))
    return Listing(tuple(items), text)


def _arrow(token: XPathToken, text: str) -> Syntax:
    function = token[1][1] if token[1].symbol == ":" else token[1]
    if not isinstance(function, XPathFunction) or len(function) or token[2].symbol != "(":
        return Foreign("the arrow operator", tuple(_convert(part) for part in token), text)
    following = tuple(_convert(part) for group in token[2] for part in _comma_parts(group))
    return FunctionCall(_function_name(token[1]), (_convert(token[0]), *following), text)


def _comma_parts(token: XPathToken) -> list[XPathToken]:
    return [*_comma_parts(token[0]), *token[1:]] if token.symbol == "," else [token]


def _step(token: XPathToken, text: str) -> Step | None:
    symbol, label = token.symbol, str(token.label)
    if symbol == "..":
        return Step("parent", "node()", text)
    if symbol == "@":
        return Step("attribute", _test(token[0], "attribute"), text)
    if label == "axis":
        return Step(symbol, _test(token[0], symbol), text)
    if label == "kind test":
        axis = "attribute" if symbol == "attribute" else "child"
        return Step(axis, _test(token, axis), text)
    test = _test(token, "child")
    has_wildcard = symbol in (":", "Q{") and "*" in (token[0].symbol, token[1].symbol)
    return Step("child", test, text) if test != "?" or has_wildcard else None


def _test(token: XPathToken, axis: str) -> str:
    if str(token.label) == "kind test":
        return _PLAIN_TESTS.get(token.symbol, "?") if not len(token) else "?"
    if token.symbol == "*" and str(token.label) != "operator":
        return "*"
    name = token[1] if token.symbol in (":", "Q{") else token
    if name.symbol != "(name)" or (token is not name and token[0].symbol == "*"):
        return "?"
    parser = token.parser
    if token is name and axis != "attribute" and isinstance(parser, _Parser) and parser.element_namespace:
        return f"{{{parser.element_namespace}}}{name.value}"
    if token is name:
        return _clark(name)
    uri = _namespace(token)  # the parser forgets it for names that maps or arrays have functions of, such as size
    return f"{{{uri}}}{name.value}" if uri else str(name.value)


def _namespace(token: XPathToken) -> str:
    """Return the namespace of a name with a prefix or with its namespace in braces."""
    prefix_or_uri = str(token[0].value)
    return str(token.parser.namespaces[prefix_or_uri]) if token.symbol == ":" else prefix_or_uri


def _clark(name: XPathToken) -> str:
    return f"{{{name.namespace}}}{name.value}" if name.namespace else str(name.value)


def _variable_name(token: XPathToken) -> str:
    name = token[0]
    return _clark(name[1]) if name.symbol in (":", "Q{") else _clark(name)


def _function_name(token: XPathToken) -> str:
    function = token[1] if token.symbol in (":", "Q{") else token
    local = function.symbol.rpartition("}")[2]
    uri = _namespace(token) if token.symbol in (":", "Q{") else FN
    if uri == FN:
        return local
    prefix = _PREFIX_OF.get(uri)
    return f"{prefix}:{local}" if prefix else f"{{{uri}}}{local}"


def _literal(token: XPathToken) -> int | Decimal | float | str:
    value = token.value
    if isinstance(value, int | Decimal | float | str):
        return value
    raise ValueError(f"a literal of unknown type: {value!r}")


def _type_operation(token: XPathToken, text: str) -> Syntax:
    kind = token[1]
    name = kind[1] if kind.symbol in (":", "Q{") and len(kind) == 2 else kind
    is_plain = name.symbol == "(name)" and name.namespace == PREFIXES["xs"]
    optional = "?" in (getattr(kind, "occurrence", None), getattr(name, "occurrence", None))
    return TypeOperation(token.symbol, _convert(token[0]), f"xs:{name.value}" if is_plain else "?", optional, text)


def _text(token: XPathToken) -> str:
    try:
        return str(token.source)
    except (ElementPathError, ValueError, TypeError, IndexError, AttributeError):
        return str(token.symbol)
