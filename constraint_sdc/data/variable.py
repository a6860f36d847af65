"""Descriptions of variables: declared in a file's metadata, or found in its records by a survey of the texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from constraint_sdc.data.series import double_text
from constraint_sdc.data.table import Chunk
from constraint_sdc.settings.reason import Reason
from constraint_sdc.settings.table_reading import TableReading
from constraint_sdc.shown import Shown, Tabled

VariableType = Literal["integer", "decimal", "double", "text"]
Measure = Literal["nominal", "ordinal", "scale"]


@dataclass(frozen=True, slots=True)
class VariableInfo:
    """The declared description of one variable: its type, measure, label and missing codes."""

    name: str
    type: VariableType
    decimals: int | None = None
    measure: Measure | None = None
    label: str | None = None
    missing: tuple[str, ...] = ()


# What a microdata file looks like, variable by variable.


@dataclass(frozen=True, slots=True)
class VariableDescription:
    """One variable: its lexical form in words, and how many records have a value, none, an empty one or a code.

    `form` is integer, decimal, scientific or text; None when no record has a value. `decimals` is the most digits after
    a point. `codes` counts the user-missing codes, which are not values. `distinct` is the number of different values.

    `kind` is what the variable looks like (measurement, code, identifier, ...), `evidence` why; a person must confirm
    what is not `is_certain`. `possible_codes` counts texts that may be missing codes. `lowest`, `highest` and
    `examples` are values of records, if these are shown.
    """

    name: str
    form: str | None
    decimals: int
    values: int
    absent: int
    empty: int
    nil: int
    codes: Mapping[str, int]
    label: str | None
    distinct: int
    kind: str
    is_certain: bool
    evidence: tuple[Reason, ...]
    possible_codes: Mapping[str, int]
    lowest: str | None = None
    highest: str | None = None
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """How a file is written that is no XML rows: the name of its format, how it is read, and its standard."""

    format: str
    reading: TableReading
    standard: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Description(Tabled):
    """A whole file: where its records are, and its variables in order of first appearance.

    `table` is None for XML. A variable of a table is called as the element that rules know; `header_of` gives its
    header.
    """

    data: str
    record: str
    wrappers: tuple[str, ...]
    style: str
    encoding: str
    records: int
    variables: tuple[VariableDescription, ...]
    table: DescribedTable | None = None


# A variable's description as one line of JSON, for formats with metadata for each column.

KEY = b"constraint_sdc"
"""The key of the description in the column's metadata."""


def info_json(info: VariableInfo) -> bytes:
    """Return everything but the name."""
    stated = {"type": info.type, "decimals": info.decimals, "measure": info.measure, "label": info.label}
    return json.dumps({**stated, "missing": list(info.missing)}, ensure_ascii=False).encode()


def info_from_json(name: str, note: bytes) -> VariableInfo | None:
    """Return the description in the metadata, None if this program did not write it."""
    try:
        stated: Any = json.loads(note)
        info = VariableInfo(
            name, stated["type"], stated["decimals"], stated["measure"], stated["label"], tuple(stated["missing"])
        )
    except (ValueError, KeyError, TypeError):
        return None
    return info if _is_sound(info) else None


def _is_sound(info: VariableInfo) -> bool:
    return (
        info.type in get_args(VariableType)
        and (info.decimals is None or (isinstance(info.decimals, int) and info.decimals >= 0))
        and (info.measure is None or info.measure in get_args(Measure))
        and (info.label is None or isinstance(info.label, str))
        and all(isinstance(code, str) for code in info.missing)
    )


# Rows in conversion from one file format to another: texts in batches of columns, and notes about them.

Batch: TypeAlias = Mapping[str, Sequence[str | None]]
"""Variable name to texts, exactly as they stand in XML; None is absent. All columns are equally long."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """The records of a file in any format. `batches` starts anew at the first record each time it is called.

    Every batch holds exactly the variables of `infos`, under their XML names. `notes` say what the format could not
    carry over.
    """

    infos: tuple[VariableInfo, ...]
    batches: Callable[[], Iterator[Batch]]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the variables' names in order."""
        return tuple(info.name for info in self.infos)


@dataclass(frozen=True, slots=True, repr=False)
class Written(Shown):
    """What a writer did: how many records, and in `notes` what the format could not carry over."""

    records: int
    notes: tuple[str, ...] = ()


def batches_of(chunks: Iterable[Chunk], names: Sequence[str]) -> Iterator[Batch]:
    """Yield each chunk as a batch of these variables; one that the chunk does not have is absent throughout it."""
    for chunk in chunks:
        absent: list[str | None] = [None] * len(chunk)
        yield {name: chunk.columns[name].texts() if name in chunk.columns else absent for name in names}


def batch_length(batch: Batch) -> int:
    """Count the batch's records."""
    return len(next(iter(batch.values()))) if batch else 0


# Survey the texts of a variable: the type that describes them, and the storage that keeps them without loss.

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
