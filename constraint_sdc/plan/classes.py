"""Classes of records that must not share a mean: they differ in blanks, pinned values, broken rules or signs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Rows
from constraint_sdc.data.series import Series
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.plan.rule_facts import RuleFacts
from constraint_sdc.settings.reason import Reason, because


@dataclass(frozen=True, slots=True)
class RecordClasses:
    """`codes` (n x c): records may share a mean only if their rows are equal. `labels` say what each column is."""

    codes: Codes
    labels: tuple[tuple[str, str], ...]

    def conditions(self, row: int) -> Iterator[Reason]:
        """Yield what distinguishes a record's class, without a value of the record."""
        for (kind, name), code in zip(self.labels, self.codes[row].tolist(), strict=True):
            match kind:
                case "blank" if code:
                    yield because("missing", variable=name)
                case "pinned":
                    yield because("same-value", variable=name)
                case "broken" if code:
                    yield because("broken-already", rule=name)
                case "sign":
                    yield because("sign", variable=name, sign="<=>"[code + 1])
                case _:
                    continue


def record_classes(
    rules: Sequence[RuleFacts],
    series: Mapping[str, Series],
    operators: Mapping[str, str],
    pins: tuple[tuple[str, Codes], ...],
    broken: Mapping[str, Rows],
    records: int,
) -> RecordClasses:
    """Return the classes of a block; columns in which all records agree are left out."""
    columns: list[tuple[tuple[str, str], Codes]] = []
    for name, one in series.items():
        columns.append((("blank", name), one.blank))
        if OPERATORS[operators[name]].traits.averages_logarithms:
            columns.append((("sign", name), np.sign(np.nan_to_num(one.values)).astype(np.int64)))
    columns += [(("pinned", name), codes) for name, codes in pins]
    for rule in rules:
        if rule.id in broken:
            codes = np.zeros(records, np.int64)
            codes[broken[rule.id]] = 1
            columns.append((("broken", rule.id), codes))
    apart = [(label, codes) for label, codes in columns if len(codes) and (codes != codes[0]).any()]
    table = np.array([codes for _, codes in apart], np.int64).T if apart else np.zeros((records, 0), np.int64)
    return RecordClasses(table, tuple(label for label, _ in apart))
