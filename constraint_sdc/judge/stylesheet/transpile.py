"""A Schematron schema as one XSLT 3.0 stylesheet.

Each pattern has a mode of its own in which the first rule that matches a node takes it (a group: a mode for each
rule). A rule's template holds its variables and tests; it returns tokens, which `counting` sums up or `svrl` writes
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.judge.control import CONTROL, CONTROL_DOCUMENT, with_control
from constraint_sdc.judge.stylesheet.access import Wanted, file_uri
from constraint_sdc.judge.stylesheet.contexts import PassedOn, error_token
from constraint_sdc.judge.stylesheet.expressions import (
    Author,
    ours,
    write_pattern_variables,
    write_rule_variables,
    write_schema_variables,
)
from constraint_sdc.judge.stylesheet.foreign import foreign_declaration
from constraint_sdc.judge.stylesheet.messages import visited_items, write_details
from constraint_sdc.judge.stylesheet.outputs import counting, svrl_output
from constraint_sdc.judge.stylesheet.prelude import locations, resources
from constraint_sdc.judge.stylesheet.sheet import Attributes, Sheet, SheetPlace, quoted
from constraint_sdc.judge.stylesheet.value_sets import VALUE_SETS, find_lookups
from constraint_sdc.judge.stylesheet.xpath1_numbers import number_functions
from constraint_sdc.schematron.element import XSLT_NAMESPACE
from constraint_sdc.schematron.schema import Assertion, Pattern, Rule, Schema
from constraint_sdc.schematron.xslt import refuse_our_names
from constraint_sdc.xpath.tokens import target_names

Output: TypeAlias = OneOf["counts", "svrl"]

_EVERY_NODE = "/descendant-or-self::node() ! (., @*)"


@dataclass(frozen=True, slots=True)
class Stylesheet:
    """A stylesheet, the origin of each of its lines in the schema, and the documents it names literally."""

    text: str
    places: Mapping[int, SheetPlace]
    wanted: tuple[Wanted, ...]


def transpile(
    schema: Schema,
    *,
    record: str | None = None,
    output: Output = "counts",
    given: frozenset[str] = frozenset(),
    max_findings: int | None = None,
    guarded: bool = False,
) -> str:
    """Return the stylesheet's text; see `make_stylesheet`."""
    return make_stylesheet(
        schema, record=record, output=output, given=given, max_findings=max_findings, guarded=guarded
    ).text


def make_stylesheet(
    schema: Schema,
    *,
    record: str | None = None,
    output: Output = "counts",
    given: frozenset[str] = frozenset(),
    max_findings: int | None = None,
    guarded: bool = False,
    missing: Mapping[str, str] | None = None,
) -> Stylesheet:
    """Turn a schema into a stylesheet whose template `main` of the judge's namespace returns the verdict.

    `record` is the Clark name of the record element; `given` names variables whose value comes from outside;
    a `guarded` stylesheet catches XPath's dynamic errors node by node, which costs time. `missing` has conditions of
    ours by the id of an assertion: nodes on which they hold are counted apart.
    """
    refuse_our_names(schema)
    schema = with_control(schema)
    sheet = Sheet(_xslt_prefix(schema))
    author = Author(schema, sheet, given)
    with sheet.element("xsl:stylesheet", _root_attributes(author)):
        write_schema_variables(author)
        _write_foreign(author)
        scopes = [write_pattern_variables(author, p.lets, n) for n, p in enumerate(schema.patterns)]
        rules = _Rules(author, guarded, tells_document=output == "svrl", missing=missing or {})
        rules.write(scopes)
        rules.write_value_sets()
        write_details(author, scopes, svrl=output == "svrl", guarded=guarded)
        sheet.raw(locations())
        if schema.is_xpath1:
            sheet.raw(number_functions())
        most = max_findings if max_findings is not None else 2**53
        sheet.leaf("xsl:variable", {"name": ours("most"), "select": str(most)})
        sheet.raw(CONTROL_DOCUMENT)
        sheet.raw(counting(len(schema.patterns), record) if output == "counts" else svrl_output(schema, scopes))
        if author.reads or any(pattern.documents for pattern in schema.patterns):
            sheet.raw(resources())
    return Stylesheet("\n".join(sheet.lines), sheet.places, tuple(author.wanted))


def _xslt_prefix(schema: Schema) -> str:
    """Return a prefix for XSLT: `xsl`, unless the schema uses it for another namespace."""
    taken = {prefix for prefix, uri in schema.namespaces if uri != XSLT_NAMESPACE}
    return next(name for number in count() if (name := "xsl" + "-own" * number) not in taken)


def _root_attributes(author: Author) -> dict[str, str | None]:
    schema, own = author.schema, author.sheet.prefix
    base = file_uri(schema.origin.file)
    attributes: dict[str, str | None] = {"version": "3.0", f"xmlns:{own}": XSLT_NAMESPACE, "xml:base": base}
    attributes |= {f"xmlns:{prefix}": uri for prefix, uri in author.namespaces.items() if prefix != "xml"}
    return attributes | {
        "exclude-result-prefixes": "#all",
        "xpath-default-namespace": dict(schema.namespaces).get(""),
    }


def _write_foreign(author: Author) -> None:
    for xml, origin in author.schema.foreign:
        declaration = foreign_declaration(xml, origin, author.namespaces, author.version)
        author.note(declaration)
        author.sheet.foreign(declaration.text, SheetPlace("XSLT declaration", origin))


@dataclass(slots=True)
class _Rules:
    """Writes the templates of rules and of patterns."""

    author: Author
    guarded: bool
    tells_document: bool
    missing: Mapping[str, str] = field(default_factory=dict)
    rules: int = 0
    assertions: int = 0
    value_sets: dict[str, tuple[str, SheetPlace]] = field(default_factory=dict)

    def write(self, scopes: list[dict[str, str]]) -> None:
        for number, pattern in enumerate(self.author.schema.patterns):
            modes: dict[str, PassedOn] = {}
            for index, rule in enumerate(pattern.rules):
                mode = ours(f"pattern{number}-rule{index}" if pattern.is_group else f"pattern{number}")
                passed = modes.setdefault(mode, PassedOn(self.author, mode, scopes[number], self.guarded))
                self._write_rule(pattern, rule, passed, len(pattern.rules) - index)
            for passed in modes.values():
                self._write_unmatched(passed)
            self._write_pattern(number, pattern, list(modes), scopes[number])

    def _write_unmatched(self, passed: PassedOn) -> None:
        """Write what happens to a node that no rule takes."""
        with self.author.sheet.element("xsl:template", {"match": ".", "mode": passed.mode, "priority": "-1"}):
            passed.write_call()
            self._write_token("0")
        passed.write()

    def _write_rule(self, pattern: Pattern, rule: Rule, passed: PassedOn, priority: int) -> None:
        self.rules += 1
        scope = passed.scope
        fired = str(self.rules)
        if self.tells_document and pattern.documents is not None:
            fired = f"[{fired}, ${ours('node')}]"
        author, sheet = self.author, self.author.sheet
        place = SheetPlace(f"rule context {rule.context!r}", rule.origin)
        context = author.expression(rule.context, rule.origin, scope)
        head = {"match": context, "mode": passed.mode, "priority": str(priority)}
        with sheet.element("xsl:template", head | author.stated(rule.origin), place):
            passed.write_call()
            sheet.leaf("xsl:variable", {"name": ours("node"), "select": ".", "version": author.our_version})
            if rule.attribute("visit-each"):
                self._write_token(str(-self.rules))
            passed.add(rule, self.assertions + 1)
            if self.guarded:
                self._write_guarded_rule(rule, scope, fired)
                return
            inner = write_rule_variables(author, rule.lets, scope)
            with visited_items(author, rule, inner):
                self._write_token(fired)
                for assertion in rule.assertions:
                    self.assertions += 1
                    self._write_test(rule, assertion, inner)

    def _write_token(self, token: str) -> None:
        self.author.sheet.leaf("xsl:sequence", {"select": token, "version": self.author.our_version})

    def _write_guarded_rule(self, rule: Rule, scope: Mapping[str, str], fired: str) -> None:
        """Write tests that catch their errors; each contains the rule's variables, whose errors must be caught too."""
        with self._caught(rule, scope, fired):
            self._write_token(fired)
        for assertion in rule.assertions:
            self.assertions += 1
            with self._caught(rule, scope, error_token(self.assertions, f"${ours('node')}")) as inner:
                self._write_test(rule, assertion, inner)

    @contextmanager
    def _caught(self, rule: Rule, scope: Mapping[str, str], instead: str) -> Iterator[Mapping[str, str]]:
        sheet = self.author.sheet
        with sheet.element("xsl:try", {"version": self.author.our_version}):
            inner = write_rule_variables(self.author, rule.lets, scope)
            with visited_items(self.author, rule, inner):
                yield inner
            with sheet.element("xsl:catch", {"errors": "*"}):
                sheet.leaf("xsl:sequence", {"select": instead})

    def _write_test(self, rule: Rule, assertion: Assertion, scope: Mapping[str, str]) -> None:
        author, sheet = self.author, self.author.sheet
        place = SheetPlace(f"test of {assertion.kind} '{assertion.id}'", assertion.origin)
        test = {"test": self._with_lookups(rule, assertion, scope, place)} | author.stated(assertion.origin)
        token = {"select": f"[{self.assertions}, ${ours('node')}, .]", "version": author.our_version}
        is_report = assertion.kind == "report"
        if is_report and assertion.id not in self.missing:
            with sheet.element("xsl:if", test, place):
                sheet.leaf("xsl:sequence", token)
            return
        with sheet.element("xsl:choose"):
            with sheet.element("xsl:when", test, place):
                self._write_verdict(assertion, token if is_report else None)
            with sheet.element("xsl:otherwise"):
                self._write_verdict(assertion, None if is_report else token)

    def _write_verdict(self, assertion: Assertion, token: Attributes | None) -> None:
        """Write what a test leaves: the token of a violation, and a text if a value that it reads is missing."""
        sheet, version = self.author.sheet, self.author.our_version
        if token is not None:
            sheet.leaf("xsl:sequence", token)
        if assertion.id in self.missing:
            word = "held" if token is None else "failed"
            with sheet.element("xsl:if", {"test": self.missing[assertion.id], "version": version}):
                sheet.leaf("xsl:sequence", {"select": quoted(f"{word} {self.assertions}")})

    def _with_lookups(self, rule: Rule, assertion: Assertion, scope: Mapping[str, str], place: SheetPlace) -> str:
        """Return the test with look-ups in value sets; where a set cannot be built, the author's expression decides."""
        author, test = self.author, assertion.test
        steady = author.global_names(scope) - {let.name for let in rule.lets}
        lookups = () if rule.attribute("visit-each") else find_lookups(test, steady, is_xpath1=author.schema.is_xpath1)
        for lookup in reversed(lookups):
            values = author.expression(lookup.values, assertion.origin, scope)
            name = self.value_sets.setdefault(values, (ours(f"values{len(self.value_sets)}"), place))[0]
            function = ours("occurs" if lookup.one else "any-occurs")
            own = test[lookup.start : lookup.end]
            quick = f"(if (exists(${name})) then {function}(${name}, {lookup.item}) else ({own}))"
            test = test[: lookup.start] + quick + test[lookup.end :]
        return author.expression(test, assertion.origin, scope)

    def write_value_sets(self) -> None:
        """Write a variable for each list of values; one that cannot be calculated is empty."""
        sheet = self.author.sheet
        if self.value_sets:
            sheet.raw(VALUE_SETS)
        for values, (name, place) in self.value_sets.items():
            with sheet.element("xsl:variable", {"name": name, "as": "map(*)?"}), sheet.element("xsl:try"):
                stated = self.author.stated(place.origin) | {"version": None}
                sheet.leaf("xsl:sequence", {"select": f"{ours('values')}({values})"} | stated, place)
                sheet.leaf("xsl:catch", {"errors": "*", "select": "()"})

    def _write_pattern(self, number: int, pattern: Pattern, modes: list[str], scope: Mapping[str, str]) -> None:
        sheet = self.author.sheet
        place = SheetPlace(f"pattern '{pattern.id}'", pattern.origin)
        documents = self._write_documents(number, pattern, scope)
        each = "." if documents is None else f"${documents}"
        visits = f"sum({each} ! count({_visited(pattern)})) * {len(modes)}"
        sheet.leaf("xsl:variable", {"name": ours(f"visited{number}"), "select": visits}, place)
        with sheet.element("xsl:template", {"name": ours(f"pattern{number}")}):
            if documents is None:
                self._write_visits(pattern, modes, place)
                return
            with sheet.element("xsl:for-each", {"select": f"${documents}"}):
                self._write_visits(pattern, modes, place)

    def _write_documents(self, number: int, pattern: Pattern, scope: Mapping[str, str]) -> str | None:
        """Write the documents of a pattern as a variable, calculated at the root of the judged document."""
        if pattern is CONTROL:
            return ours("control")
        if pattern.documents is None:
            return None
        named, found = ours(f"documents-named{number}"), ours(f"documents{number}")
        place = SheetPlace(f"documents of pattern '{pattern.id}'", pattern.origin)
        self.author.variable_of(named, pattern.documents, place, scope)
        base = quoted(file_uri(pattern.origin.file))
        self.author.sheet.leaf(
            "xsl:variable", {"name": found, "select": f"{ours('subordinate')}({base}, ${named})"}, place
        )
        return found

    def _write_visits(self, pattern: Pattern, modes: list[str], place: SheetPlace) -> None:
        select = _visited(pattern)
        for mode in modes:
            self.author.sheet.leaf("xsl:apply-templates", {"select": select, "mode": mode}, place)


def _visited(pattern: Pattern) -> str:
    """Return a path to every node that some rule may match: the named elements when they are known, else all nodes."""
    names: set[str] = set()
    for rule in pattern.rules:
        targets = target_names(rule.context)
        if targets is None:
            return _EVERY_NODE
        names |= targets
    if "*" in names:
        return "/descendant::*"
    return " | ".join(f"/descendant::{name}" for name in sorted(names)) or "()"
