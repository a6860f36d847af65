"""Every kind of finding has a page whose example is its fixture: the faulty rules give it, the mended ones do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.lint.kind import KINDS
from tests.lint.pages import PAGES, TOP, found_of, in_words, lint_text, read_page


def test_every_kind_has_a_page_and_every_page_a_kind() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {*KINDS.names, "README"}
    listed = (PAGES / "README.md").read_text("utf-8")
    assert all(f"({code}.md)" in listed for code in KINDS.names)
    assert all(f"lint/{code}.md" in (TOP / "mkdocs.yml").read_text("utf-8") for code in KINDS.names)


@pytest.mark.parametrize("code", KINDS.names)
def test_the_example_of_a_page_gives_the_finding_and_its_mended_form_does_not(code: str, tmp_path: Path) -> None:
    page = read_page(code)
    found = found_of(code, lint_text(page.faulty, tmp_path, page.data))
    assert in_words(found) == page.says
    assert found
    assert not found_of(code, lint_text(page.mended, tmp_path, page.data))
