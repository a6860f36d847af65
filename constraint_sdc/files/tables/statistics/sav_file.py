"""SPSS system files (.sav, .zsav): the records of the dictionary, as PSPP's manual describes them, and the rows."""

from __future__ import annotations

import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from constraint_sdc.arrays import Bytes
from constraint_sdc.errors import DataError
from constraint_sdc.files.tables.statistics.sav_rows import CELL, compressed, expanded, unzipped, zipped
from constraint_sdc.files.tables.statistics.stored_table import (
    Reduction,
    StorageKind,
    StoredField,
    remark_path,
    rows_without,
)

_HEADER = 176
_LABEL = slice(109, 173)
_SEGMENT = 252  # bytes of a very long text in each variable that holds a part of it
_MACHINE_FLOATS, _DISPLAY, _LONG_NAMES, _VERY_LONG, _ATTRIBUTES, _LONG_LABELS, _LONG_MISSING = 4, 11, 13, 14, 18, 21, 22
_STRUCTURAL = frozenset((3, _MACHINE_FLOATS, _DISPLAY, _LONG_NAMES, _VERY_LONG, 16, 20, _LONG_LABELS, _LONG_MISSING))
_REMARKS = {
    5: "variable_sets",
    7: "multiple_response_sets",
    10: "product",
    17: "file_attributes",
    18: "variable_attributes",
    19: "more_multiple_response_sets",
    24: "description",
}
_NAMING = (5, 7, _ATTRIBUTES, 19)
"""Records with names of variables that are not rewritten."""

_ROLE = re.compile(rb"([^:/]+):\$@Role\('[0-9]+'\n\)/?")
_ROLES = re.compile(rb"(?:[^:/]+:\$@Role\('[0-9]+'\n\)/?)*")


@dataclass(frozen=True, slots=True)
class _DictionaryRecord:
    """A record of the dictionary: its type, the subtype of an extension, all its bytes, and where its content begins.

    `variable` is the number of the variable that a record of type 2 belongs to.
    """

    type: int
    raw: bytes
    subtype: int = 0
    content: int = 0
    variable: int = -1


class SavFile:
    """An SPSS file: header, dictionary and rows."""

    def __init__(self, content: bytes, path: Path, encoding: str) -> None:
        self._path = path
        self.encoding = encoding
        try:
            self._read(content)
        except (ValueError, struct.error, IndexError, OverflowError, zlib.error) as error:
            what = f"cannot be written again as SPSS stores it: {error}"
            raise DataError(what, file=str(path), hint="save it again in SPSS, or convert it to CSV") from None
        self.remarks: Mapping[str, bytes] = dict(self._remarks())

    # Reading.

    def _read(self, content: bytes) -> None:
        self._header = content[:_HEADER]
        self.order = "<" if struct.unpack_from("<i", content, 64)[0] in (2, 3) else ">"
        _, self._compression, _, count = struct.unpack_from(f"{self.order}4i", content, 68)
        self._bias = float(struct.unpack_from(f"{self.order}d", content, 84)[0])
        self._records: list[_DictionaryRecord] = []
        at = _HEADER
        while not self._records or self._records[-1].type != 999:
            record = self._record(content, at)
            self._records.append(record)
            at += len(record.raw)
        self._number_variables()
        self._missing = struct.pack(f"{self.order}d", -sys.float_info.max)
        for one in self._records:
            if one.subtype == _MACHINE_FLOATS:
                self._missing = one.raw[16:24]
        rows = self._rows(content, at)
        width = CELL * len(self._is_text)
        if not width or len(rows) % width or (count >= 0 and len(rows) != count * width):
            raise ValueError(f"it has {len(rows):,} bytes of rows, which is no number of rows of {width:,} bytes")
        self.rows: Bytes = np.frombuffer(rows, np.uint8).reshape(-1, width)

    def _rows(self, content: bytes, at: int) -> bytes:
        if self._compression == 0:
            return content[at:]
        codes = unzipped(content, at, self.order) if self._compression == 2 else content[at:]
        return expanded(codes, self.order, self._bias, self._missing)

    def _record(self, content: bytes, at: int) -> _DictionaryRecord:
        order = self.order
        (kind,) = struct.unpack_from(f"{order}i", content, at)
        subtype, begin = 0, 0
        if kind == 2:
            _, has_label, missing = struct.unpack_from(f"{order}3i", content, at + 4)
            size = 32
            if has_label:
                size += 4 + -(-struct.unpack_from(f"{order}i", content, at + 32)[0] // 4) * 4
            size += 8 * abs(missing)
        elif kind == 3:
            (labels,) = struct.unpack_from(f"{order}i", content, at + 4)
            size = 8
            for _ in range(labels):
                size += 8 + -(-(content[at + size + 8] + 1) // 8) * 8
        elif kind in (4, 6):
            (items,) = struct.unpack_from(f"{order}i", content, at + 4)
            size = 8 + items * (4 if kind == 4 else 80)
        elif kind == 7:
            subtype, item, items = struct.unpack_from(f"{order}3i", content, at + 4)
            size, begin = 16 + item * items, 16
        elif kind == 999:
            size = 8
        else:
            raise ValueError(f"a record of type {kind} in its dictionary")
        if size <= 0 or at + size > len(content):
            raise ValueError("its dictionary ends too early")
        return _DictionaryRecord(kind, content[at : at + size], subtype, begin)

    def _number_variables(self) -> None:
        """Find which records of type 2 belong to each variable, and where its values are."""
        lengths = dict(_pairs(self._content(_VERY_LONG), b"\0\t"))
        fields: list[StoredField] = []
        numbered, named = [], []
        is_text: list[bool] = []
        segments = 0
        for one in self._records:
            if one.type != 2:
                numbered.append(one)
                continue
            width = struct.unpack_from(f"{self.order}i", one.raw, 4)[0]
            if width >= 0:
                named.append(_name(one))
                if segments:
                    segments -= 1
                else:
                    kind: StorageKind = "text" if width else "double"
                    if _name(one) in lengths:
                        kind, segments = "long text", -(-int(lengths[_name(one)]) // _SEGMENT) - 1
                    fields.append(StoredField(kind, CELL * len(is_text), 0))
            is_text.append(width != 0)
            last = fields[-1]
            fields[-1] = StoredField(last.kind, last.offset, CELL * len(is_text) - last.offset)
            numbered.append(_DictionaryRecord(2, one.raw, variable=len(fields) - 1))
        self._records, self.fields, self._is_text, self._named = numbered, tuple(fields), is_text, named

    def _content(self, subtype: int) -> bytes:
        return next((one.raw[one.content :] for one in self._records if one.subtype == subtype), b"")

    def _remarks(self) -> Iterator[tuple[str, bytes]]:
        """Yield what can say anything: the label of the file, documents, and most extensions."""
        if self._header[_LABEL].strip(b" \0"):
            yield "label", self._header[_LABEL]
        for one in self._records:
            if (key := _remark_of(one)) is not None:
                yield key, one.raw

    # Writing.

    def around(self, left_out: Reduction) -> tuple[bytes, bytes]:
        """Return header and dictionary; nothing follows the rows."""
        gone = {one.variable for one in self._records if one.type == 2} & left_out.removed
        removed = _Removed(self, gone)
        records = []
        label_list: _DictionaryRecord | None = None
        for one in self._records:
            if _remark_of(one) in left_out.remarks or (one.type == 2 and one.variable in gone):
                continue
            if one.type == 3:  # goes with the list of its variables, which follows it
                label_list = one
                continue
            raw = removed.record(one) if gone else one.raw
            if one.type == 4 and label_list is not None:
                records.append(label_list.raw if raw else b"")
                label_list = None
            records.append(raw)
        return self._new_header(left_out, removed) + b"".join(records), b""

    def _new_header(self, left_out: Reduction, removed: _Removed) -> bytes:
        header = bytearray(self._header)
        if "label" in left_out.remarks:
            header[_LABEL] = b" " * 64
        if removed.variables:
            (size,) = struct.unpack_from(f"{self.order}i", header, 68)
            (weight,) = struct.unpack_from(f"{self.order}i", header, 76)
            struct.pack_into(f"{self.order}i", header, 68, removed.places if size > 0 else size)
            struct.pack_into(f"{self.order}i", header, 76, removed.place(weight))
        return bytes(header)

    def stored(self, rows: Bytes, before: bytes, after: bytes, left_out: Reduction) -> bytes:
        """Return the bytes of a copy, compressed as the source is."""
        if self._compression == 0:
            return b"".join((before, rows.tobytes(), after))
        kept = rows_without(self, np.arange(self.rows.shape[1]).reshape(1, -1), left_out.removed)  # type: ignore[arg-type]
        is_text = [self._is_text[int(at) // CELL] for at in kept[0, ::CELL]]
        codes = compressed(rows, is_text, self.order, self._bias, self._missing)
        if self._compression == 2:
            codes = zipped(codes, len(before), self.order, self._bias)
        return before + codes + after

    def missing(self, kind: StorageKind) -> Any:
        """Return the system-missing value as its bits; blanks in a text."""
        return " " if kind == "text" else int.from_bytes(self._missing, "little" if self.order == "<" else "big")

    def letter(self, _: StorageKind, __: str) -> Any:
        """Return that there are no such codes: user-missing values are values."""
        return None

    def refuse(self, one: _DictionaryRecord) -> DataError:
        """Return the error of a record that names removed variables and cannot be rewritten."""
        path = remark_path(_REMARKS[one.subtype])
        what = f"{_REMARKS[one.subtype].replace('_', ' ')} name a variable that is removed"
        hint = f"leave them out: under `surroundings` of the recipe, write `{path}: remove`"
        return DataError(what, file=str(self._path), hint=hint)


class _Removed:
    """Rewrites the records of a dictionary that lists variables."""

    def __init__(self, file: SavFile, gone: set[int]) -> None:
        self._file = file
        self.variables = gone
        order = file.order
        self._new: list[int] = [0]
        names, short = [], set()
        for one in file._records:
            if one.type == 2:
                is_gone = one.variable in gone
                self._new.append(0 if is_gone else max(self._new) + 1)
                if struct.unpack_from(f"{order}i", one.raw, 4)[0] >= 0:
                    names.append(is_gone)
                    short |= {_name(one)} if is_gone else set()
        self._gone_names = names
        self._short = short
        long = dict(_pairs(file._content(_LONG_NAMES), b"\t"))
        self._long = {long.get(name, name) for name in short} | short
        self._rewritten: Mapping[int, Callable[[bytes], bytes]] = {
            _DISPLAY: self._display,
            _LONG_NAMES: lambda raw: self._listed(raw, b"\t"),
            _VERY_LONG: lambda raw: self._listed(raw, b"\0\t"),
            _LONG_LABELS: self._long_labels,
            _LONG_MISSING: self._long_missing,
        }

    @property
    def places(self) -> int:
        """Return how many pieces a row has left."""
        return max(self._new)

    def place(self, number: int) -> int:
        """Return the new number of a piece, 0 if it is gone."""
        return self._new[number]

    def record(self, one: _DictionaryRecord) -> bytes:
        """Return the record without removed variables, nothing if it was about no other."""
        order = self._file.order
        if one.type == 4:
            (count,) = struct.unpack_from(f"{order}i", one.raw, 4)
            kept = [new for at in struct.unpack_from(f"{order}{count}i", one.raw, 8) if (new := self.place(at))]
            return struct.pack(f"{order}2i{len(kept)}i", 4, len(kept), *kept) if kept else b""
        if one.type != 7:
            return one.raw
        content = one.raw[one.content :]
        if one.subtype in self._rewritten:
            found = self._rewritten[one.subtype](content)
        elif one.subtype == _ATTRIBUTES and _ROLES.fullmatch(content):
            found = b"/".join(m[0].rstrip(b"/") for m in _ROLE.finditer(content) if m[1] not in self._long)
        elif one.subtype in _NAMING and self._names_gone(content):
            raise self._file.refuse(one)
        else:
            return one.raw
        item = struct.unpack_from(f"{order}i", one.raw, 8)[0]
        return struct.pack(f"{order}4i", 7, one.subtype, item, len(found) // item) + found if found else b""

    def _names_gone(self, content: bytes) -> bool:
        words = {word.lower() for word in re.split(rb"[\s=:/()']+", content)}
        return bool(words & {name.lower() for name in self._long})

    def _display(self, content: bytes) -> bytes:
        size = len(content) // len(self._gone_names)
        if size * len(self._gone_names) != len(content):
            raise ValueError("display parameters of another number of variables")
        return b"".join(content[at * size : (at + 1) * size] for at, gone in enumerate(self._gone_names) if not gone)

    def _listed(self, content: bytes, end: bytes) -> bytes:
        kept = [pair for pair in _pairs(content, end) if pair[0] not in self._short]
        joined = end.join(b"=".join(pair) for pair in kept)
        return joined + end if kept and content.endswith(end) else joined

    def _long_labels(self, content: bytes) -> bytes:
        return self._blocks(content, self._end_of_labels)

    def _long_missing(self, content: bytes) -> bytes:
        return self._blocks(content, self._end_of_missing)

    def _blocks(self, content: bytes, end_of: Callable[[bytes, int], int]) -> bytes:
        at, kept = 0, []
        while at < len(content):
            size = self._int(content, at)
            end = end_of(content, at + 4 + size)
            if content[at + 4 : at + 4 + size] not in self._long:
                kept.append(content[at:end])
            at = end
        return b"".join(kept)

    def _end_of_labels(self, content: bytes, at: int) -> int:
        count, at = self._int(content, at + 4), at + 8
        for _ in range(2 * count):
            at += 4 + self._int(content, at)
        return at

    def _end_of_missing(self, content: bytes, at: int) -> int:
        return at + 5 + content[at] * self._int(content, at + 1)

    def _int(self, content: bytes, at: int) -> int:
        return int(struct.unpack_from(f"{self._file.order}i", content, at)[0])


def _remark_of(one: _DictionaryRecord) -> str | None:
    if one.type == 6:
        return "documents"
    if one.type != 7 or one.subtype in _STRUCTURAL:
        return None
    if one.subtype == _ATTRIBUTES and _ROLES.fullmatch(one.raw[one.content :]):
        return None
    return _REMARKS.get(one.subtype, f"extension_{one.subtype}")


def _name(one: _DictionaryRecord) -> bytes:
    return one.raw[24:32].rstrip(b" ")


def _pairs(content: bytes, end: bytes) -> list[tuple[bytes, bytes]]:
    found = [one.partition(b"=") for one in content.split(end) if one.strip(b"\0")]
    return [(name, value) for name, _, value in found]
