"""Load rules of any language: what is not Schematron is translated to it, and keeps the lines of its own file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from constraint_sdc.errors import DataError, RulesError
from constraint_sdc.files.tables.foreign import refuse_foreign
from constraint_sdc.languages.registry import known_endings, language_of
from constraint_sdc.languages.rule_book import RuleBook, RuleLanguage
from constraint_sdc.languages.schematron_text import schematron_text
from constraint_sdc.languages.subject import RuleSubject
from constraint_sdc.schematron.confinement import Confinement, real_path
from constraint_sdc.schematron.element import Element, read_element, read_rule_file
from constraint_sdc.schematron.load import Inclusions, load_schema, schema_of_root
from constraint_sdc.schematron.schema import Origin, Schema

_OPENING = 4096
GetSubject = Callable[[], RuleSubject]
"""Tells what rules are about; asked only if they are not Schematron, which says so itself."""


def load_any_schema(
    path: Path, get_subject: GetSubject, *, phase: str | None = None, allowed: tuple[Path, ...] = ()
) -> Schema:
    """Load a schema of any language; see `load_schema`."""
    language = language_of_file(path)
    if language is None:
        return load_schema(path, phase=phase, allowed=allowed)
    book = read_book(path, language, allowed)
    text = schematron_text(book, get_subject(), origins=False)
    return _schema_of(book, text, real_path(path), phase, allowed)


def language_of_file(path: Path) -> RuleLanguage | None:
    """Return the language of a file of rules; None for Schematron."""
    if path.suffix.lower() in (".sch", ".xml"):
        return None
    content = read_rule_file(path)
    _refuse_data(content, path)
    found = language_of(path, content)
    if found is None and _is_other_text(content):
        hint = f"use one of: .sch, {', '.join(known_endings())}"
        if path.suffix.lower() == ".py":
            hint = "no Python is run; let pandera write the schema: schema.to_yaml('rules.yaml')"
        raise RulesError(f"no rule language has the ending {path.suffix!r}", file=str(path), hint=hint)
    return found


_XML_IN_TWO_BYTES = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<", b"<")


def _refuse_data(content: bytes, path: Path) -> None:
    """Refuse a file of data in the place of rules; a list of rules can be an Excel file."""
    if content and path.suffix.lower() != ".xlsx":
        try:
            refuse_foreign(content[:_OPENING], path, "rules")
        except DataError as error:
            hint = f"a file of rules ends in .sch, {', '.join(known_endings())}"
            raise RulesError(error.what, file=str(path), hint=hint) from None


def _is_other_text(content: bytes) -> bool:
    """Tell whether a file is text that does not begin as XML does."""
    try:
        start = content.decode("utf-8-sig").lstrip()[:1]
    except UnicodeDecodeError:
        return not content.startswith(_XML_IN_TWO_BYTES)
    return start not in ("", "<")


@dataclass(slots=True)
class _BookFiles:
    """Reads the files of a book, each once, inside the allowed folders; remembers their digests."""

    confinement: Confinement
    sha256: dict[Path, str]

    def read(self, path: Path) -> bytes:
        resolved = real_path(path)
        if not self.confinement.contains(resolved):
            hint = f"to read it, give the option --allow {resolved.parent}"
            raise RulesError("is outside the allowed directories", file=str(path), hint=hint)
        content = read_rule_file(resolved)
        self.sha256[resolved] = hashlib.sha256(content).hexdigest()
        return content


def read_book(path: Path, language: RuleLanguage, allowed: tuple[Path, ...] = ()) -> RuleBook:
    """Translate a file of rules and all that it includes."""
    files = _BookFiles(Confinement.around([path], allowed), {})
    main = real_path(path)
    try:
        rules = language.translate(main, files.read(main), files.read)
    except RecursionError:
        raise RulesError("rules are nested too deeply", file=str(path), hint="divide them") from None
    if not rules:
        raise RulesError("the file has no rules", file=str(path), hint=f"write rules of {language.name}")
    return RuleBook(language.name, path.name, rules, files.sha256)


def _schema_of(book: RuleBook, text: str, path: Path, phase: str | None, allowed: tuple[Path, ...]) -> Schema:
    origins = {rule.id: rule.origin for rule in book.rules}
    inclusions = Inclusions(Confinement.around([path], allowed))
    root = _with_origins(read_element(text.encode("utf-8"), path), Origin(str(path), 1), origins)
    inclusions.files = dict.fromkeys((path, *book.sha256), root)
    inclusions.sha256 = {file: book.sha256[file] for file in inclusions.files}
    return schema_of_root(root, inclusions, phase)


def _with_origins(element: Element, origin: Origin, patterns: Mapping[str, Origin]) -> Element:
    """Return the element with the origins of the rules that its patterns were translated from."""
    own = patterns.get(element.get("id") or "", origin) if element.kind == "pattern" else origin
    children = tuple(
        child if isinstance(child, str) else _with_origins(child, own, patterns) for child in element.children
    )
    return replace(element, origin=own, children=children)
