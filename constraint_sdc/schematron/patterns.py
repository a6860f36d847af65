"""Convert concrete pattern elements to patterns, rules and assertions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf

from constraint_sdc.schematron.declarations import read_lets
from constraint_sdc.schematron.element import LINT_IGNORE, MAY_BE_IDLE, OUR_MARKS, Element
from constraint_sdc.schematron.notes import WrittenNotes, message_parts, nearest_language
from constraint_sdc.schematron.schema import Assertion, Let, LintExemption, Pattern, Rule, Severity

# The severity of a finding: @severity, else @role, else @flag; those of the assertion before those of its rule.

_WORDS: dict[str, Severity] = {
    "fatal": "error",
    "error": "error",
    "warning": "warning",
    "warn": "warning",
    "caution": "warning",
    "information": "information",
    "info": "information",
    "informational": "information",
    "hint": "information",
    "notice": "information",
}


def decide_severity(levels: Iterable[Element], lets: Iterable[Let]) -> Severity:
    """Return the first severity found at the levels assertion, rule and pattern, in this order; error by default.

    A value that is not a severity (`role="title-check"`) is skipped. A value may be a variable (2025: `role="$level"`,
    set by the phase): `lets` are the variables in scope, the innermost last, and a variable whose value is plain text
    is resolved. A value that only the data decide (another variable, a template) and that may be a severity is taken
    for the worst.
    """
    texts = {let.name: plain_text(let) for let in lets}
    for element in levels:
        for name in ("severity", "role", "flag"):
            word = _spelt_out((element.get(name) or "").strip(), texts)
            if word is None or _may_become_severity(word):
                return "error"
            if word.lower() in _WORDS:
                return _WORDS[word.lower()]
    return "error"


def _spelt_out(word: str, texts: Mapping[str, str | None]) -> str | None:
    """Return the word, or the text of the variable that it names; None if that must be computed."""
    return texts.get(word[1:], "") if word.startswith("$") else word


def _may_become_severity(template: str) -> bool:
    """Tell whether an attribute value template may have the value of a severity word.

    >>> [_may_become_severity(text) for text in ("{V1}", "warn{V1}", "title-{V1}", "error", "{{error}}")]
    [True, True, False, False, False]
    """
    before, brace, inside = template.partition("{")
    if not brace or inside.startswith("{"):
        return False
    after = inside.rpartition("}")[2]
    return any(word.startswith(before.lower()) and word.endswith(after.lower()) for word in _WORDS)


def plain_text(let: Let) -> str | None:
    """Return the text of a quoted string, or of content without markup; None for anything that must be computed."""
    if let.value is None:
        return None if "<" in (let.content or "") else (let.content or "").strip()
    value = let.value.strip()
    is_quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"" and value[0] not in value[1:-1]
    return value[1:-1].strip() if is_quoted else None


def may_be_idle(levels: Iterable[Element]) -> bool:
    """Tell whether the author allows a rule to check nothing: the innermost mark counts; false by default."""
    marks = (element.flag(MAY_BE_IDLE) for element in levels if MAY_BE_IDLE in element.attributes)
    return next(marks, False)


def exemptions(levels: Iterable[Element]) -> tuple[LintExemption, ...]:
    """Return the codes from which a rule is exempted, by marks on it and on what is around it."""
    return tuple(element.exemption() for element in levels if LINT_IGNORE in element.attributes)


# Ids: those that must be unique, and the id under which each assertion is reported.
#
# An author's id appears unchanged as long as it is unique. Ids are made over the whole schema, never over the chosen
# phase alone, so that a rule has the same name in every phase.


@dataclass(frozen=True, slots=True)
class AssertionPlace:
    """An assertion with the rule and the concrete pattern around it, and the rule's number in the schema."""

    pattern: Element
    rule: Element
    rule_number: int
    assertion: Element


def check_unique(elements: Iterable[Element], what: str) -> None:
    """Raise an error if two different elements share an id; one element that is included twice counts once."""
    seen: dict[str, Element] = {}
    for element in elements:
        name = element.get("id")
        if name is None:
            continue
        first = seen.setdefault(name, element)
        if first.source != element.source:
            raise element.error(f"{what} id {name!r} is used twice", hint=f"first used at {first.origin}")


def pattern_ids(patterns: Sequence[Element]) -> list[str]:
    """Return one unique id per concrete pattern: the author's, or one made from `is-a` or its number."""
    wished = [p.get("id") or p.get("is-a") or f"pattern-{n}" for n, p in enumerate(patterns, 1)]
    return _numbered(wished, [p.get("id") is not None for p in patterns])


def assertion_ids(places: Sequence[AssertionPlace]) -> list[str]:
    """Return one unique id per assertion.

    The author's id; `pattern/id` where several rules share that assertion; without an id the rule's id, else the
    pattern's id or name, else `rule-N`; then ` #2`, ` #3` for further assertions of the same name.
    """
    own = Counter(place.assertion.get("id") for place in places)
    rules = Counter(rule_id for rule_id in {p.rule_number: p.rule.get("id") for p in places}.values())
    wished, is_kept = [], []
    for place in places:
        name = place.assertion.get("id")
        is_kept.append(name is not None and own[name] == 1)
        if name is None:
            wished.append(_without_id(place, rules))
        elif own[name] == 1:
            wished.append(name)
        else:
            wished.append(f"{_label(place) or f'rule-{place.rule_number}'}/{name}")
    return _numbered(wished, is_kept)


def _without_id(place: AssertionPlace, rules: Counter[str | None]) -> str:
    rule = place.rule.get("id")
    if rule is not None and rules[rule] == 1:
        return rule
    label = _label(place)
    if rule is not None:
        return f"{label}/{rule}" if label and label != rule else rule
    return label or f"rule-{place.rule_number}"


def _label(place: AssertionPlace) -> str:
    pattern = place.pattern
    return " ".join((pattern.get("id") or pattern.get("name") or pattern.get("is-a") or "").split())


def _numbered(wished: Sequence[str], is_kept: Sequence[bool]) -> list[str]:
    """Make names unique: kept names stay, the others get ` #2`, ` #3` in order."""
    taken = {name for name, kept in zip(wished, is_kept, strict=True) if kept}
    names = []
    for name, kept in zip(wished, is_kept, strict=True):
        unique, number = name, 1
        while not kept and unique in taken:
            number += 1
            unique = f"{name} #{number}"
        taken.add(unique)
        names.append(unique)
    return names


def read_patterns(
    concrete: Sequence[Element], notes: WrittenNotes, lets: tuple[Let, ...], language: str | None
) -> tuple[Pattern, ...]:
    """Turn concrete patterns into the model, with unique ids throughout.

    `lets` are the variables of the schema and the phase, `language` is the schema's.
    """
    places = list(_places(concrete))
    for name, declared in (("diagnostics", notes.diagnostics), ("properties", notes.properties)):
        _check_references(places, name, set(declared))
    reader = _PatternReader(notes, lets, language, iter(assertion_ids(places)))
    return tuple(map(reader.pattern, concrete, pattern_ids(concrete)))


def _places(concrete: Sequence[Element]) -> Iterator[AssertionPlace]:
    """Yield the assertions in the order in which `_PatternReader` takes their ids."""
    number = 0
    for pattern in concrete:
        for rule in pattern.elements("rule"):
            number += 1
            for assertion in rule.elements("assert", "report"):
                yield AssertionPlace(pattern, rule, number, assertion)


@dataclass(frozen=True, slots=True)
class _PatternReader:
    """Reads patterns; `ids` are those of the assertions in their order."""

    notes: WrittenNotes
    lets: tuple[Let, ...]
    language: str | None
    ids: Iterator[str]

    def pattern(self, element: Element, name: str) -> Pattern:
        title = next((title.text() for title in element.elements("title")), "")
        return Pattern(
            id=name,
            name=" ".join((element.get("name") or title or name).split()),
            documents=element.get("documents"),
            is_group=element.kind == "group",
            lets=read_lets(element),
            rules=tuple(self._rule(rule, element) for rule in element.elements("rule")),
            attributes=tuple(element.attributes.items()),
            origin=element.origin,
        )

    def _rule(self, element: Element, pattern: Element) -> Rule:
        return Rule(
            id=element.get("id"),
            context=element.require("context"),
            lets=read_lets(element),
            assertions=tuple(self._placed(child, element, pattern) for child in element.elements("assert", "report")),
            attributes=tuple(element.attributes.items()),
            origin=element.origin,
        )

    def _placed(self, element: Element, rule: Element, pattern: Element) -> Assertion:
        """Read an assertion with what it takes from its rule and pattern."""
        levels = (element, rule, pattern)
        lets = self.lets + read_lets(pattern) + read_lets(rule)
        outer = (rule.language, pattern.get("xml:lang"), pattern.language, self.language)
        language = nearest_language(element.language, *outer)
        spoken = replace(element, attributes={**element.attributes, **dict(language)})
        return replace(
            _assertion(spoken, next(self.ids), decide_severity(levels, lets)),
            may_be_idle=may_be_idle(levels),
            exemptions=exemptions(levels),
            own_notes=self.notes.of_instance(element, pattern),
        )


def _assertion(element: Element, name: str, severity: Severity) -> Assertion:
    kind: OneOf["assert", "report"] = "report" if element.kind == "report" else "assert"
    return Assertion(
        id=name,
        has_own_id=element.get("id") is not None,
        kind=kind,
        test=element.require("test"),
        parts=message_parts(element),
        severity=severity,
        diagnostics=tuple((element.get("diagnostics") or "").split()),
        properties=tuple((element.get("properties") or "").split()),
        attributes=tuple((key, value) for key, value in element.attributes.items() if key not in OUR_MARKS),
        origin=element.origin,
    )


def _check_references(places: Sequence[AssertionPlace], name: str, known: set[str]) -> None:
    for assertion in (place.assertion for place in places):
        for wanted in (assertion.get(name) or "").split():
            if wanted not in known:
                hint = f"{name}: {', '.join(sorted(known))}" if known else f"the schema has no {name}"
                raise assertion.error(f"{assertion.kind} names {wanted!r}, which is not among the {name}", hint=hint)
