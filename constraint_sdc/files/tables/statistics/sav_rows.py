"""The rows of an SPSS file: plain, compressed to codes of one byte, or these codes compressed by zlib (.zsav)."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from constraint_sdc.arrays import Bytes

CELL = 8
"""Rows are made of pieces of that many bytes."""

_END, _RAW, _BLANKS, _MISSING = 252, 253, 254, 255
_BLOCK = 0x3FF000


def expanded(codes: bytes, order: str, bias: float, missing: bytes) -> bytes:
    """Return the rows that the codes stand for: eight codes, then the pieces that have no code.

    >>> expanded(bytes((101, 253, 254, 255, 252, 0, 0, 0)) + b"ABCDEFGH", "<", 100.0, b"________")[8:]
    b'ABCDEFGH        ________'
    """
    starts, at = [], 0
    while at + CELL <= len(codes):
        starts.append(at)
        group = codes[at : at + CELL]
        at += CELL + CELL * group.count(_RAW)
        if _END in group:
            break
    if at > len(codes):
        raise ValueError("its rows end too early")
    if codes[at:].strip(b"\0"):
        raise ValueError("something follows its rows")
    buffer = np.frombuffer(codes, np.uint8)
    first = np.array(starts, np.int64)
    listed = buffer[first[:, None] + np.arange(CELL)].ravel() if len(first) else np.zeros(0, np.uint8)
    is_raw = listed == _RAW
    before = np.cumsum(is_raw) - is_raw  # raw pieces before this one, in the whole file
    of_group = before.reshape(-1, CELL)[:, :1].repeat(CELL, axis=1).ravel()
    place = np.repeat(first, CELL) + CELL + CELL * (before - of_group)
    ends = np.flatnonzero(listed == _END)
    used = np.flatnonzero(listed[: int(ends[0]) if len(ends) else len(listed)] != 0)
    table = np.zeros((256, CELL), np.uint8)
    table[1:_END] = (np.arange(1, _END) - bias).astype(f"{order}f8").view(np.uint8).reshape(-1, CELL)
    table[_BLANKS], table[_MISSING] = ord(" "), np.frombuffer(missing, np.uint8)
    pieces = table[listed[used]]
    raw = is_raw[used]
    pieces[raw] = buffer[place[used][raw][:, None] + np.arange(CELL)]
    rows: bytes = pieces.tobytes()
    return rows


def compressed(rows: Bytes, is_text: list[bool], order: str, bias: float, missing: bytes) -> bytes:
    """Return the codes of rows; `is_text` tells of each piece of a row whether it is text."""
    pieces = np.ascontiguousarray(rows).reshape(-1, CELL)
    texts = np.tile(np.array(is_text, np.bool_), len(rows))
    codes = np.full(len(pieces), _RAW, np.uint8)
    codes[texts & (pieces == ord(" ")).all(axis=1)] = _BLANKS
    codes[~texts & (pieces == np.frombuffer(missing, np.uint8)).all(axis=1)] = _MISSING
    table = (np.arange(1, _END) - bias).astype(f"{order}f8")
    values = pieces.view(f"{order}f8").ravel()
    with np.errstate(invalid="ignore"):
        near = np.nan_to_num(values + bias, nan=0.0, posinf=0.0, neginf=0.0)
        guess = np.where((near >= 1) & (near < _END), near, 0).astype(np.int64)
    known = ~texts & (codes == _RAW) & (guess > 0)
    exact = table.view(np.uint8).reshape(-1, CELL)[np.maximum(guess, 1) - 1]
    known &= (exact == pieces).all(axis=1)
    codes[known] = guess[known]
    padded = np.zeros(-(-len(codes) // CELL) * CELL, np.uint8)
    padded[: len(codes)] = codes
    is_raw = padded == _RAW
    groups = np.arange(len(padded)) // CELL
    raw_before = np.cumsum(is_raw) - is_raw
    found = np.zeros(len(padded) + CELL * int(is_raw.sum()), np.uint8)
    of_group = raw_before.reshape(-1, CELL)[:, 0] if len(padded) else np.zeros(0, np.int64)
    found[np.arange(len(padded)) + CELL * of_group[groups]] = padded
    place = CELL * (groups + 1) + CELL * raw_before
    found[place[is_raw][:, None] + np.arange(CELL)] = pieces[np.flatnonzero(is_raw)]
    return found.tobytes()


def unzipped(content: bytes, start: int, order: str) -> bytes:
    """Return the codes of a .zsav file; its blocks begin after a header at `start`."""
    begin, trailer, size = struct.unpack_from(f"{order}3q", content, start)
    if begin != start or trailer + size != len(content) or size < 24:
        raise ValueError("its list of compressed blocks is not where it should be")
    count = struct.unpack_from(f"{order}i", content, trailer + 20)[0]
    parts = []
    for at in range(count):
        _, place, plain, packed = struct.unpack_from(f"{order}2q2i", content, trailer + 24 + 24 * at)
        part = zlib.decompress(content[place : place + packed], bufsize=plain)
        if len(part) != plain:
            raise ValueError("a compressed block has another size than it says")
        parts.append(part)
    return b"".join(parts)


def zipped(codes: bytes, start: int, order: str, bias: float) -> bytes:
    """Return the header, the compressed blocks and the list of blocks of a .zsav file."""
    blocks = [codes[at : at + _BLOCK] for at in range(0, len(codes), _BLOCK)]
    packed = [zlib.compress(block) for block in blocks]
    trailer = start + 24 + sum(map(len, packed))
    listed, plain_at, packed_at = [], start, start + 24
    for block, small in zip(blocks, packed, strict=True):
        listed.append(struct.pack(f"{order}2q2i", plain_at, packed_at, len(block), len(small)))
        plain_at, packed_at = plain_at + len(block), packed_at + len(small)
    head = struct.pack(f"{order}3q", start, trailer, 24 + 24 * len(blocks))
    tail = struct.pack(f"{order}2q2i", -int(bias), 0, _BLOCK, len(blocks))
    return b"".join((head, *packed, tail, *listed))
