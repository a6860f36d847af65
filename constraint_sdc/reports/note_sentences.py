"""The sentences of notes: how files were checked and compared, and what measures, attacks and sweeps left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from constraint_sdc.reports.check.wording import counted

Sentence: TypeAlias = str | Callable[..., str]
"""A template in the manner of `str.format`, or a function that takes the code's parameters by name."""

_MOST_NAMED = 5
_MOST_VARIABLES = 20
_MOST_KS = 10


def named(names: Sequence[str]) -> str:
    """Return names for a sentence, the first few of many.

    >>> named(["V1"]), named(["V1", "V2", "V3"]), named([f"V{j}" for j in range(1, 10)])
    ('V1', 'V1, V2 and V3', 'V1, V2, V3, V4, V5 and 4 more')
    """
    if len(names) > _MOST_NAMED + 1:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


# Files.


def _as_document(line: int | None, why: str) -> str:
    return f"judged as a document, not as rows: {why}" + (f" (line {line})" if line else "")


def _listed(what: str) -> Callable[[list[str]], str]:
    return lambda variables: f"{', '.join(variables[:_MOST_VARIABLES])}: {what}"


def _refused_at(ks: list[int], why: str) -> str:
    return f"refused for k = {', '.join(map(str, ks[:_MOST_KS]))}{', ...' if len(ks) > _MOST_KS else ''}: {why}"


_FILES: dict[str, Sentence] = {
    "judged-as-document": _as_document,
    "parameter-unused": "no rule uses ${parameter}: {file} was not looked at",
    "data-for-original": "the rules name {file} as $original, which does not exist: values are looked up in the data",
    "param-again": "param {parameter} is given again in {file}, line {line}: the last value in the pattern counts",
    "key-not-masked": "{key} is not in the masked file: records correspond by their order",
    "other-order": "{variable} has the same values in another order: are the records? "
    "`key: {variable}` in a recipe pairs them",
    "no-longer-numbers": "{variable} is no longer a number in every masked record: compared as categories",
    "categories-unseen": "{variables}: no numbers, so their utility is measured by unchanged cells, tables and entropy",
    "values-blanked": "{variable}: {blank:,} of {of:,} values are blank in the masked file, "
    "which no measure of numbers sees",
    "taken-out": _listed("not in the masked file: taken out"),
    "only-in-masked": _listed("only in the masked file: not compared"),
    "of-other-release": "other release: {why}",
    "measured-with": "measured with {parameters}",
    "original-breaks": "broken in the original, so that an intruder learns nothing certain from them: {rules}",
    "certificate-differs": "{how}",
    "only-saxon-counts": "not counted, because only Saxon judges them on a written file: {rules}",
    "refused-at": _refused_at,
    "plan-refused": "{what}",
    "options-refused": "{what}",
}


# Utility.


def _left_out_of_total(parts: list[str]) -> str:
    return f"Not defined, and left out of the total: {named(parts)}."


def _no_loss_of_own(variables: list[str]) -> str:
    return f"No loss of its own: {named(variables)} (constant but changed, blank, or too large for a number)."


def _no_error_of_own(variables: list[str]) -> str:
    return f"Left out: {named(variables)} (constant but changed, blank, or too large)."


def _moments_undefined(variables: list[str]) -> str:
    return f"Some moments are not defined and are left out: {named(variables)}."


def _moments_hidden(variables: list[str]) -> str:
    return f"Moments are not shown where they would reveal the values: {named(variables)}."


def _without_value(variables: list[str]) -> str:
    return f"Without any value: {named(variables)}."


def _pairs_left_out(pairs: int) -> str:
    return f"Left out: {counted(pairs, 'pair')} with a variable that does not vary in one of the files."


def _too_few_complete(regression: str, records: int, coefficients: int) -> str:
    return f"{regression}: not fitted, {counted(records, 'complete record')} for {coefficients} coefficients."


_UTILITY: dict[str, Sentence] = {
    "not-defined": "Not defined: {why}.",
    "no-masked-numeric": "no masked variable is numeric",
    "no-numbers-in-both": "no masked numeric variable has numbers in both files",
    "none-varies-in-both": "no masked numeric variable varies and has numbers in both files",
    "none-varies-or-too-large": "no masked numeric variable varies and has numbers in both files, "
    "or the error is too large for a number",
    "no-two-vary": "no two masked numeric variables vary together in both files",
    "masked-without-values": "the masked variables have no values",
    "nothing-masked": "no variable is masked",
    "no-masked-category": "no masked variable is a category",
    "categories-constant": "every masked category has one value in the original",
    "first-pairs-only": "Only the first {most} of {pairs} pairs of categories were looked at.",
    "no-regression-named": "the recipe names no regression",
    "no-regression-fits": "none of the regressions could be fitted to both files",
    "left-out-of-total": _left_out_of_total,
    "no-loss-of-own": _no_loss_of_own,
    "no-error-of-own": _no_error_of_own,
    "moments-undefined": _moments_undefined,
    "moments-hidden": _moments_hidden,
    "without-value": _without_value,
    "pairs-left-out": _pairs_left_out,
    "predictor-left-out": "{regression}: {predictor} is left out of both fits; in the {file} file it is constant, "
    "or a linear combination of the predictors before it.",
    "no-predictor-left": "{regression}: not fitted, no predictor is left.",
    "too-few-complete": _too_few_complete,
    "response-constant": "{regression}: not fitted, {response} is constant in the {file} file.",
    "score-parts-missing": "Not defined for this file: {parts}.",
    "score-of-unmasked": "A file that was not masked has {score:.0f}: no loss and full risk.",
}


# Risk.


def _directions_left_out(dropped: int, of: int) -> str:
    verb = "has no spread in the original and is" if dropped == 1 else "have no spread in the original and are"
    why = "constants, exact rules between variables, or all categories of one variable"
    return f"{dropped} of {of} directions {verb} left out ({why})."


def _first_variables_used(known: int, variables: list[str]) -> str:
    return f"Only the first {len(variables)} of {known} known variables were used: {', '.join(variables)}."


_RISK: dict[str, Sentence] = {
    "not-measured": "Not measured. {why}",
    "nothing-known": "An intruder who knows no variable has nothing to link by.",
    "no-record-to-link": "There is no record to link.",
    "nothing-known-varies": "No variable that the intruder knows varies in the original.",
    "nothing-to-count": "There is no record, or the intruder knows no variable.",
    "no-class-defined": "There is no record, or the intruder knows no variable: no class is defined.",
    "share-not-defined": "No masked numeric variable has a value in both files: the share is not defined.",
    "no-single-nearest": "No masked record has a single nearest original: the share of right links is not defined.",
    "no-single-heaviest": "No masked record has a single original of highest weight: "
    "the share of right links is not defined.",
    "unique-in-file": "Uniqueness is counted in this file; it does not show whether a person is unique in the "
    "population.",
    "single-variables-only": "The table shows single variables only: {known} known variables have too many pairs.",
    "no-k-promised": "No group size was promised, so there is nothing to compare with.",
    "blocks-unknown": "It is not known which variables were masked together, so no block is examined.",
    "blocks-group-apart": "Each block has its own groups; in several blocks together, few records share all values.",
    "totals-computed": "{variables}: computed for every record from the other variables, so not counted as a block.",
    "directions-left-out": _directions_left_out,
    "subsets-drawn": "Where there are many subsets of a size, {most} were drawn (seed {seed}).",
    "linkage-averaged": "SCORE averaged takes the linkage of intruders who know 1 to {most} variables: of every number "
    "of variables at most {per_size:,} subsets, and at most {records:,} masked records, drawn by seed {seed} if there "
    "are more.",
    "linked-records-drawn": "{linked:,} of {records:,} masked records were drawn and linked, each to all originals "
    "(seed {seed}).",
    "cells-blank": "{cells:,} cells are blank in one of the files or in both, and are not counted.",
    "no-value-in-both": "No value in both files, left out: {variables}.",
    "ranks-agree": "Numbers agree if their ranks in the original differ by at most {percent:g}% of the file.",
    "first-variables-used": _first_variables_used,
    "chances-estimated": "Chances were estimated from {records:,} drawn masked records and all originals "
    "(seed {seed}).",
    "estimation-not-converged": "The estimation did not converge in {steps:,} steps.",
    "categories-joined": "{variable} has {categories:,} categories; the rarest {joined:,} of them count as one, "
    "so the risk is understated.",
    "no-sampling-weights": "No sampling weights are known; `weights` in the recipe names the variable that has them.",
    "weights-not-positive": "A sampling weight is blank or not positive.",
    "weights-below-one": "{records:,} sampling weights are below 1; no class of the population is taken to be smaller "
    "than that of the sample.",
    "population-estimated": "The sampling weights stand for a population of {people:,}.",
    "sets-bounded": "Sets of up to {most} variables were looked at, not {wished}: {known} known variables have too "
    "many sets.",
}


# Attacks.


def _rules_silent(rules: list[str], of: int) -> str:
    return f"{len(rules)} of {of} rules tell nothing about intervals: {', '.join(rules)}."


_ATTACKS: dict[str, Sentence] = {
    "sets-hold-truth": "Every set contains the record's true masked record, so a set of one is always a correct link.",
    "slack-known": "Slack is the distance of masked values from the method's own; an intruder is assumed to know it.",
    "nothing-follows": "No certain conclusion follows from: {variables}.",
    "rerun-needs-order": "Running the method needs the records in file order, and the seed if random: the worst case.",
    "linked-originals-drawn": "{linked:,} of {records:,} originals were drawn and linked, each to all masked records "
    "(seed {seed}).",
    "no-single-possible": "No record has a single nearest masked record: the share of right links is not defined.",
    "drawn-while-secret": "Drawn at random, and protected as long as the seed is secret: {variables}.",
    "no-intruder-file": "No file of an intruder is given.",
    "intruder-knows-nothing-of": "{records:,} records of the intruder's file have no value to link by: not linked.",
    "intruder-has-strangers-only": "No record of the intruder's file is in the release: every link is false.",
    "intruder-unused": "Variables of the intruder's file that the release does not have: {variables}.",
    "intruder-lacks": "Known variables that the intruder's file does not have: {variables}.",
    "key-in-release": "{key}, which identifies the records, is released too: an intruder who has it needs no linkage.",
    "nobody-re-identified": "Re-identification is not defined: {why}.",
    "no-number-known": "the intruder knows no numeric variable",
    "no-records": "the files have no records",
    "ties-shared": "If several originals agree equally well, one is drawn at random: each counts with its share.",
    "sample-drawn": "The sample has {records:,} masked records, drawn with seed {seed}.",
    "corresponding-given": "The corresponding file is given.",
    "corresponding-made": "The corresponding file is made from the original, with seed {seed}: {off} variables of each "
    "record are off by {deviation:.0%}, the others by 1 to 3%.",
    "candidates-taken": "In it, nearest takes {near:,} candidates per field, and within takes all within {within:.0%}.",
    "not-compared": "Not numbers, so not compared: {variables}.",
    "changed-unmasked": "Not masked but changed, so the attack does not use them: {variables}.",
    "only-numbers": "Only numbers have intervals; left out: {variables}.",
    "not-group-means": "Not known to be group means, so the attack does not use their masked values: {variables}.",
    "assumed-group-means": "Assumed to be group means, because their values agree with group means: {variables}.",
    "no-masked-numbers": "No masked variable holds numbers in both files.",
    "no-rules": "There are no rules.",
    "rules-silent": _rules_silent,
    "rules-broken-before": "The original file breaks these rules, so an intruder cannot rely on them: {rules}.",
    "narrowing-stopped": "The search for narrower intervals stopped at its limit; a longer search may narrow them a "
    "little more.",
    "not-run": "Not run. {why}",
    "no-method-to-use": "Nothing certain follows from how the variables were masked.",
    "no-rules-given": "No rules are given (--rules).",
    "attack-needs-rules": "It needs rules that every original record satisfies.",
    "attack-not-named": "It runs if --attacks names {attack}.",
    "attack-left-out": "--attacks does not name it.",
    "misses-near-values": "an intruder who links by near values instead of equal ones",
    "misses-other-knowledge": "knowledge beyond the known variables, and better attacks than the nearest neighbour",
    "misses-known-sample": "an intruder who knows who is in the sample",
    "misses-likely-links": "links that are likely but not certain",
    "misses-coalitions": "several members of a group who share what they know",
    "rules-read-no-masked": "No rule that holds in the original reads a masked number.",
    "every-cell-changed": "Every masked number that rules read was changed, so there is nothing to tell apart; "
    "{broken:,} masked records break a rule that held before.",
    "no-cell-changed": "No masked number that rules read was changed.",
    "no-groups-of-numbers": "No block of masked numbers is known, or no group in it has two records.",
    "no-other-release": "No other release of the file is given (--release).",
    "releases-share-nothing": "No variable is masked in both releases.",
    "rules-public": "The intruder is taken to have the rules, and to know that every original record satisfies them.",
    "groups-by-values": "Records that share all masked values of a block count as a group, as an intruder sees it.",
    "releases-aligned": "The records of both releases are taken to be known to correspond, as where their order or an "
    "unmasked variable shows it; linked records are found without that.",
    "narrowed-below": "No group size was promised: fewer than {k} candidates count as narrowed.",
}

NOTE_SENTENCES: Mapping[str, Sentence] = MappingProxyType({**_FILES, **_UTILITY, **_RISK, **_ATTACKS})
"""The sentence of every code of a note."""
