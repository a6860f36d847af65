"""Missing values: absent, empty or nil, alone or in patterns, and rules that make allowance for them."""

from __future__ import annotations

import re
from dataclasses import replace

from constraint_sdc.exam.guarantee.drafting import Draft, RuleText
from constraint_sdc.exam.guarantee.layouts import NIL


def make_missing(draft: Draft) -> None:
    """Take out values of some variables; a pattern is often rarer than k."""
    rng = draft.rng
    if rng.random() < 0.65 or not draft.numeric:
        return
    how_missing = rng.choice((None, "", NIL))
    if how_missing is not None and rng.random() < 0.15:
        how_missing = "-9"
    for _ in range(rng.choice((1, 1, 2))):
        names = rng.sample(draft.numeric, min(len(draft.numeric), rng.choice((1, 1, 2, 3))))
        share = rng.choice((0.01, 0.03, 0.1, 0.3))
        for row in range(draft.size):
            if rng.random() < share:
                for name in names:
                    draft.columns[name][row] = how_missing
    draft.ideas.append("missing values")


def spell_oddly(draft: Draft) -> None:
    """Now and then write some numbers of a column with white space around them, or (XPath 2.0) with an exponent."""
    rng = draft.rng
    if rng.random() < 0.96 or not draft.numeric:
        return
    name = rng.choice(draft.numeric)
    shape = rng.choice((" {}", "{} ", "\n{}\n") if draft.is_old or rng.random() < 0.6 else ("{}e0", "{}E1"))
    cells = draft.columns[name]
    draft.columns[name] = [
        shape.format(cell) if cell and cell != NIL and rng.random() < 0.2 else cell for cell in cells
    ]
    draft.ideas.append("odd spelling")


def guard_rules(draft: Draft) -> None:
    """Let most rules pass over records in which one of their variables is missing."""
    holes = [name for name in draft.numeric if any(cell in (None, "", NIL) for cell in draft.columns[name])]
    draft.rules = [_guarded(draft, rule, holes) for rule in draft.rules]


def _guarded(draft: Draft, rule: RuleText, holes: list[str]) -> RuleText:
    spoken = rule.test + " ".join(value for _, value in rule.lets)
    mentioned = [name for name in holes if re.search(rf"\b{name}\b", spoken)]
    if not mentioned or rule.idea in ("presence", "route") or draft.rng.random() < 0.1:
        return rule
    paths = [draft.layout.path(name) for name in mentioned]
    kind = draft.rng.random()
    if kind < 0.3 and rule.predicate is None:
        return replace(rule, predicate=" and ".join(f"{path} != ''" for path in paths))
    if kind < 0.6 or draft.is_old:
        return replace(rule, test=" or ".join(f"not({path} != '')" for path in paths) + f" or ({rule.test})")
    condition = " and ".join(f"{path} castable as xs:decimal" for path in paths)
    return replace(rule, test=f"if ({condition}) then {rule.test} else true()")
