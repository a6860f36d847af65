"""Rules as questionnaires and accounts have them: skips, routes, code tables, value added tax, parts of a whole."""

from __future__ import annotations

from collections.abc import Callable
from math import floor

from constraint_sdc.exam.guarantee.drafting import Draft, Voice
from constraint_sdc.exam.guarantee.figures import INTEGER, Writing


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
