"""The exam of report formats: hidden values, told counts, harmless texts, the right syntax, on drawn checks."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

from lxml import etree, html

from constraint_sdc.exam.question import AskedQuestion, ExamFailedError, ExamOptions, require
from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.disclosure import disclosed
from constraint_sdc.schematron.schema import Origin

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class DrawnResult:
    """A result and the microdata values that belong to it; none of them may be shown unless values are asked for."""

    result: CheckResult
    secrets: tuple[str, ...]


FormatCheck = Callable[[CheckFormat, DrawnResult], None]


def format_questions(format: CheckFormat, options: ExamOptions) -> Iterator[AskedQuestion]:
    """Yield the questions; all see the same drawn results."""

    def asked(text: str, check: FormatCheck) -> AskedQuestion:
        return AskedQuestion(text, lambda: _on_all(format, check, options))

    def attacked(text: str, check: Callable[[CheckFormat, CheckResult, str], None]) -> AskedQuestion:
        return AskedQuestion(text, lambda: _on_hostile(format, check, options))

    yield asked("the same result has the same report, and is left as it was", _repeats)
    yield asked("values stay hidden unless they are asked for", _hides_values)
    yield asked("every broken and unevaluated rule is named with its count", _tells_counts)
    if format.names_every_rule:
        yield asked("every rule is named", _names_rules)
    yield AskedQuestion("a check without rules has a report", lambda: _speaks_of_nothing(format))
    yield asked(f"the report is well-formed {format.syntax}", _is_well_formed)
    yield attacked("control characters of the data do not reach the report", _is_quiet)
    yield attacked("texts of the data add neither elements nor lines", _is_not_forged)
    if format.holds_several:
        yield AskedQuestion("reports can follow one another", lambda: _follows(format))


def _on_all(format: CheckFormat, check: FormatCheck, options: ExamOptions) -> str:
    with tempfile.TemporaryDirectory(prefix="constraint-sdc-exam-") as folder:
        for seed in range(options.seed, options.seed + options.cases):
            check(format, draw_result(seed, Path(folder)))
    return f"{options.cases:,} results"


def _on_hostile(
    format: CheckFormat, check: Callable[[CheckFormat, CheckResult, str], None], options: ExamOptions
) -> str:
    for seed in range(options.seed, options.seed + options.cases):
        check(format, hostile_result(seed), f"seed {seed}")
    return f"{options.cases:,} results with hostile texts"


def _report(format: CheckFormat, result: CheckResult) -> str:
    """Return what a user sees: values are taken out before the format gets the result."""
    report = format.render(disclosed(result))
    if format.is_binary:
        return rows_as_text(report)
    if not isinstance(report, str):
        raise ExamFailedError(f"the report is of type {type(report).__name__}, not str")
    require(report.endswith("\n") and bool(report.strip()), f"the report does not end with a line: {report[-40:]!r}")
    return report


def rows_as_text(report: str | bytes) -> str:
    """Return the rows of a table as lines of JSON, so that the same questions can be asked about it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    require(isinstance(report, bytes), f"the report is of type {type(report).__name__}, not bytes")
    table = pq.read_table(pa.BufferReader(report))
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in table.to_pylist()) + "\n"


def _repeats(format: CheckFormat, drawn: DrawnResult) -> None:
    shown = replace(drawn.result, shows_values=True)
    for result in (drawn.result, shown):
        before = deepcopy(result)
        first, second = _report(format, result), _report(format, result)
        require(first == second, f"{result.title}: {_difference(first, second)}")
        require(result == before, f"{result.title}: the format changed the result")


def _difference(first: str, second: str) -> str:
    pairs = zip(first.splitlines(), second.splitlines(), strict=False)
    one, other = next(((a, b) for a, b in pairs if a != b), ("", ""))
    return f"the second report differs: {one!r}, then {other!r}"


def _hides_values(format: CheckFormat, drawn: DrawnResult) -> None:
    report = _report(format, drawn.result)
    shown = [secret for secret in drawn.secrets if secret in report or secret.partition(".")[0] in report]
    require(not shown, f"{drawn.result.title}: the report shows the value {shown[:1]} of {drawn.result.data}")


def _tells_counts(format: CheckFormat, drawn: DrawnResult) -> None:
    report = _report(format, drawn.result)
    if format.syntax == "csv":
        report = "\n".join(cell for row in csv.reader(io.StringIO(report)) for cell in row)
    for rule in drawn.result.results:
        if rule.status not in ("fail", "error"):
            continue
        require(rule.rule in report, f"{drawn.result.title}: the rule {rule.rule} is {rule.status}, and not named")
        if not format.counts_by_rule:
            continue
        count, word = (rule.failed, "violations") if rule.failed else (rule.errors, "errors")
        require(_tells(report, count), f"{drawn.result.title}: the {count} {word} of {rule.rule} are not told")


def _tells(report: str, count: int) -> bool:
    """Tell whether a count stands in a report, with or without separators of thousands, which may be escaped.

    >>> _tells("12,345 broken", 12345), _tells("12%2C345 broken", 12345), _tells("912345", 12345)
    (True, True, False)
    """
    return re.search(rf"(?<![\d,.])(?:{count}|{count:,})(?!\d|[,.]\d)", report.replace("%2C", ",")) is not None


def _names_rules(format: CheckFormat, drawn: DrawnResult) -> None:
    report = _report(format, drawn.result)
    missing = [rule.rule for rule in drawn.result.results if rule.rule not in report]
    require(not missing, f"{drawn.result.title}: not named: {', '.join(missing)}")


def _speaks_of_nothing(format: CheckFormat) -> str:
    _parse(format, _report(format, empty_result()))
    return "1 result"


def _is_well_formed(format: CheckFormat, drawn: DrawnResult) -> None:
    _parse(format, _report(format, drawn.result))


def _is_quiet(format: CheckFormat, result: CheckResult, which: str) -> None:
    found = _STEERING.search(_report(format, result))
    require(found is None, f"{which}: the report has the character {found and found[0]!r}")


def _is_not_forged(format: CheckFormat, result: CheckResult, which: str) -> None:
    report = _report(format, result)
    try:
        names = _parse(format, report)
    except ExamFailedError as failure:
        raise ExamFailedError(f"{which}: {failure}") from None
    require(PLANTED not in names, f"{which}: a text of the data became the element {PLANTED}")
    lines = [line.strip() for line in report.splitlines()] if format.syntax == "text" else []
    forged = [line for line in lines if line.startswith(PLANTED)]
    require(not forged, f"{which}: a text of the data became the line {forged[:1]}")


def _parse(format: CheckFormat, report: str) -> set[str]:
    """Return the names of the elements of a report, none of JSON and text; fail if it is not well-formed."""
    try:
        if format.syntax == "csv":
            widths = {len(row) for row in csv.reader(io.StringIO(report), strict=True)}
            require(len(widths) == 1, f"rows of {sorted(widths)} cells")
        if format.syntax == "json":
            json.loads(report, parse_constant=_no_constant)
        if format.syntax == "xml":
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            return {str(node.tag) for node in etree.fromstring(report.encode(), parser).iter()}
        if format.syntax == "html":
            return {str(node.tag) for node in html.document_fromstring(report.encode()).iter()}
    except (ValueError, csv.Error, etree.LxmlError) as problem:
        raise ExamFailedError(f"not well-formed {format.syntax}: {problem}") from None
    return set()


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _follows(format: CheckFormat) -> str:
    require(format.syntax == "text", f"two {format.syntax} documents in one file are not a document")
    return "1 trait"


# Drawn results: a file with secret values, counts that occur once, and texts that attack a report.

PLANTED = "x-planted"
"""The name of the element, and the beginning of the line, that hostile texts try to add to a report."""

HOSTILE = (
    f"<{PLANTED}>",
    f"]]><{PLANTED}/><![CDATA[",
    f"\n{PLANTED}: a line of its own",
    f"\r{PLANTED}: a line of its own",
    f"\u2028{PLANTED}: a line of its own",
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x00",
    "\ufffe",
    "\ud800",
    "\u202e",
    "\u2066",
    "&amp;",
    "'\"",
    "{{ 7 * 7 }}",
    "%0A",
    "é統\U0001f600",
)


def draw_result(seed: int, folder: Path) -> DrawnResult:
    """Return a result of plain texts, written as a file too: broken, unevaluated, clean and idle rules.

    Every count occurs once, and more violations are counted than listed.
    """
    rng = random.Random(seed)
    secrets = tuple(f"{rng.randrange(10**8, 10**9)}.{rng.randrange(10, 99)}" for _ in range(6))
    data = folder / f"data-{seed}.xml"
    records = "".join(f"<Record><V1>{secret}</V1></Record>" for secret in secrets)
    data.write_text(f"<Data>{records}</Data>\n", encoding="utf-8")
    counts = iter(rng.sample(range(1_001, 999_999), 12))
    drawn = [_broken(f"broken-{seed}-{n}", next(counts), secrets, rng) for n in range(rng.randint(1, 3))]
    drawn.append(_unevaluated(f"stopped-{seed}", next(counts), secrets[-1]))
    drawn.append(_rule(f"clean-{seed}", fired=next(counts)))
    drawn.append(_rule(f"idle-{seed}"))
    rng.shuffle(drawn)
    result = CheckResult(
        str(data), "rules.sch", f"Edits {seed}", "#ALL", "xslt2", next(counts), "error", tuple(drawn), False, (), None
    )
    return DrawnResult(result, secrets)


def hostile_result(seed: int) -> CheckResult:
    """Return a result whose ids, titles, messages, keys and errors attack the report; values are shown.

    No text begins with a hostile part, so a line of a report that does was forged.
    """
    rng = random.Random(seed)

    def text() -> str:
        return "a" + "".join(rng.choices(HOSTILE, k=rng.randint(1, 3)))

    violation = Violation(text(), 3, text(), 4, text(), text(), text(), ((text(), text()),))
    rule = replace(_rule(text(), fired=9), failed=2, violations=(violation, violation), context=text(), test=text())
    stopped = replace(_rule(text(), fired=9), errors=2, error=text(), pattern=text(), origin=Origin(text(), 3))
    return CheckResult(text(), text(), text(), text(), text(), 9, "error", (rule, stopped), True, (), 2)


def empty_result() -> CheckResult:
    """Return the result of a check without rules."""
    return CheckResult("data.xml", "rules.sch", "", "#ALL", "xslt2", 3, "error", (), False, (), 0)


def _broken(name: str, failed: int, secrets: tuple[str, ...], rng: random.Random) -> RuleResult:
    listed = tuple(
        Violation(
            name, n + 1, None, n + 2, f"/Data/Record[{n + 1}]", "V1 is [V1]", f"V1 is {secret}", (("why", secret),)
        )
        for n, secret in enumerate(secrets[: rng.randint(1, 4)])
    )
    return replace(_rule(name, fired=2 * failed), failed=failed, violations=listed)


def _unevaluated(name: str, errors: int, secret: str) -> RuleResult:
    error = f'FORG0001: cannot convert string "{secret}" to an integer'
    return replace(_rule(name, fired=3 * errors), errors=errors, error=error)


def _rule(name: str, fired: int = 0) -> RuleResult:
    origin = Origin("rules.sch", 7)
    return RuleResult(name, "edits", "assert", "error", "V1 > 0", origin, fired, 0, 0, None, "saxon", (), "Record")
