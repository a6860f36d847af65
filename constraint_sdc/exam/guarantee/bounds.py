"""Rules that bound values: of one variable, and between variables."""

from __future__ import annotations

from collections.abc import Callable

from constraint_sdc.exam.guarantee.drafting import Draft, Voice
from constraint_sdc.exam.guarantee.layouts import INTEGER

# Rules on one variable: intervals, sets, integrality, patterns, the value domain, and texts about digits.


def _any(draft: Draft) -> str:
    return draft.rng.choice(draft.numeric) if draft.numeric else draft.base()


def add_interval(draft: Draft) -> None:
    """Bounds at or near the ends of the column, said of the record or of the variable itself."""
    name = _any(draft)
    voice = draft.voice(name)
    low, high = (
        draft.quantile(name, draft.rng.choice((0, 0, 0.05))),
        draft.quantile(name, draft.rng.choice((1, 1, 0.95))),
    )
    x = voice.term(name)
    forms = [f"{low} <= {x} and {x} <= {high}", f"{x} >= {low}", f"{x} < {high}", f"not({x} > {high})", f"{x} > {low}"]
    if draft.rng.random() < 0.25:
        draft.add_rule("interval", f"number(.) >= {low}", variable=name)
    else:
        draft.add_rule("interval", draft.rng.choice(forms))


def add_number_set(draft: Draft) -> None:
    """A finite set of numbers."""
    allowed = sorted(draft.rng.sample(range(0, 30), draft.rng.randrange(2, 7)))
    name = draft.base(INTEGER, lambda r: r.choice(allowed))
    x = draft.voice(name).term(name)
    if draft.is_old or draft.rng.random() < 0.3:
        draft.add_rule("number set", " or ".join(f"{x} = {value}" for value in allowed))
    else:
        draft.add_rule("number set", f"{x} = ({', '.join(map(str, allowed))})")


def add_text_set(draft: Draft) -> None:
    """A finite set of categories."""
    if draft.text:
        name = draft.rng.choice(draft.text)
        values = sorted({cell for cell in draft.columns[name] if cell})
        path = draft.layout.path(name)
        if len(values) <= 8:
            draft.add_rule("text set", " or ".join(f"{path} = '{value}'" for value in values))


def add_whole(draft: Draft) -> None:
    """No fraction, or a multiple of something."""
    step = draft.rng.choice((1, 1, 5, 2, 10))
    name = draft.base(INTEGER, lambda r: step * r.randrange(0, 60))
    if draft.rng.random() < 0.4:
        draft.add_rule("whole", f"number(.) mod {step} = 0", variable=name)
    elif draft.is_old or draft.rng.random() < 0.5:
        draft.add_rule("whole", f"{draft.voice(name).term(name)} mod {step} = 0")
    else:
        draft.add_rule("whole", f"{draft.layout.path(name)} castable as xs:integer")


def add_not_equal(draft: Draft) -> None:
    """A forbidden number, or two variables that must differ."""
    name, other = draft.several(2)
    voice = Voice(draft.layout, "number")
    forbidden = draft.quantile(name, draft.rng.random())
    tests = [f"{voice.term(name)} != {forbidden}", f"{voice.term(name)} != {voice.term(other)}"]
    draft.add_rule("not equal", draft.rng.choice(tests))


def add_domain(draft: Draft) -> None:
    """The value occurs in the original file, said in one of four ways."""
    name = draft.rng.choice([*draft.numeric, *draft.text] or [draft.base()])
    path, record = draft.layout.path(name), draft.layout.record_path
    original = f"document('data.xml')//{record}/{path}"
    if draft.is_old:
        draft.add_rule("value domain", f"{original} = {path}" if draft.rng.random() < 0.5 else f"{path} = {original}")
        return
    forms = [
        f"{original} = {path}",
        f"exists(index-of({original}, {path}))",
        f"exists(key('{KEY}-{name.removeprefix('@')}', string({path}), document('data.xml')))",
        f"some $v in {original} satisfies $v = {path}",
    ]
    draft.add_rule("value domain", draft.rng.choice(forms))


KEY = "original"


def add_pattern(draft: Draft) -> None:
    """A regular expression on the number's text, or a limit to its length."""
    name = _any(draft)
    path = draft.layout.path(name)
    cells = [cell for cell in draft.columns[name] if cell]
    longest = max((len(cell) for cell in cells), default=1)
    if draft.is_old:
        draft.add_rule("length of text", f"string-length({path}) <= {longest}")
        return
    decimals = max((len(cell.partition(".")[2]) for cell in cells), default=0)
    forms = [
        rf"matches({path}, '^-?\d+(\.\d{{1,{max(1, decimals)}}})?$')",
        rf"matches({path}, '^-?[0-9.]{{1,{longest}}}$')",
        f"string-length({path}) <= {longest}",
        rf"matches({path}, '^[^9]|9')",
    ]
    draft.add_rule("pattern", draft.rng.choice(forms))


def add_code(draft: Draft) -> None:
    """Codes of fixed width with leading zeros: digits, but hardly numbers."""
    name = draft.add([f"{draft.rng.randrange(0, 90):03d}" for _ in range(draft.size)])
    path = draft.layout.path(name)
    test = f"string-length({path}) = 3" if draft.is_old else rf"matches({path}, '^\d{{3}}$')"
    draft.add_rule("code", test)


def add_digit_text(draft: Draft) -> None:
    """String functions over the digits of numbers: nothing that arithmetic could follow."""
    name, other = draft.several(2)
    path, voice = draft.layout.path(name), Voice(draft.layout, "number")
    digit = draft.rng.randrange(10)
    limit = draft.quantile(other, draft.rng.choice((0.1, 0.3, 0.02)))
    forms = [
        f"substring({path}, 1, 1) = '{digit}' or {voice.term(other)} > {limit}",
        f"not(contains({path}, '{digit}')) or {voice.term(other)} >= {limit}",
        f"not(starts-with({path}, '{digit}'))",
        f"string-length({path}) >= string-length({draft.layout.path(other)}) or {voice.term(other)} >= {limit}",
        f"translate({path}, '0123456789.-', '') = ''",
        f"number(substring({path}, string-length({path}))) mod 2 = 0 or {voice.term(other)} >= {limit}",
    ]
    draft.add_rule("digits as text", draft.rng.choice(forms))


def add_lexical_order(draft: Draft) -> None:
    """Two untyped values compared as strings (XPath 2.0), or equal as strings (XPath 1.0 compares node-sets so)."""
    name, other = draft.several(2)
    a, b = draft.layout.path(name), draft.layout.path(other)
    draft.add_rule(
        "order of texts", f"not({a} = {b})" if draft.is_old else draft.rng.choice((f"{a} < {b}", f"{a} != {b}"))
    )


def add_presence(draft: Draft) -> None:
    """What is said of values that may be missing."""
    name, other = draft.several(2)
    a, b, voice = draft.layout.path(name), draft.layout.path(other), Voice(draft.layout, "number")
    forms = [
        f"not({a}) or {voice.term(name)} >= {draft.quantile(name, 0.02)}",
        f"string({a}) = '' or {voice.term(name)} <= {draft.quantile(name, 0.99)}",
        f"not({a}) or {b}",
        f"boolean({a}) = boolean({b})",
        f"normalize-space({a}) != '' or normalize-space({b}) != ''",
    ]
    if not draft.is_old:
        forms += [f"exists({a})", f"empty({a}) or {b} != ''", f"count(({a}, {b})) >= 1"]
    draft.add_rule("presence", draft.rng.choice(forms))


def add_quantified(draft: Draft) -> None:
    """A quantifier over some variables of the record."""
    names = draft.several(draft.rng.randrange(2, 4))
    low = min(min(draft.column(name), default=0.0) for name in names)
    paths = ", ".join(draft.layout.path(name) for name in names)
    if draft.is_old:
        draft.add_rule("quantified", " and ".join(f"number({draft.layout.path(name)}) >= {low:.0f}" for name in names))
    else:
        draft.add_rule("quantified", f"every $v in ({paths}) satisfies number($v) >= {low:.0f}")


POSSIBLE_VALUES: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (add_interval, 5),
    (add_number_set, 3),
    (add_text_set, 2),
    (add_whole, 3),
    (add_not_equal, 1),
    (add_domain, 3),
    (add_pattern, 2),
    (add_code, 1),
    (add_digit_text, 2),
    (add_lexical_order, 1),
    (add_presence, 3),
    (add_quantified, 1),
)


# Orders, tolerances and bounds between variables: columns made to satisfy them with some slack.


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
