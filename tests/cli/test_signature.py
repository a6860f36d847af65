"""A signature that a trusted key made for these very bytes is believed, and nothing else is."""

from __future__ import annotations

import base64
import json
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from constraint_sdc.commands.certificate.claim import read_trusted
from constraint_sdc.commands.certificate.envelope import pre_authentication_encoding, require_signed, sign_certificate
from constraint_sdc.commands.certificate.keys import new_key, read_public_key, read_signing_key
from constraint_sdc.errors import ConstraintSdcError, NotTrustedError
from constraint_sdc.files.canonical_json import canonical_json
from tests.cli.conftest import Run
from tests.cli.masking import HandMade, make_by_hand
from tests.draws import IS_EXPLORING

CERTIFICATE = Path("masked.xml.certificate.json")
ENVELOPE = Path("masked.xml.certificate.dsse.json")
MASKED = Path("masked.xml")
CHECK = ("check", "masked.xml", "--rules", "rules.sch", "--certificate", str(CERTIFICATE))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HandMade:
    """A masked file with its certificate, signed by office.key."""
    monkeypatch.chdir(tmp_path)
    made = make_by_hand()
    new_key(Path("office.key"))
    sign()
    return made


def sign(key: str = "office.key") -> None:
    ENVELOPE.write_bytes(sign_certificate(CERTIFICATE.read_bytes(), CERTIFICATE.name, read_signing_key(Path(key))))


def trusted() -> str:
    """Verify signature and digests as `check --trust` does before anything else; return the key."""
    _, key, is_trusted = read_trusted(CERTIFICATE, MASKED, [read_public_key(Path("office.key.pub"))])
    assert is_trusted
    return str(key)


# Keys.


@pytest.mark.usefixtures("made")
def test_a_new_key_is_for_its_owner_alone_and_replaces_nothing(run: Run) -> None:
    assert stat.S_IMODE(Path("office.key").stat().st_mode) == 0o600
    before = Path("office.key").read_bytes()
    ran = run("key", "new", "office.key")
    assert ran.code == 2
    assert "the file exists already" in ran.err
    Path("other.key.pub").write_text("taken")
    assert run("key", "new", "other.key").code == 2
    assert not Path("other.key").exists()
    assert Path("office.key").read_bytes() == before


@pytest.mark.usefixtures("made")
def test_the_id_of_a_key_is_the_digest_of_its_public_half(run: Run) -> None:
    public = load_pem_public_key(Path("office.key.pub").read_bytes())
    expected = sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()
    for file in ("office.key", "office.key.pub"):
        assert run("key", "show", file).out == f"{expected}\n"
    ran = run("key", "new", "third.key")
    assert ran.code == 0
    assert f"key id       {run('key', 'show', 'third.key.pub').out}" in ran.out


@pytest.mark.usefixtures("made")
def test_a_passphrase_protects_the_private_key(run: Run) -> None:
    Path("phrase").write_text("correct horse\nsecond line\n", encoding="utf-8")
    Path("wrong").write_text("battery staple\n", encoding="utf-8")
    assert run("key", "new", "safe.key", "--passphrase-file", "phrase").code == 0
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in Path("safe.key").read_bytes()
    assert isinstance(load_pem_private_key(Path("safe.key").read_bytes(), b"correct horse"), Ed25519PrivateKey)
    assert run("key", "show", "safe.key", "--passphrase-file", "phrase").code == 0
    ran = run("key", "show", "safe.key", "--passphrase-file", "wrong")
    assert ran.code == 2
    assert "the passphrase is wrong, or the file is damaged" in ran.err
    ran = run("key", "show", "safe.key")
    assert ran.code == 2
    assert "the key has a passphrase (give it with --passphrase-file)" in ran.err
    Path("empty").write_text("\n")
    assert "the passphrase is empty" in run("key", "new", "k", "--passphrase-file", "empty").err
    assert run("key", "new", "k", "--passphrase-file", "nowhere").code == 2
    assert not Path("k").exists()


@pytest.mark.usefixtures("made")
def test_on_a_terminal_a_passphrase_is_asked_for_unless_a_file_says_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda prompt: asked.append(prompt) or "correct horse")
    Path("phrase").write_text("correct horse\n", encoding="utf-8")
    assert run("key", "new", "safe.key", "--passphrase-file", "phrase").code == 0
    assert run("key", "show", "safe.key", "--passphrase-file", "phrase").code == 0
    assert asked == []
    assert run("key", "show", "safe.key").code == 0
    assert run("key", "show", "safe.key", "--passphrase-file", "-").code == 0
    assert len(asked) == 2
    assert run("key", "new", "typed.key", "--passphrase-file", "-").code == 0
    assert len(asked) == 4, "a new passphrase is typed twice"
    assert isinstance(load_pem_private_key(Path("typed.key").read_bytes(), b"correct horse"), Ed25519PrivateKey)


@pytest.mark.parametrize("kind", ["rsa", "ec", "ed448"])
@pytest.mark.usefixtures("made")
def test_keys_of_other_kinds_are_refused(run: Run, kind: str) -> None:
    make: dict[str, Callable[[], Any]] = {
        "rsa": lambda: rsa.generate_private_key(65537, 2048),
        "ec": lambda: ec.generate_private_key(ec.SECP256R1()),
        "ed448": ed448.Ed448PrivateKey.generate,
    }
    key = make[kind]()
    Path("k").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    Path("k.pub").write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    for file in ("k", "k.pub"):
        ran = run("key", "show", file)
        assert ran.code == 2
        assert "not of the kind Ed25519" in ran.err
    assert run(*CHECK, "--trust", "k.pub").code == 2


@pytest.mark.usefixtures("made")
def test_files_that_are_no_keys_are_refused(run: Run) -> None:
    for name, content in {"a": b"", "b": b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}.items():
        Path(name).write_bytes(content)
        assert run("key", "show", name).code == 2
    ran = run(*CHECK, "--trust", "office.key")
    assert ran.code == 2
    assert "this is the private key" in ran.err
    assert run("key", "show", "nowhere").code == 2
    assert "a public key has no passphrase" in run("key", "show", "office.key.pub", "--passphrase-file", "a").err


# A signed masking, and what check says of it.


@pytest.mark.usefixtures("made")
def test_mask_signs_and_check_trusts(run: Run) -> None:
    words = ("mask", "data.xml", "--rules", "rules.sch", "-k", "2", "-o", "out.xml")
    ran = run(*words, "--sign", "office.key")
    assert ran.code == 0, ran.err
    assert "signature    out.xml.certificate.dsse.json" in ran.out
    check = ("check", "out.xml", "--rules", "rules.sch", "--certificate", "out.xml.certificate.json")
    key = run("key", "show", "office.key.pub").out.strip()
    new_key(Path("other.key"))
    ran = run(*check, "--trust", "other.key.pub", "--trust", "office.key.pub", "--original", "data.xml")
    assert ran.code == 0, ran.err
    assert f"confirmed  signed by key {key}, which is trusted" in ran.out
    ran = run(*check)
    assert ran.code == 0
    assert f"signed by key {key}, not checked: give --trust" in ran.out
    ran = run(*check, "--trust", "other.key.pub")
    assert ran.code == 1
    assert f"signed by key {key}, which is not trusted" in ran.err
    assert "PASS" not in ran.out
    assert "signature" in json.loads(run(*words, "--sign", "office.key", "--overwrite", "--json").out)


@pytest.mark.usefixtures("made")
def test_an_old_signature_is_never_left_beside_a_new_certificate(run: Run) -> None:
    words = ("mask", "data.xml", "--rules", "rules.sch", "-k", "2", "-o", "masked.xml", "--overwrite")
    before = {path: path.read_bytes() for path in (MASKED, CERTIFICATE, ENVELOPE)}
    ran = run(*words)
    assert ran.code == 2
    assert "the signature of an earlier certificate is here (remove it, or sign the new one with --sign)" in ran.err
    assert {path: path.read_bytes() for path in before} == before
    assert run(*words, "--sign", "office.key").code == 0
    assert trusted()


@pytest.mark.usefixtures("made")
def test_a_key_that_cannot_sign_stops_before_anything_is_masked(run: Run) -> None:
    words = ("mask", "data.xml", "--rules", "rules.sch", "-k", "2", "-o", "out.xml")
    assert run(*words, "--sign", "office.key.pub").code == 2
    assert run(*words, "--sign", "nowhere.key").code == 2
    assert run(*words, "--passphrase-file", "x").code == 2
    assert not Path("out.xml").exists()


@pytest.mark.usefixtures("made")
def test_an_unsigned_certificate_is_refused_where_trust_is_asked_for(run: Run) -> None:
    ENVELOPE.unlink()
    ran = run(*CHECK, "--trust", "office.key.pub")
    assert ran.code == 1
    assert "the certificate is not signed" in ran.err
    ran = run(*CHECK)
    assert ran.code == 0
    assert "  not signed\n" in ran.out
    assert "--trust has no meaning here" in run(*CHECK[:4], "--trust", "office.key.pub").err


@pytest.mark.usefixtures("made")
def test_files_may_be_renamed() -> None:
    for path in (MASKED, CERTIFICATE, ENVELOPE):
        path.rename(path.name.replace("masked", "public"))
    keys = [read_public_key(Path("office.key.pub"))]
    assert read_trusted(Path("public.xml.certificate.json"), Path("public.xml"), keys)[2]


# The envelope as the standards have it, by another way to the same bytes.


@pytest.mark.usefixtures("made")
def test_the_envelope_is_dsse_around_an_in_toto_statement() -> None:
    envelope = json.loads(ENVELOPE.read_bytes())
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    payload = base64.b64decode(envelope["payload"], validate=True)
    kind = envelope["payloadType"]
    signed = " ".join(["DSSEv1", str(len(kind)), kind, str(len(payload)), payload.decode("utf-8")]).encode("utf-8")
    assert pre_authentication_encoding(kind, payload) != signed or payload.isascii()
    key = load_pem_public_key(Path("office.key.pub").read_bytes())
    assert isinstance(key, Ed25519PublicKey)
    key.verify(base64.b64decode(envelope["signatures"][0]["sig"]), pre_authentication_encoding(kind, payload))
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "urn:constraint-sdc:certificate:2"
    assert statement["predicate"] == json.loads(CERTIFICATE.read_bytes())
    assert statement["subject"] == [
        {"name": path.name, "digest": {"sha256": sha256(path.read_bytes()).hexdigest()}}
        for path in (MASKED, CERTIFICATE)
    ]
    assert canonical_json(statement) == payload


# Single bits: one of every byte, and all of them in `make explore`.


def flipped(path: Path) -> list[int]:
    """Return the bits (numbered through the file) whose change is not refused at the stage of signature and digests."""
    content, passed, keys = path.read_bytes(), [], [read_public_key(Path("office.key.pub"))]
    for bit in range(8 * len(content)) if IS_EXPLORING else (8 * byte + byte % 8 for byte in range(len(content))):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            require_signed(CERTIFICATE, CERTIFICATE.read_bytes(), MASKED, keys)
        except ConstraintSdcError:
            continue
        passed.append(bit)
    path.write_bytes(content)
    return passed


def shrink() -> None:
    """Cut the certificate to a few entries of every type, and sign it again: every bit of it is changed in turn."""
    content = json.loads(CERTIFICATE.read_bytes())
    small = {name: content[name] for name in ("schema", "schema_version", "output", "options")}
    small["blocks"] = [{"loss": 1e-07, "plain_loss": 12.25, "notes": [], "is": True, "name": "Zürich\u007f"}]
    CERTIFICATE.write_text(json.dumps(small, indent=1), encoding="utf-8")
    sign()


@pytest.mark.parametrize("path", [MASKED, CERTIFICATE, ENVELOPE], ids=["masked file", "certificate", "envelope"])
@pytest.mark.usefixtures("made")
def test_a_change_of_one_bit_is_refused_wherever_it_is(path: Path) -> None:
    shrink()
    assert require_signed(CERTIFICATE, CERTIFICATE.read_bytes(), MASKED, [read_public_key(Path("office.key.pub"))])
    assert path.stat().st_size > 200
    assert flipped(path) == []


# What else an attacker may try.


def rewrite(change: Callable[[dict[str, Any]], object]) -> None:
    envelope = json.loads(ENVELOPE.read_bytes())
    change(envelope)
    ENVELOPE.write_text(json.dumps(envelope, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _sign_payload(envelope: dict[str, Any], change: Callable[[bytes], bytes], kind: str | None = None) -> None:
    """Sign a changed payload with the trusted key itself: it is the form that must be refused then."""
    payload = change(base64.b64decode(envelope["payload"]))
    envelope["payloadType"] = kind or envelope["payloadType"]
    envelope["payload"] = base64.b64encode(payload).decode("ascii")
    signature = read_signing_key(Path("office.key")).sign(pre_authentication_encoding(envelope["payloadType"], payload))
    envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode("ascii")


def _other_bits(text: str) -> str:
    """Return base64 that decodes to the same bytes, with spare bits set."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    body = text.rstrip("=")
    changed = body[:-1] + letters[letters.index(body[-1]) + 1] + text[len(body) :]
    assert base64.b64decode(changed) == base64.b64decode(text)
    return changed


ATTACKS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no signature": lambda e: e["signatures"].clear(),
    "two signatures": lambda e: e["signatures"].append(dict(e["signatures"][0])),
    "signatures that are no list": lambda e: e.update(signatures="x"),
    "an algorithm": lambda e: e["signatures"][0].update(alg="none"),
    "another algorithm's key id": lambda e: e["signatures"][0].update(keyid="rsa:" + e["signatures"][0]["keyid"]),
    "no key id": lambda e: e["signatures"][0].pop("keyid"),
    "a key id that is no text": lambda e: e["signatures"][0].update(keyid=None),
    "an empty signature": lambda e: e["signatures"][0].update(sig=""),
    "a short signature": lambda e: e["signatures"][0].update(sig=e["signatures"][0]["sig"][:40]),
    "spare bits in base64": lambda e: e["signatures"][0].update(sig=_other_bits(e["signatures"][0]["sig"])),
    "base64 without padding": lambda e: e["signatures"][0].update(sig=e["signatures"][0]["sig"].rstrip("=")),
    "base64 with a line feed": lambda e: e.update(payload=e["payload"][:8] + "\n" + e["payload"][8:]),
    "base64 for addresses": lambda e: e["signatures"][0].update(
        sig=base64.urlsafe_b64encode(b"\xff" * 64).decode("ascii")
    ),
    "another kind of payload": lambda e: e.update(payloadType="text/plain"),
    "another kind of payload, signed": lambda e: _sign_payload(e, lambda p: p, "text/plain"),
    "a payload that is not canonical, signed": lambda e: _sign_payload(e, lambda p: p.replace(b":", b": ", 1)),
    "a payload with trailing bytes, signed": lambda e: _sign_payload(e, lambda p: p + b"\n"),
    "a payload with a double key, signed": lambda e: _sign_payload(
        e, lambda p: p[:-1] + b',"_type":"https://in-toto.io/Statement/v1"}'
    ),
    "a payload about another file, signed": lambda e: _sign_payload(
        e, lambda p: p.replace(sha256(MASKED.read_bytes()).hexdigest().encode("ascii"), b"0" * 64)
    ),
    "a payload that is no statement, signed": lambda e: _sign_payload(e, lambda _: b"[]"),
    "an empty payload, signed": lambda e: _sign_payload(e, lambda _: b""),
    "a further entry": lambda e: e.update(extra=1),
    "a payload that is no text": lambda e: e.update(payload=7),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.usefixtures("made")
def test_a_changed_envelope_is_refused(attack: str) -> None:
    assert trusted()
    rewrite(ATTACKS[attack])
    with pytest.raises(NotTrustedError):
        trusted()


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data + b"\n",
        lambda data: data + b" ",
        lambda data: data + b"{}",
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b'  "payload"', b'"payload"', 1),
        lambda data: data.replace(b"{", b'{\n  "payloadType": "application/vnd.in-toto+json",', 1),
        lambda _: b"",
        lambda _: b"[" * 100_000,
        lambda _: b"null",
    ],
)
@pytest.mark.usefixtures("made")
def test_other_bytes_of_the_envelope_are_refused(change: Callable[[bytes], bytes]) -> None:
    ENVELOPE.write_bytes(change(ENVELOPE.read_bytes()))
    with pytest.raises(NotTrustedError):
        trusted()


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data + b"\n",
        lambda data: data.replace(b'"k": 2', b'"k": 2.0', 1),
        lambda data: data.replace(b'"k": 2', b'"k": 2, "k": 2', 1),
        lambda data: data.replace(b'"k": 2', b'"k": 3', 1),
        lambda data: json.dumps(json.loads(data)).encode("utf-8"),
    ],
)
@pytest.mark.usefixtures("made")
def test_other_bytes_of_the_certificate_are_refused(change: Callable[[bytes], bytes]) -> None:
    content = CERTIFICATE.read_bytes()
    assert change(content) != content
    CERTIFICATE.write_bytes(change(content))
    with pytest.raises(NotTrustedError):
        trusted()


@pytest.mark.usefixtures("made")
def test_a_signature_by_another_key_under_the_trusted_id_is_refused() -> None:
    key = json.loads(ENVELOPE.read_bytes())["signatures"][0]["keyid"]
    new_key(Path("thief.key"))
    sign("thief.key")
    with pytest.raises(NotTrustedError, match="not trusted"):
        trusted()
    rewrite(lambda e: e["signatures"][0].update(keyid=key))
    with pytest.raises(NotTrustedError, match="the signature is not one of key"):
        trusted()


@pytest.mark.usefixtures("made")
def test_the_signature_of_one_masking_is_none_of_another(run: Run) -> None:
    assert run(
        "mask", "data.xml", "--rules", "rules.sch", "-k", "2", "--seed", "9", "-o", "o.xml", "--sign", "office.key"
    ).code == 0  # fmt: skip
    ENVELOPE.write_bytes(Path("o.xml.certificate.dsse.json").read_bytes())
    with pytest.raises(NotTrustedError, match="the signature is for something else"):
        trusted()
