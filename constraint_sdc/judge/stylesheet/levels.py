"""Levels that are computed: `role`, `flag` and `severity` that name a variable or are attribute value templates.

Each is an attribute of an element that a function of the node returns. The functions are part of every stylesheet, so
that a mistake in a template is found whatever is reported; only SVRL calls them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from constraint_sdc.judge.stylesheet.expressions import Author, ours, write_rule_variables
from constraint_sdc.judge.stylesheet.sheet import Attributes, SheetPlace, literal
from constraint_sdc.schematron.schema import Assertion, Note, Origin, Pattern, Rule

Templates: TypeAlias = dict[str, str]
"""Attribute value templates, as the author writes them, by the name of their attribute."""

_OF_PATTERN = ("role",)
_OF_RULE = ("role", "flag")
_OF_ASSERTION = ("role", "flag", "severity")
_OF_NOTE = ("role",)
_VARIABLE = re.compile(r"\$([^\W\d][\w.\-]*)")
_NOT_EVALUATED = "[cannot be evaluated]"


def pattern_levels(author: Author, pattern: Pattern, scope: Mapping[str, str]) -> Templates:
    """Return the computed levels of a pattern."""
    return _computed(pattern.attributes, _OF_PATTERN, author.global_names(scope))


def rule_levels(author: Author, rule: Rule, scope: Mapping[str, str]) -> Templates:
    """Return the computed levels of a rule; `scope` are the variables of its pattern."""
    return _computed(rule.attributes, _OF_RULE, _known(author, rule, scope))


def assertion_levels(author: Author, rule: Rule, assertion: Assertion, scope: Mapping[str, str]) -> Templates:
    """Return the computed levels of an assertion; `scope` are the variables of its pattern."""
    return _computed(assertion.attributes, _OF_ASSERTION, _known(author, rule, scope))


def note_levels(author: Author, note: Note, rule: Rule, scope: Mapping[str, str]) -> Attributes:
    """Return the computed role of a diagnostic or property for a literal element; `scope` is that of the rule."""
    found = _computed(note.attributes, _OF_NOTE, _known(author, rule, scope))
    return _written(author, found, note.origin, scope) if found else {}


def _known(author: Author, rule: Rule, scope: Mapping[str, str]) -> set[str]:
    return author.global_names(scope) | {let.name for let in rule.lets}


def _computed(attributes: Iterable[tuple[str, str]], names: tuple[str, ...], known: set[str]) -> Templates:
    found: Templates = {}
    for name, value in attributes:
        variable = _VARIABLE.fullmatch(value.strip())
        if name in names and variable and variable[1] in known:
            found[name] = f"{{{variable[0]}}}"
        elif name in names and ("{" in value or "}" in value):
            found[name] = value
    return found


def _written(author: Author, templates: Templates, origin: Origin, scope: Mapping[str, str]) -> Attributes:
    """Return templates as attributes of a literal element, with the version that their expressions need."""
    written = {name: author.template(text, origin, scope) for name, text in templates.items()}
    return {f"{author.sheet.prefix}:version": author.version} | written


def write_levels(author: Author, scopes: list[dict[str, str]]) -> None:
    """Write the functions, a map of them by number for rules and for assertions, and a variable for each pattern."""
    rules: list[int] = []
    assertions: list[int] = []
    rule_number = number = 0
    for place, (scope, pattern) in enumerate(zip(scopes, author.schema.patterns, strict=True)):
        _write_pattern(author, place, pattern, scope)
        for rule in pattern.rules:
            rule_number += 1
            if found := rule_levels(author, rule, scope):
                rules.append(rule_number)
                what = f"rule {rule.context!r}"
                _write_function(author, f"rule-level{rule_number}", found, rule, scope, what, rule.origin)
            for assertion in rule.assertions:
                number += 1
                if found := assertion_levels(author, rule, assertion, scope):
                    assertions.append(number)
                    what = f"{assertion.kind} '{assertion.id}'"
                    _write_function(author, f"level{number}", found, rule, scope, what, assertion.origin)
    for name, function, numbers in (("rule-levels", "rule-level", rules), ("levels", "level", assertions)):
        entries = ", ".join(f"{n}: {ours(f'{function}{n}')}#2" for n in numbers)
        author.sheet.leaf("xsl:variable", {"name": ours(name), "as": "map(*)", "select": f"map{{{entries}}}"})


def _write_pattern(author: Author, place: int, pattern: Pattern, scope: Mapping[str, str]) -> None:
    if found := pattern_levels(author, pattern, scope):
        head = {"name": ours(f"pattern-level{place}"), "as": "element()*"}
        with author.sheet.element("xsl:variable", head), _caught(author, found):
            _write_elements(author, found, scope, f"pattern '{pattern.id}'", pattern.origin)


def _write_function(
    author: Author, name: str, found: Templates, rule: Rule, scope: Mapping[str, str], what: str, origin: Origin
) -> None:
    sheet = author.sheet
    with sheet.element("xsl:function", {"name": ours(name), "as": "element()*"}):
        sheet.leaf("xsl:param", {"name": ours("node"), "as": "node()"})
        sheet.leaf("xsl:param", {"name": ours("item"), "as": "item()"})
        with sheet.element("xsl:for-each", {"select": f"${ours('node')}"}), _caught(author, found):
            inner = write_rule_variables(author, rule.lets, scope)
            with sheet.element("xsl:for-each", {"select": f"${ours('item')}"}):
                _write_elements(author, found, inner, what, origin)


@contextmanager
def _caught(author: Author, found: Templates) -> Iterator[None]:
    """Write a body whose errors are caught: a finding stays, whatever becomes of its levels."""
    with author.sheet.element("xsl:try"):
        yield
        with author.sheet.element("xsl:catch", {"errors": "*"}):
            author.sheet.leaf("levels", {"xmlns": ""} | dict.fromkeys(found, literal(_NOT_EVALUATED)))


def _write_elements(author: Author, found: Templates, scope: Mapping[str, str], what: str, origin: Origin) -> None:
    for name, text in found.items():
        place = SheetPlace(f"{name} of {what}", origin)
        author.sheet.leaf("levels", {"xmlns": ""} | dict(_written(author, {name: text}, origin, scope)), place)
