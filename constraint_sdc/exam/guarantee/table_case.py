"""A case as a drawn table with rules in a drawn language: masked as such, judged by the case's own rules.

What is judged is independent of how tables are presented and rules are translated: the masked table is read by
another program and written in the layout of the case, and Saxon judges these rows by the original Schematron.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import yaml
from lxml import etree

from constraint_sdc.commands.mask import mask_file
from constraint_sdc.errors import DataError
from constraint_sdc.exam.guarantee.drawn_tables import DrawnTable, TableRow, TypeDemands, drawn_table, table_stream
from constraint_sdc.exam.guarantee.exam import CaseOutcome, Masking, mask_options, masked_outcome
from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.judging import NIL, Maskable
from constraint_sdc.exam.guarantee.layouts import NAMESPACE
from constraint_sdc.exam.guarantee.translated import TranslatedRules, differing_verdicts, translated_rules
from constraint_sdc.maskers.masked import MaskResult

_MARKS = re.compile(rf"\{{{re.escape(NAMESPACE)}\}}|@(?=[A-Za-z])")
_PREFIXES = re.compile(r"\bd:|@(?=[A-Za-z])")
_XPATH = ("test", "context", "value", "match", "use", "select")


@dataclass(frozen=True)
class CaseRows:
    """The records of a case as rows of a table, and how the case writes them as XML.

    `places` are the names of the variables in the case, `@V1` or `{urn:...}V1`, by their headers.
    """

    record: str
    places: Mapping[str, str]
    rows: tuple[TableRow, ...]

    @classmethod
    def of_case(cls, case: ExamCase) -> CaseRows:
        """Return the records of a case; an empty element with xsi:nil is a value without text."""
        places: dict[str, str] = {}
        rows: list[TableRow] = []
        for record in etree.fromstring(case.data.encode("utf-8")).iter(case.record):
            found = {f"@{name!s}": str(value) for name, value in record.items() if name != NIL}
            found |= {str(leaf.tag): "".join(map(str, leaf.itertext())) for leaf in record.iterchildren(etree.Element)}
            places |= {_MARKS.sub("", name): name for name in found}
            rows.append({_MARKS.sub("", name): text for name, text in found.items()})
        return cls(case.record, places, tuple({name: row.get(name) for name in places} for row in rows))

    def xml(self, rows: Sequence[TableRow]) -> bytes:
        """Return rows in the layout of the case; columns may be gone."""
        namespace = self.record.rpartition("}")[0].lstrip("{")
        spaces: dict[Any, str] = {None: namespace} if namespace else {}
        root = etree.Element(f"{{{namespace}}}Data" if namespace else "Data", nsmap=spaces)
        for row in rows:
            record = etree.SubElement(root, self.record)
            for header, place in self.places.items():
                cell = row.get(header)
                if cell is not None and place.startswith("@"):
                    record.set(place[1:], cell)
                elif cell is not None:
                    etree.SubElement(record, place).text = cell
        return etree.tostring(root, encoding="utf-8", xml_declaration=True)


@dataclass(frozen=True)
class TableCase:
    """A case with its table and its rules, as files: `original` and `rules` are those of the case's own layout."""

    case: ExamCase
    rows: CaseRows
    table: DrawnTable
    translated: TranslatedRules
    folder: Path
    recipe: str

    @property
    def data(self) -> Path:
        """Return the table."""
        return self.folder / "table" / f"data.{self.table.ending}"

    @property
    def output(self) -> Path:
        """Return where the masked table is written."""
        return self.folder / "table" / f"masked.{self.table.ending}"

    @property
    def recipe_file(self) -> Path:
        """Return the recipe of the table."""
        return self.folder / "table" / "recipe.yml"

    @property
    def original(self) -> Path:
        """Return the records in the case's own layout, where its rules look values up."""
        return self.folder / "data.xml"

    def present(self, table: Path, target: Path) -> Path:
        """Write a table, read by another program than ours, in the case's own layout."""
        target.write_bytes(self.rows.xml(self.table.read(table)))
        return target


def run_as_table(case: ExamCase, folder: Path) -> CaseOutcome:
    """Mask a case as a table with translated rules, and judge the written table; see `run_case`."""
    made = make_table_case(case, folder)
    told = f"table: {made.table}; rules: {made.translated}"
    known = replace(case, says=(*case.says, told), recipe=made.recipe)
    outcome = masked_outcome(known, _masking(made))
    return replace(outcome, faults=(*outcome.faults, *_differences(made)))


def make_table_case(case: ExamCase, folder: Path) -> TableCase:
    """Write the files of a case as a table; the same case gives the same files."""
    rng, rows = table_stream(case.seed), CaseRows.of_case(case)
    content = yaml.safe_load(_MARKS.sub("", case.recipe)) or {}
    demands = TypeDemands(_loose(content), "xs:decimal(" in case.rules)
    table = drawn_table(rng, rows.rows, tuple(rows.places), demands)
    if table.reading:
        content["table"] = table.reading
    own = folder / "table"
    own.mkdir(parents=True)
    (folder / "data.xml").write_bytes(rows.xml(rows.rows))
    recipe = yaml.safe_dump(content, allow_unicode=True)
    (own / "recipe.yml").write_text(recipe, encoding="utf-8")
    table.write(own / f"data.{table.ending}", rows.rows)
    plain = _plain_rules(case, table.ending)
    translated = translated_rules(case, plain, own, rows.rows, content, rng)
    (folder / "rules.sch").write_text(translated.original, encoding="utf-8")
    return TableCase(case, rows, table, translated, folder, recipe)


def _loose(content: Mapping[str, Any]) -> frozenset[str]:
    """Return the variables whose recipe asks for other digits than the file has."""
    wishes: Mapping[str, Mapping[str, Any]] = content.get("variables", {})
    return frozenset(name for name, wish in wishes.items() if "grid" in wish or "operator" in wish)


def _plain_rules(case: ExamCase, ending: str) -> str:
    """Return the rules as they speak of a table: elements without a namespace in records called Record."""
    records = re.compile(rf"(?<![\w.-]){re.escape(case.record.rpartition('}')[2])}(?![\w.-])")
    root = etree.fromstring(case.rules.encode("utf-8"))
    for element in root.iter(etree.Element):
        for name, value in element.items():
            if name in _XPATH:
                plain = records.sub("Record", _PREFIXES.sub("", str(value)))
                element.set(name, plain.replace("document('data.xml')", f"document({_quoted(f'data.{ending}')})"))
    return etree.tostring(root, encoding="unicode")


def _quoted(text: str) -> str:
    return quoteattr(text).replace('"', "'")


def _masking(made: TableCase) -> Masking:
    """Return how the table is masked, and what is judged then."""
    case = made.case

    def mask() -> MaskResult:
        options = replace(mask_options(case, made.recipe_file), phase=made.translated.phase)
        return mask_file(made.data, made.translated.path, made.output, options, advise=False)

    def given(result: MaskResult) -> Maskable:
        original = made.present(made.data, made.folder / "original.xml")
        if original.read_bytes() != made.original.read_bytes():
            raise DataError("the table does not give its cells back", file=str(made.data))
        masked = made.present(made.output, made.folder / "presented.xml")
        (made.folder / "recipe.yml").write_text(case.recipe, encoding="utf-8")
        names = made.rows.places
        return Masking.given(
            case, result, original, masked, made.folder / "rules.sch", made.folder / "recipe.yml", names
        )

    return Masking(mask, given, made.folder / "table", made.output)


def _differences(made: TableCase) -> list[str]:
    """Compare the verdicts of translated rules with those of the original, also on records that break them."""
    if made.translated.language is None:
        return []
    rng = random.Random(f"scrambled {made.case.seed}")
    columns = {name: [row[name] for row in made.rows.rows] for name in made.rows.places}
    for column in columns.values():
        rng.shuffle(column)
    mixed = [{name: column[at] for name, column in columns.items()} for at in range(len(made.rows.rows))]
    files = made.folder / "mixed.xml", made.folder / "table" / "mixed.xml"
    files[0].write_bytes(made.rows.xml(mixed))
    plain = CaseRows("Record", {name: name for name in made.rows.places}, ())
    files[1].write_bytes(plain.xml(mixed))
    return differing_verdicts(made.translated, made.case, made.folder / "rules.sch", *files)
