"""`key`: the keys that sign certificates."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraint_sdc.cli.options import LOCAL, deliver
from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.commands.certificate.keys import SigningKey

_EPILOG = """\b
Exit codes: 0 done; 2 a key cannot be read or written.
What a signature proves, and how to keep keys: docs/certificate.md

\b
Examples:
  constraint-sdc key new office.key
  constraint-sdc key new office.key --passphrase-file -
  constraint-sdc key show office.key.pub
"""

passphrase_option = click.option(
    "--passphrase-file", help="File with the passphrase of the private key; - asks for it, or reads standard input."
)
_LONGEST = 10_000


@click.group("key", epilog=_EPILOG)
def command() -> None:
    """Make the keys that sign certificates, and show their ids."""


@command.command("new", epilog=_EPILOG)
@click.argument("key", type=LOCAL)
@passphrase_option
def new(key: Path, passphrase_file: str | None) -> None:
    """Write a new Ed25519 key: the private half to KEY, for its owner alone, and the public half to KEY.pub.

    Neither replaces a file that exists. With a passphrase the private half is encrypted.
    """
    from constraint_sdc.commands.certificate.keys import new_key, public_path

    made = new_key(key, None if passphrase_file is None else _passphrase(passphrase_file, is_new=True))
    deliver(f"private key  {key}\npublic key   {public_path(key)}\nkey id       {made.key_id}", None)


@command.command("show", epilog=_EPILOG)
@click.argument("key", type=LOCAL)
@passphrase_option
def show(key: Path, passphrase_file: str | None) -> None:
    """Print the id of a key, public or private: the SHA-256 of the public half."""
    from constraint_sdc.commands.certificate.keys import is_private, read_public_key

    if is_private(key):
        deliver(signing_key(key, passphrase_file).public.key_id, None)
        return
    if passphrase_file is not None:
        raise UsageError("a public key has no passphrase", file=str(key), hint="leave --passphrase-file out")
    deliver(read_public_key(key).key_id, None)


def signing_key(path: Path, passphrase_file: str | None) -> SigningKey:
    """Return a private key; the passphrase is asked for on a terminal, if the key has one and no file says it."""
    from constraint_sdc.commands.certificate.keys import read_signing_key

    def ask() -> bytes | None:
        if passphrase_file is not None:
            return _passphrase(passphrase_file)
        return _passphrase("-") if sys.stdin is not None and sys.stdin.isatty() else None

    return read_signing_key(path, ask)


def _passphrase(file: str, is_new: bool = False) -> bytes:
    """Return the first line of a file, of standard input, or of what somebody types without seeing it."""
    if file == "-" and sys.stdin is not None and sys.stdin.isatty():
        text: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=is_new, err=True)
        return text.encode("utf-8")
    try:
        with click.open_file(file, "rb") as stream:
            line: bytes = stream.readline(_LONGEST)
    except OSError as error:
        raise UsageError(f"cannot read the passphrase: {error.strerror}", file=file) from None
    phrase = line.rstrip(b"\r\n")
    if not phrase:
        raise UsageError("the passphrase is empty", file=file, hint="its first line is the passphrase")
    return phrase
