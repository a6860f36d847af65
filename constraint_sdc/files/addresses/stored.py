"""Files of object stores and other servers, read by fsspec and the packages that it uses for a protocol."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.addresses.address import PACKAGES, Address
from constraint_sdc.files.addresses.source import BLOCK, told, unreachable

_VERSION = ("size", "ETag", "etag", "LastModified", "last_modified", "mtime", "md5Hash", "generation", "VersionId")
"""What stores say of a file that is another for another content."""


class StoredFile:
    """An open file of a store, and what the store said of it before."""

    def __init__(self, address: Address, files: Any, path: str, stream: Any, info: dict[str, Any]) -> None:
        self._address = address
        self._files, self._path, self._stream = files, path, stream
        self._before = _version(info)
        self.size = int(info["size"])

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes that come."""
        while block := self._stream.read(BLOCK):
            yield bytes(block)

    def finish(self) -> None:
        """Raise DataError if the store says something else of the file than before."""
        self._files.invalidate_cache()
        if _version(self._files.info(self._path)) != self._before:
            raise DataError("the file changed while it was fetched", file=self._address.shown, hint="run again")


def _version(info: dict[str, Any]) -> dict[str, str]:
    return {name: str(info[name]) for name in _VERSION if name in info}


@contextmanager
def stored_file(address: Address) -> Iterator[StoredFile]:
    """Open a file by fsspec; DataError if it cannot be had, UsageError if a package is missing."""
    with ExitStack() as stack:
        with told(address):
            found = stack.enter_context(_opened(address))
        yield found


@contextmanager
def _opened(address: Address) -> Iterator[StoredFile]:
    files, path = _filesystem(address)
    files.invalidate_cache()
    info = files.info(path)
    if info.get("type") != "file" or not isinstance(info.get("size"), int):
        raise UsageError("the address is not that of a file", file=address.shown, hint="name one file")
    with files.open(path, "rb") as stream:
        yield StoredFile(address, files, path, stream, info)


def _filesystem(address: Address) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise UsageError(
            "addresses are read by fsspec, which is not installed",
            file=address.shown,
            hint="install it: pip install 'constraint-sdc[remote]'",
        ) from None
    more: dict[str, Any] = {"skip_instance_cache": True}
    try:
        if address.protocol == "sftp":
            more["host_key_policy"] = _known_hosts(address)
        found: tuple[Any, str] = url_to_fs(address.url, **more)
        return found
    except ImportError:
        package = PACKAGES[address.protocol]
        what = f"{address.protocol}:// is read by {package}, which is not installed"
        raise UsageError(what, file=address.shown, hint=f"install it: pip install {package}") from None


def _known_hosts(address: Address) -> Any:
    """Return what refuses a server whose key is not among the user's known hosts; fsspec takes any key by default."""
    import paramiko

    class KnownHosts(paramiko.MissingHostKeyPolicy):  # type: ignore[misc]  # the package has no types here
        def missing_host_key(self, _client: Any, hostname: str, key: Any) -> None:
            known = Path.home() / ".ssh" / "known_hosts"
            if not known.is_file() or not paramiko.HostKeys(str(known)).check(hostname, key):
                raise unreachable(address, f"the key of {hostname} is not in ~/.ssh/known_hosts")

    return KnownHosts()
