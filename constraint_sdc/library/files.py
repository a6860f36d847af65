"""Read, describe, convert and save the files around a masking."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from constraint_sdc.census import generate_file
from constraint_sdc.commands.certificate.certificate import read_certificate as read_certificate_file
from constraint_sdc.commands.convert import ConvertOptions
from constraint_sdc.commands.convert import convert_file as convert
from constraint_sdc.commands.describe import describe_file as describe
from constraint_sdc.commands.domain import export_domain as export
from constraint_sdc.commands.init import init_recipe as init
from constraint_sdc.commands.masking.carrying_out import read_plan as read_plan_file
from constraint_sdc.commands.measuring.sweep_journal import read_sweep_points as read_points
from constraint_sdc.data.variable import Description, Written
from constraint_sdc.errors import UsageError
from constraint_sdc.evidence.draft import RecipeDraft
from constraint_sdc.files.atomic import atomic_file, no_overwrite, require_place
from constraint_sdc.files.json_file import json_text, shipped_file
from constraint_sdc.files.recipe import read_recipe as read_recipe_file
from constraint_sdc.library.addresses import reads_addresses
from constraint_sdc.library.keywords import ConvertKeywords, File
from constraint_sdc.library.settle import path_or_none, settle
from constraint_sdc.maskers.masked import Partitioned
from constraint_sdc.measures.sweep_points import Sweep, SweepPoint
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.plan_json import plan_to_json
from constraint_sdc.reports.partition import write_groups
from constraint_sdc.reports.sweep import write_sweep_files
from constraint_sdc.settings.recipe import Recipe


@reads_addresses
def init_recipe(
    data: File,
    rules: File | None = None,
    output: File | None = None,
    *,
    record: str | None = None,
    allow: Iterable[File] = (),
    overwrite: bool = False,
    show_values: bool = False,
) -> RecipeDraft:
    """Propose a recipe: role, type, grid and missing codes of every variable; `text` is the recipe with the evidence.

    It is written to `output`, if given. What is in `undecided` is marked so in the text, which every command refuses
    until a person replaces it. Values of records are hidden unless `show_values` is true; possible missing codes are
    shown.

    >>> import constraint_sdc as cs
    >>> draft = cs.init_recipe("census.xml", "census.sch", "proposed.yml", overwrite=True)
    >>> draft
    <RecipeDraft for census.xml: 16 variables, 0 undecided>
    >>> cs.mask_file("census.xml", "census.sch", "masked.xml", recipe="proposed.yml", k=5, overwrite=True).output.name
    'masked.xml'
    """
    target = path_or_none(output)
    no_overwrite((Path(data), path_or_none(rules)), target)
    if target is not None:
        require_place(target, overwrite)
    folders = tuple(map(Path, allow))
    draft = init(Path(data), path_or_none(rules), record=record, allow=folders, show_values=show_values)
    if target is not None:
        with atomic_file(target, overwrite=overwrite) as stream:
            stream.write(draft.text.encode("utf-8"))
    return draft


@reads_addresses
def describe_file(
    data: File, *, record: str | None = None, recipe: File | None = None, show_values: bool = False
) -> Description:
    """Return what the variables of a file look like: lexical form, kind, distinct values, and how values are missing.

    The missing codes are those in the file's own metadata and in the recipe. Ranges and examples are values of records
    and part of the result only if `show_values` is true.

    >>> import constraint_sdc as cs
    >>> description = cs.describe_file("census.xml")
    >>> description
    <Description of census.xml: 200 records, 16 variables>
    >>> description.to_frame()[["variable", "form", "values"]].head(2)
      variable     form  values
    0       V1  integer     200
    1       V2  integer     200
    """
    return describe(Path(data), record=record, recipe=path_or_none(recipe), show_values=show_values)


@reads_addresses
def convert_file(
    source: File, target: File, options: ConvertOptions | None = None, **keywords: Unpack[ConvertKeywords]
) -> Written:
    """Convert between XML and CSV, Parquet, SPSS or Stata, by the endings of the names.

    The options are a ConvertOptions object or its fields as keywords.

    >>> import constraint_sdc as cs
    >>> cs.convert_file("census.xml", "census.csv")
    <Written: 200 records, 0 notes>
    """
    no_overwrite((Path(source),), Path(target))
    return convert(Path(source), Path(target), settle(ConvertOptions, options, keywords))


@reads_addresses
def export_domain(
    data: File, variables: Iterable[str], target: File, *, record: str | None = None, overwrite: bool = False
) -> Written:
    """Write the distinct values of variables to a file that stands in for the original in a check.

    >>> import constraint_sdc as cs
    >>> _ = cs.export_domain("census.xml", ["V1"], "domain.xml")
    >>> cs.check_file("census.xml", "census.sch", domain="domain.xml").exit_code
    0
    """
    no_overwrite((Path(data),), Path(target))
    return export(Path(data), list(variables), Path(target), record=record, overwrite=overwrite)


@reads_addresses
def read_recipe(file: File) -> Recipe:
    """Return the recipe in a YAML file.

    >>> import constraint_sdc as cs
    >>> cs.read_recipe("recipe.yml").k
    5
    """
    return read_recipe_file(Path(file))


def read_plan(file: File) -> Plan:
    """Return a saved plan.

    >>> import constraint_sdc as cs
    >>> plan = cs.plan_file("census.xml", "census.sch", k=5, partition="mdav")
    >>> cs.save_plan(plan, "plan.json")
    >>> cs.render(cs.read_plan("plan.json")) == cs.render(plan)
    True
    """
    return read_plan_file(Path(file))


def save_plan(plan: Plan, file: File, *, overwrite: bool = False) -> None:
    """Write a plan as JSON, for `read_plan` and the `expected` of `mask_file`.

    >>> import constraint_sdc as cs
    >>> cs.save_plan(cs.plan_file("census.xml", "census.sch", k=5, partition="mdav"), "plan.json")
    >>> cs.mask_file("census.xml", "census.sch", "masked.xml", expected="plan.json").plan.k
    5
    """
    with atomic_file(Path(file), overwrite) as stream:
        stream.write(json_text(plan_to_json(plan)).encode("utf-8"))


def read_certificate(file: File) -> dict[str, Any]:
    """Return the content of a certificate, which follows schemas/certificate.schema.json.

    >>> import constraint_sdc as cs
    >>> result = cs.mask_file("census.xml", "census.sch", "masked.xml", k=5, partition="mdav")
    >>> cs.read_certificate(result.certificate)["options"]["k"]
    5
    """
    return read_certificate_file(Path(file))


def save_groups(partitioned: Partitioned, file: File, *, overwrite: bool = False) -> Written:
    """Write the group of every record as CSV.

    >>> import constraint_sdc as cs
    >>> cs.save_groups(cs.partition_file("census.xml", k=5, partition="mdav"), "groups.csv")
    <Written: 200 records, 0 notes>
    """
    return write_groups(Path(file), partitioned.groups, overwrite)


def save_sweep(sweep: Sweep, directory: File) -> None:
    """Write points.csv, points.json, map.svg and curves.svg into a directory; old ones are replaced.

    >>> import constraint_sdc as cs
    >>> cs.save_sweep(cs.sweep_file("census.xml", ks=[3], partitions=["mdav"], jobs=1), "sweep")
    >>> [point.k for point in cs.read_sweep_points("sweep", "census.xml")]
    [3]
    """
    folder = Path(directory)
    if folder.exists() and not folder.is_dir():
        raise UsageError("is a file; a sweep is saved in a directory", file=str(folder), hint="choose another name")
    folder.mkdir(exist_ok=True)
    write_sweep_files(sweep, folder)


def read_sweep_points(directory: File, data: File) -> tuple[SweepPoint, ...]:
    """Return the points of a saved sweep, which must be one over `data`; `directory` may also be its points.json.

    >>> import constraint_sdc as cs
    >>> cs.save_sweep(cs.sweep_file("census.xml", ks=[3], partitions=["mdav"], jobs=1), "sweep")
    >>> len(cs.read_sweep_points("sweep", "census.xml"))
    1
    """
    place = Path(directory)
    return read_points(place / "points.json" if place.is_dir() else place, Path(data))


def generate_census(file: File, records: int, seed: int = 0, *, break_share: float = 0.0, indent: bool = False) -> Path:
    """Write invented census-like microdata that hold the rules of `shipped_rules()`, and return the path.

    With `break_share` each of the five rules is broken in that share of the records. An existing file is replaced.

    >>> import constraint_sdc as cs
    >>> data = cs.generate_census("small.xml", 50, seed=1)
    >>> cs.check_file(data, cs.shipped_rules(), original=data).exit_code
    0
    """
    path = Path(file)
    generate_file(path, records, seed, break_share=break_share, indent=indent)
    return path


def shipped_rules(name: str = "census.sch") -> Path:
    """Return the path of a rule file that is part of the package: by default the rules of the generated census.

    >>> import constraint_sdc as cs
    >>> cs.list_rules(cs.shipped_rules()).to_frame()["kind"].to_list()[:2]
    ['linear', 'non-linear']
    """
    path = shipped_file("rules", name)
    if not path.is_file():
        known = ", ".join(sorted(one.name for one in path.parent.glob("*.sch")))
        raise UsageError(f"no rule file of the package is called {name!r}", hint=f"use one of: {known}")
    return path
