"""Every encoding that is read is written again, byte for byte, with the same mark and declaration."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from constraint_sdc.commands.masking.staged import verify_staged, write_staged
from constraint_sdc.data.table import column_of
from constraint_sdc.errors import DataError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.masked_document.document import Utf8Text
from constraint_sdc.files.microdata.microdata import open_microdata
from tests.files.write.masked_oracle import masked_bytes

TEXT = "{declaration}<Data>\r\n<Größe><Note>ü</Note></Größe>\n<Record id='é'><V>{v}</V><W>ÿ</W></Record>\n</Data>"


def declared(name: str) -> str:
    return f"<?xml version='1.0' encoding='{name}'?>\n" if name else ""


ENCODINGS = [
    pytest.param("utf-8", b"", "", id="UTF-8 by default"),
    pytest.param("utf-8", b"", "utf-8", id="UTF-8"),
    pytest.param("utf-8", codecs.BOM_UTF8, "UTF-8", id="UTF-8 with mark"),
    pytest.param("utf-8", codecs.BOM_UTF8, "", id="UTF-8 with mark alone"),
    pytest.param("utf-16-le", codecs.BOM_UTF16_LE, "UTF-16", id="UTF-16 little"),
    pytest.param("utf-16-be", codecs.BOM_UTF16_BE, "UTF-16", id="UTF-16 big"),
    pytest.param("utf-16-be", codecs.BOM_UTF16_BE, "", id="UTF-16 big with mark alone"),
    pytest.param("utf-16-le", b"", "UTF-16LE", id="UTF-16 little without mark"),
    pytest.param("utf-16-be", b"", "UTF-16BE", id="UTF-16 big without mark"),
    pytest.param("utf-32-le", codecs.BOM_UTF32_LE, "UTF-32", id="UTF-32 little"),
    pytest.param("utf-32-be", codecs.BOM_UTF32_BE, "UTF-32", id="UTF-32 big"),
    pytest.param("utf-32-be", b"", "UTF-32BE", id="UTF-32 big without mark"),
    pytest.param("cp850", b"", "IBM850", id="IBM850"),
    pytest.param("latin-1", b"", "ISO-8859-1", id="ISO-8859-1"),
    pytest.param("iso-8859-15", b"", "ISO-8859-15", id="ISO-8859-15"),
    pytest.param("cp1252", b"", "windows-1252", id="windows-1252"),
]


@pytest.mark.parametrize(("codec", "mark", "name"), ENCODINGS)
def test_an_encoding_is_kept(tmp_path: Path, codec: str, mark: bytes, name: str) -> None:
    def encoded(value: str) -> bytes:
        text = TEXT.format(declaration=declared(name), v=value)
        return mark + text.encode(codec, "xmlcharrefreplace")

    source, staged = tmp_path / "data.xml", tmp_path / "staged.xml"
    source.write_bytes(encoded("1"))
    columns = {"V": column_of("V", ["€ Ж 𝄞 ü"])}
    for size in range(1, 30):
        assert masked_bytes(source, columns, block_bytes=size) == encoded("€ Ж 𝄞 ü")
    staged.write_bytes(b"")
    dataset = read_dataset(source)
    skeleton = write_staged(dataset, staged, columns)
    assert staged.read_bytes() == encoded("€ Ж 𝄞 ü")
    verify_staged(dataset, staged, columns, skeleton)


def test_a_new_attribute_value_that_the_encoding_lacks_becomes_references(tmp_path: Path) -> None:
    source = tmp_path / "data.xml"
    start = "<?xml version='1.0' encoding='us-ascii'?><D>"
    source.write_bytes(f"{start}<Record V='1'/></D>".encode())
    written = masked_bytes(source, {"@V": column_of("@V", ["é"])})
    assert written == f"{start}<Record V='&#233;'/></D>".encode()


def test_text_that_cannot_be_written_back_exactly_is_refused(tmp_path: Path) -> None:
    """Two byte sequences of cp932 mean the same character; only one of them can be written."""
    twice = bytes.fromhex("fa54")
    assert twice.decode("cp932").encode("cp932") != twice
    with pytest.raises(DataError, match="byte for byte"):
        Utf8Text(tmp_path / "data.xml", "cp932").feed(twice)


@pytest.mark.parametrize("name", ["ARMSCII-8", "Shift_JIS", "cp932"])
def test_an_encoding_that_is_not_read_is_refused_with_a_way_out(tmp_path: Path, name: str) -> None:
    source = tmp_path / "data.xml"
    source.write_bytes(f"<?xml version='1.0' encoding='{name}'?><D><Record><V>1</V></Record></D>".encode())
    with pytest.raises(DataError, match="convert the file to UTF-8"):
        open_microdata(source)
