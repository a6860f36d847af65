"""The optional description of variables at the start of our own row format (`schemas/microdata.xsd`)."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NoReturn, cast, get_args

from lxml import etree

from constraint_sdc.data.variable import Measure, VariableInfo, VariableType
from constraint_sdc.errors import DataError
from constraint_sdc.files.microdata.source import (
    Continued,
    Utf8Reader,
    element_events,
    find_encoding,
    open_rows,
    pull_parser,
    read_up_to,
    refuse,
    refuse_doctype,
    refuse_other,
    source_line,
)
from constraint_sdc.limits import HEAD_BYTES

_BLOCK_BYTES = 1 << 14
_ROOT, _METADATA, _VARIABLE, _MISSING = "Microdata", "Metadata", "Variable", "Missing"
_ATTRIBUTES: Final = {"name", "type", "decimals", "measure", "label"}


def read_metadata(path: Path) -> tuple[VariableInfo, ...]:
    """Return what the file says about its variables, () when it says nothing or is not in our own format."""
    metadata = _find(path)
    if metadata is None:
        return ()
    variables = tuple(_variable(element, str(path)) for element in metadata.iterchildren("*"))
    names = [variable.name for variable in variables]
    for element, name in zip(metadata.iterchildren("*"), names, strict=True):
        if names.count(name) > 1:
            _refuse(f"variable {name!r} is described twice", element, str(path))
    return variables


def _find(path: Path) -> etree._Element | None:
    """Read up to the end of the metadata, or to the first element that shows that there is none."""
    parser = pull_parser()
    root: etree._Element | None = None
    with open_rows(path) as stream:
        opening = read_up_to(stream, _BLOCK_BYTES, path)
        refuse_other(opening, path)
        reader = Utf8Reader(Continued(opening, stream), path, find_encoding(opening, path))
        blocks = reader.declared_blocks(_BLOCK_BYTES)
        for _ in range(HEAD_BYTES // _BLOCK_BYTES):
            block = next(blocks, b"")
            try:
                parser.feed(block) if block else parser.close()
            except etree.XMLSyntaxError as error:
                refuse(error, str(path), 0, parser)
            for event, element in element_events(parser):
                if root is None:
                    root = element
                    refuse_doctype(root, str(path))
                    if root.tag != _ROOT:
                        return None
                elif element.getparent() is root and element.tag != _METADATA:
                    return None
                elif element.getparent() is root and event == "end":
                    return element
            if not block:
                return None
    raise DataError(
        f"the metadata is larger than {HEAD_BYTES >> 20} MB", file=str(path), hint="shorten labels and missing codes"
    )


def _variable(element: etree._Element, file: str) -> VariableInfo:
    unknown = set(map(str, element.attrib)) - _ATTRIBUTES
    if element.tag != _VARIABLE or unknown:
        _refuse(f"unexpected {min(unknown) if unknown else element.tag} in the metadata", element, file)
    name, kind = str(element.get("name", "")), str(element.get("type", "text"))
    measure, decimals = element.get("measure"), element.get("decimals")
    if not name:
        _refuse("a variable has no name", element, file)
    if kind not in get_args(VariableType):
        _refuse(f"unknown type {kind!r}", element, file, get_args(VariableType))
    if measure is not None and measure not in get_args(Measure):
        _refuse(f"unknown measure {measure!r}", element, file, get_args(Measure))
    if decimals is not None and not (decimals.isascii() and decimals.isdigit() and len(decimals) < 4):
        _refuse(f"decimals must be a whole number from 0 to 999, not {decimals!r}", element, file)
    return VariableInfo(
        name=name,
        type=cast("VariableType", kind),
        decimals=None if decimals is None else int(decimals),
        measure=cast("Measure | None", measure),
        label=element.get("label"),
        missing=tuple(_code(child, file) for child in element.iterchildren("*")),
    )


def _code(element: etree._Element, file: str) -> str:
    code = element.get("code")
    if element.tag != _MISSING or code is None:
        _refuse("a variable's description holds only <Missing code='...'/>", element, file)
    return code


def _refuse(what: str, element: etree._Element, file: str, choices: tuple[str, ...] = ()) -> NoReturn:
    hint = f"use one of: {', '.join(choices)}" if choices else "see schemas/microdata.xsd"
    raise DataError(what, file=file, line=source_line(element), hint=hint)
