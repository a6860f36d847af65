"""Baseline process: lxml parses the file into a tree and does nothing else. DATA."""

from __future__ import annotations

import sys
from pathlib import Path

from lxml import etree

with Path(sys.argv[1]).open("rb") as stream:
    print(etree.parse(stream).getroot().tag)
