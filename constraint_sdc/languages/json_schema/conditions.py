"""What a schema says, as a condition that is true or false on every record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from constraint_sdc.languages.formula import (
    AllConditions,
    AnyCondition,
    ColumnTerm,
    ConstantTruth,
    HasNoValue,
    NoOtherVariables,
    Opposite,
    RuleCondition,
    implies,
)
from constraint_sdc.languages.json_schema.documents import SchemaDocument
from constraint_sdc.languages.json_schema.values import JOINED, ValueQuestion, at_property, at_value, value_question
from constraint_sdc.languages.placed_json import PlacedJson

ALWAYS, NEVER = ConstantTruth(True), ConstantTruth(False)


@dataclass(frozen=True, slots=True)
class SchemaConditions:
    """Translates schemas; `name` is the property that a schema is about, None for the record."""

    document: SchemaDocument

    def of(self, schema: PlacedJson, name: str | None) -> RuleCondition:
        """Return the condition of a schema; that of a property is about its value."""
        if isinstance(schema.content, bool):
            return ConstantTruth(schema.content)
        inner = SchemaConditions(self.document.inside(schema))
        entries = self.document.keywords(schema, name)
        return _all(inner.of_keyword(keyword, schema, name) for keyword in entries)

    def of_keyword(self, keyword: str, schema: PlacedJson, name: str | None) -> RuleCondition:
        """Return what one keyword of a schema says."""
        if name is None:
            return self._of_record(keyword, schema)
        return at_value(self.question(keyword, schema, name), name, self.document)

    def question(self, keyword: str, schema: PlacedJson, name: str) -> ValueQuestion:
        """Return what one keyword asks about the value of a property."""
        joined = self._joined(keyword, schema, name)
        if joined is not None:
            return ValueQuestion(joined, *((True, True) if joined == ALWAYS else ()))
        return value_question(keyword, schema.entries[keyword], name, self.document)

    def _joined(self, keyword: str, schema: PlacedJson, name: str | None) -> RuleCondition | None:
        value = schema.entries[keyword]
        match keyword:
            case "$ref":
                return self.of(self.document.resolved(value), name)
            case "allOf" | "anyOf" | "oneOf":
                if not value.items:
                    raise value.refused("lists no schema", "write at least one")
                parts = tuple(self.of(one, name) for one in value.items)
                return parts[0] if len(parts) == 1 else JOINED[keyword](parts)
            case "not":
                return Opposite(self.of(value, name))
            case "if":
                return self._conditional(schema.entries, name)
            case "then" | "else":
                return ALWAYS
            case _:
                return None

    def _conditional(self, entries: Mapping[str, PlacedJson], name: str | None) -> RuleCondition:
        condition = self.of(entries["if"], name)
        parts: list[RuleCondition] = []
        if "then" in entries:
            parts.append(implies(condition, self.of(entries["then"], name)))
        if "else" in entries:
            parts.append(AnyCondition((condition, self.of(entries["else"], name))))
        return _all(iter(parts))

    # Records

    def _of_record(self, keyword: str, schema: PlacedJson) -> RuleCondition:
        value = schema.entries[keyword]
        joined = self._joined(keyword, schema, None)
        if joined is not None:
            return joined
        match keyword:
            case "type":
                listed = value.content if isinstance(value.content, list) else [value]
                if not all(isinstance(one.content, str) for one in listed):
                    raise value.refused("is not a type", 'write "object"')
                if not any(one.content == "object" for one in listed):
                    raise value.refused("a record is an object", 'write "type": "object"')
                return ALWAYS
            case "properties":
                return _all(self.of_property(name, one) for name, one in value.entries.items())
            case "required":
                return _all(self.is_there(name) for name in names_of(value))
            case "additionalProperties":
                return self.no_others(schema)
            case _:
                return _all(self.dependent(name, one) for name, one in value.entries.items())

    def of_property(self, name: str, schema: PlacedJson) -> RuleCondition:
        """Return what the schema of a property says about a record."""
        if isinstance(schema.content, bool):
            return ALWAYS if schema.content else Opposite(self.is_there(name))
        inner = SchemaConditions(self.document.inside(schema))
        keywords = self.document.keywords(schema, name)
        return _all(at_property(inner.question(one, schema, name), name, self.document) for one in keywords)

    def is_there(self, name: str) -> RuleCondition:
        """Return that a record has a property; one that may be null is always there."""
        return ALWAYS if name in self.document.nullable else Opposite(HasNoValue(ColumnTerm(name)))

    def dependent(self, name: str, value: PlacedJson) -> RuleCondition:
        """Return what a record with a property must satisfy: other properties, or a schema."""
        if isinstance(value.content, list):
            needed = _all(self.is_there(other) for other in names_of(value))
        else:
            needed = self.of(value, None)
        return ALWAYS if needed == ALWAYS else implies(self.is_there(name), needed)

    def no_others(self, schema: PlacedJson) -> RuleCondition:
        """Return that a record has no properties but those that its schema lists."""
        value = schema.entries["additionalProperties"]
        if not isinstance(value.content, bool):
            raise value.refused("a schema of other properties has no translation", "list them, or write true or false")
        listed = schema.entries.get("properties")
        return ALWAYS if value.content else NoOtherVariables(tuple(listed.entries) if listed is not None else ())


def names_of(value: PlacedJson) -> Iterator[str]:
    """Yield the names that a list has."""
    for one in value.items:
        if not isinstance(one.content, str):
            raise one.refused("is not the name of a property", "write it in double quotes")
        yield one.content


def _all(conditions: Iterator[RuleCondition]) -> RuleCondition:
    parts = tuple(one for one in conditions if one != ALWAYS)
    return ALWAYS if not parts else parts[0] if len(parts) == 1 else AllConditions(parts)
