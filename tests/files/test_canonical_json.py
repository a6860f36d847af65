"""Canonical JSON as RFC 8785 has it: numbers as ECMAScript prints them, keys by UTF-16, few escapes."""

from __future__ import annotations

import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.errors import UsageError
from constraint_sdc.files.canonical_json import DoubleKeyError, canonical_json, strict_json

NUMBERS = [
    # The bits of a double, and its text. The edges of each notation, of doubles, and of rounding.
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_a_double_is_written_as_ecmascript_writes_it(bits: str, text: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_json(value) == text.encode("ascii")
    assert float(text) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2**53, -(2**53), "\ud800", {"\udead": 1}])
def test_what_canonical_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(UsageError):
        canonical_json(value)


def test_keys_are_sorted_by_utf16_code_units() -> None:
    """A character beyond the basic plane is two units from D800 on, and so comes before U+FB33."""
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\x80", "\u00f6"]
    written = canonical_json(dict.fromkeys(keys, 0)).decode("utf-8")
    assert list(json.loads(written)) == ["\r", "1", "\x80", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_only_quotes_backslashes_and_controls_are_escaped() -> None:
    text = '\u20ac$\x0f\nA\'B"\\\\"/\x7f\u2028\x08\x0c\t\r\x00'
    expected = '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f\u2028\\b\\f\\t\\r\\u0000"'
    assert canonical_json(text) == expected.encode("utf-8")


def test_literals_lists_and_nesting_have_no_white_space() -> None:
    value = {"numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 1e-27], "literals": [None, True, False], "a": {"b": []}}
    assert canonical_json(value) == (
        b'{"a":{"b":[]},"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}'
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=4), inner, max_size=4
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_the_canonical_form_says_the_same_and_is_its_own_canonical_form(value: object) -> None:
    written = canonical_json(value)
    # A double that is a large whole number is written without a point, and is a double all the same.
    again = json.loads(written, parse_int=lambda text: int(text) if abs(int(text)) < 2**53 else float(text))
    assert again == value
    assert canonical_json(again) == written


@pytest.mark.parametrize(
    "text", [b'{"a": NaN}', b"Infinity", b"[1] 2", b"\xff", b"\xef\xbb\xbf{}", '{"a": 1}'.encode("utf-16"), b""]
)
def test_what_is_not_strictly_json_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        strict_json(text)


def test_a_key_given_twice_is_refused() -> None:
    with pytest.raises(DoubleKeyError):
        strict_json(b'{"a": {"b": 1, "b": 1}}')
