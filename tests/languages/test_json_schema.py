"""JSON Schema: verdicts are those of the package jsonschema, record by record; what is refused, and where."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

import constraint_sdc as cs
from constraint_sdc.errors import RulesError
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.languages.loading import read_book
from constraint_sdc.languages.registry import LANGUAGES
from constraint_sdc.languages.rule_book import RuleBook
from tests.languages.judged import failures, write_rows

SCHEMAS, RECORDS = 300, 60
NUMBERS, TEXTS = ("a", "b", "x"), ("t", "u", "d")
NULLABLE = ("x", "u")


class SchemaDraw:
    """Draws schemas of numbers a, b, x, texts t, u, d (dates) and the truth f; x and u may be null."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *values: Any) -> Any:
        return self.random.choice(values)

    def number(self) -> Any:
        return self.pick(self.random.randint(-3, 9), self.random.randint(-3, 9), 2.5, 0.25, 1.75)

    def of_number(self, name: str) -> dict[str, Any]:
        return self.pick(
            {"type": self.pick("number", "integer")},
            {self.pick("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"): self.number()},
            {"minimum": self.number(), "maximum": self.number() + 4},
            {"multipleOf": self.pick(1, 2, 3, 0.5, 0.25) if name == "b" else self.pick(0.01, 0.1, 2)},
            {"enum": [self.number() for _ in range(3)]},
            {"const": self.number()},
            {"type": "integer", "minimum": self.number()},
        )

    def of_text(self) -> dict[str, Any]:
        return self.pick(
            {"type": "string"},
            {self.pick("minLength", "maxLength"): self.random.randint(0, 4)},
            {"pattern": self.pick("^[A-Z]+$", "b", r"^\w\d", r"\.", "^(A|B)?$", "[^A]")},
            {"enum": ["A", "b1", "x.y"]},
            {"const": self.pick("A", "AB")},
            {"format": "date"},
        )

    def of_value(self, name: str, depth: int = 1) -> Any:
        if depth and self.random.random() < 0.3:
            inner = [self.of_value(name, depth - 1) for _ in range(3)]
            return self.pick(
                {self.pick("allOf", "anyOf", "oneOf"): inner},
                {"not": inner[0]},
                {"if": inner[0], "then": inner[1], "else": inner[2]},
                {"if": inner[0], "then": inner[1]},
            )
        if name in NULLABLE and self.random.random() < 0.3:
            return self.pick(
                {"type": "null"}, {"type": [self.kind(name), "null"]}, {"enum": [None, self.constant(name)]}
            )
        if name == "f":
            return self.pick({"type": "boolean"}, {"const": True}, {"enum": [False]})
        return self.of_number(name) if name in NUMBERS else self.of_text()

    def kind(self, name: str) -> str:
        return "number" if name in NUMBERS else "string"

    def constant(self, name: str) -> Any:
        return self.number() if name in NUMBERS else "A"

    def name(self) -> str:
        return str(self.pick(*NUMBERS, *TEXTS, "f"))

    def of_record(self, depth: int = 2) -> Any:
        if depth and self.random.random() < 0.5:
            inner = [self.of_record(depth - 1) for _ in range(3)]
            return self.pick(
                {self.pick("allOf", "anyOf", "oneOf"): inner},
                {"not": inner[0]},
                {"if": inner[0], "then": inner[1], "else": inner[2]},
                {"if": inner[0], "then": inner[1]},
                {"dependentSchemas": {self.name(): inner[0]}},
                {**inner[0], "required": [self.name()]},
            )
        name = self.name()
        return self.pick(
            {"properties": {name: self.of_value(name)}},
            {"properties": {name: self.of_value(name)}},
            {"properties": {other: self.of_value(other) for other in {name, self.name()}}},
            {"required": [name, self.name()]},
            {"dependentRequired": {name: [self.name()]}},
            {"properties": {name: self.pick(True, False)}},
            {"properties": {name: {"anyOf": [{"$ref": f"#/$defs/{name}"}]}}},
            {"properties": {key: {} for key in (*NUMBERS, *TEXTS[:-1])}, "additionalProperties": False},
        )

    def record(self) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for name in (*NUMBERS, *TEXTS, "f"):
            if self.random.random() < 1 / 7:
                found[name] = None
            elif name in NUMBERS:
                text = str(self.pick(self.random.randint(-4, 10), self.random.randint(-40, 100) / 10, 2.5, 1.75))
                found[name] = self.pick(
                    text,
                    text,
                    text,
                    text,
                    text,
                    f"{text}0" if "." in text else f"{text}.0",
                    "1e1" if name == "b" else text,
                    "ten",
                )
            elif name == "f":
                found[name] = self.pick("true", "false", "maybe")
            else:
                found[name] = self.pick("A", "B", "AB", "b1", "x.y", "Zz 9", "2024-02-29", "2023-02-29", "2023-2-1")
        return found


def instance(record: dict[str, str | None]) -> dict[str, Any]:
    """Return the object that a record is: what docs/languages/json-schema.md says, in other words."""
    found: dict[str, Any] = {}
    for name, text in record.items():
        if text is None:
            if name in NULLABLE:
                found[name] = None
        elif name in NUMBERS and re.fullmatch(r"-?\d+(\.\d+)?(e\d+)?", text):
            number = Decimal(text)
            found[name] = int(number) if number == int(number) else number
        else:
            found[name] = {"true": True, "false": False}.get(text, text) if name == "f" else text
    return found


def read(schema: Any, folder: Path) -> RuleBook:
    (folder / "rules.json").write_text(schema if isinstance(schema, str) else json.dumps(schema))
    return read_book(folder / "rules.json", LANGUAGES["JSON Schema"])


def test_verdicts_are_those_of_jsonschema(tmp_path: Path) -> None:
    draw = SchemaDraw(11)
    defs = {name: draw.of_value(name, 0) for name in (*NUMBERS, *TEXTS, "f")}
    kinds = {name: {"type": ["string", "null"] if name in TEXTS else ["number", "null"]} for name in NULLABLE}
    schemas: list[Any] = []
    while len(schemas) < SCHEMAS:
        schema = draw.of_record()
        try:
            read({"$defs": defs, "properties": kinds, "allOf": [schema]}, tmp_path)
            schemas.append(schema)
        except RulesError as error:
            assert "no record can satisfy this" in str(error)  # noqa: PT017  (an error is one of two good outcomes)
    lines = ",\n".join(json.dumps(schema) for schema in schemas)
    text = f'{{"$defs": {json.dumps(defs)}, "properties": {json.dumps(kinds)}, "allOf": [\n{lines}\n]}}'
    (tmp_path / "rules.json").write_text(text)
    records = [draw.record() for _ in range(RECORDS)]
    data = write_rows(tmp_path / "data.xml", records)
    found = failures(data, tmp_path / "rules.json")
    ours: dict[int, set[int]] = defaultdict(set)
    for assertion in load_rules(tmp_path / "rules.json").schema.assertions():
        ours[assertion.origin.line - 2] |= found[assertion.id]
    wrong, unlike = {}, 0
    for at, schema in enumerate(schemas):
        exact = json.loads(json.dumps({"$defs": defs, **schema}), parse_float=Decimal)
        judge = Draft202012Validator(exact, format_checker=FormatChecker())
        theirs = {number for number, record in enumerate(records, 1) if not judge.is_valid(instance(record))}
        unlike += 0 < len(theirs) < RECORDS
        if theirs != ours[at]:
            wrong[json.dumps(schema)] = sorted(theirs ^ ours[at])
    assert not wrong, "\n".join(f"{a}: {b}" for a, b in wrong.items())
    assert unlike > SCHEMAS // 2


PERSON = """{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Person",
  "properties": {
    "Age": {"title": "Age in years", "type": "integer", "minimum": 16},
    "Wage": {"$ref": "#/$defs/money"},
    "Hours": {"type": ["number", "null"], "exclusiveMaximum": 100, "x-severity": "warning"},
    "Region": {"enum": ["N", "S"], "x-na": "fails"},
    "@id": {"type": "string", "maxLength": 3}
  },
  "required": ["Age", "Hours"],
  "if": {"properties": {"Wage": {"exclusiveMinimum": 0}}, "required": ["Wage"]},
  "then": {"properties": {"Hours": {"exclusiveMinimum": 0}}},
  "$defs": {
    "money": {"minimum": 0}
  }
}"""


def test_each_keyword_that_can_fail_by_itself_is_a_rule(tmp_path: Path) -> None:
    rules = {rule.id: rule for rule in read(PERSON, tmp_path).rules}
    assert {name: rule.origin.line for name, rule in rules.items()} == {
        "Age-type": 5,
        "Age-minimum": 5,
        "Wage-minimum": 15,
        "Hours-type": 7,
        "Hours-exclusiveMaximum": 7,
        "Region-enum": 8,
        "id-maxLength": 9,
        "Age-required": 11,
        "if": 12,
    }
    assert (rules["Age-minimum"].label, rules["Hours-type"].severity, rules["Region-enum"].na) == (
        "Age in years",
        "warning",
        "fails",
    )
    tests = {one.id: one.test for one in load_rules(tmp_path / "rules.json").schema.assertions()}
    assert tests["Wage-minimum"] == "not(number(Wage) < 0)"
    assert tests["id-maxLength"] == "normalize-space(@id) = '' or string-length(@id) <= 3"


def test_missing_values_and_their_codes(tmp_path: Path) -> None:
    read(PERSON, tmp_path)
    data = tmp_path / "data.xml"
    rows = (
        "<Age>15</Age><Region>N</Region>",
        "<Age>-9</Age><Wage>5</Wage><Hours>-9</Hours>",
        "<Age>x</Age><Wage>5</Wage>",
    )
    data.write_text(
        "<Data>" + "".join(f'<Record id="{n}0000"><P>1</P>{row}</Record>' for n, row in enumerate(rows)) + "</Data>"
    )
    found = failures(data, tmp_path / "rules.json")
    assert found["Age-minimum"] == {1, 2}
    assert (found["Age-type"], found["Hours-type"], found["if"], found["Region-enum"]) == ({3}, set(), {2}, {2, 3})
    assert found["id-maxLength"] == {1, 2, 3}
    coded = failures(data, tmp_path / "rules.json", missing_codes={"Age": ("-9",), "Hours": ("-9",)})
    assert (coded["Age-minimum"], coded["Age-type"], coded["if"], coded["Age-required"]) == ({1}, {3}, set(), {2})


def test_an_array_of_records_has_a_number_of_items(tmp_path: Path) -> None:
    items = {"properties": {"V1": {"minimum": 0}}}
    read({"type": "array", "minItems": 2, "maxItems": 9, "items": items}, tmp_path)
    data = write_rows(tmp_path / "data.xml", [{"V1": -1}])
    assert failures(data, tmp_path / "rules.json") == {"minItems": {0}, "maxItems": set(), "V1-minimum": {1}}


REFUSED = {
    '{"properties": {"a": {"minimun": 0}}}': (
        "1:34: /properties/a/minimun: the keyword 'minimun' of property a has no translation (did you mean 'minimum'?)"
    ),
    '{"properties": {"a": {"minimum": "0"}}}': "1:34: /properties/a/minimum: is not a number",
    '{"properties": {"a": {"exclusiveMinimum": true}}}': "is not a number (write a number; true and false here",
    '{"properties":\n {"a": {"type": "array", "items": {}}}}': '2:17: /properties/a/type: the type "array" has no',
    '{"properties": {"a": {"type": "number", "pattern": "x"}}}': "property a is read as a number, and here as a text",
    '{"properties": {"a": {"type": ["number", "string"]}}}': "property a is read as a number, and here as a text",
    '{"properties": {"a": {"format": "email"}}}': 'the format "email" has no translation (use "date", or state',
    '{"properties": {"a": {"pattern": "(?=a)"}}}': "the regular expression has '(?='",
    '{"properties": {"a": {"pattern": "a\\\\b"}}}': r"the regular expression has '\b'",
    '{"properties": {"a": {"multipleOf": 0}}}': "/properties/a/multipleOf: is not above zero",
    '{"properties": {"a": {"maxLength": 1.5}}}': "is not a whole number from 0",
    '{"properties": {"a": {"enum": []}}}': "/properties/a/enum: lists no value",
    '{"properties": {"a": {"enum": [[1]]}}}': "/properties/a/enum/0: is no value of a property",
    '{"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"c": {}}}': "'#/$defs/b' does not exist (did you mean",
    '{"properties": {"a": {"$ref": "other.json"}}}': "'other.json' is not in this file",
    '{"$ref": "#"}': "'$ref' forms a cycle",
    '{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a", "required": ["b"], '
    '"definitions": {"a": {}}}': "'required' beside '$ref' is ignored by this draft",
    '{"patternProperties": {"^V": {"minimum": 0}}}': "the keyword 'patternProperties' of a record has no translation",
    '{"properties": {"a": {"minimum": 0, "x-na": "skip"}}}': 'unknown x-na "skip" (use one of: not applicable, passes',
    '{"additionalProperties": {"type": "number"}}': "a schema of other properties has no translation",
    '{"type": "array"}': "an array without a schema of its items",
    '{"properties": {"a": {"minimum": 0}, "a": {}}}': "1:38: /properties: 'a' is given twice",
    '{"properties": {"a": {"minimum": 0,}}}': "not JSON:",
    '{"properties": {"a": {"minimum": NaN}}}': "1:34: not JSON: NaN",
    '{"properties": {"a": {"minimum": 1e999}}}': "a number beyond all measure",
    '{"properties": {"a": false, "b": {"minimum": 1}}, "required": ["a"], "allOf": [false]}': "no record can satisfy",
    "[1, 2]": "is not a schema of records",
    '{"properties": {"a": {"type": "string"}}}': "the file has no rules",
}


@pytest.mark.parametrize("schema", REFUSED)
def test_what_has_no_translation_is_named_with_pointer_and_line(tmp_path: Path, schema: str) -> None:
    with pytest.raises(RulesError) as refused:
        read(schema, tmp_path)
    assert str(refused.value).startswith(f"{tmp_path}/rules.json:")
    assert REFUSED[schema] in str(refused.value)


def test_every_fault_of_a_schema_is_named(tmp_path: Path) -> None:
    with pytest.raises(cs.UntranslatedRulesError) as refused:
        read('{"minProperties": 1,\n "properties": {"a": {"contains": 1,\n "format": "email"}}}', tmp_path)
    assert [(fault.line, fault.what.split(":")[0]) for fault in refused.value.faults] == [
        (1, "/minProperties"),
        (2, "/properties/a/contains"),
        (3, "/properties/a/format"),
    ]


def test_references_that_double_at_every_step_are_refused(tmp_path: Path) -> None:
    names = [f"n{at}" for at in range(40)]
    defs = {name: {"allOf": [{"$ref": f"#/$defs/{other}"}] * 2} for name, other in itertools.pairwise(names)}
    with pytest.raises(RulesError, match="enormous size"):
        read({"$ref": "#/$defs/n0", "$defs": {**defs, names[-1]: {"required": ["a"]}}}, tmp_path)


def test_json_schema_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("V9 + V10 = V14")
    with pytest.raises(RulesError, match="JSON Schema cannot say all rules"):
        cs.convert_rules(tmp_path / "rules.txt", tmp_path / "rules.json")
    assert not (tmp_path / "rules.json").exists()
