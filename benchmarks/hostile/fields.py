"""A true certificate with one field or bit changed: refused, named as stated and not checked, or passed in silence."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hostile.attempt import TRUE, Tally, rows, schema
from hostile.running import ran

CERTIFICATE, ENVELOPE = "masked.xml.certificate.json", "masked.xml.certificate.dsse.json"
MASK = ("mask", "data.xml", "--rules", "rules.sch", "-k", "3", "-o", "masked.xml")
CHECK = ("check", "masked.xml", "--rules", "rules.sch", "--certificate", CERTIFICATE, "--format", "json")
BITS = 300
FIELDS = 100  # of each certificate
RECIPE = b"seed: 1\nvariables:\n  A: {role: confidential}\n  B: {weight: 2}\ngroups: [[A, B]]\n"

Path_ = tuple[Any, ...]


def run_fields(draw: random.Random, ground: Path) -> Tally:
    """Change fields of two certificates, drawn from all fields and ways, and check without the original.

    `tests/commands/test_certificate_fields.py` changes every field of certificates of every masker.
    """
    tally = Tally()
    for recipe in (None, RECIPE):
        _publish(ground, recipe)
        content = json.loads((ground / CERTIFICATE).read_text("utf-8"))
        for path, what, changed in draw.sample(list(_changed(draw, content)), FIELDS):
            (ground / CERTIFICATE).write_text(json.dumps(changed), encoding="utf-8")
            code, out, _ = ran(CHECK, ground)
            tally.attempts += 1
            if code:
                tally.refused += 1
            elif _row(path, changed) in _stated(out):
                tally.stated += 1
            else:
                tally.faults.append(f"{'/'.join(map(str, path))} {what}: not noticed")
    return tally


def _publish(ground: Path, recipe: bytes | None, *more: str) -> None:
    for path in ground.iterdir():
        path.unlink()
    (ground / "data.xml").write_bytes(rows())
    (ground / "rules.sch").write_bytes(schema(TRUE))
    if recipe is not None:
        (ground / "recipe.yml").write_bytes(recipe)
        more = (*more, "--recipe", "recipe.yml")
    code, _, told = ran((*MASK, *more), ground)
    if code:
        raise SystemExit(f"the masking to start from failed: {told}")


def _row(path: Path_, content: dict[str, Any]) -> str | None:
    """Return the name by which a field is listed as stated; None in a checkout that lists none."""
    try:
        from constraint_sdc.commands.certificate.basis import row_of
        from constraint_sdc.commands.certificate.leaves import pattern_of
    except ImportError:
        return None
    row = row_of(pattern_of(path, content))
    return None if row is None else row[0]


def _stated(out: str) -> list[str]:
    return list(json.loads(out).get("certificate", {}).get("stated", ())) if out.startswith("{") else []


def _changed(draw: random.Random, content: dict[str, Any]) -> Iterator[tuple[Path_, str, dict[str, Any]]]:
    seen: set[Path_] = set()
    for path, value in list(_leaves(content)):
        kind = tuple("*" if isinstance(step, int) else step for step in path)
        others = list(_others(value))
        for other in others if kind not in seen else [draw.choice(others)]:
            yield path, f"= {other!r}"[:40], _with(content, path, other)
        if kind not in seen:
            yield path, "removed", _with(content, path, None, remove=True)
        seen.add(kind)


def _leaves(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not inner or not value:
        yield path, value
    for key, item in inner:
        yield from _leaves(item, (*path, key))


def _others(value: Any) -> Iterator[Any]:
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, 0 if value else 7)
        case float():
            yield from (value * 1.01 + 0.01, value + 1e-7)
        case str():
            yield from (value + "x", ("1" if value[:1] == "0" else "0") + value[1:])
        case None:
            yield from ("mdav", 0)
        case _:
            yield from (["x"], {"x": 1})


def _with(content: dict[str, Any], path: Path_, other: Any, *, remove: bool = False) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(json.dumps(content))
    inner: Any = changed
    for step in path[:-1]:
        inner = inner[step]
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = other
    return changed


def run_bits(draw: random.Random, ground: Path) -> Tally:
    """Change one bit of the masked file, the certificate or the signature; a checkout without keys has no signature."""
    signed = ran(("key", "new", "office.key"), ground)[0] == 0
    key = {path.name: path.read_bytes() for path in ground.glob("office.key*")}
    _publish(ground, None)
    words = CHECK
    if signed:
        for name, content in key.items():
            (ground / name).write_bytes(content)
            (ground / name).chmod(0o600)
        if ran((*MASK, "--overwrite", "--sign", "office.key"), ground)[0]:
            raise SystemExit("the masking to start from could not be signed")
        words = (*CHECK, "--trust", "office.key.pub")
    tally = Tally()
    names = ["masked.xml", CERTIFICATE, *([ENVELOPE] if signed else [])]
    for number in range(BITS):
        file = ground / names[number % len(names)]
        content = file.read_bytes()
        place = draw.randrange(8 * len(content))
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        file.write_bytes(changed)
        code, _, told = ran(words, ground)
        tally.attempts += 1
        tally.refused += code != 0
        if code == 0:
            tally.faults.append(f"bit {place} of {file.name}: not noticed")
        elif code not in (1, 2) or "Traceback" in told:
            tally.faults.append(f"bit {place} of {file.name}: exit code {code}")
        file.write_bytes(content)
    return tally
