"""Read an intruder's own file: some records, some variables, and which record of the release each one is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from constraint_sdc.arrays import Codes, Floats, Rows
from constraint_sdc.commands.measuring.compared_files import ComparedFiles
from constraint_sdc.commands.measuring.records_file import read_records
from constraint_sdc.data.intruder import NOBODY, IntruderFile
from constraint_sdc.data.pair import Compared
from constraint_sdc.data.table import Column, Table
from constraint_sdc.data.text import Text
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.measures.assessment import AssessOptions
from constraint_sdc.plan.read_series import make_series
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale, VariableWish

_SHOWN = 20
_BLANK = " \t\r\n"


def refuse_truth_mistakes(options: AssessOptions) -> None:
    """Refuse a truth without a file, and a file without one truth: UsageError."""
    truths = [name for name in ("truth_key", "truth_rows") if getattr(options, name) is not None]
    if options.intruder is None:
        for name in truths:
            raise UsageError(f"--{name.replace('_', '-')} has no meaning here", hint="it belongs to --intruder")
        return
    if len(truths) != 1:
        hint = "give --truth-key NAME (a variable that both files have), or --truth-rows with record numbers"
        what = "two truths are given" if truths else "nothing tells who the records of the intruder's file are"
        raise UsageError(what, file=str(options.intruder), hint=hint)


def read_intruder_file(compared: ComparedFiles, options: AssessOptions) -> IntruderFile | None:
    """Return the intruder's file in the numbers and codes of the pair; None if none is given."""
    path = options.intruder
    if path is None:
        return None
    table = read_records(path, options.record or options.recipe.record).table
    if not table.records:
        raise UsageError("has no record", file=str(path), hint="an intruder without a record links nothing")
    key = options.truth_key
    own = _own_by_key(table, compared.table, key, path) if key is not None else _own_by_rows(table, options, compared)
    names = [v.name for v in compared.pair.variables if v.name in table.columns and v.name != key]
    notes = [*_unused(table, compared, key)]
    if options.known is not None:
        lacking = tuple(name for name in options.known if name not in table.columns)
        notes += [because("intruder-lacks", variables=lacking)] if lacking else []
        names = [name for name in names if name in options.known]
    if not names:
        shown = ", ".join(list(table.columns)[:_SHOWN])
        raise UsageError("has no variable to link by", file=str(path), hint=f"it has: {shown}")
    values = {name: _values(name, table, compared, options) for name in names}
    return IntruderFile(values, own, tuple(notes))


def _unused(table: Table, compared: ComparedFiles, key: str | None) -> Sequence[Reason]:
    released = {v.name for v in compared.pair.variables}
    unused = tuple(name for name in table.columns if name not in released and name != key)
    notes = [because("intruder-unused", variables=unused)] if unused else []
    if key in released:
        notes.append(because("key-in-release", key=key))
    return notes


def _own_by_key(table: Table, original: Table, key: str, path: Path) -> Rows:
    """Return the place of each record by a variable that identifies the originals."""
    for which, where in ((table, str(path)), (original, None)):
        if key not in which.columns:
            what = f"has no variable {key}" if where else f"the original has no variable {key}"
            raise UsageError(what, file=where, hint=f"there are: {', '.join(list(which.columns)[:_SHOWN])}")
    ours, theirs = ([_stripped(text) for text in which.columns[key].texts()] for which in (original, table))
    place = {text: row for row, text in enumerate(ours) if text}
    if len(place) < len(ours):
        raise UsageError(f"{key} does not tell the originals apart", hint="use a variable whose values occur once")
    blank = next((row for row, text in enumerate(theirs) if not text), None)
    if blank is not None:
        hint = "give every record a key; one that the original does not have is a record that is not in the release"
        raise UsageError(f"record {blank + 1} has no {key}", file=str(path), hint=hint)
    own = np.array([place.get(text, NOBODY) for text in theirs], np.intp)
    if (own == NOBODY).all():
        hint = "write the keys as the original does; for a file of strangers give --truth-rows with a 0 for each record"
        raise UsageError(f"no {key} of the file is in the original", file=str(path), hint=hint)
    return own


def _own_by_rows(table: Table, options: AssessOptions, compared: ComparedFiles) -> Rows:
    """Return the place of each record by record numbers of the original, 0 for nobody."""
    rows, records = options.truth_rows or (), len(compared.pair)
    if len(rows) != table.records:
        what = f"record numbers given: {len(rows):,}, records of the file: {table.records:,}"
        raise UsageError(what, file=str(options.intruder), hint="one number for each, 0 for a record that is not there")
    wrong = next((row for row in rows if isinstance(row, bool) or not isinstance(row, int) or row < 0), None)
    wrong = next((row for row in rows if row > records), None) if wrong is None else wrong
    if wrong is not None:
        raise UsageError(f"the original has no record {wrong}", hint=f"its records are 1 to {records:,}; 0 is nobody")
    return np.array(rows, np.intp) - 1  # 0 becomes NOBODY


def _values(name: str, table: Table, compared: ComparedFiles, options: AssessOptions) -> Floats:
    """Return the values of one variable: numbers, or the codes that the pair gives to the same texts."""
    column, variable = table.columns[name], compared.pair[name]
    missing = options.recipe.missing.get(name, ())
    blank = make_series(column, Scale.NOMINAL, VariableWish(), missing).blank != 0
    if variable.scale is Scale.NUMERIC:
        values = make_series(column, Scale.NUMERIC, VariableWish(decimals="free"), missing).values
    else:
        values = _codes_of(column, _coded(variable, name, compared))
    strange = np.flatnonzero(np.isnan(values) & ~blank)
    if len(strange) and variable.scale is not Scale.NOMINAL:
        raise _refused(name, int(strange[0]) + 1, variable.scale, options)
    values[strange] = max(variable.original_code.max(), variable.masked_code.max()) + 1.0  # nobody has it
    return np.where(blank, np.nan, values)


def _refused(name: str, record: int, scale: Scale, options: AssessOptions) -> UsageError:
    if scale is Scale.NUMERIC:
        what = f"{name} of record {record} is not a number"
        hint = "write numbers as 1234.5, name codes under `missing` in the recipe, or leave the variable out"
    else:
        what = f"the place of {name} of record {record} in the order is not known"
        hint = "use values that one of the two files has"
    return UsageError(what, file=str(options.intruder), hint=hint)


def _coded(variable: Compared, name: str, compared: ComparedFiles) -> dict[str, float]:
    """Return the code of every text of both files."""
    sides: list[tuple[Table, Floats | Codes]] = [
        (compared.table, variable.original),
        (compared.released, variable.masked),
    ]
    if variable.scale is Scale.NOMINAL:
        sides = [(compared.table, variable.original_code), (compared.released, variable.masked_code)]
    found: dict[str, float] = {}
    for side, codes in sides:
        found |= dict(zip(map(_stripped, side.columns[name].texts()), codes.tolist(), strict=True))
    return {text: float(code) for text, code in found.items() if text and not np.isnan(code)}


def _codes_of(column: Column, coded: dict[str, float]) -> Floats:
    """Return the codes of the texts, NaN for unknown ones.

    A number in another notation is the same value, unless both files have it in several notations with their own codes.
    """
    by_number: dict[float, set[float]] = {}
    for number, code in zip(_numbers(list(coded)), coded.values(), strict=True):
        by_number.setdefault(number, set()).add(code)
    texts = [_stripped(text) for text in column.texts()]
    found = np.full(len(texts), np.nan)
    for row, (text, number) in enumerate(zip(texts, _numbers(texts), strict=True)):
        same = {coded[text]} if text in coded else by_number.get(number, set())
        if len(same) == 1:
            (found[row],) = same
    return found


def _numbers(texts: list[str]) -> list[float]:
    """Return the texts as numbers, NaN (never equal to another) for those that are none."""
    return [] if not texts else Reading(Text.of_strings(texts)).doubles.values.tolist()


def _stripped(text: str | None) -> str:
    return (text or "").strip(_BLANK)
