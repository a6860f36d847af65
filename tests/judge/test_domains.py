"""The value-domain rule looks up the values of another file, exactly those that XPath would see."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.commands.check import CheckOptions, check_file

SCHEMA = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<let name="original" value="doc('original.xml')"/>
<pattern><rule context="R"><assert id="vd" test="{test}">not there</assert></rule></pattern></schema>"""


def failing(tmp_path: Path, original: str, test: str, engine: str, last: str = "<R/>") -> list[int | None]:
    (tmp_path / "original.xml").write_text(original, encoding="utf-8")
    (tmp_path / "data.xml").write_text(
        f"<D><R><V>1</V></R><R><V>2</V></R><R><V>1.0</V></R>{last}</D>", encoding="utf-8"
    )
    (tmp_path / "rules.sch").write_text(SCHEMA.format(test=test), encoding="utf-8")
    options = CheckOptions(engine="saxon" if engine == "saxon" else "auto")
    (result,) = check_file(tmp_path / "data.xml", tmp_path / "rules.sch", options).results
    assert result.engine == engine
    return [violation.record for violation in result.violations]


PLAIN = "<D><R><V>1</V></R><R><V>3</V></R></D>"


@pytest.mark.parametrize(
    "test",
    [
        "exists(index-of($original//R/V, V))",
        "V = $original//R/V",
        "V = $original/D/R/V",
        "V = $original//V",
        "not(empty(index-of($original//V, V)))",
    ],
)
@pytest.mark.parametrize("engine", ["vectorised", "saxon"])
def test_a_value_must_occur_as_the_same_text(tmp_path: Path, test: str, engine: str) -> None:
    assert failing(tmp_path, PLAIN, test, engine, last="<R><V>3</V></R>") == [2, 3]


@pytest.mark.parametrize("test", ["V = $original//V", "V = $original/D/R/V", "V = $original//R/V"])
def test_values_outside_the_records_count_only_where_the_path_reaches_them(tmp_path: Path, test: str) -> None:
    original = "<D><H><V>2</V></H><R><V>1</V></R><R><V>3</V></R><S><R><V>1.0</V></R></S></D>"
    by_saxon = failing(tmp_path, original, test, "saxon")
    (result,) = check_file(tmp_path / "data.xml", tmp_path / "rules.sch").results
    assert [violation.record for violation in result.violations] == by_saxon


def test_comments_and_references_in_the_original_are_read_as_xpath_reads_them(tmp_path: Path) -> None:
    original = "<D><R><V>1<!--x--></V></R><R><V>&#50;</V></R><R><V><![CDATA[1.0]]></V></R></D>"
    assert failing(tmp_path, original, "V = $original//R/V", "vectorised") == [4]


def test_an_original_that_is_no_rows_is_read_by_saxon(tmp_path: Path) -> None:
    original = "<D><V>1<b>2</b></V><c><V>1.0</V></c></D>"
    assert failing(tmp_path, original, "V = $original//V", "saxon") == [1, 2, 4]
    (result,) = check_file(tmp_path / "data.xml", tmp_path / "rules.sch").results
    assert [violation.record for violation in result.violations] == [1, 2, 4]


@pytest.mark.parametrize("test", ["V = $original//Other/V", "V = $original/D/Other/V"])
def test_a_path_through_other_elements_than_the_records_finds_none_of_their_values(tmp_path: Path, test: str) -> None:
    assert failing(tmp_path, PLAIN, test, "saxon", last="") == [1, 2, 3]
    (result,) = check_file(tmp_path / "data.xml", tmp_path / "rules.sch").results
    assert [violation.record for violation in result.violations] == [1, 2, 3]
