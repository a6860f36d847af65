"""Proposed rules as Schematron that a person edits: patterns of `constraints.sch` where they fit, labels, and support.

The abstract patterns that are used are copied into the file, so that it stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from constraint_sdc.constraints.normalise import normalise
from constraint_sdc.constraints.show import show_formula
from constraint_sdc.constraints.show_atom import show_expression, show_name
from constraint_sdc.discovery.proposal import Discovery, Proposal
from constraint_sdc.evaluate.expression import Expression, Variable, variables_of
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.lint.trial import rewritten
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.terminal import clean, clipped

_SCHEMATRON = "http://purl.oclc.org/dsdl/schematron"
_XSLT = "http://www.w3.org/1999/XSL/Transform"


def proposal_label(proposal: Proposal) -> str:
    """Return what a proposed rule says, in one line."""
    expression, across = proposal.candidate.expression, [show_name(name) for name in proposal.candidate.across]
    if expression is not None:
        return show_formula(normalise(expression, xpath1=False))
    if proposal.kind == "value domain":
        return f"every value of {across[0]} occurs in {across[1]}"
    return f"no value of {across[0]} occurs twice" if len(across) == 1 else f"{across[0]} decides {across[1]}"


def proposal_support(proposal: Proposal) -> str:
    """Return on how many records a proposed rule was tested, and how many break it."""
    kept = f" and {number(proposal.kept)} kept aside" if proposal.kept else "; none kept aside tests it"
    tested = f"{number(proposal.searched)} records searched{kept}"
    if not proposal.exceptions:
        return f"holds in {tested}, no exceptions"
    share = 100 * proposal.exceptions / proposal.tested
    return f"tested on {tested}, {counted(proposal.exceptions, 'exception')} ({share:.2f}%)"


def discovered_schema(discovery: Discovery, record: str) -> str:
    """Return the rules as a schema; `record` is the record element (Clark notation)."""
    return _SchemaWriter(discovery, record).text()


class _SchemaWriter:
    def __init__(self, discovery: Discovery, record: str) -> None:
        self._found = discovery
        self._record = record
        names = [record, *(name for one in discovery.proposals for name in one.candidate.variables)]
        spaces = dict.fromkeys(_namespace(name) for name in names if _namespace(name))
        self._prefixes = {space: f"n{place}" for place, space in enumerate(spaces, 1)}
        grouped = [one for one in discovery.proposals if one.candidate.across]
        self._keys = {one.id: f"records-{place}" for place, one in enumerate(grouped, 1)}

    def text(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield from _comment(_head(self._found), "")
        yield f'<schema xmlns="{_SCHEMATRON}" xmlns:xsl="{_XSLT}" queryBinding="xslt2">'
        yield f"  <title>Rules proposed for {escape(clean(Path(self._found.data).name))}</title>"
        yield from (f"  <ns prefix={quoteattr(p)} uri={quoteattr(space)}/>" for space, p in self._prefixes.items())
        for one in self._found.proposals:
            if one.id in self._keys:
                use = self._name(one.candidate.across[1 if one.kind == "value domain" else 0])
                match = quoteattr(self._name(self._record))
                yield f"  <xsl:key name={quoteattr(self._keys[one.id])} match={match} use={quoteattr(use)}/>"
        yield from _abstract_patterns(one.candidate.pattern for one in self._found.proposals if not one.exceptions)
        for one in self._found.proposals:
            yield ""
            yield from self._pattern(one)
        yield "</schema>"

    def _pattern(self, one: Proposal) -> Iterator[str]:
        candidate = one.candidate
        # The severity of a rule with exceptions is its own, which no abstract pattern knows.
        is_concrete = candidate.pattern is None or one.exceptions > 0
        is_a = "" if is_concrete else f" is-a={quoteattr(str(candidate.pattern))}"
        yield f"  <pattern id={quoteattr(one.id)}{is_a}>"
        yield f"    <title>{escape(clipped(clean(proposal_label(one)), 300))}</title>"
        yield from _comment([_support(one)], "    ")
        context = quoteattr(self._context(one))
        if not is_concrete:
            yield f'    <param name="record" value={context}/>'
            for name, value in candidate.parameters.items():
                text = quoteattr(self._xpath(value, is_list=name == "values"))
                yield f"    <param name={quoteattr(name)} value={text}/>"
        else:
            yield f"    <rule context={context}>"
            label = escape(clipped(clean(proposal_label(one)), 300))
            role = ' role="warning"' if one.exceptions else ""
            yield f"      <assert test={quoteattr(self._test(one))}{role}>Expected: {label}.</assert>"
            yield "    </rule>"
        yield "  </pattern>"

    def _test(self, one: Proposal) -> str:
        candidate = one.candidate
        if candidate.expression is not None:
            return self._xpath(candidate.expression)
        found = f"key('{self._keys[one.id]}', string({self._name(candidate.across[0])}))"
        if len(candidate.across) == 1:
            return f"count({found}) = 1"
        if one.kind == "value domain":
            return f"exists({found})"
        decided = self._name(candidate.across[1])
        if one.exceptions:
            return f"2 * count({found}[{decided} = current()/{decided}]) > count({found}[{decided} != ''])"
        return f"count(distinct-values({found}/{decided}[. != ''])) = 1"

    def _context(self, one: Proposal) -> str:
        guards = " and ".join(f"{self._name(name)} != ''" for name in one.guarded)
        return self._name(self._record) + (f"[{guards}]" if guards else "")

    def _xpath(self, expression: Expression, *, is_list: bool = False) -> str:
        new: dict[Expression, Expression] = {
            Variable(name): Variable(self._name(name)) for name in variables_of(expression)
        }
        text = show_expression(rewritten(expression, new))
        return text[1:-1] if is_list else text

    def _name(self, name: str) -> str:
        space = _namespace(name)
        if not space:
            return name
        mark = "@" if name.startswith("@") else ""
        return f"{mark}{self._prefixes[space]}:{name.rpartition('}')[2]}"


def _namespace(name: str) -> str:
    return name.lstrip("@").partition("}")[0][1:] if "}" in name else ""


def _head(found: Discovery) -> list[str]:
    stating = sum(one.states_values for one in found.proposals)
    broken = sum(one.exceptions > 0 for one in found.proposals)
    excepted = [f"{counted(broken, 'rule')} with exceptions: warnings, each with how many."] if broken else []
    return [
        f"{counted(len(found.proposals), 'rule')} proposed by `constraint-sdc rules discover` for "
        f"{clean(Path(found.data).name)}, the most surprising first.",
        f"Searched in {counted(found.searched, 'record')}, tested on {counted(found.kept, 'record')} kept aside; "
        f"seed {found.seed}.",
        *excepted,
        f"{counted(stating, 'rule')} with thresholds, rounded extremes or lists of values of the data: read them "
        "before you publish this file.",
        "A proposal is a guess from data. Keep what you understand, mend or delete the rest.",
    ]


def _support(one: Proposal) -> str:
    bits = one.candidate.bits
    surprise = "" if bits is None else f"; surprise {number(round(bits))} bits"
    return f"{one.kind}; {proposal_support(one)}{surprise}"


def _comment(lines: Iterable[str], indent: str) -> Iterator[str]:
    """Yield a comment; two hyphens would end it."""
    said = [line.replace("--", "- -") for line in lines]
    if len(said) == 1:
        yield f"{indent}<!-- {said[0]} -->"
        return
    yield f"{indent}<!--"
    yield from (f"{indent}  {line}" for line in said)
    yield f"{indent}-->"


def _abstract_patterns(wanted: Iterable[str | None]) -> Iterator[str]:
    names = {name for name in wanted if name is not None}
    shipped = shipped_file("rules", "constraints.sch").read_bytes()
    root = etree.fromstring(shipped, etree.XMLParser(remove_comments=True, resolve_entities=False))
    for pattern in root.iterfind(f"{{{_SCHEMATRON}}}pattern"):
        if pattern.get("id") in names:
            text = etree.tostring(pattern, encoding="unicode", with_tail=False)
            yield ""
            yield "  " + text.replace(f' xmlns="{_SCHEMATRON}"', "", 1)
