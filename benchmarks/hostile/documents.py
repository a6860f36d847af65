"""Hostile recipes, plans, certificates and tables."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from hostile.attempt import TRUE, Attempt, mutated, outputs_of, rows, schema
from hostile.running import made


def hostile_recipes(draw: random.Random) -> Iterator[Attempt]:
    words = ("mask", "data.xml", "--recipe", "recipe.yml", "-o", "masked.xml")
    tags = (
        "!!bool maybe",
        "!!timestamp x",
        "!!int x",
        "!!python/object/apply:os.system [id]",
        "!!binary '%'",
        "&a [*a]",
    )
    for value in (*tags, "-1", "0", "1", "1e9", ".nan", "99999999999999999999", "'5'", "[5]", "{}", "~", "\x1b[31m"):
        yield Attempt(
            f"k: {value}",
            {"recipe.yml": f"k: {value}\n".encode(), "data.xml": rows()},
            words,
            outputs=outputs_of(words),
        )
    whole = b"k: 3\nrecord: R\nseed: 1\nvariables:\n  A: {role: confidential}\n  B: {weight: 2}\ngroups: [[A, B]]\n"
    yield Attempt("none", {"recipe.yml": whole, "data.xml": rows()}, words, outputs=outputs_of(words))
    for _ in range(150):
        files = {"recipe.yml": mutated(draw, whole), "data.xml": rows()}
        yield Attempt("mutated", files, words, outputs=outputs_of(words))


ODD: tuple[Any, ...] = (-1, 10**30, "x", None, [], {}, 0.5, True, "\x1b[2J\n::error::x", "../../x")


def hostile_plans(draw: random.Random) -> Iterator[Attempt]:
    words = ("mask", "data.xml", "--rules", "rules.sch", "--plan", "plan.json", "-o", "masked.xml")
    files = {"data.xml": rows(), "rules.sch": schema(TRUE)}
    saved = made(files, ("plan", "data.xml", "--rules", "rules.sch", "-k", "3", "--out", "plan.json"), "plan.json")
    for what, content in tampered(draw, saved, 150):
        yield Attempt(what, {"plan.json": content, **files}, words, outputs=outputs_of(words))


def hostile_certificates(draw: random.Random) -> Iterator[Attempt]:
    """A change of the certificate that passes without being named is a fault; that is counted by `tampered fields`."""
    files = {"data.xml": rows(), "rules.sch": schema(TRUE)}
    name = "masked.xml.certificate.json"
    masking = ("mask", "data.xml", "--rules", "rules.sch", "-k", "3", "-o", "masked.xml")
    saved = made(files, masking, name)
    masked = made(files, masking, "masked.xml")
    words = ("check", "masked.xml", "--rules", "rules.sch", "--certificate", name)
    for what, content in tampered(draw, saved, 150):
        yield Attempt(what, {name: content, "masked.xml": masked, **files}, words)


def tampered(draw: random.Random, content: bytes, count: int) -> Iterator[tuple[str, bytes]]:
    """Yield JSON with an entry replaced, removed or added, and some that is no JSON any more."""
    whole = json.loads(content)
    places = list(entries(whole))
    for number in range(count):
        path = draw.choice(places)
        if number % 5 == 4:
            yield "mutated bytes", mutated(draw, content)
            continue
        changed = json.loads(content)
        inner = changed
        for step in path[:-1]:
            inner = inner[step]
        match number % 5:
            case 0 if isinstance(inner, dict):
                del inner[path[-1]]
            case 1 if isinstance(inner, dict):
                inner["added"] = draw.choice(ODD)
            case _:
                inner[path[-1]] = draw.choice(ODD)
        yield "/".join(map(str, path)), json.dumps(changed).encode()


def entries(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from entries(item, (*path, key))


def hostile_tables(draw: random.Random) -> Iterator[Attempt]:
    text = b'A,B,C\n1,2,x\n3,4,"y""z"\n5,6,=cmd\n'
    for encoding in ("rot13", "hex", "undefined", "idna", "utf-7", "unicode_escape", "nosuch"):
        words = ("convert", "rows.csv", "rows.xml", "--encoding", encoding)
        yield Attempt(f"encoding {encoding}", {"rows.csv": text}, words, outputs=("rows.xml",))
    for number in range(120):
        words = (
            ("convert", "rows.csv", "rows.xml")
            if number % 2
            else ("partition", "rows.csv", "-k", "2", "--partition", "mdav")
        )
        yield Attempt("mutated CSV", {"rows.csv": mutated(draw, text)}, words, outputs=("rows.xml",))
    stored = made({"data.xml": rows()}, ("convert", "data.xml", "rows.parquet"), "rows.parquet")
    for _ in range(60):
        words = ("convert", "rows.parquet", "rows.xml")
        yield Attempt("mutated Parquet", {"rows.parquet": mutated(draw, stored)}, words, outputs=("rows.xml",))
