"""Which element is the record: found from the data, or given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from constraint_sdc.errors import NotRowsError
from constraint_sdc.files.microdata.microdata import open_microdata

Write = Callable[[str | bytes], Path]


@pytest.mark.parametrize(
    ("document", "record"),
    [
        ("<D><R><A>1</A></R></D>", "R"),
        ("<D><R><A>1</A><B>2</B></R></D>", "R"),
        ("<D><W><R><A>1</A></R></W></D>", "R"),
        ('<D><R A="1"/></D>', "R"),
        ('<D><S F="x"><Obs A="1"/></S><S F="y"><Obs A="1"/></S></D>', "Obs"),
        ('<D><S F="x"><Obs A="1" B="2"/><Obs A="1" B="3"/></S></D>', "Obs"),
        ("<D><H><I>1</I><J>1</J><K>1</K></H><R><A>1</A></R><R><A>2</A></R></D>", "R"),
        ("<D><H><I>1</I></H><R><A>1</A><B>1</B></R></D>", "R"),
        ("<D><R/><R/><R><A>1</A></R></D>", "R"),
        ('<D><R id="1"><A u="m">1</A></R><R id="2"><A u="m"/></R></D>', "R"),
        ('<Microdata><Metadata><V name="a"/><V name="b"/></Metadata><Record><a>1</a></Record></Microdata>', "Record"),
        ('<d:D xmlns:d="urn:d"><d:R><d:A>1</d:A></d:R></d:D>', "{urn:d}R"),
    ],
)  # fmt: skip
def test_the_record_element_is_found(write: Write, document: str, record: str) -> None:
    assert open_microdata(write(document)).layout.record == record


@pytest.mark.parametrize("name", ["Obs", "{urn:d}Obs"])
def test_a_given_name_may_be_local_or_clark(write: Write, name: str) -> None:
    path = write('<D xmlns="urn:d"><Obs><A>1</A></Obs><X><A>1</A></X><X><A>1</A></X></D>')
    data = open_microdata(path, record=name)
    assert data.layout.record == "{urn:d}Obs"
    assert sum(map(len, data.chunks())) == 1


def test_a_large_description_does_not_hide_the_records(write: Write) -> None:
    variables = "".join(f'<Variable name="V{i}" label="{"x" * 90}"/>' for i in range(3000))
    data = open_microdata(write(f"<Microdata><Metadata>{variables}</Metadata><Record><V1>1</V1></Record></Microdata>"))
    assert data.layout.record == "Record"
    assert [chunk.columns["V1"].texts() for chunk in data.chunks()] == [["1"]]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("<D/>", "no records"),
        ("<D>text</D>", "no records"),
        ("<D><A>1</A><B>2</B></D>", "no records"),
        ("<Microdata><Metadata/></Microdata>", "no records"),
        ("<D><H><N>x</N><P><A>1</A></P></H><H><N>y</N><P><A>2</A></P></H></D>", "an element where a value should be"),
        ("<D><R><A>1</A><B><C>2</C></B></R></D>", "an element where a value should be"),
    ],
)
def test_xml_without_flat_rows_is_said_to_be_so(write: Write, document: str, words: str) -> None:
    with pytest.raises(NotRowsError, match=words):
        open_microdata(write(document))


def test_a_name_that_does_not_occur_is_said_to_be_so(write: Write) -> None:
    with pytest.raises(NotRowsError, match=r"no <Person> element below the root"):
        open_microdata(write("<D><R><A>1</A></R></D>"), record="Person")


def test_the_root_is_never_a_record(write: Write) -> None:
    with pytest.raises(NotRowsError):
        open_microdata(write("<R><A>1</A></R>"), record="R")
    data = open_microdata(write("<R>\n<R><A>1</A></R>\n<R><A>2</A></R></R>"))
    assert [chunk.lines.tolist() for chunk in data.chunks()] == [[2, 3]]
