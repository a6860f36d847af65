"""Column headers become XML names and come back."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from constraint_sdc.files.rows_file import header_of, is_xml_name, xml_name

HEADERS = st.text(min_size=1) | st.from_regex(r"[_x0-9A-F ]{1,30}", fullmatch=True)


@given(HEADERS)
@example("_x0041 ")
@example("_x0020_x0041_")
@example("_ x005F_")
@example("_x_x0041_")
@example("_x10FFFF_")
@example("_xFFFFFF_")
def test_every_header_comes_back(header: str) -> None:
    name = xml_name(header)
    assert is_xml_name(name)
    assert header_of(name) == header


@given(st.text(min_size=1).map(xml_name))
def test_a_name_is_one_for_the_xml_parser_too(name: str) -> None:
    assert etree.fromstring(f"<{name}/>".encode()).tag == name


@given(st.text(min_size=1))
def test_what_we_call_a_name_is_a_name(text: str) -> None:
    try:
        accepted = etree.QName(text).localname == text
    except ValueError:
        accepted = False
    if is_xml_name(text):
        assert accepted


@pytest.mark.parametrize("name", ["V1", "V-1.a", "my_xvar", "Größe", "_", "xmlish"])
def test_a_header_that_is_a_name_stays(name: str) -> None:
    assert xml_name(name) == name
