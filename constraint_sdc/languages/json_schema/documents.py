"""The schema document: its keywords, its references, and the JSON type as which each property is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.data.nearest_name import nearest_name
from constraint_sdc.languages.placed_json import PlacedJson
from constraint_sdc.languages.rule_book import UntranslatedPartError
from constraint_sdc.limits import RULE_NESTING, TRANSLATED_RULES

ReadAs: TypeAlias = OneOf["number", "text", "boolean"]

NUMBER_KEYWORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
TEXT_KEYWORDS = ("minLength", "maxLength", "pattern", "format")
_VALUE_KEYWORDS = ("type", "enum", "const", *NUMBER_KEYWORDS, *TEXT_KEYWORDS)
_JOINING = ("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else")
_RECORD_KEYWORDS = (
    *("type", "properties", "required", "additionalProperties"),
    *("dependentRequired", "dependentSchemas", "dependencies"),
)
_ARRAY_KEYWORDS = ("type", "items", "minItems", "maxItems")
_NOTES = (
    *("$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples"),
    *("deprecated", "readOnly", "writeOnly"),
)
_OLD_DRAFTS = ("draft-03", "draft-04", "draft-06", "draft-07")
_MOST_VISITS = 20 * TRANSLATED_RULES
_TYPES: Mapping[str, ReadAs] = {"number": "number", "integer": "number", "string": "text", "boolean": "boolean"}


@dataclass(slots=True)
class SchemaDocument:
    """A schema of one record, or of an array of records; `kinds` and `nullable` are filled by `read_kinds`."""

    root: PlacedJson
    kinds: dict[str, ReadAs] = field(default_factory=dict)
    nullable: set[str] = field(default_factory=set)
    trail: list[str] = field(default_factory=list)
    visits: list[int] = field(default_factory=lambda: [0])
    faults: dict[str, UntranslatedPartError] = field(default_factory=dict)

    @property
    def record(self) -> PlacedJson:
        """Return the schema of one record."""
        root = self.root
        if not isinstance(root.content, dict):
            raise root.refused("is not a schema of records", 'write an object with "properties"')
        is_array = root.content.get("type")
        if is_array is None or is_array.content != "array":
            return root
        if "items" not in root.content:
            raise root.refused("an array without a schema of its items", 'write "items": {"properties": {...}}')
        return root.content["items"]

    def keywords(self, schema: PlacedJson, name: str | None) -> dict[str, PlacedJson]:
        """Return the keywords of a schema that say something; notes those without a translation among the faults."""
        is_array = schema is self.root and schema is not self.record
        known = _ARRAY_KEYWORDS if is_array else (*_JOINING, *(_RECORD_KEYWORDS if name is None else _VALUE_KEYWORDS))
        found: dict[str, PlacedJson] = {}
        for keyword, value in schema.entries.items():
            if keyword in known:
                found[keyword] = value
            elif keyword not in _NOTES and not keyword.startswith("x-"):
                self.faults.setdefault(value.pointer, _unknown(keyword, value, known, name))
        self._check_ref(schema, found)
        return found

    def _check_ref(self, schema: PlacedJson, found: Mapping[str, PlacedJson]) -> None:
        """Refuse what stands beside `$ref`: the older drafts ignore it, the newer ones do not."""
        draft = self.root.entries.get("$schema")
        is_old = draft is not None and any(old in str(draft.content) for old in _OLD_DRAFTS)
        if is_old and "$ref" in found and len(found) > 1:
            other = next(word for word in found if word != "$ref")
            raise schema.refused(
                f"{other!r} beside '$ref' is ignored by this draft", 'write both inside "allOf": [{...}, {...}]'
            )

    def resolved(self, ref: PlacedJson) -> PlacedJson:
        """Return the schema that `$ref` names, which must be in the same document."""
        target = ref.content
        if not isinstance(target, str) or not (target == "#" or target.startswith("#/")):
            raise ref.refused(f"{target!r} is not in this file", 'write "$ref": "#/$defs/NAME"')
        found = self.root
        for step in target.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            inside = found.content
            if isinstance(inside, dict) and name in inside:
                found = inside[name]
            elif isinstance(inside, list) and name.isdecimal() and int(name) < len(inside):
                found = inside[int(name)]
            else:
                near = nearest_name(name, tuple(inside)) if isinstance(inside, dict) else None
                hint = f"did you mean {near!r}?" if near else 'name an entry of "$defs"'
                raise ref.refused(f"{target!r} does not exist", hint)
        return found

    def inside(self, schema: PlacedJson) -> SchemaDocument:
        """Return the document one schema deeper; raises where schemas contain themselves."""
        if schema.pointer in self.trail:
            raise schema.refused("'$ref' forms a cycle", "a record has no records inside; write the schema out")
        if len(self.trail) > RULE_NESTING:
            raise schema.refused(f"schemas are nested more than {RULE_NESTING} deep", "divide the schema")
        self.visits[0] += 1
        if self.visits[0] > _MOST_VISITS:
            raise schema.refused("'$ref' makes a schema of enormous size", "write the schema in another way")
        return replace(self, trail=[*self.trail, schema.pointer])


def _unknown(keyword: str, value: PlacedJson, known: tuple[str, ...], name: str | None) -> UntranslatedPartError:
    where = "a record" if name is None else f"property {name}"
    near = nearest_name(keyword, known)
    hint = f"did you mean {near!r}?" if near else f"use one of: {', '.join(known)}"
    return value.refused(f"the keyword {keyword!r} of {where} has no translation", hint)


def read_kinds(document: SchemaDocument) -> None:
    """Find out as which JSON type each property is read, and which may be null, from all that is said about it."""
    for value, name, kind in _mentions(document, document.record, None):
        if kind is None:
            document.nullable.add(name)
        elif document.kinds.setdefault(name, kind) != kind:
            what = f"property {name} is read as a {document.kinds[name]}, and here as a {kind}"
            raise value.refused(what, "state one type for all values of the property, beside null")


def _mentions(
    document: SchemaDocument, schema: PlacedJson, name: str | None
) -> Iterator[tuple[PlacedJson, str, ReadAs | None]]:
    """Yield every place that tells as what a property is read; None for null."""
    if isinstance(schema.content, bool):
        return
    inner = document.inside(schema)
    for keyword, value in document.keywords(schema, name).items():
        match keyword:
            case "$ref":
                yield from _mentions(inner, document.resolved(value), name)
            case "allOf" | "anyOf" | "oneOf":
                for one in value.items:
                    yield from _mentions(inner, one, name)
            case "not" | "if" | "then" | "else":
                yield from _mentions(inner, value, name)
            case "properties":
                for own, one in value.entries.items():
                    yield from _mentions(inner, one, own)
            case "dependentSchemas" | "dependencies":
                for one in value.entries.values():
                    if not isinstance(one.content, list):
                        yield from _mentions(inner, one, name)
            case _ if name is not None:
                for kind in _kinds_of(keyword, value):
                    yield value, name, kind


def _kinds_of(keyword: str, value: PlacedJson) -> Iterator[ReadAs | None]:
    if keyword in NUMBER_KEYWORDS:
        yield "number"
    elif keyword in TEXT_KEYWORDS:
        yield "text"
    elif keyword == "type":
        yield from (None if word == "null" else _TYPES[word] for word in type_words(value))
    else:
        for one in value.items if keyword == "enum" else [value]:
            yield constant_kind(one)


def type_words(value: PlacedJson) -> list[str]:
    """Return the types that `type` lists for the value of a property."""
    found = []
    for one in value.content if isinstance(value.content, list) else [value]:
        if not isinstance(one.content, str) or one.content not in (*_TYPES, "null"):
            hint = f"use one of: {', '.join((*_TYPES, 'null'))}; a property has one value, no list and no object"
            raise one.refused(f"the type {one.text()} has no translation", hint)
        found.append(one.content)
    if not found:
        raise value.refused("lists no type", f"use one of: {', '.join((*_TYPES, 'null'))}")
    return found


def constant_kind(value: PlacedJson) -> ReadAs | None:
    """Return as what a property is read that is compared with a constant; None for null."""
    match value.content:
        case None:
            return None
        case bool():
            return "boolean"
        case Decimal():
            return "number"
        case str():
            return "text"
        case _:
            raise value.refused("is no value of a property", "write a text, a number, true, false or null")
