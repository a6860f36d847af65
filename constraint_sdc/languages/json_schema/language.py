"""JSON Schema as a rule language: one rule for each keyword that can fail by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.errors import RulesError
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.languages.formula import (
    AllConditions,
    ColumnTerm,
    ComparedTerms,
    HasNoValue,
    NumberTerm,
    Opposite,
    OverRecordsTerm,
    RuleCondition,
    constant_truth,
    parts_of,
)
from constraint_sdc.languages.json_schema.conditions import ALWAYS, SchemaConditions, names_of
from constraint_sdc.languages.json_schema.documents import SchemaDocument, read_kinds
from constraint_sdc.languages.json_schema.values import at_property, whole_number
from constraint_sdc.languages.placed_json import PlacedJson, read_json
from constraint_sdc.languages.rule_book import (
    NA_POLICIES,
    BookRule,
    NaPolicy,
    ReadFile,
    Severities,
    UntranslatedPartError,
    UntranslatedRulesError,
    decoded,
    fault_of,
    no_way_back,
)
from constraint_sdc.languages.schematron_text import rule_id
from constraint_sdc.limits import RULE_PARTS, TRANSLATED_RULES
from constraint_sdc.schematron.schema import Origin


@dataclass(frozen=True, slots=True)
class _Remarks:
    """What a schema notes about its rules: words for reports, severity and the policy for missing values."""

    label: str = ""
    description: str = ""
    severity: str = ""
    na: NaPolicy = "not applicable"


@dataclass(frozen=True, slots=True)
class _SchemaRule:
    """A rule without its id."""

    wished: str
    condition: RuleCondition
    text: str
    at: PlacedJson
    remarks: _Remarks


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """Rules as a JSON Schema of a record, or of an array of records."""

    name: str = "JSON Schema"
    endings: tuple[str, ...] = (".json",)

    def translate(self, path: Path, content: bytes, read: ReadFile) -> tuple[BookRule, ...]:  # noqa: ARG002
        """Return the rules of a schema."""
        faults: dict[str, UntranslatedPartError] = {}
        try:
            found = tuple(_rules(SchemaDocument(read_json(decoded(content, path)), faults=faults), path))
        except UntranslatedPartError as error:
            faults[""] = error
        if faults:
            ordered = sorted(faults.values(), key=lambda fault: (fault.place.line, fault.place.column))
            raise UntranslatedRulesError(tuple(fault_of(fault, path) for fault in ordered))
        return found

    def write(self, rules: Sequence[BookRule], record: str) -> str:  # noqa: ARG002
        """Refuse: JSON Schema has no words for two properties in one comparison."""
        raise no_way_back(self.name, rules)


def _rules(document: SchemaDocument, path: Path) -> Iterator[BookRule]:
    record = document.record
    read_kinds(document)
    drafts = list(_array_rules(document))
    drafts += _record_rules(SchemaConditions(document), record, _remarks(record, _Remarks(), is_root=True), "")
    drafts = [draft for draft in drafts if not _is_always_true(draft)]
    if len(drafts) > TRANSLATED_RULES:
        raise RulesError(f"more than {TRANSLATED_RULES} rules", file=str(path), hint="divide the schema")
    known: set[str] = set()
    for draft in drafts:
        if sum(1 for _ in parts_of(draft.condition)) > RULE_PARTS:
            raise draft.at.refused(f"a rule has more than {RULE_PARTS} parts", "divide the schema, or use anyOf")
        yield BookRule(
            id=rule_id(draft.wished, known),
            condition=draft.condition,
            text=draft.text,
            origin=Origin(str(path), draft.at.place.line),
            label=draft.remarks.label,
            description=draft.remarks.description,
            severity=draft.remarks.severity,
            na=draft.remarks.na,
        )


def _is_always_true(draft: _SchemaRule) -> bool:
    """Tell whether a rule checks nothing: `type` of a text, `required` of a property that may be null.

    A rule that no record can satisfy is refused.
    """
    truth = constant_truth(draft.condition)
    if truth is False:
        raise draft.at.refused("no record can satisfy this", "remove it, or say what may be null in another way")
    return truth is True


def _remarks(schema: PlacedJson, outer: _Remarks, *, is_root: bool = False) -> _Remarks:
    """Return what a schema notes; severity and policy hold for the schemas inside."""
    if not isinstance(schema.content, dict):
        return outer
    entries = schema.content
    texts = {}
    for own, keyword in (("label", "title"), ("description", "description")):
        found = entries.get(keyword)
        texts[own] = found.content if found is not None and isinstance(found.content, str) and not is_root else ""
    severity = _word(entries, "x-severity", Severities)
    na = _word(entries, "x-na", NA_POLICIES)
    return _Remarks(
        **texts,
        severity=outer.severity if not severity else "" if severity == "error" else severity,
        na=next((one for one in NA_POLICIES if one == na), outer.na),
    )


def _word(entries: dict[str, PlacedJson], keyword: str, known: tuple[str, ...]) -> str:
    value = entries.get(keyword)
    if value is None:
        return ""
    if not isinstance(value.content, str) or value.content not in known:
        raise value.refused(f"unknown {keyword} {value.text()}", f"use one of: {', '.join(known)}")
    return value.content


def _array_rules(document: SchemaDocument) -> Iterator[_SchemaRule]:
    """Yield the rules about the number of records."""
    root = document.root
    if document.record is root:
        return
    bounds: dict[str, CompareOp] = {"minItems": ">=", "maxItems": "<="}
    for keyword, value in document.keywords(root, None).items():
        if keyword in bounds:
            number = NumberTerm(whole_number(value, "write a number of records"))
            condition = ComparedTerms(bounds[keyword], OverRecordsTerm("count", ()), number)
            yield _SchemaRule(
                keyword, condition, f"{keyword} {value.text()}", value, _remarks(root, _Remarks(), is_root=True)
            )


def _record_rules(
    conditions: SchemaConditions, schema: PlacedJson, remarks: _Remarks, where: str
) -> Iterator[_SchemaRule]:
    """Yield the rules of a schema about the record: whatever can fail by itself is one."""
    if isinstance(schema.content, bool):
        if not schema.content:
            yield _SchemaRule(f"{where}false", conditions.of(schema, None), "no record is allowed", schema, remarks)
        return
    inner = SchemaConditions(conditions.document.inside(schema))
    for keyword, value in conditions.document.keywords(schema, None).items():
        match keyword:
            case "properties":
                for name, one in value.entries.items():
                    yield from _property_rules(inner, one, name, _remarks(one, remarks))
            case "required":
                for name in names_of(value):
                    yield _SchemaRule(f"{name}-required", inner.is_there(name), f"{name} required", value, remarks)
            case "allOf":
                for at, one in enumerate(value.items, 1):
                    yield from _record_rules(inner, one, _remarks(one, remarks), f"{where}allOf-{at}-")
            case "$ref":
                target = conditions.document.resolved(value)
                yield from _record_rules(inner, target, _remarks(target, remarks), where)
            case "dependentRequired" | "dependentSchemas" | "dependencies":
                for name, one in value.entries.items():
                    text = f"if {name} then {one.text()}"
                    yield _SchemaRule(f"{where}{name}-{keyword}", inner.dependent(name, one), text, one, remarks)
            case _:
                yield _SchemaRule(
                    f"{where}{keyword}",
                    inner.of_keyword(keyword, schema, None),
                    _shown(keyword, schema),
                    value,
                    remarks,
                )


def _property_rules(
    conditions: SchemaConditions, schema: PlacedJson, name: str, remarks: _Remarks
) -> Iterator[_SchemaRule]:
    """Yield the rules of a schema about the value of a property."""
    document, missing = conditions.document, HasNoValue(ColumnTerm(name))
    if isinstance(schema.content, bool):
        yield _SchemaRule(f"{name}-absent", conditions.of_property(name, schema), f"{name} absent", schema, remarks)
        return
    inner = SchemaConditions(document.inside(schema))
    for keyword, value in document.keywords(schema, name).items():
        if keyword == "$ref":
            target = document.resolved(value)
            yield from _property_rules(inner, target, name, _remarks(target, remarks))
        elif keyword == "allOf":
            for one in value.items:
                yield from _property_rules(inner, one, name, _remarks(one, remarks))
        else:
            asked = inner.question(keyword, schema, name)
            is_plain = asked.plain is not None and (asked.of_null or name not in document.nullable)
            condition = asked.plain if is_plain and asked.plain is not None else at_property(asked, name, document)
            if remarks.na == "fails" and condition != ALWAYS:
                condition = AllConditions((Opposite(missing), condition))
            yield _SchemaRule(f"{name}-{keyword}", condition, f"{name} {_shown(keyword, schema)}", value, remarks)


def _shown(keyword: str, schema: PlacedJson) -> str:
    """Return a keyword and its value as a message shows them."""
    words = ("if", "then", "else") if keyword == "if" else (keyword,)
    return " ".join(f"{word} {schema.entries[word].text()}" for word in words if word in schema.entries)


REGISTERED = {"JSON Schema": JsonSchema()}
