"""Verify the totals of a certificate in the masked file: every record has what the rule's own expression gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.understand import understand
from constraint_sdc.evaluate.expression import variables_of
from constraint_sdc.exact.totals import compute_totals
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.files.recipe import recipe_from_json
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.plan.derivation import determined
from constraint_sdc.plan.design import Total
from constraint_sdc.plan.plan import ComputedTotal, Plan
from constraint_sdc.plan.read_series import MOST_DECIMALS, is_numeric, make_series
from constraint_sdc.reports.check.wording import counted
from constraint_sdc.settings.words import Scale, VariableWish

_Codes = Mapping[str, tuple[str, ...]]


def totals_said(plan: Plan | None) -> str:
    """Return what is confirmed of the totals; nothing if there are none."""
    if plan is None or not plan.computed:
        return ""
    return f"{counted(len(plan.computed), 'variable')} computed: every record has what the rule's expression gives"


def total_differences(
    certificate: Mapping[str, Any],
    plan: Plan | None,
    dataset: Dataset | None,
    rules: Path,
    phase: str | None,
    allow: tuple[Path, ...],
) -> Iterator[str]:
    """Yield the totals that are not what the plan says: computed by their rule, from these parts, in every record.

    Without a plan the certificate contradicts itself, and nothing is compared.
    """
    if plan is None or dataset is None or not plan.computed:
        return
    codes = recipe_from_json(certificate["recipe"]).missing
    read = rules, phase, allow, tuple(codes.items()), dataset.layout.record
    edits, is_xpath1 = _understood(*read, frozenset(dataset.outside), frozenset(dataset.attributes))
    homes = {name: frozenset((block.number,)) for block in plan.blocks for name in block.names}
    for planned in plan.computed:
        edit = next((rule for rule in edits if rule.id == planned.rule), None)
        yield from _differing(planned, edit, dataset, codes, is_xpath1=is_xpath1)
        expected = frozenset().union(*(homes.get(part, frozenset()) for part in planned.parts))
        homes[planned.name] = expected
        if tuple(sorted(expected)) != planned.blocks:
            yield f"computed {planned.name}: its parts are not masked in the blocks that the certificate names"


def _understood(
    rules: Path,
    phase: str | None,
    allow: tuple[Path, ...],
    codes: tuple[tuple[str, tuple[str, ...]], ...],
    record: str,
    outside: frozenset[str],
    attributes: frozenset[str],
) -> tuple[tuple[EditRule, ...], bool]:
    """Return the rules as understood on the file, and whether they follow XPath 1.0."""
    schema = load_rules(rules, phase=phase, allowed=allow, record=record, codes=dict(codes)).schema
    return understand(schema, record=record, outside=outside, attributes=attributes), schema.is_xpath1


def _differing(
    planned: ComputedTotal, edit: EditRule | None, dataset: Dataset, codes: _Codes, *, is_xpath1: bool
) -> Iterator[str]:
    name, columns = planned.name, dataset.table.columns
    forms = {} if edit is None else determined(edit)
    if name not in forms or set(planned.parts) != set(variables_of(forms[name][0])):
        yield f"computed {name}: rule {planned.rule} does not compute it from these parts"
        return
    if not {name, *planned.parts} <= columns.keys() or not is_numeric(columns[name], codes.get(name, ())):
        yield f"computed {name}: it or one of its parts is not in the file as numbers"
        return
    if (planned.grid.decimals or 0) > MOST_DECIMALS:
        yield f"computed {name}: no grid has {planned.grid.decimals} decimals"
        return
    series = make_series(columns[name], Scale.NUMERIC, VariableWish(decimals="free"), codes.get(name, ()))
    expression, is_own = forms[name]
    own = {one: codes.get(one, ()) for one in (name, *planned.parts)}
    total = Total(replace(series, grid=planned.grid), planned.rule, expression, is_own, planned.parts, own)
    found = compute_totals((total,), columns, dataset.table.records, {}, is_xpath1=is_xpath1)[name]
    texts, written = (np.array(column.texts(), dtype=object) for column in (found.column, columns[name]))
    is_same = np.where(found.is_number, texts == written, series.is_blank)
    if wrong := int(np.count_nonzero(~is_same)):
        yield f"computed {name}: not what the expression of rule {planned.rule} gives in {counted(wrong, 'record')}"
