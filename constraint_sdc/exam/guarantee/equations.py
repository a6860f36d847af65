"""Equations: columns made to add up or to multiply, and the rules that say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from math import floor
from typing import Any

from constraint_sdc.exam.guarantee.drafting import Draft, Voice
from constraint_sdc.exam.guarantee.layouts import INTEGER, Writing

# Systems of linear equations: columns made to add up, in overlapping ways, and the rules that say so.

COEFFICIENTS = ("1", "1", "1", "1", "-1", "-1", "2", "0.5", "1.1", "3")


def combination(voice: Voice, terms: Sequence[tuple[str, str]], constant: int = 0) -> str:
    """Spell a weighted sum of variables, in the order in which `weighted` adds them up."""
    text = ""
    for coefficient, name in terms:
        sign = "-" if coefficient.startswith("-") else "+"
        size = coefficient.removeprefix("-")
        term = voice.term(name) if size == "1" else f"{size} * {voice.term(name)}"
        text += f" {sign} {term}" if text else ("-" if sign == "-" else "") + term
    return f"{text} + {constant}" if constant else text


def weighted(voice: Voice, terms: Sequence[tuple[str, str]], constant: int = 0) -> Callable[..., Any]:
    """Return the function that adds up in the voice's arithmetic, from left to right."""
    convert: Callable[[str], Any] = Decimal if voice.is_exact else float
    factors = [convert(coefficient) for coefficient, _ in terms]

    def add(*values: Any) -> Any:
        total = factors[0] * values[0]
        for factor, value in zip(factors[1:], values[1:], strict=True):
            total = total + factor * value
        return total + constant if constant else total

    return add


def equation(draft: Draft, left: str, right: str) -> str:
    """Return an equation, either side first."""
    return f"{left} = {right}" if draft.rng.random() < 0.7 else f"{right} = {left}"


def _onto(draft: Draft) -> Writing | None:
    """Write half of the dependents in full, half as the other columns are; records that then fail are left out."""
    return draft.writing if draft.rng.random() < 0.5 else None


def add_total(draft: Draft, names: Sequence[str] | None = None) -> str:
    """Weighted sum of two to five variables; return the total."""
    names = names or draft.several(draft.rng.randrange(2, 6))
    plain = draft.rng.random() < 0.6
    terms = [("1" if plain or i == 0 else draft.rng.choice(COEFFICIENTS), name) for i, name in enumerate(names)]
    constant = draft.rng.choice((0, 0, 0, 5, 100))
    voice = draft.voice(*names)
    if voice.arithmetic == "integer" and any("." in c for c, _ in terms):
        voice = Voice(draft.layout, "decimal")
    if voice.arithmetic == "untyped" and terms == [("1", name) for name in names] and len(names) == 1:
        voice = Voice(draft.layout, "number")
    total = draft.derive(voice, weighted(voice, terms, constant), *names, onto=_onto(draft))
    test = equation(draft, combination(voice, terms, constant), voice.term(total))
    if plain and not draft.is_old and constant == 0 and draft.rng.random() < 0.2:
        test = f"sum(({', '.join(voice.term(name) for name in names)})) = {voice.alone(total)}"
    elif len(names) == 2 and plain and constant == 0 and draft.rng.random() < 0.3:
        test = f"{voice.term(total)} - {voice.term(names[1])} = {voice.alone(names[0])}"
    lets: tuple[tuple[str, str], ...] = ()
    if draft.rng.random() < 0.1:
        lets = (("sum", combination(voice, terms, constant)),)
        test = f"$sum = {voice.term(total)}"
    draft.add_rule("total", test, lets=lets)
    return total


def add_chain(draft: Draft) -> None:
    """Totals of totals."""
    total = add_total(draft, draft.several(2))
    for _ in range(draft.rng.randrange(1, 3)):
        total = add_total(draft, [total, draft.some() if draft.rng.random() < 0.5 else draft.base()])


def add_table(draft: Draft) -> None:
    """A two-way table: rows, columns and the grand total form a cycle of equations, one of them redundant."""
    a, b, c, d = (draft.base() for _ in range(4))
    voice = draft.voice(a, b, c, d)
    onto = draft.writing
    pairs = [(a, b), (c, d), (a, c), (b, d)]
    r1, r2, c1, c2 = (draft.derive(voice, lambda x, y: x + y, *pair, onto=onto) for pair in pairs)
    rules = [(*pair, total) for pair, total in zip(pairs, (r1, r2, c1, c2), strict=True)]
    if draft.rng.random() < 0.7:
        grand = draft.derive(voice, lambda x, y: x + y, r1, r2, onto=onto)
        rules += [(r1, r2, grand), (c1, c2, grand)]
    draft.rng.shuffle(rules)
    for x, y, total in rules:
        draft.add_rule("two-way table", f"{voice.term(x)} + {voice.term(y)} = {voice.term(total)}")


def add_redundant(draft: Draft) -> None:
    """The same equation said two or three times in different words."""
    a, b = draft.several(2)
    voice = draft.voice(a, b)
    c = draft.derive(voice, lambda x, y: x + y, a, b, onto=_onto(draft))
    x, y, z = voice.term(a), voice.term(b), voice.term(c)
    forms = [
        f"{x} + {y} = {z}",
        f"2 * {x} + 2 * {y} = 2 * {z}",
        f"{z} - {y} = {voice.alone(a)}",
        f"{x} + {y} - {z} = 0",
    ]
    for form in draft.rng.sample(forms, draft.rng.randrange(2, 4)):
        draft.add_rule("redundant equations", form)


def add_cycle(draft: Draft) -> None:
    """Overlapping totals that close a circle: a + b = c, b + d = e, a + e = c + d."""
    a, b, d = draft.several(3)
    voice = draft.voice(a, b, d)
    onto = _onto(draft)
    c = draft.derive(voice, lambda x, y: x + y, a, b, onto=onto)
    e = draft.derive(voice, lambda x, y: x + y, b, d, onto=onto)
    t = voice.term
    draft.add_rule("cycle", f"{t(a)} + {t(b)} = {t(c)}")
    draft.add_rule("cycle", f"{t(b)} + {t(d)} = {t(e)}")
    draft.add_rule("cycle", f"{t(a)} + {t(e)} = {t(c)} + {t(d)}")


def add_shares(draft: Draft) -> None:
    """Two or three shares of a constant."""
    whole = draft.rng.choice((100, 1, 24)) if draft.writing != INTEGER else draft.rng.choice((100, 24, 10))
    high = whole / 2
    draw = (lambda r: r.randrange(0, int(high) + 1)) if draft.writing == INTEGER else (lambda r: r.uniform(0, high))
    names = [draft.base(draft.writing, draw) for _ in range(draft.rng.randrange(1, 3))]
    voice = draft.voice(*names)
    left: Any = Decimal(whole) if voice.is_exact else float(whole)

    def remainder(*values: Any) -> Any:
        rest = left
        for value in values:
            rest = rest - value
        return rest

    names.append(draft.derive(voice, remainder, *names, onto=draft.writing))
    draft.add_rule("shares of a constant", " + ".join(voice.term(name) for name in names) + f" = {whole}")


def add_factor(draft: Draft) -> None:
    """A fixed multiple of another variable: a tax of 10 percent on top, a price in another currency."""
    b = draft.some()
    voice = draft.voice()
    factor = draft.rng.choice(("1.1", "0.25", "2", "1.25", "-1", "0.1"))
    convert: Callable[[str], Any] = Decimal if voice.is_exact else float
    a = draft.derive(voice, lambda x: x * convert(factor), b)
    draft.add_rule("fixed factor", f"{voice.term(a)} = {voice.term(b)} * {factor}")


def add_bracket(draft: Draft) -> None:
    """A tax bracket: above an allowance one pays for the rest, below it nothing."""
    a = draft.positive(500)
    voice = draft.voice(a)
    allowance = int(float(draft.quantile(a, draft.rng.choice((0.2, 0.5, 0.93)))))
    limit: Any = Decimal(allowance) if voice.is_exact else float(allowance)
    b = draft.derive(voice, lambda x: x - limit if x > limit else 0, a)
    x, y = voice.term(a), voice.term(b)
    if draft.is_old:
        test = f"({x} > {allowance} and {x} - {allowance} = {y}) or (not({x} > {allowance}) and {y} = 0)"
    else:
        test = f"if ({x} > {allowance}) then {x} - {allowance} = {y} else {y} = 0"
    draft.add_rule("bracket", test)


def add_extreme(draft: Draft) -> None:
    """One variable is the larger (or smaller) of two others."""
    a, b = draft.several(2)
    voice = Voice(draft.layout, "number")
    name = draft.rng.choice(("max", "min"))
    c = draft.derive(voice, max if name == "max" else min, a, b)
    x, y, z = (voice.term(v) for v in (a, b, c))
    relation = ">=" if name == "max" else "<="
    old = f"({x} = {z} or {y} = {z}) and {z} {relation} {x} and {z} {relation} {y}"
    draft.add_rule("extreme", old if draft.is_old or draft.rng.random() < 0.5 else f"{name}(({x}, {y})) = {z}")


def add_either_zero(draft: Draft) -> None:
    """Profit and loss: one of both is zero, and their difference is the result."""
    sides = [draft.rng.random() < 0.5 for _ in range(draft.size)]
    amounts = [draft.writing.text(draft.rng.randrange(1, 900)) for _ in range(draft.size)]
    zero = draft.writing.text(0)
    a = draft.add([x if left else zero for x, left in zip(amounts, sides, strict=True)])
    b = draft.add([zero if left else x for x, left in zip(amounts, sides, strict=True)])
    voice = draft.voice(a, b)
    draft.add_rule("either zero", f"{voice.term(a)} = 0 or {voice.term(b)} = 0")
    if draft.rng.random() < 0.7:
        c = draft.derive(voice, lambda x, y: x - y, a, b)
        draft.add_rule("either zero", f"{voice.term(a)} - {voice.term(b)} = {voice.term(c)}")


def _only_total(draft: Draft) -> None:
    add_total(draft)


SUMS: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (_only_total, 8),
    (add_chain, 4),
    (add_table, 2),
    (add_redundant, 2),
    (add_cycle, 2),
    (add_shares, 3),
    (add_factor, 3),
    (add_bracket, 2),
    (add_extreme, 1),
    (add_either_zero, 2),
)


# Products, quotients, powers and roundings: columns made to satisfy them, and the rules that say so.


def add_product(draft: Draft) -> str:
    """A product of two or three variables, a * b = c or a * b * c = d; return the product."""
    count = 2 if draft.rng.random() < 0.75 else 3
    names = [draft.positive(writing=draft.rng.choice((draft.writing, INTEGER))) for _ in range(count)]
    if draft.rng.random() < 0.25:
        names[0] = draft.some()
    voice = draft.voice(*names)

    def multiply(*values: Any) -> Any:
        product = values[0]
        for value in values[1:]:
            product = product * value
        return product

    product = draft.derive(voice, multiply, *names)
    text = " * ".join(voice.term(name) for name in names)
    draft.add_rule("product", equation(draft, text, voice.term(product)))
    return product


def add_quotient(draft: Draft) -> None:
    """A div b = c, in double."""
    a, b = draft.some(), draft.positive()
    voice = Voice(draft.layout, draft.rng.choice(("number", "untyped")))
    c = draft.derive(voice, lambda x, y: x / y, a, b)
    draft.add_rule("quotient", equation(draft, f"{voice.term(a)} div {voice.term(b)}", voice.term(c)))


def add_constant_product(draft: Draft) -> None:
    """A * b is the same for all records."""
    constant = draft.rng.choice((3600, 720, 64))
    divisors = [n for n in range(1, constant + 1) if constant % n == 0]
    a = draft.base(INTEGER, lambda r: r.choice(divisors))
    voice = draft.voice(a)
    b = draft.derive(voice, lambda x: constant / x, a)
    draft.add_rule("constant product", f"{voice.term(a)} * {voice.term(b)} = {constant}")


def add_invoice(draft: Draft) -> None:
    """Quantity times price for two items, and the sum of both amounts: products and a sum in one block."""
    amounts = []
    for _ in range(2):
        quantity, price = draft.positive(20, INTEGER), draft.positive(90)
        voice = draft.voice(quantity, price)
        amount = draft.derive(voice, lambda x, y: x * y, quantity, price)
        draft.add_rule("invoice", f"{voice.term(quantity)} * {voice.term(price)} = {voice.term(amount)}")
        amounts.append(amount)
    voice = draft.voice(*amounts)
    total = draft.derive(voice, lambda x, y: x + y, *amounts)
    draft.add_rule("invoice", f"{voice.term(amounts[0])} + {voice.term(amounts[1])} = {voice.term(total)}")


def add_square(draft: Draft) -> None:
    """A polynomial: a * a + b = c."""
    a, b = draft.positive(30), draft.some()
    voice = draft.voice(a, b)
    c = draft.derive(voice, lambda x, y: x * x + y, a, b)
    draft.add_rule("polynomial", f"{voice.term(a)} * {voice.term(a)} + {voice.term(b)} = {voice.term(c)}")


def add_rounding(draft: Draft) -> None:
    """One variable is the other rounded, or its whole part, or its absolute value."""
    kind = draft.rng.choice(("round", "floor", "abs") if not draft.is_old else ("round", "floor"))
    a = draft.base(Writing(draft.rng.choice((1, 2, 3))))
    compute = {"round": lambda x: floor(x + 0.5), "floor": floor, "abs": abs}[kind]
    voice = Voice(draft.layout, "number")
    b = draft.derive(voice, compute, a)
    draft.add_rule("rounding", equation(draft, f"{kind}({voice.term(a)})", voice.term(b)))


def add_digits(draft: Draft) -> None:
    """Quotient and remainder of a whole number."""
    a = draft.base(INTEGER, lambda r: r.randrange(0, 400))
    base = draft.rng.choice((7, 10, 12))
    voice = draft.voice(a)
    q = draft.derive(voice, lambda x: x // base, a, onto=INTEGER)
    r = draft.derive(voice, lambda x: x % base, a, onto=INTEGER)
    quotient = f"floor({voice.term(a)} div {base})" if draft.is_old else f"{voice.term(a)} idiv {base}"
    draft.add_rule("digits", f"{quotient} = {voice.term(q)}")
    draft.add_rule("digits", f"{voice.term(a)} mod {base} = {voice.term(r)}")


def _only_product(draft: Draft) -> None:
    add_product(draft)


def add_product_in_total(draft: Draft) -> None:
    """A product that is also part of a sum."""
    add_total(
        draft, [add_product(draft), draft.some()] if draft.rng.random() < 0.5 else [draft.base(), add_product(draft)]
    )


PRODUCTS: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (_only_product, 4),
    (add_quotient, 2),
    (add_constant_product, 1),
    (add_invoice, 2),
    (add_product_in_total, 2),
    (add_square, 1),
    (add_rounding, 2),
    (add_digits, 1),
)
