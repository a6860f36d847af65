"""A desk for tests of the judge: write rules and data as text, get a judge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.judge.judge import Judge
from constraint_sdc.judge.judge_report import JudgeReport
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.schematron.schema import Schema

NAMESPACE = "http://purl.oclc.org/dsdl/schematron"


class Desk:
    """Files in a directory of their own: `rules/` and `data/` are neighbours, neither inside the other."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._stack = stack
        self.rules = folder / "rules" / "rules.sch"
        self.data = folder / "data" / "data.xml"

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def schema(self, body: str, binding: str = "xslt2") -> Schema:
        xsl = "http://www.w3.org/1999/XSL/Transform"
        text = f'<schema xmlns="{NAMESPACE}" xmlns:xsl="{xsl}" queryBinding="{binding}">{body}</schema>'
        return load_schema(self.write("rules/rules.sch", text))

    def judge(self, body: str, binding: str = "xslt2", **options: Any) -> Judge:
        return self._stack.enter_context(Judge(self.schema(body, binding), **options))

    def report(self, body: str, data: str | bytes, binding: str = "xslt2", **options: Any) -> JudgeReport:
        return self.judge(body, binding, **options).judge_file(self.write("data/data.xml", data))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ExitStack() as stack:
        yield Desk(tmp_path, stack)
