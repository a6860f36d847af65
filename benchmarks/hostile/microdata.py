"""Hostile microdata: XML that reads files, grows, nests, or speaks to the log; encodings; damaged bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hostile.attempt import TRUE, Attempt, mutated, outputs_of, rows, schema


def hostile_data(draw: random.Random) -> Iterator[Attempt]:
    check = ("check", "data.xml", "--rules", "rules.sch")
    mask = ("mask", "data.xml", "-k", "3", "-o", "masked.xml")
    rules = {"rules.sch": schema(TRUE)}
    body = rows().decode()
    secret = "file:///" + "SECRET"
    crafted = {
        "external entity": f'<!DOCTYPE D [<!ENTITY x SYSTEM "{secret}">]>' + body.replace("<A>1<", "<A>&x;<"),
        "parameter entity": f'<!DOCTYPE D [<!ENTITY % x SYSTEM "{secret}"> %x;]>' + body,
        "entity bomb": '<!DOCTYPE D [<!ENTITY a "aaaaaaaaaa">'
        + "".join(f'<!ENTITY {c} "{f"&{p};" * 10}">' for p, c in zip("abcdefgh", "bcdefghi", strict=True))
        + "]>"
        + body.replace("<A>1<", "<A>&i;<"),
        "XInclude": body.replace("<D>", '<D xmlns:xi="http://www.w3.org/2001/XInclude">').replace(
            "<A>1<", f'<A><xi:include href="{secret}" parse="text"/><'
        ),
        "stylesheet instruction": f'<?xml-stylesheet href="{secret}"?>' + body,
        "schema location": body.replace(
            "<D>", f'<D xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:noNamespaceSchemaLocation="{secret}">'
        ),
        "deep": "<D>" + "<x>" * 5000 + "</x>" * 5000 + "</D>",
        "long name": "<D>" + f"<{'n' * 20000}><A>1</A></{'n' * 20000}>" * 2 + "</D>",
        "many names": "<D>" + "".join(f"<r{n}><A>1</A></r{n}>" for n in range(20000)) + "</D>",
        "many namespaces": "<D " + " ".join(f'xmlns:p{n}="u:{n}"' for n in range(5000)) + ">" + body[3:],
        "many attributes": "<D><R " + " ".join(f'a{n}="1"' for n in range(9000)) + '/><R a1="2"/></D>',
        "terminal sequences": body.replace("<A>1<", "<A>\u009b31m&#x9b;2J<"),
        "CI command": body.replace("<A>1<", "<A>\n::error file=x::told\n<"),
        "empty": "",
        "only a mark": "\ufeff",
    }
    for what, text in crafted.items():
        for words in (check, mask):
            yield Attempt(what, {"data.xml": text.encode(), **rules}, words, outputs=outputs_of(words))
    for encoding in ("utf-7", "utf-32-be", "utf-16", "shift_jis", "cp037", "hz", "unicode_escape", "rot13", "none"):
        declared = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + rows()
        yield Attempt(f"declared {encoding}", {"data.xml": declared, **rules}, check)
    for start in (b"\x1f\x8b\x08", b"PK\x03\x04", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"):
        yield Attempt("compressed", {"data.xml": start + rows(), **rules}, check)
    for number in range(150):
        words = mask if number % 3 == 0 else check
        yield Attempt("mutated", {"data.xml": mutated(draw, rows()), **rules}, words, outputs=outputs_of(words))
