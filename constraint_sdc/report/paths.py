"""File names as CI hosts want them: relative to the working directory where possible, and as URI references."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from constraint_sdc.model.schema import Origin


def relative_path(file: str) -> str:
    """Return the path relative to the working directory when it lies below it, otherwise as given."""
    path = Path(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_posix()


def shown_origin(origin: Origin) -> str:
    """Return file and line as a person would type them from here."""
    return f"{relative_path(origin.file)}:{origin.line}"


def uri_reference(file: str) -> str:
    """Return the file as a relative URI reference, or as a file: URI when it is not below the working directory.

    >>> uri_reference("my data/a#1.xml")
    'my%20data/a%231.xml'
    """
    path = relative_path(file)
    quoted = quote(path, safe="/", errors="replace")
    return f"file://{quoted}" if path.startswith("/") else quoted
