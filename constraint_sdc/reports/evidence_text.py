"""What a column looks like, in words."""

from __future__ import annotations

from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.note_sentences import Sentence


def _measured(distinct: int, values: int) -> str:
    return f"{counted(distinct, 'different number')} in {counted(values, 'value')}"


def _few(distinct: int, values: int) -> str:
    return f"{counted(distinct, 'different value')} in {counted(values, 'record')}"


def _unique(alone: int, values: int) -> str:
    return f"{number(alone)} of {counted(values, 'value')} {'belongs' if alone == 1 else 'belong'} to one record only"


def _weights(times: int | None) -> str:
    above = "far above" if times is None else f"{number(times)} times"
    return f"numbers from 1; their sum is {above} the number of records"


def _missing_codes(records: int, codes: int) -> str:
    return f"{counted(codes, 'possible missing code')} in {counted(records, 'record')}"


EVIDENCE_SENTENCES: dict[str, Sentence] = {
    "looks-measured": _measured,
    "looks-computed": "rules compute with it",
    "looks-too-few": lambda distinct: (
        f"{counted(distinct, 'different number')}: too few to tell codes from measurements"
    ),
    "looks-few": _few,
    "looks-ordinal-or-count": "consecutive small numbers: codes, possibly in an order, or a count",
    "looks-unique": _unique,
    "looks-consecutive": "the numbers are consecutive",
    "looks-equally-long": "all numbers have {digits} digits",
    "looks-rising": "the values rise or fall from record to record, as numbers given in the order of the file do",
    "looks-gaps": "values repeat, and many numbers between them do not occur, as in a classification",
    "looks-even": lambda distinct: f"{counted(distinct, 'different number')}, all about equally often",
    "looks-runs": lambda runs, distinct: (
        f"equal numbers stand side by side: {counted(runs, 'run')} of {counted(distinct, 'different number')}"
    ),
    "looks-named": "its name suggests: {what}",
    "looks-weights": _weights,
    "looks-years": "whole numbers from {first} to {last}, such as years",
    "looks-months": lambda distinct: f"{counted(distinct, 'whole number')} from 1 to 12, such as months",
    "looks-dates": "every value is a date written {notation}",
    "looks-long": lambda words: f"long texts, {counted(words, 'word')} on average",
    "looks-leading-zeros": lambda records: f"{counted(records, 'value')} with a leading zero, as codes have",
    "looks-missing-codes": _missing_codes,
    "looks-decimal-commas": lambda records: (
        f"{counted(records, 'value')} with a decimal comma or with separators, which are not read as numbers"
    ),
    "looks-strange-texts": lambda records: f"{counted(records, 'value')} among the numbers that are not numbers",
    "looks-known-to-others": "others may know it: possibly a quasi-identifier",
    "looks-constant": lambda values: f"the same value in {counted(values, 'record')}",
    "looks-empty": "no record has a value",
}
"""The sentence of every such code."""
