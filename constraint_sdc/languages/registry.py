"""All rule languages by name, and the language of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from constraint_sdc.errors import UsageError
from constraint_sdc.languages.rule_book import RuleLanguage
from constraint_sdc.plugins import Registry

_ROOM = "constraint_sdc.languages"
_ROOMS = ("r_validate", "arithmetic_text", "sql", "rule_list", "json_schema", "pandera_schema", "vtl")


def _fault(language: Any) -> str | None:
    endings = language.endings
    is_good = isinstance(endings, tuple) and all(isinstance(one, str) and one.startswith(".") for one in endings)
    return None if is_good and endings else "its endings are not a tuple of texts such as '.sql'"


LANGUAGES: Registry[RuleLanguage] = Registry(
    kind="rule language",
    folders=tuple(f"{_ROOM}.{room}" for room in _ROOMS),
    group="constraint_sdc.languages",
    protocol=RuleLanguage,
    first=("R validate", "text", "SQL", "list", "JSON Schema", "pandera", "VTL"),
    fault=_fault,
)
"""The registered rule languages."""

_SCHEMATRON = ".sch"
_ONLY_READ = {".xlsx": ".csv", ".tsv": ".csv", ".r": ".yml"}
"""Endings that are read alone, and what to write instead."""


def written_language(target: Path) -> RuleLanguage | None:
    """Return the language in which a file is to be written, by its ending; None for Schematron.

    >>> str(written_language(Path("found.txt")).name), written_language(Path("found.sch"))
    ('text', None)
    """
    ending = target.suffix.lower()
    if ending == _SCHEMATRON:
        return None
    if ending not in known_endings():
        known = ", ".join((_SCHEMATRON, *known_endings()))
        raise UsageError(f"no rule language has the ending {ending!r}", file=str(target), hint=f"use one of: {known}")
    if ending in _ONLY_READ:
        raise UsageError(f"{ending} is read and not written", file=str(target), hint=f"write {_ONLY_READ[ending]}")
    return next(LANGUAGES[one] for one in LANGUAGES if ending in LANGUAGES[one].endings)


_START = 4096


def language_of(path: Path, content: bytes) -> RuleLanguage | None:
    """Return the language of a file by the ending of its name; None for Schematron.

    What begins as XML is Schematron, whatever its name. Where languages share an ending, one with a `signature`, a
    pattern of bytes, has the files that match it near their start.
    """
    if content[:_START].removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<":
        return None
    ending = path.suffix.lower()
    known = [language for language in map(LANGUAGES.__getitem__, LANGUAGES) if ending in language.endings]
    signed = [language for language in known if hasattr(language, "signature")]
    found = next((language for language in signed if language.signature.search(content[:_START])), None)
    return found or next((language for language in known if language not in signed), None)


def known_endings() -> tuple[str, ...]:
    """Return the endings of all rule languages, each once."""
    return tuple(dict.fromkeys(ending for name in LANGUAGES for ending in LANGUAGES[name].endings))
