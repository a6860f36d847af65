"""The concrete patterns of a schema: `is-a` and `extends` are resolved, abstract patterns are removed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from xml.sax.saxutils import escape

from constraint_sdc.errors import RulesError
from constraint_sdc.schematron.element import ISO_NAMESPACE, Element
from constraint_sdc.settings.reason import Reason, because

# Abstract patterns: each `is-a` becomes a concrete pattern, with its parameters in place of `$name`.
#
# As the standard requires, text is replaced before any query is parsed: a value may be any piece of XPath.

_QUERIES = frozenset({"context", "test", "select", "value", "path", "subject", "documents", "visit-each"})

_LITERAL_OR_COMMENT = re.compile(r"""'[^']*'|"[^"]*"|\(:.*?:\)""", re.DOTALL)
_REFERENCE = re.compile(r"\$\s*([\w.\-]+(?::[\w.\-]+)?)(\s*(?::=|in\b|as\b))?")
_TAG = re.compile(r"<[^>]*>")


def instantiate(instance: Element, abstract: Element) -> Element:
    """Return the abstract pattern's content under the instance's name and parameters."""
    _check_instance(instance)
    values = _values(instance, abstract)
    children = tuple(
        _substitute(child, values) if isinstance(child, Element) else child
        for child in abstract.children
        if isinstance(child, str) or child.kind not in ("param", "title")
    )
    attributes = {
        name: _replace(value, values) for name, value in abstract.attributes.items() if name not in ("id", "abstract")
    }
    # An author describes an instance where it is written: its own title and documentation come first.
    own = tuple(instance.elements("title", "p")) or tuple(abstract.elements("title"))
    given = tuple(_parameter(instance, name, value) for name, value in values.items())
    return replace(
        abstract,
        attributes={**attributes, **instance.attributes},
        children=own + given + children,
        origin=instance.origin,
    )


def _parameter(instance: Element, name: str, value: str) -> Element:
    """Return a `param` with the value that holds in the instance; diagnostics that it names need the value too."""
    attributes = {"name": name, "value": value}
    return replace(instance, kind="param", tag=f"{{{ISO_NAMESPACE}}}param", attributes=attributes, children=())


def with_parameters(note: Element, pattern: Element) -> Element:
    """Return a diagnostic or property with the parameters of an instance, whose assertions name it, put in."""
    return _substitute(note, {param.require("name"): param.require("value") for param in pattern.elements("param")})


def _check_instance(instance: Element) -> None:
    for child in instance.elements("let", "rule", "key"):
        raise child.error(
            f"a {instance.kind} with 'is-a' takes its rules from the abstract {instance.kind} and has no {child.kind}",
            hint=f"write a second {instance.kind}, or put it into the abstract one",
        )


def _values(instance: Element, abstract: Element) -> dict[str, str]:
    given = {name: value for name, value, _ in _parameters(instance) if value is not None}
    declared = {name: value for name, value, _ in _parameters(abstract)}
    for name, value, element in _parameters(instance):
        if declared and name not in declared:
            hint = f"it declares: {', '.join(declared)}"
            raise element.error(f"abstract {abstract.kind} {abstract.get('id')!r} has no parameter {name!r}", hint=hint)
        if value is None and declared.get(name) is None:
            raise element.error(f"param {name!r} has no 'value' attribute")
    defaults = {name: _replace(value, given) for name, value in declared.items() if value is not None}
    for name in declared:
        if name not in given and name not in defaults:
            raise _missing(instance, name)
    return defaults | given


def _parameters(pattern: Element) -> Iterator[tuple[str, str | None, Element]]:
    """Yield the parameters of a pattern. A name may occur again: the last value counts, as in other processors."""
    for element in pattern.elements("param"):
        name = (element.get("name") or element.get("formal") or element.require("name")).strip()
        yield name, element.get("value") or element.get("actual"), element


def repeated_parameters(schema: Element) -> Iterator[Reason]:
    """Yield a warning for every parameter that a pattern gives again."""
    for pattern in schema.elements("pattern", "group"):
        seen: set[str] = set()
        for name, _, element in _parameters(pattern):
            if name in seen:
                file, line = PurePath(element.origin.file).name, element.origin.line
                yield because("param-again", parameter=name, file=file, line=line)
            seen.add(name)


def _substitute(element: Element, values: Mapping[str, str]) -> Element:
    attributes = {name: _replace(value, values) for name, value in element.attributes.items()}
    children = tuple(child if isinstance(child, str) else _substitute(child, values) for child in element.children)
    escaped = {name: escape(value, {'"': "&quot;"}) for name, value in values.items()}
    xml = _TAG.sub(lambda tag: _replace(tag.group(), escaped), element.xml)
    return replace(element, attributes=attributes, children=children, xml=xml)


def _replace(text: str, values: Mapping[str, str]) -> str:
    """Replace every `$name` by its value, the longest name first and never part of a longer name, in one pass.

    >>> _replace("$low <= $lower and $low-est", {"low": "1", "lower": "2"})
    '1 <= 2 and $low-est'
    """
    if "$" not in text or not values:
        return text
    names = "|".join(re.escape(name) for name in sorted(values, key=len, reverse=True))
    return re.sub(rf"\$({names})(?![\w\-]|\.\w)", lambda found: values[found.group(1)], text)


def check_parameters(instance: Element, declared_outside: Collection[str]) -> None:
    """Raise an error if an instantiated pattern still uses a `$name` that nothing declares: a missing parameter."""
    known = {let.require("name") for let in instance.walk() if let.kind == "let"} | set(declared_outside)
    for element in instance.walk():
        for name in sorted(_QUERIES & element.attributes.keys()):
            for variable in _free_variables(element.attributes[name]):
                if variable not in known and element.kind:
                    raise _missing(instance, variable)


def _free_variables(query: str) -> Iterator[str]:
    code = _LITERAL_OR_COMMENT.sub(" ", query)
    if "function" in code:  # the parameters of an inline function look like other variables
        return
    found = [(match.group(1), match.group(2)) for match in _REFERENCE.finditer(code)]
    bound = {name for name, binds in found if binds}
    yield from (name for name, _ in found if name not in bound)


def _missing(instance: Element, name: str) -> RulesError:
    return instance.error(
        f"abstract {instance.kind} {instance.get('is-a')!r} needs a parameter {name!r}, which is not given",
        hint=f'add <param name="{name}" value="..."/>',
    )


# Abstract rules: `extends rule` takes over the variables and assertions of an abstract rule at that place.


@dataclass(frozen=True, slots=True)
class _AbstractRules:
    """The abstract rules that a pattern may extend, and by id those of all patterns, to say where another one is."""

    usable: Mapping[str, Element]
    elsewhere: Mapping[str, Element]


def extend_rules(pattern: Element, shared: Mapping[str, Element], elsewhere: Mapping[str, Element]) -> Element:
    """Return the pattern with every `extends` resolved and its abstract rules removed.

    An abstract rule is looked up in the pattern itself, then among those of the schema's `rules` (`shared`); it is an
    error to extend one of another pattern (`elsewhere`).
    """
    own = {rule.require("id"): rule for rule in abstract_rules(pattern)}
    abstract = _AbstractRules({**shared, **own} if own else shared, elsewhere)
    children = tuple(
        _extended(child, abstract, ()) if isinstance(child, Element) and child.kind == "rule" else child
        for child in pattern.children
        if isinstance(child, str) or not (child.kind == "rule" and child.flag("abstract"))
    )
    return replace(pattern, children=children)


def abstract_rules(container: Element) -> tuple[Element, ...]:
    """Return the abstract rules directly inside a pattern, group or `rules`."""
    return tuple(rule for rule in container.elements("rule") if rule.flag("abstract"))


_MOST_CHILDREN = 100_000  # abstract rules that extend others twice would otherwise grow without limit


def _extended(rule: Element, abstract: _AbstractRules, trail: tuple[str, ...]) -> Element:
    children: list[Element | str] = []
    for child in rule.children:
        if isinstance(child, Element) and child.kind == "extends":
            children.extend(_content(child, abstract, trail))
            if len(children) > _MOST_CHILDREN:
                raise child.error(f"extends expands to a rule with more than {_MOST_CHILDREN} parts")
        else:
            children.append(child)
    return replace(rule, children=tuple(children))


def _content(extends: Element, abstract: _AbstractRules, trail: tuple[str, ...]) -> tuple[Element | str, ...]:
    name = extends.require("rule")
    if name in trail:
        raise extends.error(f"extends forms a cycle: {' -> '.join((*trail[trail.index(name) :], name))}")
    if name not in abstract.usable:
        raise _not_usable(extends, name, abstract)
    return _extended(abstract.usable[name], abstract, (*trail, name)).children


def _not_usable(extends: Element, name: str, abstract: _AbstractRules) -> RulesError:
    if name in abstract.elsewhere:
        hint = f"it is at {abstract.elsewhere[name].origin}; move it into this pattern, or into <rules> of the schema"
        return extends.error(f"extends names the abstract rule {name!r} of another pattern", hint=hint)
    known = ", ".join(abstract.usable)
    hint = f"abstract rules: {known}" if known else "neither the pattern nor the schema's rules has an abstract rule"
    return extends.error(f"extends names an unknown abstract rule {name!r}", hint=hint)


def concrete_patterns(schema: Element) -> list[Element]:
    """Return the concrete patterns and groups of a schema in document order."""
    written = list(schema.elements("pattern", "group"))
    abstract = {p.require("id"): p for p in written if p.flag("abstract")}
    shared = _abstract_rules_in(schema.elements("rules"))
    elsewhere = _abstract_rules_in(written)
    outside = _declared_outside_patterns(schema)
    concrete = []
    for pattern in written:
        if pattern.flag("abstract"):
            continue
        if "is-a" not in pattern.attributes:
            _check_no_parameters(pattern)
            concrete.append(extend_rules(pattern, shared, elsewhere))
        else:
            made = extend_rules(instantiate(pattern, _abstract_of(pattern, abstract)), shared, elsewhere)
            check_parameters(made, outside)
            concrete.append(made)
    _check_once(concrete)
    return concrete


def _abstract_rules_in(boxes: Iterable[Element]) -> dict[str, Element]:
    return {rule.require("id"): rule for box in boxes for rule in abstract_rules(box)}


def _abstract_of(pattern: Element, abstract: dict[str, Element]) -> Element:
    name = pattern.require("is-a").strip()
    if name not in abstract:
        hint = f"abstract patterns: {', '.join(abstract)}" if abstract else "the schema has no abstract pattern"
        raise pattern.error(f"is-a names an unknown abstract pattern {name!r}", hint=hint)
    found = abstract[name]
    if found.kind != pattern.kind:
        # A group fires every matching rule, a pattern only the first: one cannot replace the other.
        raise pattern.error(f"a {pattern.kind} cannot be made from the abstract {found.kind} {name!r}")
    return found


def _check_once(concrete: list[Element]) -> None:
    seen: set[str] = set()
    for pattern in concrete:
        name = pattern.get("id")
        if name in seen:
            raise pattern.error(f"{pattern.kind} {name!r} is included twice, so every finding would be reported twice")
        seen |= {name} if name else set()


def _check_no_parameters(pattern: Element) -> None:
    for param in pattern.elements("param"):
        raise param.error(f"param has no meaning in a {pattern.kind} that is neither abstract nor has 'is-a'")


def _declared_outside_patterns(schema: Element) -> frozenset[str]:
    boxes = (schema, *schema.elements("phase"))
    return frozenset({e.require("name") for box in boxes for e in box.elements("let", "param")})
