"""A value-domain file stands in for the original in a value-domain rule, and links no two variables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from elementpath import XPath2Parser, select
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from constraint_sdc.census import generate
from constraint_sdc.data.table import Chunk, Layout, column_of
from constraint_sdc.errors import UsageError
from constraint_sdc.files.domain_file import distinct_values, write_domain

LAYOUT = Layout(("Microdata",), "Record", "elements", b"<Microdata>", b"</Microdata>")


CODEPOINTS = "http://www.w3.org/2005/xpath-functions/collation/codepoint"
"""Compare texts by code points; elementpath would ask the locale of the process."""


def chunk_of(columns: dict[str, list[str | None]]) -> Chunk:
    size = len(next(iter(columns.values())))
    nothing = np.zeros(size, np.int64)
    texts = {name: column_of(name, values) for name, values in columns.items()}
    return Chunk(LAYOUT, 0, texts, np.zeros(1, np.uint8), nothing, nothing, nothing)


@given(st.lists(st.lists(st.none() | st.sampled_from(["1", "1.0", "", "ü", "10", "x" * 20]), min_size=1), min_size=1))
def test_distinct_values_are_the_sorted_set_of_texts(parts: list[list[str | None]]) -> None:
    found = distinct_values([chunk_of({"V1": part}) for part in parts], ["V1"])
    assert found == {"V1": sorted({text for part in parts for text in part if text is not None})}


def test_a_variable_that_no_record_has_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"no record has a variable 'V9'.*the variables are V1, V2"):
        distinct_values([chunk_of({"V1": ["1"], "V2": ["2"]})], ["V1", "V9"])


def test_row_i_holds_the_ith_value_of_each_variable(tmp_path: Path) -> None:
    values = {"V1": ["", "1", "2 & 3"], "V2": ["a"]}
    assert write_domain(tmp_path / "d.xml", values).records == 3
    assert (tmp_path / "d.xml").read_text().splitlines()[1:] == [
        "<Microdata>",
        "<Record><V1></V1><V2>a</V2></Record>",
        "<Record><V1>1</V1></Record>",
        "<Record><V1>2 &amp; 3</V1></Record>",
        "</Microdata>",
    ]


@pytest.mark.parametrize("texts", [["1", "22", ""], ["1", "<", "&"], ["\r", "a"], []])
def test_the_rows_of_one_variable_are_those_that_it_has_beside_another(texts: list[str], tmp_path: Path) -> None:
    alone, beside = tmp_path / "alone.xml", tmp_path / "beside.xml"
    assert write_domain(alone, {"V1": texts}).records == len(texts)
    write_domain(beside, {"V1": texts, "V2": ["x"] * len(texts)})
    assert alone.read_text() == beside.read_text().replace("<V2>x</V2>", "")


def test_names_in_namespaces_and_attributes_keep_their_path(tmp_path: Path) -> None:
    values = {"@{urn:b}A": ['x"y', "z"], "@B": ["1"], "{urn:a}V1": ["<5>"]}
    write_domain(tmp_path / "d.xml", values, "{urn:a}Obs", wrappers=("{urn:a}Data", "Set"))
    root = etree.parse(str(tmp_path / "d.xml")).getroot()
    spaces = {"a": "urn:a", "b": "urn:b"}
    assert root.tag == "{urn:a}Data"
    assert root.xpath("Set/a:Obs/@b:A", namespaces=spaces) == ['x"y', "z"]
    assert root.xpath("Set/a:Obs/@B", namespaces=spaces) == ["1"]
    assert [v.text for v in root.xpath("Set/a:Obs/a:V1", namespaces=spaces)] == ["<5>"]


def test_the_papers_rule_judges_alike_against_the_domain_and_the_original(tmp_path: Path) -> None:
    original = [chunk_of(dict(batch)) for batch in generate(400, seed=1)]  # type: ignore[arg-type]
    write_domain(tmp_path / "d.xml", distinct_values(original, ["V1", "V2"]))
    domain = etree.parse(str(tmp_path / "d.xml"))
    (broken,) = generate(400, seed=1, break_share=0.05)
    known = {text for chunk in original for text in chunk.columns["V1"].texts()}
    rule = "exists(index-of($original//Record/V1, V1))"
    for text in broken["V1"][:60]:
        record = etree.fromstring(f"<Record><V1>{text}</V1></Record>")
        verdict = select(
            record, rule, parser=XPath2Parser, variables={"original": domain}, default_collation=CODEPOINTS
        )
        assert verdict == (text in known)


def test_the_rows_do_not_follow_the_records() -> None:
    (batch,) = generate(300, seed=2)
    found = distinct_values([chunk_of(dict(batch))], ["V1", "V2"])  # type: ignore[arg-type]
    assert [*found["V1"]] == sorted(set(batch["V1"]))
    assert list(zip(batch["V1"], batch["V2"], strict=True)) != list(zip(found["V1"], found["V2"], strict=False))


def test_many_values_are_written_whole(tmp_path: Path) -> None:
    values = {"V1": sorted(map(str, range(45_000))), "V2": ["1"]}
    write_domain(tmp_path / "d.xml", values)
    root = etree.parse(str(tmp_path / "d.xml")).getroot()
    assert [v.text for v in root.findall("Record/V1")] == values["V1"]
    assert len(root.findall("Record/V2")) == 1
