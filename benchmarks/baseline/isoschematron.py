"""Baseline process: lxml's isoschematron with the four census rules that XPath 1.0 can say. DATA."""

from __future__ import annotations

import sys
from pathlib import Path

from lxml import etree, isoschematron

schema = isoschematron.Schematron(etree.parse(str(Path(__file__).with_name("census_four.sch"))), store_report=True)
with Path(sys.argv[1]).open("rb") as stream:
    schema.validate(etree.parse(stream))
report = schema.validation_report
print(len(report.findall(".//{http://purl.oclc.org/dsdl/svrl}failed-assert")))
