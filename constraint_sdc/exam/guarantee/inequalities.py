"""Orders, tolerances and bounds between variables: columns made to satisfy them with some slack."""

from __future__ import annotations

from collections.abc import Callable

from constraint_sdc.exam.guarantee.drafting import Draft
from constraint_sdc.exam.guarantee.figures import INTEGER


def _slack(draft: Draft, scale: float) -> float:
    """Return nothing at all, a little, or much: ties and narrow margins are where rounding hurts."""
    kind = draft.rng.random()
    if kind < 0.25:
        return 0.0
    value = draft.rng.expovariate(1 / scale) if kind < 0.8 else draft.rng.uniform(0, scale / 50)
    return float(round(value)) if draft.writing == INTEGER else value


def add_order_chain(draft: Draft) -> None:
    """V1 <= V2 <= V3, as one rule or as several; sometimes strict."""
    names = [draft.some()]
    for _ in range(draft.rng.randrange(1, 4)):
        before = draft.columns[names[-1]]
        names.append(draft.add([draft.writing.text(float(cell or "0") + _slack(draft, 20)) for cell in before]))
    voice = draft.voice(*names)
    relations = [draft.rng.choice(("<=", "<=", "<")) for _ in names[1:]]
    tests = [f"{voice.alone(a)} {op} {voice.alone(b)}" for a, op, b in zip(names, relations, names[1:], strict=False)]
    if draft.rng.random() < 0.5:
        draft.add_rule("order", " and ".join(tests))
    else:
        for test in tests:
            draft.add_rule("order", test)


def add_tolerance(draft: Draft) -> None:
    """A sum that adds up within a tolerance, written with abs or as two bounds."""
    names = draft.several(draft.rng.randrange(2, 4))
    tolerance = draft.rng.choice(("0.5", "1", "0.01", "10"))
    width = float(tolerance)
    rows = list(zip(*(draft.columns[name] for name in names), strict=True))
    sums = [sum(float(cell or "0") for cell in row) for row in rows]
    total = draft.add([draft.writing.text(value + draft.rng.uniform(-width, width)) for value in sums])
    voice = draft.voice(*names, total)
    gap = " + ".join(voice.term(name) for name in names) + f" - {voice.term(total)}"
    if draft.is_old or draft.rng.random() < 0.3:
        draft.add_rule("tolerance", f"{gap} <= {tolerance} and -{tolerance} <= {gap}")
    else:
        draft.add_rule("tolerance", f"abs({gap}) <= {tolerance}")


def add_linear_bound(draft: Draft) -> None:
    """A weighted sum stays below another variable, a multiple of it, or a constant."""
    a, b = draft.several(2)
    voice = draft.voice(a, b)
    op = draft.rng.choice(("<=", "<", ">=", ">"))
    factor = draft.rng.choice(("2", "0.5", "1.1", "3", "10"))
    if draft.rng.random() < 0.5:
        draft.add_rule("linear bound", f"{voice.alone(a)} {op} {factor} * {voice.term(b)}")
    else:
        sums = sorted(x + y for x, y in zip(draft.column(a), draft.column(b), strict=False))
        limit = round(
            sums[int(len(sums) * draft.rng.choice((0.7, 0.95)))] if op.startswith("<") else sums[len(sums) // 9]
        )
        draft.add_rule("linear bound", f"{voice.term(a)} + {voice.term(b)} {op} {limit}")


def add_ratio(draft: Draft) -> None:
    """A div b <= c: a bound on a quotient."""
    a, b = draft.some(), draft.positive()
    voice = draft.voice()
    ratios = sorted(x / y for x, y in zip(draft.column(a), draft.column(b), strict=False))
    limit = draft.rng.choice(("2", str(max(1, round(ratios[int(len(ratios) * 0.8)])))))
    draft.add_rule("ratio", f"{voice.term(a)} div {voice.term(b)} <= {limit}")


def add_area(draft: Draft) -> None:
    """A * b <= c, with c derived and some slack."""
    a, b = draft.positive(40), draft.positive(40)
    pairs = zip(draft.column(a), draft.column(b), strict=True)
    c = draft.add([draft.writing.text(x * y + _slack(draft, 50)) for x, y in pairs])
    voice = draft.voice(a, b, c)
    op = draft.rng.choice(("<=", "<"))
    draft.add_rule("area", f"{voice.term(a)} * {voice.term(b)} {op} {voice.term(c)}")


def add_mean_bound(draft: Draft) -> None:
    """The mean of some variables stays below another one."""
    names = draft.several(3)
    voice = draft.voice()
    a, b, c = (voice.term(name) for name in names)
    if draft.is_old or draft.rng.random() < 0.5:
        draft.add_rule("mean bound", f"({a} + {b}) div 2 <= {c}")
    else:
        inside = ", ".join(f"number({draft.layout.path(name)})" for name in names[:2])
        draft.add_rule("mean bound", f"avg(({inside})) <= number({draft.layout.path(names[2])})")


INEQUALITIES: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (add_order_chain, 6),
    (add_tolerance, 3),
    (add_linear_bound, 4),
    (add_ratio, 2),
    (add_area, 2),
    (add_mean_bound, 1),
)
