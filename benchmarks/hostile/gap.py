"""Files that two parsers could read differently, judged by both engines: one verdict, or refused by both.

`make gap` compares 5,100 files cell by cell, and with expat and lxml too; here the command line alone is asked, so that
any checkout can be.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from pathlib import Path
from typing import Any
from xml.parsers import expat

from hostile.attempt import ISO, Tally
from hostile.running import ran

# By its place: another checkout has other tests.
_FILES = Path(__file__).resolve().parents[2] / "tests" / "parser_gap" / "gap_files.py"
_SPEC = importlib.util.spec_from_file_location("gap_files", _FILES)
assert _SPEC is not None
assert _SPEC.loader is not None
gap_files = importlib.util.module_from_spec(_SPEC)
sys.modules["gap_files"] = gap_files
_SPEC.loader.exec_module(gap_files)

EACH = 6  # files of each kind
TESTS = (
    "number(V1) &lt; 6",
    "V1 = V2",
    "V1 = '5'",
    "string-length(V1) &lt;= 2",
    "V1 castable as xs:double",
    "V1 castable as xs:integer",
    "contains(V2, '5')",
    "@id = '0'",
    "number(V3) = (5, 12, 1000)",
    "exists(V3) and V3 != ''",
    "V1 = ('é', 'a', '-INF')",
    "normalize-space(V1) = V1",
)
RULES = (
    f'<schema xmlns="{ISO}" queryBinding="xslt2"><ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>'
    '<pattern><rule context="R">'
    + "".join(f'<assert test="{test}">no</assert>' for test in TESTS)
    + "</rule></pattern>"
    '<pattern><rule context="R/V2"><assert test="number(.) &lt; 6">big</assert></rule></pattern></schema>'
)


def run_gap(draw: random.Random, ground: Path) -> Tally:
    """Judge files of every kind with both engines."""
    tally = Tally()
    (ground / "rules.sch").write_text(RULES, encoding="utf-8")
    first = draw.randrange(5000)
    for kind in gap_files.KINDS:
        for number in range(first, first + EACH):
            content = gap_files.gap_file(kind, number).data
            (ground / "data.xml").write_bytes(content)
            codes, verdicts = zip(*(_verdict(engine, ground) for engine in ("auto", "saxon")), strict=True)
            tally.attempts += 1
            tally.refused += codes == (2, 2) and verdicts == (None, None)
            if verdicts[0] != verdicts[1] or codes[0] != codes[1]:
                tally.faults.append(f"{kind} {number}: exit codes {codes}, verdicts differ")
            elif verdicts[0] is not None and not _is_well_formed(content):
                tally.faults.append(f"{kind} {number}: judged, but not well-formed")
    return tally


def _verdict(engine: str, ground: Path) -> tuple[int, Any]:
    """Return the exit code, and the counts of every rule; None if the file was refused."""
    words = ("check", "data.xml", "--rules", "rules.sch", "--format", "json", "--allow-idle", "all", "--engine", engine)
    code, out, told = ran(words, ground)
    if "no such option" in told.lower():
        code, out, told = ran((*words[:6], *words[8:]), ground)
    try:
        report = json.loads(out)
    except ValueError:
        return code, None
    return code, [(one["rule"], one["fired"], one["failed"], one["errors"]) for one in report["results"]]


def _is_well_formed(content: bytes) -> bool:
    """Tell whether expat reads it; what expat cannot decode (UTF-32 among others) is not its to judge."""
    if b"\0\0" in content[:4] or b"utf8" in content[:60].lower():
        return True
    try:
        expat.ParserCreate().Parse(content, True)
    except expat.ExpatError as error:
        return error.code in (expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING], 18, 19)
    except (ValueError, LookupError):
        return True
    return True
