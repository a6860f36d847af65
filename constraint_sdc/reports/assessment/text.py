"""An assessment for a terminal: the verdict, the rules, SCORE, and a sentence for each measure and attack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from constraint_sdc.measures.assessment import Assessment, Measured, ResultTable, SubdomainMeasured
from constraint_sdc.reports.assessment.figures_text import NOT_DEFINED, shown_figure, shown_rows
from constraint_sdc.reports.assessment.verdict_text import against, criteria_lines
from constraint_sdc.reports.charts.bins import least_records
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.masking.mask_result import rule_table
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.reports.terminal import Style, align, clean, fact, paint, wrapped

# Which subdomains are told no further: statistics of a handful of records are the records themselves.


def is_hidden(part: SubdomainMeasured, assessment: Assessment, show_values: bool) -> bool:
    """Tell whether a subdomain, or what it leaves of the file, holds too few records to be told about.

    Statistics of all but two records, and of all, are those of the two. The user may ask for single records.
    """
    rest = assessment.records - part.records
    return min(part.records, rest or part.records) < least_records(assessment.pair.k) and not show_values


def few(assessment: Assessment) -> str:
    """Return what stands in place of the number of records."""
    return f"fewer than {least_records(assessment.pair.k)}, or all but so few"


def shown_name(part: SubdomainMeasured, assessment: Assessment, show_values: bool) -> str:
    """Return a subdomain's name; the value that makes a category of few records is theirs."""
    is_value = part.name != part.wish
    return f"{part.wish}: a rare value" if is_value and is_hidden(part, assessment, show_values) else part.name


_COLOURS: Mapping[str, Style] = {"pass": "good", "warn": "doubtful", "fail": "bad"}
_HIDDEN = "results that reveal single records are left out; --show-values shows them"
_PARTS = ("pil", "dbrl", "id", "dr", "score")
_AVERAGED_PARTS = ("dbrl-averaged", "dr-averaged", "score-averaged")


def assessment_text(
    assessment: Assessment,
    *,
    details: bool = False,
    show_values: bool = False,
    columns: int = 100,
    colour: bool = False,
) -> str:
    """Return the assessment as plain text; `details` adds every figure, table and note of every measure."""
    head, *more = wrapped(assessment_verdict(assessment), columns, "", "  ")
    word, colon, rest = head.partition(":")
    lines = [paint(word, _COLOURS[assessment.verdict.tone], colour) + colon + rest, *more]
    for text in assessment.mismatches:
        lines += wrapped(f"MISMATCH {clean(text)}", columns, "  ", "    ")
    lines += ["", *criteria_lines(assessment.verdict, columns, colour)]
    if assessment.outcomes:
        lines += ["", *rule_table(assessment.outcomes, colour)]
    lines += ["", *_facts(assessment, columns)]
    for title, measured in _sections(assessment, details, show_values):
        lines += ["", paint(title, "strong", colour)]
        for one in measured if details else _with_headline(measured):
            lines += measured_text(one, details=details, show_values=show_values, columns=columns, colour=colour)
        if measured is assessment.utility and assessment.subdomains and not details:
            lines += ["", *_subdomains(assessment, show_values, colour)]
    lines += _not_run(assessment, columns, colour)
    for note in sentences(assessment.notes):
        lines += wrapped(f"note: {clean(note)}", columns, "", "  ")
    return "\n".join(lines) + "\n"


def assessment_verdict(assessment: Assessment) -> str:
    """Say in a sentence whether the file is accepted, what speaks against it, and what SCORE is."""
    word = assessment.verdict.word.value
    said = f"{word}: {counted(assessment.records, 'record')}; {_rules(assessment)}. {against(assessment.verdict)}"
    said += clean(worded(assessment.score.says))
    lost = assessment.pair.lost
    return f"{said} Lost altogether, and in none of these figures: {', '.join(map(clean, lost))}." if lost else said


def _with_headline(measured: Sequence[Measured]) -> Iterator[Measured]:
    """Yield what has a result; the rest is listed as not run."""
    return (one for one in measured if one.figures[0].value is not None)


def _not_run(assessment: Assessment, columns: int, colour: bool) -> list[str]:
    if not assessment.not_run:
        return []
    lines = ["", paint("Not run", "strong", colour)]
    for one in assessment.not_run:
        lines += wrapped(f"{clean(one.title)}: {clean(worded(one.why))}", columns, "  ", "    ")
    return lines


def _rules(assessment: Assessment) -> str:
    if assessment.outcomes is None:
        return "no rules were given"
    total = counted(len(assessment.outcomes), "rule")
    if assessment.newly_broken:
        return f"{number(assessment.newly_broken)} of {total} broken where it held"
    still = sum(outcome.still_broken > 0 for outcome in assessment.outcomes)
    return f"{total}, none broken" if not still else f"{total}, none newly broken, {number(still)} as before masking"


def _facts(assessment: Assessment, columns: int) -> Iterator[str]:
    parts = {figure.name: shown_figure(figure) for figure in assessment.score.figures}
    yield from fact("SCORE", ", ".join(f"{name.upper()} {parts[name]}" for name in _PARTS), columns, "")
    if _AVERAGED_PARTS[0] in parts:
        averages = ", ".join(f"{name.partition('-')[0].upper()} {parts[name]}" for name in _AVERAGED_PARTS)
        yield from fact("averaged", averages, columns, "")
    known = ", ".join(clean(name) for name in assessment.known)
    yield from fact("known", f"an intruder is taken to know {known or 'nothing'}", columns, "")
    blocks = [", ".join(clean(name) for name in block.names) for block in assessment.pair.blocks]
    no_plan = " (no certificate: by the recipe's groups, else all in one)"
    source = no_plan if assessment.plan is None else " (as the certificate states)"
    yield from fact("blocks", ("; ".join(blocks) or "nothing was masked") + source, columns, "")


def _subdomains(assessment: Assessment, show_values: bool, colour: bool) -> Iterator[str]:
    """Yield the headline of every measure for every subdomain, a line each; of a handful of records none."""
    head = ("where", "records", *(measured.measure for measured in assessment.utility))
    rows = []
    for part in assessment.subdomains:
        hidden = is_hidden(part, assessment, show_values)
        found = {one.measure: shown_figure(one.figures[0]) for one in part.measured if not hidden}
        records = few(assessment) if hidden else number(part.records)
        rows.append(
            (
                clean(shown_name(part, assessment, show_values)),
                records,
                *(found.get(name, NOT_DEFINED) for name in head[2:]),
            )
        )
    first, *lines = align([head, *rows], right=range(1, len(head)))
    yield from (f"  {line}" for line in (paint(first, "faint", colour), *lines))


def _sections(assessment: Assessment, details: bool, show_values: bool) -> Iterator[tuple[str, Sequence[Measured]]]:
    yield "Risk: what could be linked", assessment.risk
    if assessment.attacks:
        yield "Attacks: what an intruder finds out", assessment.attacks
    yield "Utility: what masking cost", assessment.utility
    for part in assessment.subdomains if details else ():
        if is_hidden(part, assessment, show_values):
            name = clean(shown_name(part, assessment, show_values))
            yield f"Utility where {name} ({few(assessment)} records: hidden)", ()
        else:
            yield f"Utility where {clean(part.name)} ({counted(part.records, 'record')})", part.measured


def measured_text(
    measured: Measured, *, details: bool, show_values: bool, columns: int, colour: bool = False
) -> list[str]:
    """Return what one measure found: its title and a sentence; in detail its figures, tables and notes too."""
    lines = wrapped(f"{measured.title}: {clean(worded(measured.says))}", columns, "  ", "    ")
    if not details:
        return lines
    figures = [(clean(figure.label), shown_figure(figure)) for figure in measured.figures]
    lines += ["", *(f"    {line}" for line in align(figures, right=(1,))), ""]
    hidden = [table for table in measured.tables if table.is_of_records and not show_values]
    for table in measured.tables:
        if table not in hidden:
            lines += [*_table(table, colour), ""]
    for note in (*sentences(measured.notes), *([_HIDDEN] if hidden else [])):
        lines += wrapped(f"note: {clean(note)}", columns, "    ", "      ")
    return [*lines, ""] if measured.notes or hidden else lines


def _table(table: ResultTable, colour: bool) -> Iterator[str]:
    yield f"    {clean(table.title)}"
    rows = [[clean(cell) for cell in row] for row in (list(table.head), *shown_rows(table))]
    numeric = [i for i, unit in enumerate(table.units) if unit is not None]
    first, *lines = align(rows, right=numeric)
    yield "    " + paint(first, "faint", colour)
    yield from (f"    {line}" for line in lines)
