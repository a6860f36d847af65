"""Saxon's complaints, one long string each, as errors that name the author's file and line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from constraint_sdc.errors import ConstraintSdcError, JudgeError, RulesError
from constraint_sdc.validate.access import JUDGE
from constraint_sdc.validate.sheet import Place

_HEAD = re.compile(r"^[^\n]*\bon line \d+[^\n]*:\s*$", re.MULTILINE)
# Saxon names a line of the stylesheet as "on line 7", and in its call stack also as "at <uri>#7".
_LINE = re.compile(r"(?:\bon line |\bat \S+#)(\d+)")
_STACK = re.compile(r"^\s*(?:In template|invoked by|at |Caused by|\tat ).*$", re.MULTILINE)


def rules_error(complaint: str, places: Mapping[int, Place]) -> ConstraintSdcError:
    """Return the complaint with the first of the author's lines that it leads to, a JudgeError when it leads to none.

    A static complaint is several, each with a heading; a dynamic one is followed by its call stack.
    """
    for line in _LINE.finditer(complaint):
        place = places.get(int(line[1]))
        if place is not None:
            heads = [head for head in _HEAD.finditer(complaint) if head.start() <= line.start()]
            start = heads[-1].start() if heads and not _STACK.match(heads[-1][0]) else 0
            following = _HEAD.search(complaint, _end_of_line(complaint, line.start()))
            text = readable(complaint[start : following.start() if following and following.start() > start else None])
            return RulesError(f"{place.what}: {text}", file=place.origin.file, line=place.origin.line)
    return JudgeError(f"Saxon stopped: {readable(complaint)}")


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def readable(complaint: str) -> str:
    """Return a complaint on one line: error code and message, without the call stack.

    >>> readable("  FORG0001  Cannot convert\\n  'x' to an integer\\nIn template main on line 2 column 1 of a:\\n")
    "FORG0001: Cannot convert 'x' to an integer"
    """
    text = " ".join(_STACK.sub("", _HEAD.sub("", complaint)).split())
    text = text.replace(f"Q{{{JUDGE}}}", "").replace("Q{http://www.w3.org/2005/xpath-functions}", "")
    return re.sub(r"^([A-Z]{4}\d{4})\s+", r"\1: ", text)


def parser_text(complaint: str) -> str:
    """Return what the XML parser says, in words for a user."""
    text = " ".join(complaint.split()).removeprefix("SXXP0003").strip().removeprefix("Error reported by XML parser:")
    return "a DOCTYPE is not allowed" if "disallow-doctype-decl" in text else text.strip().rstrip(".")
