"""A signed certificate: an in-toto Statement (v1) in a DSSE envelope, which tools of software supply chains read.

The envelope is a file beside the certificate, which stays readable. Its payload, in canonical JSON, names both files by
digest and holds the certificate once more. Verification is strict: one signature, one form of every byte.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from constraint_sdc.commands.certificate.certificate import envelope_path, file_digest
from constraint_sdc.commands.certificate.keys import PublicKey, SigningKey
from constraint_sdc.errors import NotTrustedError
from constraint_sdc.files.canonical_json import DoubleKeyError, canonical_json, strict_json
from constraint_sdc.files.json_file import json_text, read_bounded

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:constraint-sdc:certificate:2"


def sign_certificate(certificate: bytes, name: str, key: SigningKey) -> bytes:
    """Return the envelope of a certificate as it is written; `name` is that of the certificate's file."""
    payload = canonical_json(_statement(certificate, name))
    signature = key.sign(pre_authentication_encoding(PAYLOAD_TYPE, payload))
    envelope = {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode("ascii"),
        "signatures": [{"keyid": key.public.key_id, "sig": base64.b64encode(signature).decode("ascii")}],
    }
    return json_text(envelope).encode("utf-8")


def pre_authentication_encoding(payload_type: str, payload: bytes) -> bytes:
    """Return the bytes that are signed, PAE of the DSSE specification (v1): lengths in bytes, in decimal.

    >>> pre_authentication_encoding("http://example.com/HelloWorld", b"hello world")
    b'DSSEv1 29 http://example.com/HelloWorld 11 hello world'
    """
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def _statement(certificate: bytes, name: str) -> dict[str, Any]:
    content = strict_json(certificate)
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            _subject(Path(content["output"]["file"]).name, content["output"]["sha256"]),
            _subject(name, sha256(certificate).hexdigest()),
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": content,
    }


def _subject(name: str, digest: str) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": digest}}


def signing_key_id(envelope: Path) -> str:
    """Return the id of the key that an envelope names; nothing is verified."""
    return _signature(_parsed(read_bounded(envelope, "a signature"), envelope), envelope)["keyid"]


def require_signed(certificate: Path, written: bytes, masked: Path, trusted: Sequence[PublicKey]) -> str:
    """Return the id of the trusted key that signed a certificate, given its bytes, for a masked file.

    NotTrustedError if none did, or if it was for another masked file.

    Refused is everything but the very bytes that `sign_certificate` writes, so that nothing in the envelope or in the
    certificate can be changed unnoticed. Nothing of the payload is looked at before its signature is verified.
    """
    file = envelope_path(certificate)
    if not file.is_file():
        hint = f"there is no {file.name}; `mask --sign` writes it"
        raise NotTrustedError("the certificate is not signed", file=str(certificate), hint=hint)
    envelope = _parsed(read_bounded(file, "a signature"), file)
    stated = _signature(envelope, file)
    key = next((key for key in trusted if key.key_id == stated["keyid"]), None)
    if key is None:
        hint = f"trusted: {', '.join(key.key_id for key in trusted)}"
        raise NotTrustedError(f"signed by key {stated['keyid']}, which is not trusted", file=str(file), hint=hint)
    payload, signature = _decoded(envelope["payload"], file), _decoded(stated["sig"], file)
    if not key.verifies(signature, pre_authentication_encoding(envelope["payloadType"], payload)):
        raise NotTrustedError(f"the signature is not one of key {key.key_id}", file=str(file), hint=_CHANGED)
    if envelope["payloadType"] != PAYLOAD_TYPE or payload != _payload_of(written, payload, certificate):
        raise NotTrustedError("the signature is for something else", file=str(certificate), hint=_CHANGED)
    if file_digest(masked) != strict_json(written)["output"]["sha256"]:
        what = "not the file of the signed certificate: its SHA-256 is another one"
        raise NotTrustedError(what, file=str(masked), hint="it was changed, or it belongs to another certificate")
    return key.key_id


_CHANGED = "the certificate or its signature was changed, or they do not belong together"


def _payload_of(certificate: bytes, signed: bytes, path: Path) -> bytes:
    """Return the payload that this certificate must have been signed with; its file may have another name by now."""
    try:
        return canonical_json(_statement(certificate, strict_json(signed)["subject"][1]["name"]))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise NotTrustedError("the signature is for something else", file=str(path), hint=_CHANGED) from None


def _parsed(data: bytes, path: Path) -> dict[str, Any]:
    """Return the envelope; refused is one that is not written as this program writes it, byte for byte."""
    try:
        content = strict_json(data)
    except (ValueError, RecursionError) as problem:
        why = "a key is given twice" if isinstance(problem, DoubleKeyError) else "it is not JSON in UTF-8"
        raise NotTrustedError(f"not a signature: {why}", file=str(path)) from None
    if not isinstance(content, dict) or content.keys() != {"payloadType", "payload", "signatures"}:
        raise NotTrustedError("not a DSSE envelope", file=str(path), hint="payloadType, payload and signatures")
    if not all(isinstance(content[name], str) for name in ("payloadType", "payload")):
        raise NotTrustedError("not a DSSE envelope", file=str(path), hint="payloadType and payload are texts")
    if json_text(content).encode("utf-8") != data:
        raise NotTrustedError("the envelope is not in the form that this program writes", file=str(path))
    return content


def _signature(envelope: Mapping[str, Any], path: Path) -> Mapping[str, str]:
    """Return the only signature of an envelope."""
    found = envelope["signatures"]
    if not isinstance(found, list) or len(found) != 1:
        count = len(found) if isinstance(found, list) else "no list of"
        raise NotTrustedError(f"one signature is expected, not {count}", file=str(path))
    one = found[0]
    if not isinstance(one, dict) or one.keys() != {"keyid", "sig"} or not all(isinstance(v, str) for v in one.values()):
        raise NotTrustedError("a signature has keyid and sig, and nothing else", file=str(path))
    return one


def _decoded(text: str, path: Path) -> bytes:
    """Return the bytes of standard base64 in its only form: padded, without white space or spare bits."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise NotTrustedError("not base64", file=str(path)) from None
    if base64.b64encode(data).decode("ascii") != text:
        raise NotTrustedError("not base64 in its canonical form", file=str(path))
    return data
