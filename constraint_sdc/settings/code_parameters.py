"""What a code of a reason takes: the names of its parameters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodeParameters:
    """The names of a code's parameters, and of the texts that it quotes from another room."""

    params: tuple[str, ...]
    quotes: tuple[str, ...]


def takes(*params: str, quotes: tuple[str, ...] = ()) -> CodeParameters:
    """Return the parameters of a code."""
    return CodeParameters(params, quotes)
