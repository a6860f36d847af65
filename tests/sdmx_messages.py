"""SDMX files of the same observations in every kind that is read, written without any code of the package."""

from __future__ import annotations

from collections.abc import Sequence

KEY = ("FREQ", "REF_AREA", "FIRM")
OWN = ("TIME_PERIOD", "OBS_VALUE", "WAGES", "OTHER", "OBS_STATUS")
NAMES = (*KEY, *OWN)
Row = dict[str, str]

_V = "http://www.sdmx.org/resources/sdmxml/schemas/v{}/"
_OLD = "http://www.SDMX.org/resources/SDMXML/schemas/v2_0/"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"


def rows(firms: int = 12, years: int = 2) -> list[Row]:
    """Return observations of turnover, its wages and the rest, by firm and year."""
    found = []
    for i in range(firms):
        for j in range(years):
            wages, other = 700 + 389 * i % 7000 + 31 * j, 53 * i % 400 + 7 * j
            key = ("A", "CH" if i % 2 else "AT", f"F{i:03}")
            own = (str(2020 + j), str(wages + other), str(wages), str(other), "A" if i % 3 else "E")
            found.append(dict(zip(NAMES, (*key, *own), strict=True)))
    return found


def _header(prefix: str, structure: str) -> str:
    return (
        f"  <{prefix}Header>\n    <{prefix}ID>T1</{prefix}ID>\n    <{prefix}Test>false</{prefix}Test>\n"
        f"    <{prefix}Prepared>2026-01-02T03:04:05</{prefix}Prepared>\n    <{prefix}Sender id='STAT'/>\n"
        f"{structure}  </{prefix}Header>\n"
    )


def _written(row: Row, names: Sequence[str]) -> str:
    return "".join(f' {name}="{row[name]}"' for name in names if name in row)


def _by_series(found: Sequence[Row]) -> list[tuple[Row, list[Row]]]:
    series: dict[tuple[str, ...], list[Row]] = {}
    for row in found:
        series.setdefault(tuple(row[name] for name in KEY), []).append(row)
    return [(members[0], members) for members in series.values()]


def specific(found: Sequence[Row], *, by_series: bool = False, version: str = "2_1", group: str = "") -> str:
    """Return a message of structure-specific data, flat or by series."""
    message, common = _V.format(version) + "message", _V.format(version) + "common"
    dimension = "TIME_PERIOD" if by_series else "AllDimensions"
    structure = (
        f"    <mes:Structure structureID='S1' namespace='urn:x' dimensionAtObservation='{dimension}'>\n"
        "      <com:Structure><Ref agencyID='STAT' id='FIRMS' version='1.0'/></com:Structure>\n    </mes:Structure>\n"
    )
    opening = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<mes:StructureSpecificData xmlns:mes='{message}' xmlns:com='{common}' xmlns:xsi='{_XSI}'\n"
        "    xmlns:ss='urn:structure-specific' xmlns:ns='urn:x' xsi:schemaLocation='urn:x x.xsd'>\n"
    )
    lines = [f"{group}"] if group else []
    if by_series:
        for first, members in _by_series(found):
            lines.append(f"    <Series{_written(first, KEY)}>\n")
            lines += [f"      <Obs{_written(row, OWN)}/>\n" for row in members]
            lines.append("    </Series>\n")
    else:
        lines = [*lines, *(f"    <Obs{_written(row, NAMES)}/>\n" for row in found)]
    data_set = f"  <mes:DataSet ss:structureRef='S1' ss:action='Append' xsi:type='ns:DataSetType'>\n{''.join(lines)}"
    return f"{opening}{_header('mes:', structure)}{data_set}  </mes:DataSet>\n</mes:StructureSpecificData>\n"


def compact(found: Sequence[Row]) -> str:
    """Return a message of version 2.0 by series."""
    opening = f'<?xml version="1.0"?>\n<CompactData xmlns="{_OLD}message" xmlns:ns="urn:firms">\n'
    structure = "    <KeyFamilyRef>FIRMS</KeyFamilyRef>\n"
    series = [
        f"    <ns:Series{_written(first, KEY)}>"
        + "".join(f"<ns:Obs{_written(row, OWN)}/>" for row in members)
        + "</ns:Series>\n"
        for first, members in _by_series(found)
    ]
    return f"{opening}{_header('', structure)}  <ns:DataSet>\n{''.join(series)}  </ns:DataSet>\n</CompactData>\n"


def _values(row: Row, names: Sequence[str], word: str) -> str:
    return "".join(f'<g:Value {word}="{name}" value="{row[name]}"/>' for name in names if name in row)


def generic(found: Sequence[Row], *, by_series: bool = False) -> str:
    """Return a message of generic data of version 2.1."""
    dimension = "TIME_PERIOD" if by_series else "AllDimensions"
    structure = f"    <Structure structureID='S1' dimensionAtObservation='{dimension}'/>\n"
    spaces = f'xmlns="{_V.format("2_1")}message" xmlns:g="{_V.format("2_1")}data/generic"'
    lines = []
    for first, members in _by_series(found):
        if by_series:
            lines.append(f"    <g:Series>\n      <g:SeriesKey>{_values(first, KEY, 'id')}</g:SeriesKey>\n")
        for row in members:
            key = f'<g:ObsDimension value="{row["TIME_PERIOD"]}"/>'
            if not by_series:
                key = f"<g:ObsKey>{_values(row, (*KEY, 'TIME_PERIOD'), 'id')}</g:ObsKey>"
            attributes = _values(row, OWN[2:], "id")
            value = f"\n        <g:ObsValue value='{row['OBS_VALUE']}'/>" if "OBS_VALUE" in row else ""
            lines.append(f"      <g:Obs>\n        {key}{value}\n        <g:Attributes>{attributes}</g:Attributes>")
            lines.append("\n      </g:Obs>\n")
        if by_series:
            lines.append("    </g:Series>\n")
    data_set = f'  <DataSet structureRef="S1" action="Replace">\n{"".join(lines)}  </DataSet>\n'
    return f'<?xml version="1.0"?>\n<GenericData {spaces}>\n{_header("", structure)}{data_set}</GenericData>\n'


def old_generic(found: Sequence[Row]) -> str:
    """Return a message of generic data of version 2.0, whose time is the text of an element."""
    structure = "    <KeyFamilyRef>FIRMS</KeyFamilyRef>\n"
    lines = ["    <g:KeyFamilyRef>FIRMS</g:KeyFamilyRef>\n"]
    for first, members in _by_series(found):
        lines.append(f"    <g:Series><g:SeriesKey>{_values(first, KEY, 'concept')}</g:SeriesKey>\n")
        for row in members:
            value = f'<g:ObsValue value="{row["OBS_VALUE"]}"/>'
            attributes = _values(row, OWN[2:], "concept")
            lines.append(f"      <g:Obs><g:Time>{row['TIME_PERIOD']}</g:Time>{value}")
            lines.append(f"<g:Attributes>{attributes}</g:Attributes></g:Obs>\n")
        lines.append("    </g:Series>\n")
    spaces = f'xmlns="{_OLD}message" xmlns:g="{_OLD}generic"'
    body = f"{_header('', structure)}  <DataSet>\n{''.join(lines)}  </DataSet>\n"
    return f'<?xml version="1.0"?>\n<GenericData {spaces}>\n{body}</GenericData>\n'


MESSAGES = {
    "flat": lambda found: specific(found),
    "by series": lambda found: specific(found, by_series=True),
    "version 3.0": lambda found: specific(found, by_series=True, version="3_0"),
    "compact": compact,
    "generic": generic,
    "generic by series": lambda found: generic(found, by_series=True),
    "generic of 2.0": old_generic,
}


def csv_1(found: Sequence[Row], *, has_labels: bool = False) -> str:
    """Return SDMX-CSV of version 1.0."""
    headers = [f"{name}: Name of {name.lower()}" if has_labels else name for name in NAMES]
    lines = [",".join(("DATAFLOW", *headers))]
    lines += [",".join(("STAT:FIRMS(1.0)", *(row.get(name, "") for name in NAMES))) for row in found]
    return "\r\n".join(lines) + "\r\n"


def csv_2(found: Sequence[Row], action: str = "I") -> str:
    """Return SDMX-CSV of version 2.0, with semicolons."""
    lines = [";".join(("STRUCTURE", "STRUCTURE_ID", "STRUCTURE_NAME", "ACTION", *NAMES))]
    said = ("dataflow", "STAT:FIRMS(1.0)", "Firms", action)
    lines += [";".join((*said, *(row.get(name, "") for name in NAMES))) for row in found]
    return "\n".join(lines) + "\n"
