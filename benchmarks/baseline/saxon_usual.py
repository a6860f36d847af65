"""Baseline process: parse, transform to SVRL with the usual stylesheet, count the failed asserts. DATA ORIGINAL."""

from __future__ import annotations

import sys
from pathlib import Path

from saxonche import PySaxonProcessor


def main(data: str, original: str) -> None:
    with PySaxonProcessor(license=False) as saxon:
        sheet = Path(__file__).with_name("census_usual.xsl")
        compiled = saxon.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(sheet))
        compiled.set_parameter("original", saxon.parse_xml(xml_file_name=original))
        svrl = compiled.transform_to_string(xdm_node=saxon.parse_xml(xml_file_name=data))
    print(svrl.count("<svrl:failed-assert"))


main(*sys.argv[1:])
