"""R's validate as a rule language: files, options, included files and names, as `validator(.file = )` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from constraint_sdc.errors import RulesError
from constraint_sdc.languages.r_validate.conditions import RConditions, RTolerances, text_columns
from constraint_sdc.languages.r_validate.expand import expanded
from constraint_sdc.languages.r_validate.rule_file import ValidateFile, WrittenRule, read_rule_file
from constraint_sdc.languages.r_validate.show import show_r
from constraint_sdc.languages.r_validate.write import write_yaml
from constraint_sdc.languages.rule_book import (
    BookRule,
    NaPolicy,
    Place,
    ReadFile,
    UntranslatedPartError,
    UntranslatedRulesError,
    fault_of,
)
from constraint_sdc.languages.schematron_text import rule_id
from constraint_sdc.schematron.schema import Origin

_DEFAULT_TOLERANCE = Decimal("1e-8")
_NA_VALUES: dict[str, NaPolicy] = {"na": "not applicable", "true": "passes", "false": "fails"}
# They change how R reports errors, or belong to another package; no verdict depends on them.
_WITHOUT_EFFECT = ("raise", "sequential", "na.condition")
_OPTIONS = ("lin.eq.eps", "lin.ineq.eps", "na.value", *_WITHOUT_EFFECT)


@dataclass(frozen=True, slots=True)
class RValidate:
    """Rules of the R package validate."""

    name: str = "R validate"
    endings: tuple[str, ...] = (".r", ".yml", ".yaml")

    def translate(self, path: Path, content: bytes, read: ReadFile) -> tuple[BookRule, ...]:
        """Return the rules of a file and of those that it includes, which come first."""
        files = list(_with_included(path, content, read, ()))
        main = files[-1]
        tolerances, na = _settings(main)
        faults: list[RulesError] = []
        named = list(_named(files))
        rules = list(expanded(named, faults))
        texts = frozenset[str]().union(*(text_columns(rule.statement.expression) for _, rule in rules))
        conditions = RConditions(tolerances, texts)
        known: set[str] = set()
        found = [_book_rule(name, rule, conditions, na, known, faults) for name, rule in rules]
        if faults:
            raise UntranslatedRulesError(tuple(sorted(faults, key=lambda one: (one.file or "", one.line or 0))))
        return tuple(rule for rule in found if rule is not None)

    def write(self, rules: Sequence[BookRule], record: str) -> str:  # noqa: ARG002  (rules of validate name no records)
        """Return the rules as a YAML file."""
        return write_yaml(rules)


def _book_rule(
    name: str,
    rule: WrittenRule,
    conditions: RConditions,
    na: NaPolicy,
    known: set[str],
    faults: list[RulesError],
) -> BookRule | None:
    statement = rule.statement
    try:
        condition = conditions.rule(statement.expression)
    except UntranslatedPartError as error:
        faults.append(fault_of(error, rule.file))
        return None
    return BookRule(
        id=rule_id(name, known),
        condition=condition,
        text=show_r(statement.expression),
        origin=Origin(str(rule.file), statement.place.line),
        label=rule.label,
        description=rule.description,
        severity=rule.severity,
        na=rule.na or na,
    )


def _with_included(path: Path, content: bytes, read: ReadFile, trail: tuple[Path, ...]) -> Iterator[ValidateFile]:
    """Yield the files that a file includes, each after those that it includes itself, and then the file."""
    found = read_rule_file(content, path)
    if trail and found.options:
        _, line = next(iter(found.options.values()))
        hint = f"move them to {trail[0].name}: validate takes the options of the first file alone"
        raise RulesError("an included file has options", file=str(path), line=line, hint=hint)
    for name, line in found.includes:
        target = path.parent / name
        if target in (*trail, path):
            chain = " -> ".join(one.name for one in (*trail, path, target))
            raise RulesError(f"include forms a cycle: {chain}", file=str(path), line=line, hint="remove one of them")
        try:
            inner = read(target)
        except RulesError as error:
            raise RulesError(f"include {name!r}: {error.what}", file=str(path), line=line, hint=error.hint) from None
        yield from _with_included(target, inner, read, (*trail, path))
    yield found


def _named(files: list[ValidateFile]) -> Iterator[tuple[str, WrittenRule]]:
    """Yield every rule with its name: its own, or V and its number in its file, as validate names it."""
    for file in files:
        digits = len(str(len(file.rules)))
        for number, rule in enumerate(file.rules, 1):
            yield rule.name or f"V{number:0{digits}}", rule


def _settings(file: ValidateFile) -> tuple[RTolerances, NaPolicy]:
    """Return the tolerances and the policy for missing values that the options of a file set.

    validate's tolerance of 1e-8 is there for the rounding of double arithmetic. Rules are judged in exact decimal
    arithmetic, which needs none, so a tolerance counts only if the author chose another.
    """
    try:
        for name, (_, line) in file.options.items():
            if name not in _OPTIONS:
                raise UntranslatedPartError(
                    f"unknown option {name!r}", Place(line), f"use one of: {', '.join(_OPTIONS)}"
                )
        equal, order = (_tolerance(file, name) for name in ("lin.eq.eps", "lin.ineq.eps"))
        word, line = file.options.get("na.value", ("NA", 1))
        if word.lower() not in _NA_VALUES:
            raise UntranslatedPartError(f"na.value is {word!r}", Place(line), "use one of: NA, TRUE, FALSE")
        return RTolerances(equal, order), _NA_VALUES[word.lower()]
    except UntranslatedPartError as error:
        raise fault_of(error, file.path) from None


def _tolerance(file: ValidateFile, name: str) -> Decimal:
    text, line = file.options.get(name, ("0", 1))
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise UntranslatedPartError(f"{name} is {text!r}", Place(line), "write a number") from None
    if not (value.is_finite() and 0 <= value < 1_000_000):
        raise UntranslatedPartError(f"{name} is {text!r}", Place(line), "write a number that is not negative")
    return Decimal(0) if value == _DEFAULT_TOLERANCE else value


REGISTERED = {"R validate": RValidate()}
