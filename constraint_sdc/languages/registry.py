"""All rule languages by name, and the language of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
