"""The characters of plain rows: all legal, and the few values whose text differs from their bytes decoded by lxml."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from lxml import etree

from constraint_sdc.model.table import Bytes, Spans
from constraint_sdc.read.hardened import parse_bytes

_SHORT = 200
_TAB, _LINE_FEED, _RETURN = 0x09, 0x0A, 0x0D


class NotPlainError(Exception):
    """The bytes hold something that only the real parser can judge."""


def check_characters(data: bytes, raw: Bytes, controls_outside: int) -> bool:
    """Refuse characters that XML forbids; tell whether values are free of references and control characters.

    `controls_outside` counts the control characters (white space) that are known to stand outside values.
    """
    if not data.isascii():
        _check_utf8(data)
    controls = int(np.count_nonzero(raw < 0x20))
    if controls != controls_outside:
        legal = np.count_nonzero(raw == _TAB) + data.count(b"\n") + data.count(b"\r")
        if controls != legal:
            raise NotPlainError
        return False
    return b"&" not in data


def _check_utf8(data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotPlainError from None
    if b"\xef\xbf\xbe" in data or b"\xef\xbf\xbf" in data:
        raise NotPlainError


def decode_values(
    data: bytes, raw: Bytes, start: Spans, stop: Spans, in_attribute: npt.NDArray[np.bool_]
) -> tuple[Bytes, Spans, Spans]:
    """Return a buffer and spans in which references and normalised white space are what XPath sees.

    The spans are in document order; a reference outside of them is refused, white space outside is nobody's value.
    """
    special = np.flatnonzero((raw == ord("&")) | (raw == _RETURN) | (raw == _TAB) | (raw == _LINE_FEED))
    value = np.searchsorted(start, special, "right") - 1
    is_inside = (value >= 0) & (special < stop.take(value))
    if (raw.take(special[~is_inside]) == ord("&")).any():
        raise NotPlainError
    parts, size = [data], len(data)
    start, stop = start.copy(), stop.copy()
    for number in np.unique(value[is_inside]).tolist():
        text = _decode(data[start[number] : stop[number]], bool(in_attribute[number]))
        parts.append(text)
        start[number], stop[number] = size, size + len(text)
        size += len(text)
    return np.frombuffer(b"".join(parts), np.uint8), start, stop


def _decode(written: bytes, in_attribute: bool) -> bytes:
    return _decode_short(written, in_attribute) if len(written) <= _SHORT else _parse_value(written, in_attribute)


@lru_cache(maxsize=4096)
def _decode_short(written: bytes, in_attribute: bool) -> bytes:
    return _parse_value(written, in_attribute)


def _parse_value(written: bytes, in_attribute: bool) -> bytes:
    try:
        if in_attribute:
            return (parse_bytes(b'<a b="' + written + b'"/>').get("b") or "").encode("utf-8")
        return (parse_bytes(b"<a>" + written + b"</a>").text or "").encode("utf-8")
    except etree.XMLSyntaxError:
        raise NotPlainError from None
