"""Rules with roots, powers, logarithms and quotients by sums."""

from __future__ import annotations

import math
from collections.abc import Callable

from constraint_sdc.exam.guarantee.drafting import Draft, Voice
from constraint_sdc.exam.guarantee.layouts import INTEGER, Writing

_CENTS, _FREE = Writing(2), Writing(None)


def add_square_root(draft: Draft) -> None:
    """A root in full precision, or rounded to cents."""
    if draft.is_old:
        return
    a = draft.positive(400)
    voice = Voice(draft.layout, "number")
    if draft.rng.random() < 0.5:
        b = draft.derive(voice, math.sqrt, a, onto=_FREE)
        draft.add_rule("square root", f"math:sqrt({voice.term(a)}) = {voice.term(b)}")
    else:
        b = draft.derive(voice, lambda x: math.floor(math.sqrt(x) * 100 + 0.5) / 100, a, onto=_CENTS)
        draft.add_rule("square root", f"round(math:sqrt({voice.term(a)}) * 100) div 100 = {voice.term(b)}")


def add_production(draft: Draft) -> None:
    """An output that is a product of powers of two inputs, up to a tolerance or rounded to cents."""
    if draft.is_old:
        return
    a, b = draft.positive(90), draft.positive(90)
    voice = Voice(draft.layout, "number")
    share = draft.rng.choice((0.3, 0.5, 0.75))
    product = f"math:pow({voice.term(a)}, {share}) * math:pow({voice.term(b)}, {round(1 - share, 2)})"
    c = draft.derive(voice, lambda x, y: math.floor(x**share * y ** (1 - share) * 100 + 0.5) / 100, a, b, onto=_CENTS)
    forms = (f"abs({voice.term(c)} - {product}) <= 0.5", f"round({product} * 100) div 100 = {voice.term(c)}")
    draft.add_rule("production", draft.rng.choice(forms))


def add_logarithm(draft: Draft) -> None:
    """A bound on a logarithm, or a logarithm of two decimals as a variable."""
    if draft.is_old:
        return
    a = draft.positive(5000, INTEGER)
    voice = Voice(draft.layout, "number")
    if draft.rng.random() < 0.4:
        draft.add_rule("logarithm", f"math:log10({voice.term(a)}) <= {draft.rng.choice((3, 3.5))}")
        return
    b = draft.derive(voice, lambda x: math.floor(math.log(x) * 100 + 0.5) / 100, a, onto=_CENTS)
    draft.add_rule("logarithm", f"round(math:log({voice.term(a)}) * 100) div 100 = {voice.term(b)}")


def add_rate(draft: Draft) -> None:
    """A quotient by a sum: rounded to cents, bounded, or in full precision."""
    a, b, c = draft.positive(60), draft.positive(60), draft.positive(60)
    voice = Voice(draft.layout, "number")
    quotient = f"{voice.term(a)} div ({voice.term(b)} + {voice.term(c)})"
    match draft.rng.randrange(3):
        case 0:
            d = draft.derive(voice, lambda x, y, z: x / (y + z), a, b, c, onto=_FREE)
            draft.add_rule("rate", f"{voice.term(d)} = {quotient}")
        case 1:
            d = draft.derive(voice, lambda x, y, z: math.floor(x / (y + z) * 100 + 0.5) / 100, a, b, c, onto=_CENTS)
            draft.add_rule("rate", f"round({quotient} * 100) div 100 = {voice.term(d)}")
        case _:
            draft.add_rule("rate", f"{quotient} <= {draft.rng.choice((1, 2))}")


ROOTS: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (add_square_root, 2),
    (add_production, 2),
    (add_logarithm, 2),
    (add_rate, 2),
)
