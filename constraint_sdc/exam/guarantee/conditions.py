"""Conditional rules: if-then, nested alternatives, boolean mixtures over numbers and categories."""

from __future__ import annotations

from collections.abc import Callable

from constraint_sdc.exam.guarantee.drafting import Draft, Voice

RELATIONS = ("<", "<=", ">", ">=")


def _atom(draft: Draft, *, likely: bool) -> str:
    """Return a comparison that most records satisfy, or few."""
    kind = draft.rng.random()
    if draft.text and kind < 0.2:
        name = draft.rng.choice(draft.text)
        values = sorted({cell for cell in draft.columns[name] if cell})
        if 0 < len(values) <= 8:
            return f"{draft.layout.path(name)} {'!=' if likely else '='} '{draft.rng.choice(values)}'"
    if kind < 0.4:
        a, b = draft.several(2)
        voice = draft.voice(a, b)
        return f"{voice.alone(a)} {draft.rng.choice(RELATIONS)} {voice.alone(b)}"
    if kind < 0.5:
        a, b = draft.several(2)
        voice = draft.voice(a, b)
        sums = sorted(x + y for x, y in zip(draft.column(a), draft.column(b), strict=False))
        limit = round(sums[len(sums) * 9 // 10 if likely else len(sums) // 10])
        return f"{voice.term(a)} + {voice.term(b)} <= {limit}"
    return _threshold(draft, likely=likely)


def _threshold(draft: Draft, *, likely: bool) -> str:
    name = draft.some()
    voice = draft.voice(name)
    op = draft.rng.choice(RELATIONS)
    # A rare condition is met by a handful of records, often fewer than k.
    rare = draft.rng.choice((0.01, 0.02, 0.1, 0.3))
    share = 1 - rare if op.startswith("<") == likely else rare
    return f"{voice.term(name)} {op} {draft.quantile(name, share)}"


def add_if_then(draft: Draft) -> None:
    """If A then B."""
    condition, consequence = _atom(draft, likely=False), _atom(draft, likely=True)
    forms = [f"not({condition}) or {consequence}", f"not(({condition}) and not({consequence}))"]
    if not draft.is_old:
        forms += [f"if ({condition}) then {consequence} else true()"] * 2
    draft.add_rule("if-then", draft.rng.choice(forms))


def add_if_then_else(draft: Draft) -> None:
    """If A then B else (if C then D else E)."""
    a, c = _atom(draft, likely=False), _atom(draft, likely=False)
    b, d, e = (_atom(draft, likely=True) for _ in range(3))
    if draft.is_old:
        draft.add_rule("nested if", f"({a} and {b}) or (not({a}) and ((({c}) and {d}) or (not({c}) and {e})))")
    else:
        draft.add_rule("nested if", f"if ({a}) then {b} else if ({c}) then {d} else {e}")


def _mixture(draft: Draft, depth: int) -> str:
    if depth == 0 or draft.rng.random() < 0.2:
        return _atom(draft, likely=draft.rng.random() < 0.7)
    left, right = _mixture(draft, depth - 1), _mixture(draft, depth - 1)
    joined = f"({left} {draft.rng.choice(('or', 'or', 'and'))} {right})"
    return f"not({joined})" if draft.rng.random() < 0.15 else joined


def add_mixture(draft: Draft) -> None:
    """And, or and not over two to eight comparisons."""
    draft.add_rule("mixture", _mixture(draft, draft.rng.randrange(1, 4)))


def add_category(draft: Draft) -> None:
    """A bound that depends on a category, one per category or one category against the rest."""
    if not draft.text:
        return
    name = draft.rng.choice(draft.text)
    values = sorted({cell for cell in draft.columns[name] if cell})
    other = draft.some()
    if not 2 <= len(values) <= 8:
        return
    path, voice = draft.layout.path(name), draft.voice(other)
    chosen = draft.rng.choice(values)
    x, limit = voice.term(other), draft.quantile(other, draft.rng.choice((0.5, 0.8, 0.97)))
    if draft.is_old or draft.rng.random() < 0.4:
        draft.add_rule("category", f"not({path} = '{chosen}') or {x} <= {limit}")
    elif draft.rng.random() < 0.7:
        draft.add_rule("category", f"if ({path} = '{chosen}') then {x} <= {limit} else true()")
    else:
        draft.add_rule(
            "category", f"if ({path} = '{chosen}') then {x} <= {limit} else {x} >= {draft.quantile(other, 0.1)}"
        )


def add_context(draft: Draft) -> None:
    """A rule that speaks only of records with some property."""
    condition = _threshold(draft, likely=draft.rng.random() < 0.4)
    draft.add_rule("context", _atom(draft, likely=True), predicate=condition)


def add_equal_when(draft: Draft) -> None:
    """An equation that holds under a condition only."""
    a, b = draft.several(2)
    voice = Voice(draft.layout, "number")
    limit = draft.quantile(a, draft.rng.choice((0.3, 0.6, 0.95)))
    pairs = zip(draft.columns[a], draft.columns[b], strict=True)
    cells = [b_cell if float(a_cell or "0") <= float(limit) else draft.quantile(b, draft.rng.random())
             for a_cell, b_cell in pairs]  # fmt: skip
    c = draft.add(cells)
    draft.add_rule("equal when", f"not({voice.term(a)} <= {limit}) or {voice.term(b)} = {voice.term(c)}")


CONDITIONS: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (add_if_then, 6),
    (add_if_then_else, 3),
    (add_mixture, 4),
    (add_category, 4),
    (add_context, 3),
    (add_equal_when, 2),
)
