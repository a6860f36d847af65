"""Random row files that two XML parsers could read differently, by class; the same number gives the same file."""

from __future__ import annotations

import codecs
import random
from collections.abc import Callable
from dataclasses import dataclass

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
PLAIN = ("0", "5", "7.5", "-3", "abc", "é", "x y", "12", "1e3", "NaN")


@dataclass(frozen=True)
class GapFile:
    """The bytes of a file, the class that it belongs to, and its number in the class."""

    kind: str
    number: int
    data: bytes


Draw = random.Random
Maker = Callable[[Draw], bytes]


def gap_file(kind: str, number: int) -> GapFile:
    """Return one file of a class."""
    return GapFile(kind, number, KINDS[kind](random.Random(f"{kind} {number}")))


def _rows(draw: Draw, text: Callable[[], str], names: tuple[str, ...] = ("V1", "V2", "V3"), rest: str = "") -> str:
    eol = draw.choice(("", "\n", "\n  ", "\r\n"))
    rows = []
    for number in range(draw.randint(2, 5)):
        there = names if draw.random() < 0.7 else draw.sample(names, draw.randint(1, len(names)))
        cells = "".join(f"{eol}<{name}>{text()}</{name}>" for name in there)
        rows.append(f'<R id="{number}">{cells}{eol}</R>{eol}')
    return f"<D {XSI}{rest}>{eol}{''.join(rows)}</D>"


def _document(draw: Draw, text: Callable[[], str], **rest: str) -> str:
    declaration = draw.choice(("", '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="UTF-8"?>'))
    return declaration + _rows(draw, text, **rest)  # type: ignore[arg-type]


# Encodings: names, bytes and marks that agree or do not.

NAMES = (
    "UTF-8", "utf8", "UTF-16", "UTF-16LE", "UTF-16BE", "utf-16", "UTF-32", "UTF-32LE", "UTF-32BE", "UTF-7",
    "US-ASCII", "ASCII", "ISO-8859-1", "iso-8859-2", "ISO-8859-5", "ISO-8859-7", "ISO-8859-8", "ISO-8859-11",
    "ISO-8859-12", "ISO-8859-15", "ISO-8859-16", "latin1", "ISO_8859-1", "windows-1250", "windows-1251",
    "windows-1252", "windows-1253", "windows-1255", "windows-1258", "cp1252", "KOI8-R", "KOI8-U", "IBM850",
    "IBM037", "cp437", "cp866", "macintosh", "TIS-620", "Shift_JIS", "windows-31j", "cp932", "EUC-JP",
    "ISO-2022-JP", "EUC-KR", "cp949", "Big5", "Big5-HKSCS", "GB2312", "GBK", "GB18030", "HZ", "ISO-10646-UCS-2",
    "UCS-4", "ISO-10646-UCS-4", "unicode_escape", "raw_unicode_escape", "idna", "punycode", "rot13", "hex",
    "base64", "mbcs", "utf_8_sig", "no-such", "x",
)  # fmt: skip
CODECS = (
    "utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-7", "latin-1", "cp1252", "shift_jis", "euc_jp",
    "big5", "gb18030", "iso2022_jp", "koi8-r", "cp037", "iso8859-15", "cp1255", "cp1258", "euc_kr", "gbk", "cp932",
)  # fmt: skip
MARKS = (b"", b"", b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE,
         codecs.BOM_UTF32_BE)  # fmt: skip
FOREIGN = ("é", "\\", "~", "\\~", "ж", "¥", "‾", "漢", "ｱ", "€", "Ω", "+AOk-", "à", "a\u0300", "가", "א", "\u00a0", "𝄞")


def _encoded(text: str, codec: str) -> bytes:
    return text.encode(codec, "xmlcharrefreplace")


def encodings(draw: Draw) -> bytes:
    """Bytes in the encoding that the declaration names."""
    codec = draw.choice(CODECS)
    name = draw.choice(tuple(n for n in NAMES if _is_codec(n, codec)) or (codec,))
    text = f'<?xml version="1.0" encoding="{name}"?>' + _rows(draw, lambda: draw.choice((*PLAIN, *FOREIGN)))
    return _encoded(text, codec)


def _is_codec(name: str, codec: str) -> bool:
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return False
    return found == codecs.lookup(codec).name


def declared_encodings(draw: Draw) -> bytes:
    """Bytes in one encoding and the name of any other."""
    codec = draw.choice(CODECS[:8])
    text = f'<?xml version="1.0" encoding="{draw.choice(NAMES)}"?>'
    return _encoded(text + _rows(draw, lambda: draw.choice((*PLAIN, *FOREIGN[:6]))), codec)


def marks(draw: Draw) -> bytes:
    """A byte order mark, right or wrong, with a declaration or without."""
    mark = draw.choice(MARKS[3:])
    right = {bytes(m): c for m, c in zip(MARKS[3:], ("utf-8", *CODECS[1:5]), strict=True)}[mark]
    codec = right if draw.random() < 0.7 else draw.choice(CODECS[:7])
    name = draw.choice((right.upper(), right[:6].upper(), *NAMES[:12]))
    declaration = draw.choice(("", f'<?xml version="1.0" encoding="{name}"?>'))
    return mark * draw.choice((1, 1, 1, 2)) + _encoded(declaration + _rows(draw, lambda: draw.choice(PLAIN)), codec)


def raw_bytes(draw: Draw) -> bytes:
    """Bytes that are no text in the encoding declared, or are only just."""
    name = draw.choice(("UTF-8", "UTF-8", "ISO-8859-1", "windows-1252", "US-ASCII", "windows-1255", "iso-8859-7"))
    odd = (b"\xe9", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xf4\x90\x80\x80",
           b"\xf0\x9f\x98\x80", b"\xf5\x80\x80\x80", b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8", b"\x80", b"\x81",
           b"\xca", b"\xff", b"\xfe", b"\xf0\x80\x80\x80", b"\xed\xb0\x80", b"\xc2\xa0", b"\x00")  # fmt: skip
    text = f'<?xml version="1.0" encoding="{name}"?>' + _rows(draw, lambda: draw.choice((*PLAIN[:4], "@", "a@b")))
    return text.encode("ascii").replace(b"@", draw.choice(odd))


# The XML declaration.


def declarations(draw: Draw) -> bytes:
    """Declarations in every form, most of them wrong."""
    version = draw.choice((' version="1.0"', " version='1.0'", ' version = "1.0"', ' version="1.1"', ' version="1.2"',
                           ' version="2.0"', ' version=""', "", ' VERSION="1.0"', ' version="1.0 "'))  # fmt: skip
    encoding = draw.choice(('', ' encoding="UTF-8"', " encoding = 'utf-8'", ' encoding="ISO-8859-1"', ' encoding=""',
                            ' encoding="-utf-8"', ' encoding="utf 8"', ' encoding=UTF-8', 'encoding="UTF-8"',
                            '\n\tencoding="UTF-8"', ' ' * 1500 + 'encoding="ISO-8859-1"',
                            ' encoding="UTF-8\''))  # fmt: skip
    alone = draw.choice(("", ' standalone="yes"', ' standalone="no"', ' standalone="maybe"', " standalone='yes' ",
                         ' standalone="YES"'))  # fmt: skip
    parts = [version, encoding, alone] if draw.random() < 0.8 else draw.sample([version, encoding, alone], 3)
    start = draw.choice(("<?xml",) * 8 + ("<?XML", " <?xml", "\n<?xml", "<!-- c --><?xml", "<?xml?><?xml"))
    end = draw.choice(("?>",) * 6 + (" ?>", "?>\n", ">", "? >", "?>\r\n<!-- é -->", "?><?p é?>"))
    return _encoded(start + "".join(parts) + end + _rows(draw, lambda: draw.choice(PLAIN)), "utf-8")


# What stands in a value.

REFERENCES = (
    "&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#65;", "&#x41;", "&#x1F600;", "&#13;", "&#10;", "&#9;",
    "&#xD;&#xA;", "&#x85;", "&#x2028;", "&#xA0;", "&#0;", "&#1;", "&#x8;", "&#xB;", "&#xC;", "&#x1F;", "&#x7F;",
    "&#x80;", "&#xD800;", "&#xDFFF;", "&#xFFFE;", "&#xFFFF;", "&#x10FFFF;", "&#x110000;", "&#xFFFFFFFFF;",
    "&#x100000041;", "&#00000000065;", "&#X41;", "&# 65;", "&#65", "&#;", "&#x;", "&#xG;", "&;", "& amp;",
    "&amp", "&nbsp;", "&AMP;", "&#x1FFFE;", "&#-1;", "&#xFDD0;", "&#xE000;", "&#49;", "&#x37;", "&#32;5&#32;",
)  # fmt: skip


def references(draw: Draw) -> bytes:
    """Character and entity references in values and attributes."""

    def text() -> str:
        good = draw.random() < 0.75
        pool = tuple(r for r in REFERENCES if _reads(r)) if good else REFERENCES
        return draw.choice(("", "5", "a")) + draw.choice(pool) + draw.choice(("", "1", "b"))

    document = _document(draw, text)
    if draw.random() < 0.4:
        document = document.replace('id="1"', f'id="{text()}"')
    return _encoded(document, "utf-8")


def _reads(reference: str) -> bool:
    from xml.parsers import expat

    try:
        expat.ParserCreate().Parse(f"<a>{reference}</a>".encode(), True)
    except expat.ExpatError:
        return False
    return True


MARKED = (
    "1<!-- c -->2", "<![CDATA[5]]>", "<![CDATA[<V1>7</V1>]]>", "3<?p q?>4", "<!---->5", "<![CDATA[]]>",
    "a<![CDATA[&amp;]]>b", "<![CDATA[ ]]>5", "5<?p?>", "<!-- - -->5", "]]", "x]]&gt;y",
    "<![CDATA[]]]]><![CDATA[>]]>", "<!--é-->é", "<?é é?>1", "<![CDATA[\r\n]]>", "<!--</V1>-->2",
    "<![CDATA[\x85\u2028]]>", "<?xml-x y?>3", "5<!-- \U0001f600 -->",
)  # fmt: skip
BADLY_MARKED = (
    "<!-- -- -->5", "<!--->5", "<!-->", "<!-- --->", "]]>", "a]]>b", "<![CDATA[5]]", "<![cdata[5]]>",
    "<?xml?>5", "<?XML x?>5", "<?xMl x?>5", "< !-- -->", "<! -- -->", "<??>", "<? p?>", "<?p", "<!-- \x01 -->",
    "<?p \x01?>", "<![CDATA[\x01]]>", "<!-- \ufffe -->", "<?p:q r?>5", "<?:p r?>", "<?p- r?>", "<?1 r?>",
    "<!x>", "<!DOCTYPE D>", "<![CDATA[\ufffe]]>",
)  # fmt: skip


def markup(draw: Draw) -> bytes:
    """Comments, CDATA sections and processing instructions inside and between values."""

    def text() -> str:
        return draw.choice(MARKED if draw.random() < 0.9 else BADLY_MARKED) if draw.random() < 0.6 else "5"

    document = _document(draw, text)
    if draw.random() < 0.3:
        between = draw.choice((*MARKED[:1], "<!-- <R> -->", "<?p <R>?>", "<!--\n-->", *BADLY_MARKED[:6]))
        document = document.replace("</R>", "</R>" + between, 1)
    return _encoded(document, "utf-8")


def characters(draw: Draw) -> bytes:
    """Control characters, noncharacters, private and astral characters, combining marks, in text and attributes."""
    points = (0x1, 0x8, 0xB, 0xC, 0xE, 0x1F, 0x7F, 0x80, 0x84, 0x85, 0x86, 0x9F, 0xA0, 0xAD, 0x200B, 0x2028,
              0x2029, 0x202E, 0x3000, 0xE000, 0xF8FF, 0xFDD0, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x1F600,
              0x1FFFE, 0x10FFFF, 0x2003, 0x1680, 0x180E, 0x9, 0xD7FF, 0x300, 0x661, 0xFF15, 0x1D7D8)  # fmt: skip

    def text() -> str:
        point = draw.choice(points) if draw.random() < 0.3 else draw.choice(points[6:26])
        return draw.choice(("", "5", "a")) + draw.choice(("5", chr(point), chr(point) * 2)) + draw.choice(("", "5"))

    document = _document(draw, text)
    if draw.random() < 0.4:
        document = document.replace('id="0"', f'id="{text()}"')
    codec = draw.choice(("utf-8", "utf-8", "utf-16"))
    if codec == "utf-16":
        document = document.removeprefix('<?xml version="1.0" encoding="UTF-8"?>')
    return document.encode(codec)


# Names.

NAME_PARTS = (
    "V", "é", "Ωmega", "名", "かな", "ж", "_", "a-b", "a.b", "a·b", "ÿ", "À", "Å", "가", "א", "V\u0300",
)  # fmt: skip
LATE_PARTS = (
    "ĳ", "\u017f", "V\u0149", "Ƕ", "ʰ", "\u037bx", "Ԁ", "ހ", "ᄀ\u1101", "ꀀ", "㐀", "𠀀", "😀", "\u2071", "ﬀ",
    "V\u203f",
    "\u200cV", "\U000e0100V", "V\u1f600", "ﾊ", "V\u0670", "\u0eb0",
)  # fmt: skip
NO_NAMES = (
    "1V", "-V", ".V", "·V", "V\xd7", "÷V", "V;", "V\u037e", "V\u00a0", "V\u2028", "a:b:c", ":a", "a:", "\u0300V",
    "V\ufffe", "V\u00b2", "xml", "xmlV", "XMLx", "V(1)", "V$", "V\u2019", "V\U000f0000", "V\u3000",
)  # fmt: skip


def names(draw: Draw) -> bytes:
    """Names of elements, attributes, prefixes and targets: of every edition of XML 1.0, and none at all."""

    def name() -> str:
        chance = draw.random()
        pool = NAME_PARTS if chance < 0.6 else LATE_PARTS if chance < 0.85 else NO_NAMES
        return draw.choice(("", "", "n:", "V")) + draw.choice(pool)

    base = _rows(draw, lambda: draw.choice(PLAIN), rest=' xmlns:n="urn:n"')
    where = draw.randrange(9)
    chosen = name()
    changes = (
        ("V1>", f"{chosen}>"),
        ("<R id=", f"<R {chosen}="),
        ("<V1>", f'<V1 {chosen}="1">'),
        ("xmlns:n", f'xmlns:{chosen.rpartition(":")[2]}="u" xmlns:n'),
        ("<V1>", f"<V1><?{chosen} x?>"),
        ("<R ", f"<H><{chosen}/></H><R "),
        ("</D>", f"<{chosen}/></D>"),
        ("<V1>", f"<V1><!-- <{chosen}> -->"),
        ("<V1>", f'<V1 a=">" {chosen}="1">'),
    )
    old, new = changes[where]
    changed = base.replace(old, new) if draw.random() < 0.5 else base.replace(old, new, 1)
    if where == 0 and changed.count(f"<{chosen}>") != changed.count(f"</{chosen}>"):
        changed = base.replace(old, new)
    return _encoded(changed, draw.choice(("utf-8", "utf-8", "utf-16")))


def long_names(draw: Draw) -> bytes:
    """Names, attributes, values and namespaces of many characters, and many attributes."""
    size = draw.choice((100, 999, 1001, 4000, 9_999, 10_001, 30_000, 49_990, 50_001, 70_000))
    letter = draw.choice(("V", "V", "é", "名"))
    match draw.randrange(6):
        case 0:
            return _encoded(_rows(draw, lambda: "5", names=("V1", letter * size)), "utf-8")
        case 1:
            return _encoded(_rows(draw, lambda: "5").replace("<R ", f'<R {letter * size}="1" '), "utf-8")
        case 2:
            return _encoded(_rows(draw, lambda: letter * size), "utf-8")
        case 3:
            return _encoded(_rows(draw, lambda: "5", rest=f' xmlns="urn:{letter * size}"'), "utf-8")
        case 4:
            many = " ".join(f'a{i}="{i}"' for i in range(draw.choice((10, 199, 201, 1000))))
            return _encoded(_rows(draw, lambda: "5").replace("<R ", f"<R {many} "), "utf-8")
        case _:
            text = _rows(draw, lambda: "5").replace("<V1>", f"<V1><?{letter * size} x?>")
            return _encoded(text, "utf-8")


NAMESPACES = (
    ' xmlns="urn:d"', ' xmlns=""', ' xmlns:p="urn:p"', ' xmlns:p=""',
    ' xmlns:xml="http://www.w3.org/XML/1998/namespace"', ' xmlns:xml="urn:x"', ' xmlns:xmlns="urn:x"',
    ' xmlns:q="http://www.w3.org/XML/1998/namespace"', ' xmlns="http://www.w3.org/XML/1998/namespace"', ' xmlns="http://www.w3.org/2000/xmlns/"',
    ' xmlns:q="http://www.w3.org/2000/xmlns/"', ' xmlns:p="urn:p" xmlns:q="urn:p" p:a="1" q:a="2"', ' p:a="1"',
    ' xmlns:p="urn:p" p:a="1"', ' a="1" a="2"', ' xml:lang="de"', ' xml:space="preserve"', ' xml:id="x"',
    ' xml:id="1 2"', ' xml:space="other"', ' xmlns:xmlx="urn:x"', ' xmlns:p=" urn:p "', ' xmlns:p="urn:é"',
    ' xmlns:p="not a uri %"', ' xml:base="a b"', ' xmlns:p="rel/path"', ' xmlns:p="&#65;" p:b="1"',
    ' xmlns:p="urn:&#x85;" p:b="1"', ' XML:a="1"',
)  # fmt: skip


def namespaces(draw: Draw) -> bytes:
    """Declarations and prefixes, right and wrong, on the root, the record and a value."""
    base = _rows(draw, lambda: draw.choice(PLAIN))
    for _ in range(draw.randint(1, 2)):
        old, new = draw.choice((("<D ", "<D{} "), ("<R ", "<R{} "), ("<V1>", "<V1{}>"), ("<V1>", "<p:V1{0}/><V1{0}>"),
                                ("<R ", "<H{}/><R ")))  # fmt: skip
        text = new.format(draw.choice(NAMESPACES))
        base = base.replace(old, text) if draw.random() < 0.5 else base.replace(old, text, 1)
    return _encoded(base, "utf-8")


# White space, line ends and numbers.

SPACES = (" ", "\t", "\n", "\r", "\r\n", "\n\r", "\xa0", "\x85", "\u2028", "\u2003", "\ufeff", "\u200b",
          "&#13;", "&#10;", "&#32;", "&#xA0;", "&#9;", "\x7f", "\x1f", "\u3000")  # fmt: skip
NUMBERS = (
    "5", "-INF", "INF", "+INF", "NaN", "-NaN", "+NaN", "inf", "Infinity", "nan", "1e5", "1E+5", "1e", "e5",
    "1.", ".5", ".", "+5", "--5", "1_0", "0x10", "1,5", "1d", "1f", "1.5d", "00012", "-0", "+0", "-0.0",
    "1e400", "-1e400", "1e-400", "9007199254740993", "12345678901234567890", "0.1", "1.10", "5 5", "- 5",
    "5e 1", ". 5", "1e5.5", "\u0665", "\uff15", "true", "TRUE", "1", "0", "2020-01-31", "2020-02-30", "2020-1-1",
    "-2020-01-01", "0000-01-01", "2020-01-31Z", "2020-01-31+14:00", "2020-01-31+15:00", "12020-01-01", "1e+",
    "1E5E5", "+-5", "INFINITY", "-inf", "1 e5", "0e0", "-.5", "+.5e-1", "1e05", "1e00000000001",
    "123456789012345678", "99999999999999999999.5", "0.00000000000000000001", "1.5", "4.35", "2.675", "1e23",
    "8.5e22", "5e-324", "2e-324", "3e-324", "1.7976931348623157e308", "1.7976931348623159e308", "1\u22125",
    "\u22125", "1e\u22125", "0b1", "1__0", "infinity", "1L", "1E", "2020-01-31T00:00:00", "20200131",
    "2020-W01", "24:00:00", "-0001-01-01", "2019-02-29", "2000-02-29", "1900-02-29",
)  # fmt: skip


def numbers(draw: Draw) -> bytes:
    """Lexical corners of numbers, dates and booleans, with white space of every kind around and inside."""

    def text() -> str:
        value = draw.choice(NUMBERS)
        spaces = SPACES[:5] + SPACES[12:15] if draw.random() < 0.7 else tuple(s for s in SPACES if s != "\x1f")
        before = draw.choice(spaces) if draw.random() < 0.35 else ""
        after = draw.choice(spaces) if draw.random() < 0.35 else ""
        return before + value + after

    document = _document(draw, text)
    if draw.random() < 0.3:
        document = document.replace('id="0"', f'id="{text()}"')
    return _encoded(document, "utf-8")


def white_space(draw: Draw) -> bytes:
    """White space and line ends of every kind: in values, attributes, tags and between them."""

    def space() -> str:
        return "".join(draw.choice(SPACES[:17] if draw.random() < 0.9 else SPACES) for _ in range(draw.randint(0, 3)))

    def text() -> str:
        return draw.choice(("", space())) + draw.choice(("", "5", "a", "é")) + space()

    document = _document(draw, text)
    match draw.randrange(6):
        case 0:
            document = document.replace('id="0"', f'id="{space()}7{space()}"')
        case 1:
            document = document.replace("</R>", f"</R>{space()}", 1)
        case 2:
            document = document.replace("</V1>", f"</V1{draw.choice(SPACES)}>", 1)
        case 3:
            document = document.replace("<R id", f"<R{draw.choice(SPACES)}id", 1)
        case 4:
            document = document.replace("id=", f"id{draw.choice(SPACES)}={draw.choice(SPACES)}", 1)
        case _:
            document += space()
    return _encoded(document, "utf-8")


def attributes(draw: Draw) -> bytes:
    """Rows of attributes, with elements or without; quotes, references and white space in them."""
    values = (*PLAIN, " 5 ", "a  b", "\n5", "\t", "&#10;", "&#9;5", "&lt;", "&quot;", "'", ">", "\r\n", "&#13;",
              "", "\x85", "\u2028", "&amp;amp;", "5&#32;")  # fmt: skip
    bad = ("<", "&", '"', "\x01", "&x;", "&#0;")
    names = draw.sample(("V1", "V2", "V3", "xml:lang", "xsi:nil", "b"), draw.randint(1, 4))
    rows = []
    for _ in range(draw.randint(2, 5)):
        cells = [f'{n}="{draw.choice(values if draw.random() < 0.97 else bad)}"' for n in names]
        glue = draw.choice((" ", " ", "\n", "\t", "" if draw.random() < 0.2 else " "))
        rows.append(f"<R {glue.join(cells)}" + draw.choice(("/>", " />", "></R>", "><V9>5</V9></R>")))
    eol = draw.choice(("", "\n"))
    return _encoded(f"<D {XSI}>{eol}{eol.join(rows)}</D>", "utf-8")


def nil(draw: Draw) -> bytes:
    """xsi:nil in every form, empty elements, and absent ones."""
    forms = ("<V1/>", "<V1></V1>", '<V1 xsi:nil="true"/>', '<V1 xsi:nil="1"></V1>', '<V1 xsi:nil=" true "/>',
             '<V1 xsi:nil="true">5</V1>', '<V1 xsi:nil="false"/>', '<V1 xsi:nil="TRUE"/>',
             '<V1 xsi:nil="&#116;rue"/>', "", '<V1 xsi:nil=""/>', '<V1 nil="true"/>',
             '<V1 xsi:nil="true"><!-- c --></V1>', "<V1><!-- c --></V1>", '<V1 xsi:nil="true"> </V1>',
             "<V1>5</V1>", "<V1 />", "<V1\n/>", '<V1 y:nil="true"/>')  # fmt: skip
    rows = "".join(f"<R>{draw.choice(forms)}<V2>{draw.choice(PLAIN)}</V2></R>" for _ in range(draw.randint(2, 6)))
    extra = draw.choice(("", ' xmlns:y="http://www.w3.org/2001/XMLSchema-instance"'))
    return _encoded(f"<D {XSI}{extra}>{rows}</D>", "utf-8")


def truncated(draw: Draw) -> bytes:
    """Files cut off, doubled, without a byte, empty, or with something after the root."""
    kind = draw.choice((encodings, references, markup, attributes, nil, white_space))
    data = kind(draw)
    at = draw.randrange(len(data))
    match draw.randrange(8):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + data[at + 1 :]
        case 2:
            return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
        case 3:
            return data + draw.choice(
                (b"\x00", b"x", b"<a/>", b" ", b"\x1a", b"<!-- c -->", b"<?p?>", b"&#32;", b"\xef\xbb\xbf")
            )
        case 4:
            return draw.choice(
                (b"", b" ", b"\n", b"<", b"<D/>", b"<D></D>", b"\xef\xbb\xbf", b"\xff\xfe", b"<?xml", b"\x00")
            )
        case 5:
            return data[:at] + data[at : at + 20] + data[at:]
        case 6:
            return draw.choice((b" ", b"\n", b"\x00", b"x", b"\xef\xbb\xbf", b"<!-- c -->")) + data
        case _:
            return data[:at] + draw.choice((b"\x00", b"\x0b", b"\xff", b"<", b"&", b"]]>", b"<a>")) + data[at:]


def later(draw: Draw) -> bytes:
    """What one parser may refuse stands after more rows than the reader samples."""
    kind = draw.choice((names, references, markup, characters, namespaces, raw_bytes, white_space))
    data = kind(draw)
    encoded = b"\x00" in data
    filler = f"<R><V1>1</V1><V2>{'é' * 3000}</V2></R>\n" * 22
    if encoded or b"ISO" in data[:60] or b"windows" in data[:60] or b"ASCII" in data[:60]:
        filler = filler.replace("é", "e")
    codec = ("utf-16-le" if data.startswith(codecs.BOM_UTF16_LE) else "latin-1") if encoded else "utf-8"
    start = data.find("<R".encode(codec))
    return data if start < 0 else data[:start] + filler.encode(codec) + data[start:]


KINDS: dict[str, Maker] = {
    "encodings": encodings,
    "declared encodings": declared_encodings,
    "byte order marks": marks,
    "raw bytes": raw_bytes,
    "declarations": declarations,
    "references": references,
    "comments, CDATA, PIs": markup,
    "characters": characters,
    "names": names,
    "long names": long_names,
    "namespaces": namespaces,
    "numbers": numbers,
    "white space": white_space,
    "attributes": attributes,
    "xsi:nil": nil,
    "damaged": truncated,
    "after the sample": later,
}
