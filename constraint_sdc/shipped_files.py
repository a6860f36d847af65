"""Where the schemas and rules that ship with the package are found: in the wheel, or at the top of a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped_file(folder: str, name: str) -> Path:
    """Return the path of a shipped file, `folder` being "schemas" or "rules"."""
    installed = _PACKAGE / "shipped" / folder / name
    return installed if installed.exists() else _PACKAGE.parent / folder / name
