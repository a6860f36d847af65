"""The masked document: what each change looks like in the bytes, and that nothing else moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.data.table import Column, State, column_of
from constraint_sdc.errors import DataError
from constraint_sdc.files.masked_document.document import write_masked
from constraint_sdc.files.microdata.microdata import open_microdata
from tests.files.read.rows_oracle import Cell
from tests.files.write.masked_oracle import column, columns_of, masked_bytes

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
VALUE: Cell = (State.VALUE, "7")
EMPTY: Cell = (State.EMPTY, "")
NIL: Cell = (State.NIL, "")


def mask(folder: Path, text: str, removed: tuple[str, ...] = (), **columns: list[str | None]) -> str:
    source = folder / "data.xml"
    source.write_bytes(text.encode("utf-8"))
    made = {name: column_of(name, values) for name, values in columns.items()}
    return masked_bytes(source, made, removed, record="Record").decode("utf-8")


@pytest.mark.parametrize(
    ("before", "cell", "after"),
    [
        ("<V>12</V>", VALUE, "<V>7</V>"),
        ("<V u='k' >1<!-- 2 -->3</V >", VALUE, "<V u='k' >7</V >"),
        ("<V><![CDATA[1]]>2<?p 3?></V>", VALUE, "<V>7</V>"),
        # What did not change is written plainly too: markup would tell that it did not.
        ("<V>&#x37;</V>", VALUE, "<V>7</V>"),
        ("<V><!-- seven --><![CDATA[7]]></V>", VALUE, "<V>7</V>"),
        ("<V u='k' />", VALUE, "<V u='k'>7</V>"),
        ("<V></V>", VALUE, "<V>7</V>"),
        ("<V xsi:nil='true'/>", VALUE, "<V>7</V>"),
        ("<V a=' xsi:nil=\"1\"' xsi:nil=\"1\" b=''></V>", VALUE, "<V a=' xsi:nil=\"1\"' b=''>7</V>"),
        ("<V xsi:nil='false'>1</V>", VALUE, "<V xsi:nil='false'>7</V>"),
        ("<V>12</V>", EMPTY, "<V></V>"),
        ("<V/>", EMPTY, "<V/>"),
        ("<V><!-- none --></V>", EMPTY, "<V></V>"),
        ("<V xsi:nil='true'/>", EMPTY, "<V/>"),
        ("<V xsi:nil='true'>1</V>", EMPTY, "<V></V>"),
        ("<V>12</V>", NIL, '<V xsi:nil="true"></V>'),
        ("<V u='k' />", NIL, "<V u='k' xsi:nil=\"true\" />"),
        ("<V xsi:nil='false'/>", NIL, '<V xsi:nil="true"/>'),
        ("<V xsi:nil=' 1 '/>", NIL, '<V xsi:nil="true"/>'),
        ("<V>12</V>", None, ""),
        ("<V xsi:nil='true'/>", None, ""),
    ],
)
def test_every_change_of_an_element(tmp_path: Path, before: str, cell: Cell | None, after: str) -> None:
    document = f"<Data {XSI}>\n<Record>\n  <A>1</A>{{}}\n  <B/>\n</Record>\n</Data>\n"
    source = tmp_path / "data.xml"
    source.write_text(document.format(f"\n  {before}"))
    written = masked_bytes(source, {"V": column("V", [cell])}, record="Record").decode()
    assert written == document.format(f"\n  {after}" if after else "")


@pytest.mark.parametrize(
    ("before", "cell", "after"),
    [
        (" V = '12'", VALUE, " V = '7'"),
        (' V="&#55;"', VALUE, ' V="7"'),
        (" V='1'", EMPTY, " V=''"),
        (" V='1'", NIL, " V=''"),
        (" V='1'", None, ""),
        ("", VALUE, ' V="7"'),
        (" V='1'", (State.VALUE, "a\t\"'\n<&>"), " V='a&#9;&quot;&apos;&#10;&lt;&amp;&gt;'"),
    ],
)
@pytest.mark.parametrize("rest", ["/>", " />", "></Record>", " ><A>1</A></Record>"])
@pytest.mark.parametrize("others", ["", " a='1'", " xmlns:V='urn:v' V:V='1'"])
def test_every_change_of_an_attribute(
    tmp_path: Path, before: str, cell: Cell | None, after: str, rest: str, others: str
) -> None:
    source = tmp_path / "data.xml"
    source.write_text(f"<Data><Record{others}{before}{rest}<Record V='x'/></Data>")
    columns = {"@V": column("@V", [cell, (State.VALUE, "x")])}
    written = masked_bytes(source, columns, record="Record").decode()
    assert written == f"<Data><Record{others}{after}{rest}<Record V='x'/></Data>"


def test_nil_without_a_prefix_for_it_is_written_empty(tmp_path: Path) -> None:
    source = tmp_path / "data.xml"
    source.write_text("<Data><Record><V>1</V></Record></Data>")
    assert masked_bytes(source, {"V": column("V", [NIL])}) == b"<Data><Record><V></V></Record></Data>"


def test_an_inserted_variable_stands_where_other_records_have_it(tmp_path: Path) -> None:
    one = "<Record>\n  <A>1</A>\n  <B>2</B>\n  <C>3</C>\n</Record>"
    text = f"<D>{one}<Record>\n  <A>1</A>\n  <C>3</C>\n</Record><Record>\n  <C>3</C>\n</Record><Record/></D>"
    written = mask(tmp_path, text, A=["1", "1", "8", "8"], B=["2", "9", "9", "9"])
    assert written == (
        f"<D>{one}<Record>\n  <A>1</A>\n  <B>9</B>\n  <C>3</C>\n</Record>"
        "<Record>\n  <A>8</A>\n  <B>9</B>\n  <C>3</C>\n</Record><Record><A>8</A><B>9</B></Record></D>"
    )


def test_a_variable_not_met_yet_is_inserted_at_the_end(tmp_path: Path) -> None:
    text = "<D><Record> <A>1</A> </Record><Record> <A>1</A> <B>2</B> </Record></D>"
    written = mask(tmp_path, text, B=["5", "2"])
    assert written == "<D><Record> <A>1</A> <B>5</B> </Record><Record> <A>1</A> <B>2</B> </Record></D>"


@pytest.mark.parametrize(
    ("root", "first", "second", "inserted"),
    [
        ("<D xmlns:n='urn:n'>", "<n:V>1</n:V>", "<Record><A/></Record>", "<Record><n:V>5</n:V><A/></Record>"),
        ("<D xmlns='urn:n'>", "<V>1</V>", "<Record><A/></Record>", "<Record><V>5</V><A/></Record>"),
        ("<D xmlns:n='urn:n' xmlns:m='urn:n'>", "<m:V>1</m:V>", "<Record/>", "<Record><m:V>5</m:V></Record>"),
        ("<D>", "<n:V xmlns:n='urn:n'>1</n:V>", "<Record/>", '<Record><V xmlns="urn:n">5</V></Record>'),
        (
            "<D xmlns:n='urn:n'>",
            "<n:V>1</n:V>",
            "<Record xmlns:n='urn:m' xmlns:p='urn:n'/>",
            "<Record xmlns:n='urn:m' xmlns:p='urn:n'><p:V>5</p:V></Record>",
        ),
    ],
)
def test_an_inserted_variable_has_its_namespace(
    tmp_path: Path, root: str, first: str, second: str, inserted: str
) -> None:
    source = tmp_path / "data.xml"
    source.write_text(f"{root}<Record>{first}</Record>{second}</D>")
    written = masked_bytes(source, {"{urn:n}V": column_of("{urn:n}V", ["1", "5"])}, record="Record").decode()
    assert written == f"{root}<Record>{first}</Record>{inserted}</D>"


def test_an_attribute_without_prefix_in_scope_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "data.xml"
    source.write_text("<D><Record xmlns:n='urn:n' n:V='1'/><Record a='1'/></D>")
    with pytest.raises(DataError, match="no prefix"):
        masked_bytes(source, {"@{urn:n}V": column_of("@{urn:n}V", ["1", "2"])})


def test_identifiers_are_taken_out_with_all_they_hold(tmp_path: Path) -> None:
    text = (
        "<D>\n<Record id='1' x='2'>\n <Id kind='a'>77<!-- 77 --></Id>\n <V>1</V>\n</Record>\n<Record><Id/></Record></D>"
    )
    written = mask(tmp_path, text, ("Id", "@id"), V=["3", None])
    assert written == "<D>\n<Record x='2'>\n <V>3</V>\n</Record>\n<Record></Record></D>"


def test_a_variable_that_is_removed_is_not_written_though_it_has_values(tmp_path: Path) -> None:
    assert mask(tmp_path, "<D><Record><V>1</V></Record></D>", ("V",), V=["3"]) == "<D><Record></Record></D>"


RICH = """<?xml version='1.0' encoding="UTF-8" standalone='yes' ?>
<!-- <Record><V1>trap</V1></Record> -->
<?note <Record>?>
<Data xmlns="urn:d"   xmlns:n='urn:n' a = 'x>y'>
  <Head><V1>1</V1><Title>5 &lt; 6<![CDATA[ <Record> ]]></Title></Head>
  <Series kind="a">
    <Record><V1>1</V1><n:V1>10</n:V1><V2>x</V2></Record>
    <!-- </Record> -->
    <Record>
      <V1 unit='€'>1</V1><!-- </Record> between -->
      <n:V1>&#49;0</n:V1><?p </Record>?>
      <V2><![CDATA[</Record>]]></V2>
    </Record>
    <Record/>
  </Series>
  <Series kind="b"><m:Rows xmlns:m="urn:m">
    <m:Record><V1>1</V1></m:Record>
    <x:Record xmlns:x='urn:d'><x:V1>1</x:V1><Record xmlns="">2</Record></x:Record>
    <Record   ><V1>1</V1><Größe>3</Größe></Record
    ></m:Rows>
  </Series>
  <Foot/>
</Data>
<!-- end -->
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_document_with_everything_in_it(tmp_path: Path, line_end: str) -> None:
    text = RICH.replace("\n", line_end)
    source = tmp_path / "data.xml"
    source.write_bytes(text.encode())
    name, other = "{urn:d}V1", "{urn:n}V1"
    columns = {
        name: column_of(name, ["2", "2", None, "2", "2"]),
        other: column_of(other, ["10", "11", None, None, None]),
        "{urn:d}Größe": column_of("{urn:d}Größe", [None, None, None, None, "ü"]),
    }
    expected = text
    for before, after in (
        ("<Record><V1>1</V1><n:V1>", "<Record><V1>2</V1><n:V1>"),
        ("<V1 unit='€'>1</V1>", "<V1 unit='€'>2</V1>"),
        ("<n:V1>&#49;0</n:V1>", "<n:V1>11</n:V1>"),
        ("<x:V1>1</x:V1>", "<x:V1>2</x:V1>"),
        ("<V1>1</V1><Größe>3</Größe>", "<V1>2</V1><Größe>ü</Größe>"),
    ):
        assert expected.count(before) == 1
        expected = expected.replace(before, after)
    for size in (*range(1, 60), 1 << 20):
        assert masked_bytes(source, columns, record="Record", block_bytes=size).decode() == expected


def test_every_cut_of_a_document_gives_the_same_bytes(tmp_path: Path) -> None:
    """Two blocks, cut at every offset."""
    source = tmp_path / "data.xml"
    source.write_bytes(RICH.encode())
    names = ["{urn:d}V1"]
    rows = [{names[0]: (State.VALUE, "1")} for _ in range(5)]
    del rows[2][names[0]]
    columns = columns_of(rows, names)
    target = tmp_path / "staged.xml"
    for size in range(1, len(RICH.encode())):
        target.write_bytes(b"")
        write_masked(source, target, record="{urn:d}Record", codec="utf-8", columns=columns, block_bytes=size)
        assert target.read_bytes() == RICH.encode()


def test_a_record_longer_than_many_blocks(tmp_path: Path) -> None:
    long = "x" * 3000 + "<!-- " + "</Record>" * 400 + " -->"
    text = f"<D>{f'<Record><A>{long}</A><V>1</V></Record>' * 3}</D>"
    source = tmp_path / "data.xml"
    source.write_text(text)
    columns = {"V": column_of("V", ["2", "3", "4"])}
    written = masked_bytes(source, columns, record="Record", block_bytes=16).decode()
    assert written == "".join(
        ["<D>", *(f"<Record><A>{long}</A><V>{value}</V></Record>" for value in (2, 3, 4)), "</D>"]
    )


def test_many_records_of_alternating_looks(tmp_path: Path) -> None:
    count = 9000
    looks = ("<Record><V>{1}</V><W>w{0}</W></Record>\n", "<Record><W>w{0}</W> <V u='{0}'>{1}</V></Record>")
    source = tmp_path / "data.xml"

    def document(values: list[str]) -> str:
        return "<D>\n" + "".join(looks[(i // 3) % 2].format(i, value) for i, value in enumerate(values)) + "</D>"

    source.write_text(document([str(i) for i in range(count)]))
    masked = [str(i % 10) for i in range(count)]
    assert masked_bytes(source, {"V": column_of("V", masked)}).decode() == document(masked)


def test_a_variable_is_inserted_after_many_records_of_one_look(tmp_path: Path) -> None:
    text = f"<D>{'<Record><A>1</A></Record>' * 6}</D>"
    written = mask(tmp_path, text, A=["2"] * 6, B=[None] * 5 + ["9"])
    assert written == f"<D>{'<Record><A>2</A></Record>' * 5}<Record><A>2</A><B>9</B></Record></D>"


@pytest.mark.parametrize("count", [1, 3])
def test_another_number_of_records_is_refused(tmp_path: Path, count: int) -> None:
    source = tmp_path / "data.xml"
    source.write_text("<D><Record><V>1</V></Record><Record><V>1</V></Record></D>")
    with pytest.raises(DataError, match="has changed since it was read: it has"):
        masked_bytes(source, {"V": column_of("V", ["1"] * count)})


@pytest.mark.parametrize("cut", [10, 40, 60])
def test_a_file_that_was_cut_off_meanwhile_is_refused(tmp_path: Path, cut: int) -> None:
    source, target = tmp_path / "data.xml", tmp_path / "staged.xml"
    source.write_text("<D><Record><V>1</V></Record><Record><V>1</V></Record></D>"[:-1][:cut])
    target.write_bytes(b"")
    columns: dict[str, Column] = {"V": column_of("V", ["1", "1"])}
    with pytest.raises(DataError, match="has changed since it was read: it ends"):
        write_masked(source, target, record="Record", codec="utf-8", columns=columns)


def test_the_root_is_no_record(tmp_path: Path) -> None:
    source = tmp_path / "data.xml"
    source.write_text("<Record><Record><V>1</V></Record></Record>")
    assert open_microdata(source, record="Record").layout.wrappers == ("Record",)
    written = masked_bytes(source, {"V": column_of("V", ["2"])}, record="Record")
    assert written == b"<Record><Record><V>2</V></Record></Record>"


def test_records_that_look_alike_under_other_namespaces_are_not_taken_for_the_same(tmp_path: Path) -> None:
    looks = ["urn:n"] * 4 + ["urn:m"] * 4 + ["urn:n"]

    def document(values: list[str]) -> str:
        rows = zip(looks, values, strict=True)
        return "<D>" + "".join(f"<Record xmlns:p='{uri}'>{value}</Record>" for uri, value in rows) + "</D>"

    source = tmp_path / "data.xml"
    source.write_text(document(["<p:V>1</p:V>"] * len(looks)))
    written = masked_bytes(source, {}, ["{urn:n}V"]).decode()
    assert written == document(["" if uri == "urn:n" else "<p:V>1</p:V>" for uri in looks])
