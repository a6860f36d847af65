"""Convert rules: from any language to Schematron, and from Schematron to any language what has a typed constraint."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.constraints.understand import understand
from constraint_sdc.errors import RulesError, UsageError
from constraint_sdc.files.atomic import atomic_file, no_overwrite, require_place
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.judge.rule_set import record_name
from constraint_sdc.languages.from_constraints import book_rule
from constraint_sdc.languages.loading import language_of_file, read_book
from constraint_sdc.languages.registry import written_language
from constraint_sdc.languages.rule_book import BookRule, RuleBook, UntranslatedRulesError, UnwritableError
from constraint_sdc.languages.schematron_text import schematron_text
from constraint_sdc.languages.subject import RuleSubject
from constraint_sdc.schematron.load import load_schema


def convert_rules(
    source: Path,
    target: Path,
    *,
    record: str | None = None,
    data: Path | None = None,
    recipe: Path | None = None,
    phase: str | None = None,
    allow: tuple[Path, ...] = (),
    overwrite: bool = False,
) -> int:
    """Write the rules of a file in the language of the target's ending; return how many there are.

    `record` names the record element, by default that of `data`, else "Record". The missing codes of a recipe become
    part of the rules. Nothing is written if a rule cannot be translated.
    """
    no_overwrite((source, data, recipe), target)
    require_place(target, overwrite)
    language = written_language(target)
    known_recipe = None if recipe is None else read_recipe(recipe)
    name = record_name(data, record or (known_recipe.record if known_recipe else None))
    book = _book(source, name if data or record else record, phase, allow)
    if language is None:
        codes = known_recipe.missing if known_recipe else {}
        text = schematron_text(book, RuleSubject(name, codes=codes))
    else:
        if known_recipe and known_recipe.missing:
            hint = "leave --recipe out: other languages have no missing codes"
            raise UsageError("the recipe names missing codes", file=str(recipe), hint=hint)
        text = language.write(book.rules, name)
    with atomic_file(target, overwrite) as stream:
        stream.write(text.encode("utf-8"))
    return len(book.rules)


def _book(source: Path, record: str | None, phase: str | None, allow: tuple[Path, ...]) -> RuleBook:
    language = language_of_file(source)
    if language is not None:
        if phase is not None:
            raise UsageError(f"rules of {language.name} have no phases", hint="leave --phase out")
        return read_book(source, language, allow)
    schema = load_schema(source, phase=phase, allowed=allow)
    rules: list[BookRule] = []
    faults: list[RulesError] = []
    for rule in understand(schema, record=record):
        try:
            rules.append(book_rule(rule))
        except UnwritableError as error:
            hint = "leave it in Schematron"
            what = f"rule {rule.id} has no typed constraint: {error}"
            faults.append(RulesError(what, file=rule.origin.file, line=rule.origin.line, hint=hint))
    if faults:
        raise UntranslatedRulesError(tuple(faults))
    return RuleBook("Schematron", schema.title or source.name, tuple(rules))
