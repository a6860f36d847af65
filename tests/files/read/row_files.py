"""Random row files in many dresses, and ways to damage them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
TRAP = "</Record><Record><V1>trap</V1></Record>"
PLAIN_TEXTS = ("0", "23", "456", "7890", "1.25", "-7", "1e5")
ODD_TEXTS = (
    "", " ", "a b", " 9 ", "x>y", "]]", "it's", 'say "no"', "a&amp;b", "&#65;&#x1F600;", "&lt;V1&gt;", "l1\nl2", "t\tt",
    "cr&#13;", "l1\r\nl2", "\r", "é", "ÿ",
)  # fmt: skip
MARKED_TEXTS = (f"1<!-- {TRAP} -->2", f"<![CDATA[{TRAP}]]>", f"3<?pi {TRAP}?>4", "<!---->", "<![CDATA[]]>")
ENCODINGS = ("utf-8", "utf-8-sig", "us-ascii", "iso-8859-1", "windows-1252", "utf-16", "utf-32")


@dataclass(frozen=True)
class RowFile:
    """A generated document and the encoding of its bytes."""

    text: str
    encoding: str

    @property
    def data(self) -> bytes:
        return self.text.encode(self.encoding, "xmlcharrefreplace")


@st.composite
def row_files(draw: st.DrawFn, encodings: tuple[str, ...] = ENCODINGS) -> RowFile:
    texts = st.sampled_from(draw(st.sampled_from((PLAIN_TEXTS, PLAIN_TEXTS + ODD_TEXTS, ODD_TEXTS + MARKED_TEXTS))))
    dress = draw(st.sampled_from((same_rows, same_rows, mixed_rows, attribute_rows)))
    count = draw(st.integers(1, 12))
    prefix = draw(st.sampled_from(("", "", "n:")))
    eol = draw(st.sampled_from(("\n", "\n", "\r\n", "", "\n  ")))
    records = draw(dress(texts, count, f"{prefix}Record", eol))
    encoding = draw(st.sampled_from(encodings))
    between = draw(st.sampled_from(("", "", "", "<!-- <Record> -->", "</W><W>", "<Other>1</Other>", "stray")))
    at = draw(st.integers(0, count))
    body = "".join((*records[:at], between if at else "", *records[at:]))
    before, after = draw(frames())
    declared = "UTF-16" if encoding == "utf-16" else "UTF-32" if encoding == "utf-32" else encoding
    has_declaration = encoding not in ("utf-8", "utf-8-sig", "utf-16") or draw(st.booleans())
    declared = "UTF-8" if encoding == "utf-8-sig" else declared
    declaration = f'<?xml version="1.0" encoding="{declared}"?>{eol}' if has_declaration else ""
    return RowFile(f"{declaration}{before}<W>{eol}{body}</W>{after}", encoding)


@st.composite
def frames(draw: st.DrawFn) -> tuple[str, str]:
    default = draw(st.sampled_from(("", ' xmlns="urn:d"')))
    before = draw(st.sampled_from(("", "<Head><X>1</X></Head>", "<!-- <Record> -->", "<?p <Record>?>\r\n")))
    after = draw(st.sampled_from(("", "<Foot/>", "<!-- </Record> -->")))
    end = draw(st.sampled_from(("", "\n", "<!-- end -->\n")))
    return f'<Data{default} xmlns:n="urn:n" {XSI} a="1">{before}', f"{after}</Data>{end}"


@st.composite
def same_rows(draw: st.DrawFn, texts: st.SearchStrategy[str], count: int, record: str, eol: str) -> list[str]:
    """Rows of one look: the same variables, tags and white space in each."""
    names = draw(st.lists(st.sampled_from(("V1", "V2", "V30", "n:V1", "ALongVariableName")), unique=True, min_size=1))
    keys = draw(st.sampled_from(((), (), ("id",), ("id", "n:key"))))
    inner = eol and eol + "  "
    rows = []
    for _ in range(count):
        attributes = "".join(f' {key}="{quoted(draw(texts))}"' for key in keys)
        values = "".join(f"{inner}<{name}>{draw(texts)}</{name}>" for name in names)
        rows.append(f"<{record}{attributes}>{values}{eol}</{record}>{eol}")
    return rows


@st.composite
def mixed_rows(draw: st.DrawFn, texts: st.SearchStrategy[str], count: int, record: str, eol: str) -> list[str]:
    """Rows that differ: variables absent, empty, nil, in any order, tags written in several ways."""
    rows = []
    for _ in range(count):
        names = draw(st.lists(st.sampled_from(("V1", "V2", "V30", "n:V1")), unique=True))
        values = "".join(draw(written_values(name, texts)) + eol for name in names)
        end = draw(st.sampled_from((f"</{record}>", f"</{record}>", f"</{record} >")))
        rows.append(f"<{record}>{eol}{values}{end}{eol}")
    return rows


@st.composite
def written_values(draw: st.DrawFn, name: str, texts: st.SearchStrategy[str]) -> str:
    forms = ("{0}>{1}</{0}>",) * 4 + (
        "{0}/>", '{0} xsi:nil="true"/>', '{0} xsi:nil=" 1 "></{0}>', '{0} xsi:nil="true">{1}</{0} >',
        "{0} u='k'>{1}</{0}>", '{0} xsi:nil="false"/>', '{0} u="a>b">{1}</{0}>', '{0} xml:lang="de">{1}</{0}>',
    )  # fmt: skip
    return "<" + draw(st.sampled_from(forms)).format(name, draw(texts))


@st.composite
def attribute_rows(draw: st.DrawFn, texts: st.SearchStrategy[str], count: int, record: str, eol: str) -> list[str]:
    """Rows of attributes alone, as SDMX-ML observations are."""
    names = draw(st.lists(st.sampled_from(("V1", "V2", "V30", "n:V1")), unique=True, min_size=1))
    close = draw(st.sampled_from(("/>", " />", f"></{record}>")))
    optional = draw(st.booleans())
    rows = []
    for _ in range(count):
        used = [name for name in names if not optional or draw(st.booleans())]
        rows.append(f"<{record}" + "".join(f' {name}="{quoted(draw(texts))}"' for name in used) + close + eol)
    return rows


def quoted(text: str) -> str:
    return text.replace('"', "&quot;").replace("<", "&lt;")


INSERTED = b"<>/&\"' =!-?]V1R;#x[\x00\x01\x0b\r\n\t\x7f\x80\xc3\xed\xef\xff"
FRAGMENTS = (
    b"<!-- -->", b"<![CDATA[x]]>", b"<?p?>", b"]]>", b"&amp;", b"&x;", b"&#0;", b"&#x9;", b"<V1>", b"</V1>", b"<V1/>",
    b"<Record>", b"</Record>", b"<Record/>", b"<!DOCTYPE Data>",
    b"\xef\xbf\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80",
    b'<V1 a="1" a="2"/>', b"<u:V1/>", b"-->", b"<?xml version='1.0'?>",
)  # fmt: skip


SEEDS = st.integers(0, 2**32 - 1)
"""Of damages: which bytes are hit is drawn by the random module, which is far quicker than a strategy."""


def damaged(data: bytes, seed: int | str) -> bytes:
    """Delete, insert, flip, replace or copy bytes at one to three random places."""
    draw = Random(seed)
    damaged = bytearray(data)
    for _ in range(draw.randint(1, 3)):
        at = draw.randint(0, max(len(damaged) - 1, 0))
        width = draw.randint(1, 12)
        match draw.randint(0, 6):
            case 0:
                del damaged[at : at + 1]
            case 1:
                damaged.insert(at, draw.choice(INSERTED))
            case 2:
                damaged[at : at + 1] = bytes(byte ^ 1 << width % 8 for byte in damaged[at : at + 1])
            case 3:
                damaged[at : at + 1] = bytes([draw.choice(INSERTED)])
            case 4:
                del damaged[at : at + width]
            case 5:
                damaged[at:at] = damaged[at : at + 3 * width]
            case _:
                damaged[at:at] = draw.choice(FRAGMENTS)
    return bytes(damaged)
