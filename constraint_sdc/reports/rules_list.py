"""The typed rule list as text and JSON: how each rule is understood, and why something is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath

from constraint_sdc import __version__
from constraint_sdc.constraints.show import RuleList, RuleRow
from constraint_sdc.files.json_file import json_text
from constraint_sdc.reports.check.json_format import origin_json, with_sentence
from constraint_sdc.reports.check.wording import counted, number, shown_origin
from constraint_sdc.reports.idle_text import idle_sentence
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.terminal import align, clean, padded, paint, width, wrapped

SCHEMA = "constraint-sdc/rules"
SCHEMA_VERSION = 1
_HEAD = ("rule", "kind", "variables", "normal form", "severity", "written at")
_LABEL_CELLS = 13


def render_rules_text(rules: RuleList, *, columns: int = 100, colour: bool = False) -> str:
    """Return the list as text: a table where it fits in `columns` cells, otherwise a paragraph per rule."""
    lines = _summary(rules, columns, colour)
    if rules.rows:
        has_data = any(row.checked is not None for row in rules.rows)
        head = (*_HEAD, "checked") if has_data else _HEAD
        table = align([head, *(_cells(row) for row in rules.rows)], right=(len(_HEAD),) if has_data else ())
        if max(map(width, table)) <= columns:
            lines += ["", paint(table[0], "faint", colour), *table[1:], *_not_understood(rules, columns, colour)]
            lines += _idle_rules(rules, columns, colour)
        else:
            for row in rules.rows:
                lines += ["", *_paragraph(row, columns, colour)]
        lines += _blocks(rules, columns, colour)
    return "\n".join(lines) + "\n"


def _summary(rules: RuleList, columns: int, colour: bool) -> list[str]:
    kinds = Counter(row.kind for row in rules.rows)
    # A no-break space keeps a count and its kind on one line.
    said = ", ".join(f"{number(count)}\xa0{clean(kind)}".replace(" ", "\xa0") for kind, count in kinds.items())
    head = f"{counted(len(rules.rows), 'rule')}{': ' + said if said else ''}"
    lines = [paint(line.replace("\xa0", " "), "strong", colour) for line in wrapped(head, columns, "", "  ")]
    where = [clean(rules.file), clean(rules.title), f"phase {clean(rules.phase)}", clean(rules.binding)]
    lines += wrapped(", ".join(part for part in where if part), columns, "", "  ")
    for said in sentences(rules.warnings):
        lines += (paint(line, "doubtful", colour) for line in wrapped(f"WARNING: {clean(said)}", columns, "", "  "))
    return lines


def _kind(row: RuleRow) -> str:
    name = clean(row.paper_name)
    return f"{clean(row.kind)} ({name})" if name not in ("", "-") else clean(row.kind)


def _variables(row: RuleRow) -> str:
    return ", ".join(map(clean, row.variables)) or "-"


def _cells(row: RuleRow) -> tuple[str, ...]:
    return (
        clean(row.id),
        _kind(row),
        _variables(row),
        clean(row.normal_form) or "-",
        row.severity,
        f"{clean(PurePath(row.origin.file).name)}:{row.origin.line}",
        *(() if row.checked is None else (number(row.checked),)),
    )


def _paragraph(row: RuleRow, columns: int, colour: bool) -> Iterator[str]:
    yield f"{paint(clean(row.id), 'strong', colour)}: {_kind(row)}, {row.severity}, {clean(shown_origin(row.origin))}"
    facts = [("normal form", clean(row.normal_form) or "-"), ("variables", _variables(row))]
    if row.checked is not None:
        facts.append(("checks", counted(row.checked, "node")))
    facts += _idle(row)
    if not row.is_understood:
        facts += _doubts(row)
    for name, text in facts:
        yield from _fact(name, text, columns)


def _not_understood(rules: RuleList, columns: int, colour: bool) -> Iterator[str]:
    """Yield, below a table, why rules are opaque or cross-record."""
    rows = [row for row in rules.rows if not row.is_understood]
    if rows:
        yield from ("", paint("not understood, judged by running them", "strong", colour))
    for row in rows:
        yield f"  {clean(row.id)}"
        for name, text in _doubts(row):
            yield from _fact(name, text, columns, "    ")


def _idle_rules(rules: RuleList, columns: int, colour: bool) -> Iterator[str]:
    """Yield, below a table, why rules are idle."""
    rows = [row for row in rules.rows if row.idle]
    if rows:
        yield from ("", paint("idle in this file", "strong", colour))
    for row in rows:
        yield f"  {clean(row.id)}: {clean(shown_origin(row.origin))}"
        for name, text in _idle(row):
            yield from _fact(name, text, columns, "    ")


def _idle(row: RuleRow) -> list[tuple[str, str]]:
    word = "may be idle" if row.may_be_idle else "idle"
    return [(word, clean(why)) for why in map(idle_sentence, row.idle)]


_JUDGES = {
    "saxon": "Saxon",
    "vectorised": "the vectorised evaluator",
    "aggregated": "sums and counts over the records, and Saxon where they do not decide",
}


def _doubts(row: RuleRow) -> list[tuple[str, str]]:
    reach = "each record by itself" if row.is_record_local else "the whole file at once"
    judge = _JUDGES[row.engine]
    return [
        ("why", clean(row.reason) or "-"),
        ("context", clean(row.context) or "-"),
        ("test", clean(row.test) or "-"),
        ("judged by", f"{judge}, {reach}"),
    ]


def _fact(name: str, text: str, columns: int, indent: str = "  ") -> list[str]:
    return wrapped(text, columns, indent + padded(name, _LABEL_CELLS), " " * (len(indent) + _LABEL_CELLS))


def _blocks(rules: RuleList, columns: int, colour: bool) -> Iterator[str]:
    if not rules.blocks:
        return
    yield from ("", paint("blocks of variables tied together", "strong", colour))
    for index, block in enumerate(rules.blocks, 1):
        yield from wrapped(", ".join(map(clean, block)), columns, f"  {index:>3}  ", " " * 7)


def render_rules_json(rules: RuleList) -> str:
    """Return the list as JSON under schemas/rules.schema.json."""
    return json_text(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "constraint-sdc", "version": __version__},
            "file": rules.file,
            "title": rules.title,
            "phase": rules.phase,
            "binding": rules.binding,
            "rules": [_row_json(row) for row in rules.rows],
            "blocks": [list(block) for block in rules.blocks],
            **({"warnings": [with_sentence(reason) for reason in rules.warnings]} if rules.warnings else {}),
        }
    )


def _row_json(row: RuleRow) -> dict[str, object]:
    return {
        "id": row.id,
        "kind": row.kind,
        "paper_name": None if row.paper_name in ("", "-") else row.paper_name,
        "variables": list(row.variables),
        "normal_form": row.normal_form,
        "severity": row.severity,
        "origin": origin_json(row.origin),
        "reason": row.reason,
        "context": row.context,
        "test": row.test,
        "is_understood": row.is_understood,
        "is_record_local": row.is_record_local,
        "engine": row.engine,
        "checked": row.checked,
        "idle": [with_sentence(reason) for reason in row.idle],
        "may_be_idle": row.may_be_idle,
    }
