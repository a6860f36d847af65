"""Classes of records: those that must not share a mean, and those that the same unmasked values bind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from constraint_sdc.arrays import Codes, ConditionBits, Flags, Rows
from constraint_sdc.constraints.constraint import atom_variables
from constraint_sdc.data.series import Series
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.plan.rule_facts import AtomTruth, RuleFacts, Term
from constraint_sdc.settings.reason import Reason, because

# Classes of records that must not share a mean: they differ in blanks, pinned values, broken rules or signs.


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


# Classes of records that the same unmasked values bind: what rules ask of the masked variables is the same for all of
# them, so that the masked values of one satisfy the rules of every other.

_MOST_PAIRS = 4_000_000  # kinds of records times classes; with more, any classes are taken to have common values


class PinnedClasses:
    """The class of every record, and which classes have masked values in common that some record of the file has.

    Bit t of `pinned[i, r]` says that the unmasked atoms of conjunction t of rule r hold for record i, bit t of
    `masked[i, r]` that the others do. The masked values of a record satisfy the rules of a class if for every rule some
    bit is set in both. `values` (n x c) are codes of unmasked values that must be equal, because a rule compares them
    with masked ones or cannot be evaluated here.
    """

    def __init__(self, pinned: ConditionBits, masked: ConditionBits, values: Codes) -> None:
        self._pinned = pinned
        self._masked = masked
        self._values = values
        rows = np.concatenate((pinned.astype(np.int64), values), axis=1)
        distinct, code = np.unique(rows, axis=0, return_inverse=True)
        self._rules = masked.shape[1]
        self._distinct = distinct
        self.code: Codes = code.ravel().astype(np.int64)

    @classmethod
    def one(cls, records: int) -> PinnedClasses:
        """Return a single class of all records."""
        nothing = np.zeros((records, 0), np.int64)
        return cls(nothing.astype(np.uint64), nothing.astype(np.uint64), nothing)

    def of(self, rows: Rows) -> PinnedClasses:
        """Return the classes of some records."""
        return PinnedClasses(self._pinned[rows], self._masked[rows], self._values[rows])

    @cached_property
    def _fits(self) -> Flags | None:
        """Tell which kinds of records (first axis) satisfy the rules of which classes; None if there are too many."""
        kinds = np.unique(np.concatenate((self._masked.astype(np.int64), self._values), axis=1), axis=0)
        if len(kinds) * len(self._distinct) > _MOST_PAIRS:
            return None
        fits = np.ones((len(kinds), len(self._distinct)), np.bool_)
        for column in range(kinds.shape[1]):
            mine, theirs = kinds[:, column, None], self._distinct[None, :, column]
            fits &= (mine & theirs) != 0 if column < self._rules else mine == theirs
        return fits

    def that_can_join(self, classes: Collection[int]) -> Flags:
        """Tell for every class whether some record satisfies its rules and those of all these classes."""
        if self._fits is None:
            return np.ones(len(self._distinct), np.bool_)
        able = self._fits[:, list(classes)].all(axis=1)
        return np.asarray(self._fits[able].any(axis=0), np.bool_)

    def can_share(self, classes: Collection[int]) -> bool:
        """Tell whether some record satisfies the rules of all these classes."""
        return self._fits is None or bool(self._fits[:, list(classes)].all(axis=1).any())


def pinned_classes(
    rules: Sequence[RuleFacts], names: Collection[str], truth: AtomTruth, values: Mapping[str, Codes], records: int
) -> PinnedClasses:
    """Return the classes of a block of variables; `values` are codes of unmasked values that must be equal."""
    known = [rule.terms for rule in rules if rule.terms is not None]
    pinned, masked = (np.zeros((records, len(known)), np.uint64) for _ in range(2))
    for place, terms in enumerate(known):
        for bit, term in enumerate(terms):
            for bits, is_masked in ((pinned, False), (masked, True)):
                holds = _part_holds(term, names, truth, records, is_masked=is_masked)
                bits[:, place] |= holds.astype(np.uint64) << np.uint64(bit)
    codes = np.array(list(values.values()), np.int64).reshape(len(values), records).T
    return PinnedClasses(pinned, masked, codes)


def _part_holds(term: Term, names: Collection[str], truth: AtomTruth, records: int, *, is_masked: bool) -> Flags:
    """Tell where the atoms of a conjunction hold that read masked variables, or those that read none.

    An atom that is not understood is taken to hold.
    """
    holds = np.ones(records, np.bool_)
    for atom in term:
        if any(name in names for name in atom_variables(atom)) == is_masked:
            found = truth.of(atom)
            holds &= True if found is None else found
    return holds
