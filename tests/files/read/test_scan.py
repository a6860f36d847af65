"""Plain rows must really go the fast way, and one odd record must not slow the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from constraint_sdc.files.microdata import plain_rows
from constraint_sdc.files.microdata.microdata import open_microdata
from tests.files.read.rows_oracle import expected_rows, read_rows

Write = Callable[[str | bytes], Path]


@pytest.fixture
def parsed_records(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the sizes of the runs that the real parser had to take; it must not take the rest of the file."""
    sizes: list[int] = []
    parse_run, parse_rest = plain_rows.parse_run, plain_rows.parse_rest

    def counted_run(*args: object) -> object:
        chunk = parse_run(*args)  # type: ignore[arg-type]
        sizes.append(-1 if chunk is None else len(chunk))
        return chunk

    def counted_rest(*args: object) -> object:
        for chunk in parse_rest(*args):  # type: ignore[arg-type]
            sizes.append(len(chunk))
            yield chunk

    monkeypatch.setattr(plain_rows, "parse_run", counted_run)
    monkeypatch.setattr(plain_rows, "parse_rest", counted_rest)
    return sizes


PLAIN = {
    "one variable a line": "  <R>\n    <A>{0}</A>\n    <B>x{0}</B>\n  </R>\n",
    "one record a line": "<R><A>{0}</A><B>x{0}</B></R>\n",
    "line ends of Windows": "<R>\r\n<A>{0}</A>\r\n</R>\r\n",
    "an attribute and elements": '<R id="{0}"><A>{0}</A></R>\n',
    "attributes alone": '<R A="{0}" B="x{0}"/>\n',
    "references": "<R><A>{0} &amp; &#65;</A></R>\n",
    "text of several lines": "<R><A>{0}\nb\tc</A></R>\n",
    "letters outside ASCII": "<R><Å>né{0}</Å></R>\n",
    "a greater-than sign": "<R><A>{0} > 1</A></R>\n",
    "the last variable empty": "<R><A>{0}</A><B/>\n</R>\n",
    "attributes on variables": '<R><A unit="m">{0}</A></R>\n',
}


@pytest.mark.parametrize("row", PLAIN.values(), ids=PLAIN.keys())
def test_plain_rows_need_no_parser(write: Write, parsed_records: list[int], row: str) -> None:
    text = "<D>\n" + "".join(row.format(i) for i in range(1200)) + "</D>\n"
    path = write(text)
    assert read_rows(path, None, 9_000) == expected_rows(text.encode(), "R")
    assert not parsed_records


@pytest.mark.parametrize("look", [look for look in PLAIN if look != "references"])
def test_rows_of_one_look_are_not_read_tag_by_tag(write: Write, monkeypatch: pytest.MonkeyPatch, look: str) -> None:
    """The template is several times quicker than the tags."""
    by_tags: list[int] = []
    monkeypatch.setattr(plain_rows, "mixed_rows", lambda run, *_: by_tags.append(len(run.data)))
    text = "<D>\n" + "".join(PLAIN[look].format(i) for i in range(40)) + "</D>\n"
    assert read_rows(write(text), None, 400) == expected_rows(text.encode(), "R")
    assert not by_tags


@pytest.mark.parametrize("gap", ["", " "])
@pytest.mark.parametrize("look", [look for look in PLAIN if look not in ("references", "text of several lines")])
def test_values_without_references_are_not_decoded(
    write: Write, monkeypatch: pytest.MonkeyPatch, look: str, gap: str
) -> None:
    """Values that are their bytes need no copy; white space around them does not change that."""

    def decode(*_: object) -> None:
        raise AssertionError("decoded")

    for reader in ("same_rows", "mixed_rows"):
        monkeypatch.setattr(f"constraint_sdc.files.microdata.{reader}.decode_values", decode)
    text = "<D>\n" + "".join(PLAIN[look].format(i).replace("<B", gap + "<B") for i in range(40)) + "</D>\n"
    assert read_rows(write(text), None, 400) == expected_rows(text.encode(), "R")


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16", "utf-32", "us-ascii"])
def test_plain_rows_in_other_encodings_need_no_parser(write: Write, parsed_records: list[int], encoding: str) -> None:
    rows = "".join(f"<R><A>{i}</A><B>{'' if encoding == 'us-ascii' else 'é'}</B></R>\n" for i in range(1200))
    data = f'<?xml version="1.0" encoding="{encoding}"?>\n<D>{rows}</D>'.encode(encoding)
    assert read_rows(write(data), None, 9_000) == expected_rows(data, "R")
    assert not parsed_records


def test_rows_with_gaps_in_any_order_need_no_parser(write: Write, parsed_records: list[int]) -> None:
    def row(i: int) -> str:
        variables = [f"<V{j}>{i * j}</V{j}>\n" if (i + j) % 5 else f"<V{j}/>" for j in range(1, 21) if (i * j) % 7]
        return "<R>\n " + " ".join(variables[i % 3 :] + variables[: i % 3]) + "</R>\n"

    text = "<D>\n" + "".join(map(row, range(1900))) + "</D>\n"
    assert read_rows(write(text), None, 1 << 20) == expected_rows(text.encode(), "R")
    assert not parsed_records


@pytest.mark.parametrize(
    "odd", ["<R><A>1<!-- c -->2</A></R>", "<R><A><![CDATA[</R>]]></A></R>", "<R/>", "<R ><A>1</A></R >"]
)
def test_one_odd_record_does_not_slow_the_others(write: Write, parsed_records: list[int], odd: str) -> None:
    rows = "".join(f"<R><A>{i}</A></R>\n" for i in range(1200))
    text = f"<D>{rows}{odd}{rows}</D>"
    assert read_rows(write(text), None, 4_000) == expected_rows(text.encode(), "R")
    assert sum(map(abs, parsed_records)) < 500


def test_a_comment_cut_in_two_by_a_chunk_hides_no_record(write: Write) -> None:
    rows = "".join(f"<R><A>{i}</A></R>\n" for i in range(100))
    text = f"<D>{rows}<!-- {rows * 3} --><R><A><![CDATA[{rows * 3}]]></A></R>{rows}</D>"
    for chunk_bytes in (200, 333, 1000, 4000):
        assert read_rows(write(text), "R", chunk_bytes) == expected_rows(text.encode(), "R")


def test_variables_that_only_a_comment_names_are_no_columns(write: Write) -> None:
    path = write(
        "<D>" + "<R><A>1</A></R><R/>" * 50 + "<!-- <R><Ghost>1</Ghost></R> -->" + "<R><A>1</A></R>" * 50 + "</D>"
    )
    assert all(list(chunk.columns) == ["A"] for chunk in open_microdata(path, chunk_bytes=300).chunks())


def test_columns_keep_the_order_of_first_use(write: Write) -> None:
    path = write("<D><R><V2>1</V2><V10>2</V10></R><R><V1>3</V1><V2>4</V2></R></D>")
    assert [list(chunk.columns) for chunk in open_microdata(path).chunks()] == [["V2", "V10", "V1"]]


def test_rows_of_ever_new_variables_stay_bounded(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraint_sdc.files.microdata.build.MAX_CELLS", 2000)
    text = "<D>" + "".join(f"<R><V{i}>1</V{i}></R>" for i in range(600)) + "</D>"
    path = write(text)
    assert read_rows(path, None, 1 << 20) == expected_rows(text.encode(), "R")
    assert all(len(chunk) * len(chunk.columns) < 3000 for chunk in open_microdata(path).chunks())


def test_a_table_of_tags_that_is_full_gives_up(write: Write) -> None:
    text = "<D>" + "".join(f"<R><A u='{i}'>1</A></R><R/>" for i in range(700)) + "</D>"
    assert read_rows(write(text), "R", 1 << 20) == expected_rows(text.encode(), "R")
