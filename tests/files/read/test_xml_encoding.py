"""The one decoder: every encoding that is read means the same to libxml2, byte for byte; others are refused."""

from __future__ import annotations

import codecs
from itertools import product
from random import Random

import pytest
from lxml import etree

from constraint_sdc.files.xml_encoding import ASCII_BASED, EncodingError, encoding_of, plain_text, xml_text

BYTES = [bytes([byte]) for byte in range(256) if byte not in b"<&]"]
SINGLE = sorted(name for name, codec in ASCII_BASED.items() if codec != "utf-8")


def by_libxml2(document: bytes) -> list[str] | None:
    """Return the texts of the children of the root, None if libxml2 refuses the document."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return [child.text or "" for child in etree.fromstring(document, parser)]
    except etree.XMLSyntaxError:
        return None


def by_us(document: bytes) -> list[str] | None:
    """Return the same from the text that both engines receive."""
    try:
        return by_libxml2(xml_text(document).encode("utf-8"))
    except EncodingError:
        return None


def document(name: str, parts: list[bytes]) -> bytes:
    head = f'<?xml version="1.0" encoding="{name}"?><a>'.encode()
    return head + b"".join(b"<x>" + part + b"</x>" for part in parts) + b"</a>"


@pytest.mark.parametrize("name", SINGLE)
def test_every_byte_and_every_pair_means_the_same_to_libxml2(name: str) -> None:
    legal = []
    for byte in BYTES:
        single = document(name, [byte])
        assert by_us(single) == by_libxml2(single)
        if by_us(single) is not None:
            legal.append(byte)
    assert len(legal) > 90
    pairs = document(name, [first + second for first, second in product(legal, repeat=2)])
    assert by_us(pairs) == by_libxml2(pairs) is not None
    draw = Random(name)
    longer = document(name, [b"".join(draw.choices(legal, k=draw.randint(3, 9))) for _ in range(3000)])
    assert by_us(longer) == by_libxml2(longer) is not None


def test_every_pair_and_many_longer_sequences_of_utf8_mean_the_same_to_libxml2() -> None:
    draw = Random("utf-8")
    leads = [bytes([byte]) for byte in (0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5)]
    longer = [b"".join((draw.choice(leads), *draw.choices(BYTES[100:], k=draw.randint(1, 3)))) for _ in range(4000)]
    high = [byte for byte in BYTES if byte >= b"\x70"]
    for part in (*BYTES, *(first + second for first, second in product(high, repeat=2)), *longer):
        assert by_us(document("UTF-8", [part])) == by_libxml2(document("UTF-8", [part])), part


@pytest.mark.parametrize(("codec", "mark"), [("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)])
def test_every_unit_of_utf16_means_the_same_to_libxml2(codec: str, mark: bytes) -> None:
    def written(units: list[bytes]) -> bytes:
        parts = b"".join("<x>".encode(codec) + unit + "</x>".encode(codec) for unit in units)
        return mark + "<a>".encode(codec) + parts + "</a>".encode(codec)

    order = "little" if codec.endswith("le") else "big"
    units = [unit.to_bytes(2, order) for unit in range(0x10000) if chr(unit) not in "<&]"]
    is_text = [0x20 <= int.from_bytes(unit, order) < 0xD800 for unit in units]
    text = written([unit for unit, is_legal in zip(units, is_text, strict=True) if is_legal])
    assert by_us(text) == by_libxml2(text) is not None
    draw = Random(codec)
    for sample in draw.sample([unit for unit, is_legal in zip(units, is_text, strict=True) if not is_legal], 400):
        for tail in (b"", draw.choice(units)):
            assert by_us(written([sample + tail])) == by_libxml2(written([sample + tail])), sample + tail


REFUSED = [
    "Shift_JIS", "windows-31j", "cp932", "EUC-JP", "ISO-2022-JP", "EUC-KR", "cp949", "Big5", "Big5-HKSCS",
    "GB2312", "GBK", "GB18030", "UTF-7", "windows-1255", "windows-1258", "macintosh", "TIS-620", "IBM037",
    "IBM437", "ISO-8859-12", "UCS-4", "unicode_escape", "idna", "punycode", "rot13", "hex", "utf_8_sig", "no-such",
]  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_an_encoding_whose_tables_differ_is_refused_with_a_way_out(name: str) -> None:
    with pytest.raises(EncodingError, match=f"the encoding {name} is not read") as refusal:
        xml_text(document(name, [b"1"]))
    assert refusal.value.hint == "convert the file to UTF-8 first"
    with pytest.raises(EncodingError, match="is not read"):
        plain_text(b"1", name)


DISAGREEMENTS = [
    pytest.param("UTF-8", "utf-16", id="UTF-16 that declares UTF-8"),
    pytest.param("ISO-8859-1", "utf-8-sig", id="UTF-8 with mark that declares ISO-8859-1"),
    pytest.param("UTF-16", "utf-8", id="UTF-8 that declares UTF-16"),
    pytest.param("UTF-16", "utf-32", id="UTF-32 that declares UTF-16"),
    pytest.param("UTF-16BE", "utf-16-le", id="the other byte order"),
    pytest.param("UTF-32", "utf-16-be", id="UTF-16 that declares UTF-32"),
]


@pytest.mark.parametrize(("name", "codec"), DISAGREEMENTS)
def test_a_declaration_that_the_bytes_contradict_is_refused(name: str, codec: str) -> None:
    with pytest.raises(EncodingError, match=f"the XML declaration says {name}, but its bytes are"):
        xml_text(f'<?xml version="1.0" encoding="{name}"?><a/>'.encode(codec))


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_needs_a_mark_or_a_declaration(codec: str) -> None:
    with pytest.raises(EncodingError, match="neither a byte order mark nor a declaration"):
        xml_text("<a/>".encode(codec))
    declared = f'<?xml version="1.0" encoding="{codec[:6]}"?><a/>'
    assert xml_text(declared.encode(codec)) == '<?xml version="1.0" encoding="UTF-8"?><a/>'
    assert xml_text(("\ufeff" + declared).encode(codec)) == '<?xml version="1.0" encoding="UTF-8"?><a/>'
    assert encoding_of("\ufeff<a/>".encode(codec)).name == codec[:6].upper()
    with pytest.raises(EncodingError, match="two byte order marks"):
        xml_text("\ufeff\ufeff<a/>".encode(codec))


@pytest.mark.parametrize(
    "declaration",
    [
        '<?xml encoding="UTF-8"?>', '<?xml version="1.0" standalone="yes" encoding="UTF-8"?>', "<?xml?>", "<?xml ?>",
        '<?xml version="1.0" encoding=""?>', '<?xml version="1.0" encoding="UTF 8"?>',
        '<?xml version="1.0"encoding="UTF-8"?>',
        f'<?xml version="1.0"{" " * 1100}encoding="ISO-8859-1"?>', '<?xml version="1.0">',
        '<?xml version="1.0" encoding="UTF-8\'?>', '<?xml version=""?>',
    ],
)  # fmt: skip
def test_a_declaration_that_parsers_could_take_for_another_is_refused(declaration: str) -> None:
    with pytest.raises(EncodingError, match="XML declaration is not well-formed or too long"):
        xml_text(declaration.encode() + b"<a/>")


@pytest.mark.parametrize("version", ["1.1", "1.2", "2.0"])
def test_another_version_is_refused(version: str) -> None:
    with pytest.raises(EncodingError, match=f"XML {version} is not read"):
        xml_text(f"<?xml version='{version}'?><a/>".encode())


def test_a_null_character_is_refused_with_its_line() -> None:
    """Saxon's interface would take it for the end of the document."""
    with pytest.raises(EncodingError, match=r"U\+0000") as refusal:
        xml_text(b"<a>\n</a>\0")
    assert refusal.value.line == 2


@pytest.mark.parametrize(("name", "data"), [("US-ASCII", b"\xe9"), ("UTF-8", b"\xe9"), ("windows-1252", b"\x81")])
def test_bytes_that_are_not_in_the_encoding_are_refused_with_their_line(name: str, data: bytes) -> None:
    with pytest.raises(EncodingError, match=f"the bytes are not {name}") as refusal:
        xml_text(f'<?xml version="1.0" encoding="{name}"?>\n<a>\n'.encode() + data + b"</a>")
    assert refusal.value.line == 3
