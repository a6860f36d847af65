"""What stands around the variables is listed as a tree walk lists it, and what is taken out is gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from constraint_sdc.commands.masking.staged import verify_staged, write_staged
from constraint_sdc.data.surroundings import SurroundingKind
from constraint_sdc.data.table import Column, column_of
from constraint_sdc.errors import JudgeError
from constraint_sdc.files.dataset import Dataset, read_dataset
from constraint_sdc.files.microdata import around
from constraint_sdc.files.microdata.microdata import open_microdata
from tests.draws import draws
from tests.files.read.row_files import RowFile, row_files
from tests.files.read.rows_oracle import NOT_ROWS, REJECTED, expected_rows

XSI, XML = "{http://www.w3.org/2001/XMLSchema-instance}", "{http://www.w3.org/XML/1998/namespace}"
DOCUMENT = """<?xml version="1.0"?><!-- by Bob --><?print me?>
<Survey created="2020" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="s.xsd">
  <Office><Name>West</Name><Phone ext="7"/></Office>
  <Household id="4">rich<HHIncome unit="k">900</HHIncome>
    <Person><X orig="raw0">1</X><Y u="m">a<!-- c -->b</Y><!-- d --></Person>
    <Person><X orig="raw1">2</X><Y>c</Y><?note n?></Person>
  </Household>
  <Household/>
</Survey>
<!-- end -->
"""


def walked(data: bytes, record: str) -> Counter[tuple[str, str]]:
    """Count kinds and paths by a walk over the whole tree."""
    root = etree.fromstring(data)
    found: Counter[tuple[str, str]] = Counter()
    texts: Counter[str] = Counter()
    leaves: Counter[str] = Counter()
    containers: set[str] = set()
    tag = next(e.tag for e in root.iter("{*}" + record) if e is not root)
    for node in (*root.itersiblings(), *root.itersiblings(preceding=True)):
        found["comment" if isinstance(node, etree._Comment) else "processing instruction", ""] += 1
    for node in root.iter():
        above = [e for e in node.iterancestors() if e.tag == tag and e is not root]
        if not isinstance(node.tag, str):
            kind = "comment" if isinstance(node, etree._Comment) else "processing instruction"
            found[kind + (" in a record" if above else ""), ""] += 1
        elif above:
            found.update(
                ("attribute of a variable", f"{node.tag}/@{name}") for name in set(node.attrib) - {f"{XSI}nil"}
            )
        elif node.tag != tag or node is root:
            path = "".join(f"/{e.tag}" for e in reversed([node, *node.iterancestors()]))
            found.update(("attribute", f"{path}/@{name}") for name in _telling(node))
            pieces = [node.text, *(child.tail for child in node)]
            has_text = sum(bool(text and text.strip(" \t\r\n")) for text in pieces)
            texts[path] += has_text
            leaves[path] += not has_text
            if any(isinstance(child.tag, str) for child in node):
                containers.add(path)
    for path in {*texts, *leaves}:
        if path in containers:
            found["text", f"{path}/text()"] += texts[path]
        else:
            found["value", path] += leaves[path] + texts[path]
    return +found


def _telling(node: etree._Element) -> Iterator[str]:
    """Yield the attributes of an element outside records that may tell something about somebody."""
    for name, value in node.items():
        is_location = name in (f"{XSI}schemaLocation", f"{XSI}noNamespaceSchemaLocation") and node.getparent() is None
        is_space = name == f"{XML}space" and value in ("preserve", "default")
        if not (is_location or is_space or (name == f"{XSI}nil" and value in ("true", "false", "0", "1"))):
            yield str(name)


def listed(dataset: Dataset) -> Counter[tuple[str, str]]:
    placeless = {
        SurroundingKind.COMMENT,
        SurroundingKind.RECORD_COMMENT,
        SurroundingKind.INSTRUCTION,
        SurroundingKind.RECORD_INSTRUCTION,
    }
    return Counter(
        {(one.kind.value, "" if one.kind in placeless else one.path): one.count for one in dataset.surroundings.found}
    )


@pytest.fixture
def survey(tmp_path: Path) -> Dataset:
    path = tmp_path / "survey.xml"
    path.write_text(DOCUMENT)
    return read_dataset(path, "Person")


def test_everything_around_the_variables_is_listed(survey: Dataset) -> None:
    found = {one.path: one.count for one in survey.surroundings.found}
    assert found == {
        "/Survey/@created": 1,
        "/Survey/Office/Name": 1,
        "/Survey/Office/Phone": 1,
        "/Survey/Office/Phone/@ext": 1,
        "/Survey/Household/@id": 1,
        "/Survey/Household/text()": 1,
        "/Survey/Household/HHIncome": 1,
        "/Survey/Household/HHIncome/@unit": 1,
        "X/@orig": 2,
        "Y/@u": 1,
        "comments": 2,
        "comments in records": 2,
        "processing instructions": 1,
        "processing instructions in records": 1,
    }


def test_attributes_that_xml_and_xml_schema_know_are_listed_where_they_can_hold_a_value(tmp_path: Path) -> None:
    path = tmp_path / "rows.xml"
    path.write_text(
        f"""<D xmlns:xsi="{XSI[1:-1]}" xsi:schemaLocation="urn:x x.xsd" xml:space="preserve">
        <H xsi:schemaLocation="Bob" xml:space="Ben" xml:lang="de" xsi:nil="Ada"><R><X xsi:type="t7">1</X></R></H>
        <H xsi:nil="false" xml:space="default"><R><X xml:space="Eve" xsi:nil="true"/></R></H></D>"""
    )
    assert {one.path for one in read_dataset(path, "R").surroundings.found} == {
        f"/D/H/@{XSI}schemaLocation",
        f"/D/H/@{XSI}nil",
        f"/D/H/@{XML}space",
        f"/D/H/@{XML}lang",
        f"X/@{XSI}type",
        f"X/@{XML}space",
    }


@settings(max_examples=draws(60))
@given(file=row_files(encodings=("utf-8",)), chunk_bytes=st.integers(20, 3000))
def test_the_list_is_that_of_a_tree_walk(file: RowFile, chunk_bytes: int) -> None:
    if expected_rows(file.data, "Record") in (NOT_ROWS, REJECTED):
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.xml"
        path.write_bytes(file.data)
        gathered = around.Around()
        for _ in open_microdata(path, record="Record", chunk_bytes=chunk_bytes).chunks(gathered):
            pass
        assert gathered.surroundings() == read_dataset(path, "Record").surroundings
        assert listed(read_dataset(path, "Record")) == walked(file.data, "Record")


def _written(dataset: Dataset, taken_out: frozenset[str], removed: frozenset[str] = frozenset()) -> str:
    staged = dataset.path.with_name("staged.xml")
    columns = {"X": column_of("X", ["5"] * dataset.table.records)}
    skeleton = write_staged(dataset, staged, columns, removed, taken_out)
    verify_staged(dataset, staged, columns, skeleton, removed, (), taken_out)
    return staged.read_text()


@pytest.mark.parametrize("count", [0, 1, 2, 5, 14])
def test_what_is_taken_out_is_gone_and_all_else_is_there(survey: Dataset, count: int) -> None:
    paths = [one.path for one in survey.surroundings.found]
    for first in range(0, len(paths), max(count, 1)):
        gone = frozenset(paths[first : first + count])
        _written(survey, gone)
        after = read_dataset(survey.path.with_name("staged.xml"), "Person").surroundings.found
        lost_with_element = {p for p in paths if any(p.startswith(f"{g}/@") for g in gone)}
        emptied = {"/Survey/Office", "/Survey/Household"}
        assert {one.path for one in after} - emptied == set(paths) - gone - lost_with_element


def test_an_attribute_is_taken_out_of_records_of_one_shape(tmp_path: Path) -> None:
    path = tmp_path / "rows.xml"
    rows = "".join(f'<R><X a="1" b="2">{i}</X><!-- n --><Y c="3"><!-- m -->{i}</Y></R>\n' for i in range(50))
    path.write_text(f"<D>\n{rows}</D>\n")
    text = _written(read_dataset(path, "R"), frozenset(("X/@a", "comments in records")))
    expected = "".join(f'<R><X b="2">5</X><Y c="3">{i}</Y></R>\n' for i in range(50))
    assert text == f"<D>\n{expected}</D>\n"


def test_metadata_forgets_removed_variables(tmp_path: Path) -> None:
    path = tmp_path / "rows.xml"
    described = '<Variable name="X" label="x"/><Variable name="Y"><Missing code="-9"/></Variable>'
    records = "<Record><X>1</X><Y>2</Y></Record><Record><X>2</X><Y>3</Y></Record>"
    path.write_text(f"<Microdata><Metadata>{described}</Metadata>{records}</Microdata>")
    dataset = read_dataset(path)
    assert [one.kind for one in dataset.surroundings.found] == [SurroundingKind.METADATA]
    text = _written(dataset, frozenset(), frozenset(("Y",)))
    assert "Y" not in text
    assert '<Variable name="X" label="x"/>' in text


def test_metadata_with_anything_else_inside_is_listed_like_all_else(tmp_path: Path) -> None:
    path = tmp_path / "rows.xml"
    records = "<Record><X>1</X></Record><Record><X>2</X></Record>"
    path.write_text(f'<Microdata><Metadata by="Bob"><Variable name="X"/></Metadata>{records}</Microdata>')
    found = [one.path for one in read_dataset(path).surroundings.found]
    assert "/Microdata/Metadata/@by" in found


def test_a_file_that_still_has_what_was_to_be_taken_out_is_not_published(survey: Dataset) -> None:
    staged = survey.path.with_name("staged.xml")
    columns: dict[str, Column] = {}
    gone = frozenset(("/Survey/Household/HHIncome",))
    skeleton = write_staged(survey, staged, columns, frozenset(), gone)
    staged.write_text(staged.read_text().replace("rich", 'rich<HHIncome unit="k">900</HHIncome>'))
    with pytest.raises(JudgeError, match="something else"):
        verify_staged(survey, staged, columns, skeleton, frozenset(), (), gone)


def test_more_kinds_than_the_limit_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(around, "SURROUNDINGS", 3)
    path = tmp_path / "rows.xml"
    head = "".join(f"<A{i}>1</A{i}>" for i in range(9))
    path.write_text(f"<D>{head}<R><X>1</X></R><R><X>2</X></R></D>")
    found = read_dataset(path, "R").surroundings.found
    assert SurroundingKind.OTHERS in {one.kind for one in found}
