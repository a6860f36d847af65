"""All rule languages by name, and the language of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from constraint_sdc.languages.rule_book import RuleLanguage
from constraint_sdc.plugins import Registry

_ROOM = "constraint_sdc.languages"


def _fault(language: Any) -> str | None:
    endings = language.endings
    is_good = isinstance(endings, tuple) and all(isinstance(one, str) and one.startswith(".") for one in endings)
    return None if is_good and endings else "its endings are not a tuple of texts such as '.sql'"


LANGUAGES: Registry[RuleLanguage] = Registry(
    kind="rule language",
    folders=(f"{_ROOM}.r_validate", f"{_ROOM}.arithmetic_text", f"{_ROOM}.sql", f"{_ROOM}.rule_list"),
    group="constraint_sdc.languages",
    protocol=RuleLanguage,
    first=("R validate", "text", "SQL", "list"),
    fault=_fault,
)
"""The registered rule languages."""

_START = 4096


def language_of(path: Path, content: bytes) -> RuleLanguage | None:
    """Return the language of a file by the ending of its name; None for Schematron.

    What begins as XML is Schematron, whatever its name.
    """
    if content[:_START].removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<":
        return None
    ending = path.suffix.lower()
    known = (LANGUAGES[name] for name in LANGUAGES)
    return next((language for language in known if ending in language.endings), None)
