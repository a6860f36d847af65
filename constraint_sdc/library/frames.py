"""The verbs for data frames: a frame goes where a path goes, and no files are needed.

A frame is written as an Arrow file into a private directory, and from there everything is as for a file: the masked
table is written, read back, judged by Saxon, counted and certified, and only then read as a frame.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from constraint_sdc.commands.certificate.certificate import certificate_path
from constraint_sdc.commands.masking.report_page import measure_masking, write_assessment
from constraint_sdc.commands.masking.settings import settle as settle_masking
from constraint_sdc.data.variable import Description
from constraint_sdc.engines.running import some_engine
from constraint_sdc.errors import UsageError
from constraint_sdc.evidence.draft import RecipeDraft
from constraint_sdc.files.atomic import atomic_file, publish_files, require_place
from constraint_sdc.files.frames.frame_backend import FrameBackend
from constraint_sdc.files.frames.frames import PANDAS, FrameCopy, IntoDataFrame, backend_of, copy_frame, is_frame
from constraint_sdc.library.addresses import reads_addresses
from constraint_sdc.library.files import describe_file, init_recipe
from constraint_sdc.library.judging import check_file
from constraint_sdc.library.keywords import (
    File,
    JudgeKeywords,
    MaskKeywords,
    MeasureKeywords,
    OnRecords,
    RecipeGiven,
    SweepKeywords,
)
from constraint_sdc.library.masking import mask_file
from constraint_sdc.library.measuring import assess_files, sweep_file
from constraint_sdc.library.private_files import RulesGiven, private_files
from constraint_sdc.library.settle import settle
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.measures.assessment import Assessment
from constraint_sdc.measures.sweep_points import Sweep
from constraint_sdc.reports.frame_results import CheckedFrame, MaskedFrame

_ENDINGS = (".arrow", ".feather")


@some_engine()
@reads_addresses
def mask(
    frame: IntoDataFrame,
    rules: RulesGiven | None = None,
    options: MaskOptions | None = None,
    *,
    progress: OnRecords = lambda _: None,
    **keywords: Unpack[MaskKeywords],
) -> MaskedFrame:
    """Return a data frame of pandas, Polars or Arrow masked, as a frame of the same kind with its certificate.

    `rules` is the path of a file, or rules themselves: a text or a list of texts in the plain arithmetic language. The
    options are those of `mask_file`; `recipe` may be the path of a recipe or a dictionary of its entries. Rows, columns
    and types stay as they are. Rules and group sizes are verified on the written table, or nothing is returned:
    NotPublishedError, PlanRefusedError. DataError names the column and the row of a value that cannot be read.

    >>> import constraint_sdc as cs, pandas as pd
    >>> census = pd.read_xml("census.xml")
    >>> masked = cs.mask(census, ["V9 + V10 = V14", "0 <= V3 <= 7500"], k=5, partition="mdav")
    >>> masked
    <MaskedFrame: 200 records in 5 blocks, microaggregation with k = 5; 0 of 2 rules newly broken>
    >>> bool((masked.frame["V9"] + masked.frame["V10"] == masked.frame["V14"]).all())
    True
    """
    if not is_frame(frame):
        raise UsageError("a path is given where a data frame is meant", hint="use mask_file for a file")
    chosen = settle(MaskOptions, options, keywords)
    copy = copy_frame(frame, "data frame", keeps_rows=True)
    with private_files() as files:
        data, schematron = files.frame(copy, "data.arrow"), files.rules(rules)
        result = mask_file(data, schematron, files.folder / "masked.arrow", chosen, progress=progress)
        content, certified = result.output.read_bytes(), result.certificate.read_bytes()
        named = files.named(result)
    held = _HeldFiles(copy, rules, chosen, named, content, certified)
    return MaskedFrame(copy.frame_of(content), named, json.loads(certified), copy.backend, held)


@dataclass(frozen=True, slots=True)
class _HeldFiles:
    """What a masking read and wrote, in memory."""

    copy: FrameCopy
    rules: RulesGiven | None
    options: MaskOptions
    result: MaskResult
    content: bytes
    certified: bytes

    def save(self, path: Path, *, overwrite: bool) -> None:
        """Write the masked table and its certificate, or neither."""
        if path.suffix.lower() not in _ENDINGS:
            hint = f"use a name that ends in {' or '.join(_ENDINGS)}, or write `.frame` without a certificate"
            raise UsageError("the certificate is about an Arrow file", file=str(path), hint=hint)
        publish_files({path: self.content, certificate_path(path): self.certified}, overwrite)

    @some_engine()
    def measure(self, page: Path | None, *, overwrite: bool) -> Assessment:
        """Compare the masked table with its original."""
        if self.options.original is not None:
            what = "the rules were judged with another file as $original, which the report does not know"
            raise UsageError(what, hint="use cs.assess")
        if page is not None:
            require_place(page, overwrite)
        with private_files() as files:
            placed = replace(
                self.result,
                data=files.frame(self.copy, "data.arrow"),
                rules=files.rules(self.rules),
                output=files.content("masked.arrow", self.content),
                certificate=files.content("masked.arrow.certificate.json", self.certified),
            )
            assessment = files.named(measure_masking(placed, settle_masking(self.options)))
        if page is not None:
            write_assessment(assessment, page, overwrite)
        return assessment


@some_engine()
@reads_addresses
def check(
    data: IntoDataFrame | File,
    rules: RulesGiven,
    *,
    original: IntoDataFrame | File | None = None,
    recipe: RecipeGiven | None = None,
    progress: OnRecords = lambda _: None,
    **keywords: Unpack[JudgeKeywords],
) -> CheckedFrame:
    """Judge a data frame, or a file, by rules; violations are a frame of the same kind.

    `rules` is the path of a file, or rules themselves: a text or a list of texts in the plain arithmetic language.
    `original` is the frame or file that rules call $original. The other options are those of `check_file`; all
    violations are kept unless `max_examples` is given.

    >>> import constraint_sdc as cs, pandas as pd
    >>> checked = cs.check(pd.read_xml("damaged.xml"), "V9 + V10 = V14")
    >>> checked
    <CheckedFrame of data frame: FAIL: 1 of 1 rule broken, 2 violations in 2 of 200 records>
    >>> checked.violations[["rule", "record"]]
         rule  record
    0  rule-1     139
    1  rule-1     195
    """
    stated: JudgeKeywords = {"max_examples": None, **keywords}
    with private_files() as files:
        judged = check_file(
            files.data(data, "data.arrow"),
            _required(files.rules(rules)),
            progress=progress,
            recipe=recipe,
            original=None if original is None else files.data(original, "original.arrow"),
            **stated,
        )
        return CheckedFrame(files.named(judged), _backend(data))


@some_engine()
@reads_addresses
def assess(
    original: IntoDataFrame | File,
    masked: IntoDataFrame | File,
    rules: RulesGiven | None = None,
    *,
    progress: OnRecords = lambda _: None,
    **keywords: Unpack[MeasureKeywords],
) -> Assessment:
    """Compare a masked data frame, or file, with its original: utility, disclosure risk, attacks, and the rules.

    The options are those of `assess_files`. `MaskedFrame.report` does the same for a frame that was just masked, and
    knows its certificate.

    >>> import constraint_sdc as cs, pandas as pd
    >>> census = pd.read_xml("census.xml")
    >>> masked = cs.mask(census, "V9 + V10 = V14", k=5, partition="mdav")
    >>> assessment = cs.assess(census, masked.frame, "V9 + V10 = V14", known=["V2", "V8"], attacks=[])
    >>> assessment.exit_code, assessment.newly_broken
    (0, 0)
    """
    with private_files() as files:
        before, after = files.data(original, "original.arrow"), files.data(masked, "masked.arrow")
        return files.named(assess_files(before, after, progress=progress, rules=files.rules(rules), **keywords))


@reads_addresses
def init(
    data: IntoDataFrame | File,
    rules: RulesGiven | None = None,
    output: File | None = None,
    *,
    overwrite: bool = False,
    show_values: bool = False,
) -> RecipeDraft:
    """Propose a recipe for a data frame, or a file; `text` is the recipe with the evidence.

    It is written to `output`, if given. What is in `undecided` is marked so in the text, which every verb refuses until
    a person replaces it. Values of records are hidden unless `show_values` is true.

    >>> import constraint_sdc as cs, pandas as pd
    >>> cs.init(pd.read_xml("census.xml"), "V9 + V10 = V14", "proposed.yml", overwrite=True)
    <RecipeDraft for data frame: 16 variables, 0 undecided>
    """
    with private_files() as files:
        schematron = files.rules(rules)
        draft = files.named(init_recipe(files.data(data, "data.arrow"), schematron, show_values=show_values))
    if output is not None:
        with atomic_file(Path(output), overwrite=overwrite) as stream:
            stream.write(draft.text.encode("utf-8"))
    return draft


@reads_addresses
def describe(
    data: IntoDataFrame | File, *, recipe: File | Mapping[str, object] | None = None, show_values: bool = False
) -> Description:
    """Return what the variables of a data frame, or a file, look like: form, kind, distinct and missing values.

    The missing codes are those of the recipe. Ranges and examples are part of the result only if `show_values` is true.

    >>> import constraint_sdc as cs, pandas as pd
    >>> cs.describe(pd.read_xml("census.xml"))
    <Description of data frame: 200 records, 16 variables>
    """
    with private_files() as files:
        known = files.recipe(recipe)
        return files.named(describe_file(files.data(data, "data.arrow"), recipe=known, show_values=show_values))


@some_engine()
@reads_addresses
def sweep(
    data: IntoDataFrame | File,
    rules: RulesGiven | None = None,
    *,
    heard: Callable[[int, int], None] = lambda _done, _all: None,
    **keywords: Unpack[SweepKeywords],
) -> Sweep:
    """Mask a data frame, or a file, in memory for many k, maskers and partitions, and measure every masking.

    The options are those of `sweep_file`. `heard` is called with the points done and the points in all.

    >>> import constraint_sdc as cs, pandas as pd
    >>> swept = cs.sweep(pd.read_xml("census.xml"), "V9 + V10 = V14", ks=[3, 10], partitions=["mdav"], jobs=1)
    >>> swept.to_frame()[["partition", "k", "broken", "smallest"]]
      partition   k  broken  smallest
    0      mdav   3       0         3
    1      mdav  10       0        10
    """
    with private_files() as files:
        return files.named(sweep_file(files.data(data, "data.arrow"), files.rules(rules), heard=heard, **keywords))


def _required(rules: Path | None) -> Path:
    if rules is None:
        raise UsageError("no rules are given", hint="give a path, or rules such as 'V9 + V10 = V14'")
    return rules


def _backend(data: Any) -> FrameBackend:
    return backend_of(data, "data frame") if is_frame(data) else PANDAS
