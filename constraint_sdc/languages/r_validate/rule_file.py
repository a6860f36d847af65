"""Files of validate: blocks between lines of three hyphens, each of them R expressions or YAML.

A block of YAML has options, files to include, or rules with their names, labels and other metadata. Any other is R.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from constraint_sdc.errors import RulesError
from constraint_sdc.languages.r_validate.parse import RStatement, parse_r
from constraint_sdc.languages.r_validate.syntax import RCall, RName
from constraint_sdc.languages.rule_book import (
    NA_POLICIES,
    NaPolicy,
    Place,
    UntranslatedPartError,
    UntranslatedRulesError,
    decoded,
    fault_of,
)

_HYPHENS = re.compile(r"^---[ \t]*$", re.MULTILINE)
_YAML = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:rules|options|include)\s*:")
_RULE_ENTRIES = ("expr", "name", "label", "description", "origin", "created", "meta")
_SEVERITIES = {
    "error": "error",
    "fatal": "error",
    "hard": "error",
    "warning": "warning",
    "warn": "warning",
    "soft": "warning",
    "info": "information",
    "information": "information",
}
_PACKAGES = ("library", "require")


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """A rule as a file has it: the expression, and what stands beside it."""

    statement: RStatement
    file: Path
    name: str = ""
    label: str = ""
    description: str = ""
    severity: str = ""
    na: NaPolicy | None = None


@dataclass(slots=True)
class ValidateFile:
    """One file: its rules in order, the options with their lines, and the files to include with theirs."""

    path: Path
    rules: list[WrittenRule] = field(default_factory=list)
    options: dict[str, tuple[str, int]] = field(default_factory=dict)
    includes: list[tuple[str, int]] = field(default_factory=list)


def read_rule_file(content: bytes, path: Path) -> ValidateFile:
    """Return what a file says; what is neither R nor YAML is refused with its place."""
    text = decoded(content, path)
    found = ValidateFile(path)
    faults: list[RulesError] = []
    for line, block in _blocks(text):
        try:
            if _YAML.match(block):
                _read_yaml(block, line, found)
            else:
                found.rules += _rules_of(parse_r(block, Place(line)), path)
        except UntranslatedPartError as error:
            faults.append(fault_of(error, path))
    if faults:
        raise UntranslatedRulesError(tuple(faults))
    return found


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield each block with the number of its first line."""
    start = 0
    for found in (*_HYPHENS.finditer(text), None):
        stop = len(text) if found is None else found.start()
        if text[start:stop].strip():
            yield text.count("\n", 0, start) + 1, text[start:stop]
        start = stop if found is None else found.end()


def _rules_of(statements: tuple[RStatement, ...], path: Path) -> Iterator[WrittenRule]:
    """Yield the rules of R text: expressions, or the arguments of `validator()`, which have names."""
    for one in statements:
        expression = one.expression
        if isinstance(expression, RCall) and expression.function in ("<-", "="):
            target, value = expression.arguments
            if isinstance(target, RName) and isinstance(value, RCall) and value.function == "validator":
                expression = value
        if not isinstance(expression, RCall) or expression.function not in ("validator", *_PACKAGES):
            yield WrittenRule(one, path)
        elif expression.function == "validator":
            yield from _arguments(expression, path)
        elif not (len(expression.arguments) == 1 and getattr(expression.arguments[0], "name", "") == "validate"):
            raise UntranslatedPartError("loads another package", expression.place, "rules can use validate alone")


def _arguments(call: RCall, path: Path) -> Iterator[WrittenRule]:
    from constraint_sdc.languages.r_validate.show import show_r

    for name, value in zip(call.names, call.arguments, strict=True):
        if name.startswith("."):
            raise UntranslatedPartError(f"validator({name} = )", call.place, "give the file of the rules itself")
        yield WrittenRule(RStatement(value, show_r(value), value.place), path, name=name)


# YAML


def _read_yaml(block: str, line: int, found: ValidateFile) -> None:
    try:
        root = yaml.compose(block, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Place(line + (mark.line if mark else 0), (mark.column if mark else 0) + 1)
        raise UntranslatedPartError(f"not valid YAML: {error.problem or error}", place, "see docs/languages") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UntranslatedPartError(f"not valid YAML: {error}", Place(line)) from None
    for key, value in _entries(root, line, ("options", "include", "rules")):
        if key == "options":
            found.options.update(
                (name, (_scalar(one, line), _line(one, line))) for name, one in _entries(value, line, None)
            )
        elif key == "include":
            items = value.value if isinstance(value, yaml.SequenceNode) else [value]
            found.includes += [(_scalar(item, line), _line(item, line)) for item in items]
        else:
            items = value.value if isinstance(value, yaml.SequenceNode) else None
            if items is None:
                raise UntranslatedPartError("'rules' is not a list", _place(value, line), "start each rule with '- '")
            found.rules += [_rule(item, line, block, found.path) for item in items]


def _entries(node: yaml.Node | None, line: int, known: tuple[str, ...] | None) -> Iterator[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        place = Place(line) if node is None else _place(node, line)
        raise UntranslatedPartError("expected entries 'name: value'", place, f"one of: {', '.join(known or ())}")
    seen: set[str] = set()
    for key, value in node.value:
        name = _scalar(key, line)
        if name in seen:
            raise UntranslatedPartError(f"{name!r} is given twice", _place(key, line), "remove one of them")
        seen.add(name)
        if known is not None and name not in known:
            raise UntranslatedPartError(f"unknown entry {name!r}", _place(key, line), f"use one of: {', '.join(known)}")
        yield name, value


def _rule(node: yaml.Node, line: int, block: str, path: Path) -> WrittenRule:
    entries = dict(_entries(node, line, _RULE_ENTRIES))
    if "expr" not in entries:
        raise UntranslatedPartError("a rule without 'expr'", _place(node, line), "write expr: and the rule")
    texts = {name: _scalar(entries[name], line) for name in ("name", "label", "description") if name in entries}
    expr = _scalar(entries["expr"], line)
    statements = parse_r(expr, _first_character(entries["expr"], line, block))
    if len(statements) != 1:
        raise UntranslatedPartError("'expr' is not one rule", _place(entries["expr"], line), "write each as its own")
    meta = dict(_entries(entries["meta"], line, None)) if isinstance(entries.get("meta"), yaml.MappingNode) else {}
    severity = _scalar(meta["severity"], line).lower() if "severity" in meta else ""
    if severity and severity not in _SEVERITIES:
        hint = f"use one of: {', '.join(_SEVERITIES)}"
        raise UntranslatedPartError(f"unknown severity {severity!r}", _place(meta["severity"], line), hint)
    na = na_policy(_scalar(meta["na"], line), _place(meta["na"], line)) if "na" in meta else None
    return WrittenRule(statements[0], path, **texts, severity=_SEVERITIES.get(severity, ""), na=na)


def na_policy(word: str, place: Place) -> NaPolicy:
    """Return the policy for missing values that a word names."""
    for known in NA_POLICIES:
        if known == word.strip().lower():
            return known
    raise UntranslatedPartError(f"unknown policy {word!r}", place, f"use one of: {', '.join(NA_POLICIES)}")


def _scalar(node: yaml.Node, line: int) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise UntranslatedPartError("expected one text, not a list or entries", _place(node, line), "write one value")
    return str(node.value).strip()


def _line(node: yaml.Node, line: int) -> int:
    return line + int(node.start_mark.line)


def _place(node: yaml.Node, line: int) -> Place:
    return Place(_line(node, line), int(node.start_mark.column) + 1)


def _first_character(node: yaml.Node, line: int, block: str) -> Place:
    """Return where the text of a value begins: behind its quote, or in the line below `|` or `>`."""
    place = _place(node, line)
    style = getattr(node, "style", None)
    if style in ("|", ">"):
        below = block.split("\n")[int(node.start_mark.line) + 1 :][:1]
        return Place(place.line + 1, len(below[0]) - len(below[0].lstrip()) + 1 if below else 1)
    return Place(place.line, place.column + 1) if style in ("'", '"') else place
