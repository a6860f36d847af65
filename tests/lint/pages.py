"""The page of a kind of finding is its fixture: faulty rules, perhaps data, the finding in words, mended rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.commands.lint import LintOptions, lint_rules
from constraint_sdc.lint.finding import LintFinding, LintResult
from constraint_sdc.reports.lint.wording import lint_sentence

TOP = Path(__file__).resolve().parents[2]
PAGES = TOP / "docs" / "lint"
_BLOCK = re.compile(r"```(xml|text)\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class LintPage:
    """The blocks of a page."""

    code: str
    faulty: str
    data: str | None
    says: str
    mended: str


def read_page(code: str) -> LintPage:
    blocks = _BLOCK.findall((PAGES / f"{code}.md").read_text("utf-8"))
    xml = [text for kind, text in blocks if kind == "xml"]
    data = next((text for text in xml if text.startswith("<Data>")), None)
    rules = [text for text in xml if text != data]
    (says,) = [text for kind, text in blocks if kind == "text"]
    return LintPage(code, rules[0], data, says, rules[-1])


def lint_text(rules: str, folder: Path, data: str | None = None, options: LintOptions | None = None) -> LintResult:
    """Check rules of one pattern, given as elements."""
    schema = folder / "rules.sch"
    schema.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" xmlns:cs="urn:constraint-sdc:rules" '
        f'queryBinding="xslt2"><pattern id="all">\n{rules}</pattern></schema>',
        encoding="utf-8",
    )
    file = None
    if data is not None:
        file = folder / "data.xml"
        file.write_text(data, encoding="utf-8")
    return lint_rules(schema, file, options)


def found_of(code: str, result: LintResult) -> list[LintFinding]:
    return [finding for finding in result.findings if finding.code == code]


def in_words(findings: list[LintFinding]) -> str:
    return "".join(f"{one.rule.id}: {one.severity}: {lint_sentence(one)}\n" for one in findings)


def main() -> None:
    """Write what each page's example gives into the page; read the difference."""
    import tempfile

    for path in sorted(PAGES.glob("*.md")):
        if path.stem == "README":
            continue
        page = read_page(path.stem)
        with tempfile.TemporaryDirectory() as folder:
            said = in_words(found_of(page.code, lint_text(page.faulty, Path(folder), page.data)))
        text = path.read_text("utf-8")
        path.write_text(re.sub(r"```text\n.*?```", lambda _: f"```text\n{said}```", text, flags=re.DOTALL), "utf-8")  # noqa: B023


if __name__ == "__main__":
    main()
