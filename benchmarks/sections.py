"""Replace one section of a page of measured figures, and leave the others as they are."""

from __future__ import annotations

import re
from pathlib import Path

MEASURES = Path(__file__).resolve().parents[1] / "docs" / "measures" / "benchmarks.md"


def write_section(page: Path, heading: str, body: str) -> None:
    """Write `## heading` with its body in place of the old one, or at the end."""
    text = page.read_text("utf-8")
    section = f"## {heading}\n\n{body.strip()}\n"
    old = re.compile(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    text = old.sub(lambda _: section + "\n", text) if old.search(text) else f"{text.rstrip()}\n\n{section}"
    page.write_text(text.rstrip() + "\n", "utf-8")
