"""SDMX-CSV: CSV whose first columns name the data structure, and whose headers may have labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LABELLED = re.compile(r"([A-Za-z][A-Za-z0-9_@$-]*): *\S.*", re.DOTALL)
_STRUCTURE = re.compile(r"STRUCTURE(\[.\])?")


MEASURE, NO_VALUE = "OBS_VALUE", "NaN"
"""The observed value, and how SDMX writes that there is none."""


def sdmx_standard(headers: Sequence[str]) -> str | None:
    """Return the version of SDMX-CSV that the headers show; None for another CSV file.

    >>> sdmx_standard(["DATAFLOW", "FREQ", "OBS_VALUE"]), sdmx_standard(["STRUCTURE", "STRUCTURE_ID", "FREQ"])
    ('SDMX-CSV 1.0', 'SDMX-CSV 2.0')
    >>> sdmx_standard(["STRUCTURE", "Wages"])
    """
    if _STRUCTURE.fullmatch(headers[0]) is not None and list(headers[1:2]) == ["STRUCTURE_ID"]:
        return "SDMX-CSV 2.0"
    return "SDMX-CSV 1.0" if headers[0] == "DATAFLOW" and len(headers) > 1 else None


def component_ids(headers: Sequence[str]) -> list[str]:
    """Return the names of the columns: of `id: label` the id, and `STRUCTURE` without the sign that follows it.

    >>> component_ids(["STRUCTURE[;]", "STRUCTURE_ID", "FREQ: Frequency", "OBS_VALUE"])
    ['STRUCTURE', 'STRUCTURE_ID', 'FREQ', 'OBS_VALUE']
    """
    found = []
    for header in headers:
        labelled = _LABELLED.fullmatch(header)
        found.append(labelled[1] if labelled else "STRUCTURE" if _STRUCTURE.fullmatch(header) else header)
    return found
