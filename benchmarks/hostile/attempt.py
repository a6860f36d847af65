"""What attempts are made of: files, the words of a command, and what they start from."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

ISO = "http://purl.oclc.org/dsdl/schematron"
XSL = "http://www.w3.org/1999/XSL/Transform"


@dataclass(frozen=True)
class Attempt:
    """Files to write, the words of a command, and whether success would be a lie."""

    what: str
    files: dict[str, bytes]
    words: tuple[str, ...]
    must_fail: bool = False
    outputs: tuple[str, ...] = ()


@dataclass
class Tally:
    """The attempts of one class: refused, named as stated and not checked, and what the faults were."""

    attempts: int = 0
    refused: int = 0
    stated: int = 0
    faults: list[str] = field(default_factory=list)


def rows(count: int = 12) -> bytes:
    return ("<D>\n" + "".join(f"<R><A>{n}</A><B>{n * n}</B></R>\n" for n in range(count)) + "</D>").encode()


def schema(test: str, top: str = "", context: str = "R", more: str = "") -> bytes:
    return (
        f'<schema xmlns="{ISO}" xmlns:xsl="{XSL}" queryBinding="xslt3">{top}<pattern>{more}'
        f'<rule context="{context}"><assert id="a" test="{test}">told</assert></rule></pattern></schema>'
    ).encode()


FALSE = "number(A) lt -1"
TRUE = "number(A) ge 0"


def outputs_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files that a command may leave."""
    return ("masked.xml", "masked.xml.certificate.json") if words[0] == "mask" else ()


def mutated(draw: random.Random, content: bytes) -> bytes:
    """Return the bytes with one to four pieces changed, moved, doubled or cut."""
    for _ in range(draw.randint(1, 4)):
        start = draw.randrange(len(content) + 1)
        stop = min(len(content), start + draw.choice((1, 1, 2, 8, 40)))
        piece = content[start:stop]
        odd = (b"", b"<", b"&#0;", b"]]>", b"\xff", b"\0", b"<!--", b"&x;", b'"', piece * 3, piece[::-1])
        content = content[:start] + draw.choice(odd) + content[stop:]
    return content
