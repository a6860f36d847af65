"""The tables of docs/reproduction.md, as Markdown between markers; what stands outside them is written by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reproduction.figures import Row, best
from reproduction.linkages import ALL, AVERAGED
from reproduction.losses import OUR_ID, OUR_PIL, WHOLE_RECORDS
from reproduction.search import WITH_RULES, WITHOUT_RULES, Curve, Found, Measured, Reading, all_readings, found_in

PUBLISHED = ((10, 37.223), (6, 34.531))
"""The k and the least SCORE that the paper reports for S1 and for S2."""

SHOWN = (*range(1, 13), 15, 20, 30, 50, 75, 99)
_NEAR = (0.1, 0.5, 1.0)


def with_section(page: str, name: str, text: str) -> str:
    """Return the page with new text between the markers of a section.

    >>> with_section("a <!-- b:begin -->old<!-- b:end --> c", "b", "new")
    'a <!-- b:begin -->\\n\\nnew\\n\\n<!-- b:end --> c'
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, rest = page.split(begin)
    return f"{before}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"


def curves_table(found: Mapping[str, Sequence[Row]], ks: Sequence[int]) -> str:
    """Return PIL, DBRL, ID, DR and SCORE of both scenarios for some k."""
    head = "PIL | ID | DBRL all | SCORE all | DBRL avg | DR avg | SCORE avg | broken"
    parts = []
    for name, rows in found.items():
        lines = [f"| {name}: k | {head} |", "|---:|" + "---:|" * 8]
        lines += [_curve_line(row) for row in rows if row.k in ks]
        parts.append("\n".join(lines) + "\n\n" + _least(name, rows))
    return "\n\n".join(parts)


def _curve_line(row: Row) -> str:
    one, other = row.everything, row.averaged
    numbers = (one.pil, one.id, one.dbrl, one.score, other.dbrl, other.dr, other.score)
    return f"| {row.k} | " + " | ".join("" if n is None else f"{n:.2f}" for n in numbers) + f" | {row.broken:,} |"


def _least(name: str, rows: Sequence[Row]) -> str:
    row = best(rows)
    return f"{name}: the least SCORE with averaged DBRL is {row.averaged.score:.3f}, at k = {row.k}."


def evidence_table(measured: Measured) -> str:
    """Return the reading that the curves use, and what becomes of it by one change at a time."""
    lines = [
        "| change | S1 at k = 10 | S1 least | in 4..10 | spread | S2 at k = 6 | S2 least | in 4..10 | spread |",
        "|---|" + "---:|" * 8,
        f"| the paper | {PUBLISHED[0][1]} | k = 10 | k = 10 | small | {PUBLISHED[1][1]} | k = 6 | k = 6 | small |",
        _evidence_line("**none**", found_in(measured, Reading())),
    ]
    lines += [_evidence_line(change, found_in(measured, reading)) for change, reading in _changes(measured)]
    return "\n".join(lines)


def _changes(measured: Measured) -> list[tuple[str, Reading]]:
    pils, ids, links = next(iter(next(iter(measured.values())).values()))
    ours = Reading()
    raw = [name for name in (*WITH_RULES, *WITHOUT_RULES) if "not standardised" in name]
    return [
        *((f"DBRL: {name}", replace(ours, dbrl=name)) for name in links if name != AVERAGED),
        *((f"ID: {name}", replace(ours, id=name)) for name in ids if name != OUR_ID),
        *((f"PIL: {name}", replace(ours, pil=name)) for name in pils if name != OUR_PIL),
        *((f"S1: {name}", replace(ours, with_rules=name)) for name in [*WITH_RULES][1:] if name not in raw),
        *((f"S2: {name}", replace(ours, without=name)) for name in [*WITHOUT_RULES][1:] if name not in raw),
        ("S1, five rules, and S2: MDAV not standardised", replace(ours, with_rules=raw[0], without=raw[1])),
    ]


def _evidence_line(change: str, found: Found) -> str:
    cells = [*_curve_cells(found.first, PUBLISHED[0][0]), *_curve_cells(found.second, PUBLISHED[1][0])]
    return f"| {change} | " + " | ".join(cells) + " |"


def _curve_cells(curve: Curve, k: int) -> tuple[str, ...]:
    least = f"{curve.scores[curve.best]:.2f} (k = {curve.best})"
    return f"{curve.scores[k]:.2f}", least, f"k = {curve.best_usual}", f"{curve.spread:.2f}"


def count_sentences(measured: Measured) -> str:
    """Say how many combinations were tried, how many come near both numbers, and how many have their minima there."""
    found = list(all_readings(measured))
    near = {limit: [f for f in found if f.error(PUBLISHED) <= limit] for limit in _NEAR}
    lines = [f"Combinations tried: {len(found):,}, on two published numbers.", ""]
    lines += ["| both scores within | combinations | and both minima over all k | and both minima in 4..10 |"]
    lines += ["|---:|---:|---:|---:|"]
    for limit, close in near.items():
        over_all = sum((f.first.best, f.second.best) == (10, 6) for f in close)
        usual = sum((f.first.best_usual, f.second.best_usual) == (10, 6) for f in close)
        lines.append(f"| {limit} | {len(close):,} | {over_all:,} | {usual:,} |")
    return "\n".join([*lines, "", _by_linkage(near[_NEAR[-1]]), "", _over_all(found), "", *_nearest(found)])


def _by_linkage(close: Sequence[Found]) -> str:
    """Say which readings of DBRL the near combinations have."""
    counts = Counter(each.reading.dbrl for each in close).most_common()
    return f"Within {_NEAR[-1]}, by DBRL: " + "; ".join(f"{name} ({count})" for name, count in counts) + "."


def _over_all(found: Sequence[Found]) -> str:
    """Say how far off the combinations are that link by all variables."""
    errors = {each.reading: each.error(PUBLISHED) for each in found if each.reading.dbrl == ALL}
    of_values = [error for reading, error in errors.items() if reading.id != WHOLE_RECORDS]
    said = f"With DBRL over {ALL} the nearest combination is off by {min(errors.values(), default=0.0):.1f}"
    return said + (f", and by {min(of_values):.1f} unless ID is that of whole records." if of_values else ".")


def _nearest(found: Sequence[Found]) -> list[str]:
    lines = [
        "| nearest combinations | PIL | ID | DBRL | S1 at k = 10, least | S2 at k = 6, least |",
        "|---|---|---|---|---|---|",
    ]
    for each in sorted(found, key=lambda f: f.error(PUBLISHED))[:8]:
        r = each.reading
        ends = (
            f"{curve.scores[k]:.2f}, k = {curve.best}"
            for curve, k in ((each.first, PUBLISHED[0][0]), (each.second, PUBLISHED[1][0]))
        )
        lines.append(f"| S1 {r.with_rules}; S2 {r.without} | {r.pil} | {r.id} | {r.dbrl} | {' | '.join(ends)} |")
    return lines
