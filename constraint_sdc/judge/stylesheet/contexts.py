"""A context as an expression at its node, so that an error in one of its predicates is seen.

By the rules of XSLT an error inside a match pattern means that the node does not match, and no processor tells. A rule
would then say nothing of such a node. So for every node that a rule did not take, its predicates are evaluated once
more as an expression, in which an error is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field

from constraint_sdc.constraints.contexts import asks_truth
from constraint_sdc.judge.stylesheet.expressions import ERRORS, Author, ours
from constraint_sdc.judge.stylesheet.sheet import SheetPlace
from constraint_sdc.schematron.schema import Rule
from constraint_sdc.xpath.syntax import NotUnderstood
from constraint_sdc.xpath.tokens import Token, tokenize
from constraint_sdc.xpath.xpath import parse_xpath

_NAME = r"(?:Q\{[^{}]*\}|[^\W\d][\w.\-\u00b7]*:)?[^\W\d][\w.\-\u00b7]*"
_ELEMENT = re.compile(rf"(?:child::)?(?P<test>{_NAME}|\*|{_NAME}:\*|\*:{_NAME}|(?:text|comment)\(\))")
_ATTRIBUTE = re.compile(rf"(?:@|attribute::)(?P<test>{_NAME}|\*)")
_POSITIONS = frozenset({"position", "last"})
_NUMERIC = "Q{http://www.w3.org/2001/XMLSchema}numeric"


@dataclass(frozen=True, slots=True)
class _PathStep:
    """A step of a path: what separates it from the step before, its node test, and its predicates."""

    separator: str
    test: str
    predicates: tuple[str, ...]


def context_condition(context: str, namespaces: Mapping[str, str]) -> str | None:
    """Return an expression that stops with an error at every node at which a predicate of a context does.

    Elsewhere it is true at nodes that the context matches, and only there. A predicate that turns out to be a number is
    a position among siblings, which cannot be told at one node: then it is false.

    None if no predicate can stop, because there is none. None also for a context that cannot be said as an expression
    at one node: a predicate calls `position()` or `last()`, or the context begins with a function or a parenthesis.

    >>> context_condition("a/b[xs:integer(c) gt 3]", {})
    'exists(self::b[xs:integer(c) gt 3]/parent::a)'
    >>> context_condition("b[last()]", {}) is None, context_condition("a/b", {}) is None
    (True, True)
    """
    conditions = []
    for alternative in _split(tokenize(context), ("|", "union")):
        steps = list(_steps(alternative[1]))
        if not any(step.predicates for step in steps):
            continue
        condition = _condition(steps, namespaces)
        if condition is None:
            return None
        conditions.append(condition)
    return " or ".join(conditions) or None


def _condition(steps: list[_PathStep], namespaces: Mapping[str, str]) -> str | None:
    path, axis = "", "self"
    for place, step in reversed(list(enumerate(steps))):
        if place == 0 and not step.test and not step.predicates:
            break
        test = _test(step.test, is_last=axis == "self")
        if test is None or any(map(_tells_position, step.predicates)):
            return None
        path += f"{'/' if path else ''}{axis}::{test}" + "".join(_bracket(one, namespaces) for one in step.predicates)
        axis = "ancestor" if step.separator == "//" else "parent"
    if steps[0].separator == "/":
        path += "/parent::document-node()"
    return f"exists({path})"


def _test(text: str, *, is_last: bool) -> str | None:
    """Return the node test of a step on the self, parent or ancestor axis."""
    if text == "." and is_last:
        return "node()"
    element = _ELEMENT.fullmatch(text)
    if element is not None:
        return element["test"]
    attribute = _ATTRIBUTE.fullmatch(text)
    return f"attribute({attribute['test']})" if attribute is not None and is_last else None


def _bracket(predicate: str, namespaces: Mapping[str, str]) -> str:
    """Return a predicate that is false where the author's is a number; plain if that cannot be."""
    tree = parse_xpath(predicate, namespaces)
    if not isinstance(tree, NotUnderstood) and asks_truth(tree):
        return f"[{predicate}]"
    value = f"${ours('predicate')}"
    return f"[let {value} := ({predicate}) return not({value} instance of {_NUMERIC}) and boolean({value})]"


def _tells_position(predicate: str) -> bool:
    """Tell whether a predicate asks for its position: outside brackets of its own, where it would be another one."""
    depth = 0
    for token in tokenize(predicate):
        if token.kind == "symbol":
            depth += (token.text == "[") - (token.text == "]")
        elif depth == 0 and token.kind == "name" and token.text.rpartition(":")[2] in _POSITIONS:
            return True
    return False


def _split(tokens: list[Token], separators: tuple[str, ...]) -> Iterator[tuple[str, list[Token]]]:
    """Yield the parts between separators outside brackets, each with the separator before it."""
    part: list[Token] = []
    before, depth = "", 0
    for token in tokens:
        is_symbol = token.kind == "symbol"
        if depth == 0 and token.kind != "string" and token.text in separators:
            yield before, part
            before, part = token.text, []
            continue
        depth += (token.text in "[(") - (token.text in "])") if is_symbol else 0
        part.append(token)
    yield before, part


def _steps(tokens: list[Token]) -> Iterator[_PathStep]:
    parts = list(_split(tokens, ("/", "//")))
    if len(parts) > 1 and not "".join(token.text for token in parts[0][1]).strip():
        parts = parts[1:]
    for separator, part in parts:
        yield _step(separator, part)


def _step(separator: str, tokens: list[Token]) -> _PathStep:
    """Cut the predicates off a step."""
    predicates: list[str] = []
    test, depth = "", 0
    for token in tokens:
        is_symbol = token.kind == "symbol"
        if is_symbol and token.text == "]":
            depth -= 1
        if depth > 0:
            predicates[-1] += token.text
        elif is_symbol and token.text == "[":
            predicates.append("")
        elif token.text != "]" and token.kind != "space":
            test += token.text
        if is_symbol and token.text == "[":
            depth += 1
    return _PathStep(separator, test, tuple(predicates))


# What the stylesheet does with a node that rules did not take.


def error_token(assertion: int, node: str, *more: str) -> str:
    """Return what an assertion leaves if XPath stops on a node; for use inside xsl:catch."""
    code, description = f"local-name-from-QName($Q{{{ERRORS}}}code)", f"$Q{{{ERRORS}}}description"
    text = f"string-join(({code}, {description}), ': ')"
    return f"[{', '.join((str(assertion), node, node, text, *more))}]"


@dataclass(frozen=True, slots=True)
class _PassedContext:
    """A rule whose context may stop: its context as an expression, and the numbers of its assertions."""

    rule: Rule
    condition: str
    assertions: range


@dataclass(slots=True)
class PassedOn:
    """The rules of one mode in their order: what a later rule takes, or none, earlier ones have passed on.

    Their contexts are evaluated there once more; a rule without assertions has nothing to say of a node.
    """

    author: Author
    mode: str
    scope: Mapping[str, str]
    guarded: bool
    contexts: list[_PassedContext] = field(default_factory=list)

    def add(self, rule: Rule, first: int) -> None:
        """Add the next rule, whose first assertion has this number."""
        condition = context_condition(rule.context, self.author.namespaces)
        if condition is not None and rule.assertions:
            self.contexts.append(_PassedContext(rule, condition, range(first, first + len(rule.assertions))))

    def write_call(self) -> None:
        """Let the contexts of the rules added so far be evaluated at the node of a template."""
        if self.contexts:
            with self.author.sheet.element("xsl:call-template", {"name": f"{self.mode}-contexts"}):
                before = {"name": ours("before"), "select": str(len(self.contexts))}
                self.author.sheet.leaf("xsl:with-param", before | {"version": self.author.our_version})

    def write(self) -> None:
        """Write the template that evaluates contexts."""
        sheet = self.author.sheet
        if not self.contexts:
            return
        with sheet.element("xsl:template", {"name": f"{self.mode}-contexts"}):
            sheet.leaf("xsl:param", {"name": ours("before")})
            for place, context in enumerate(self.contexts):
                test = {"test": f"${ours('before')} gt {place}", "version": self.author.our_version}
                with sheet.element("xsl:if", test):
                    self._write_context(context)

    def _write_context(self, context: _PassedContext) -> None:
        """Write a condition that is false, or stops. Were it true, the judge's control would count a node twice."""
        author, sheet, rule = self.author, self.author.sheet, context.rule
        place = SheetPlace(f"rule context {rule.context!r}", rule.origin)
        test = {"test": author.expression(context.condition, rule.origin, self.scope)} | author.stated(rule.origin)
        version = {"version": author.our_version}
        with sheet.element("xsl:try", version) if self.guarded else nullcontext():
            with sheet.element("xsl:if", test, place):
                sheet.leaf("xsl:sequence", {"select": "0"} | version)
            if self.guarded:
                with sheet.element("xsl:catch", {"errors": "*"}):
                    for assertion in context.assertions:
                        sheet.leaf("xsl:sequence", {"select": error_token(assertion, ".", "'context'")})
