"""Which files a rule file may bring in: those in its own directory tree and in directories the user names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from constraint_sdc.errors import ResourceRefusedError
from constraint_sdc.model.confinement import Confinement
from constraint_sdc.rules.schematron.element import Element


def resolve_reference(confinement: Confinement, element: Element, href: str) -> tuple[Path, str]:
    """Return the file that `include` or `extends` names and its fragment id, or refuse by name.

    Links are resolved before deciding, so that a link inside the tree cannot lead out of it.
    """
    parts = urlsplit(href.strip())
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        raise _refused(element, href, "only files are read, never the network")
    named = unquote(parts.path)
    path = (element.base / named if named else Path(element.origin.file)).resolve()
    if not confinement.contains(path):
        raise _refused(element, str(path), f"to read it, give the option --allow {path.parent}")
    return path, unquote(parts.fragment)


def _refused(element: Element, target: str, hint: str) -> ResourceRefusedError:
    what = f"{element.kind} asks for {target}, which is outside the allowed directories"
    return ResourceRefusedError(what, file=element.origin.file, line=element.origin.line, hint=hint)
