"""Conditional rules, and rules as questionnaires and accounts have them."""

from __future__ import annotations

from collections.abc import Callable
from math import floor

from constraint_sdc.exam.guarantee.drafting import Draft, Voice
from constraint_sdc.exam.guarantee.layouts import INTEGER, Writing

# Conditional rules: if-then, nested alternatives, boolean mixtures over numbers and categories.

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


# Rules as questionnaires and accounts have them: skips, routes, code tables, value added tax, parts of a whole.


def add_skip(draft: Draft) -> None:
    """Who has none of the one has none of the other; who has some has some."""
    share = draft.rng.choice((0.03, 0.3, 0.6))
    a = draft.base(INTEGER, lambda r: 0 if r.random() < share else r.randrange(1, 40))
    zero = draft.writing.text(0)
    amounts = [zero if cell == "0" else draft.writing.text(draft.rng.randrange(1, 900)) for cell in draft.columns[a]]
    b = draft.add(amounts)
    voice = draft.voice(a, b)
    x, y = voice.term(a), voice.term(b)
    forms = [f"not({x} = 0) or {y} = 0", f"({x} = 0 and {y} = 0) or ({x} > 0 and {y} > 0)"]
    if not draft.is_old:
        forms += [f"if ({x} = 0) then {y} = 0 else {y} > 0", f"({x} = 0) = ({y} = 0)"]
    draft.add_rule("skip", draft.rng.choice(forms))


def add_route(draft: Draft) -> None:
    """A question that only one category answers: for the others the element is not there."""
    if not draft.text:
        return
    name = draft.rng.choice(draft.text)
    chosen = draft.rng.choice(sorted({cell for cell in draft.columns[name] if cell}))
    answer = draft.base()
    cells = zip(draft.columns[name], draft.columns[answer], strict=True)
    draft.columns[answer] = [cell if category == chosen else None for category, cell in cells]
    path, category = draft.layout.path(answer), draft.layout.path(name)
    forms = [f"not({path}) or {category} = '{chosen}'", f"boolean({path}) = ({category} = '{chosen}')"]
    draft.add_rule("route", draft.rng.choice(forms))


def add_code_table(draft: Draft) -> None:
    """Two codes that go together in some pairs only."""
    pairs = [(code, draft.rng.randrange(1, 9) * 10) for code in range(1, draft.rng.randrange(3, 6))]
    pairs.append((1, 90))
    drawn = draft.rng.choices(pairs, [1] * (len(pairs) - 1) + [0.1], k=draft.size)
    a, b = draft.add([str(left) for left, _ in drawn]), draft.add([str(right) for _, right in drawn])
    voice = draft.voice(a, b)
    test = " or ".join(f"({voice.term(a)} = {left} and {voice.term(b)} = {right})" for left, right in pairs)
    draft.add_rule("code table", test)


def add_value_added_tax(draft: Draft) -> None:
    """Net, tax rounded to the cent, gross: a rounding inside a system of sums."""
    money, rate = Writing(2, pads=draft.rng.random() < 0.5), draft.rng.choice((19, 7, 25))
    net = draft.base(money, lambda r: r.lognormvariate(4, 1))
    voice = Voice(draft.layout, "number")
    tax = draft.derive(voice, lambda x: floor(x * rate + 0.5) / 100, net, onto=money)
    gross = draft.derive(voice, lambda x, y: x + y, net, tax, onto=money)
    draft.add_rule("value added tax", f"round({voice.term(net)} * {rate}) div 100 = {voice.term(tax)}")
    if draft.is_old or draft.rng.random() < 0.4:
        test = f"{voice.term(net)} + {voice.term(tax)} = {voice.term(gross)}"
    else:
        exact = Voice(draft.layout, "decimal")
        test = f"{exact.term(net)} + {exact.term(tax)} = {exact.term(gross)}"
    draft.add_rule("value added tax", test)


def add_parts(draft: Draft) -> None:
    """Parts do not exceed the whole, said of each and of both together."""
    a, b = draft.positive(80), draft.positive(80)
    rest = [draft.rng.choice((0, 0, draft.rng.randrange(0, 30))) for _ in range(draft.size)]
    sums = zip(draft.column(a), draft.column(b), rest, strict=True)
    whole = draft.add([draft.writing.text(x + y + z) for x, y, z in sums])
    voice = draft.voice(a, b, whole)
    draft.add_rule("parts", f"{voice.term(a)} + {voice.term(b)} <= {voice.term(whole)}")
    for part in draft.rng.sample((a, b), draft.rng.randrange(0, 3)):
        path = draft.layout.path(whole)
        draft.add_rule("parts", f"number(.) <= number(../{path})", variable=part)


def add_same(draft: Draft) -> None:
    """Two variables that are equal, except where one of them is zero."""
    a = draft.some()
    share = draft.rng.choice((0.02, 0.3))
    zero = draft.writing.text(0)
    b = draft.add([zero if draft.rng.random() < share else cell for cell in draft.columns[a]])
    voice = Voice(draft.layout, "number")
    draft.add_rule("same", f"{voice.term(b)} = 0 or {voice.term(a)} = {voice.term(b)}")


def add_band(draft: Draft) -> None:
    """A class code that names the interval in which a number lies."""
    a = draft.positive(100)
    first, second = draft.quantile(a, draft.rng.choice((0.05, 0.4))), draft.quantile(a, 0.7)
    classes = [1 if x < float(first) else 2 if x < float(second) else 3 for x in draft.column(a)]
    band = draft.add([str(code) for code in classes])
    voice = Voice(draft.layout, "number")
    x, y = voice.term(a), voice.term(band)
    middle = f"({y} = 2 and {x} >= {first} and {x} < {second})"
    draft.add_rule("band", f"({y} = 1 and {x} < {first}) or {middle} or ({y} = 3 and {x} >= {second})")


SURVEYS: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (add_skip, 3),
    (add_route, 2),
    (add_code_table, 2),
    (add_value_added_tax, 3),
    (add_parts, 3),
    (add_same, 1),
    (add_band, 2),
)
