"""What Saxon says of each record of a document, read from the signatures of its records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import numpy as np

from constraint_sdc.arrays import Codes
from constraint_sdc.errors import JudgeError
from constraint_sdc.judge.control import prove
from constraint_sdc.schematron.schema import Schema


@dataclass(frozen=True, slots=True)
class CaseFindings:
    """One assertion on one record: nodes tested, where it fails, and nodes on which XPath itself stopped.

    `failed` are the ways from the record to the nodes that break the rule, in document order; `error` is the first
    error. `held_missing` and `failed_missing` count the nodes on which a value that the test reads is missing.
    """

    fired: int = 0
    failed: tuple[str, ...] = ()
    errors: int = 0
    error: str | None = None
    held_missing: int = 0
    failed_missing: int = 0


@dataclass(frozen=True, slots=True)
class SignedRecords:
    """The different signatures of a document's records, and for each record the place of its own among them."""

    signatures: tuple[str, ...]
    of_record: Codes


def read_signatures(schema: Schema, text: str) -> SignedRecords:
    """Read the output of a stylesheet for cases; JudgeError unless the judge's control is as it must be."""
    rows = json.loads(text)
    cases = [row for row in rows if row["kind"] == "case"]
    prove(schema, [*(row for row in rows if row["kind"] != "case"), *_fired(cases)])
    numbers = [np.array(row["records"], np.int64) for row in cases]
    of_record = np.full(sum(map(len, numbers)), -1, np.int64)
    for place, records in enumerate(numbers):
        of_record[records - 1] = place
    if (of_record < 0).any():
        raise JudgeError("the judge's answer leaves records out", hint="this is a defect: please report it")
    return SignedRecords(tuple(row["signature"] for row in cases), of_record)


def _fired(cases: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield how many nodes each rule took, as the counting stylesheet says it."""
    for case in cases:
        for pattern, part in enumerate(case["signature"].split("|")):
            for word, times in Counter(part.split()).items():
                if word.isdigit():
                    count = times * len(case["records"])
                    yield {"kind": "fired", "pattern": pattern, "rule": int(word), "count": count}


def read_signature(schema: Schema, signature: str) -> dict[str, CaseFindings]:
    """Return what a signature says of every assertion of the schema, by its id."""
    words = [word for part in signature.split("|") for word in part.split()]
    rules = [rule for pattern in schema.patterns for rule in pattern.rules]
    fired = Counter(int(word) for word in words if word.isdigit())
    told: dict[str, list[str]] = {}
    for word in words:
        if not word.isdigit():
            kind, number, text = _parts(word)
            told.setdefault(f"{kind} {number}", []).append(text)
            if kind in "ES":
                told.setdefault(f"error {number}", []).append(text)
    found: dict[str, CaseFindings] = {}
    for place, rule in enumerate(rules, start=1):
        for assertion in rule.assertions:
            found[assertion.id] = _outcome(fired[place], told, len(found) + 1)
    return found


def _outcome(fired: int, told: dict[str, list[str]], number: int) -> CaseFindings:
    # A node on which the context stops was not taken by the rule: it counts as one that the rule could not judge.
    errors = told.get(f"error {number}", [])
    return CaseFindings(
        fired=fired + len(told.get(f"S {number}", ())),
        failed=tuple(told.get(f"F {number}", ())),
        errors=len(errors),
        error=errors[0] if errors else None,
        held_missing=len(told.get(f"held {number}", ())),
        failed_missing=len(told.get(f"failed {number}", ())),
    )


def _parts(word: str) -> tuple[str, int, str]:
    """Return the kind of a word, the number of its assertion, and its text."""
    if word[0] in "FES":
        number, _, text = word[1:].partition(":")
        return word[0], int(number), unquote(text)
    kind, _, number = word.partition("-")
    return kind, int(number), ""
