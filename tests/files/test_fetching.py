"""Files elsewhere: fetched whole and once, or an error that names the address and no secret."""

from __future__ import annotations

import errno
import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from constraint_sdc.errors import ConstraintSdcError, DataError, LimitError, UsageError
from constraint_sdc.files.addresses import fetch as fetch_module
from constraint_sdc.files.addresses import web
from constraint_sdc.files.addresses.address import PACKAGES, address
from constraint_sdc.files.addresses.fetch import fetched
from constraint_sdc.files.addresses.stored import StoredFile
from tests.web_server import Answer, redirect, status, web_server, whole

CONTENT = bytes(range(256)) * 9000  # more than two blocks


TWO_LENGTHS = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc"


@pytest.fixture(autouse=True)
def store() -> Iterator[Any]:
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pipe("/office/census.xml", CONTENT)
    yield memory
    memory.store.clear()


def copy_of(text: str, folder: Path) -> bytes:
    """Return the bytes of the copy, which is gone afterwards."""
    with fetched([address(text)], folder) as copies:
        (copy,) = copies.values()
        assert copy.parent.parent.stat().st_mode & 0o077 == 0
        content = copy.read_bytes()
    assert not copy.exists()
    assert list(folder.iterdir()) == []
    return content


def refusal(text: str, folder: Path) -> str:
    """Return what is said of an address that cannot be fetched; nothing is left behind."""
    with pytest.raises(ConstraintSdcError) as refused:
        copy_of(text, folder)
    assert list(folder.iterdir()) == []
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_copy_has_the_bytes_and_the_name_of_the_file(tmp_path: Path) -> None:
    assert copy_of("memory://office/census.xml", tmp_path) == CONTENT
    (tmp_path / "a b.xml").write_bytes(CONTENT)
    with fetched([address((tmp_path / "a b.xml").as_uri().replace("%20", " "))], None) as copies:
        assert [path.name for path in copies.values()] == ["a b.xml"]
    (tmp_path / "a b.xml").unlink()
    with web_server({"/a%20b.xml": whole(CONTENT)}) as (server, _):
        assert copy_of(f"{server}/a%20b.xml?day=1", tmp_path) == CONTENT
        assert address(f"{server}/a%20b.xml?day=1").name == "a b.xml"


def test_an_address_that_is_given_twice_is_fetched_once(tmp_path: Path) -> None:
    with web_server({"/a.xml": whole(b"x")}) as (server, heard):
        twice = [address(f"{server}/a.xml"), address(f"{server}/a.xml")]
        with fetched(twice, tmp_path) as copies:
            assert len(copies) == 1
    assert len(heard) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("memory://office/none.xml", "memory://office/none.xml: cannot be fetched: there is no such file"),
        ("memory://office", "does not end in the name of a file|is not that of a file|there is no such file"),
        ("ftp://office.example/a.xml", "the protocol ftp:// is not read"),
        ("data://office/a.xml", "the protocol data:// is not read"),
        ("zip://a.xml::file:///a.zip", "an address inside another one is not read"),
        ("simplecache::memory://office/census.xml", "an address inside another one is not read"),
        ("file://elsewhere/etc/passwd", "a file:// address names a file of this machine"),
        ("https://office.example/", "does not end in the name of a file"),
        ("https://office.example/..%2f..%2fa", "does not end in the name of a file"),
        ("https://office.example/%2e%2e", "does not end in the name of a file"),
        ("https://[office/a.xml", "this is not an address"),
        ("file:///dev/zero", "is not that of a file"),
        ("s3://bucket/a.xml", "s3:// is read by s3fs, which is not installed"),
    ],
)
def test_what_is_not_fetched_says_why(tmp_path: Path, text: str, said: str) -> None:
    if text.startswith("s3:") and importlib.util.find_spec("s3fs") is not None:
        pytest.skip("s3fs is installed")
    message = refusal(text, tmp_path)
    assert any(part in message for part in said.split("|")), message


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    said = refusal("memory://office/census.xml", tmp_path)
    assert "pip install 'constraint-sdc[remote]'" in said


def test_every_protocol_has_a_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "addresses.md").read_text(encoding="utf-8")
    for protocol, package in PACKAGES.items():
        assert f"`{protocol}://`" in page
        assert package in page


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (status(404), "there is no such file"),
        (status(403), "access is denied"),
        (status(500), "the server says 500"),
        (whole(b"half", Content_Length="8"), "8 bytes were announced, 4 came"),
        (lambda request: request.wfile.write(TWO_LENGTHS), "does not say how long the file is"),
        (whole(b"", Content_Length="-1"), "does not say how long the file is"),
        (whole(b"x" * 9, Content_Encoding="gzip"), "in the encoding gzip"),
        (redirect("file:///etc/passwd"), "or to another protocol"),
        (redirect("ftp://office.example/a.xml"), "redirects to ftp://"),
        (redirect("/a.xml?again"), "redirects more than 5 times"),
        (lambda request: request.connection.close(), "cannot be fetched"),
        (lambda request: request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\nabc"), "does not say how long the file is"),
    ],
)
def test_a_server_that_gives_no_whole_file(tmp_path: Path, answer: Answer, said: str) -> None:
    with web_server({"/a.xml": answer}) as (server, _):
        message = refusal(f"{server.replace('//', '//me:SECRET@')}/a.xml?sig=SECRET", tmp_path)
    assert said in message
    assert message.startswith(f"{server}/a.xml: ")
    assert "SECRET" not in message


def test_a_server_that_dies_in_the_middle(tmp_path: Path) -> None:
    def answer(request: Any) -> None:
        whole(CONTENT[: len(CONTENT) // 2], Content_Length=str(len(CONTENT)))(request)
        request.connection.close()

    with web_server({"/a.xml": answer}) as (server, _):
        assert f"{len(CONTENT):,} bytes were announced" in refusal(f"{server}/a.xml", tmp_path)


def test_a_password_goes_to_the_server_and_not_where_it_redirects(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {"/b.xml": whole(b"x")}
    with (
        web_server(answers) as (other, elsewhere),
        web_server({"/a.xml": redirect(f"{other}/b.xml")}) as (server, here),
    ):
        copy_of(f"{server.replace('//', '//me:pass@')}/a.xml", tmp_path)
    assert here == [("/a.xml", "Basic bWU6cGFzcw==")]
    assert elsewhere == [("/b.xml", None)]


def test_a_redirect_from_an_encrypted_address_stays_encrypted() -> None:
    import urllib.request
    from email.message import Message
    from io import BytesIO

    request = urllib.request.Request("https://office.example/a.xml")
    with pytest.raises(web._StrayError, match="redirects to http://"):
        web._Redirects().redirect_request(request, BytesIO(), 302, "Found", Message(), "http://office.example/a.xml")


def test_a_store_that_gives_less_more_or_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Any
) -> None:
    blocks = StoredFile.blocks
    monkeypatch.setattr(StoredFile, "blocks", lambda self: iter(list(blocks(self))[:-1]))
    assert "bytes were announced" in refusal("memory://office/census.xml", tmp_path)
    monkeypatch.setattr(StoredFile, "blocks", lambda self: iter([*blocks(self), b"more"]))
    assert "bytes were announced, more came" in refusal("memory://office/census.xml", tmp_path)

    def replaced(self: StoredFile) -> Iterator[bytes]:
        yield from list(blocks(self))
        store.pipe("/office/census.xml", CONTENT + b"!")

    monkeypatch.setattr(StoredFile, "blocks", replaced)
    assert "the file changed while it was fetched" in refusal("memory://office/census.xml", tmp_path)


def test_an_error_of_a_library_is_quoted_unless_the_address_has_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StrangeError(Exception):
        pass

    def later(_: StoredFile) -> Any:
        raise StrangeError("the token SECRET\nis over")
        yield b""

    monkeypatch.setattr(StoredFile, "blocks", later)
    assert "StrangeError: the token SECRET is over" in refusal("memory://office/census.xml", tmp_path)
    fsspec.filesystem("memory").pipe("/office/b.xml?k=SECRET", b"x")
    said = refusal("memory://office/b.xml?k=SECRET", tmp_path)
    assert "cannot be fetched: StrangeError" in said
    assert "SECRET" not in said


def test_a_small_disk_is_refused_before_and_a_full_one_in_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=len(CONTENT) - 1))
        with pytest.raises(LimitError, match="a private copy needs 2 MB, 2 MB are free"):
            copy_of("memory://office/census.xml", tmp_path)

    def full(_count: int, _share: float) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetch_module, "advance", full)
    with pytest.raises(LimitError, match=r"census\.xml: no room for a private copy: No space left"):
        copy_of("memory://office/census.xml", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_clock_ends_a_slow_store(tmp_path: Path) -> None:
    """The alarm of a time limit is raised wherever the program is, which may be inside a library."""

    def late(_: StoredFile) -> Any:
        raise LimitError("the command took longer than its time limit")
        yield b""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StoredFile, "blocks", late)
        with pytest.raises(LimitError, match="time limit"):
            copy_of("memory://office/census.xml", tmp_path)


def test_only_our_errors_leave(tmp_path: Path) -> None:
    for text in ("memory://office/none.xml", "file:///nowhere/a.xml", "http://127.0.0.1:9/a.xml"):
        with pytest.raises((DataError, UsageError)):
            copy_of(text, tmp_path)


def test_a_server_of_sftp_must_be_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that `~/.ssh/known_hosts` does not have is refused, and so is another key under a known name."""
    paramiko = pytest.importorskip("paramiko")
    from constraint_sdc.files.addresses.stored import _known_hosts

    monkeypatch.setenv("HOME", str(tmp_path))
    key, other = (paramiko.ECDSAKey.generate() for _ in range(2))
    policy = _known_hosts(address("sftp://office.example/census.xml"))
    with pytest.raises(DataError, match=r"office\.example is not in ~/\.ssh/known_hosts"):
        policy.missing_host_key(None, "office.example", key)
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "known_hosts").write_text(f"office.example {key.get_name()} {key.get_base64()}\n")
    policy.missing_host_key(None, "office.example", key)
    with pytest.raises(DataError, match="known_hosts"):
        policy.missing_host_key(None, "office.example", other)
