"""Baseline process: read the file and do nothing else. DATA."""

from __future__ import annotations

import sys
from pathlib import Path

with Path(sys.argv[1]).open("rb", buffering=0) as stream:
    while stream.read(1 << 22):
        pass
