"""A variable's description as one line of JSON, for formats that can carry a note on each column."""

from __future__ import annotations

import json
from typing import Any, get_args

from constraint_sdc.model.variable import Measure, VariableInfo, VariableType

KEY = b"constraint_sdc"
"""Under which key the note stands."""


def info_json(info: VariableInfo) -> bytes:
    """Return everything but the name."""
    stated = {"type": info.type, "decimals": info.decimals, "measure": info.measure, "label": info.label}
    return json.dumps({**stated, "missing": list(info.missing)}, ensure_ascii=False).encode()


def info_from_json(name: str, note: bytes) -> VariableInfo | None:
    """Return the description that the note holds, None if it is none of ours."""
    try:
        stated: Any = json.loads(note)
        info = VariableInfo(
            name, stated["type"], stated["decimals"], stated["measure"], stated["label"], tuple(stated["missing"])
        )
    except (ValueError, KeyError, TypeError):
        return None
    return info if _is_sound(info) else None


def _is_sound(info: VariableInfo) -> bool:
    return (
        info.type in get_args(VariableType)
        and (info.decimals is None or (isinstance(info.decimals, int) and info.decimals >= 0))
        and (info.measure is None or info.measure in get_args(Measure))
        and (info.label is None or isinstance(info.label, str))
        and all(isinstance(code, str) for code in info.missing)
    )
