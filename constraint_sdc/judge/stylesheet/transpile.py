"""A Schematron schema as one XSLT 3.0 stylesheet.

Each pattern has a mode of its own in which the first rule that matches a node takes it (a group: a mode for each
rule). A rule's template holds its variables and tests; it returns tokens, which `counting` sums up or `svrl` writes
out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.judge.control import CONTROL_DOCUMENT, with_control
from constraint_sdc.judge.stylesheet.access import Wanted, file_uri
from constraint_sdc.judge.stylesheet.cases import case_counting
from constraint_sdc.judge.stylesheet.counting import counting
from constraint_sdc.judge.stylesheet.expressions import (
    Author,
    ours,
    write_pattern_variables,
    write_schema_variables,
)
from constraint_sdc.judge.stylesheet.foreign import foreign_declaration
from constraint_sdc.judge.stylesheet.hidden import without_values
from constraint_sdc.judge.stylesheet.levels import write_levels
from constraint_sdc.judge.stylesheet.messages import write_details
from constraint_sdc.judge.stylesheet.prelude import locations, resources
from constraint_sdc.judge.stylesheet.rules import RuleWriter
from constraint_sdc.judge.stylesheet.sheet import Sheet, SheetPlace
from constraint_sdc.judge.stylesheet.svrl_report import svrl_output
from constraint_sdc.judge.stylesheet.xpath1_numbers import number_functions
from constraint_sdc.schematron.element import XSLT_NAMESPACE
from constraint_sdc.schematron.schema import Schema
from constraint_sdc.schematron.xslt import refuse_our_names

Output: TypeAlias = OneOf["counts", "records", "cases", "svrl", "hidden svrl"]
"""What a stylesheet writes: a verdict with findings or with the numbers of the records alone, or a full report.

For "cases" it is the verdict on each record, as a signature; nodes outside records are not judged.

A full report is with or without the values of the data.
"""


@dataclass(frozen=True, slots=True)
class Stylesheet:
    """A stylesheet, the origin of each of its lines in the schema, and the documents it names literally."""

    text: str
    places: Mapping[int, SheetPlace]
    wanted: tuple[Wanted, ...]


def transpile(
    schema: Schema,
    *,
    record: str | None = None,
    output: Output = "counts",
    given: frozenset[str] = frozenset(),
    max_findings: int | None = None,
    guarded: bool = False,
) -> str:
    """Return the stylesheet's text; see `make_stylesheet`."""
    return make_stylesheet(
        schema, record=record, output=output, given=given, max_findings=max_findings, guarded=guarded
    ).text


def make_stylesheet(
    schema: Schema,
    *,
    record: str | None = None,
    output: Output = "counts",
    given: frozenset[str] = frozenset(),
    max_findings: int | None = None,
    guarded: bool = False,
    missing: Mapping[str, str] | None = None,
) -> Stylesheet:
    """Turn a schema into a stylesheet whose template `main` of the judge's namespace returns the verdict.

    `record` is the Clark name of the record element; `given` names variables whose value comes from outside;
    a `guarded` stylesheet catches XPath's dynamic errors node by node, which costs time. `missing` has conditions of
    ours by the id of an assertion: nodes on which they hold are counted apart.
    """
    refuse_our_names(schema)
    hides, svrl = output == "hidden svrl", "svrl" in output
    schema = with_control(without_values(schema) if hides else schema)
    sheet = Sheet(_xslt_prefix(schema))
    author = Author(schema, sheet, given)
    with sheet.element("xsl:stylesheet", _root_attributes(author)):
        write_schema_variables(author)
        _write_foreign(author)
        scopes = [write_pattern_variables(author, p.lets, n) for n, p in enumerate(schema.patterns)]
        inside = record if output == "cases" else None
        rules = RuleWriter(author, guarded, is_report=svrl, missing=missing or {}, inside=inside)
        rules.write(scopes)
        rules.write_value_sets()
        write_levels(author, scopes)
        if output not in ("records", "cases"):
            write_details(author, scopes, svrl=svrl, guarded=guarded, hides=hides)
        sheet.raw(locations())
        if schema.is_xpath1:
            sheet.raw(number_functions())
        most = max_findings if max_findings is not None else 2**53
        sheet.leaf("xsl:variable", {"name": ours("most"), "select": str(most)})
        sheet.raw(CONTROL_DOCUMENT)
        if svrl:
            sheet.raw(svrl_output(author, scopes, hides))
        elif inside is not None:
            sheet.raw(case_counting(len(schema.patterns), inside))
        else:
            sheet.raw(counting(len(schema.patterns), record, records_alone=output == "records"))
        if author.reads or any(pattern.documents for pattern in schema.patterns):
            sheet.raw(resources())
    return Stylesheet("\n".join(sheet.lines), sheet.places, tuple(author.wanted))


def _xslt_prefix(schema: Schema) -> str:
    """Return a prefix for XSLT: `xsl`, unless the schema uses it for another namespace."""
    taken = {prefix for prefix, uri in schema.namespaces if uri != XSLT_NAMESPACE}
    return next(name for number in count() if (name := "xsl" + "-own" * number) not in taken)


def _root_attributes(author: Author) -> dict[str, str | None]:
    schema, own = author.schema, author.sheet.prefix
    base = file_uri(schema.origin.file)
    attributes: dict[str, str | None] = {"version": "3.0", f"xmlns:{own}": XSLT_NAMESPACE, "xml:base": base}
    attributes |= {f"xmlns:{prefix}": uri for prefix, uri in author.namespaces.items() if prefix != "xml"}
    return attributes | {
        "exclude-result-prefixes": "#all",
        "xpath-default-namespace": dict(schema.namespaces).get(""),
    }


def _write_foreign(author: Author) -> None:
    for xml, origin in author.schema.foreign:
        declaration = foreign_declaration(xml, origin, author.namespaces, author.version)
        author.note(declaration)
        author.sheet.foreign(declaration.text, SheetPlace("XSLT declaration", origin))
