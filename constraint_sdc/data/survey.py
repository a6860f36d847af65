"""Survey the texts of a variable: the type that describes them, and the storage that keeps them without loss."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from constraint_sdc.data.grid import double_text
from constraint_sdc.data.table import Chunk
from constraint_sdc.data.variable import Batch, RowSource, VariableInfo, VariableType, batches_of

_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.([0-9]+))?")
_SHORT_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,13}").fullmatch
_SCIENTIFIC = re.compile(r"-?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+")
_NOT_FINITE = ("NaN", "INF", "-INF")

EXACT_DIGITS = 15
"""Every decimal of that many significant digits can be restored from a double."""


@dataclass(slots=True)
class Survey:
    """A running summary of one variable's texts; those in `missing`, absent and empty ones are counted only.

    `decimals` holds the numbers of fraction digits seen; no text has more significant digits than `digits`. The flags
    hold for all texts: `is_plain`, each is a number without exponent, needless sign or needless zero; `is_number`, each
    is a number in any spelling that XML Schema has for doubles; `is_int64`, a 64-bit integer prints as this text;
    `is_double`, a double's shortest positional text is this text; `is_same_value`, the same up to trailing zeros of the
    fraction (`1.50`).
    """

    missing: frozenset[str] = frozenset()
    texts: int = 0
    absent: int = 0
    empty: int = 0
    has_finite: bool = False
    decimals: set[int] = field(default_factory=set)
    digits: int = 0
    is_plain: bool = True
    is_number: bool = True
    is_int64: bool = True
    is_double: bool = True
    is_same_value: bool = True

    def add(self, texts: Sequence[str | None]) -> None:
        """Add a batch of texts."""
        distinct = set(texts)
        self.texts += len(texts)
        self.absent += texts.count(None) if None in distinct else 0
        self.empty += texts.count("") if "" in distinct else 0
        if self.is_number:
            self._add_distinct([text for text in distinct - self.missing if text])

    def _add_distinct(self, texts: Sequence[str]) -> None:
        """Skip short integers first: every flag holds for them, and most files consist of them."""
        short = list(filter(_SHORT_INTEGER, texts))
        if short:
            self.has_finite = True
            self.decimals.add(0)
            self.digits = max(self.digits, max(map(len, short)))
        for text in set(texts).difference(short) if len(short) < len(texts) else ():
            self._add_text(text)

    def _add_text(self, text: str) -> None:
        found = _PLAIN.fullmatch(text)
        if found:
            self.has_finite = True
            self._add_plain(text, len(found.group(1) or ""))
            return
        self.is_plain = self.is_int64 = self.is_same_value = False
        if text in _NOT_FINITE:
            return
        self.is_double = False
        if _SCIENTIFIC.fullmatch(text):
            self.has_finite = True
        else:
            self.is_number = False

    def _add_plain(self, text: str, decimals: int) -> None:
        digits = len(text.lstrip("-0.").replace(".", ""))
        value = float(text)
        shortest = double_text(value)
        self.decimals.add(decimals)
        self.digits = max(self.digits, digits)
        self.is_plain &= not (text.startswith("-0") and digits == 0)
        self.is_int64 &= decimals == 0 and text != "-0" and digits <= 19 and -(2**63) <= int(text) < 2**63
        self.is_double &= shortest == text
        self.is_same_value &= shortest == (text.rstrip("0").rstrip(".") if decimals else text)

    def type(self) -> tuple[VariableType, int | None]:
        """Return the type that describes the texts and its decimals.

        Plain numbers are decimals, unless some are too long for that and all of them are printed forms of doubles.
        """
        if not self.is_number or not self.has_finite:
            return "text", None
        if self.is_plain and self.decimals == {0}:
            return "integer", 0
        if self.is_plain and not (self.digits > EXACT_DIGITS and self.is_double):
            return "decimal", max(self.decimals)
        return "double", None


def survey_batches(batches: Iterable[Batch], infos: Sequence[VariableInfo]) -> dict[str, Survey]:
    """Survey the variables of `infos` over all batches."""
    surveys = {info.name: Survey(frozenset(info.missing)) for info in infos}
    for batch in batches:
        for name, survey in surveys.items():
            survey.add(batch[name])
    return surveys


def describe(info: VariableInfo, survey: Survey) -> VariableInfo:
    """Return the info with the type and decimals that the survey found."""
    type_, decimals = survey.type()
    return replace(info, type=type_, decimals=decimals)


def rows_of_chunks(open_chunks: Callable[[], Iterable[Chunk]], declared: Sequence[VariableInfo] = ()) -> RowSource:
    """Return the rows of a microdata file that `open_chunks` reads from its beginning each time.

    Reads the file once, to find every variable that some record has; declared variables come first and keep their
    declaration, the others are described by their texts.
    """
    surveys = {info.name: Survey(frozenset(info.missing)) for info in declared}
    for chunk in open_chunks():
        for name, column in chunk.columns.items():
            surveys.setdefault(name, Survey()).add(column.texts())
    known = {info.name: info for info in declared}
    infos = tuple(known.get(name) or describe(VariableInfo(name, "text"), surveys[name]) for name in surveys)
    names = tuple(surveys)

    def batches() -> Iterator[Batch]:
        return batches_of(open_chunks(), names)

    return RowSource(infos, batches)
