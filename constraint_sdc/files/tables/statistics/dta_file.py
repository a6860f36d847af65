"""Stata files (.dta, formats 113 to 119: Stata 8 to now), as described in Stata's manual under `help dta`."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from constraint_sdc.arrays import Bytes
from constraint_sdc.errors import DataError
from constraint_sdc.files.tables.statistics.stored_table import Reduction, StorageKind, StoredField

_OLD: dict[int, tuple[StorageKind, int]] = {
    251: ("int8", 1),
    252: ("int16", 2),
    253: ("int32", 4),
    254: ("float", 4),
    255: ("double", 8),
}
_NEW: dict[int, tuple[StorageKind, int]] = {
    65530: ("int8", 1),
    65529: ("int16", 2),
    65528: ("int32", 4),
    65527: ("float", 4),
    65526: ("double", 8),
    32768: ("long text", 8),
}
_MISSING = {"int8": 101, "int16": 32_741, "int32": 2_147_483_621, "float": 0x7F000000, "double": 0x7FE0000000000000}
_STEP = {"int8": 1, "int16": 1, "int32": 1, "float": 0x800, "double": 0x10000000000}
_OLDEST = 113


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Bytes of each part of the description in one format."""

    variables: str
    records: str
    label: str
    sort: str
    name: int
    format: int
    variable_label: int

    @staticmethod
    def of(release: int) -> _Sizes:
        if release < 117:
            return _Sizes("H", "I", "", "H", 33, 12 if release == 113 else 49, 81)
        if release == 117:
            return _Sizes("H", "I", "B", "H", 33, 49, 81)
        return _Sizes("I" if release == 119 else "H", "Q", "H", "I" if release == 119 else "H", 129, 57, 321)


class _Cursor:
    """Reads a file part by part."""

    def __init__(self, content: bytes, order: str) -> None:
        self.content = content
        self.order = order
        self.at = 0

    def take(self, count: int) -> bytes:
        part = self.content[self.at : self.at + count]
        if len(part) < count:
            raise ValueError("it ends too early")
        self.at += count
        return part

    def number(self, kind: str) -> int:
        return int(struct.unpack(self.order + kind, self.take(struct.calcsize(kind)))[0])

    def tag(self, tag: bytes) -> None:
        if self.take(len(tag)) != tag:
            raise ValueError(f"{tag.decode()} is not where it should be")

    def has(self, tag: bytes) -> bool:
        return self.content.startswith(tag, self.at)


class DtaFile:
    """A Stata file: the description of each variable, characteristics, rows, long texts and value labels."""

    def __init__(self, content: bytes, path: Path) -> None:
        self._path = path
        try:
            (self._read_new if content.startswith(b"<stata_dta>") else self._read_old)(content)
            before, after = self.around(Reduction())
            if before + self.rows.tobytes() + after != content:
                raise ValueError("it has parts that are not in the description of the format")
        except (ValueError, struct.error, IndexError) as error:
            what = f"cannot be written again as Stata stores it: {error}"
            raise DataError(what, file=str(path), hint="save it again in Stata, or convert it to CSV") from None
        self.encoding = "utf-8" if self._release >= 118 else "cp1252"
        self.remarks: Mapping[str, bytes] = self._remarks()

    # Reading.

    def _read_new(self, content: bytes) -> None:
        self._release = int(content[28:31])
        self.order = "<" if content[52:55] == b"LSF" else ">"
        self._sizes = sizes = _Sizes.of(self._release)
        if not 117 <= self._release <= 119:
            raise ValueError(f"its format {self._release} is not known")
        cursor = _Cursor(content, self.order)
        cursor.tag(b"<stata_dta><header><release>%d</release><byteorder>" % self._release)
        cursor.tag(b"LSF" if self.order == "<" else b"MSF")
        cursor.tag(b"</byteorder><K>")
        count = cursor.number(sizes.variables)
        cursor.tag(b"</K><N>")
        records = cursor.number(sizes.records)
        cursor.tag(b"</N><label>")
        self._label = cursor.take(cursor.number(sizes.label))
        cursor.tag(b"</label><timestamp>")
        self._stamp = cursor.take(cursor.number("B"))
        cursor.tag(b"</timestamp></header><map>")
        cursor.take(14 * 8)
        cursor.tag(b"</map>")
        self._types = self._section(cursor, b"variable_types", count, 2)
        self._names = self._section(cursor, b"varnames", count, sizes.name)
        self._sort = self._section(cursor, b"sortlist", count + 1, struct.calcsize(sizes.sort))
        self._formats = self._section(cursor, b"formats", count, sizes.format)
        self._label_names = self._section(cursor, b"value_label_names", count, sizes.name)
        self._labels = self._section(cursor, b"variable_labels", count, sizes.variable_label)
        cursor.tag(b"<characteristics>")
        self._characteristics: list[bytes] = []
        while cursor.has(b"<ch>"):
            cursor.tag(b"<ch>")
            self._characteristics.append(cursor.take(cursor.number("I")))
            cursor.tag(b"</ch>")
        cursor.tag(b"</characteristics><data>")
        kinds = [self._kind(struct.unpack(self.order + "H", one)[0]) for one in self._types]
        self._take_rows(cursor, kinds, records)
        cursor.tag(b"</data><strls>")
        end = content.rindex(b"</strls><value_labels>")
        self._long = cursor.take(end - cursor.at)
        cursor.tag(b"</strls><value_labels>")
        self._value_labels: list[tuple[bytes, bytes]] = []
        while cursor.has(b"<lbl>"):
            cursor.tag(b"<lbl>")
            self._value_labels.append(self._value_label(cursor))
            cursor.tag(b"</lbl>")
        cursor.tag(b"</value_labels></stata_dta>")

    def _section(self, cursor: _Cursor, name: bytes, count: int, size: int) -> list[bytes]:
        cursor.tag(b"<" + name + b">")
        found = [cursor.take(size) for _ in range(count)]
        cursor.tag(b"</" + name + b">")
        return found

    def _value_label(self, cursor: _Cursor) -> tuple[bytes, bytes]:
        size = cursor.number("I")
        name = cursor.take(self._sizes.name)
        return _plain(name), struct.pack(self.order + "I", size) + name + cursor.take(3 + size)

    def _read_old(self, content: bytes) -> None:
        self._release = content[0]
        if not _OLDEST <= self._release <= 115:
            raise ValueError(f"its format {self._release} is not known")
        self.order = "<" if content[1] == 2 else ">"
        self._sizes = sizes = _Sizes.of(self._release)
        cursor = _Cursor(content, self.order)
        self._start = cursor.take(4)
        count, records = cursor.number("H"), cursor.number("I")
        self._label, self._stamp = cursor.take(81), cursor.take(18)
        self._types = [cursor.take(1) for _ in range(count)]
        self._names = [cursor.take(33) for _ in range(count)]
        self._sort = [cursor.take(2) for _ in range(count + 1)]
        self._formats = [cursor.take(sizes.format) for _ in range(count)]
        self._label_names = [cursor.take(33) for _ in range(count)]
        self._labels = [cursor.take(81) for _ in range(count)]
        self._characteristics = []
        while (kind := cursor.number("B")) | (size := cursor.number("I")):
            if kind != 1:
                raise ValueError(f"an expansion field of type {kind}")
            self._characteristics.append(cursor.take(size))
        self._take_rows(cursor, [self._kind(one[0]) for one in self._types], records)
        self._long, self._value_labels = b"", []
        while cursor.at < len(content):
            self._value_labels.append(self._value_label(cursor))

    def _kind(self, code: int) -> tuple[StorageKind, int]:
        known = _NEW if self._release >= 117 else _OLD
        return known.get(code, ("text", code))

    def _take_rows(self, cursor: _Cursor, kinds: Sequence[tuple[StorageKind, int]], records: int) -> None:
        fields, offset = [], 0
        for kind, width in kinds:
            fields.append(StoredField(kind, offset, width))
            offset += width
        self.fields = tuple(fields)
        if records * offset > len(cursor.content):
            raise ValueError("it ends too early")
        self.rows: Bytes = np.frombuffer(cursor.take(records * offset), np.uint8).reshape(records, offset)

    def _remarks(self) -> dict[str, bytes]:
        """Return the label of the file, and characteristics, in which Stata keeps notes: they can say anything."""
        found = {"label": _plain(self._label)} if _plain(self._label) else {}
        for one in self._characteristics:
            found[self._remark(one)] = one
        return found

    def _remark(self, characteristic: bytes) -> str:
        size = self._sizes.name
        parts = _plain(characteristic[:size]), _plain(characteristic[size : 2 * size])
        return ".".join(part.decode(self.encoding, "backslashreplace") for part in parts)

    # Writing.

    def around(self, left_out: Reduction) -> tuple[bytes, bytes]:
        """Return what stands before and after the rows."""
        if left_out.removed and self._long:
            what = "has texts of type strL, and a variable cannot be removed beside them"
            hint = "in Stata, recast them (recast str2045 ...) or drop the variable before masking"
            raise DataError(what, file=str(self._path), hint=hint)
        kept = [at for at in range(len(self.fields)) if at not in left_out.removed]
        gone = {_plain(self._names[at]) for at in left_out.removed}
        used = {_plain(self._label_names[at]) for at in kept}
        dropped = {_plain(self._label_names[at]) for at in left_out.removed} - used
        characteristics = [
            one
            for one in self._characteristics
            if _plain(one[: self._sizes.name]) not in gone
            and not (left_out.remarks and self._remark(one) in left_out.remarks)
        ]
        label = b"\0" * len(self._label) if self._release < 117 else b""
        label = label if "label" in left_out.remarks else self._label
        labels = [raw for name, raw in self._value_labels if name not in dropped]
        lists = [[part[at] for at in kept] for part in (self._types, self._names)]
        more = [[part[at] for at in kept] for part in (self._formats, self._label_names, self._labels)]
        parts = [*lists, self._sorted(kept, left_out), *more]
        build = self._old_parts if self._release < 117 else self._new_parts
        return build(parts, label, characteristics, labels)

    def _sorted(self, kept: Sequence[int], left_out: Reduction) -> list[bytes]:
        """Return by which variables the rows are sorted: up to the first that is masked or removed."""
        if not left_out.removed and not left_out.masked:
            return self._sort
        kind = self.order + self._sizes.sort
        found: list[int] = []
        for one in self._sort:
            at = int(struct.unpack(kind, one)[0]) - 1
            if at < 0 or at in left_out.removed or at in left_out.masked:
                break
            found.append(kept.index(at) + 1)
        return [struct.pack(kind, at) for at in (*found, *[0] * (len(kept) + 1 - len(found)))]

    def _old_parts(
        self, parts: list[list[bytes]], label: bytes, characteristics: list[bytes], labels: list[bytes]
    ) -> tuple[bytes, bytes]:
        counts = struct.pack(self.order + "HI", len(parts[0]), len(self.rows))
        fields = [b"\1" + struct.pack(self.order + "I", len(one)) + one for one in characteristics]
        before = [self._start, counts, label, self._stamp, *(b"".join(part) for part in parts), *fields, b"\0" * 5]
        return b"".join(before), b"".join(labels)

    def _new_parts(
        self, parts: list[list[bytes]], label: bytes, characteristics: list[bytes], labels: list[bytes]
    ) -> tuple[bytes, bytes]:
        sizes, order = self._sizes, self.order
        head = b"".join(
            (
                b"<stata_dta><header><release>%d</release><byteorder>" % self._release,
                b"LSF" if order == "<" else b"MSF",
                b"</byteorder><K>",
                struct.pack(order + sizes.variables, len(parts[0])),
                b"</K><N>",
                struct.pack(order + sizes.records, len(self.rows)),
                b"</N><label>",
                struct.pack(order + sizes.label, len(label)),
                label,
                b"</label><timestamp>",
                struct.pack("B", len(self._stamp)),
                self._stamp,
                b"</timestamp></header>",
            )
        )
        tags = (b"variable_types", b"varnames", b"sortlist", b"formats", b"value_label_names", b"variable_labels")
        sections = [b"<%b>%b</%b>" % (tag, b"".join(part), tag) for tag, part in zip(tags, parts, strict=True)]
        listed = b"".join(b"<ch>%b%b</ch>" % (struct.pack(order + "I", len(one)), one) for one in characteristics)
        sections.append(b"<characteristics>%b</characteristics>" % listed)
        kinds = [self._kind(struct.unpack(order + "H", one)[0]) for one in parts[0]]
        width = sum(size for _, size in kinds)
        after = [b"</data>", b"<strls>%b</strls>" % self._long]
        after.append(b"<value_labels>%b</value_labels>" % b"".join(b"<lbl>%b</lbl>" % one for one in labels))
        places, at = [0, len(head)], len(head) + len(b"<map></map>") + 14 * 8
        for section in sections:
            places.append(at)
            at += len(section)
        places.append(at)
        at += len(b"<data>") + width * len(self.rows) + len(b"</data>")
        for section in after[1:]:
            places.append(at)
            at += len(section)
        places += [at, at + len(b"</stata_dta>")]
        mapped = b"<map>%b</map>" % struct.pack(f"{order}14Q", *places)
        return b"".join((head, mapped, *sections, b"<data>")), b"".join((*after, b"</stata_dta>"))

    def stored(self, rows: Bytes, before: bytes, after: bytes, _: Reduction) -> bytes:
        """Return the bytes of a copy."""
        return b"".join((before, rows.tobytes(), after))

    def missing(self, kind: StorageKind) -> Any:
        """Return the system-missing value, as its bits where the type is floating."""
        return _MISSING.get(kind, "")

    def letter(self, kind: StorageKind, letter: str) -> Any:
        """Return an extended missing value."""
        return _MISSING[kind] + (ord(letter) - ord("a") + 1) * _STEP[kind]


def _plain(field: bytes) -> bytes:
    return field.partition(b"\0")[0]
