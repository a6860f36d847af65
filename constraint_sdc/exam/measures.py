"""The exam that every measure and attack sits, on drawn pairs of an original and a masked file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from math import isclose, isfinite

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.constraints.constraint import Constraint, EditRule, Kind, LinearAtom
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.intruder import NOBODY, IntruderFile
from constraint_sdc.data.pair import Compared, MaskedTogether, Pair
from constraint_sdc.data.series import Grid
from constraint_sdc.exam.question import (
    PARAMETERS_ASKED,
    AskedQuestion,
    ExamFailedError,
    ExamOptions,
    require,
    takes_parameters,
)
from constraint_sdc.measures.assessment import Measure, Measured, MeasureInputs, Unit
from constraint_sdc.measures.registry import prepared
from constraint_sdc.measures.utility.regressions import parse_regression
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean, group_means
from constraint_sdc.reports.sentences import sentence, worded
from constraint_sdc.schematron.schema import Assertion, Origin
from constraint_sdc.settings.parameters import parameters_of
from constraint_sdc.settings.reason import Reason
from constraint_sdc.settings.words import Role, Scale

# Drawn pairs of an original and a masked file: numbers, categories, blanks, ties, files of no and of one record.

KINDS_OF_FILES = ("means of groups", "noise", "as it was", "one value", "ties", "blanks")
SIZES = (0, 1, 2, 7, 24, 60)


def draw_pair(kind: str, records: int, seed: int) -> Pair:
    """Return a pair of three numeric variables and a category; "as it was" is the original twice."""
    random = np.random.default_rng([seed, records, KINDS_OF_FILES.index(kind)])
    original = np.round(random.lognormal(3, 1, (records, 3)), 2)
    if kind == "ties":
        original = random.integers(1, 4, (records, 3)).astype(np.float64)
    if kind == "one value":
        original[:, 0] = 5.0
    if kind == "blanks":
        original[random.random((records, 3)) < 0.3] = np.nan
    masked = _masked(original, kind, random)
    codes = random.integers(0, 4, records).astype(np.float64)
    swapped = codes if kind == "as it was" else random.permutation(codes)
    names = ("V1", "V2", "V3")
    variables = [_compared(name, original[:, j], masked[:, j]) for j, name in enumerate(names)]
    category = replace(_compared("Region", codes, swapped), scale=Scale.NOMINAL, role=Role.QUASI_IDENTIFIER)
    block = MaskedTogether(names, "mdav", dict.fromkeys(names, ArithmeticMean.name))
    pair = Pair((*variables, category), (*names, "Region"), (block, MaskedTogether(("Region",))), 3)
    return replace(pair, weights=np.round(1.0 + random.exponential(20.0, records), 1), other=_other_release(pair, kind))


def _other_release(pair: Pair, kind: str) -> Pair:
    """Return another masking of the same original: groups along the second variable."""
    original = np.column_stack([pair[name].original for name in ("V2", "V3", "V1")])
    masked = _masked(original, kind, np.random.default_rng(len(pair)))
    columns = {name: masked[:, j] for j, name in enumerate(("V2", "V3", "V1"))}
    changed = [_compared(v.name, v.original, columns[v.name]) for v in pair.variables if v.name in columns]
    return replace(pair, variables=(*changed, pair["Region"]))


def _masked(original: Points, kind: str, random: np.random.Generator) -> Points:
    records = len(original)
    if kind == "as it was" or records == 0:
        return original.copy()
    if kind == "noise":
        return np.round(original * random.uniform(0.8, 1.2, original.shape), 2)
    order = np.argsort(np.nan_to_num(original[:, 0]), kind="stable")
    label = np.empty(records, np.int64)
    label[order] = np.minimum(np.arange(records) // 3, max(records // 3 - 1, 0))
    groups = Groups(label)
    means = group_means(np.nan_to_num(original, nan=1.0), groups)[label]
    return np.where(np.isnan(original), np.nan, means)


def _compared(name: str, original: Floats, masked: Floats) -> Compared:
    _, codes = np.unique(np.concatenate((original, masked)), return_inverse=True)
    here = len(original)
    return Compared(
        name, Scale.NUMERIC, Role.CONFIDENTIAL, True, Grid(None), original, masked, codes[:here], codes[here:]
    )


# The questions to a measure or an attack: form, repetition, order of the records, and files that were not masked.

_SAME = 1e-9  # relative: sums in another order
_PAIRS_OF_A_CASE = 6

NamedPair = tuple[str, Pair]
Check = Callable[[Measure, NamedPair], None]


def measure_questions(measure: Measure, options: ExamOptions) -> Iterator[AskedQuestion]:
    """Yield the questions; all see the same drawn pairs of files."""

    def ready() -> Measure:
        found = prepared(measure, _inputs(options.seed))
        if found is None:
            raise ExamFailedError("nothing to measure although rules and regressions are given")
        return found

    def asked(text: str, check: Check) -> AskedQuestion:
        return AskedQuestion(text, lambda: _on_all(ready(), check, options))

    yield asked("the answer has the form that reports show", _has_form)
    yield asked("the same files have the same figures", _repeats)
    if not measure.traits.draws:
        yield asked("the order of the records does not matter", _ignores_order)
    if measure.traits.unmasked is not None:
        yield asked("files that were not masked have the figure that is claimed", _knows_the_original)
    if parameters_of(measure):
        yield AskedQuestion(PARAMETERS_ASKED, lambda: takes_parameters(measure, measure.name))


def _on_all(measure: Measure, check: Check, options: ExamOptions) -> str:
    count = 0
    for number in range(max(options.cases // _PAIRS_OF_A_CASE, 1)):
        for kind in KINDS_OF_FILES:
            for records in SIZES:
                seed = options.seed + number
                check(measure, (f"{kind}, {records} records, seed {seed}", draw_pair(kind, records, seed)))
                count += 1
    return f"{count:,} pairs of files"


def _inputs(seed: int) -> MeasureInputs:
    """Return what measures may need: a rule that every record satisfies, a regression, and an intruder's strangers."""
    atom = LinearAtom((("V1", Fraction(1)),), ">", Fraction(0))
    assertion = Assertion("positive", True, "assert", "", (), "error", (), (), (), Origin("rules.sch", 1))
    constraint = Constraint(Kind.GOVERNS, atom, ("V1",), "V1 is positive")
    rule = EditRule(assertion, "pattern", "Record", None, None, constraint, True)
    strangers = IntruderFile(
        {"V1": np.array([1.0, 20.0, np.nan]), "V2": np.array([5.0, np.nan, np.nan])}, np.full(3, NOBODY)
    )
    return MeasureInputs(seed, (rule,), {}, (parse_regression("V1 ~ V2"),), strangers)


def _has_form(measure: Measure, named: NamedPair) -> None:
    which, pair = named
    found = measure.measure(pair)
    require(found.measure == measure.name, f"{which}: the answer is called {found.measure!r}, not {measure.name!r}")
    require(worded(found.says).endswith("."), f"{which}: `says` is not a sentence: {found.says!r}")
    for note in found.notes:
        is_worded = isinstance(note, Reason) and sentence(note) != str(note)
        require(is_worded, f"{which}: the note {note!r} is not a reason with a sentence")
    names = [figure.name for figure in found.figures]
    require(bool(names) and len(set(names)) == len(names), f"{which}: figures are called {names}")
    for figure in found.figures:
        require(_is_plain(figure.value), f"{which}: {figure.name} is {figure.value!r}, not a finite number or None")
        is_share = figure.unit is Unit.PERCENT and figure.value is not None
        require(not is_share or (figure.value or 0.0) >= 0.0, f"{which}: {figure.name} is {figure.value} per cent")
    for table in found.tables:
        require(len(table.head) == len(table.units), f"{which}: table {table.name} has units for other columns")
        for row in table.rows:
            fits = len(row) == len(table.head) and all(isinstance(cell, str) or _is_plain(cell) for cell in row)
            require(fits, f"{which}: table {table.name} has the row {row}")


def _is_plain(value: object) -> bool:
    return value is None or type(value) is int or (type(value) is float and isfinite(value))


def _repeats(measure: Measure, named: NamedPair) -> None:
    which, pair = named
    before = [(v.original.copy(), v.masked.copy()) for v in pair.variables]
    first, second = measure.measure(pair), measure.measure(pair)
    require(first == second, f"{which}: other figures the second time: {_shown(first)}, then {_shown(second)}")
    same = all(
        np.array_equal(v.original, original, equal_nan=True) and np.array_equal(v.masked, masked, equal_nan=True)
        for v, (original, masked) in zip(pair.variables, before, strict=True)
    )
    require(same, f"{which}: the measure changed the values that it was given")


def _ignores_order(measure: Measure, named: NamedPair) -> None:
    which, pair = named
    order = np.random.default_rng(len(pair)).permutation(len(pair)).astype(np.int64)
    found, shuffled = measure.measure(pair), measure.measure(pair.of(order))
    for one, other in zip(found.figures, shuffled.figures, strict=True):
        require(_is_near(one.value, other.value), f"{which}: {one.name} is {one.value}, in another order {other.value}")


def _knows_the_original(measure: Measure, named: NamedPair) -> None:
    which, pair = named
    value = measure.measure(pair).figures[0].value
    if not which.startswith("as it was") or value is None:
        return
    claimed = measure.traits.unmasked
    require(_is_near(value, claimed), f"{which}: {value} although {claimed} is claimed for an original")


def _is_near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=_SAME, abs_tol=_SAME)


def _shown(found: Measured) -> str:
    return ", ".join(f"{figure.name} {figure.value}" for figure in found.figures)
