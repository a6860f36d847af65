"""A reason as a code with parameters, for plans to compare, hash and save. `reports/sentences.py` has the sentences.

A sentence can then be improved without changing a plan. Values of records are never parameters, except those that a
recipe's goals name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, Union

from constraint_sdc.settings.reason_codes import CODES

Param: TypeAlias = Union[str, int, float, bool, "Reason", "tuple[Param, ...]", None]
"""The type of a parameter: it can be hashed and written as JSON."""

FOREIGN = ":"
"""A code of another distribution is written `distribution:code`; its sentence comes with the object that gives it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason. `params` are sorted by name.

    `quoted` are texts from another room, such as the recogniser's reason for a rule. They are shown to readers, but
    comparisons and digests ignore them.
    """

    code: str
    params: tuple[tuple[str, Param], ...] = ()
    quoted: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    def __getitem__(self, name: str) -> Param:
        return dict(self.params)[name]

    def __str__(self) -> str:
        given = ", ".join(f"{name}={_shown(value)}" for name, value in self.params)
        return f"{self.code}({given})" if given else self.code


def because(code: str, /, *, quotes: Mapping[str, str] | None = None, **params: Param) -> Reason:
    """Return a reason; TypeError if one of our codes is unknown or its parameters are not the declared ones.

    >>> str(because("groups-of-correlated", size=3))
    'groups-of-correlated(size=3)'
    """
    quotes = quotes or {}
    _require_declared(code, params, quotes)
    for name, value in params.items():
        _require_plain(code, name, value)
    return Reason(code, tuple(sorted(params.items(), key=lambda pair: pair[0])), tuple(sorted(quotes.items())))


def _require_declared(code: str, params: Mapping[str, Param], quotes: Mapping[str, str]) -> None:
    if FOREIGN in code:
        return
    if code not in CODES:
        raise TypeError(f"{code!r} is not a reason code: settings/masking_codes.py and note_codes.py list them")
    taken = CODES[code]
    if set(params) != set(taken.params) or set(quotes) != set(taken.quotes):
        expected = ", ".join((*taken.params, *taken.quotes)) or "nothing"
        raise TypeError(f"{code} takes {expected}, not {', '.join((*params, *quotes)) or 'nothing'}")


def _require_plain(code: str, name: str, value: Param) -> None:
    """Refuse values that JSON cannot restore: NumPy numbers, lists, enumerations."""
    if type(value) is tuple:
        for item in value:
            _require_plain(code, name, item)
    elif type(value) not in (str, int, float, bool, type(None), Reason):
        raise TypeError(f"{code}: {name} is of type {type(value).__name__}, which cannot be a parameter of a reason")


def _shown(value: Param) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value) if isinstance(value, Reason) else repr(value)


# Reasons as JSON, and back.


def reason_to_json(reason: Reason) -> dict[str, object]:
    """Return the code, its parameters and its quoted texts, if any."""
    params = {name: _param_to_json(value) for name, value in reason.params}
    quoted: dict[str, object] = {"quoted": dict(reason.quoted)} if reason.quoted else {}
    return {"code": reason.code, "params": params, **quoted}


def reasons_to_json(reasons: Iterable[Reason]) -> list[dict[str, object]]:
    """Return several reasons."""
    return [reason_to_json(reason) for reason in reasons]


def is_reason_json(content: object) -> bool:
    """Tell whether JSON content is a reason."""
    return isinstance(content, dict) and {"code", "params"} <= content.keys() <= {"code", "params", "quoted"}


def reason_from_json(content: Mapping[str, Any]) -> Reason:
    """Return the reason; a code that is not installed here is kept."""
    params = {name: _param_from_json(value) for name, value in content["params"].items()}
    quoted = content.get("quoted", {})
    return Reason(content["code"], tuple(sorted(params.items(), key=lambda p: p[0])), tuple(sorted(quoted.items())))


def _param_to_json(value: Param) -> object:
    if isinstance(value, tuple):
        return [_param_to_json(item) for item in value]
    return reason_to_json(value) if isinstance(value, Reason) else value


def reasons_from_json(content: Iterable[Mapping[str, Any]]) -> tuple[Reason, ...]:
    """Return several reasons."""
    return tuple(reason_from_json(one) for one in content)


def without_quotes(content: Any) -> Any:
    """Return JSON content without the quoted texts of reasons: the input of a digest."""
    if isinstance(content, list):
        return [without_quotes(item) for item in content]
    if not isinstance(content, dict):
        return content
    dropped = {"quoted"} if is_reason_json(content) else set()
    return {name: without_quotes(value) for name, value in content.items() if name not in dropped}


def _param_from_json(value: Any) -> Param:
    if isinstance(value, list):
        return tuple(_param_from_json(item) for item in value)
    if isinstance(value, dict):
        return reason_from_json(value)
    plain: Param = value
    return plain
