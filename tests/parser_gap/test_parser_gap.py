"""Reader and judge read one text and give one verdict: the differences that were found, and some files of every class.

The long run over thousands of files is `make gap`; a file that differs there is replayed here by its class and number.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

import pytest

from constraint_sdc.errors import DataError
from constraint_sdc.files.microdata.microdata import open_microdata
from tests.parser_gap.gap_compare import GapBench, gap_bench
from tests.parser_gap.gap_files import KINDS, gap_file

EACH = 12


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GapBench]:
    with gap_bench(tmp_path_factory.mktemp("gap")) as bench:
        yield bench


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_is_read_the_same_or_refused(bench: GapBench, kind: str) -> None:
    outcomes = set()
    for number in range(EACH):
        compared = bench.compare(gap_file(kind, number).data, raising=kind == "numbers" and number < 4)
        assert compared.outcome != "difference", f"{kind} {number}: {compared.detail}"
        outcomes.add(compared.outcome)
    assert "read" in outcomes


def rows(text: str = "5", declaration: str = "", name: str = "V1") -> str:
    return f"{declaration}<D>\n<R><{name}>{text}</{name}></R>\n<R><{name}>1</{name}></R></D>"


def declared(name: str) -> str:
    return f'<?xml version="1.0" encoding="{name}"?>'


READ = [
    pytest.param(rows("-INF ").encode(), id="white space after -INF"),
    pytest.param(rows("NaN\n").encode(), id="white space after NaN"),
    pytest.param(rows("é", declared("UTF-32BE")).encode("utf-32-be"), id="UTF-32BE without mark"),
    pytest.param(rows("é", declared("UTF-16LE")).encode("utf-16-le"), id="UTF-16LE without mark"),
    pytest.param(rows("5\x85").encode(), id="NEL is no white space and no line end"),
    pytest.param(rows("\u20285\xa0").encode(), id="line separator and no-break space are no white space"),
    pytest.param(rows("5\x85", declared("ISO-8859-1")).encode("latin-1"), id="NEL in ISO-8859-1"),
    pytest.param(rows("5", name="V" * 20_000).encode(), id="a name of 20,000 letters"),
    pytest.param(rows("<!-- <ĳ> -->5").encode(), id="a late name in a comment"),
    pytest.param(rows("<![CDATA[<ĳ>]]>").encode(), id="a late name in a CDATA section"),
    pytest.param(rows("5", name='V1 a="ĳ"').replace('</V1 a="ĳ">', "</V1>").encode(), id="a late name in an attribute"),
]


@pytest.mark.parametrize("data", READ)
def test_what_was_read_differently_is_read_the_same(bench: GapBench, data: bytes) -> None:
    compared = bench.compare(data, raising=True)
    assert (compared.outcome, compared.detail) == ("read", "")


REFUSED = [
    pytest.param(rows("\\~", declared("Shift_JIS")).encode(), "Shift_JIS is not read", id="Shift_JIS"),
    pytest.param(rows("+AOk-", declared("UTF-7")).encode(), "UTF-7 is not read", id="UTF-7"),
    pytest.param(rows("5", declared("UTF-8")).encode("utf-16"), "declaration says UTF-8", id="UTF-16 declares UTF-8"),
    pytest.param(rows("5", declared("UTF-16")).encode(), "declaration says UTF-16", id="UTF-8 declares UTF-16"),
    pytest.param(codecs.BOM_UTF8 * 2 + rows().encode(), "two byte order marks", id="two marks"),
    pytest.param(rows().encode("utf-32-be"), "neither a byte order mark nor", id="UTF-32 alone"),
    pytest.param(rows("à", declared("windows-1258")).encode("latin-1"), "is not read", id="windows-1258"),
    pytest.param(
        rows("<?p?>5", name='V1 xml:space="x"').replace('</V1 xml:space="x">', "</V1>").replace("?p", "?p:q").encode(),
        "colons are forbidden",
        id="a namespace error before a warning",
    ),
    pytest.param(rows().encode() + b"\0", "not well-formed", id="a null after the end"),
    pytest.param(
        rows("\x81", declared("windows-1252")).encode("latin-1"), "bytes are not windows-1252", id="no letter"
    ),
    pytest.param(rows().encode().replace(b"5", b"\xe9"), "bytes are not UTF-8", id="no UTF-8"),
]


@pytest.mark.parametrize(("data", "words"), REFUSED)
def test_what_one_engine_refused_is_refused_by_both(bench: GapBench, data: bytes, words: str) -> None:
    compared = bench.compare(data)
    assert (compared.outcome, compared.detail) == ("refused", "")
    with pytest.raises(DataError, match=words) as refusal:
        list(open_microdata(bench.path).chunks())
    assert refusal.value.line
    assert refusal.value.hint


LATE = "ĳ"
FILLER = f"<R><V1>{'é' * 3000}</V1></R>\n" * 22
PLACES = {
    "element": "<D>\n<R><V1>é</V1></R>\n<R><{}>1</{}></R></D>",
    "every record": "<D>\n\n<R><{}>1</{}></R>\n<R><{}>2</{}></R></D>",
    "attribute": "<D>\n<R a='1'><V1>é</V1></R>\n<R {}='1'><V1>1</V1></R></D>",
    "attribute after a quoted >": "<D>\n<R><V1>é</V1></R>\n<R><V1 a='>' {}='1'>1</V1></R></D>",
    "prefix": "<D>\n<R><V1>é</V1></R>\n<R xmlns:{}='u'><V1>1</V1></R></D>",
    "prefix on the root": "\n\n<D xmlns:{}='u'><R><V1>é</V1></R></D>",
    "target": "<D>\n<R><V1>é</V1></R>\n<R><V1>1<?{} x?></V1></R></D>",
    "target before the root": "<!-- é -->\n\n<?{} x?><D><R><V1>1</V1></R></D>",
    "header": "<D>\n\n<H><{}/></H><R><V1>1</V1></R></D>",
    "trailer": "<D>\n<R><V1>1</V1></R>\n<{}/></D>",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("after_the_sample", [False, True])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_a_late_name_is_refused_by_both_with_the_same_words(
    bench: GapBench, place: str, after_the_sample: bool, codec: str
) -> None:
    text = PLACES[place].replace("{}", LATE)
    line = 3
    if after_the_sample:
        text, line = text.replace("<R", FILLER + "<R", 1), line + 22 * (text.index("<R") < text.index(LATE))
    bench.write(text.encode(codec))
    for read in (lambda: list(open_microdata(bench.path, record="R").chunks()), bench.judge):
        with pytest.raises(DataError, match=f"the name '(xmlns:)?{LATE}' is not read") as refusal:
            read()
        assert refusal.value.line == line
        assert "fifth edition" in str(refusal.value)
    assert bench.compare(text.encode(codec)).outcome == "refused"


@pytest.mark.parametrize("chunk_bytes", [40, 150, 1000])
def test_a_late_name_is_found_wherever_a_block_ends(tmp_path: Path, chunk_bytes: int) -> None:
    path = tmp_path / "data.xml"
    for size in range(60):
        path.write_text(f"<D><R><V1>é<!-- {'x' * size} -->1</V1></R>\n<R><V1 a='>' {LATE}='1'>2</V1></R></D>")
        with pytest.raises(DataError, match="is not read"):
            list(open_microdata(path, record="R", chunk_bytes=chunk_bytes).chunks())
