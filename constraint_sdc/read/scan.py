"""Plain rows by their bytes: a run of records becomes spans with NumPy alone, without a Python object per value.

Plain is: nothing but records, whose tags can be learnt; no comment, CDATA section or processing instruction. All else
is refused, never guessed: the real parser takes over. Rows that look the same are matched against a template; other
rows with child elements are recognised tag by tag.
"""

from __future__ import annotations

from constraint_sdc.model.table import Chunk, Layout
from constraint_sdc.read.characters import NotPlainError
from constraint_sdc.read.mixed_rows import mixed_rows
from constraint_sdc.read.run import BLANK, Run
from constraint_sdc.read.same_rows import same_rows
from constraint_sdc.read.tags import TagTable
from constraint_sdc.read.template import Template, template_of

# The parser refuses a text of 10 MB; a run that could hide one is left to it.
MAX_RUN_BYTES = 9 << 20


class Scanner:
    """Scans the runs of one file in order; what it learns from one run serves the next."""

    def __init__(self, layout: Layout, record_name: str, names: list[str]) -> None:
        self._end_tag = f"</{record_name}>".encode()
        self._layout = layout
        self._names = names
        self._table = TagTable(layout, record_name)
        self._template: Template | None = None
        self._misses = 0
        self._rest_until = 0
        self._runs = 0

    def cut(self, data: bytes) -> int:
        """Return where the last record of the data seems to end, 0 if none does."""
        at = data.rfind(self._end_tag)
        if at >= 0:
            return at + len(self._end_tag)
        return data.rfind(b"/>") + 2 if self._layout.style == "attributes" and b"/>" in data else 0

    def scan(self, run: Run) -> Chunk | None:
        """Return the run's records, or None when it is not plain."""
        self._runs += 1
        if len(run.data) > MAX_RUN_BYTES:
            return None
        if self._layout.style == "attributes" or self._runs >= self._rest_until:
            chunk = self._by_template(run) or self._by_new_template(run)
            if chunk is not None:
                self._misses = 0
                return chunk
            # Rows that differ among themselves will go on to differ: look for a template ever more rarely.
            self._misses += 1
            self._rest_until = self._runs + min(1 << self._misses, 32)
        return self._by_tags(run)

    def _by_template(self, run: Run) -> Chunk | None:
        if self._template is None:
            return None
        try:
            return same_rows(run, self._template, self._layout, self._names)
        except NotPlainError:
            return None

    def _by_new_template(self, run: Run) -> Chunk | None:
        try:
            self._template = template_of(*self._example(run.data), self._layout)
        except NotPlainError:
            return None
        return self._by_template(run)

    def _example(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the run's first record and the white space after it."""
        start = data.find(b"<")
        end = data.find(self._end_tag, start) + len(self._end_tag)
        if end < len(self._end_tag):
            end = data.find(b"/>", start) + 2
        following = data.find(b"<", end)
        gap = data[end:following] if following >= 0 else b""
        return data[start:end].strip(BLANK), gap

    def _by_tags(self, run: Run) -> Chunk | None:
        if self._layout.style != "elements":
            return None
        try:
            return mixed_rows(run, self._table, self._layout, self._names)
        except NotPlainError:
            return None
