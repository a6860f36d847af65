"""A small extract written as a table, its rules as XPath, and what became of both: the words of the masking tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.masking.carrying_out import carry_out
from constraint_sdc.commands.masking.preparation import prepared_file
from constraint_sdc.exam.guarantee.judging import judge
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.plan.design import Design
from constraint_sdc.plan.plan import BlockPlan, Plan, RulePlan
from constraint_sdc.settings.recipe import Recipe

ABSENT, EMPTY = "~", "''"
"""How a table writes an element that is not there, and one without text."""

Row = Mapping[str, str]


def table(text: str) -> list[dict[str, str]]:
    """Read records written as a table: names in the first line, then one record a line."""
    head, *lines = [line.split() for line in text.strip().splitlines()]
    return [{n: c for n, c in zip(head, line, strict=True) if c != ABSENT} for line in lines]


def columns(**cells: Sequence[object]) -> list[dict[str, str]]:
    """Return records from their columns."""
    return [dict(zip(cells, map(str, row), strict=True)) for row in zip(*cells.values(), strict=True)]


def data_xml(records: Sequence[Row]) -> str:
    lines = ["  <Record>" + "".join(_leaf(*cell) for cell in record.items()) + "</Record>" for record in records]
    return "\n".join(["<Microdata>", *lines, "</Microdata>", ""])


def _leaf(name: str, text: str) -> str:
    return f"<{name}/>" if text == EMPTY else f"<{name}>{escape(text)}</{name}>"


def schema(rules: Mapping[str, str], *, context: str = "Record", more: str = "", attributes: str = "") -> str:
    """Return a Schematron of asserts by id; `more` stands before the pattern."""
    asserts = "\n".join(
        f"    <assert id={quoteattr(name)} test={quoteattr(test)}{attributes}>{name} does not hold</assert>"
        for name, test in rules.items()
    )
    return (
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">\n'
        f'  <ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>\n{more}'
        f"  <pattern><rule context={quoteattr(context)}>\n{asserts}\n  </rule></pattern>\n</schema>\n"
    )


@dataclass(frozen=True)
class Extract:
    """Data, rules and recipe in a directory."""

    folder: Path
    has_rules: bool
    has_recipe: bool

    @property
    def data(self) -> Path:
        return self.folder / "data.xml"

    @property
    def rules(self) -> Path | None:
        return self.folder / "rules.sch" if self.has_rules else None

    @property
    def output(self) -> Path:
        return self.folder / "masked.xml"

    def options(self, k: int, **more: Any) -> MaskOptions:
        """Return what was asked for; MDAV if no masker or partition is named: most tests are not about the search."""
        options = MaskOptions(k=k, recipe=Recipe(), **{"undecided": "guess", **more})
        if self.has_recipe:
            path = self.folder / "recipe.yml"
            options = replace(options, recipe=read_recipe(path), recipe_file=path)
        named = (options.masker, options.partition, options.recipe.masker, options.recipe.partition)
        return options if any(named) else replace(options, partition="mdav")

    def design(self, k: int, **more: Any) -> Design:
        """Return the plan and its working drawing, before anything is carried out."""
        with prepared_file(self.data, self.rules, self.options(k, **more)) as prepared:
            return prepared.mask_inputs.masker.plan(prepared.plan_inputs)

    def plan(self, k: int, **more: Any) -> Plan:
        with prepared_file(self.data, self.rules, self.options(k, **more)) as prepared:
            return carry_out(prepared)[0]

    def mask(self, k: int, *, overwrite: bool = False, **more: Any) -> MaskResult:
        return mask_file(self.data, self.rules, self.output, self.options(k, **more), overwrite=overwrite)

    def original(self) -> list[dict[str, str]]:
        return read_records(self.data)

    def masked(self) -> list[dict[str, str]]:
        return read_records(self.output)

    def column(self, name: str) -> list[str]:
        """Return a variable of the masked file."""
        return [record[name] for record in self.masked()]

    def broken(self, path: Path | None = None) -> dict[str, set[int]]:
        """Return, per rule, the records (from 1) that break it in the masked file, as Saxon finds."""
        assert self.rules is not None
        report = judge(path or self.output, self.rules, "Record")
        assert not any(count.errors for count in report.counts)
        found: dict[str, set[int]] = {count.assertion: set() for count in report.counts}
        for finding in report.findings:
            assert finding.record is not None
            found[finding.assertion].add(finding.record)
        return found

    def requires_all_rules(self) -> None:
        assert not any(self.broken().values()), self.broken()

    def smallest_group(self, *names: str) -> int:
        """Count, on the written file, the records that share the values of some variables."""
        shared = Counter(tuple(record.get(name) for name in names) for record in self.masked())
        return min(shared.values())


def read_records(path: Path) -> list[dict[str, str]]:
    """Return the records of a file by variable; an absent one has no entry."""
    root = etree.fromstring(path.read_bytes())
    return [{str(leaf.tag): leaf.text or "" for leaf in record} for record in root.iter("Record")]


def extract(
    folder: Path,
    records: Sequence[Row] | str,
    rules: Mapping[str, str] | str | None = None,
    recipe: str | None = None,
) -> Extract:
    """Write an extract; records may be a table, rules a mapping from id to test or a whole schema."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = table(records) if isinstance(records, str) else records
    (folder / "data.xml").write_text(data_xml(rows), encoding="utf-8")
    if rules is not None:
        text = rules if isinstance(rules, str) else schema(rules)
        (folder / "rules.sch").write_text(text, encoding="utf-8")
    if recipe is not None:
        (folder / "recipe.yml").write_text(recipe, encoding="utf-8")
    return Extract(folder, rules is not None, recipe is not None)


def the_block(plan: Plan, name: str) -> BlockPlan:
    """Return the block that masks a variable."""
    return next(block for block in plan.blocks if name in block.names)


def the_rule(plan: Plan, rule: str) -> RulePlan:
    return next(one for one in plan.all_rules() if one.rule == rule)
