"""Which addresses are read: protocols by a list, one protocol each, and a file at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from constraint_sdc.errors import UsageError
from constraint_sdc.named_copies import file_name, shown_address

PACKAGES = {
    "abfs": "adlfs",
    "abfss": "adlfs",
    "az": "adlfs",
    "file": "fsspec",
    "gcs": "gcsfs",
    "gs": "gcsfs",
    "http": "",
    "https": "",
    "memory": "fsspec",
    "s3": "s3fs",
    "sftp": "paramiko",
}
"""The protocols that are read, each with the package that does it; "" is Python itself."""
_NAME_BYTES = 200
_ONE_FILE = "an address names one file, such as s3://bucket/census.xml"


@dataclass(frozen=True, slots=True)
class Address:
    """The address of an input. `url` may hold a password; nothing but `shown` is printed, certified or compared."""

    url: str = field(repr=False)
    shown: str
    protocol: str
    name: str

    def __str__(self) -> str:
        return self.shown

    @property
    def has_secret(self) -> bool:
        """Tell whether the address says more than what is shown of it."""
        return self.url != self.shown


def address(text: str) -> Address:
    """Return a text as the address of an input; UsageError for what is not read.

    >>> address("https://me:secret@office.example/out/census%20a.xml?sig=secret")
    Address(shown='https://office.example/out/census%20a.xml', protocol='https', name='census a.xml')
    """
    shown = shown_address(text)
    if "::" in text:
        hint = "fetch the archive or the cached file yourself, and give the path of the file inside"
        raise UsageError("an address inside another one is not read", file=shown, hint=hint)
    parts = _parts(text, shown)
    protocol = parts.scheme
    if protocol not in PACKAGES:
        hint = f"copy the file here; addresses begin with {', '.join(f'{known}://' for known in PACKAGES)}"
        raise UsageError(f"the protocol {protocol}:// is not read", file=shown, hint=hint)
    if protocol == "file" and parts.netloc not in ("", "localhost"):
        raise UsageError("a file:// address names a file of this machine", file=shown, hint="write file:///path")
    name = file_name(shown)
    name = unquote(name) if protocol in ("http", "https") else name
    if not _is_name(name):
        raise UsageError("the address does not end in the name of a file", file=shown, hint=_ONE_FILE)
    return Address(text, shown, protocol, name)


def _parts(text: str, shown: str) -> SplitResult:
    try:
        return urlsplit(text)
    except ValueError:
        raise UsageError("this is not an address", file=shown, hint=_ONE_FILE) from None


def _is_name(name: str) -> bool:
    """Tell whether a name can be that of the copy: it decides by its ending how the file is read."""
    is_plain = "/" not in name and name.isprintable() and name.strip(". ") != ""
    return is_plain and len(name.encode("utf-8", "replace")) <= _NAME_BYTES and not name.startswith(".")
