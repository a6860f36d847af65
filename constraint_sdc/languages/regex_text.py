r"""Regular expressions of R as those of XPath.

R uses extended POSIX expressions (TRE), in which `\` inside brackets is a plain character, or Perl's. XPath has neither
word boundaries nor back references nor look-around; what has no equal is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from constraint_sdc.languages.rule_book import Place, UntranslatedPartError

_ESCAPED = frozenset(r".\()[]{}*+?|^$-")
_PLAIN_ESCAPES = frozenset("/'\"_,:;=@#%&!~<> ")
_CLASSES = {"d": "[0-9]", "D": "[^0-9]", "w": r"[\p{L}\p{N}_]", "W": r"[^\p{L}\p{N}_]", "s": r"\s", "S": r"\S"}
_ASCII_CLASSES = {**_CLASSES, "w": "[A-Za-z0-9_]", "W": "[^A-Za-z0-9_]"}
_CONTROL = {"t": r"\t", "n": r"\n", "r": r"\r"}
_POSIX = {
    "alpha": r"\p{L}",
    "digit": "0-9",
    "alnum": r"\p{L}\p{Nd}",
    "upper": r"\p{Lu}",
    "lower": r"\p{Ll}",
    "space": r"\s",
    "blank": r" \t",
    "xdigit": "0-9A-Fa-f",
}
_HINT = "write it with characters, classes, brackets, '|', '^', '$' and repetitions"


def xpath_regex(pattern: str, place: Place, *, is_perl: bool = False, is_ecma: bool = False) -> str:
    r"""Return R's regular expression as XPath has it, or, if `is_ecma`, that of JSON Schema.

    >>> xpath_regex(r"^[[:alpha:]]\d{2}(a|b)?$", Place(1))
    '^[\\p{L}][0-9]{2}(a|b)?$'
    """
    if is_ecma and ("[]" in pattern or "[^]" in pattern or "[[:" in pattern):
        raise UntranslatedPartError("the regular expression has '[' inside or empty brackets", place, _HINT)
    is_perl |= is_ecma
    classes = _ASCII_CLASSES if is_ecma else _CLASSES
    result: list[str] = []
    at, is_start = 0, True
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            piece, at = _escape(pattern, at, place, classes)
        elif character == "[":
            piece, at = _bracket(pattern, at, place, classes if is_perl else None)
        elif character == "(" and pattern[at + 1 : at + 2] == "?":
            if not (is_perl and pattern.startswith("(?:", at)):
                raise UntranslatedPartError(f"the regular expression has {pattern[at : at + 3]!r}", place, _HINT)
            piece, at = "(", at + 3
        elif character in "*+?{":
            if is_start:
                raise UntranslatedPartError("the regular expression repeats nothing", place, _HINT)
            piece, at = _repetition(pattern, at, place)
        else:
            piece, at = ("\\" + character if character in "}]" else character), at + 1
        is_start = piece in ("(", "|", "^")
        result.append(piece)
    return "".join(result)


def _escape(pattern: str, at: int, place: Place, classes: Mapping[str, str]) -> tuple[str, int]:
    character = pattern[at + 1 : at + 2]
    if character in classes:
        return classes[character], at + 2
    if character in _CONTROL:
        return _CONTROL[character], at + 2
    if character and character in _ESCAPED:
        return f"\\{character}", at + 2
    if character and character in _PLAIN_ESCAPES:
        return character, at + 2
    raise UntranslatedPartError(f"the regular expression has '\\{character}'", place, _HINT)


def _repetition(pattern: str, at: int, place: Place) -> tuple[str, int]:
    """Return a repetition; a question mark behind it asks for the shortest match, which matches the same texts."""
    stop = pattern.find("}", at) + 1 if pattern[at] == "{" else at + 1
    piece = pattern[at:stop]
    low, _, high = piece[1:-1].partition(",")
    if pattern[at] == "{" and not (low + (high or "0")).isdecimal():
        raise UntranslatedPartError(f"the regular expression repeats {piece or pattern[at:]!r} times", place, _HINT)
    if pattern[stop : stop + 1] == "?":
        stop += 1
    if pattern[stop : stop + 1] and pattern[stop] in "*+?{":
        raise UntranslatedPartError("the regular expression repeats a repetition", place, _HINT)
    return piece, stop


def _bracket(pattern: str, at: int, place: Place, classes: Mapping[str, str] | None) -> tuple[str, int]:
    """Return the characters in brackets; `classes` are those behind a backslash, None if it is a plain character."""
    start = at + 1
    result = ["["]
    if pattern[start : start + 1] == "^":
        result.append("^")
        start += 1
    stop, is_first = start, True
    while is_first or pattern[stop : stop + 1] != "]":
        character = pattern[stop : stop + 1]
        if not character:
            raise UntranslatedPartError("the regular expression has '[' without ']'", place, _HINT)
        if pattern.startswith("[:", stop):
            name, _, rest = pattern[stop + 2 :].partition(":]")
            if name not in _POSIX or len(rest) == len(pattern):
                raise UntranslatedPartError(f"the regular expression has [:{name}:]", place, _HINT)
            result.append(_POSIX[name])
            stop += len(name) + 4
        elif character == "\\" and classes is not None:
            piece, stop = _escape(pattern, stop, place, classes)
            result.append(piece[1:-1] if piece.startswith("[") and not piece.startswith("[^") else piece)
        elif pattern.startswith(("[.", "[="), stop):
            raise UntranslatedPartError("the regular expression names a collating element", place, _HINT)
        else:
            result.append(_literal_in_bracket(pattern, stop, is_first))
            stop += 1
        is_first = False
    return "".join(result) + "]", stop + 1


def _literal_in_bracket(pattern: str, at: int, is_first: bool) -> str:
    character = pattern[at]
    if character == "-":
        is_edge = is_first or pattern[at + 1 : at + 2] == "]"
        return "\\-" if is_edge else "-"
    return f"\\{character}" if character in "[]\\^" else character


def glob_regex(pattern: str) -> str:
    """Return a pattern with the wild cards `*` and `?` as a regular expression for the whole text.

    >>> glob_regex("X*.?")
    '^X.*\\\\..$'
    """
    pieces = [{"*": ".*", "?": "."}.get(c, escaped_regex(c)) for c in pattern]
    return "^" + "".join(pieces) + "$"


def escaped_regex(text: str) -> str:
    """Return a text as a regular expression that matches it alone."""
    return "".join(f"\\{c}" if c in _ESCAPED else c for c in text)
