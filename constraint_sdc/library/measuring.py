"""Measure a masked file: assess it, attack it, and compare many maskings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Unpack

from constraint_sdc.commands.assess import assess_files as assess
from constraint_sdc.commands.attack import PARAMETERS
from constraint_sdc.commands.attack import attack_files as attack_with
from constraint_sdc.commands.sweep import sweep_file as sweep
from constraint_sdc.engines.running import some_engine
from constraint_sdc.errors import UsageError
from constraint_sdc.library.addresses import reads_addresses
from constraint_sdc.library.keywords import AssessKeywords, AttackKeywords, File, OnRecords, SweepKeywords
from constraint_sdc.library.settle import converted, path_or_none, refuse_unknown, settle
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.measures.assessment import Assessment, AssessOptions, Measured
from constraint_sdc.measures.sweep_points import Sweep, SweepOptions


@some_engine()
@reads_addresses
def assess_files(
    original: File,
    masked: File,
    options: AssessOptions | None = None,
    progress: OnRecords = lambda _: None,
    **keywords: Unpack[AssessKeywords],
) -> Assessment:
    """Compare a masked file with its original: utility, disclosure risk, attacks, and whether the rules still hold.

    The options are an AssessOptions object or its fields as keywords.

    >>> import constraint_sdc as cs
    >>> _ = cs.mask_file("census.xml", "census.sch", "masked.xml", k=5, partition="mdav")
    >>> assessment = cs.assess_files("census.xml", "masked.xml", rules="census.sch", known=["V2", "V8"], attacks=[])
    >>> assessment.exit_code, assessment.newly_broken
    (0, 0)
    >>> assessment.to_frame().columns.to_list()
    ['section', 'measure', 'figure', 'label', 'value', 'unit']
    """
    return assess(Path(original), Path(masked), settle(AssessOptions, options, keywords), progress)


@some_engine()
@reads_addresses
def attack_files(
    original: File,
    masked: File,
    attack: str,
    options: AssessOptions | None = None,
    progress: OnRecords = lambda _: None,
    **keywords: Unpack[AttackKeywords],
) -> Measured:
    """Carry out one attack.

    It is "transparency", "transparency-linkage", "single-ranking", "rule-inference", "inconsistency", "dominance",
    "intruder-linkage" or "differencing".

    The options are an AssessOptions object or its fields as keywords. `setting`, `metric`, `share`, `off`, `deviation`
    and `against` are for single-ranking. The notes of the result include those about the two files.

    >>> import constraint_sdc as cs
    >>> _ = cs.mask_file("census.xml", "census.sch", "masked.xml", k=5, partition="mdav")
    >>> cs.attack_files("census.xml", "masked.xml", "transparency").measure
    'transparency'
    """
    given: dict[str, Any] = dict(keywords)
    parameters = converted({name: given.pop(name) for name in PARAMETERS if name in given})
    refuse_unknown(given, (*PARAMETERS, *(field.name for field in fields(AssessOptions))))
    chosen = settle(AssessOptions, options, given)
    measured, around = attack_with(Path(original), Path(masked), attack, chosen, parameters, progress)
    return replace(measured, notes=(*around, *measured.notes))


@reads_addresses
def sweep_file(
    data: File,
    rules: File | None = None,
    options: SweepOptions | None = None,
    *,
    journal: File | None = None,
    overwrite: bool = False,
    heard: Callable[[int, int], None] = lambda _done, _all: None,
    **keywords: Unpack[SweepKeywords],
) -> Sweep:
    """Mask a file in memory for many k, maskers and partitions, and measure every masking. Nothing is published.

    The options are a SweepOptions object, or its fields and those of MaskOptions as keywords. With a `journal` every
    point is kept as soon as it is computed, and an interrupted sweep goes on from there; a journal of other inputs is
    refused unless `overwrite` is set. `heard` is called with the points done and the points in all.

    >>> import constraint_sdc as cs
    >>> swept = cs.sweep_file("census.xml", "census.sch", ks=[3, 10], partitions=["mdav"], jobs=1)
    >>> swept.to_frame()[["partition", "k", "broken", "smallest"]]
      partition   k  broken  smallest
    0      mdav   3       0         3
    1      mdav  10       0        10
    """
    chosen = _sweep_options(dict(keywords)) if options is None else settle(SweepOptions, options, keywords)
    chosen = replace(chosen, masking=settle(MaskOptions, chosen.masking, {}))
    return sweep(
        Path(data), path_or_none(rules), chosen, journal=path_or_none(journal), overwrite=overwrite, heard=heard
    )


_OF_SWEEP = tuple(field.name for field in fields(SweepOptions) if field.name != "masking")
_OF_EACH_POINT = ("k", "masker", "totals")
_OF_MASKING = tuple(field.name for field in fields(MaskOptions) if field.name not in _OF_EACH_POINT)


def _sweep_options(given: dict[str, Any]) -> SweepOptions:
    refuse_unknown(given, (*_OF_SWEEP, *_OF_MASKING))
    if "ks" not in given:
        raise UsageError("no group sizes to try are given", hint="such as ks=range(2, 31)")
    masking = settle(MaskOptions, None, {name: value for name, value in given.items() if name in _OF_MASKING})
    chosen = {name: value for name, value in given.items() if name in _OF_SWEEP}
    if isinstance(chosen.get("totals"), str):
        raise UsageError(f"one text is given where several are meant: {chosen['totals']!r}", hint="give a list")
    chosen["totals"] = tuple(chosen.get("totals") or ())
    return SweepOptions(**converted(chosen), masking=masking)
