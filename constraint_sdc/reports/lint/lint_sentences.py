"""What is wrong with a rule set, in words."""

from __future__ import annotations

from collections.abc import Callable


def _listed(rules: list[str]) -> str:
    return rules[0] if len(rules) == 1 else f"{', '.join(rules[:-1])} and {rules[-1]}"


def _conflict(rules: list[str]) -> str:
    if len(rules) == 1:
        return "no record can satisfy this rule"
    return f"no record can satisfy {_listed(rules)} together; without any one of them, the others can hold"


def _conflict_of_values(rules: list[str]) -> str:
    if len(rules) == 1:
        return "no record in which all of its values are there can satisfy this rule"
    return f"no record in which all values are there can satisfy {_listed(rules)} together"


def _hidden(lines: list[int], contexts: str) -> str:
    several = len(lines) > 1
    where = f"lines {', '.join(map(str, lines))}" if several else f"line {lines[0]}"
    return (
        f"never tested: the rule{'s' if several else ''} at {where} of the same pattern (context {contexts}) "
        f"take{'' if several else 's'} every node first"
    )


def _text_order(records: int | None, comparison: str) -> str:
    example = "as text, 9 comes after 10"
    if records is not None:
        example = f"in {records:,} record{'' if records == 1 else 's'} the order as numbers is another"
    return f"{comparison} compares texts, character by character: {example}; write number(...) to compare numbers"


def _inexact(failing: int, correct: int, example: list[str], is_known: bool, comparison: str) -> str:
    if_so = "" if is_known else "if the values have decimals, "
    return (
        f"{comparison} is computed in double arithmetic: {if_so}{failing:,} of {correct:,} exactly correct records "
        f"that were tried fail, such as {', '.join(example)}; write xs:decimal(...), or allow a tolerance"
    )


def _missing_guard(variable: str, breaks: bool, records: int, guarded_by: str | None) -> str:
    why = f"is missing in {records:,} record{'' if records == 1 else 's'}"
    if guarded_by is not None:
        why = f"may be missing, as rule {guarded_by} says"
    what = "a missing value breaks the rule" if breaks else "a missing value satisfies the rule without any check"
    return f"{variable} {why}, and {what}; say what is meant, such as not({variable}) or ..."


def _quadratic(is_domain: bool, path: str) -> str:
    who = "other processors look" if is_domain else "the test looks"
    return (
        f"{who} through {path} again for every record, so that time grows with the square of the records; use xsl:key"
    )


def _explosive(start: str, word: str, regex: str) -> str:
    after = f" after {start!r}" if start else ""
    return (
        f"the regular expression {regex} can take exponential time: each further {word!r}{after} doubles the ways that "
        "a backtracking engine tries"
    )


def _constant(failed: int, checked: int, constant: str, better: str | None) -> str:
    said = f"fails in {failed:,} of {checked:,} records"
    if better is None:
        return f"{said}; check the constant {constant}"
    return f"{said}; with {better} in place of {constant}, nearly all records satisfy it: check the unit"


_QUESTIONS = {
    "conflict": "whether {name} and the rules that share variables with it contradict each other",
    "condition": "whether the condition of rule {name} can hold",
    "implied": "whether rule {name} follows from others",
    "range": "whether rules fix or bound {name}",
}

LINT_SENTENCES: dict[str, str | Callable[..., str]] = {
    "lint-conflict": _conflict,
    "lint-conflict-of-values": _conflict_of_values,
    "lint-conditional-conflict": lambda rules: (
        f"where its condition holds, no record can satisfy it together with {_listed(rules)}"
    ),
    "lint-contradictory-condition": "its condition contradicts itself ({condition}), so that it is never tested",
    "lint-never-fires": lambda rules: f"its condition never holds where {_listed(rules)} hold{_s(rules)}",
    "lint-always-holds": "can never fail: every record satisfies it",
    "lint-implied": lambda rules: f"can never fail where {_listed(rules)} hold{_s(rules)}: it follows from that",
    "lint-duplicate": "says the same as rule {rule}",
    "lint-fixed": lambda variable, value, rules: (
        f"{variable} can only be {value}: that follows from {_listed(rules)}, and no rule says it"
    ),
    "lint-bound": lambda variable, side, value, rules: (
        f"{variable} is {side} {value}: that follows from {_listed(rules)}, and no rule says it"
    ),
    "lint-never-present": lambda variable, rules: (
        f"{variable} can never have a value: no record with one satisfies {_listed(rules)}"
    ),
    "lint-hidden": _hidden,
    "lint-text-order": _text_order,
    "lint-inexact": _inexact,
    "lint-missing-guard": _missing_guard,
    "lint-quadratic": _quadratic,
    "lint-explosive": _explosive,
    "lint-not-fired": lambda reasons: f"no record puts it to the test{': ' if reasons else ''}{'; '.join(reasons)}",
    "lint-no-case": "none of {records:,} records satisfies its condition, so that it holds without a test",
    "lint-constant": _constant,
    "lint-undecided": lambda question, name: f"not decided: {_QUESTIONS[question].format(name=name)}",
}
"""The sentence of every such code."""


def _s(rules: list[str]) -> str:
    return "s" if len(rules) == 1 else ""
