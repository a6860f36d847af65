"""pandera as a rule language: the file that `to_yaml` or `to_json` writes of a schema; no Python of a user is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.errors import RulesError
from constraint_sdc.languages.formula import (
    AllConditions,
    ColumnTerm,
    HasNoValue,
    NoOtherVariables,
    Opposite,
    RuleCondition,
    UniqueRecord,
    constant_truth,
)
from constraint_sdc.languages.pandera_schema.checks import ColumnChecks, of_type
from constraint_sdc.languages.pandera_schema.columns import WrittenCheck, column_type, is_true, written_checks
from constraint_sdc.languages.placed_json import PlacedJson, read_json
from constraint_sdc.languages.placed_yaml import read_yaml
from constraint_sdc.languages.rule_book import (
    BookRule,
    NaPolicy,
    ReadFile,
    UntranslatedPartError,
    UntranslatedRulesError,
    decoded,
    fault_of,
    no_way_back,
)
from constraint_sdc.languages.schematron_text import rule_id
from constraint_sdc.limits import TRANSLATED_RULES
from constraint_sdc.schematron.schema import Origin

_NOTES = ("schema_type", "version", "api", "name", "title", "description", "coerce", "dataframe_library")
_NULL_ALONE = ("checks", "index", "multiindex", "dtype")
_FALSE_ALONE = ("ordered", "add_missing_columns", "drop_invalid_rows")
_FRAME = (
    *_NOTES,
    *_NULL_ALONE,
    *_FALSE_ALONE,
    "columns",
    "strict",
    "unique",
    "report_duplicates",
    "unique_column_names",
)
_TRUE_IF_MISSING = ("not_equal_to", "notin")


@dataclass(frozen=True, slots=True)
class PanderaSchema:
    """Rules as the written schema of a data frame; a file is one if it has `schema_type: dataframe`."""

    name: str = "pandera"
    endings: tuple[str, ...] = (".yaml", ".yml", ".json")
    signature: re.Pattern[bytes] = re.compile(
        rb"""(?:^|[{,]\s*)["']?schema_type["']?\s*:\s*["']?dataframe\b""", re.MULTILINE
    )

    def translate(self, path: Path, content: bytes, read: ReadFile) -> tuple[BookRule, ...]:  # noqa: ARG002
        """Return the rules of a schema."""
        text = decoded(content, path)
        faults: list[RulesError] = []
        drafts: list[_ColumnRule] = []
        try:
            root = read_json(text) if text.lstrip().startswith("{") else read_yaml(text)
            drafts += _frame_rules(root)
            for name, column in root.entries["columns"].entries.items():
                try:
                    drafts += _column_rules(name, column)
                except UntranslatedPartError as error:
                    faults.append(fault_of(error, path))
        except UntranslatedPartError as error:
            faults.append(fault_of(error, path))
        if len(drafts) > TRANSLATED_RULES:
            raise RulesError(f"more than {TRANSLATED_RULES} rules", file=str(path), hint="divide the schema")
        if faults:
            raise UntranslatedRulesError(tuple(sorted(faults, key=lambda one: (one.line or 0, one.column or 0))))
        return tuple(_with_ids(drafts, path))

    def write(self, rules: Sequence[BookRule], record: str) -> str:  # noqa: ARG002
        """Refuse: the checks of a column have no words for two columns."""
        raise no_way_back(self.name, rules)


@dataclass(frozen=True, slots=True)
class _ColumnRule:
    """A rule without its id."""

    wished: str
    condition: RuleCondition
    text: str
    at: PlacedJson
    label: str = ""
    description: str = ""
    severity: str = ""
    na: NaPolicy = "not applicable"


def _with_ids(drafts: list[_ColumnRule], path: Path) -> Iterator[BookRule]:
    known: set[str] = set()
    for draft in drafts:
        if constant_truth(draft.condition) is None:
            yield BookRule(
                id=rule_id(draft.wished, known),
                condition=draft.condition,
                text=draft.text,
                origin=Origin(str(path), draft.at.place.line),
                label=draft.label,
                description=draft.description,
                severity=draft.severity,
                na=draft.na,
            )


def _frame_rules(root: PlacedJson) -> Iterator[_ColumnRule]:
    """Yield the rules about columns together; refuses what is no rule about records."""
    entries = root.entries
    for name, value in entries.items():
        if name not in _FRAME:
            raise value.refused(f"the entry {name!r} has no translation", f"use one of: {', '.join(_FRAME)}")
        if name in _NULL_ALONE and value.content not in (None, [], {}):
            raise value.refused(f"{name!r} of a data frame has no translation", "remove it: rules are about columns")
        if name in _FALSE_ALONE and value.content not in (None, False):
            raise value.refused(f"{name!r} is no rule about records", "remove it, or write false")
    if "columns" not in entries or not isinstance(entries["columns"].content, dict):
        raise root.refused("a schema without columns", "write columns: and their checks")
    columns = entries["columns"].entries
    if "strict" in entries and is_true(entries, "strict", False):
        yield _ColumnRule("strict", NoOtherVariables(tuple(columns)), "strict", entries["strict"])
    unique = entries.get("unique")
    if unique is not None and unique.content is not None:
        _check_duplicates(entries)
        names = (
            tuple(str(one.content) for one in unique.items)
            if isinstance(unique.content, list)
            else (str(unique.content),)
        )
        yield _ColumnRule("-".join((*names, "unique")), UniqueRecord(names), f"unique {', '.join(names)}", unique)


def _check_duplicates(entries: Mapping[str, PlacedJson]) -> None:
    value = entries.get("report_duplicates")
    if value is not None and value.content not in (None, "all"):
        raise value.refused("names some of the duplicates", "write all: every duplicate breaks the rule")


def _column_rules(name: str, column: PlacedJson) -> Iterator[_ColumnRule]:
    entries = column.entries if column.content is not None else {}
    for word in ("regex", "drop_invalid_rows"):
        if is_true(entries, word, False):
            raise entries[word].refused(f"{word!r} has no translation", "write each column, or false")
    default = entries.get("default")
    if default is not None and default.content is not None:
        raise default.refused("a default fills missing values", "fill them before, and remove it")
    is_nullable = is_true(entries, "nullable", False)
    if not is_nullable and not is_true(entries, "required", True):
        hint = "write nullable: true, or remove required: a file says nothing about columns that it does not have"
        raise entries["required"].refused("a column that may be absent, and has no missing values", hint)
    label, description = (_text(entries.get(word)) for word in ("title", "description"))
    subject = ColumnTerm(name)
    kind = column_type(entries.get("dtype"))
    dtype = entries.get("dtype", column)
    yield _ColumnRule(
        f"{name}-dtype", of_type(subject, kind), f"{name} dtype {_text(dtype)}", dtype, label, description
    )
    if not is_nullable:
        filled = Opposite(HasNoValue(subject))
        yield _ColumnRule(
            f"{name}-nullable", filled, f"{name} not nullable", entries.get("nullable", column), label, description
        )
    if is_true(entries, "unique", False):
        _check_duplicates(entries)
        yield _ColumnRule(
            f"{name}-unique", UniqueRecord((name,)), f"{name} unique", entries["unique"], label, description
        )
    checks = ColumnChecks(subject, kind)
    for check in written_checks(column) if entries else ():
        yield _check_rule(name, check, checks.condition(check), label, description)


def _check_rule(name: str, check: WrittenCheck, condition: RuleCondition, label: str, description: str) -> _ColumnRule:
    options = check.options
    na: NaPolicy = "not applicable"
    if not is_true(options, "ignore_na", True):
        na = "passes" if check.name in _TRUE_IF_MISSING else "fails"
    if na == "fails":
        condition = AllConditions((Opposite(HasNoValue(ColumnTerm(name))), condition))
    shown = {word: one.plain() for word, one in check.arguments.items() if one.content is not None}
    text = f"{name} {check.name}({', '.join(f'{word}={value}' for word, value in shown.items())})"
    own = next((_text(options[word]) for word in ("error", "title", "name") if word in options), "")
    return _ColumnRule(
        f"{name}-{check.name}",
        condition,
        text,
        check.at,
        label=own or label,
        description=_text(options.get("description")) or description,
        severity="warning" if is_true(options, "raise_warning", False) else "",
        na=na,
    )


def _text(value: PlacedJson | None) -> str:
    return value.content if value is not None and isinstance(value.content, str) else ""


REGISTERED = {"pandera": PanderaSchema()}
