"""Ed25519 keys: made, kept in files, and named by the SHA-256 of the public key. The owner of `cryptography`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from constraint_sdc.errors import UsageError
from constraint_sdc.files.atomic import require_place
from constraint_sdc.limits import KEY_BYTES

AskPassphrase: TypeAlias = Callable[[], bytes | None]
"""Returns the passphrase of a key when it is needed; None if there is nobody to ask."""


def nobody_to_ask() -> None:
    """Return no passphrase."""
    return


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The public half: it verifies."""

    key: Ed25519PublicKey

    @property
    def key_id(self) -> str:
        """Return the SHA-256 of the key as DER (SubjectPublicKeyInfo), in hexadecimal digits."""
        return sha256(self.key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Tell whether the owner of the private key signed the message."""
        try:
            self.key.verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The private half: it signs."""

    key: Ed25519PrivateKey

    @property
    def public(self) -> PublicKey:
        """Return the public half."""
        return PublicKey(self.key.public_key())

    def sign(self, message: bytes) -> bytes:
        """Return the signature: the same message gives the same 64 bytes."""
        return self.key.sign(message)


def public_path(private: Path) -> Path:
    """Return where the public half of a new key is written.

    >>> public_path(Path("office.key")).name
    'office.key.pub'
    """
    return private.with_name(f"{private.name}.pub")


def new_key(private: Path, passphrase: bytes | None = None) -> PublicKey:
    """Write a new key: the private half for the owner alone, the public half beside it; neither replaces a file."""
    public = public_path(private)
    for path in (private, public):
        require_place(path, overwrite=False)
    if passphrase == b"":
        raise UsageError("the passphrase is empty", hint="give a passphrase, or none at all")
    key = SigningKey(Ed25519PrivateKey.generate())
    how: KeySerializationEncryption = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
    _create(private, key.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how), 0o600)
    try:
        _create(public, key.public.key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), 0o644)
    except BaseException:
        private.unlink(missing_ok=True)
        raise
    return key.public


def _create(path: Path, content: bytes, mode: int) -> None:
    """Write a file that must not exist; it has its mode from the first moment on."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise UsageError(f"cannot write the key: {error.strerror or error}", file=str(path)) from error


def is_private(path: Path) -> bool:
    """Tell whether a file holds a private key."""
    return b"PRIVATE KEY-----" in _read(path)


def read_signing_key(path: Path, ask: AskPassphrase = nobody_to_ask) -> SigningKey:
    """Return a private key; `ask` is called for the passphrase of one that has one."""
    content = _read(path)
    if b"PRIVATE KEY-----" not in content:
        raise UsageError("not a private key in PEM form", file=str(path), hint=_MAKE)
    is_encrypted = b"-----BEGIN ENCRYPTED PRIVATE KEY-----" in content
    passphrase = ask() if is_encrypted else None
    if passphrase is None and is_encrypted:
        raise UsageError("the key has a passphrase", file=str(path), hint="give it with --passphrase-file")
    try:
        key = load_pem_private_key(content, passphrase)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        why = "the passphrase is wrong, or the file is damaged" if passphrase else "the file is damaged"
        raise UsageError(f"the private key cannot be read: {why}", file=str(path)) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError("the private key is not of the kind Ed25519", file=str(path), hint=_MAKE)
    return SigningKey(key)


def read_public_key(path: Path) -> PublicKey:
    """Return a public key; a private one is refused, because trust needs no secret."""
    content = _read(path)
    if b"PRIVATE KEY-----" in content:
        raise UsageError("this is the private key", file=str(path), hint="trust the public one, which ends in .pub")
    try:
        key = load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        raise UsageError("not a public key in PEM form", file=str(path), hint=_MAKE) from None
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError("the public key is not of the kind Ed25519", file=str(path), hint=_MAKE)
    return PublicKey(key)


_MAKE = "`constraint-sdc key new` makes a pair"


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            content = stream.read(KEY_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read the key: {error.strerror}", file=str(path)) from None
    if len(content) > KEY_BYTES:
        raise UsageError("too large for a key", file=str(path))
    return content
