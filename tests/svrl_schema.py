"""Is a report SVRL? Judged by `svrl.rng`, written from the standard's list of elements and attributes."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

_SVRL = "{http://purl.oclc.org/dsdl/svrl}"
_OURS = "{urn:constraint-sdc:judge}"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def svrl_faults(report: etree._Element) -> list[str]:
    """Return what the schema says against a report, ids that are used twice among it."""
    schema = etree.RelaxNG(etree.parse(Path(__file__).with_name("svrl.rng")))
    schema.validate(report)
    return [fault.message for fault in schema.error_log]


def without_additions(report: etree._Element) -> etree._Element:
    """Return a report without what docs/judge.md names as additions to the standard's schema."""
    bare = etree.fromstring(etree.tostring(report))
    for tag in (f"{_SVRL}metadata", f"{_SVRL}suppressed-rule", f"{_OURS}error"):
        for added in list(bare.iterfind(tag)):
            bare.remove(added)
    for element in bare.iter(etree.Element):
        if element.tag != f"{_SVRL}text":
            element.attrib.pop(_LANG, None)
    return bare
