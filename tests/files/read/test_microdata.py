"""What a row file says, and what we hand on of it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from constraint_sdc.data.table import Chunk, State
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.microdata import open_microdata

Write = Callable[[str | bytes], Path]
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


def texts(path: Path, record: str | None = None) -> dict[str, list[str | None]]:
    chunks = list(open_microdata(path, record=record).chunks())
    return {name: [t for c in chunks for t in c.columns[name].texts()] for name in chunks[-1].columns}


def only_chunk(path: Path) -> Chunk:
    (chunk,) = open_microdata(path).chunks()
    return chunk


def test_one_child_element_per_variable(write: Write) -> None:
    path = write("<Data><Row><A>1</A><B>x</B></Row><Row><A>2</A><B>y</B></Row></Data>")
    data = open_microdata(path)
    assert (data.layout.wrappers, data.layout.record, data.layout.style) == (("Data",), "Row", "elements")
    assert (data.path, data.how.name, data.layout.is_uniform) == (path, "UTF-8", True)
    assert texts(path) == {"A": ["1", "2"], "B": ["x", "y"]}


def test_one_attribute_per_variable(write: Write) -> None:
    path = write('<Data><Series F="A"><Obs T="2020" V="1"/><Obs T="2021" V=""/><Obs T="2022"/></Series></Data>')
    assert open_microdata(path).layout.style == "attributes"
    assert texts(path) == {"@T": ["2020", "2021", "2022"], "@V": ["1", "", None]}
    assert only_chunk(path).columns["@V"].state.tolist() == [State.VALUE, State.EMPTY, State.ABSENT]


def test_attributes_and_child_elements_together(write: Write) -> None:
    path = write('<Data><Row id="7"><A>1</A></Row><Row id="8"><A>2</A></Row></Data>')
    assert open_microdata(path).layout.style == "elements"
    assert texts(path) == {"@id": ["7", "8"], "A": ["1", "2"]}


def test_absent_empty_and_nil_are_told_apart(write: Write) -> None:
    rows = "<R/>", "<R><A/></R>", "<R><A></A></R>", '<R><A xsi:nil="true"/></R>', '<R><A xsi:nil="1"></A></R>'
    more = '<R><A xsi:nil="false"/></R>', '<R><A xsi:nil="true">5</A></R>', "<R><A> </A></R>", "<R><A>5</A></R>"
    path = write(f"<Data {XSI}>{''.join(rows + more)}</Data>")
    states = [State.ABSENT, State.EMPTY, State.EMPTY, State.NIL, State.NIL]
    states += [State.EMPTY, State.VALUE, State.VALUE, State.VALUE]
    assert only_chunk(path).columns["A"].state.tolist() == states
    assert texts(path)["A"] == [None, "", "", "", "", "", "5", " ", "5"]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("1<!--c-->2", "12"),
        ("1<?pi x?>2", "12"),
        ("<![CDATA[1]]>2<![CDATA[<3>]]>", "12<3>"),
        ("&lt;&#65;&#x1F600;&amp;", "<A\U0001f600&"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a&#13;b", "a\rb"),
        ("  12 ", "  12 "),
        ("x > y", "x > y"),
    ],
)
def test_a_value_is_the_string_value_that_xpath_sees(write: Write, written: str, seen: str) -> None:
    path = write(f"<Data><R><A>{written}</A></R><R><A>2</A></R></Data>")
    assert texts(path) == {"A": [seen, "2"]}


def test_white_space_in_an_attribute_is_normalised_as_xml_says(write: Write) -> None:
    path = write('<Data><R A="1\n2"/><R A="3\t\r\n4"/><R A="&#10;5"/></Data>')
    assert texts(path) == {"@A": ["1 2", "3  4", "\n5"]}


def test_attributes_of_a_variable_are_no_columns(write: Write) -> None:
    path = write('<Data><R><A unit="m">1</A></R><R><A unit="km">2</A></R></Data>')
    assert texts(path) == {"A": ["1", "2"]}
    assert b'unit="km"' in only_chunk(path).record_xml(1)


def test_namespaces_are_clark_names_and_prefixes_do_not_matter(write: Write) -> None:
    path = write(
        '<d:Data xmlns:d="urn:d" xmlns:e="urn:d" xmlns="urn:v"><d:R><A>1</A><d:B>2</d:B></d:R>'
        '<e:R><A>3</A><e:B>4</e:B></e:R><d:R><A xmlns="urn:w">5</A></d:R></d:Data>'
    )
    assert texts(path) == {"{urn:v}A": ["1", "3", None], "{urn:d}B": ["2", "4", None], "{urn:w}A": [None, None, "5"]}
    assert open_microdata(path).layout.record == "{urn:d}R"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "iso-8859-1", "windows-1252", "iso-8859-15"]
)
def test_any_encoding_gives_the_same_text(write: Write, encoding: str) -> None:
    name = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{name}"?>\n<Data><R><Å>né</Å></R>\n<R><Å>ü</Å></R></Data>'
    path = write(text.encode(encoding))
    assert texts(path) == {"Å": ["né", "ü"]}
    assert only_chunk(path).lines.tolist() == [2, 3]


def test_records_in_nested_wrappers(write: Write) -> None:
    path = write(
        '<D><Region c="1"><R><A>1</A></R><R><A>2</A></R></Region><Region c="2"><R><A>3</A></R></Region>'
        "<Sea><R><A>4</A></R></Sea></D>"
    )
    data = open_microdata(path)
    assert data.layout.wrappers == ("D", "Region")
    assert not data.layout.is_uniform
    assert texts(path) == {"A": ["1", "2", "3", "4"]}


def test_wrappers_that_change_later_show_in_the_chunk(write: Write) -> None:
    rows = "".join(f"<R><A>{i}</A></R>" for i in range(20_000))
    path = write(f"<D><Land>{rows}</Land><Sea>{rows}</Sea></D>")
    data = open_microdata(path, chunk_bytes=1 << 16)
    layouts = [chunk.layout for chunk in data.chunks()]
    assert data.layout.is_uniform
    assert layouts[0] == data.layout
    assert not layouts[-1].is_uniform
    assert layouts[-1].wrappers == ("D", "Sea")


def test_other_elements_before_and_after_the_records_are_tolerated(write: Write) -> None:
    path = write(
        "<Message><Header><Id>9</Id><Sender>x</Sender></Header><Title>t</Title><Data><R><A>1</A></R><R><A>2</A></R>"
        "</Data><Footer>end</Footer></Message>"
    )
    assert texts(path) == {"A": ["1", "2"]}


def test_each_record_stays_usable_as_xml(write: Write) -> None:
    path = write('<D xmlns="urn:d" xmlns:q="urn:q"><W><R q:id="1"><A>1 &amp; 2</A></R><R><q:B/></R></W></D>')
    chunk = only_chunk(path)
    document = b'<D xmlns="urn:d" xmlns:q="urn:q"><W>' + chunk.record_xml(1) + b"</W></D>"
    assert chunk.document([1]) == document
    assert b"1 &amp; 2" in chunk.document()


def test_chunks_can_be_read_again_and_give_the_same(write: Write) -> None:
    path = write("<D>" + "".join(f"<R><A>{i}</A></R>\n" for i in range(500)) + "</D>")
    data = open_microdata(path, chunk_bytes=1000)
    first, second = ([(c.first, len(c), c.columns["A"].texts()) for c in data.chunks()] for _ in range(2))
    assert first == second
    assert [text for *_, part in first for text in part] == [str(i) for i in range(500)]
    assert len(first) > 5


@pytest.mark.parametrize("gap", ["", "<!-- c -->"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, gap: str) -> None:
    def peak(records: int) -> int:
        path = tmp_path / "big.xml"
        path.write_text(f"<D><R><A>0</A></R>{gap}" + "<R><A>12345</A><B>x</B></R>\n" * records + "</D>")
        tracemalloc.start()
        for _ in open_microdata(path, chunk_bytes=1 << 16).chunks():
            pass
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    assert peak(40_000) < 1.3 * peak(10_000)


@pytest.mark.parametrize("chunk_bytes", [60, 1 << 20])
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16", "windows-1252"])
@pytest.mark.parametrize(
    ("around", "names"),
    [
        ("<D>{}</D>", {"D"}),
        ("<D><H><A/></H>{}</D>", {"D", "H", "A"}),
        ("<D>{}<T><A/></T></D>", {"D", "T", "A"}),
        ("<D>{}<T/><U><V><W/></V></U></D>", {"D", "T", "U", "V", "W"}),
        ("<D><G>{}</G><N>1</N></D>", {"D", "G", "N"}),
    ],
)
def test_every_name_outside_the_records_is_told_at_the_end(
    write: Write, around: str, names: set[str], encoding: str, chunk_bytes: int
) -> None:
    rows = "".join(f"<R><A>{i}</A></R><!-- {i} -->" for i in range(9))
    path = write((f'<?xml version="1.0" encoding="{encoding}"?>' + around.format(rows)).encode(encoding))
    outside = Around()
    assert sum(map(len, open_microdata(path, record="R", chunk_bytes=chunk_bytes).chunks(outside))) == 9
    assert outside.elements == names
