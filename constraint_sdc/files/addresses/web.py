"""Files of web servers, read by Python itself: so that certificates are checked and redirects stay in their bounds."""

from __future__ import annotations

import base64
import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from constraint_sdc.errors import DataError
from constraint_sdc.files.addresses.address import Address
from constraint_sdc.files.addresses.source import BLOCK, reason_of, unreachable

_PATIENCE = 60.0  # seconds without a byte
_REDIRECTS = 5
_DENIED = (401, 403, 407)
_MISSING = (404, 410)


class _StrayError(Exception):
    """A server sends the reader to a place where it does not go."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a few redirects to other web addresses, and never from an encrypted one to one that is not."""

    max_redirections = _REDIRECTS

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Return the request of the new place."""
        there = urlsplit(newurl).scheme.lower()
        if there not in ("http", "https") or (there == "http" and urlsplit(req.full_url).scheme == "https"):
            fp.close()
            raise _StrayError(f"the server redirects to {there}://, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class WebFile:
    """The answer of a server that says how long it is."""

    def __init__(self, address: Address, answer: Any) -> None:
        self._address = address
        self._answer = answer
        coded = answer.headers.get("Content-Encoding", "identity").strip().lower()
        if coded not in ("", "identity"):
            raise unreachable(address, f"the server sends it in the encoding {coded}, which was not asked for")
        lengths = {length.strip() for length in answer.headers.get_all("Content-Length", [])}
        length = lengths.pop() if len(lengths) == 1 else ""
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            what = "cannot be fetched: the server does not say how long the file is, so a part could pass for the whole"
            raise DataError(what, file=address.shown, hint="download the file, and give its path")
        self.size = int(length)

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes that come."""
        while block := self._answer.read(BLOCK):
            yield block

    def finish(self) -> None:
        """Do nothing: it was one answer."""


@contextmanager
def web_file(address: Address) -> Iterator[WebFile]:
    """Open a file of a web server; DataError if it cannot be had."""
    try:
        answer = _opener().open(_request(address), timeout=_PATIENCE)
    except urllib.error.HTTPError as problem:
        problem.close()
        raise unreachable(address, _refusal(problem.code)) from None
    except urllib.error.URLError as problem:
        inner = problem.reason if isinstance(problem.reason, Exception) else problem
        raise unreachable(address, reason_of(address, inner)) from None
    except _StrayError as problem:
        raise unreachable(address, str(problem)) from None
    except (OSError, http.client.HTTPException, ValueError) as problem:
        raise unreachable(address, reason_of(address, problem)) from None
    with answer:
        yield WebFile(address, answer)


def _refusal(status: int) -> str:
    if status in _MISSING:
        return "there is no such file"
    if status in _DENIED:
        return "access is denied"
    if 300 <= status < 400:
        return f"the server redirects more than {_REDIRECTS} times, or to another protocol"
    return f"the server says {status}"


def _request(address: Address) -> urllib.request.Request:
    parts = urlsplit(address.url)
    host = parts.netloc.rpartition("@")[2]
    plain = urlunsplit((parts.scheme, host, parts.path, parts.query, ""))
    request = urllib.request.Request(plain, headers={"Accept-Encoding": "identity", "User-Agent": "constraint-sdc"})
    if parts.username is not None:
        who = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        # Not sent where a redirect leads: that may be somebody else.
        request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(who).decode('ascii')}")
    return request


def _opener() -> urllib.request.OpenerDirector:
    """Return what opens web addresses and nothing else; the usual one also opens files and FTP."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener
