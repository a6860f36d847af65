"""The description of variables in our own format, and its schema."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

from constraint_sdc.data.variable import VariableInfo
from constraint_sdc.errors import DataError
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.files.microdata.metadata import read_metadata
from constraint_sdc.files.microdata.microdata import open_microdata

Write = Callable[[str | bytes], Path]
DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<Microdata>
  <Metadata>
    <Variable name="Age" type="integer" decimals="0" measure="scale" label="Age"><Missing code="-9"/></Variable>
    <Variable name="Job"><!-- free text --></Variable>
  </Metadata>
  <Record><Age>31</Age><Job>baker</Job></Record>
  <Record><Age>-9</Age></Record>
</Microdata>
"""


def test_variables_are_described(write: Write) -> None:
    path = write(DOCUMENT)
    age = VariableInfo("Age", "integer", 0, "scale", "Age", ("-9",))
    assert read_metadata(path) == (age, VariableInfo("Job", "text"))
    assert [chunk.columns["Age"].texts() for chunk in open_microdata(path).chunks()] == [["31", "-9"]]


@pytest.mark.parametrize(
    "document",
    [
        "<D><Metadata/></D>",
        "<Microdata/>",
        "<Microdata><Record><A>1</A></Record></Microdata>",
        "<Microdata><Metadata/></Microdata>",
    ],
)
def test_a_file_may_say_nothing(write: Write, document: str) -> None:
    assert read_metadata(write(document)) == ()


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('type="integer"', 'type="int"', "unknown type 'int' (use one of: integer, decimal, double, text)"),
        ('measure="scale"', 'measure="ratio"', "unknown measure 'ratio'"),
        ('decimals="0"', 'decimals="-1"', "decimals must be a whole number from 0 to 999, not '-1'"),
        ('label="', 'lable="', "unexpected lable"),
        ('name="Job"', 'name="Age"', "variable 'Age' is described twice"),
        ('name="Age"', 'name=""', "a variable has no name"),
        ('code="-9"', "", "<Missing code='...'/>"),
    ],
)
def test_mistakes_are_named_with_their_line(write: Write, before: str, after: str, words: str) -> None:
    path = write(DOCUMENT.replace(before, after))
    with pytest.raises(DataError) as caught:
        read_metadata(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"{path}:4:")
    assert not xsd().validate(etree.fromstring(path.read_bytes()))


def test_broken_files_are_refused(write: Write) -> None:
    for document in ("", "<Microdata><Metadata>", "<!DOCTYPE Microdata><Microdata/>", "\x1f\x8b"):
        with pytest.raises(DataError):
            read_metadata(write(document.encode("latin-1")))


def xsd() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(str(shipped_file("schemas", "microdata.xsd"))))


def test_the_schema_accepts_what_we_read(write: Write) -> None:
    schema = xsd()
    assert schema.validate(etree.fromstring(write(DOCUMENT).read_bytes())), schema.error_log
