"""Write microdata as XML rows: the metadata, then one record per line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from constraint_sdc.data.variable import Batch, RowSource, VariableInfo, Written, batch_length
from constraint_sdc.errors import DataError
from constraint_sdc.files.atomic import atomic_file
from constraint_sdc.files.xml_names import is_early

# Texts as XML that every parser reads back unchanged.

# A parser turns a bare carriage return into a line feed, and white space in an attribute into blanks.
_IN_TEXT = {"\r": "&#13;"}
_IN_ATTRIBUTE = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}


def text_xml(text: str) -> str:
    """Return the text as element content.

    >>> text_xml("a<b" + chr(13))
    'a&lt;b&#13;'
    """
    return escape(text, _IN_TEXT)


def quoted(text: str) -> str:
    """Return the text as an attribute value in double quotes.

    >>> quoted('5" & more')
    '"5&quot; &amp; more"'
    """
    return f'"{escape(text, _IN_ATTRIBUTE)}"'


# Column headers as XML names, reversibly, and the characters that XML can hold.
#
# A character that may not stand in an XML name becomes `_xHHHH_` (`_xHHHHHH_` beyond the basic plane), as SQL/XML
# does: `Total income` is written `Total_x0020_income`. An underscore that would look like the start of such an escape
# is escaped itself, so that every header can be restored.

_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_REST = _START + "\\-.0-9\u00b7\u0300-\u036f\u203f-\u2040"

# As texts: `re` compiles such large classes slowly, and only where they are used.
_NAME = f"[{_START}][{_REST}]*"
_MUST_ESCAPE = f"^[^{_START}]|[^{_REST}]|_(?=x[0-9A-F]{{4}})"
_NOT_ASCII = re.compile("[^\x00-\x7f]")  # a name of a later edition of XML is written in ASCII throughout
_PLAIN_NAME = re.compile("[A-Za-z_][A-Za-z0-9_.-]*")
_QUALIFIER = re.compile("^@?(?:{[^{}]*})?")
_ESCAPED = re.compile("_x([0-9A-F]{4}|[0-9A-F]{6})_")

ILLEGAL_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML 1.0 document can hold, not even as a character reference."""


def is_xml_name(text: str) -> bool:
    """Tell whether the text is an XML name without a colon."""
    return re.fullmatch(_NAME, text) is not None


def xml_name(header: str) -> str:
    """Return the XML name for a column header that is not empty; different headers have different names.

    >>> [xml_name(header) for header in ("V1", "Total income", "2nd", "_x0041_")]
    ['V1', 'Total_x0020_income', '_x0032_nd', '_x005F_x0041_']
    """
    name = re.sub(_MUST_ESCAPE, _escape, header)
    return name if is_early(name) else _NOT_ASCII.sub(_escape, name)


def element_name(written: str) -> str:
    """Return the name of the element or attribute that somebody means who writes a name, or the header of a column.

    An XML name, with `@` or a namespace before it, means itself. Everything else can only be the header of a table.

    >>> [element_name(written) for written in ("V1", "@V1", "{urn:a}V1", "Total income (EUR)", "2024")]
    ['V1', '@V1', '{urn:a}V1', 'Total_x0020_income_x0020__x0028_EUR_x0029_', '_x0032_024']
    """
    if _PLAIN_NAME.fullmatch(written):
        return written
    name = _QUALIFIER.sub("", written)
    return written if is_xml_name(name) and is_early(name) else xml_name(written)


def header_of(name: str) -> str:
    """Return the column header that `xml_name` turned into this name.

    >>> header_of("Total_x0020_income")
    'Total income'
    """
    return _ESCAPED.sub(_unescape, name)


def local_name(name: str) -> str:
    """Return a variable's name without its namespace and without the "@" of an attribute.

    >>> [local_name(name) for name in ("V1", "@V1", "{urn:census}V1", "@{urn:census}V1")]
    ['V1', 'V1', 'V1', 'V1']
    """
    return name.removeprefix("@").rpartition("}")[2]


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"_x{code:04X}_" if code <= 0xFFFF else f"_x{code:06X}_"


def _unescape(found: re.Match[str]) -> str:
    code = int(found.group(1), 16)
    return chr(code) if code <= 0x10FFFF else found.group()


RECORD = "Record"


def write_rows(path: Path, rows: RowSource, *, overwrite: bool = False) -> Written:
    """Write the records as our microdata format in UTF-8, staged and renamed at the end.

    An absent value has no element, an empty one an empty element; every text reads back exactly as it was. A file
    without records is refused, because a reader could not find its record element.
    """
    for name in rows.names:
        if not is_xml_name(name) or name == RECORD:
            raise DataError(f"a variable cannot have the name {name!r}", file=str(path), hint="rename it")
    count = 0
    with atomic_file(path, overwrite) as file:
        file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<Microdata>\n')
        file.write(metadata_xml(rows.infos).encode())
        for batch in rows.batches():
            file.write(_records_xml(batch, rows.names, path, count).encode())
            count += batch_length(batch)
        file.write(b"</Microdata>\n")
        if not count:
            raise DataError("there are no records to write", file=str(path))
    return Written(count)


def metadata_xml(infos: Sequence[VariableInfo]) -> str:
    """Return the `Metadata` element, one variable per line.

    >>> print(metadata_xml([VariableInfo("V1", "integer", 0, None, "Age", ("-9",))]), end="")
    <Metadata>
    <Variable name="V1" type="integer" decimals="0" label="Age"><Missing code="-9"/></Variable>
    </Metadata>
    """
    return "".join(["<Metadata>\n", *map(_variable_xml, infos), "</Metadata>\n"])


def _variable_xml(info: VariableInfo) -> str:
    decimals = None if info.decimals is None else str(info.decimals)
    stated = {"name": info.name, "type": info.type, "decimals": decimals, "measure": info.measure, "label": info.label}
    attributes = "".join(f" {key}={quoted(value)}" for key, value in stated.items() if value is not None)
    codes = "".join(f"<Missing code={quoted(code)}/>" for code in info.missing)
    return f"<Variable{attributes}>{codes}</Variable>\n" if codes else f"<Variable{attributes}/>\n"


def _records_xml(batch: Batch, names: Sequence[str], path: Path, first: int) -> str:
    cells = [_cells(name, _escaped(name, batch[name], path, first)) for name in names]
    if not cells:
        return ""
    return "".join(f"<{RECORD}>{''.join(row)}</{RECORD}>\n" for row in zip(*cells, strict=True))


def _cells(name: str, texts: Sequence[str | None]) -> list[str]:
    return ["" if text is None else f"<{name}>{text}</{name}>" for text in texts]


def _escaped(name: str, texts: Sequence[str | None], path: Path, first: int) -> Sequence[str | None]:
    """Return the texts escaped, or unchanged when nothing needs escaping."""
    joined = "".join(text for text in texts if text)
    if ILLEGAL_IN_XML.search(joined):
        number = next(i for i, text in enumerate(texts) if text and ILLEGAL_IN_XML.search(text))
        raise DataError(f"{name} of record {first + number + 1} has a character that XML cannot hold", file=str(path))
    if any(character in joined for character in "&<>\r"):
        return [None if text is None else text_xml(text) for text in texts]
    return texts
