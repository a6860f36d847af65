"""The rules of a file in another language, translated: what each says, and what its author wrote about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal as OneOf
from typing import Protocol, TypeAlias

from constraint_sdc.errors import RulesError
from constraint_sdc.languages.formula import RuleCondition
from constraint_sdc.schematron.schema import Origin

NaPolicy: TypeAlias = OneOf["not applicable", "passes", "fails"]
"""What becomes of a record in which a missing value leaves a rule unknown."""
NA_POLICIES: tuple[NaPolicy, ...] = ("not applicable", "passes", "fails")

Severities = ("error", "warning", "information")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file of rules: line and column, both from 1."""

    line: int
    column: int = 1


class UntranslatedPartError(Exception):
    """A part of a rule has no translation, or is not the language at all: what, where, and what would work."""

    def __init__(self, what: str, place: Place, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.place = place
        self.hint = hint


@dataclass(frozen=True, slots=True)
class BookRule:
    """One rule: its id, what it says, the text that says it, and what its author wrote about it."""

    id: str
    condition: RuleCondition
    text: str
    origin: Origin
    label: str = ""
    description: str = ""
    severity: str = ""
    na: NaPolicy = "not applicable"


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules of a file and of all files that it includes; `sha256` has the digest of each, the main one first."""

    language: str
    title: str
    rules: tuple[BookRule, ...]
    sha256: Mapping[Path, str] = field(default_factory=dict)


ReadFile: TypeAlias = Callable[[Path], bytes]
"""Returns the bytes of a file of rules and notes its digest; refuses one outside the allowed folders."""


class RuleLanguage(Protocol):
    """A language of rules; `endings` are those of its files, lower case, with the dot."""

    name: str
    endings: tuple[str, ...]

    def translate(self, path: Path, content: bytes, read: ReadFile) -> tuple[BookRule, ...]:
        """Return the rules of a file; raises `UntranslatedRulesError` with all that has no translation."""

    def write(self, rules: Sequence[BookRule], record: str) -> str:
        """Return a file of these rules about `record`; raises `UntranslatedRulesError` with what has no words."""


class UntranslatedRulesError(RulesError):
    """Rules of another language that cannot be translated; `faults` are all of them, the first is the message's."""

    def __init__(self, faults: tuple[RulesError, ...]) -> None:
        first = faults[0]
        super().__init__(first.what, file=first.file, line=first.line, column=first.column, hint=first.hint)
        self.faults = faults

    def __str__(self) -> str:
        return "\n  ".join(map(str, self.faults))


def written_rules(rules: Sequence[BookRule], write: Callable[[BookRule], str]) -> list[str]:
    """Return each rule as text, or raise all that `write` has no words for: it raises `UnwritableError`."""
    texts: list[str] = []
    faults: list[RulesError] = []
    for rule in rules:
        try:
            texts.append(write(rule))
        except UnwritableError as error:
            hint = "leave the rule in Schematron, or write it in another way"
            what = f"rule {rule.id}: the language has no words for {error}"
            faults.append(RulesError(what, file=rule.origin.file, line=rule.origin.line, hint=hint))
    if faults:
        raise UntranslatedRulesError(tuple(faults))
    return texts


class UnwritableError(Exception):
    """A language has no words for a part of a rule; the message says which."""


def no_way_back(language: str, rules: Sequence[BookRule]) -> RulesError:
    """Return the error that a language is read, and not written."""
    file = rules[0].origin.file if rules else None
    hint = "write .yml (R validate), .txt (plain text) or .sql instead"
    return RulesError(f"{language} cannot say all rules, so it is not written", file=file, hint=hint)


def fault_of(error: UntranslatedPartError, path: Path) -> RulesError:
    """Return the error with its file."""
    place = error.place
    return RulesError(error.what, file=str(path), line=place.line, column=place.column, hint=error.hint)


def decoded(content: bytes, path: Path) -> str:
    """Return the text of a file of rules, which must be UTF-8, with or without a byte order mark."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RulesError("not UTF-8", file=str(path), line=line, hint="save the file as UTF-8") from None
    control = next((c for c in text if ord(c) < 32 and c not in "\t\n\r\f"), None)
    if control is not None:
        line = text.count("\n", 0, text.index(control)) + 1
        raise RulesError(f"has the control character U+{ord(control):04X}", file=str(path), line=line, hint="remove it")
    return text.replace("\r\n", "\n").replace("\r", "\n")
