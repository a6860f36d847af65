"""Show R expressions as R text."""

from __future__ import annotations

from constraint_sdc.languages.r_validate.syntax import RCall, RExpression, RLogical, RName, RNumber, RString
from constraint_sdc.languages.xpath_piece import number_text

_OPERATORS = frozenset(
    {"+", "-", "*", "/", "^", "==", "!=", "<", ">", "<=", ">=", "&", "&&", "|", "||", ":=", "~", ":"}
)


def show_r(expression: RExpression) -> str:
    """Return the expression as R.

    >>> from constraint_sdc.languages.r_validate.parse import parse_r
    >>> show_r(parse_r("if ((x+1)*2 > 0) sum(y, na.rm=TRUE) == -1")[0].expression)
    'if ((x + 1) * 2 > 0) sum(y, na.rm = TRUE) == -1'
    """
    match expression:
        case RName(name):
            return name
        case RNumber(value):
            return number_text(value)
        case RString(value):
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case RLogical(value):
            return {True: "TRUE", False: "FALSE", None: "NA"}[value]
        case RCall("(", (inner,)):
            return f"({show_r(inner)})"
        case RCall("if", arguments):
            parts = list(map(show_r, arguments))
            return f"if ({parts[0]}) {parts[1]}" + (f" else {parts[2]}" if len(parts) > 2 else "")
        case RCall(function, (one,)) if function in ("-", "+", "!", "~"):
            return f"{function}{show_r(one)}"
        case RCall(function, (left, right)) if function in _OPERATORS or function.startswith("%"):
            space = "" if function in (":", "^") else " "
            return f"{show_r(left)}{space}{function}{space}{show_r(right)}"
        case RCall(function, arguments):
            shown = zip(expression.names, map(show_r, arguments), strict=True)
            return f"{function}({', '.join(f'{name} = {one}' if name else one for name, one in shown)})"
