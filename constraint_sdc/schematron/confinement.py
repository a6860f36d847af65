"""Which files rules may read: those beside the rules, beside the data, and in directories that the user allows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from constraint_sdc.errors import ResourceRefusedError
from constraint_sdc.named_copies import beside_copy
from constraint_sdc.schematron.element import Element


def real_path(path: str | Path) -> Path:
    """Return the path without symbolic links; a loop of links stays, for the reader to refuse by name.

    `Path.resolve` raises RuntimeError on a loop.
    """
    return Path(os.path.realpath(path))


@dataclass(frozen=True, slots=True)
class Confinement:
    """The directories (symbolic links resolved) below which files may be read."""

    directories: tuple[Path, ...]

    @classmethod
    def around(cls, files: Iterable[str | Path], allowed: Iterable[Path] = ()) -> Confinement:
        """Allow the directories of these files and the directories that the user named."""
        named = [real_path(file).parent for file in files] + [real_path(folder) for folder in allowed]
        return cls(tuple(dict.fromkeys(named)))

    def contains(self, path: Path) -> bool:
        """Tell whether a file is inside, after following links."""
        return any(real_path(path).is_relative_to(directory) for directory in self.directories)

    def permitted(self, uri: str) -> Path:
        """Return the resolved file that a URI names, or raise an error that names it.

        Links are followed before the decision, so a link inside cannot lead outside.
        """
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in unquote(parts.path):
            raise ResourceRefusedError(
                f"a rule asks for {uri}, but rules may read only files", hint="copy it to a file"
            )
        path = real_path(unquote(parts.path))
        if not self.contains(path):
            raise ResourceRefusedError(
                f"a rule asks for {uri}, which is outside the directories of the rules and the data",
                hint=f"allow it with --allow {path.parent}",
            )
        return path


# Which files a rule file may include: those in its own directory tree and in directories that the user names.


def resolve_reference(confinement: Confinement, element: Element, href: str) -> tuple[Path, str]:
    """Return the file that `include` or `extends` names and its fragment id, or raise an error that names it.

    Links are resolved before the decision, so that a link inside the tree cannot lead out of it.
    """
    parts = urlsplit(href.strip())
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        raise _refused(element, href, "only files are read, never the network")
    named = unquote(parts.path)
    path = real_path(element.base / named if named else element.origin.file)
    if not confinement.contains(path):
        raise _refused(element, str(path), f"to read it, give the option --allow {path.parent}")
    return path, unquote(parts.fragment)


def refuse_beside_copy(path: Path, element: Element) -> None:
    """Refuse a file that would be beside rules at an address: nothing is fetched that the user did not name."""
    address = beside_copy(path)
    if address is not None and not path.is_file():
        what = f"{element.kind} asks for a file beside {address}, and only what is named is fetched"
        hint = "copy the rules and what they include to a directory, and give the path"
        raise ResourceRefusedError(what, file=element.origin.file, line=element.origin.line, hint=hint)


def _refused(element: Element, target: str, hint: str) -> ResourceRefusedError:
    what = f"{element.kind} asks for {target}, which is outside the allowed directories"
    return ResourceRefusedError(what, file=element.origin.file, line=element.origin.line, hint=hint)
