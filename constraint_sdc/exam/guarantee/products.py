"""Products, quotients, powers and roundings: columns made to satisfy them, and the rules that say so."""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Any

from constraint_sdc.exam.guarantee.drafting import Draft, Voice
from constraint_sdc.exam.guarantee.figures import INTEGER, Writing
from constraint_sdc.exam.guarantee.sums import add_total, equation


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
