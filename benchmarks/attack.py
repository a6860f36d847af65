"""Hostile inputs of every class, run through the command line: how many there were, and how many achieved something.

    python benchmarks/attack.py                                 all classes on this checkout
    python benchmarks/attack.py rules plans --seed 3            some of them
    python benchmarks/attack.py --before CHECKOUT               the same attempts on another checkout, beside this one

An attempt succeeds for the attacker, and counts as a fault, when the program prints a traceback, ends with an exit code
that it does not document, says of rules that must fail that they hold, shows or changes a file that it may not read,
leaves another file than its output, writes control characters or commands to a log, or does not end. Attempts are drawn
from a seed and are the same for every checkout.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[1]
SECRET = "canary-7f3a9c"
SECONDS = 120  # on a busy machine; no attempt should need more than a few
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
    """The attempts of one class, and what the faults were."""

    attempts: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)


# What attempts start from


def rows(count: int = 12) -> bytes:
    return ("<D>\n" + "".join(f"<R><A>{n}</A><B>{n * n}</B></R>\n" for n in range(count)) + "</D>").encode()


def schema(test: str, top: str = "", context: str = "R", more: str = "") -> bytes:
    return (
        f'<schema xmlns="{ISO}" xmlns:xsl="{XSL}" queryBinding="xslt3">{top}<pattern>{more}'
        f'<rule context="{context}"><assert id="a" test="{test}">told</assert></rule></pattern></schema>'
    ).encode()


FALSE = "number(A) lt -1"
TRUE = "number(A) ge 0"


# Microdata


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
            yield Attempt(what, {"data.xml": text.encode(), **rules}, words, outputs=_outputs(words))
    for encoding in ("utf-7", "utf-32-be", "utf-16", "shift_jis", "cp037", "hz", "unicode_escape", "rot13", "none"):
        declared = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + rows()
        yield Attempt(f"declared {encoding}", {"data.xml": declared, **rules}, check)
    for start in (b"\x1f\x8b\x08", b"PK\x03\x04", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"):
        yield Attempt("compressed", {"data.xml": start + rows(), **rules}, check)
    for number in range(150):
        words = mask if number % 3 == 0 else check
        yield Attempt("mutated", {"data.xml": mutated(draw, rows()), **rules}, words, outputs=_outputs(words))


def _outputs(words: tuple[str, ...]) -> tuple[str, ...]:
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


# Rules


def hostile_rules(draw: random.Random) -> Iterator[Attempt]:
    check = ("check", "data.xml", "--rules", "rules.sch", "--engine", "saxon")
    data = {"data.xml": rows()}
    off = {
        "template takes all": '<xsl:template name="m" match="*" priority="99" mode="#all"/>',
        "template by pattern": '<xsl:template match="R" priority="1000" mode="#all"/>',
        "mode": '<xsl:mode on-no-match="deep-skip"/>',
        "strip space": '<xsl:strip-space elements="*"/>',
        "output": '<xsl:output method="text"/>',
        "import": '<xsl:import href="other.xsl"/>',
        "include": '<xsl:include href="other.xsl"/>',
        "package": '<xsl:use-package name="urn:x"/>',
        "global context": '<xsl:global-context-item use="absent"/>',
        "function of ours": '<xsl:function name="f:number" xmlns:f="http://www.w3.org/2005/xpath-functions">'
        '<xsl:param name="x"/><xsl:sequence select="-5"/></xsl:function>',
        "version": '<xsl:key name="k" match="R" use="A" version="9.0" use-when="false()"/>',
        "attribute set": '<xsl:attribute-set name="s"/>',
        "namespace alias": '<xsl:namespace-alias stylesheet-prefix="xsl" result-prefix="xsl"/>',
        "accumulator": '<xsl:accumulator name="a" initial-value="0">'
        '<xsl:accumulator-rule match="R" select="1"/></xsl:accumulator>',
        "character map": '<xsl:character-map name="c"/>',
        "evaluate": '<xsl:function name="f:f" xmlns:f="urn:f"><xsl:evaluate xpath="\'1\'"/></xsl:function>',
        "result document": '<xsl:function name="f:f" xmlns:f="urn:f">'
        '<xsl:result-document href="out.txt">x</xsl:result-document></xsl:function>',
        "message": '<xsl:function name="f:f" xmlns:f="urn:f">'
        '<xsl:message terminate="yes">x</xsl:message></xsl:function>',
        "let that stops": '<let name="x" value="error()"/>',
        "let of ours": '<let name="most" value="0"/>',
    }
    for what, top in off.items():
        yield Attempt(f"judge off: {what}", {"rules.sch": schema(FALSE, top), **data}, check, must_fail=True)
    for context in ("r", "R[false()]", "/R", "D/r", "text()", "@R", "*[self::r]"):
        files = {"rules.sch": schema(FALSE, context=context), **data}
        yield Attempt(f"idle context {context}", files, check[:4], must_fail=True)
    taken = '<rule context="*"><report id="z" test="false()">x</report></rule>'
    yield Attempt("hidden rule", {"rules.sch": schema(FALSE, more=taken), **data}, check[:4], must_fail=True)
    for name in ("judge", "judge:internal"):
        for test in (f"Q{{urn:constraint-sdc:{name}}}text(A) = '1'", f"exists($Q{{urn:constraint-sdc:{name}}}most)"):
            yield Attempt("names of the judge", {"rules.sch": schema(test), **data}, check)
    reading = (
        "unparsed-text('SECRET')", "doc('SECRET')", "document('SECRET')", "json-doc('SECRET')",
        "unparsed-text-lines('SECRET')",
        "collection('.')", "uri-collection('.')", "environment-variable('CANARY')", "doc('http://127.0.0.1:9/x')",
        "unparsed-text(concat('SEC', 'RET'))", "function-lookup(xs:QName('fn:unparsed-text'), 1)('SECRET')",
        "transform(map{'stylesheet-location': 'SECRET'})", "load-xquery-module('urn:x')", "doc('../secret/SECRET')",
        "unparsed-text('..%2Fsecret%2FSECRET')", "doc('file:/etc/passwd')", "doc('link.xml')",
        "unparsed-text('/proc/self/environ')",
    )  # fmt: skip
    for test in reading:
        files = {"rules.sch": schema(f"string({test}) = 'x'"), **data}
        yield Attempt(f"reads: {test}", files, (*check, "--show-values"))
    for href in ("SECRET", "../secret/SECRET", "file:///etc/passwd", "http://127.0.0.1:9/x", "link.xml"):
        files = {"rules.sch": schema(TRUE, f'<include href="{href}"/>'), **data}
        yield Attempt("includes", files, check)
    for text in ("\n::error::told", "\x85::error::x", "\u202e", "a" * 100_000):
        escaped = text.replace("\n", "&#10;")
        files = {"rules.sch": schema(FALSE, f"<title>{escaped}</title>"), **data}
        yield Attempt("speaks to the log", files, ("check", "data.xml", "--rules", "rules.sch"), must_fail=True)
    for _ in range(150):
        yield Attempt("mutated", {"rules.sch": mutated(draw, schema(FALSE)), **data}, check[:4])


# Recipes, plans, certificates


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
            f"k: {value}", {"recipe.yml": f"k: {value}\n".encode(), "data.xml": rows()}, words, outputs=_outputs(words)
        )
    whole = b"k: 3\nrecord: R\nseed: 1\nvariables:\n  A: {role: confidential}\n  B: {weight: 2}\ngroups: [[A, B]]\n"
    yield Attempt("none", {"recipe.yml": whole, "data.xml": rows()}, words, outputs=_outputs(words))
    for _ in range(150):
        files = {"recipe.yml": mutated(draw, whole), "data.xml": rows()}
        yield Attempt("mutated", files, words, outputs=_outputs(words))


ODD: tuple[Any, ...] = (-1, 10**30, "x", None, [], {}, 0.5, True, "\x1b[2J\n::error::x", "../../x")


def hostile_plans(draw: random.Random) -> Iterator[Attempt]:
    words = ("mask", "data.xml", "--rules", "rules.sch", "--plan", "plan.json", "-o", "masked.xml")
    files = {"data.xml": rows(), "rules.sch": schema(TRUE)}
    saved = made(files, ("plan", "data.xml", "--rules", "rules.sch", "-k", "3", "--out", "plan.json"), "plan.json")
    for what, content in tampered(draw, saved, 150):
        yield Attempt(what, {"plan.json": content, **files}, words, outputs=_outputs(words))


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


# Tables


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


CLASSES: dict[str, Callable[[random.Random], Iterator[Attempt]]] = {
    "data": hostile_data,
    "rules": hostile_rules,
    "recipes": hostile_recipes,
    "plans": hostile_plans,
    "certificates": hostile_certificates,
    "tables": hostile_tables,
}


# Running


class TooLongError(BaseException):
    """The attempt did not end."""


def ran(words: tuple[str, ...], folder: Path) -> tuple[int, str, str]:
    """Run the command line in this process: exit code and both streams; 999 when it does not end."""
    from constraint_sdc.cli import main

    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    before, arguments = Path.cwd(), sys.argv
    code: Any = None
    watchdog = subprocess.Popen(["sh", "-c", f"sleep {SECONDS}; kill -USR1 {os.getpid()}"])
    try:
        os.chdir(folder)
        sys.argv = ["constraint-sdc", *words]
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            main()
    except SystemExit as stop:
        code = stop.code
    except TooLongError:
        code = 999
    finally:
        watchdog.kill()
        watchdog.wait()
        os.chdir(before)
        sys.argv = arguments
    out, told = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams)  # type: ignore[attr-defined]
    return int(code or 0), out, told


def made(files: dict[str, bytes], words: tuple[str, ...], name: str) -> bytes:
    """Return a file that a command writes."""
    with tempfile.TemporaryDirectory() as folder:
        for other, content in files.items():
            (Path(folder) / other).write_bytes(content)
        ran(words, Path(folder))
        return (Path(folder) / name).read_bytes()


def fault(attempt: Attempt, ground: Path) -> tuple[str | None, bool]:
    """Carry out an attempt; return what it achieved, if anything, and whether it was refused."""
    work, hidden = ground / "work", ground / "secret"
    for folder in (work, hidden):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    secret = hidden / "secret.xml"
    secret.write_text(f"<s>{SECRET}</s>")
    (work / "link.xml").symlink_to(secret)
    place = str(secret).lstrip("/").encode()
    for name, content in attempt.files.items():
        (work / name).write_bytes(
            content.replace(b"file:///SECRET", b"file:///" + place).replace(b"SECRET", b"../secret/secret.xml")
        )
    known = {path.name for path in work.iterdir()} | set(attempt.outputs)
    code, out, told = ran(attempt.words, work)
    return _achieved(attempt, code, out, told, work, known, secret), code != 0


def _achieved(
    attempt: Attempt, code: int, out: str, told: str, work: Path, known: set[str], secret: Path
) -> str | None:
    if code == 999:
        return f"did not end within {SECONDS} s"
    if code not in (0, 1, 2, 3):
        return f"exit code {code}"
    if "Traceback" in told:
        return "traceback: " + told.strip().split("\n")[-2][:100]
    if attempt.must_fail and code == 0:
        return "said that rules hold which do not"
    if SECRET in out + told or secret.read_text() != f"<s>{SECRET}</s>":
        return "a file that may not be read"
    written = {path.name: path for path in work.iterdir() if path.name not in attempt.files}
    if extra := set(written) - known:
        return f"left {sorted(extra)[0]}"
    if code != 0 and (torn := set(attempt.outputs) & set(written)):
        return f"{sorted(torn)[0]} in spite of exit code {code}"
    if any(SECRET in path.read_text("utf-8", "replace") for name, path in written.items() if name != "link.xml"):
        return "a file that may not be read, in an output"
    for line in (out + "\n" + told).split("\n"):
        if line.lstrip().startswith(("::", "##")) or re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", line):
            return f"a line of its own in the log: {line[:60]!r}"
    return None


def run_classes(names: list[str], seed: int) -> dict[str, Tally]:
    def ring(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGUSR1, ring)
    os.environ["CANARY"] = SECRET
    found: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            tally = found[name] = Tally()
            for attempt in CLASSES[name](random.Random(f"{seed} {name}")):
                achieved, is_refused = fault(attempt, Path(folder))
                tally.attempts += 1
                tally.refused += is_refused
                if achieved:
                    tally.faults.append(f"{attempt.what}: {achieved}")
    return found


def of_checkout(checkout: Path, names: list[str], seed: int) -> dict[str, Tally]:
    """Run the same attempts on the code of another checkout."""
    words = [sys.executable, str(Path(__file__).resolve()), *names, "--seed", str(seed), "--json"]
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return {name: Tally(**tally) for name, tally in json.loads(done.stdout).items()}


def table(found: dict[str, Tally], before: dict[str, Tally]) -> str:
    head = "| class | attempts | refused | faults |" + (" faults before |" if before else "")
    lines = [head, "|---|---:|---:|---:|" + ("---:|" if before else "")]
    for name, tally in found.items():
        row = f"| {name} | {tally.attempts} | {tally.refused} | {len(tally.faults)} |"
        lines.append(row + (f" {len(before[name].faults)} |" if before else ""))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*", choices=[*CLASSES, []], help="which classes; all by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--before", type=Path, help="another checkout to compare with")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    names = given.classes or list(CLASSES)
    found = run_classes(names, given.seed)
    if given.json:
        print(json.dumps({name: vars(tally) for name, tally in found.items()}))
        return 0
    before = of_checkout(given.before, names, given.seed) if given.before else {}
    print(table(found, before))
    for title, tallies in (("faults", found), ("faults before", before)):
        for name, tally in tallies.items():
            for text in tally.faults:
                print(f"{title}, {name}: {text}")
    return 1 if any(tally.faults for tally in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
