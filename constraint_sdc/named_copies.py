"""Private copies of files that were given by an address, and how every message names them: by the address.

The copy is what a command reads. Its path says nothing to the user, so every text that is printed goes through
`named` first. A password, and everything behind a question mark, is never part of a name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?:::[A-Za-z][A-Za-z0-9+.-]*)*(?:://|::)")


def is_address(text: object) -> bool:
    """Tell whether a text names a file by an address, not by a path.

    >>> [is_address(text) for text in ("s3://bucket/a.csv", "simplecache::s3://b/a.csv", "a.csv", "C:/a.csv")]
    [True, True, False, False]
    """
    return isinstance(text, str) and _ADDRESS.match(text) is not None


def shown_address(address: str) -> str:
    """Return an address as it is printed and certified: without password, query and fragment.

    >>> shown_address("https://me:secret@office.example/census.xml?sig=secret#part")
    'https://office.example/census.xml'
    >>> shown_address("abfs://container@account/census.xml")
    'abfs://container@account/census.xml'
    """
    bare = re.split(r"[?#]", address, maxsplit=1)[0]
    start, mark, rest = bare.partition("://")
    place, slash, path = rest.partition("/")
    user, at, host = place.rpartition("@")
    is_secret = ":" in user or start.lower() in ("http", "https")
    return f"{start}{mark}{host if is_secret else user + at + host}{slash}{path}"


_REMEMBERED = 64  # copies; a message about an older one names its private path


class _RememberedCopies:
    """The copies of this process, by their directories, each with the shown address of the file inside."""

    def __init__(self) -> None:
        self.names: dict[Path, str] = {}
        self.spelt: re.Pattern[str] | None = None


_copies = _RememberedCopies()


def remember_copy(folder: Path, shown: str) -> None:
    """Let the copy in a directory be named by its address, also when it is gone: results and errors outlive it."""
    while len(_copies.names) >= _REMEMBERED:
        del _copies.names[next(iter(_copies.names))]
    _copies.names[folder] = shown
    _copies.spelt = _pattern(_copies.names)


def address_of(path: Path) -> str | None:
    """Return the address that a copy stands for, None for any other file."""
    return _copies.names.get(path.parent)


def beside_copy(path: Path) -> str | None:
    """Return the address of the copy in whose directory a file would be, None if it is elsewhere."""
    found = (name for folder, name in _copies.names.items() if path.is_relative_to(folder))
    return next(found, None)


def named(text: str) -> str:
    """Return a text in which copies are named by their addresses."""
    if _copies.spelt is None:
        return text
    return _copies.spelt.sub(_address, text)


def _address(found: re.Match[str]) -> str:
    folder, name = found[1], found[2]
    address = next(shown for place, shown in _copies.names.items() if folder in _spellings(place))
    return address if name is not None else address.rpartition("/")[0]


def _pattern(names: Mapping[Path, str]) -> re.Pattern[str]:
    """Return what finds the path of a copy, or of its directory, however a message spells it."""
    spelt = sorted({spelling for folder in names for spelling in _spellings(folder)}, key=len, reverse=True)
    files = {re.escape(spelling) for name in names.values() for spelling in _file_spellings(name)}
    return re.compile(f"({'|'.join(map(re.escape, spelt))})(?:/({'|'.join(sorted(files, key=len, reverse=True))}))?")


def file_name(address: str) -> str:
    """Return the name of the file at the end of a shown address."""
    return address.rpartition("/")[2]


def _file_spellings(address: str) -> set[str]:
    name = file_name(address)
    return {name, quote(name), name.encode("unicode_escape").decode("ascii")}


def _spellings(folder: Path) -> set[str]:
    """Return how a message may spell a directory: whole, as a URI, from the working directory, escaped."""
    whole = {str(folder), folder.as_uri()}
    if folder.is_relative_to(Path.cwd()):
        whole.add(str(folder.relative_to(Path.cwd())))
    escaped = {spelling.encode("unicode_escape").decode("ascii") for spelling in whole}
    return whole | escaped
